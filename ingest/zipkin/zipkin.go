// Package zipkin reads the JSON of Zipkin, versions 2 and 1: lists of spans,
// lists of such lists, or a span a line.
package zipkin

import (
	"io"
	"strings"

	"github.com/retryaudit/retryaudit/analyzer/trace"
	"github.com/retryaudit/retryaudit/ingest/decode"
	"github.com/retryaudit/retryaudit/ingest/record"
)

type decoder struct{ *decode.JSON }

// Read reads Zipkin JSON. The client's and the server's half of a span of
// version 1 are two spans with one ID, as they are in version 2. The result is
// valid with an error, too. An error is one of emit or of r; all that is wrong
// with the content is a problem.
func Read(r io.Reader, lim decode.Limits, emit func(*record.Span) error) (decode.Result, error) {
	d := decoder{decode.NewJSON(r, lim, emit, "a span of Zipkin")}
	return d.Records(d.record)
}

func (d decoder) record() error {
	var o decode.Object
	ok, err := d.Object("span", &o)
	if err != nil || !ok {
		return err
	}
	if decode.Member(&o.Value, "traceId", "id") == nil {
		d.Foreign(o.Line, o.Offset, "traceId and id")
		return nil
	}
	d.Result.Known = true
	s := record.Span{Line: o.Line, Offset: o.Offset, Name: decode.Text(decode.Member(&o.Value, "name"))}
	okTrace := d.HexID(&o, "trace ID", decode.Member(&o.Value, "traceId"), s.Trace[:])
	okSpan := d.HexID(&o, "span ID", decode.Member(&o.Value, "id"), s.ID[:])
	d.HexID(&o, "parent span ID", decode.Member(&o.Value, "parentId"), s.Parent[:])
	if !okTrace || !okSpan {
		return nil
	}
	s.Start = d.TimeOf(&o, "timestamp", decode.Member(&o.Value, "timestamp"), decode.Microsecond)
	s.End = d.EndOf(&o, s.Start, decode.Member(&o.Value, "duration"), decode.Microsecond)
	if decode.Member(&o.Value, "binaryAnnotations") != nil || hasCore(&o) {
		return d.version1(&o, &s)
	}
	return d.version2(&o, &s)
}

func (d decoder) version2(o *decode.Object, s *record.Span) error {
	s.Kind = trace.Internal
	if k := decode.Kind(decode.Text(decode.Member(&o.Value, "kind"))); k != 0 {
		s.Kind = k
	}
	for _, tag := range decode.Map(decode.Member(&o.Value, "tags")) {
		d.tag(o, s, tag.Key, tag.Value)
	}
	s.Attrs = decode.Flatten(s.Attrs, "remoteEndpoint", decode.Member(&o.Value, "remoteEndpoint"))
	for _, a := range decode.List(decode.Member(&o.Value, "annotations")) {
		s.Events = append(s.Events, d.event(o, &a))
	}
	s.Resource = resource(serviceName(&o.Value, "localEndpoint"), s.Attrs)
	return d.Span(s)
}

func serviceName(v *record.Value, endpoint string) string {
	return decode.Text(decode.At(v, endpoint, "serviceName"))
}

// resource is what tells who made the span. Exporters of OpenTelemetry put the
// attributes of a resource among the tags.
func resource(service string, tags []record.Attr) []record.Attr {
	if service == "" {
		return tags
	}
	return append(tags[:len(tags):len(tags)], record.Attr{Key: "service.name", Value: record.Value{Type: record.String, S: service}})
}

// linkTag is how the Collector numbers the links of a span.
const linkTag = "otlp.link."

func (d decoder) tag(o *decode.Object, s *record.Span, key string, v record.Value) {
	if !strings.HasPrefix(key, linkTag) {
		decode.Tag(s, key, v)
		return
	}
	// trace ID|span ID|trace state|attributes|dropped attributes
	part := strings.SplitN(decode.Text(&v), "|", 4)
	if len(part) < 2 {
		return
	}
	var l record.Link
	text := func(s string) *record.Value { return &record.Value{Type: record.String, S: s} }
	if d.HexID(o, "trace ID of a link", text(part[0]), l.Trace[:]) && d.HexID(o, "span ID of a link", text(part[1]), l.ID[:]) {
		s.Links = append(s.Links, l)
	}
}

// event reads an annotation. Exporters of OpenTelemetry write the attributes
// of an event behind its name: "name|{…}|dropped" (the Collector) or
// "name: {…}" (Go).
func (d decoder) event(o *decode.Object, a *record.Value) record.Event {
	value := decode.Text(decode.Member(a, "value"))
	e := record.Event{Name: value, Time: d.TimeOf(o, "time of an annotation", decode.Member(a, "timestamp"), decode.Microsecond)}
	end := strings.LastIndexByte(value, '}') + 1
	for _, between := range []string{"|", ": "} {
		name, rest, found := strings.Cut(value[:end], between)
		if !found || rest == "" || rest[0] != '{' {
			continue
		}
		if v, err := decode.Parse(rest, d.Limits); err == nil {
			e.Name, e.Attrs = name, decode.Flatten(nil, "", &v)
			break
		}
	}
	return e
}
