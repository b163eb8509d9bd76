package xray

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/retryaudit/retryaudit/analyzer/trace"
	"github.com/retryaudit/retryaudit/ingest/decode/decodetest"
	"github.com/retryaudit/retryaudit/ingest/record"
)

// segment has the members beside its ID, trace and times.
func segment(members string) string {
	return `{"id":"000000000000002a","trace_id":"1-5759e988-bd862e3fe1be46a994272793","name":"shop","start_time":1465510280.5,"end_time":1465510281.25` + members + `}`
}

var (
	traceID  = trace.TraceID{0x57, 0x59, 0xe9, 0x88, 0xbd, 0x86, 0x2e, 0x3f, 0xe1, 0xbe, 0x46, 0xa9, 0x94, 0x27, 0x27, 0x93}
	resource = []record.Attr{{Key: "service.name", Value: str("shop")}}
)

const start, end = 1465510280500000000, 1465510281250000000

func attr(key string, v record.Value) []record.Attr { return []record.Attr{{Key: key, Value: v}} }

func TestMembers(t *testing.T) {
	whole := func(n int64) record.Value { return record.Value{Type: record.Int, I: n} }
	yes := record.Value{Type: record.Bool, B: true}
	tests := map[string]struct {
		in   string
		want record.Span
	}{
		"alone":       {"", record.Span{Kind: trace.Internal}},
		"of a caller": {`,"parent_id":"29"`, record.Span{Kind: trace.Server, Parent: trace.SpanID{7: 0x29}}},
		"http": {`,"http":{"request":{"method":"GET"},"response":{"status":200}}`,
			record.Span{Kind: trace.Server, Attrs: append(attr("http.request.method", str("GET")), attr("http.response.status", whole(200))...)}},
		"fault":       {`,"fault":true,"error":false`, record.Span{Kind: trace.Internal, Status: record.Error, Attrs: attr("fault", yes)}},
		"annotations": {`,"annotations":{"request.id":"r"},"metadata":{"mine":{"k":1}}`, record.Span{Kind: trace.Internal, Attrs: append(attr("request.id", str("r")), attr("metadata.mine.k", whole(1))...)}},
		"exception": {`,"cause":{"working_directory":"/","exceptions":[{"id":"1","type":"Timeout","message":"late","remote":true}]}`,
			record.Span{Kind: trace.Internal, Events: []record.Event{{Name: "exception", Time: end, Attrs: append(attr("exception.type", str("Timeout")), append(attr("exception.message", str("late")), attr("exception.remote", yes)...)...)}}}},
		"cause that is elsewhere": {`,"cause":"0011223344556677"`, record.Span{Kind: trace.Internal, Attrs: attr("cause", str("0011223344556677"))}},
		"precursor":               {`,"precursor_ids":["2b"]`, record.Span{Kind: trace.Internal, Links: []record.Link{{Trace: traceID, ID: trace.SpanID{7: 0x2b}}}}},
		"link with attributes":    {`,"links":[{"trace_id":"1-00000000-000000000000000000000077","id":"30","attributes":{"a":"b"}}]`, record.Span{Kind: trace.Internal, Links: []record.Link{{Trace: trace.TraceID{15: 0x77}, ID: trace.SpanID{7: 0x30}, Attrs: attr("a", str("b"))}}}},
		"throttle":                {`,"error":true,"throttle":true`, record.Span{Kind: trace.Internal, Status: record.Error, Attrs: append(attr("error", yes), attr("throttle", yes)...)}},
		"inferred":                {`,"parent_id":"29","inferred":true,"origin":"AWS::DynamoDB::Table"`, record.Span{Kind: trace.Server, Parent: trace.SpanID{7: 0x29}, Attrs: append(attr("inferred", yes), attr("origin", str("AWS::DynamoDB::Table"))...)}},
		"of the Collector": {`,"metadata":{"default":{"gen_ai.request.model":"gpt-4o","otel.resource.host.name":"h","otel.resource.service.name":"other"}}`,
			record.Span{Kind: trace.Internal, Attrs: attr("gen_ai.request.model", str("gpt-4o")), Resource: append(resource[:1:1], attr("host.name", str("h"))...)}},
		"version": {`,"service":{"version":"1.2"}`, record.Span{Kind: trace.Internal, Resource: append(resource[:1:1], attr("service.version", str("1.2"))...)}},
		"link":    {`,"links":[{"trace_id":"1-00000000-000000000000000000000077","id":"30"}]`, record.Span{Kind: trace.Internal, Links: []record.Link{{Trace: trace.TraceID{15: 0x77}, ID: trace.SpanID{7: 0x30}}}}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			spans, result := decodetest.Read(t, Read, segment(test.in))
			decodetest.WantProblems(t, result)
			want := test.want
			want.Trace, want.ID, want.Name, want.Start, want.End, want.Line = traceID, trace.SpanID{7: 0x2a}, "shop", start, end, 1
			if want.Resource == nil {
				want.Resource = resource
			}
			if diff := cmp.Diff([]record.Span{want}, spans, cmpopts.EquateEmpty()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestSubsegments(t *testing.T) {
	sub := func(id, members string) string {
		return `{"id":"` + id + `","name":"DynamoDB","start_time":1465510280.6,"end_time":1465510280.7` + members + `}`
	}
	spans, result := decodetest.Read(t, Read, segment(`,"subsegments":[`+sub("01", `,"subsegments":[`+sub("02", `,"namespace":"aws","aws":{"operation":"PutItem","retries":3}`)+`]`)+","+sub("03", `,"namespace":"remote"`)+`]`))
	decodetest.WantProblems(t, result)
	var got []string
	for _, s := range spans {
		if len(s.Resource) != 1 || s.Resource[0].Value.S != "shop" || s.Trace != traceID {
			t.Errorf("span %+v; want it of the segment's service and trace", s)
		}
		var names []string
		for _, a := range s.Attrs {
			names = append(names, a.Key)
		}
		got = append(got, fmt.Sprintf("%x<%x %d %s", s.ID[7], s.Parent[7], s.Kind, strings.Join(names, " ")))
	}
	want := []string{"2a<0 1 ", "1<2a 1 ", "2<1 3 namespace aws.operation aws.retries aws.service", "3<2a 3 namespace"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	// The cause of the outer one is the exception of the inner one.
	spans, result = decodetest.Read(t, Read, segment(`,"fault":true,"cause":"e1","subsegments":[`+sub("01", `,"cause":{"exceptions":[{"id":"e1","type":"Timeout"}]}`)+`]`))
	decodetest.WantProblems(t, result)
	for _, s := range spans {
		if len(s.Events) != 1 || len(s.Events[0].Attrs) != 1 || s.Events[0].Attrs[0].Value.S != "Timeout" {
			t.Errorf("span %s: events %+v; want the exception", s.ID, s.Events)
		}
	}
	if len(spans) != 2 {
		t.Errorf("%d spans; want 2", len(spans))
	}
	// What one of two has in its metadata is not that of the other.
	of := func(host string) string { return `,"metadata":{"default":{"otel.resource.host.name":"` + host + `"}}` }
	spans, _ = decodetest.Read(t, Read, segment(`,"subsegments":[`+sub("01", of("a"))+","+sub("02", of("b"))+`]`))
	for i, host := range []string{"", "a", "b"} {
		if r := spans[i].Resource; host == "" && len(r) != 1 || host != "" && (len(r) != 2 || r[1].Value.S != host) {
			t.Errorf("span %d: resource %+v; want host %q", i, r, host)
		}
	}
	// One that is sent by itself tells neither its service nor that of others.
	spans, result = decodetest.Read(t, Read, segment(`,"type":"subsegment","namespace":"remote","parent_id":"29"`))
	decodetest.WantProblems(t, result)
	if len(spans) != 1 || len(spans[0].Resource) != 0 || spans[0].Kind != trace.Client || spans[0].Parent != (trace.SpanID{7: 0x29}) {
		t.Errorf("spans %+v; want a client without service", spans)
	}
}

// wrapped is a segment as BatchGetTraces gives it.
func wrapped(text string) string { return fmt.Sprintf(`{"Id":"2a","Document":%q}`, text) }

func TestContainers(t *testing.T) {
	answer := `{"Traces":[{"Id":"1-2","Duration":1,"Segments":[` + wrapped(segment("")) + "," + wrapped(segment("")) + `]}],"UnprocessedTraceIds":[],"NextToken":"x"}`
	tests := map[string]struct {
		in       string
		spans    int
		problems []string
	}{
		"answer":                {answer, 2, nil},
		"retrieved":             {`{"RetrievalStatus":"COMPLETE","TraceFormat":"XRAY","Traces":[{"Id":"1-2","Spans":[` + wrapped(segment("")) + `]}]}`, 1, nil},
		"list of traces":        {`[{"Segments":[` + wrapped(segment("")) + `]},{"Segments":[` + wrapped(segment("")) + `]}]`, 2, nil},
		"document as JSON":      {`{"Segments":[{"Id":"2a","Document":` + segment("") + `}]}`, 1, nil},
		"document of a number":  {`{"Segments":[{"Id":"2a","Document":7}]}`, 0, []string{"1: found an object without id and start_time"}},
		"cut document":          {`{"Segments":[` + wrapped(segment("")[:50]) + "," + wrapped(segment("")) + `]}`, 1, []string{`1: document of segment "2a": found no JSON object`}},
		"odd precursor":         {segment(`,"precursor_ids":["x",7]`), 1, []string{`1: precursor ID: found "x"`}},
		"ends before it starts": {strings.Replace(segment(""), "1465510281.25", "1465510279.25", 1), 1, []string{"1: span 000000000000002a: ends"}},
		"segments":              {`{"Segments":[` + wrapped(segment("")) + `]}`, 1, nil},
		"lines":                 {segment("") + "\n" + segment("") + "\n", 2, nil},
		"list":                  {"[" + segment("") + "," + segment("") + "]", 2, nil},
		"daemon":                {`{"format":"json","version":1}` + "\n" + segment("") + "\n" + `{"format":"json","version":1}` + "\n" + segment(""), 2, nil},
		"lines of documents":    {wrapped(segment("")) + "\n" + wrapped(segment("")), 2, nil},
		"no document":           {`{"Segments":[` + wrapped("nope") + "," + wrapped(segment("")) + `]}`, 1, []string{`1: document of segment "2a": found no JSON object`}},
		"no trace ID":           {strings.Replace(segment(""), "1-5759e988-bd862e3fe1be46a994272793", "", 1), 0, []string{"1: trace ID is missing"}},
		"odd trace ID":          {strings.Replace(segment(""), "1-5759e988-bd862e3fe1be46a994272793", "1-xyz", 1), 0, []string{`1: trace ID: found "1-xyz"`}},
		"in progress":           {strings.Replace(segment(""), `,"end_time":1465510281.25`, `,"in_progress":true`, 1), 1, []string{"1: has no end time"}},
		"cut":                   {segment("") + "\n" + segment("")[:50], 1, []string{"2: unexpected end of the input"}},
		"cut, then more":        {segment("")[:50] + "\n" + segment(""), 1, []string{"1: broken JSON: unexpected end of the line"}},
		"NUL bytes":             {segment("") + "\n\x00\x00\n" + segment(""), 2, []string{"2: found 2 NUL bytes"}},
		"other object":          {`{"a":1}` + "\n" + segment(""), 1, []string{"1: found an object without id and start_time"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) { decodetest.Want(t, Read, test.in, test.spans, test.problems...) })
	}
}

func TestStream(t *testing.T) {
	decodetest.Stream(t, Read, "", segment(""), "\n", "")
	decodetest.Stream(t, Read, "", `{"format":"json","version":1}`+"\n"+segment(""), "\n", "")
	decodetest.Stream(t, Read, `{"Traces":[{"Segments":[`, wrapped(segment("")), ",", `]}]}`)
}

func FuzzRead(f *testing.F) {
	decodetest.Fuzz(f, Read, nil, segment(`,"subsegments":[{"id":"1","name":"a","start_time":1}],"cause":{"exceptions":[{}]}`), segment(`,"cause":"e","precursor_ids":["1"],"metadata":{"default":{"otel.resource.a":1}},"subsegments":[{"id":"1","cause":{"exceptions":[{"id":"e"}]}}]`),
		`{"Traces":[{"Segments":[`+wrapped(segment(""))+`]}]}`, `{"format":"json","version":1}`+"\n"+segment(""))
}
