package clickhouse

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/retryaudit/retryaudit/analyzer/trace"
	"github.com/retryaudit/retryaudit/ingest/decode/decodetest"
	"github.com/retryaudit/retryaudit/ingest/record"
)

// row has the columns beside its IDs and times.
func row(columns string) string {
	return `{"Timestamp":"2026-03-02 10:00:00.000000001","TraceId":"5b8efff798038103d269b633813fc60c","SpanId":"000000000000002a","ParentSpanId":"","Duration":5000` + columns + `}`
}

// full is a row as clickhouse-client writes it with SELECT *.
const full = `{"Timestamp":"2026-03-02 10:00:00.000000001","TraceId":"5b8efff798038103d269b633813fc60c","SpanId":"000000000000002a",` +
	`"ParentSpanId":"0000000000000029","TraceState":"ot=th:0","SpanName":"GET","SpanKind":"Client","ServiceName":"shop",` +
	`"ResourceAttributes":{"service.name":"shop","host.name":"h1"},"ScopeName":"lib","ScopeVersion":"1.2",` +
	`"SpanAttributes":{"http.response.status_code":"503"},"Duration":"5000","StatusCode":"Error","StatusMessage":"no",` +
	`"Events.Timestamp":["2026-03-02 10:00:00.000000002"],"Events.Name":["exception"],"Events.Attributes":[{"exception.type":"E"}],` +
	`"Links.TraceId":["00000000000000000000000000000077"],"Links.SpanId":["0000000000000030"],"Links.TraceState":[""],"Links.Attributes":[{"k":"v"}]}`

const start = 1772445600000000001

var (
	traceID = trace.TraceID{0x5b, 0x8e, 0xff, 0xf7, 0x98, 0x03, 0x81, 0x03, 0xd2, 0x69, 0xb6, 0x33, 0x81, 0x3f, 0xc6, 0x0c}
	spanID  = trace.SpanID{7: 0x2a}
	linkID  = trace.SpanID{7: 0x30}
)

func text(s string) record.Value { return record.Value{Type: record.String, S: s} }

func attr(key string, v record.Value) []record.Attr { return []record.Attr{{Key: key, Value: v}} }

func TestColumns(t *testing.T) {
	event := []record.Event{{Name: "exception", Time: start + 1, Attrs: attr("exception.type", text("E"))}}
	link := []record.Link{{Trace: trace.TraceID{15: 0x77}, ID: linkID, Attrs: attr("k", text("v"))}}
	tests := map[string]struct {
		in   string
		want record.Span
	}{
		"kind":                   {`,"SpanKind":"Server"`, record.Span{Kind: trace.Server}},
		"kind of old tables":     {`,"SpanKind":"SPAN_KIND_CLIENT"`, record.Span{Kind: trace.Client}},
		"no kind":                {`,"SpanKind":"Unspecified"`, record.Span{}},
		"status":                 {`,"StatusCode":"Ok"`, record.Span{Status: record.OK}},
		"status of old tables":   {`,"StatusCode":"STATUS_CODE_ERROR"`, record.Span{Status: record.Error}},
		"no status":              {`,"StatusCode":"Unset"`, record.Span{}},
		"null":                   {`,"SpanAttributes":null,"TraceState":null`, record.Span{}},
		"attributes, nested":     {`,"SpanAttributes":{"http":{"response":{"status_code":503}},"l":["a","b"]}`, record.Span{Attrs: []record.Attr{{Key: "http.response.status_code", Value: record.Value{Type: record.Int, I: 503}}, {Key: "l", Value: record.Value{Type: record.List, List: []record.Value{text("a"), text("b")}}}}}},
		"attributes, as text":    {`,"SpanAttributes":"{\"a\":1}"`, record.Span{Attrs: attr("a", record.Value{Type: record.Int, I: 1})}},
		"service":                {`,"ServiceName":"shop","ResourceAttributes":{"host.name":"h1"}`, record.Span{Resource: []record.Attr{{Key: "host.name", Value: text("h1")}, {Key: "service.name", Value: text("shop")}}}},
		"events, object":         {`,"Events":{"Timestamp":["2026-03-02 10:00:00.000000002"],"Name":["exception"],"Attributes":["{\"exception\":{\"type\":\"E\"}}"]}`, record.Span{Events: event}},
		"events, objects":        {`,"Events":[{"Timestamp":1772445600000000002,"Name":"exception","Attributes":{"exception.type":"E"}}]`, record.Span{Events: event}},
		"events without columns": {`,"Events.Name":["exception"]`, record.Span{Events: []record.Event{{Name: "exception"}}}},
		"no events":              {`,"Events.Timestamp":[],"Events.Name":[],"Events.Attributes":[]`, record.Span{}},
		"links, objects":         {`,"Links":[{"TraceId":"77","SpanId":"30","Attributes":{"k":"v"}}]`, record.Span{Links: link}},
		"all": {strings.TrimSuffix(full[strings.Index(full, `,"TraceState"`):], "}"), record.Span{TraceState: "ot=th:0", Name: "GET", Kind: trace.Client, Status: record.Error, StatusMessage: "no", Scope: "lib", ScopeVersion: "1.2",
			Attrs: attr("http.response.status_code", text("503")), Resource: []record.Attr{{Key: "service.name", Value: text("shop")}, {Key: "host.name", Value: text("h1")}}, Events: event, Links: link}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			spans, result := decodetest.Read(t, Read, row(test.in))
			decodetest.WantProblems(t, result)
			want := test.want
			want.Trace, want.ID, want.Start, want.End, want.Line = traceID, spanID, start, start+5000, 1
			if diff := cmp.Diff([]record.Span{want}, spans, cmpopts.EquateEmpty()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestTimes(t *testing.T) {
	for in, want := range map[string]int64{
		`"2026-03-02 10:00:00.000000001"`:  start,
		`"2026-03-02T10:00:00.000000001Z"`: start,
		`1772445600000000001`:              start,
		`"1772445600000000001"`:            start,
		`1772445600000000`:                 start - 1,
		`1772445600000`:                    start - 1,
		`"1772445600.000000000"`:           start - 1,
		`1772445600`:                       start - 1,
	} {
		spans, result := decodetest.Read(t, Read, strings.Replace(row(""), `"2026-03-02 10:00:00.000000001"`, in, 1))
		decodetest.WantProblems(t, result)
		if len(spans) != 1 || spans[0].Start != want {
			t.Errorf("%s: %+v; want a start of %d", in, spans, want)
		}
	}
}

func TestContainers(t *testing.T) {
	one := row("")
	answer := `{"meta":[{"name":"Timestamp","type":"DateTime64(9)"}],"data":[` + one + "," + one + `],"rows":2,"statistics":{"elapsed":0.1}}`
	tests := map[string]struct {
		in       string
		spans    int
		problems []string
	}{
		"lines":                    {one + "\n" + one + "\n", 2, nil},
		"list":                     {"[" + one + ",\n" + one + "]", 2, nil},
		"answer":                   {answer, 2, nil},
		"two answers":              {answer + "\n" + answer, 4, nil},
		"answer over lines":        {strings.ReplaceAll(answer, "{", "{\n\t"), 2, nil},
		"empty answer":             {`{"meta":[],"data":[],"rows":0}`, 0, nil},
		"JSONCompact":              {`{"meta":[{"name":"a"}],"data":[["x",1],["y",2]],"rows":2}` + "\n" + one, 1, []string{"1: found rows without names (FORMAT JSONCompact)"}},
		"JSONColumns":              {`{"Timestamp":[1],"TraceId":["1"],"SpanId":["2"]}`, 0, []string{"1: found columns (FORMAT JSONColumns)"}},
		"JSONColumnsWithMetadata":  {`{"meta":[],"data":{"TraceId":["1"]},"rows":1}`, 0, []string{"1: found the columns of FORMAT JSONColumnsWithMetadata"}},
		"failed query":             {`{"meta":[],"data":[` + one + `],"rows":1,"exception":"Code: 394. Query was cancelled"}`, 1, []string{`1: ClickHouse ended the answer with an error: "Code: 394. Query was cancelled"`}},
		"logs":                     {`{"Timestamp":1,"TraceId":"1","SpanId":"2","SeverityText":"INFO","Body":"x"}`, 0, nil},
		"metrics":                  {`{"MetricName":"m","Value":1}`, 0, nil},
		"another object":           {`{"a":1}` + "\n" + one, 1, []string{"1: found an object without TraceId and SpanId"}},
		"a row is no object":       {`{"data":[7,` + one + `]}`, 1, []string{"1: row: found a number; want an object"}},
		"no span ID":               {strings.Replace(one, "000000000000002a", "", 1), 0, []string{"1: span ID is missing"}},
		"wrong trace ID":           {strings.Replace(one, "5b8e", "5x8e", 1), 0, []string{"1: TraceId: found"}},
		"wrong parent":             {strings.Replace(one, `"ParentSpanId":""`, `"ParentSpanId":"zz"`, 1), 1, []string{`1: ParentSpanId: found "zz"`}},
		"no time":                  {strings.Replace(one, `"Timestamp":"2026-03-02 10:00:00.000000001",`, "", 1), 1, []string{"1: has no start time"}},
		"odd time":                 {strings.Replace(one, "2026-03-02", "yesterday", 1), 1, []string{"1: Timestamp: found", "1: has no start time"}},
		"negative duration":        {strings.Replace(one, `"Duration":5000`, `"Duration":-5`, 1), 1, []string{`1: Duration: found "-5"`, "1: has no end time"}},
		"attributes of other kind": {row(`,"SpanAttributes":"{x","ResourceAttributes":7`), 1, []string{`1: SpanAttributes: found "{x"`, `1: ResourceAttributes: found "7"`}},
		"uneven events":            {row(`,"Events.Timestamp":[1],"Events.Name":["a","b"]`), 1, []string{"1: Events: found lists of different lengths"}},
		"wrong link":               {row(`,"Links.TraceId":["x"],"Links.SpanId":["1"]`), 1, []string{`1: Links.TraceId: found "x"`}},
		"cut":                      {one + "\n" + one[:len(one)-9], 1, []string{"2: unexpected end of the input"}},
		"cut, then a line":         {one[:len(one)-9] + "\n" + one, 1, []string{"1: broken JSON: unexpected end of the line"}},
		"cut behind a colon":       {one[:len(one)-5] + "\n" + one, 1, []string{"1: unexpected end of a record"}},
		"cut answer":               {answer[:strings.LastIndex(answer, "5000}],")], 1, []string{"1: unexpected end of the input"}},
		"NUL bytes between":        {one + "\n\x00\x00\n" + one, 2, []string{"2: found 2 NUL bytes"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) { decodetest.Want(t, Read, test.in, test.spans, test.problems...) })
	}
	_, result := decodetest.Read(t, Read, tests["logs"].in+tests["metrics"].in)
	if result.Skipped["logs"] != 1 || result.Skipped["metrics"] != 1 {
		t.Errorf("skipped %v; want a row of logs and one of metrics", result.Skipped)
	}
}

func TestStream(t *testing.T) {
	decodetest.Stream(t, Read, `{"meta":[{"name":"Timestamp"}],"data":[`, full, ",", `],"rows":7}`)
	decodetest.Stream(t, Read, "", full, "\n", "")
	decodetest.Stream(t, Read, "[", full, ",", "]")
}

func FuzzRead(f *testing.F) {
	decodetest.Fuzz(f, Read, nil, full, `{"meta":[],"data":[`+full+`],"rows":1,"exception":"x"}`,
		row(`,"Events":[{"Timestamp":1,"Attributes":"{\"a\":1}"}],"Links":{"TraceId":["1"],"SpanId":["2"]}`), `{"data":[["a"]]}`, `{"Body":1}`)
}
