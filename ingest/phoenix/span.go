package phoenix

import (
	"strconv"
	"strings"

	"github.com/retryaudit/retryaudit/ingest/decode"
	"github.com/retryaudit/retryaudit/ingest/record"
)

// span hands on the span that an object is.
func (d decoder) span(o *decode.Object) error {
	v := &o.Value
	trace, id := contextID(v, "trace_id"), contextID(v, "span_id")
	switch {
	case decode.Member(v, "start_time_unix_nano") != nil:
		d.Problem(decode.FaultForeign, o.Line, o.Offset, "found a span of Phoenix's endpoint spans/otlpv1; want one of its endpoint spans")
		return nil
	case trace == nil || id == nil:
		d.Foreign(o.Line, o.Offset, "context.trace_id and context.span_id")
		return nil
	}
	d.Result.Known = true
	s := record.Span{Line: o.Line, Offset: o.Offset, Name: decode.Text(decode.Member(v, "name"))}
	okTrace := d.HexID(o, "context.trace_id", trace, s.Trace[:])
	okSpan := d.HexID(o, "context.span_id", id, s.ID[:])
	d.HexID(o, "parent_id", decode.Member(v, "parent_id"), s.Parent[:])
	if !okTrace || !okSpan {
		return nil
	}
	s.Start = d.time(o, "start_time", decode.Member(v, "start_time"))
	s.End = d.time(o, "end_time", decode.Member(v, "end_time"))
	s.Status = decode.Status(decode.Text(decode.Member(v, "status_code")))
	s.StatusMessage = decode.Text(decode.Member(v, "status_message"))
	s.Attrs = attributes(v)
	if kind := decode.Text(decode.Member(v, "span_kind")); kind != "" && kind != "UNKNOWN" && !decode.Has(s.Attrs, kindKey) {
		s.Attrs = append(s.Attrs, record.Attr{Key: kindKey, Value: text(kind)})
	}
	if project := projectOf(v); project != "" {
		s.Resource = []record.Attr{{Key: projectKey, Value: text(project)}}
	}
	s.Events = d.events(o)
	return d.Span(&s)
}

// The names of OpenInference for what Phoenix keeps in columns of their own
// (openinference-semantic-conventions trace and resource).
const (
	kindKey    = "openinference.span.kind"
	projectKey = "openinference.project.name"
)

func text(s string) record.Value { return record.Value{Type: record.String, S: s} }

func contextID(v *record.Value, name string) *record.Value {
	if id := decode.Member(v, "context."+name); id != nil {
		return id
	}
	if id := decode.At(v, "context", name); id != nil {
		return id
	}
	return decode.Member(v, name)
}

func projectOf(v *record.Value) string {
	for _, p := range []*record.Value{decode.Member(v, "project_name", "project.name"), decode.At(v, "project", "name")} {
		if p != nil {
			return decode.Text(p)
		}
	}
	return ""
}

// attributes gives the attributes their own names, be they members of one
// object or columns of a data frame.
func attributes(v *record.Value) []record.Attr {
	attrs := flatten(nil, "", decode.Member(v, "attributes"))
	for i := range v.Map {
		if key, ok := strings.CutPrefix(v.Map[i].Key, "attributes."); ok {
			attrs = flatten(attrs, key, &v.Map[i].Value)
		}
	}
	return attrs
}

// flatten is decode.Flatten but for lists of objects, which Phoenix makes of
// names with an index ("llm.input_messages.0.message.role") and of which it
// makes such names again.
func flatten(to []record.Attr, prefix string, v *record.Value) []record.Attr {
	if v == nil {
		return to
	}
	join := func(name string) string {
		if prefix == "" {
			return name
		}
		return prefix + "." + name
	}
	const longest = 256 // of a name; what lies deeper stays an object
	switch {
	case len(prefix) > longest:
	case v.Type == record.Map:
		for i := range v.Map {
			to = flatten(to, join(v.Map[i].Key), &v.Map[i].Value)
		}
		return to
	case v.Type == record.List && len(v.List) > 0 && v.List[0].Type == record.Map:
		for i := range v.List {
			to = flatten(to, join(strconv.Itoa(i)), &v.List[i])
		}
		return to
	}
	return decode.Flatten(to, prefix, v)
}

func (d decoder) events(o *decode.Object) []record.Event {
	v := decode.Member(&o.Value, "events")
	if v == nil {
		return nil
	}
	if v.Type == record.String && v.S != "" { // of a frame that was a table of texts between
		parsed, err := decode.Parse(v.S, d.Limits)
		if err != nil {
			d.Problem(decode.FaultValue, o.Line, o.Offset, "events: found %q, which does not parse: %v; want a list", decode.Excerpt(v.S), err)
			return nil
		}
		v = &parsed
	}
	var out []record.Event
	for _, e := range decode.List(v) {
		out = append(out, record.Event{
			Name:  decode.Text(decode.Member(&e, "name")),
			Time:  d.time(o, "timestamp of an event", decode.Member(&e, "timestamp")),
			Attrs: flatten(nil, "", decode.Member(&e, "attributes")),
		})
	}
	return out
}

// time reads a date or a number, of ms unless pandas was told otherwise
// (to_json, date_unit), which its size shows.
func (d decoder) time(o *decode.Object, what string, v *record.Value) int64 {
	return d.TimeOf(o, what, v, decode.UnitOf(v))
}
