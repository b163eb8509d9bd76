package langfuse

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/retryaudit/retryaudit/analyzer/trace"
	"github.com/retryaudit/retryaudit/ingest/decode/decodetest"
	"github.com/retryaudit/retryaudit/ingest/record"
)

// observation has the members beside its IDs and times.
func observation(members string) string {
	return `{"id":"000000000000002a","traceId":"5b8efff798038103d269b633813fc60c","name":"chat","startTime":"2026-03-02T10:00:00.001Z","endTime":"2026-03-02T10:00:01.000Z"` + members + `}`
}

// exported is an observation as it stands in a blob storage.
const exported = `{"id":"000000000000002a","trace_id":"5b8efff798038103d269b633813fc60c","project_id":"p","environment":"prod","type":"GENERATION",` +
	`"parent_observation_id":"0000000000000029","start_time":"2026-03-02 10:00:00.001","end_time":"2026-03-02 10:00:01.000","name":"chat",` +
	`"metadata":{"resourceAttributes":"{\"service.name\":\"shop\"}","scope":"{\"name\":\"lib\",\"version\":\"1\"}","attributes":"{\"gen_ai.request.model\":\"gpt-4\"}"},` +
	`"level":"ERROR","status_message":"429","provided_model_name":"gpt-4","model_parameters":"{}","usage_details":{"input":10},"completion_start_time":null,"input":"hi","output":"ho"}`

const start, end = 1772445600001000000, 1772445601000000000

var (
	traceID  = trace.TraceID{0x5b, 0x8e, 0xff, 0xf7, 0x98, 0x03, 0x81, 0x03, 0xd2, 0x69, 0xb6, 0x33, 0x81, 0x3f, 0xc6, 0x0c}
	spanID   = trace.SpanID{7: 0x2a}
	parentID = trace.SpanID{7: 0x29}
)

func text(s string) record.Value { return record.Value{Type: record.String, S: s} }
func whole(n int64) record.Value { return record.Value{Type: record.Int, I: n} }

func attrs(pairs ...record.Attr) []record.Attr { return pairs }

func attr(key string, v record.Value) record.Attr { return record.Attr{Key: key, Value: v} }

func usageAttr(key string, n int64) record.Attr {
	return attr("langfuse.observation.usage_details."+key, whole(n))
}

func TestMembers(t *testing.T) {
	otel := record.Span{
		Scope: "lib", ScopeVersion: "1",
		Resource: attrs(attr("service.name", text("shop"))),
		Attrs:    attrs(attr("gen_ai.request.model", text("gpt-4"))),
	}
	tests := map[string]struct {
		in   string
		want record.Span
	}{
		"parent":               {`,"parentObservationId":"0000000000000029"`, record.Span{Parent: parentID}},
		"parent is the trace":  {`,"parentObservationId":"5b8efff798038103d269b633813fc60c"`, record.Span{}},
		"parent is t- trace":   {`,"parentObservationId":"t-5b8efff798038103d269b633813fc60c"`, record.Span{}},
		"type":                 {`,"type":"GENERATION"`, record.Span{Attrs: attrs(attr("langfuse.observation.type", text("generation")))}},
		"default level":        {`,"level":"DEFAULT","statusMessage":null`, record.Span{Attrs: attrs(attr("langfuse.observation.level", text("DEFAULT")))}},
		"warning":              {`,"level":"WARNING","statusMessage":"slow"`, record.Span{StatusMessage: "slow", Attrs: attrs(attr("langfuse.observation.level", text("WARNING")))}},
		"error":                {`,"level":"ERROR","statusMessage":"RateLimitError"`, record.Span{Status: record.Error, StatusMessage: "RateLimitError", Attrs: attrs(attr("langfuse.observation.level", text("ERROR")))}},
		"model":                {`,"model":"gpt-4","modelParameters":{"temperature":1}`, record.Span{Attrs: attrs(attr("langfuse.observation.model.name", text("gpt-4")), attr("langfuse.observation.model.parameters.temperature", whole(1)))}},
		"input":                {`,"input":"hi","output":{"a":"ho"}`, record.Span{Attrs: attrs(attr("langfuse.observation.input", text("hi")))}},
		"usage details":        {`,"usageDetails":{"input":10,"input_cached_tokens":2},"usage":{"input":11},"promptTokens":12`, record.Span{Attrs: attrs(usageAttr("input", 10), usageAttr("input_cached_tokens", 2))}},
		"usage":                {`,"usageDetails":{},"usage":{"input":10,"output":5,"total":15,"unit":"TOKENS"},"promptTokens":12`, record.Span{Attrs: attrs(usageAttr("input", 10), usageAttr("output", 5), usageAttr("total", 15))}},
		"old usage":            {`,"promptTokens":10,"completionTokens":5`, record.Span{Attrs: attrs(usageAttr("input", 10), usageAttr("output", 5))}},
		"first token":          {`,"completionStartTime":"2026-03-02T10:00:00.501Z"`, record.Span{Attrs: attrs(attr("langfuse.observation.completion_start_time", text("2026-03-02T10:00:00.501Z")), attr("langfuse.observation.time_to_first_token", record.Value{Type: record.Double, D: 0.5}))}},
		"session":              {`,"sessionId":"s","environment":"prod"`, record.Span{Attrs: attrs(attr("langfuse.environment", text("prod")), attr("session.id", text("s")))}},
		"originals":            {`,"metadata":{"attributes":{"gen_ai.request.model":"gpt-4"},"resourceAttributes":{"service.name":"shop"},"scope":{"name":"lib","version":"1","attributes":{}}}`, otel},
		"originals as text":    {`,"metadata":"{\"attributes\":\"{\\\"gen_ai.request.model\\\":\\\"gpt-4\\\"}\",\"resourceAttributes\":{\"service.name\":\"shop\"},\"scope\":{\"name\":\"lib\",\"version\":\"1\"}}"`, otel},
		"originals with paths": {`,"metadata":{"attributes.gen_ai.request.model":"gpt-4","resourceAttributes.service.name":"shop","scope.name":"lib","scope.version":"1"}`, otel},
		"metadata of its own":  {`,"metadata":{"langgraph_node":"n","x":{"y":1}}`, record.Span{Attrs: attrs(attr("langfuse.observation.metadata.langgraph_node", text("n")), attr("langfuse.observation.metadata.x.y", whole(1)))}},
		"metadata is a text":   {`,"metadata":"note"`, record.Span{Attrs: attrs(attr("langfuse.observation.metadata", text("note")))}},
		"an original wins":     {`,"model":"b","metadata":{"attributes":{"langfuse.observation.model.name":"a"}}`, record.Span{Attrs: attrs(attr("langfuse.observation.model.name", text("a")))}},
		"null":                 {`,"parentObservationId":null,"metadata":null,"usage":null,"model":null,"completionStartTime":null`, record.Span{}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			spans, result := decodetest.Read(t, Read, observation(test.in))
			decodetest.WantProblems(t, result)
			want := test.want
			want.Name, want.Trace, want.ID, want.Start, want.End, want.Line = "chat", traceID, spanID, start, end, 1
			if diff := cmp.Diff([]record.Span{want}, spans, cmpopts.EquateEmpty()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestExported(t *testing.T) {
	spans, result := decodetest.Read(t, Read, exported+"\n")
	decodetest.WantProblems(t, result)
	want := record.Span{
		Name: "chat", Trace: traceID, ID: spanID, Parent: parentID, Start: start, End: end, Line: 1,
		Status: record.Error, StatusMessage: "429", Scope: "lib", ScopeVersion: "1",
		Resource: attrs(attr("service.name", text("shop"))),
		Attrs: attrs(
			attr("gen_ai.request.model", text("gpt-4")),
			attr("langfuse.observation.type", text("generation")),
			attr("langfuse.observation.level", text("ERROR")),
			attr("langfuse.observation.model.name", text("gpt-4")),
			attr("langfuse.observation.model.parameters", text("{}")),
			attr("langfuse.observation.input", text("hi")),
			attr("langfuse.environment", text("prod")),
			usageAttr("input", 10),
		),
	}
	if diff := cmp.Diff([]record.Span{want}, spans, cmpopts.EquateEmpty()); diff != "" {
		t.Error(diff)
	}
}

// TestOpaque holds that IDs need not be those of OpenTelemetry.
func TestOpaque(t *testing.T) {
	const id = "7f9c24e5-2d1a-4c9b-8c4d-0a1b2c3d4e5f"
	in := strings.ReplaceAll(observation(`,"parentObservationId":"my-parent"`), "5b8efff798038103d269b633813fc60c", id)
	spans, result := decodetest.Read(t, Read, in+strings.Replace(in, "000000000000002a", "my-parent", 1))
	decodetest.WantProblems(t, result)
	if len(spans) != 2 || spans[0].Trace != (trace.TraceID{0x7f, 0x9c, 0x24, 0xe5, 0x2d, 0x1a, 0x4c, 0x9b, 0x8c, 0x4d, 0x0a, 0x1b, 0x2c, 0x3d, 0x4e, 0x5f}) || spans[0].Parent != spans[1].ID {
		t.Errorf("%+v; want the trace of the UUID and a parent that is the other span", spans)
	}
}

func TestContainers(t *testing.T) {
	one := observation("")
	whole := `{"id":"5b8efff798038103d269b633813fc60c","timestamp":"2026-03-02T10:00:00Z","name":"t","sessionId":"s","input":{"a":1},"output":"o","metadata":{},` +
		`"observations":[` + one + "," + one + `],"scores":[{"id":"x"}],"latency":1}`
	ids := `{"id":"t1","observations":["a","b"],"scores":["c"]}`
	tests := map[string]struct {
		in       string
		spans    int
		problems []string
	}{
		"trace":               {whole, 2, nil},
		"traces":              {"[" + whole + "," + whole + "]", 4, nil},
		"lines of traces":     {whole + "\n" + whole + "\n", 4, nil},
		"answer of traces":    {`{"data":[` + whole + `],"meta":{"page":1}}`, 2, nil},
		"download":            {`{"trace":{"id":"1","sessionId":"s","input":{}},"observations":[` + one + `]}`, 1, nil},
		"answer":              {`{"data":[` + one + "," + one + `],"meta":{"page":1}}`, 2, nil},
		"lines":               {one + "\n" + exported + "\n", 2, nil},
		"list":                {"[" + one + ",\n" + exported + "]", 2, nil},
		"trace over lines":    {strings.ReplaceAll(whole, "{", "{\n "), 2, nil},
		"trace ID above only": {`{"id":"t","observations":[{"id":"o","startTime":1772445600001,"endTime":1772445600001}]}`, 1, nil},
		"event":               {strings.Replace(observation(`,"type":"EVENT"`), `"endTime":"2026-03-02T10:00:01.000Z"`, `"endTime":null`, 1), 1, nil},
		"IDs only":            {`{"data":[` + ids + "," + ids + `],"meta":{}}` + "\n" + one, 1, []string{`1: trace "t1": found only the IDs`, `1: trace "t1": found only the IDs`}},
		"score":               {`{"id":"s","trace_id":"t","name":"quality","value":1}` + "\n" + one, 1, []string{"1: found an object without observations"}},
		"trace alone":         {`{"id":"t","timestamp":"2026-03-02T10:00:00Z","input":"x"}` + "\n" + one, 1, []string{"1: found an object without observations"}},
		"another object":      {`{"a":1}` + "\n" + one, 1, []string{"1: found an object without observations"}},
		"no object":           {`{"observations":[7,` + one + `]}`, 1, []string{"1: observation: found a number; want an object"}},
		"no ID":               {strings.Replace(one, "000000000000002a", "", 1), 0, []string{"1: found an object without observations, or an ID"}},
		"no end":              {strings.Replace(one, `"endTime"`, `"x"`, 1), 1, []string{"1: has no end time"}},
		"no times":            {strings.ReplaceAll(observation(`,"type":"SPAN"`), `Time"`, `"`), 1, []string{"1: has no start time"}},
		"odd time":            {strings.Replace(one, "2026-03-02T10:00:01", "soon", 1), 1, []string{`1: endTime: found "soon.000Z"`, "1: has no end time"}},
		"ends before":         {strings.Replace(one, "10:00:01", "09:00:01", 1), 1, []string{"1: before it starts"}},
		"metadata broken":     {observation(`,"metadata":{"attributes":"{x"}`), 1, []string{`1: metadata: found "{x"`}},
		"cut":                 {one + "\n" + one[:len(one)-9], 1, []string{"2: unexpected end of the input"}},
		"cut trace":           {whole[:strings.LastIndex(whole, `],"scores`)], 2, []string{"1: unexpected end of the input"}},
		"cut, then a line":    {one[:len(one)-9] + "\n" + one, 1, []string{"1: broken JSON: unexpected end of the line"}},
		"NUL bytes between":   {one + "\n\x00\x00\n" + one, 2, []string{"2: found 2 NUL bytes"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) { decodetest.Want(t, Read, test.in, test.spans, test.problems...) })
	}
}

// TestSession holds that observations have the session of their trace only.
func TestSession(t *testing.T) {
	spans, _ := decodetest.Read(t, Read, `{"data":[{"id":"1","sessionId":"s","observations":[`+observation("")+`]},{"id":"2","observations":[`+observation("")+`]}]}`)
	if len(spans) != 2 || len(spans[0].Attrs) != 1 || spans[0].Attrs[0].Value.S != "s" || len(spans[1].Attrs) != 0 {
		t.Errorf("%+v; want a session.id in the first only", spans)
	}
}

func TestStream(t *testing.T) {
	one := observation(`,"input":"` + strings.Repeat("x", 999) + `"`)
	decodetest.Stream(t, Read, `{"id":"t","sessionId":"s","input":"x","observations":[`, one, ",", `],"scores":[]}`)
	decodetest.Stream(t, Read, `{"trace":{},"observations":[`, one, ",", `]}`)
	decodetest.Stream(t, Read, "", exported, "\n", "")
	decodetest.Stream(t, Read, "[", exported, ",", "]")
	decodetest.Stream(t, Read, `{"data":[`, one, ",", `],"meta":{}}`)
}

func FuzzRead(f *testing.F) {
	decodetest.Fuzz(f, Read, nil, exported, `{"id":"t","sessionId":"s","observations":[`+observation(`,"usage":{"input":1},"completionStartTime":1`)+`,"a"],"scores":[]}`,
		`{"trace":{"id":1},"observations":[`+observation(`,"metadata":{"scope.name":"x","attributes":"{\"a\":1}"}`)+`]}`, `{"data":[{"data":[{"data":[]}]}]}`)
}
