package phoenix

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/retryaudit/retryaudit/analyzer/trace"
	"github.com/retryaudit/retryaudit/ingest/decode/decodetest"
	"github.com/retryaudit/retryaudit/ingest/record"
)

// span is one of the REST API, with the members beside its IDs and times.
func span(members string) string {
	return `{"id":"U3BhbjoxMjM=","name":"ChatCompletion","context":{"trace_id":"5b8efff798038103d269b633813fc60c","span_id":"000000000000002a"},` +
		`"parent_id":null,"start_time":"2026-03-02T10:00:00.000001+00:00","end_time":"2026-03-02T10:00:01+00:00"` + members + `}`
}

// row is one of a data frame, with the columns beside its IDs and times.
func row(columns string) string {
	return `{"name":"ChatCompletion","context.trace_id":"5b8efff798038103d269b633813fc60c","context.span_id":"000000000000002a",` +
		`"parent_id":null,"start_time":1772445600000,"end_time":1772445601000` + columns + `}`
}

// frame is a data frame as to_json writes it by default.
const frame = `{"name":{"0":"a","1":"b"},"context.span_id":{"0":"000000000000002a","1":"000000000000002b"},"attributes.x":{"0":1,"1":2}}`

const second = 1772445600000000000

var (
	traceID  = trace.TraceID{0x5b, 0x8e, 0xff, 0xf7, 0x98, 0x03, 0x81, 0x03, 0xd2, 0x69, 0xb6, 0x33, 0x81, 0x3f, 0xc6, 0x0c}
	spanID   = trace.SpanID{7: 0x2a}
	parentID = trace.SpanID{7: 0x29}
)

func attr(key string, v record.Value) []record.Attr { return []record.Attr{{Key: key, Value: v}} }

func TestMembers(t *testing.T) {
	kind := attr(kindKey, text("LLM"))
	list := record.Value{Type: record.List, List: []record.Value{text("a")}}
	project := attr(projectKey, text("shop"))
	exception := []record.Event{{Name: "exception", Time: second, Attrs: attr("exception.type", text("E"))}}
	tests := map[string]struct {
		in   string
		want record.Span
	}{
		"parent":                     {`,"parent_id":"0000000000000029"`, record.Span{Parent: parentID}},
		"kind":                       {`,"span_kind":"LLM"`, record.Span{Attrs: kind}},
		"kind twice":                 {`,"span_kind":"LLM","attributes":{"openinference.span.kind":"LLM"}`, record.Span{Attrs: kind}},
		"no kind":                    {`,"span_kind":"UNKNOWN"`, record.Span{}},
		"OK":                         {`,"status_code":"OK","status_message":""`, record.Span{Status: record.OK}},
		"error":                      {`,"status_code":"ERROR","status_message":"RateLimitError: 429"`, record.Span{Status: record.Error, StatusMessage: "RateLimitError: 429"}},
		"attributes":                 {`,"attributes":{"llm.model_name":"gpt-4"}`, record.Span{Attrs: attr("llm.model_name", text("gpt-4"))}},
		"attributes, nested":         {`,"attributes":{"llm":{"model_name":"gpt-4","x":null}}`, record.Span{Attrs: attr("llm.model_name", text("gpt-4"))}},
		"attributes, list":           {`,"attributes":{"llm":{"input_messages":[{"message":{"content":"hi"}}]},"tags":["a"],"none":[]}`, record.Span{Attrs: []record.Attr{{Key: "llm.input_messages.0.message.content", Value: text("hi")}, {Key: "tags", Value: list}, {Key: "none", Value: record.Value{Type: record.List}}}}},
		"columns":                    {`,"attributes.llm.model_name":"gpt-4","attributes.llm.provider":null`, record.Span{Attrs: attr("llm.model_name", text("gpt-4"))}},
		"column, list":               {`,"attributes.llm.input_messages":[{"message.content":"hi"}]`, record.Span{Attrs: attr("llm.input_messages.0.message.content", text("hi"))}},
		"project":                    {`,"project_name":"shop"`, record.Span{Resource: project}},
		"project, object":            {`,"project":{"name":"shop"}`, record.Span{Resource: project}},
		"event":                      {`,"events":[{"name":"exception","timestamp":"2026-03-02T10:00:00+00:00","attributes":{"exception.type":"E"}}]`, record.Span{Events: exception}},
		"event, nested and a number": {`,"events":[{"name":"exception","timestamp":1772445600000,"attributes":{"exception":{"type":"E"}}}]`, record.Span{Events: exception}},
		"event, text":                {`,"events":"[{\"name\":\"exception\",\"timestamp\":1772445600000,\"attributes\":{\"exception.type\":\"E\"}}]"`, record.Span{Events: exception}},
		"no events":                  {`,"events":[]`, record.Span{}},
		"null":                       {`,"events":null,"attributes":null,"status_message":null`, record.Span{}},
		"other columns":              {`,"cumulative_llm_token_count_prompt":0,"latency_ms":2`, record.Span{}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			want := test.want
			want.Name, want.Trace, want.ID, want.Line = "ChatCompletion", traceID, spanID, 1
			want.Start, want.End = second+1000, second+1e9
			in := strings.Replace(span(test.in), `"parent_id":null,`, "", strings.Count(test.in, "parent_id"))
			spans, result := decodetest.Read(t, Read, in)
			decodetest.WantProblems(t, result)
			if diff := cmp.Diff([]record.Span{want}, spans, cmpopts.EquateEmpty()); diff != "" {
				t.Error(diff)
			}
			want.Start = second
			in = strings.Replace(row(test.in), `"parent_id":null,`, "", strings.Count(test.in, "parent_id"))
			spans, result = decodetest.Read(t, Read, in)
			decodetest.WantProblems(t, result)
			if diff := cmp.Diff([]record.Span{want}, spans, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("as a row: %s", diff)
			}
		})
	}
}

func TestTimes(t *testing.T) {
	for _, in := range []string{`"2026-03-02T10:00:00+00:00"`, `"2026-03-02T10:00:00.000Z"`, `"2026-03-02 10:00:00"`, `1772445600`, `1772445600000`, `"1772445600000"`, `1772445600000000`, `1772445600000000000`} {
		spans, result := decodetest.Read(t, Read, strings.Replace(row(""), "1772445600000", in, 1))
		decodetest.WantProblems(t, result)
		if len(spans) != 1 || spans[0].Start != second {
			t.Errorf("%s: %+v; want a start of %d", in, spans, int64(second))
		}
	}
}

func TestContainers(t *testing.T) {
	one := span("")
	answer := `{"data":[` + one + "," + one + `],"next_cursor":"U3Bhbjox"}`
	columnwise := "1: found a data frame written column by column"
	tests := map[string]struct {
		in       string
		spans    int
		problems []string
	}{
		"answer":                 {answer, 2, nil},
		"answer over lines":      {strings.ReplaceAll(answer, "{", "{\n "), 2, nil},
		"cursor first":           {`{"next_cursor":null,"data":[` + one + `]}`, 1, nil},
		"empty answer":           {`{"data":[],"next_cursor":null}`, 0, nil},
		"lines":                  {one + "\n" + row("") + "\n", 2, nil},
		"list":                   {"[" + one + ",\n" + one + "]", 2, nil},
		"traces":                 {`[{"traceId":"1","rootSpan":` + one + `,"spans":[` + one + `]},{"traceId":"2","spans":[` + one + `]}]`, 2, nil},
		"traces in an answer":    {`{"data":[{"spans":[` + one + `]}]}`, 1, nil},
		"table":                  {`{"schema":{"fields":[]},"data":[` + row("") + `]}`, 1, nil},
		"by index":               {`{"000000000000002a":` + row("") + `,"000000000000002b":` + row("") + `}`, 2, nil},
		"column by column":       {frame + "\n" + one, 1, []string{columnwise}},
		"columns as lists":       {`{"name":["a","b"],"parent_id":[null,null]}`, 0, []string{columnwise}},
		"split":                  {`{"columns":["name"],"index":[0,1],"data":[["a"],["b"]]}`, 0, []string{"1: found rows without names (orient=\"split\")"}},
		"otlpv1":                 {`{"data":[{"trace_id":"AA==","span_id":"AA==","start_time_unix_nano":1}]}`, 0, []string{"1: found a span of Phoenix's endpoint spans/otlpv1"}},
		"another object":         {`{"a":1}` + "\n" + one, 1, []string{"1: found an object without context.trace_id and context.span_id"}},
		"a span is no object":    {`{"data":[7,` + one + `]}`, 1, []string{"1: span: found a number; want an object"}},
		"no span ID":             {strings.Replace(one, "000000000000002a", "", 1), 0, []string{"1: span ID is missing"}},
		"wrong trace ID":         {strings.Replace(one, "5b8e", "5x8e", 1), 0, []string{"1: context.trace_id: found"}},
		"wrong parent":           {strings.Replace(one, `"parent_id":null`, `"parent_id":"zz"`, 1), 1, []string{`1: parent_id: found "zz"`}},
		"no times":               {strings.ReplaceAll(one, "_time", "_tome"), 1, []string{"1: has no start time"}},
		"odd time":               {strings.Replace(one, "2026-03-02T10:00:01", "soon", 1), 1, []string{`1: end_time: found "soon+00:00"`, "1: has no end time"}},
		"ends before":            {strings.Replace(one, "2026-03-02T10:00:01", "2026-03-02T09:00:01", 1), 1, []string{"1: before it starts"}},
		"events that are a text": {span(`,"events":"[{'name'"`), 1, []string{`1: events: found "[{'name'"`}},
		"cut":                    {one + "\n" + one[:len(one)-9], 1, []string{"2: unexpected end of the input"}},
		"cut, then a line":       {one[:len(one)-9] + "\n" + one, 1, []string{"1: broken JSON: unexpected end of the line"}},
		"cut answer":             {answer[:len(answer)-40], 1, []string{"1: unexpected end of the input"}},
		"NUL bytes between":      {one + "\n\x00\x00\n" + one, 2, []string{"2: found 2 NUL bytes"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) { decodetest.Want(t, Read, test.in, test.spans, test.problems...) })
	}
}

func TestStream(t *testing.T) {
	decodetest.Stream(t, Read, `{"data":[`, span(""), ",", `],"next_cursor":null}`)
	decodetest.Stream(t, Read, "", row(""), "\n", "")
	decodetest.Stream(t, Read, `{"1000000000000000":`, row(""), `,"0000000000000001":`, "}")
	decodetest.Stream(t, Read, `[{"spans":[`, span(""), ",", `]}]`)
}

// TestFrameSize holds that a data frame that is refused may be large.
func TestFrameSize(t *testing.T) {
	column := `,"attributes.x":{` + strings.Repeat(`"0":"`+strings.Repeat("x", 1000)+`",`, 200) + `"1":2}`
	_, result := decodetest.Read(t, Read, strings.Replace(frame, `,"attributes.x"`, column+`,"attributes.y"`, 1))
	decodetest.WantProblems(t, result, "1: found a data frame written column by column")
}

func FuzzRead(f *testing.F) {
	decodetest.Fuzz(f, Read, nil, span(`,"attributes":{"a":[{"b":1},2]},"events":[{"name":"e","timestamp":1,"attributes":{"c":1}}]`), frame,
		`{"data":[`+row(`,"events":"[]","attributes.x":1`)+`,["a"]],"next_cursor":null}`, `{"0000000000000001":`+row("")+`}`)
}
