package console

import (
	"io"
	"strings"

	"github.com/retryaudit/retryaudit/ingest/decode"
	"github.com/retryaudit/retryaudit/ingest/record"
)

// pythonSignals are the others of opentelemetry-sdk: ConsoleMetricExporter
// prints resource_metrics, ConsoleLogExporter records with severity_number.
var pythonSignals = []signal{{"resource_metrics", "metrics"}, {"severity_number", "logs"}}

// ReadPython reads the JSON of the Python SDK's ConsoleSpanExporter, which is
// ReadableSpan.to_json (opentelemetry-python, sdk/trace/__init__.py). Versions
// before 1.0 wrote the resource's attributes without an object around. The
// result is valid with an error, too. An error is one of emit or of r.
func ReadPython(r io.Reader, lim decode.Limits, emit func(*record.Span) error) (decode.Result, error) {
	return readJSON(r, lim, emit, "a span of Python's console exporter", pythonSpan)
}

func pythonSpan(d *decode.Sink, o *decode.Object) (bool, error) {
	member := func(names ...string) *record.Value { return decode.Member(&o.Value, names...) }
	if skipOther(d, o, pythonSignals) {
		return true, nil
	}
	context := member("context")
	if decode.Member(context, "trace_id") == nil {
		return false, nil
	}
	s := record.Span{Line: o.Line, Offset: o.Offset, Name: decode.Text(member("name"))}
	okTrace := d.HexID(o, "trace ID", decode.Member(context, "trace_id"), s.Trace[:])
	okSpan := d.HexID(o, "span ID", decode.Member(context, "span_id"), s.ID[:])
	if !okTrace || !okSpan {
		return true, nil
	}
	d.HexID(o, "parent span ID", member("parent_id"), s.Parent[:])
	s.TraceState = pythonState(text(context, "trace_state"))
	s.Kind = decode.Kind(decode.Text(member("kind")))
	s.Start = d.TimeOf(o, "start time", member("start_time"), decode.Nanosecond)
	s.End = d.TimeOf(o, "end time", member("end_time"), decode.Nanosecond)
	s.Status = decode.Status(decode.Text(decode.Member(member("status"), "status_code", "canonical_code")))
	s.StatusMessage = text(member("status"), "description")
	scope := member("instrumentation_scope", "instrumentation_info", "scope")
	s.Scope, s.ScopeVersion = text(scope, "name"), text(scope, "version")
	s.Attrs = decode.Flatten(nil, "", member("attributes"))
	resource := member("resource")
	if attrs := decode.Member(resource, "attributes"); attrs != nil {
		resource = attrs
	}
	if decode.Map(resource) != nil {
		s.Resource = decode.Flatten(nil, "", resource)
	}
	for _, e := range decode.List(member("events")) {
		s.Events = append(s.Events, record.Event{
			Name:  text(&e, "name"),
			Time:  d.TimeOf(o, "time of an event", decode.Member(&e, "timestamp"), decode.Nanosecond),
			Attrs: decode.Flatten(nil, "", decode.Member(&e, "attributes")),
		})
	}
	for _, v := range decode.List(member("links")) {
		l := record.Link{Attrs: decode.Flatten(nil, "", decode.Member(&v, "attributes"))}
		if linkIDs(d, o, &l, decode.At(&v, "context", "trace_id"), decode.At(&v, "context", "span_id")) {
			s.Links = append(s.Links, l)
		}
	}
	return true, d.Span(&s)
}

// pythonState undoes TraceState.__repr__: "['{key=a, value=b}']" is a=b.
func pythonState(repr string) string {
	var out []string
	for _, part := range strings.Split(repr, "{key=")[1:] {
		key, rest, _ := strings.Cut(part, ", value=")
		value, _, ok := strings.Cut(rest, "}")
		if ok {
			out = append(out, key+"="+value)
		}
	}
	return strings.Join(out, ",")
}
