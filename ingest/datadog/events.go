package datadog

import (
	"strings"

	"github.com/retryaudit/retryaudit/ingest/decode"
	"github.com/retryaudit/retryaudit/ingest/record"
)

// links reads the links of a span: a list, or the same as JSON in a tag, where
// the IDs are in hex (dd-trace-js packages/dd-trace/src/format.js).
func (d decoder) links(o *decode.Object, s *record.Span, inTag string) {
	list, hex := decode.Member(&o.Value, "span_links"), false
	if list == nil && inTag != "" {
		v, err := decode.Parse(inTag, d.Limits)
		if err != nil || v.Type != record.List {
			d.Problem(decode.FaultValue, o.Line, o.Offset, "_dd.span_links: found %q; want a list of links in JSON", decode.Excerpt(inTag))
			return
		}
		list, hex = &v, true
	}
	for _, l := range decode.List(list) {
		link := decode.Object{Value: l, Line: o.Line, Offset: o.Offset}
		var to record.Link
		if !d.id(&link, "trace ID of a link", "trace_id", to.Trace[:]) {
			continue
		}
		const what, name = "span ID of a link", "span_id"
		if hex && !d.HexID(&link, what, decode.Member(&l, name), to.ID[:]) || !hex && !d.id(&link, what, name, to.ID[:]) {
			continue
		}
		to.Attrs = decode.Flatten(nil, "", decode.Member(&l, "attributes"))
		s.Links = append(s.Links, to)
	}
}

// eventsTag is the tag that holds events as JSON for agents that know no
// others (datadog-agent pkg/trace/transform).
const eventsTag = "events"

// events reads the events of a span: a list, or the same as JSON in a tag. A
// tag that is none stays an attribute.
func (d decoder) events(o *decode.Object, s *record.Span) {
	list := decode.Member(&o.Value, "span_events")
	if i := indexOf(s.Attrs, eventsTag); list == nil && i >= 0 {
		text := decode.Text(&s.Attrs[i].Value)
		v, err := decode.Parse(text, d.Limits)
		if !strings.HasPrefix(text, "[{") || err != nil || len(v.List) == 0 || decode.Member(&v.List[0], "time_unix_nano") == nil {
			return
		}
		list = &v
		s.Attrs = append(s.Attrs[:i], s.Attrs[i+1:]...)
	}
	for _, v := range decode.List(list) {
		e := record.Event{
			Name: decode.Text(decode.Member(&v, "name")),
			Time: d.TimeOf(o, "time of an event", decode.Member(&v, "time_unix_nano"), decode.Nanosecond),
		}
		for _, a := range decode.Map(decode.Member(&v, "attributes")) {
			if plain := typed(&a.Value); plain != nil {
				e.Attrs = append(e.Attrs, record.Attr{Key: a.Key, Value: *plain})
			} else {
				e.Attrs = decode.Flatten(e.Attrs, a.Key, &a.Value)
			}
		}
		s.Events = append(s.Events, e)
	}
}

func indexOf(attrs []record.Attr, key string) int {
	for i := range attrs {
		if attrs[i].Key == key {
			return i
		}
	}
	return -1
}

// typed returns the value of {"type":0,"string_value":"x"}, nil if v is not
// written so (dd-trace-py tests/tracer/test_encoders.py).
func typed(v *record.Value) *record.Value {
	if decode.Member(v, "type") == nil {
		return nil
	}
	if plain := decode.Member(v, "string_value", "bool_value", "int_value", "double_value"); plain != nil {
		return plain
	}
	values := decode.At(v, "array_value", "values")
	if values == nil || values.Type != record.List {
		return nil
	}
	list := record.Value{Type: record.List}
	for i := range values.List {
		if plain := typed(&values.List[i]); plain != nil {
			list.List = append(list.List, *plain)
		}
	}
	return &list
}
