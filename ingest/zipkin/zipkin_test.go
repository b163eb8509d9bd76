package zipkin

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/retryaudit/retryaudit/analyzer/trace"
	"github.com/retryaudit/retryaudit/ingest/decode/decodetest"
	"github.com/retryaudit/retryaudit/ingest/record"
)

func text(s string) record.Value { return record.Value{Type: record.String, S: s} }

// span has the members beside its IDs and times.
func span(members string) string {
	return `{"traceId":"5b8efff798038103d269b633813fc60c","id":"000000000000002a","name":"get","timestamp":1772445600000001,"duration":5000,"localEndpoint":{"serviceName":"shop"}` + members + `}`
}

var (
	traceID = trace.TraceID{0x5b, 0x8e, 0xff, 0xf7, 0x98, 0x03, 0x81, 0x03, 0xd2, 0x69, 0xb6, 0x33, 0x81, 0x3f, 0xc6, 0x0c}
	spanID  = trace.SpanID{7: 0x2a}
)

func TestVersion2(t *testing.T) {
	event := func(name string, attrs ...record.Attr) record.Span {
		return record.Span{Kind: trace.Internal, Events: []record.Event{{Name: name, Time: 1772445600000002000, Attrs: attrs}}}
	}
	annotation := func(value string) string {
		return `,"annotations":[{"timestamp":1772445600000002,"value":` + value + `}]`
	}
	message := record.Attr{Key: "exception.message", Value: text("no")}
	tests := map[string]struct {
		in   string
		want record.Span
	}{
		"local":            {"", record.Span{Kind: trace.Internal}},
		"kind":             {`,"kind":"SERVER","shared":true,"parentId":"29"`, record.Span{Kind: trace.Server, Parent: trace.SpanID{7: 0x29}}},
		"tags":             {`,"tags":{"http.method":"GET","error":"timeout"}`, record.Span{Kind: trace.Internal, Status: record.Error, Attrs: []record.Attr{{Key: "http.method", Value: text("GET")}, {Key: "error", Value: text("timeout")}}}},
		"OpenTelemetry":    {`,"tags":{"otel.status_code":"ERROR","otel.status_description":"no","otel.scope.name":"lib"}`, record.Span{Kind: trace.Internal, Status: record.Error, StatusMessage: "no", Scope: "lib"}},
		"remote":           {`,"kind":"CLIENT","remoteEndpoint":{"serviceName":"bank","ipv4":"10.0.0.1","port":443}`, record.Span{Kind: trace.Client, Attrs: []record.Attr{{Key: "remoteEndpoint.serviceName", Value: text("bank")}, {Key: "remoteEndpoint.ipv4", Value: text("10.0.0.1")}, {Key: "remoteEndpoint.port", Value: record.Value{Type: record.Int, I: 443}}}}},
		"annotation":       {annotation(`"retry"`), event("retry")},
		"Collector event":  {annotation(`"exception|{\"exception.message\":\"no\"}|0"`), event("exception", message)},
		"Go event":         {annotation(`"exception: {\"exception.message\":\"no\"}"`), event("exception", message)},
		"braces in a text": {annotation(`"a|{b}"`), event("a|{b}")},
		"link":             {`,"tags":{"otlp.link.0":"77|30||{}|0"}`, record.Span{Kind: trace.Internal, Links: []record.Link{{Trace: trace.TraceID{15: 0x77}, ID: trace.SpanID{7: 0x30}}}}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			in := "[" + span(test.in) + "]"
			spans, result := decodetest.Read(t, Read, in)
			decodetest.WantProblems(t, result)
			want := test.want
			want.Trace, want.ID, want.Name, want.Start, want.End = traceID, spanID, "get", 1772445600000001000, 1772445600005001000
			want.Resource = append(want.Attrs[:len(want.Attrs):len(want.Attrs)], record.Attr{Key: "service.name", Value: text("shop")})
			want.Line, want.Offset = 1, 1
			if diff := cmp.Diff([]record.Span{want}, spans, cmpopts.EquateEmpty()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestVersion1(t *testing.T) {
	const (
		web  = `"endpoint":{"serviceName":"web","ipv4":"10.0.0.1","port":80}`
		shop = `"endpoint":{"serviceName":"shop","ipv4":"10.0.0.2","port":80}`
		head = `{"traceId":"77","id":"2a","parentId":"29","name":"get","timestamp":1772445600000000,"duration":9000`
		cs   = `{"timestamp":1772445600000000,"value":"cs",` + web + `}`
		cr   = `{"timestamp":1772445600009000,"value":"cr",` + web + `}`
		sr   = `{"timestamp":1772445600002000,"value":"sr",` + shop + `}`
		ss   = `{"timestamp":1772445600007000,"value":"ss",` + shop + `}`
	)
	type want struct {
		kind       trace.Kind
		service    string
		start, end int64 // ms after the first
		attrs      string
	}
	tests := map[string]struct {
		in   string
		want []want
	}{
		"both halves": {head + `,"annotations":[` + cs + "," + sr + "," + ss + "," + cr + `],"binaryAnnotations":[{"key":"http.status_code","value":"503",` + shop + `},{"key":"http.path","value":"/a",` + web + `}]}`,
			[]want{{trace.Client, "web", 0, 9, "http.path"}, {trace.Server, "shop", 2, 7, "http.status_code"}}},
		"client":      {head + `,"annotations":[` + cs + "," + cr + `],"binaryAnnotations":[{"key":"sa","value":true,` + shop + `}]}`, []want{{trace.Client, "web", 0, 9, "remoteEndpoint.serviceName remoteEndpoint.ipv4 remoteEndpoint.port"}}},
		"server":      {head + `,"annotations":[` + sr + "," + ss + `],"binaryAnnotations":[]}`, []want{{trace.Server, "shop", 2, 7, ""}}},
		"local":       {head + `,"binaryAnnotations":[{"key":"lc","value":"worker",` + shop + `},{"key":"n","value":"1",` + shop + `}]}`, []want{{trace.Internal, "shop", 0, 9, "n"}}},
		"no end":      {head + `,"annotations":[` + cs + `]}`, []want{{trace.Client, "web", 0, 9, ""}}},
		"no times":    {`{"traceId":"77","id":"2a","parentId":"29","name":"get","annotations":[` + sr + `,` + ss + `]}`, []want{{trace.Server, "shop", 2, 7, ""}}},
		"a messenger": {head + `,"annotations":[{"timestamp":1772445600000000,"value":"ms",` + web + `}]}`, []want{{trace.Producer, "web", 0, 9, ""}}},
	}
	const first = 1772445600000000000
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			spans, result := decodetest.Read(t, Read, "["+test.in+"]")
			decodetest.WantProblems(t, result)
			var got []want
			for _, s := range spans {
				if s.Trace != (trace.TraceID{15: 0x77}) || s.ID != spanID || s.Parent != (trace.SpanID{7: 0x29}) || s.Name != "get" {
					t.Errorf("span %+v", s)
				}
				var names []string
				for _, a := range s.Attrs {
					names = append(names, a.Key)
				}
				service := ""
				for _, a := range s.Resource {
					if a.Key == "service.name" {
						service = a.Value.S
					}
				}
				got = append(got, want{s.Kind, service, (s.Start - first) / 1e6, (s.End - first) / 1e6, strings.Join(names, " ")})
			}
			if diff := cmp.Diff(test.want, got, cmp.AllowUnexported(want{})); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestContainers(t *testing.T) {
	tests := map[string]struct {
		in       string
		spans    int
		problems []string
	}{
		"list":              {"[" + span("") + "," + span("") + "]", 2, nil},
		"list of traces":    {"[[" + span("") + "],[" + span("") + "],[]]", 2, nil},
		"lines":             {span("") + "\n" + span("") + "\n", 2, nil},
		"lines of lists":    {"[" + span("") + "]\n[" + span("") + "]\n", 2, nil},
		"three levels":      {"[[[" + span("") + "]]]", 0, []string{"1: found an array; want a span of Zipkin"}},
		"cut":               {"[" + span("") + "," + span("")[:30], 1, []string{"1: unexpected end of the input"}},
		"cut, then a line":  {span("")[:40] + "\n" + span(""), 1, []string{"1: broken JSON: unexpected end of the line"}},
		"spliced":           {span("")[:130] + span("") + "\n" + span(""), 1, []string{"1: broken JSON"}},
		"NUL bytes between": {span("") + "\n\x00\x00\x00\n" + span(""), 2, []string{"2: found 3 NUL bytes"}},
		"no ID":             {strings.Replace(span(""), `"000000000000002a"`, `""`, 1) + span(""), 1, []string{"1: span ID is missing or zero"}},
		"ID not hex":        {strings.Replace(span(""), `"000000000000002a"`, `"xyz"`, 1) + span(""), 1, []string{`1: span ID: found "xyz" of 3 characters; want up to 16 hex digits`}},
		"no times":          {strings.Replace(span(""), `"timestamp":1772445600000001,"duration":5000,`, "", 1), 1, []string{"1: has no start time"}},
		"time a word":       {strings.Replace(span(""), `1772445600000001`, `"soon"`, 1), 1, []string{`1: timestamp: found "soon"; want a time`, "1: has no start time"}},
		"another object":    {`{"a":1}` + span(""), 1, []string{"1: found an object without traceId and id; want a span of Zipkin"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) { decodetest.Want(t, Read, test.in, test.spans, test.problems...) })
	}
}

func TestStream(t *testing.T) {
	decodetest.Stream(t, Read, "[", span(""), ",", "]")
	decodetest.Stream(t, Read, "[[", span(""), "],[", "]]")
	decodetest.Stream(t, Read, "", span(""), "\n", "")
}

func FuzzRead(f *testing.F) {
	decodetest.Fuzz(f, Read, []string{"../../testdata/formats/*zipkin*.json"},
		`[[{"traceId":"77","id":"2a","annotations":[{"timestamp":1,"value":"cs","endpoint":{"serviceName":"a"}},{"timestamp":3,"value":"sr"}],"binaryAnnotations":[{"key":"sa","value":true,"endpoint":{"port":1}}]}]]`,
		span(`,"annotations":[{"value":"a|{\"b\":1}|0"}],"tags":{"otlp.link.0":"1|2"}`))
}
