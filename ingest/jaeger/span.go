package jaeger

import (
	"encoding/base64"
	"strconv"
	"strings"

	"github.com/retryaudit/retryaudit/ingest/decode"
	"github.com/retryaudit/retryaudit/ingest/record"
)

// dots undoes what Elasticsearch needs in the names of tags.
var dots = strings.NewReplacer("@", ".")

// convert makes a span of an object of Jaeger's JSON. It reports whether the
// span can be used.
func (d *decoder) convert(o *decode.Object, s *record.Span) bool {
	member := func(names ...string) *record.Value { return decode.Member(&o.Value, names...) }
	s.Line, s.Offset = o.Line, o.Offset
	s.Name = decode.Text(member("operationName"))
	ok := d.id(o, "trace ID", member("traceID"), s.Trace[:])
	ok = d.id(o, "span ID", member("spanID"), s.ID[:]) && ok
	d.id(o, "parent span ID", member("parentSpanID"), s.Parent[:])
	s.Start = d.TimeOf(o, "start time", member("startTime"), decode.Microsecond)
	s.End = d.EndOf(o, s.Start, member("duration"), decode.Microsecond)
	d.references(o, s)
	for _, tag := range tags(&o.Value) {
		decode.Tag(s, tag.Key, tag.Value)
	}
	for _, log := range decode.List(member("logs")) {
		e := record.Event{Time: d.TimeOf(o, "time of a log", decode.Member(&log, "timestamp"), decode.Microsecond)}
		for _, f := range tags(&log) {
			if f.Key == "event" && e.Name == "" {
				e.Name = decode.Text(&f.Value)
			} else {
				e.Attrs = append(e.Attrs, f)
			}
		}
		s.Events = append(s.Events, e)
	}
	return ok
}

// id reads an ID: hex, of which leading zeros may be missing, or a name that a
// tool has put in its place, which stands for itself.
func (d *decoder) id(o *decode.Object, what string, v *record.Value, to []byte) bool {
	if text := strings.TrimPrefix(decode.Text(v), "0x"); strings.Trim(strings.ToLower(text), "0123456789abcdef") != "" {
		decode.OpaqueID(text, to)
		return true
	}
	return d.HexID(o, what, v, to)
}

// references reads the parent and the links. The parent is the first reference
// to a span of the same trace that is a CHILD_OF, else the first
// FOLLOWS_FROM; all others are links.
func (d *decoder) references(o *decode.Object, s *record.Span) {
	type reference struct {
		link  record.Link
		child bool
	}
	var all []reference
	parent := -1
	for _, ref := range decode.List(decode.Member(&o.Value, "references")) {
		var r reference
		okTrace := d.id(o, "trace ID of a reference", decode.Member(&ref, "traceID"), r.link.Trace[:])
		okSpan := d.id(o, "span ID of a reference", decode.Member(&ref, "spanID"), r.link.ID[:])
		if !okTrace || !okSpan || r.link.ID.IsZero() {
			continue
		}
		r.child = !strings.EqualFold(decode.Text(decode.Member(&ref, "refType")), "FOLLOWS_FROM")
		if inTrace := r.link.Trace == s.Trace || r.link.Trace.IsZero(); inTrace && (parent < 0 || r.child && !all[parent].child) {
			parent = len(all)
		}
		all = append(all, r)
	}
	for i := range all {
		if i == parent && s.Parent.IsZero() {
			s.Parent = all[i].link.ID
		} else if all[i].link.ID != s.Parent || all[i].link.Trace != s.Trace {
			s.Links = append(s.Links, all[i].link)
		}
	}
}

// typed reads a value by the type that stands beside it: some writers put all
// into strings.
func typed(kind string, v record.Value) record.Value {
	switch {
	case v.Type == record.Double && (kind == "int64" || kind == "long"):
		if v.D == float64(int64(v.D)) {
			return record.Value{Type: record.Int, I: int64(v.D)}
		}
	case v.Type != record.String:
	case kind == "bool" || kind == "boolean":
		if b, err := strconv.ParseBool(v.S); err == nil {
			return record.Value{Type: record.Bool, B: b}
		}
	case kind == "int64" || kind == "long" || kind == "float64" || kind == "double":
		return decode.Number([]byte(v.S))
	case kind == "binary":
		if b, err := base64.StdEncoding.DecodeString(v.S); err == nil {
			return record.Value{Type: record.Bytes, S: string(b)}
		}
	}
	return v
}
