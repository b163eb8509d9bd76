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

// queues are the kinds of spans of the type "queue", which is that of both
// sides, by the last word of their operation: kafka.produce and kafka.consume,
// or aws.sqs.send and kafka.process in the newer naming (unchecked: nobody has
// read the words in a tracer's source).
var queues = map[string]trace.Kind{
	"produce": trace.Producer, "send": trace.Producer, "publish": trace.Producer,
	"consume": trace.Consumer, "receive": trace.Consumer, "process": trace.Consumer, "deliver": trace.Consumer,
}

// kindOf returns the kind of a span by its type, 0 if that does not tell.
func kindOf(spanType, operation string) trace.Kind {
	if spanType == "queue" {
		return queues[operation[strings.LastIndexByte(operation, '.')+1:]]
	}
	return kinds[spanType]
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
	service, base, links := decode.Text(member("service")), "", ""
	if host := member("host", "hostname"); host != nil {
		s.Resource = append(s.Resource, record.Attr{Key: "host.name", Value: *host})
	}
	for _, list := range []string{"meta", "metrics", "custom", "attributes"} {
		for _, a := range decode.Flatten(nil, "", member(list)) {
			switch a.Key {
			case "_dd.base_service":
				base = decode.Text(&a.Value)
			case "_dd.span_links":
				links = decode.Text(&a.Value)
			default:
				d.tag(s, a)
			}
		}
	}
	// A span may have the name of what it calls for its service, "shop-postgres";
	// the base service is that of the process (Datadog, "Service Overrides").
	if base != "" && base != service {
		if service != "" {
			s.Attrs = append(s.Attrs, record.Attr{Key: "service", Value: str(service)})
		}
		service = base
	}
	if service != "" {
		s.Resource = append(s.Resource, record.Attr{Key: "service.name", Value: str(service)})
	}
	d.hostTags(o, s)
	if s.Scope == "" {
		s.Scope, _, _ = strings.Cut(operation, ".")
	}
	kind := decode.Text(member("type"))
	if s.Kind == trace.KindUnspecified {
		s.Kind = kindOf(kind, operation)
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
	d.links(o, s, links)
	d.events(o, s)
}

// hostTags reads what the Spans API tells of the place where a span was made:
// the environment, and tags in the form "key:value".
func (d decoder) hostTags(o *decode.Object, s *record.Span) {
	if env := decode.Member(&o.Value, "env"); env != nil {
		s.Resource = append(s.Resource, record.Attr{Key: "env", Value: *env})
	}
	for _, tag := range decode.List(decode.Member(&o.Value, "tags")) {
		key, value, _ := strings.Cut(decode.Text(&tag), ":")
		if key != "" && !decode.Has(s.Resource, key) {
			s.Resource = append(s.Resource, record.Attr{Key: key, Value: str(value)})
		}
	}
}

func str(s string) record.Value { return record.Value{Type: record.String, S: s} }

// tag files a tag; the tracers' own bookkeeping is left out, but for the shares
// that samplers kept.
func (d decoder) tag(s *record.Span, a record.Attr) {
	switch {
	case strings.HasPrefix(a.Key, "_dd.") && !strings.HasSuffix(a.Key, "_psr"), strings.HasPrefix(a.Key, "_sampling_"), a.Key == "language", a.Key == "runtime-id":
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
