package jaeger

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/retryaudit/retryaudit/analyzer/trace"
	"github.com/retryaudit/retryaudit/ingest/decode/decodetest"
	"github.com/retryaudit/retryaudit/ingest/record"
)

// span has the members beside its IDs and times.
func span(members string) string {
	return `{"traceID":"5b8efff798038103d269b633813fc60c","spanID":"2a","startTime":1772445600000001,"duration":5000,"processID":"p1"` + members + `}`
}

const processes = `"processes":{"p1":{"serviceName":"shop","tags":[{"key":"host.name","type":"string","value":"h1"}]}}`

// oneTrace is an answer of the query service.
func oneTrace(spans ...string) string {
	return `{"data":[{"traceID":"5b8efff798038103d269b633813fc60c","spans":[` + strings.Join(spans, ",") + `],` + processes + `}],"total":0,"errors":null}`
}

var (
	traceID  = trace.TraceID{0x5b, 0x8e, 0xff, 0xf7, 0x98, 0x03, 0x81, 0x03, 0xd2, 0x69, 0xb6, 0x33, 0x81, 0x3f, 0xc6, 0x0c}
	spanID   = trace.SpanID{7: 0x2a}
	parentID = trace.SpanID{7: 0x29}
)

const ref = `{"refType":"%","traceID":"5b8efff798038103d269b633813fc60c","spanID":"29"}`

func TestMembers(t *testing.T) {
	child, follows := strings.Replace(ref, "%", "CHILD_OF", 1), strings.Replace(ref, "%", "FOLLOWS_FROM", 1)
	elsewhere := `{"refType":"FOLLOWS_FROM","traceID":"77","spanID":"30"}`
	other := `{"refType":"FOLLOWS_FROM","traceID":"5b8efff798038103d269b633813fc60c","spanID":"31"}`
	tag := func(key, kind, value string) string {
		return `,"tags":[{"key":"` + key + `","type":"` + kind + `","value":` + value + `}]`
	}
	attr := func(key string, v record.Value) record.Span {
		return record.Span{Attrs: []record.Attr{{Key: key, Value: v}}}
	}
	tests := map[string]struct {
		in   string
		want record.Span
	}{
		"child":              {`,"references":[` + child + `]`, record.Span{Parent: parentID}},
		"follows":            {`,"references":[` + follows + `]`, record.Span{Parent: parentID}},
		"child goes before":  {`,"references":[` + other + `,` + child + `]`, record.Span{Parent: parentID, Links: []record.Link{{Trace: traceID, ID: trace.SpanID{7: 0x31}}}}},
		"other trace":        {`,"references":[` + elsewhere + `]`, record.Span{Links: []record.Link{{Trace: trace.TraceID{15: 0x77}, ID: trace.SpanID{7: 0x30}}}}},
		"old parent":         {`,"parentSpanID":"29"`, record.Span{Parent: parentID}},
		"both say the same":  {`,"parentSpanID":"29","references":[` + child + `]`, record.Span{Parent: parentID}},
		"kind":               {tag("span.kind", "string", `"client"`), record.Span{Kind: trace.Client}},
		"kind of no meaning": {tag("span.kind", "string", `"local"`), attr("span.kind", text("local"))},
		"error":              {tag("error", "bool", "true"), record.Span{Status: record.Error}},
		"error as text":      {tag("error", "string", `"true"`), record.Span{Status: record.Error}},
		"error that is none": {tag("error", "bool", "false"), record.Span{}},
		"error that tells":   {tag("error", "string", `"timeout"`), record.Span{Status: record.Error, Attrs: []record.Attr{{Key: "error", Value: text("timeout")}}}},
		"status":             {tag("otel.status_code", "string", `"OK"`), record.Span{Status: record.OK}},
		"scope":              {tag("otel.scope.name", "string", `"lib"`), record.Span{Scope: "lib"}},
		"integer":            {tag("n", "int64", "200"), attr("n", record.Value{Type: record.Int, I: 200})},
		"integer as text":    {tag("n", "int64", `"200"`), attr("n", record.Value{Type: record.Int, I: 200})},
		"integer as float":   {tag("n", "int64", "2e2"), attr("n", record.Value{Type: record.Int, I: 200})},
		"float":              {tag("n", "float64", "0.5"), attr("n", record.Value{Type: record.Double, D: 0.5})},
		"boolean as text":    {tag("b", "bool", `"true"`), attr("b", record.Value{Type: record.Bool, B: true})},
		"binary":             {tag("b", "binary", `"AP8="`), attr("b", record.Value{Type: record.Bytes, S: "\x00\xff"})},
		"log": {`,"logs":[{"timestamp":1772445600000002,"fields":[{"key":"event","type":"string","value":"exception"},{"key":"k","type":"string","value":"v"}]}]`,
			record.Span{Events: []record.Event{{Name: "exception", Time: 1772445600000002000, Attrs: []record.Attr{{Key: "k", Value: text("v")}}}}}},
		"process in the span": {`,"process":{"serviceName":"shop","tags":[{"key":"host.name","value":"h1"}]}`, record.Span{}},
		"Elasticsearch":       {`,"tag":{"http@method":"GET"},"startTimeMillis":1772445600000`, attr("http.method", text("GET"))},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			in := oneTrace(span(test.in))
			spans, result := decodetest.Read(t, Read, in)
			decodetest.WantProblems(t, result)
			want := test.want
			want.Trace, want.ID, want.Start, want.End = traceID, spanID, 1772445600000001000, 1772445600005001000
			want.Resource = []record.Attr{{Key: "service.name", Value: text("shop")}, {Key: "host.name", Value: text("h1")}}
			want.Line, want.Offset = 1, int64(strings.Index(in, span(test.in)))
			if diff := cmp.Diff([]record.Span{want}, spans, cmpopts.EquateEmpty()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestContainers(t *testing.T) {
	one := oneTrace(span(""))
	line := `{"traceID":"1","spans":[` + span("") + `],` + processes + `}`
	alone := span(`,"process":{"serviceName":"shop"}`)
	tests := map[string]struct {
		in       string
		spans    int
		problems []string
	}{
		"answer":              {one, 1, nil},
		"two answers":         {one + one, 2, nil},
		"trace":               {line, 1, nil},
		"lines of traces":     {line + "\n" + line + "\n", 2, nil},
		"list of traces":      {"[" + line + ",\n" + line + "]", 2, nil},
		"lines of spans":      {alone + "\n" + alone + "\n", 2, nil},
		"document":            {`{"_index":"jaeger-span-2026","_source":` + alone + `}`, 1, nil},
		"data is one trace":   {`{"data":` + line + `}`, 1, nil},
		"processes first":     {`{"data":[{` + processes + `,"spans":[` + span("") + `]}]}`, 1, nil},
		"no data":             {`{"data":null,"total":0,"errors":[{"code":404,"msg":"trace not found"}]}`, 0, []string{`1: Jaeger answered with an error: 404 "trace not found"`}},
		"no process":          {`{"data":[{"spans":[` + span("") + `]}]}`, 1, []string{`1: process "p1" is missing`}},
		"names for IDs":       {strings.ReplaceAll(one, `"2a"`, `"G"`), 1, nil},
		"no span ID":          {strings.ReplaceAll(one, `"2a"`, `""`), 0, []string{"1: span ID is missing"}},
		"span ID too long":    {strings.ReplaceAll(one, `"2a"`, `"00112233445566778899"`), 0, []string{`1: span ID: found "00112233445566778899" of 20 characters; want up to 16 hex digits`}},
		"no start":            {strings.ReplaceAll(one, `"startTime":1772445600000001,`, ""), 1, []string{"1: has no start time"}},
		"no duration":         {strings.ReplaceAll(one, `"duration":5000,`, ""), 1, []string{"1: has no end time"}},
		"negative duration":   {strings.ReplaceAll(one, `"duration":5000`, `"duration":-5`), 1, []string{`1: duration: found "-5"; want a number`, "1: has no end time"}},
		"cut":                 {one + "\n" + one[:len(one)-90], 2, []string{`2: process "p1" is missing`, "2: unexpected end of the input"}},
		"cut, then a line":    {line[:len(line)-20] + "\n" + line, 2, []string{`1: process "p1" is missing`, "1: broken JSON: unexpected end of the line"}},
		"cut behind a value":  {line[:len(line)-2] + "\n" + line, 2, []string{`1: process "p1" is missing`, "1: unexpected end of a record"}},
		"NUL bytes between":   {line + "\n\x00\x00\n" + line, 2, []string{"2: found 2 NUL bytes"}},
		"another object":      {`{"a":1}` + "\n" + line, 1, []string{"1: found an object without spans; want a trace of Jaeger"}},
		"spans are no list":   {`{"data":[{"spans":7}]}`, 0, []string{"1: spans: found a number; want an array"}},
		"a span is no object": {`{"data":[{"spans":[7,` + span("") + `],` + processes + `}]}`, 1, []string{"1: span: found a number; want an object"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) { decodetest.Want(t, Read, test.in, test.spans, test.problems...) })
	}
}

// TestStream holds that many traces, and spans that stand behind their
// processes, take no more memory than one.
func TestStream(t *testing.T) {
	trace := `{"traceID":"1","spans":[` + span("") + `],` + processes + `}`
	decodetest.Stream(t, Read, `{"data":[`, trace, ",", `],"total":0}`)
	decodetest.Stream(t, Read, "", trace, "\n", "")
}

// TestHeld holds that spans before their processes are bounded.
func TestHeld(t *testing.T) {
	n := 2 * decodetest.Limits.MaxMessage / len(span(""))
	in := `{"data":[{"spans":[` + strings.Repeat(span("")+",", n-1) + span("") + `],` + processes + `}]}`
	spans, result := decodetest.Read(t, Read, in)
	if len(spans) != n || spans[n-1].Resource[0].Value.S != "p1" {
		t.Errorf("%d spans, the last of %+v; want %d, of p1", len(spans), spans[n-1].Resource, n)
	}
	decodetest.WantProblems(t, result, "1: bytes of spans before the processes they name")
}

func FuzzRead(f *testing.F) {
	decodetest.Fuzz(f, Read, []string{"../../testdata/formats/*jaeger*.json"},
		oneTrace(span(`,"references":[`+ref+`],"logs":[{"timestamp":1,"fields":[]}]`)), `{"errors":[{"code":1}]}`, `{"_source":{"spanID":"1","traceID":"1"}}`)
}
