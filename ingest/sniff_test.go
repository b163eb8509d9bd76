package ingest

import (
	"bytes"
	"strings"
	"testing"
)

// TestSniff tells formats by what their files begin with.
func TestSniff(t *testing.T) {
	tests := map[string]string{
		`{"resourceSpans":[]}`:                                     "otlp-json",
		`[{"resource_spans":[]}]`:                                  "otlp-json",
		`{"batches":[{"resource":`:                                 "otlp-json",
		`{"trace":{"resourceSpans":[`:                              "otlp-json",
		`{"result":{"resourceSpans":[`:                             "otlp-json",
		`{"resourceLogs":[]}`:                                      "otlp-json",
		"{}\n{}":                                                   "otlp-json",
		"\x0a\x04\x0a\x02\x0a\x00":                                 "otlp-proto",
		"\x00\x00\x00\x06\x0a\x04\x0a\x02\x0a\x00":                 "otlp-proto",
		`{"data":[{"traceID":"1","spans":[{"tags":[`:               "jaeger-json",
		`{"data":[],"total":0,"limit":0,"offset":0,"errors":null}`: "jaeger-json",
		`{"data":null,"total":0,"errors":[{"code":404,"msg":"trace not found"}]}`:                     "jaeger-json",
		`{"traceID":"1","spans":[{"traceID":"1"`:                                                      "jaeger-json",
		`{"_index":"jaeger-span","_source":{"traceID":"1","spanID":"2"`:                               "jaeger-json",
		`[{"traceId":"1","id":"2","localEndpoint":{}}]`:                                               "zipkin-json",
		`[[{"traceId":"1","id":"2","annotations":[`:                                                   "zipkin-json",
		`{"traceId":"1","id":"2","name":"x","timestamp":1}`:                                           "zipkin-json",
		`{"Name":"x","SpanContext":{"TraceID":"1","SpanID":"2"}`:                                      "otel-go-console",
		"{\n\t\"Name\": \"x\",\n\t\"SpanContext\": {\n\t\t\"TraceID\": \"1\",\n\t\t\"SpanID\": \"2\"": "otel-go-console",
		`{"name":"x","context":{"trace_id":"0x1","span_id":"0x2"},"kind":"SpanKind.CLIENT"`:           "otel-python-console",
		"started\n{\n    \"name\": \"x\",\n    \"context\": {\n        \"trace_id\": \"0x1\",\n        \"span_id\": \"0x2\"\n    },\n    \"parent_id\": null": "otel-python-console",
		"{\n  resource: {\n    attributes: {}\n  },\n  traceId: 'b4'":                                                                                         "otel-js-console",
		"listening on 80\n{\n  traceId: '1',\n  parentId: undefined":                                                                                          "otel-js-console",
		"Activity.TraceId:            d4a7d499698d62f0e2317a67abc559b6\n":                                                                                     "otel-dotnet-console",
		`{"data":[{"name":"x","context":{"trace_id":"1","span_id":"2"},"span_kind":"LLM"`:                                                                     "phoenix-json",
		`{"context.trace_id":"1","context.span_id":"2","span_kind":"LLM"}`:                                                                                    "phoenix-json",
		`{"id":"t","name":"x","observations":[{"id":"o","traceId":"t"`:                                                                                        "langfuse-json",
		`{"data":[{"id":"o","traceId":"t","type":"SPAN","startTime":"2026","level":"DEFAULT"`:                                                                 "langfuse-json",
		`{"id":"o","trace_id":"t","type":"SPAN","start_time":"2026","parent_observation_id":null`:                                                             "langfuse-json",
		`{"id":"c","trace_id":"t","call_type":"acompletion","startTime":1.5`:                                                                                  "litellm-json",
		`{"Timestamp":"2026-01-01 00:00:00","TraceId":"1","SpanId":"2","SpanName":"x"`:                                                                        "clickhouse-json",
		`{"meta":[{"name":"Timestamp"}],"data":[{"TraceId":"1","SpanId":"2"`:                                                                                  "clickhouse-json",
		`[[{"trace_id":1,"span_id":2,"service":"x","resource":"GET","start":1,"meta":{}}]]`:                                                                   "datadog-json",
		`{"traces":[[{"trace_id":1,"span_id":2`:                                                                                                               "datadog-json",
		`{"trace":{"root_id":"1","spans":{"1":{"trace_id":"1"`:                                                                                                "datadog-json",
		`{"data":[{"id":"A","type":"span","attributes":{"trace_id":"1","span_id":"2"`:                                                                         "datadog-json",
		`{"Traces":[{"Id":"1-2","Segments":[{"Id":"2","Document":"{`:                                                                                          "xray-json",
		`{"id":"1","trace_id":"1-2-3","name":"x","start_time":1.5,"end_time":2.5}`:                                                                            "xray-json",
		`{"format":"json","version":1}` + "\n" + `{"trace_id":"1-2-3","id":"1","start_time":1.5,"end_time":2.5,"name":"x"}`:                                   "xray-json",
		// What stands in values is no sign.
		`{"resourceSpans":[{"resource":{"attributes":[{"key":"traceID","value":{"stringValue":"\"spanID\""`: "otlp-json",
		// The rest of a line that was cut, a log before the first span.
		`ue":"x"}}]}` + "\n" + `{"resourceSpans":[`:                      "otlp-json",
		`{"level":"info","msg":"up"}` + "\n" + `{"resourceSpans":[{"res`: "otlp-json",
		"\xef\xbb\xbf  " + `{"resourceSpans":[`:                          "otlp-json",
		"\x1e" + `{"resourceSpans":[`:                                    "otlp-json",
		"\x00\x00\x00\x00\x00\x00\x00" + `{"resourceSpans":[`:            "otlp-json",
	}
	for in, want := range tests {
		if f, foreign := sniff([]byte(in)); f.ID != want {
			t.Errorf("%q: %s, %q; want %s", in, f.ID, foreign, want)
		}
	}
	for in, want := range map[string]string{
		`{"traces":[{"traceID":"1","rootServiceName":"x"}]}`:        "a search in Tempo",
		`{"traceEvents":[{"name":"x"}]}`:                            "a Chrome trace",
		`{"level":"info","msg":"up"}`:                               "a log in JSON",
		`{"b":1,"a":{"c":2}}`:                                       `the names "a", "b"`,
		"\x08\x01\x12\x10\x0a\x01a\x1a\x0b\xff\xff\xff\xff\x00":     "OTLP Arrow",
		"\x00\x00\x00\x14\x08\x01\x12\x10\x0a\x01a\xff\xff\xff\xff": "OTLP Arrow",
	} {
		if f, foreign := sniff([]byte(in)); f.ID != "" || !strings.Contains(foreign, want) {
			t.Errorf("%q: %s, %q; want %q", in, f.ID, foreign, want)
		}
	}
}

// TestFormatsAreWhole holds that each format has what users are told of it.
func TestFormatsAreWhole(t *testing.T) {
	seen := map[string]bool{}
	for _, f := range Formats() {
		if f.ID == "" || f.Name == "" || len(f.Export) == 0 || f.read == nil || (f.is == nil) == (f.text == nil) || seen[f.ID] {
			t.Errorf("%+v", f)
		}
		seen[f.ID] = true
	}
	// A long prompt before the names that tell the format.
	long := append([]byte(`{"id":"t","input":"`), bytes.Repeat([]byte("x"), 200_000)...)
	long = append(long, `","observations":[{"id":"o","traceId":"t"`...)
	if f, foreign := sniff(long); f.ID != "langfuse-json" {
		t.Errorf("behind a long value: %s, %q", f.ID, foreign)
	}
}

// TestSniffBeside tells a format though something else stands before it that
// resembles another one.
func TestSniffBeside(t *testing.T) {
	python := "{\n    \"name\": \"x\",\n    \"context\": {\n        \"trace_id\": \"0x1\",\n        \"span_id\": \"0x2\"\n    },\n    \"kind\": \"SpanKind.CLIENT\",\n    \"parent_id\": null,\n    \"links\": [{\"context\": {\"trace_id\": \"0x1\", \"span_id\": \"0x2\"}}]\n}\n"
	golang := `{"Name":"x","SpanContext":{"TraceID":"1","SpanID":"2"}}` + "\n"
	for in, want := range map[string]string{
		python: "otel-python-console",
		`{"resource_metrics":[]}` + "\n" + python:                                          "otel-python-console",
		`{"status_code":200,"msg":"ok"}` + "\n" + python:                                   "otel-python-console",
		`{"duration":3,"trace_id":"1","span_id":"2","msg":"x"}` + "\n" + python:            "otel-python-console",
		`{"level":"INFO","msg":"up","traceID":"1","spanID":"2"}` + "\n" + golang:           "otel-go-console",
		`{"@t":"2026","TraceId":"1","SpanId":"2","Duration":3}` + "\n" + golang:            "otel-go-console",
		`{"traceId":"1","id":"2","name":"x","timestamp":1,"level":"info"}` + "\n" + golang: "otel-go-console",
		`{"resourceLogs":[]}` + "\n" + `{"resourceSpans":[]}`:                              "otlp-json",
		"\n\n\n" + golang: "otel-go-console",
		`{"trace_id":"1-2-3","id":"1","start_time":1.5,"end_time":2,"type":"subsegment","name":"x"}`: "xray-json",
	} {
		if f, foreign := sniff([]byte(in)); f.ID != want {
			t.Errorf("%q: %s, %q; want %s", in, f.ID, foreign, want)
		}
	}
	if f, foreign := sniff([]byte("\n\n\nhello")); f.ID != "" || !strings.Contains(foreign, "text") {
		t.Errorf("empty lines before a text: %s, %q", f.ID, foreign)
	}
}

// TestSniffCosts holds that hostile JSON costs no more than its size.
func TestSniffCosts(t *testing.T) {
	long := strings.Repeat("x", 100_000)
	for name, in := range map[string]string{
		"long names": `{"` + long + `":{` + strings.Repeat(`"a":{},`, 20_000) + `"b":1}}`,
		"many lines": strings.Repeat("{\"a\":[1\n", 100_000),
		"many names": "{" + strings.Repeat(`"`+long[:20]+`":{"b":1},`, 20_000) + `"c":1}`,
	} {
		if n := testing.AllocsPerRun(1, func() { sniff([]byte(in)) }); n > 200_000 {
			t.Errorf("%s: %.0f allocations", name, n)
		}
	}
}
