package xray

import (
	"slices"
	"strings"

	"github.com/retryaudit/retryaudit/analyzer/trace"
	"github.com/retryaudit/retryaudit/ingest/decode"
	"github.com/retryaudit/retryaudit/ingest/record"
)

// part is a segment or subsegment that is still to be read.
type part struct {
	v      *record.Value
	parent trace.SpanID
	inner  bool // stands in another one
}

// document is what the spans of one document share.
type document struct {
	*decode.Object
	exceptions map[string]*record.Value // by their IDs
}

// segment hands on the spans of a document, callers before what they called.
func (d decoder) segment(o *decode.Object) error {
	var shared record.Span // what all spans of the document share
	shared.Line, shared.Offset = o.Line, o.Offset
	if !d.traceID(o, decode.Member(&o.Value, "trace_id"), shared.Trace[:]) {
		return nil
	}
	// A subsegment that was sent by itself does not say whose it is.
	if alone := decode.Text(decode.Member(&o.Value, "type")) == "subsegment"; !alone {
		shared.Resource = append(shared.Resource, record.Attr{Key: "service.name", Value: str(decode.Text(decode.Member(&o.Value, "name")))})
	}
	if version := decode.At(&o.Value, "service", "version"); version != nil {
		shared.Resource = append(shared.Resource, record.Attr{Key: "service.version", Value: *version})
	}
	shared.Resource = slices.Clip(shared.Resource)
	doc := document{o, exceptionsIn(&o.Value)}
	todo := []part{{v: &o.Value}}
	for len(todo) > 0 {
		p := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		s := shared
		if s.Parent = p.parent; !p.inner {
			d.HexID(o, "parent ID", decode.Member(p.v, "parent_id"), s.Parent[:])
		}
		if d.HexID(o, "segment ID", decode.Member(p.v, "id"), s.ID[:]) {
			d.fill(doc, p, &s)
			if err := d.Span(&s); err != nil {
				return err
			}
		}
		if s.ID.IsZero() {
			s.ID = s.Parent // what is below was called by what called this one
		}
		below := decode.List(decode.Member(p.v, "subsegments"))
		for i := len(below) - 1; i >= 0; i-- {
			if below[i].Type == record.Map {
				todo = append(todo, part{&below[i], s.ID, true})
			}
		}
	}
	return nil
}

func str(s string) record.Value { return record.Value{Type: record.String, S: s} }

// traceID reads "1-5759e988-bd862e3fe1be46a994272793": a version, the time and
// a random number, which together are the trace ID of OpenTelemetry.
func (d decoder) traceID(o *decode.Object, v *record.Value, to []byte) bool {
	text := decode.Text(v)
	if rest, ok := strings.CutPrefix(text, "1-"); ok && len(text) == 35 {
		text = strings.Replace(rest, "-", "", 1)
	}
	plain := str(text)
	return d.HexID(o, "trace ID", &plain, to)
}

// exceptionsIn returns the exceptions of a segment and of all in it.
func exceptionsIn(v *record.Value) map[string]*record.Value {
	found := map[string]*record.Value{}
	for todo := []*record.Value{v}; len(todo) > 0; {
		v = todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		list := decode.List(decode.At(v, "cause", "exceptions"))
		for i := range list {
			if id := decode.Text(decode.Member(&list[i], "id")); id != "" && found[id] == nil {
				found[id] = &list[i]
			}
		}
		below := decode.List(decode.Member(v, "subsegments"))
		for i := range below {
			todo = append(todo, &below[i])
		}
	}
	return found
}

// fill reads all of a segment but its IDs.
func (d decoder) fill(doc document, p part, s *record.Span) {
	o := doc.Object
	s.Name = decode.Text(decode.Member(p.v, "name"))
	s.Start = d.TimeOf(o, "start_time", decode.Member(p.v, "start_time"), decode.Second)
	s.End = d.TimeOf(o, "end_time", decode.Member(p.v, "end_time"), decode.Second)
	namespace := decode.Text(decode.Member(p.v, "namespace"))
	switch {
	case namespace == "aws" || namespace == "remote":
		s.Kind = trace.Client
	case p.inner || decode.Text(decode.Member(p.v, "type")) == "subsegment":
		s.Kind = trace.Internal
	case decode.Member(p.v, "http") != nil || decode.Member(p.v, "parent_id") != nil:
		s.Kind = trace.Server
	default:
		s.Kind = trace.Internal
	}
	for _, a := range p.v.Map {
		switch a.Key {
		case "http", "aws", "sql":
			s.Attrs = decode.Flatten(s.Attrs, a.Key, &a.Value)
		case "annotations":
			s.Attrs = decode.Flatten(s.Attrs, "", &a.Value)
		case "metadata":
			metadata(s, &a.Value)
		case "origin", "user", "resource_arn", "namespace", "inferred":
			s.Attrs = append(s.Attrs, record.Attr{Key: a.Key, Value: a.Value})
		case "error", "fault", "throttle":
			if a.Value.Type == record.Bool && a.Value.B {
				s.Status = record.Error
				s.Attrs = append(s.Attrs, record.Attr{Key: a.Key, Value: a.Value})
			}
		case "links":
			for _, l := range decode.List(&a.Value) {
				var link record.Link
				if d.traceID(o, decode.Member(&l, "trace_id"), link.Trace[:]) && d.HexID(o, "segment ID of a link", decode.Member(&l, "id"), link.ID[:]) {
					link.Attrs = decode.Flatten(nil, "", decode.Member(&l, "attributes"))
					s.Links = append(s.Links, link)
				}
			}
		case "precursor_ids": // subsegments of the same trace that ended before
			for _, id := range decode.List(&a.Value) {
				link := record.Link{Trace: s.Trace}
				if d.HexID(o, "precursor ID", &id, link.ID[:]) && !link.ID.IsZero() {
					s.Links = append(s.Links, link)
				}
			}
		}
	}
	if namespace == "aws" {
		s.Attrs = append(s.Attrs, record.Attr{Key: "aws.service", Value: str(s.Name)})
	}
	doc.cause(decode.Member(p.v, "cause"), s)
}

// cause reads what made a segment fail: exceptions, or the ID of one that
// stands in a subsegment.
func (doc document) cause(v *record.Value, s *record.Span) {
	list := decode.List(decode.Member(v, "exceptions"))
	if id := decode.Text(v); id != "" {
		e := doc.exceptions[id]
		if e == nil {
			s.Attrs = append(s.Attrs, record.Attr{Key: "cause", Value: *v})
			return
		}
		list = []record.Value{*e}
	}
	for _, e := range list {
		event := record.Event{Name: "exception", Time: s.End}
		for _, name := range []string{"type", "message", "remote"} {
			if v := decode.Member(&e, name); v != nil {
				event.Attrs = append(event.Attrs, record.Attr{Key: "exception." + name, Value: *v})
			}
		}
		s.Events = append(s.Events, event)
	}
}

// metadata reads the metadata of a segment, which stand in namespaces. In
// "default" the Collector keeps the attributes of a span under their own names
// and those of its resource behind a prefix (opentelemetry-collector-contrib
// exporter/awsxrayexporter/internal/translator/segment.go).
func metadata(s *record.Span, v *record.Value) {
	const ofResource = "otel.resource."
	for _, space := range decode.Map(v) {
		if space.Key != "default" {
			s.Attrs = decode.Flatten(s.Attrs, "metadata."+space.Key, &space.Value)
			continue
		}
		for _, a := range decode.Flatten(nil, "", &space.Value) {
			key, ok := strings.CutPrefix(a.Key, ofResource)
			switch {
			case !ok:
				s.Attrs = append(s.Attrs, a)
			case !decode.Has(s.Resource, key):
				s.Resource = append(s.Resource, record.Attr{Key: key, Value: a.Value})
			}
		}
	}
}
