package datadog

import (
	"strings"
	"time"

	"github.com/retryaudit/retryaudit/analyzer/trace"
	"github.com/retryaudit/retryaudit/ingest/decode"
	"github.com/retryaudit/retryaudit/ingest/record"
)

// kinds are the kinds of spans by their type, where nothing else tells
// (Datadog, "Span types").
var kinds = map[string]trace.Kind{
	"web": trace.Server, "http": trace.Client,
	"db": trace.Client, "sql": trace.Client, "cassandra": trace.Client, "redis": trace.Client, "memcached": trace.Client,
	"mongodb": trace.Client, "elasticsearch": trace.Client, "cache": trace.Client,
}

// fill reads all of a span but its IDs.
func (d decoder) fill(o *decode.Object, s *record.Span) {
	member := func(names ...string) *record.Value { return decode.Member(&o.Value, names...) }
	operation := decode.Text(member("name", "operation_name"))
	resource := decode.Text(member("resource", "resource_name"))
	// The resource is what OpenTelemetry calls the name: "GET /orders".
	if s.Name = resource; s.Name == "" {
		s.Name = operation
	}
	d.times(o, s)
	s.Resource = append(s.Resource, record.Attr{Key: "service.name", Value: str(decode.Text(member("service")))})
	if host := member("host", "hostname"); host != nil {
		s.Resource = append(s.Resource, record.Attr{Key: "host.name", Value: *host})
	}
	for _, list := range []string{"meta", "metrics", "custom", "attributes"} {
		for _, a := range decode.Flatten(nil, "", member(list)) {
			d.tag(s, a)
		}
	}
	if s.Scope == "" {
		s.Scope, _, _ = strings.Cut(operation, ".")
	}
	kind := decode.Text(member("type"))
	if s.Kind == trace.KindUnspecified {
		s.Kind = kinds[kind]
	}
	if operation != "" && operation != s.Name {
		s.Attrs = append(s.Attrs, record.Attr{Key: "operation.name", Value: str(operation)})
	}
	if kind != "" {
		s.Attrs = append(s.Attrs, record.Attr{Key: "span.type", Value: str(kind)})
	}
	if failed := member("error"); failed != nil && decode.Text(failed) != "0" && decode.Text(failed) != "false" || decode.Text(member("status")) == "error" {
		s.Status = record.Error
	}
	for _, l := range decode.List(member("span_links")) {
		link := decode.Object{Value: l, Line: o.Line, Offset: o.Offset}
		var to record.Link
		if d.id(&link, "trace ID of a link", "trace_id", to.Trace[:]) && d.id(&link, "span ID of a link", "span_id", to.ID[:]) {
			s.Links = append(s.Links, to)
		}
	}
}

func str(s string) record.Value { return record.Value{Type: record.String, S: s} }

// tag files a tag; the tracers' own bookkeeping is left out.
func (d decoder) tag(s *record.Span, a record.Attr) {
	switch {
	case strings.HasPrefix(a.Key, "_dd."), strings.HasPrefix(a.Key, "_sampling_"), a.Key == "language", a.Key == "runtime-id":
	case a.Key == "component":
		s.Scope = decode.Text(&a.Value)
	case a.Key == "process_id":
		s.Resource = append(s.Resource, record.Attr{Key: "process.pid", Value: a.Value})
	case a.Key == "otel.trace_id":
	default:
		decode.Tag(s, a.Key, a.Value)
	}
}

// times reads start and length, in ns as tracers write them or in seconds as
// the UI does, or dates as the API does.
func (d decoder) times(o *decode.Object, s *record.Span) {
	if v := decode.Member(&o.Value, "start_timestamp"); v != nil {
		s.Start = d.TimeOf(o, "start_timestamp", v, decode.Nanosecond)
		s.End = d.TimeOf(o, "end_timestamp", decode.Member(&o.Value, "end_timestamp"), decode.Nanosecond)
		return
	}
	start := decode.Member(&o.Value, "start")
	unit := time.Duration(decode.Nanosecond)
	const seconds = 1e11 // ns since 1970 are more, seconds are less
	if start != nil && (start.Type == record.Double && start.D < seconds || start.Type == record.Int && start.I < seconds) {
		unit = decode.Second
	}
	s.Start = d.TimeOf(o, "start", start, unit)
	s.End = d.EndOf(o, s.Start, decode.Member(&o.Value, "duration"), unit)
}
