package litellm

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/retryaudit/retryaudit/analyzer/trace"
	"github.com/retryaudit/retryaudit/ingest/decode"
	"github.com/retryaudit/retryaudit/ingest/decode/decodetest"
	"github.com/retryaudit/retryaudit/ingest/record"
)

// payload has the members beside its IDs and times.
func payload(members string) string {
	return `{"id":"chatcmpl-1","trace_id":"5b8efff7-9803-8103-d269-b633813fc60c","call_type":"acompletion","startTime":1772445600.5,"endTime":1772445601.5` + members + `}`
}

// failed is a payload as a callback writes it.
const failed = `{"id":"c1","litellm_call_id":"c1","trace_id":"5b8efff7-9803-8103-d269-b633813fc60c","call_type":"acompletion","cache_hit":null,"stream":null,` +
	`"status":"failure","status_fields":{"llm_api_status":"failure"},"custom_llm_provider":"openai","saved_cache_cost":0.0,` +
	`"startTime":1772445600.5,"endTime":1772445601.5,"completionStartTime":1772445601.5,"response_time":1.25,"model":"gpt-4",` +
	`"metadata":{"user_api_key_hash":"88dc","user_api_key_alias":null},"cache_key":null,"response_cost":0.0,"total_tokens":0,"prompt_tokens":0,` +
	`"completion_tokens":0,"request_tags":[],"end_user":"","api_base":"https://api.openai.com:8443/v1","model_group":"gpt","model_id":"d1",` +
	`"requester_ip_address":null,"messages":[{"role":"user","content":"hi"}],"response":{},"model_parameters":{"temperature":1},` +
	`"hidden_params":{"model_id":null,"additional_headers":{"x_ratelimit_remaining_requests":0,"llm_provider-retry-after":"2"}},` +
	`"model_map_information":{"model_map_key":"gpt-4","model_map_value":{"max_tokens":8192}},"error_str":"litellm.RateLimitError: 429",` +
	`"error_information":{"error_code":"429","error_class":"RateLimitError","llm_provider":"openai","traceback":"File x","error_message":"429"},` +
	`"response_cost_failure_debug_info":null,"guardrail_information":null}`

const start, end = 1772445600500000000, 1772445601500000000

var traceID = trace.TraceID{0x5b, 0x8e, 0xff, 0xf7, 0x98, 0x03, 0x81, 0x03, 0xd2, 0x69, 0xb6, 0x33, 0x81, 0x3f, 0xc6, 0x0c}

func whole(n int64) record.Value { return record.Value{Type: record.Int, I: n} }

func attrs(pairs ...record.Attr) []record.Attr { return pairs }

func attr(key string, v record.Value) record.Attr { return record.Attr{Key: key, Value: v} }

// attempt returns the ID of an attempt by what tells it from others.
func attempt(of string) (id trace.SpanID) {
	decode.OpaqueID(of, id[:])
	return id
}

var gateway = attrs(attr("service.name", text("litellm")))

func TestFailed(t *testing.T) {
	spans, result := decodetest.Read(t, Read, failed)
	decodetest.WantProblems(t, result)
	message := record.Value{Type: record.Map, Map: attrs(attr("role", text("user")), attr("content", text("hi")))}
	want := record.Span{
		Trace: traceID, ID: attempt("c1|1772445600.5|1772445601.5|d1|failure"), Name: "acompletion gpt-4", Kind: trace.Client,
		Start: start, End: end, Status: record.Error, StatusMessage: "litellm.RateLimitError: 429", Scope: "litellm", Resource: gateway, Line: 1,
		Attrs: attrs(
			attr("call_type", text("acompletion")), attr("model", text("gpt-4")), attr("model_group", text("gpt")), attr("model_id", text("d1")),
			attr("api_base", text("https://api.openai.com:8443/v1")), attr("custom_llm_provider", text("openai")),
			attr("prompt_tokens", whole(0)), attr("completion_tokens", whole(0)), attr("total_tokens", whole(0)),
			attr("request_tags", record.Value{Type: record.List}),
			attr("messages", record.Value{Type: record.List, List: []record.Value{message}}),
			attr("model_parameters.temperature", whole(1)), attr("litellm.call_id", text("c1")),
			attr("error_information.error_code", text("429")), attr("error_information.error_class", text("RateLimitError")),
			attr("error_information.error_message", text("429")), attr("error_information.llm_provider", text("openai")),
			attr("http.response.header.x-ratelimit-remaining-requests", whole(0)), attr("http.response.header.retry-after", text("2")),
			attr("server.address", text("api.openai.com")), attr("server.port", whole(8443)),
		),
	}
	if diff := cmp.Diff([]record.Span{want}, spans, cmpopts.EquateEmpty()); diff != "" {
		t.Error(diff)
	}
}

func TestMembers(t *testing.T) {
	retries := "hidden_params.additional_headers.x-litellm-attempted-retries"
	tests := map[string]struct {
		in   string
		want record.Span
	}{
		"nothing more":       {``, record.Span{}},
		"success":            {`,"status":"success","error_str":null`, record.Span{Status: record.OK}},
		"failure":            {`,"status":"failure"`, record.Span{Status: record.Error}},
		"stream":             {`,"stream":true,"completionStartTime":1772445601`, record.Span{Attrs: attrs(attr("stream", record.Value{Type: record.Bool, B: true}), attr("time_to_first_token", record.Value{Type: record.Double, D: 0.5}))}},
		"no stream":          {`,"stream":null,"completionStartTime":1772445601.5`, record.Span{}},
		"headers":            {`,"hidden_params":{"additional_headers":{"x-litellm-attempted-retries":2,"x":null}}`, record.Span{Attrs: attrs(attr(retries, whole(2)))}},
		"metadata":           {`,"metadata":{"attempted_retries":2,"max_retries":3,"user_api_key_user_id":"u","previous_models":[{"exception_type":"Timeout","kwargs":{}}]}`, record.Span{Attrs: attrs(attr("metadata.attempted_retries", whole(2)), attr("metadata.max_retries", whole(3)), attr("metadata.previous_models.exception_type", record.Value{Type: record.List, List: []record.Value{text("Timeout")}}))}},
		"messages redacted":  {`,"messages":[{"role":"user","content":"redacted-by-litellm"}]`, record.Span{}},
		"redacted as a text": {`,"messages":"redacted-by-litellm"`, record.Span{}},
		"answer":             {`,"response":{"id":"x","choices":[{"finish_reason":"stop"},{"finish_reason":"length"}]}`, record.Span{Attrs: attrs(attr("response.finish_reason", text("stop")))}},
		"no base":            {`,"api_base":""`, record.Span{}},
		"base that is none":  {`,"api_base":"%zz"`, record.Span{Attrs: attrs(attr("api_base", text("%zz")))}},
		"dates":              {`,"startTime":"2026-03-02T10:00:00.5Z","endTime":"2026-03-02 10:00:01.5"`, record.Span{}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			in := payload(test.in)
			if strings.Contains(test.in, "startTime") {
				in = strings.Replace(in, `"startTime":1772445600.5,"endTime":1772445601.5,`, "", 1)
			}
			spans, result := decodetest.Read(t, Read, in)
			decodetest.WantProblems(t, result)
			want := test.want
			want.Name, want.Kind, want.Scope, want.Resource = "acompletion", trace.Client, "litellm", gateway
			want.Trace, want.Start, want.End, want.Line = traceID, start, end, 1
			want.Attrs = append(attrs(attr("call_type", text("acompletion"))), want.Attrs...)
			if diff := cmp.Diff([]record.Span{want}, spans, cmpopts.EquateEmpty(), cmpopts.IgnoreFields(record.Span{}, "ID")); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestAttempts holds that attempts of one request have one trace and an ID
// each, which does not depend on where they stand.
func TestAttempts(t *testing.T) {
	second := strings.NewReplacer(`1772445600.5`, `1772445602.5`, `1772445601.5`, `1772445603`).Replace(failed)
	other := strings.Replace(failed, `"model_id":"d1"`, `"model_id":"d2"`, 1)
	spans, result := decodetest.Read(t, Read, failed+"\n"+second+"\n"+other+"\n"+failed)
	decodetest.WantProblems(t, result)
	if len(spans) != 4 {
		t.Fatalf("%d spans; want 4", len(spans))
	}
	ids := map[trace.SpanID]bool{}
	for _, s := range spans {
		ids[s.ID] = true
		if s.Trace != traceID {
			t.Errorf("trace %v; want %v", s.Trace, traceID)
		}
	}
	if len(ids) != 3 || spans[0].ID != spans[3].ID {
		t.Errorf("IDs %v; want three, that of the same payload twice", ids)
	}
}

// TestDatadog holds that a payload may be the message of another log.
func TestDatadog(t *testing.T) {
	in := `{"ddsource":"litellm","ddtags":"env:prod","hostname":"h1","message":"` + strings.ReplaceAll(failed, `"`, `\"`) + `","service":"proxy","status":"error"}`
	spans, result := decodetest.Read(t, Read, "["+in+"]")
	decodetest.WantProblems(t, result)
	want := attrs(attr("service.name", text("proxy")), attr("host.name", text("h1")))
	if len(spans) != 1 || spans[0].Status != record.Error || !cmp.Equal(want, spans[0].Resource) {
		t.Errorf("%+v; want one failed span of %+v", spans, want)
	}
}

func TestContainers(t *testing.T) {
	one := payload("")
	server := `{"message":"POST /chat/completions 200 OK","level":"INFO","timestamp":"2026-03-02T10:00:00.5"}`
	tests := map[string]struct {
		in       string
		spans    int
		problems []string
	}{
		"lines":             {one + "\n" + failed + "\n", 2, nil},
		"list":              {"[" + one + ",\n" + failed + "]", 2, nil},
		"over lines":        {strings.ReplaceAll(one, ",", ",\n  "), 1, nil},
		"no trace ID":       {strings.Replace(one, `"trace_id"`, `"x"`, 1), 1, nil},
		"server logs":       {server + "\n" + one + "\n" + strings.Replace(server, "POST", `{'a': 1`, 1), 1, []string{"1: found a log line of a server (json_logs)", "3: found a log line of a server (json_logs)"}},
		"another payload":   {`{"message":"{\"a\":1}"}` + "\n" + `{"message":{"call_type":"acompletion","startTime":1772445600,"endTime":1772445601,"id":"1"}}`, 1, []string{"1: found a log line of a server"}},
		"message cut":       {`{"message":"{\"call_type\":"}`, 0, []string{"1: message: found"}},
		"another object":    {`{"a":1}` + "\n" + one, 1, []string{"1: found an object without call_type and startTime"}},
		"no ID":             {strings.Replace(one, `"id":"chatcmpl-1",`, "", 1), 0, []string{"1: trace ID is missing"}},
		"odd status":        {payload(`,"status":"maybe"`), 1, []string{`1: status: found "maybe"`}},
		"no end":            {strings.Replace(one, `"endTime"`, `"x"`, 1), 1, []string{"1: has no end time"}},
		"odd time":          {strings.Replace(one, "1772445600.5", `"soon"`, 1), 1, []string{`1: startTime: found "soon"`, "1: has no start time"}},
		"negative time":     {strings.Replace(one, "1772445600.5", `-5`, 1), 1, []string{`1: startTime: found "-5"`, "1: has no start time"}},
		"ends before":       {strings.Replace(one, "1772445601.5", "1772445599", 1), 1, []string{"1: before it starts"}},
		"cut":               {one + "\n" + one[:len(one)-9], 1, []string{"2: unexpected end of the input"}},
		"cut, then a line":  {one[:len(one)-9] + "\n" + one, 1, []string{"1: unexpected end of a record"}},
		"NUL bytes between": {one + "\n\x00\x00\n" + one, 2, []string{"2: found 2 NUL bytes"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) { decodetest.Want(t, Read, test.in, test.spans, test.problems...) })
	}
}

func TestStream(t *testing.T) {
	decodetest.Stream(t, Read, "", failed, "\n", "")
	decodetest.Stream(t, Read, "[", failed, ",", "]")
}

func FuzzRead(f *testing.F) {
	decodetest.Fuzz(f, Read, nil, failed, `[`+payload(`,"status":"success","stream":true,"completionStartTime":1`)+`]`,
		payload(`,"response":{"choices":[{"finish_reason":"stop"}]},"hidden_params":{"additional_headers":{"llm_provider-x":1}},"metadata":{"previous_models":[{"exception_type":"x"}]}`),
		`{"message":"{\"id\":\"1\",\"call_type\":\"a\",\"startTime\":1,\"endTime\":2}","service":"s"}`, `{"message":"x","level":"INFO"}`)
}
