package datadog

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/retryaudit/retryaudit/analyzer/trace"
	"github.com/retryaudit/retryaudit/ingest/decode/decodetest"
	"github.com/retryaudit/retryaudit/ingest/record"
)

// span has the members beside its IDs, names and times.
func span(members string) string {
	return `{"trace_id":119,"span_id":42,"parent_id":41,"service":"shop","name":"web.request","resource":"GET /a","start":1772445600000000001,"duration":5000000` + members + `}`
}

func text(key, v string) record.Attr { return record.Attr{Key: key, Value: str(v)} }

func TestMembers(t *testing.T) {
	op := text("operation.name", "web.request")
	double := func(key string, v float64) record.Attr {
		return record.Attr{Key: key, Value: record.Value{Type: record.Double, D: v}}
	}
	service := text("service.name", "shop")
	tests := map[string]struct {
		in   string
		want record.Span
	}{
		"type web":  {`,"type":"web"`, record.Span{Kind: trace.Server, Attrs: []record.Attr{op, text("span.type", "web")}}},
		"type http": {`,"type":"http"`, record.Span{Kind: trace.Client, Attrs: []record.Attr{op, text("span.type", "http")}}},
		"kind":      {`,"type":"http","meta":{"span.kind":"server"}`, record.Span{Kind: trace.Server, Attrs: []record.Attr{op, text("span.type", "http")}}},
		"error": {`,"error":1,"meta":{"error.type":"Timeout","error.message":"late"}`,
			record.Span{Status: record.Error, Attrs: []record.Attr{text("error.type", "Timeout"), text("error.message", "late"), op}}},
		"no error": {`,"error":0`, record.Span{Attrs: []record.Attr{op}}},
		"tags": {`,"meta":{"http.status_code":"503","_dd.p.tid":"66f0","language":"go","component":"net/http"},"metrics":{"retry_attempts":2.5,"_sampling_priority_v1":1}`,
			record.Span{Scope: "net/http", Attrs: []record.Attr{text("http.status_code", "503"), double("retry_attempts", 2.5), op}}},
		"shares of samplers":          {`,"metrics":{"_dd.agent_psr":0.25,"_dd.top_level":1}`, record.Span{Attrs: []record.Attr{{Key: "_dd.agent_psr", Value: record.Value{Type: record.Double, D: 0.25}}, op}}},
		"base service":                {`,"meta":{"_dd.base_service":"web"}`, record.Span{Resource: []record.Attr{text("service.name", "web")}, Attrs: []record.Attr{text("service", "shop"), op}}},
		"base service is the service": {`,"meta":{"_dd.base_service":"shop"}`, record.Span{Attrs: []record.Attr{op}}},
		"odd upper half":              {`,"meta":{"_dd.p.tid":"zz"}`, record.Span{Attrs: []record.Attr{op}}},
		"links in a tag": {`,"meta":{"_dd.span_links":"[{\"trace_id\":\"66f00000000000000000000000000007\",\"span_id\":\"1000000000000008\",\"attributes\":{\"a\":\"b\"}}]"}`,
			record.Span{Links: []record.Link{{Trace: trace.TraceID{15: 7}, ID: trace.SpanID{0x10, 7: 8}, Attrs: []record.Attr{text("a", "b")}}}, Attrs: []record.Attr{op}}},
		"events in a tag": {`,"meta":{"events":"[{\"name\":\"exception\",\"time_unix_nano\":1772445600000000002,\"attributes\":{\"exception.type\":\"Timeout\"}}]"}`,
			record.Span{Events: []record.Event{{Name: "exception", Time: 1772445600000000002, Attrs: []record.Attr{text("exception.type", "Timeout")}}}, Attrs: []record.Attr{op}}},
		"a tag that is no events": {`,"meta":{"events":"[{\"a\":1}]"}`, record.Span{Attrs: []record.Attr{text("events", `[{"a":1}]`), op}}},
		"typed events": {`,"span_events":[{"name":"e","time_unix_nano":1772445600000000002,"attributes":{"s":{"type":0,"string_value":"x"},"l":{"type":4,"array_value":{"values":[{"type":0,"string_value":"y"}]}},"o":{"type":9}}}]`,
			record.Span{Events: []record.Event{{Name: "e", Time: 1772445600000000002, Attrs: []record.Attr{text("s", "x"), {Key: "l", Value: record.Value{Type: record.List, List: []record.Value{str("y")}}}, {Key: "o.type", Value: record.Value{Type: record.Int, I: 9}}}}}, Attrs: []record.Attr{op}}},
		"links": {`,"span_links":[{"trace_id":7,"span_id":8}]`, record.Span{Links: []record.Link{{Trace: trace.TraceID{15: 7}, ID: trace.SpanID{7: 8}}}, Attrs: []record.Attr{op}}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			spans, result := decodetest.Read(t, Read, "[["+span(test.in)+"]]")
			decodetest.WantProblems(t, result)
			want := test.want
			want.Trace, want.ID, want.Parent, want.Name = trace.TraceID{15: 119}, trace.SpanID{7: 42}, trace.SpanID{7: 41}, "GET /a"
			want.Start, want.End, want.Line, want.Offset = 1772445600000000001, 1772445600005000001, 1, 2
			if want.Resource == nil {
				want.Resource = []record.Attr{service}
			}
			if want.Scope == "" {
				want.Scope = "web"
			}
			if diff := cmp.Diff([]record.Span{want}, spans, cmpopts.EquateEmpty()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestKinds(t *testing.T) {
	for _, test := range []struct {
		spanType, operation string
		want                trace.Kind
	}{
		{"queue", "kafka.produce", trace.Producer},
		{"queue", "aws.sqs.send", trace.Producer},
		{"queue", "kafka.consume", trace.Consumer},
		{"queue", "amqp.command", trace.KindUnspecified},
		{"queue", "", trace.KindUnspecified},
		{"rpc", "grpc.client", trace.KindUnspecified},
		{"redis", "redis.command", trace.Client},
		{"", "kafka.produce", trace.KindUnspecified},
	} {
		if got := kindOf(test.spanType, test.operation); got != test.want {
			t.Errorf("type %q, operation %q: kind %d; want %d", test.spanType, test.operation, got, test.want)
		}
	}
}

// TestOneTrace holds that spans of one trace have one trace ID, whichever of
// them tells the upper half and in whichever order they come.
func TestOneTrace(t *testing.T) {
	first, other := span(`,"meta":{"_dd.p.tid":"66f0000000000000"}`), span("")
	for _, in := range []string{"[[" + first + "," + other + "]]", "[[" + other + "," + first + "]]"} {
		spans, _ := decodetest.Read(t, Read, in)
		if len(spans) != 2 || spans[0].Trace != spans[1].Trace {
			t.Errorf("%s: spans %+v; want two of one trace", in, spans)
		}
	}
}

func TestIDs(t *testing.T) {
	want, _ := decodetest.Read(t, Read, span(""))
	for name, in := range map[string]string{
		"numbers in strings": strings.NewReplacer(":119,", `:"119",`, ":42,", `:"42",`, ":41,", `:"41",`).Replace(span("")),
		"128 bits in hex":    strings.Replace(span(""), ":119,", `:"66f0000000000000`+"0000000000000077"+`",`, 1),
		"upper half aside":   span(`,"meta":{"_dd.p.tid":"66f0000000000000"}`),
	} {
		spans, result := decodetest.Read(t, Read, in)
		decodetest.WantProblems(t, result)
		if len(spans) != 1 || spans[0].Trace != want[0].Trace || spans[0].ID != want[0].ID || spans[0].Parent != want[0].Parent {
			t.Errorf("%s: %+v; want the IDs of %+v", name, spans, want[0])
		}
	}
}

func TestContainers(t *testing.T) {
	api := `{"id":"AAA","type":"span","attributes":{"trace_id":"119","span_id":"42","parent_id":"0","service":"shop","resource_name":"GET /a","operation_name":"web.request","status":"error",` +
		`"start_timestamp":"2026-03-02T10:00:00.001Z","end_timestamp":"2026-03-02T10:00:00.006Z","type":"web","env":"prod","host":"h1","tags":["env:test","pod_name:p","alone"],"custom":{"http":{"status_code":"503"}}}}`
	ui := `{"trace":{"root_id":"42","spans":{"42":` + span("") + `,"43":` + span("") + `}},"orchestrated":{}}`
	seconds := strings.NewReplacer(`1772445600000000001`, `1772445600.25`, `5000000`, `0.005`).Replace(span(""))
	tests := map[string]struct {
		in       string
		spans    int
		problems []string
	}{
		"list of traces": {"[[" + span("") + "," + span("") + "],[" + span("") + "]]", 3, nil},
		"list":           {"[" + span("") + "]", 1, nil},
		"lines":          {span("") + "\n" + span("") + "\n", 2, nil},
		"traces":         {`{"traces":[[` + span("") + `],[` + span("") + `]]}`, 2, nil},
		"API":            {`{"data":[` + api + "," + api + `],"meta":{},"links":{}}`, 2, nil},
		"UI":             {ui, 2, nil},
		"UI in seconds":  {seconds, 1, nil},
		"no span ID":     {strings.Replace(span(""), `"span_id":42`, `"span_id":0`, 1), 0, []string{"1: span ID is missing or zero"}},
		"odd span ID":    {strings.Replace(span(""), `"span_id":42`, `"span_id":"x"`, 1), 0, []string{`1: span ID: found "x"; want a decimal number`}},
		"broken links":   {span(`,"meta":{"_dd.span_links":"[{\"trace_id\":\"66f0"}`), 1, []string{"1: _dd.span_links: found"}},
		"no service":     {strings.Replace(span(""), `"service":"shop",`, "", 1), 1, nil},
		"negative times": {strings.Replace(span(""), `"duration":5000000`, `"duration":-1`, 1), 1, []string{`1: duration: found "-1"`, "1: has no end time"}},
		"no times":       {strings.Replace(span(""), `"start":1772445600000000001,`, "", 1), 1, []string{"1: has no start time"}},
		"cut":            {"[[" + span("") + "," + span("")[:40], 1, []string{"1: unexpected end of the input"}},
		"cut, then more": {span("")[:40] + "\n" + span(""), 1, []string{"1: unexpected end of a record"}},
		"NUL bytes":      {span("") + "\n\x00\x00\n" + span(""), 2, []string{"2: found 2 NUL bytes"}},
		"other object":   {`{"a":1}` + "\n" + span(""), 1, []string{"1: found an object without trace_id and span_id"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) { decodetest.Want(t, Read, test.in, test.spans, test.problems...) })
	}
	spans, _ := decodetest.Read(t, Read, `{"data":[`+api+`]}`)
	if s := spans[0]; s.Status != record.Error || s.Kind != trace.Server || s.Start != 1772445600001000000 || s.End != 1772445600006000000 || len(s.Attrs) == 0 || s.Attrs[0].Key != "http.status_code" {
		t.Errorf("from the API: %+v", s)
	}
	place := []record.Attr{text("host.name", "h1"), text("service.name", "shop"), text("env", "prod"), text("pod_name", "p"), text("alone", "")}
	if diff := cmp.Diff(place, spans[0].Resource); diff != "" {
		t.Error(diff)
	}
	spans, _ = decodetest.Read(t, Read, seconds)
	if s := spans[0]; s.Start != 1772445600250000000 || s.End-s.Start != 5000000 {
		t.Errorf("in seconds: %d, %d ns", s.Start, s.End-s.Start)
	}
}

func TestStream(t *testing.T) {
	decodetest.Stream(t, Read, "[[", span(""), "],[", "]]")
	decodetest.Stream(t, Read, `{"traces":[[`, span(""), ",", "]]}")
	decodetest.Stream(t, Read, "", span(""), "\n", "")
	decodetest.Stream(t, Read, `{"trace":{"root_id":"42","spans":{`, `"42":`+span(""), ",", "}}}")
	decodetest.Stream(t, Read, `{"data":[`, `{"type":"spans","attributes":`+span("")+`}`, ",", `],"meta":{}}`)
}

func FuzzRead(f *testing.F) {
	decodetest.Fuzz(f, Read, nil, "[["+span(`,"meta":{"span.kind":"client"},"span_links":[{"trace_id":1}],"span_events":[{"attributes":{"a":{"type":4,"array_value":{"values":[{}]}}}}]`)+"]]", span(`,"meta":{"_dd.span_links":"[{}]","events":"[{\"time_unix_nano\":1}]"}`),
		`{"trace":{"spans":{"42":`+span("")+`}}}`, `{"data":[{"attributes":{"trace_id":"1","span_id":"2","custom":{"a":{"b":1}}}}]}`)
}
