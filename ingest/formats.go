package ingest

import (
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/retryaudit/retryaudit/ingest/clickhouse"
	"github.com/retryaudit/retryaudit/ingest/console"
	"github.com/retryaudit/retryaudit/ingest/datadog"
	"github.com/retryaudit/retryaudit/ingest/decode"
	"github.com/retryaudit/retryaudit/ingest/jaeger"
	"github.com/retryaudit/retryaudit/ingest/langfuse"
	"github.com/retryaudit/retryaudit/ingest/litellm"
	"github.com/retryaudit/retryaudit/ingest/otlp"
	"github.com/retryaudit/retryaudit/ingest/phoenix"
	"github.com/retryaudit/retryaudit/ingest/record"
	"github.com/retryaudit/retryaudit/ingest/xray"
	"github.com/retryaudit/retryaudit/ingest/zipkin"
)

// Format is a way to write spans that can be read.
type Format struct {
	ID   string // in reports, such as "jaeger-json"
	Name string // in sentences, such as "Jaeger JSON"
	// Export says where such files come from, a line for each way to get one.
	Export []string
	// is tells the format of a JSON input by the names that its beginning has.
	is func(shape) bool
	// text tells the format of an input that is no JSON by its beginning.
	text func(head string) bool
	read func(io.Reader, decode.Limits, func(*record.Span) error) (decode.Result, error)
}

// Formats returns all formats that can be read, the likeliest first.
func Formats() []Format {
	return slices.DeleteFunc(formats(), func(f Format) bool { return f.Name == "" })
}

// formats are Formats and those that are the same to a user. The first that
// takes an input for its own reads it.
func formats() []Format {
	return []Format{
		{
			ID: "otlp-json", Name: "OTLP JSON",
			Export: []string{
				"Collector: exporters: {file: {path: traces.jsonl}}",
				"Grafana Tempo: curl -H 'Accept: application/json' http://TEMPO:3200/api/v2/traces/TRACE_ID",
				"Grafana: Explore, a trace, Export trace",
				"Jaeger 2: curl 'http://JAEGER:16686/api/v3/traces/TRACE_ID'",
			},
			is:   isOTLP,
			read: otlp.ReadJSON,
		},
		protoFormat(false),
		protoFormat(true),
		{
			ID: "jaeger-json", Name: "Jaeger JSON",
			Export: []string{
				"Jaeger UI: a trace, Trace Timeline, Trace JSON; or the search page, Download Results",
				"curl 'http://JAEGER:16686/api/traces?service=NAME&lookback=1h&limit=1000'",
			},
			is: func(s shape) bool {
				return s.all("data.spans") || s.all("data", "total", "limit", "offset", "errors") || s.all("data.traceID") || s.all("data", "errors.msg") || s.all("spans.traceID") ||
					s.all("traceID", "spanID", "operationName") || s.all("_source.traceID", "_source.spanID")
			},
			read: jaeger.Read,
		},
		{
			ID: "zipkin-json", Name: "Zipkin JSON",
			Export: []string{
				"Zipkin UI: a trace, Download JSON",
				"curl 'http://ZIPKIN:9411/api/v2/traces?serviceName=NAME&limit=1000'",
			},
			is: func(s shape) bool {
				return s.all("traceId", "id") && !s.any("startTime", "endTime", "level", "severity") && (s.any("localEndpoint", "remoteEndpoint", "annotations", "binaryAnnotations", "tags") || s.all("timestamp", "duration") || s.all("name", "timestamp"))
			},
			read: zipkin.Read,
		},
		{
			ID: "datadog-json", Name: "Datadog JSON",
			Export: []string{
				"Datadog: APM, a trace, Download Trace JSON",
				"curl 'https://api.datadoghq.com/api/v2/spans/events?filter[query]=service:NAME&page[limit]=1000' with both keys",
				"what a tracer sends to the agent's /v0.4/traces, as JSON",
			},
			is: func(s shape) bool {
				return s.all("trace_id", "span_id") && s.any("resource", "meta", "metrics") && s.any("start", "duration") ||
					s.all("traces.trace_id", "traces.span_id") || s.all("spans.trace_id", "spans.span_id", "spans.service") || s.all("trace.root_id", "trace.spans") ||
					s.all("data.attributes.trace_id", "data.attributes.span_id")
			},
			read: datadog.Read,
		},
		{
			ID: "xray-json", Name: "AWS X-Ray JSON",
			Export: []string{
				"aws xray batch-get-traces --trace-ids $(aws xray get-trace-summaries --start-time T1 --end-time T2 --query 'TraceSummaries[].Id' --output text)",
			},
			is: func(s shape) bool {
				return s.any("Traces.Segments.Document", "Traces.Spans.Document", "Segments.Document") || s.all("Id", "Document") ||
					s.all("trace_id", "id", "start_time") && s.any("end_time", "in_progress") && !s.any("parent_observation_id", "project_id", "level", "usage_details")
			},
			read: xray.Read,
		},
		{
			ID: "langfuse-json", Name: "Langfuse JSON",
			Export: []string{
				"curl -u PUBLIC_KEY:SECRET_KEY https://LANGFUSE/api/public/traces/TRACE_ID",
				"Langfuse: project settings, exports, blob storage, JSONL, table observations",
			},
			is: func(s shape) bool {
				if s.any("observations.traceId", "trace.observations.traceId") || s.all("observations", "scores", "projectId") {
					return true
				}
				for _, in := range []string{"", "data."} {
					if (s.all(in+"traceId", in+"startTime") || s.all(in+"trace_id", in+"start_time")) && s.all(in+"type") &&
						s.any(in+"parentObservationId", in+"parent_observation_id", in+"level") {
						return true
					}
				}
				return false
			},
			read: langfuse.Read,
		},
		{
			ID: "phoenix-json", Name: "Phoenix JSON (OpenInference)",
			Export: []string{
				"curl 'http://PHOENIX:6006/v1/projects/NAME/spans?limit=1000', page by page with next_cursor",
				`Client().spans.get_spans_dataframe(...).to_json("spans.json", orient="records")`,
			},
			is:   isPhoenix,
			read: phoenix.Read,
		},
		{
			ID: "litellm-json", Name: "LiteLLM JSON logs (StandardLoggingPayload)",
			Export: []string{
				"litellm_settings: {callbacks: [\"s3_v2\"]} or gcs_bucket; generic_api with log_format ndjson",
			},
			is: func(s shape) bool {
				return s.all("call_type", "startTime") && s.any("trace_id", "model_map_information", "custom_llm_provider") ||
					s.all("ddsource", "message")
			},
			read: litellm.Read,
		},
		{
			ID: "clickhouse-json", Name: "ClickHouse rows of otel_traces as JSON",
			Export: []string{
				`clickhouse-client -q "SELECT * FROM otel_traces WHERE Timestamp > now() - 3600 FORMAT JSONEachRow"`,
			},
			is: func(s shape) bool {
				return s.all("TraceId", "SpanId", "SpanName") || s.all("TraceId", "SpanId", "ParentSpanId", "Duration") ||
					s.all("data.TraceId", "data.SpanId", "meta.name") || s.all("TraceId", "Timestamp", "SeverityText")
			},
			read: clickhouse.Read,
		},
		{
			ID: "otel-go-console", Name: "Go console exporter (stdouttrace)",
			Export: []string{"stdouttrace.New(), with or without WithPrettyPrint; what else the program printed may stand between"},
			is:     func(s shape) bool { return s.all("SpanContext.TraceID", "SpanContext.SpanID") },
			read:   console.ReadGo,
		},
		{
			ID: "otel-python-console", Name: "Python console exporter",
			Export: []string{"opentelemetry-instrument --traces_exporter console, or ConsoleSpanExporter()"},
			is: func(s shape) bool {
				return s.all("context.trace_id", "context.span_id") && s.any("parent_id", "kind") && !s.any("span_kind")
			},
			read: console.ReadPython,
		},
		{
			ID: "otel-js-console", Name: "JavaScript console exporter",
			Export: []string{"OTEL_TRACES_EXPORTER=console, or new ConsoleSpanExporter()"},
			text:   func(head string) bool { return jsSpan.MatchString(head) },
			read:   console.ReadJavaScript,
		},
		{
			ID: "otel-dotnet-console", Name: ".NET console exporter",
			Export: []string{"AddConsoleExporter() of OpenTelemetry.Exporter.Console"},
			text:   func(head string) bool { return dotNetSpan.MatchString(head) },
			read:   console.ReadDotNet,
		},
	}
}

// isPhoenix tells the spans of OpenInference by what Python's console exporter
// lacks; a data frame may have its names in columns or under an index.
func isPhoenix(s shape) bool {
	for _, in := range []string{"", "data.", "spans."} {
		if s.all(in+"context.trace_id", in+"context.span_id") && s.any(in+"span_kind", in+"status_code") {
			return true
		}
	}
	if s.any("context.span_id.0") {
		return true
	}
	for path := range s {
		// {SPAN ID: {"context.span_id": …}}
		if id, ok := strings.CutSuffix(path, ".context.span_id"); ok && len(id) == 16 && strings.Trim(id, "0123456789abcdef") == "" {
			return true
		}
	}
	return false
}

// jsSpan is a line of a span as util.inspect of Node.js prints it, dotNetSpan
// one as the .NET exporter does.
var (
	jsSpan     = regexp.MustCompile(`(?m)^(\{ |\s+)traceId: (\x1b\[[0-9;]*m)?['"` + "`" + `]`)
	dotNetSpan = regexp.MustCompile(`(?m)^(\x{feff})?Activity\.(TraceId|Id) *: `)
)

func protoFormat(framed bool) Format {
	f := Format{
		ID: formatProto, Name: "OTLP protobuf",
		Export: []string{
			"Collector: exporters: {file: {path: traces.pb, format: proto}}",
			"any OTLP/HTTP request body; Grafana Tempo without the Accept header above",
		},
		read: func(r io.Reader, lim decode.Limits, emit func(*record.Span) error) (decode.Result, error) {
			return otlp.ReadProto(r, framed, lim, emit)
		},
	}
	f.text = func(head string) bool { return !framed && looksProto([]byte(head)) }
	if framed {
		f.Name, f.Export = "", nil // is the same to a user
		f.text = func(head string) bool { return looksFramed([]byte(head)) }
	}
	return f
}

// formatProto is the ID of OTLP protobuf, with and without frames.
const formatProto = "otlp-proto"

// isOTLP tells OTLP by its spans. The other signals are told apart, as other
// exporters print them, too: see isSignal.
func isOTLP(s shape) bool {
	return s.within("resourceSpans", "resource_spans", "batches")
}

// isSignal tells metrics, logs and profiles of OTLP.
func isSignal(s shape) bool {
	return s.within("resourceMetrics", "resource_metrics", "resourceLogs", "resource_logs", "resourceProfiles", "resource_profiles")
}

// within reports whether one of the names stands where OTLP has it.
func (s shape) within(names ...string) bool {
	for _, in := range []string{"", "trace.", "result."} {
		for _, name := range names {
			if s[in+name] {
				return true
			}
		}
	}
	return false
}
