package clickhouse

import (
	"strings"

	"github.com/retryaudit/retryaudit/ingest/decode"
	"github.com/retryaudit/retryaudit/ingest/record"
)

// convert makes a span of a row. It reports whether the span can be used.
func (d decoder) convert(o *decode.Object, s *record.Span) bool {
	member := func(name string) *record.Value { return decode.Member(&o.Value, name) }
	s.Line, s.Offset = o.Line, o.Offset
	okTrace := d.HexID(o, "TraceId", member("TraceId"), s.Trace[:])
	okSpan := d.HexID(o, "SpanId", member("SpanId"), s.ID[:])
	d.HexID(o, "ParentSpanId", member("ParentSpanId"), s.Parent[:])
	if !okTrace || !okSpan {
		return false
	}
	s.TraceState = decode.Text(member("TraceState"))
	s.Name = decode.Text(member("SpanName"))
	s.Kind = decode.Kind(decode.Text(member("SpanKind")))
	s.Start = d.time(o, "Timestamp", member("Timestamp"))
	if n, ok := d.DurationOf(o, "Duration", member("Duration"), decode.Nanosecond); ok && s.Start != 0 {
		s.End = s.Start + n
	}
	s.Status = decode.Status(decode.Text(member("StatusCode")))
	s.StatusMessage = decode.Text(member("StatusMessage"))
	s.Scope = decode.Text(member("ScopeName"))
	s.ScopeVersion = decode.Text(member("ScopeVersion"))
	s.Attrs = d.attributes(o, "SpanAttributes", member("SpanAttributes"))
	s.Resource = d.attributes(o, "ResourceAttributes", member("ResourceAttributes"))
	if name := decode.Text(member("ServiceName")); name != "" && !decode.Has(s.Resource, "service.name") {
		s.Resource = append(s.Resource, record.Attr{Key: "service.name", Value: record.Value{Type: record.String, S: name}})
	}
	for _, e := range d.nested(o, "Events", "Timestamp", "Name", "Attributes") {
		s.Events = append(s.Events, record.Event{
			Name:  decode.Text(decode.Member(&e, "Name")),
			Time:  d.time(o, "Events.Timestamp", decode.Member(&e, "Timestamp")),
			Attrs: d.attributes(o, "Events.Attributes", decode.Member(&e, "Attributes")),
		})
	}
	for _, e := range d.nested(o, "Links", "TraceId", "SpanId", "TraceState", "Attributes") {
		l := record.Link{Attrs: d.attributes(o, "Links.Attributes", decode.Member(&e, "Attributes"))}
		okTrace := d.HexID(o, "Links.TraceId", decode.Member(&e, "TraceId"), l.Trace[:])
		okSpan := d.HexID(o, "Links.SpanId", decode.Member(&e, "SpanId"), l.ID[:])
		if okTrace && okSpan {
			s.Links = append(s.Links, l)
		}
	}
	return true
}

// attributes reads a map or, of the JSON form of the table, an object or its
// text.
func (d decoder) attributes(o *decode.Object, what string, v *record.Value) []record.Attr {
	if v == nil || v.Type == record.Map {
		return decode.Flatten(nil, "", v)
	}
	if text := decode.Text(v); strings.HasPrefix(text, "{") {
		parsed, err := decode.Parse(text, d.Limits)
		if err == nil {
			return decode.Flatten(nil, "", &parsed)
		}
		d.Problem(decode.FaultValue, o.Line, o.Offset, "%s: found %q, which does not parse: %v; want an object", what, decode.Excerpt(text), err)
		return nil
	}
	d.Problem(decode.FaultValue, o.Line, o.Offset, "%s: found %q; want an object", what, decode.Excerpt(decode.Text(v)))
	return nil
}

// nested returns the elements of a column of type Nested as objects: it comes
// as lists of equal length ("Events.Name"), as an object of such lists, or as
// a list of objects.
func (d decoder) nested(o *decode.Object, table string, columns ...string) []record.Value {
	whole := decode.Member(&o.Value, table)
	if whole != nil && whole.Type == record.List {
		return whole.List
	}
	var out []record.Value
	some, uneven := false, false
	for _, column := range columns {
		list := decode.Member(&o.Value, table+"."+column)
		if whole != nil {
			list = decode.Member(whole, column)
		}
		if list == nil {
			continue
		}
		uneven = uneven || some && len(list.List) != len(out)
		some = true
		for j := range list.List {
			if j == len(out) {
				out = append(out, record.Value{Type: record.Map})
			}
			out[j].Map = append(out[j].Map, record.Attr{Key: column, Value: list.List[j]})
		}
	}
	if uneven {
		d.Problem(decode.FaultValue, o.Line, o.Offset, "%s: found lists of different lengths; want one value of each per element", table)
	}
	return out
}

// time reads a date or a number of the unit that its size shows: ClickHouse
// writes DateTime64 as a date, as seconds (date_time_output_format) or, by
// toUnixTimestamp64Nano and its like, as a whole number.
func (d decoder) time(o *decode.Object, what string, v *record.Value) int64 {
	return d.TimeOf(o, what, v, decode.UnitOf(v))
}
