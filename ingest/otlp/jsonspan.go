package otlp

import (
	"github.com/retryaudit/retryaudit/analyzer/trace"
	"github.com/retryaudit/retryaudit/ingest/decode"
	"github.com/retryaudit/retryaudit/ingest/record"
)

// readSpan reads a span and delivers it.
func (d *jsonDecoder) readSpan() error {
	_, err := d.Limited("span", d.spanMembers)
	return err
}

func (d *jsonDecoder) spanMembers() error {
	decode.Reset(&d.span)
	d.span.Line, d.span.Offset = d.StartLine, d.Start
	if ok, err := d.Open('{', "span"); !ok {
		return err
	}
	broken, orphan := false, false // an ID is, the parent's ID is
	for {
		name, err := d.Name()
		if err != nil {
			return err
		}
		if name == nil {
			break
		}
		s := &d.span
		switch string(name) {
		case "traceId", "trace_id":
			err = d.ID("trace ID", "span skipped", s.Trace[:], &broken)
		case "spanId", "span_id":
			err = d.ID("span ID", "span skipped", s.ID[:], &broken)
		case "parentSpanId", "parent_span_id":
			err = d.ID("parent span ID", "read as a root", s.Parent[:], &orphan)
		case "traceState", "trace_state":
			err = d.Str("trace state", &s.TraceState)
		case "name":
			err = d.Str("span name", &s.Name)
		case "kind":
			var v int
			v, err = d.Enum("span kind", kinds[:])
			s.Kind = trace.Kind(v)
		case "startTimeUnixNano", "start_time_unix_nano":
			err = d.Time("start time", &s.Start)
		case "endTimeUnixNano", "end_time_unix_nano":
			err = d.Time("end time", &s.End)
		case "attributes":
			err = d.attributes(&s.Attrs)
		case "events":
			err = d.Each("events", d.event)
		case "links":
			err = d.Each("links", d.link)
		case "status":
			err = d.status()
		default:
			err = d.Skip()
		}
		if err != nil {
			return err
		}
		if err := d.Bounded("span"); err != nil {
			return err
		}
	}
	if broken {
		return nil // is reported
	}
	return d.deliver()
}

func (d *jsonDecoder) status() error {
	if ok, err := d.Open('{', "status"); !ok {
		return err
	}
	for {
		name, err := d.Name()
		if err != nil || name == nil {
			return err
		}
		switch string(name) {
		case "code":
			var v int
			v, err = d.Enum("status code", statuses[:])
			d.span.Status = record.Status(v)
		case "message":
			err = d.Str("status message", &d.span.StatusMessage)
		default:
			err = d.Skip()
		}
		if err != nil {
			return err
		}
	}
}

func (d *jsonDecoder) event() error {
	if ok, err := d.Open('{', "event"); !ok {
		return err
	}
	if err := d.Element("span"); err != nil {
		return err
	}
	e := decode.NextEvent(&d.span)
	for {
		name, err := d.Name()
		if err != nil || name == nil {
			return err
		}
		switch string(name) {
		case "name":
			err = d.Str("event name", &e.Name)
		case "timeUnixNano", "time_unix_nano":
			err = d.Time("event time", &e.Time)
		case "attributes":
			err = d.attributes(&e.Attrs)
		default:
			err = d.Skip()
		}
		if err != nil {
			return err
		}
	}
}

func (d *jsonDecoder) link() error {
	if ok, err := d.Open('{', "link"); !ok {
		return err
	}
	if err := d.Element("span"); err != nil {
		return err
	}
	l := decode.NextLink(&d.span)
	broken := false
	for {
		name, err := d.Name()
		if err != nil {
			return err
		}
		if name == nil {
			break
		}
		switch string(name) {
		case "traceId", "trace_id":
			err = d.ID("trace ID of a link", "link skipped", l.Trace[:], &broken)
		case "spanId", "span_id":
			err = d.ID("span ID of a link", "link skipped", l.ID[:], &broken)
		case "attributes":
			err = d.attributes(&l.Attrs)
		default:
			err = d.Skip()
		}
		if err != nil {
			return err
		}
	}
	if broken {
		d.span.Links = d.span.Links[:len(d.span.Links)-1]
	}
	return nil
}

func (d *jsonDecoder) attributes(to *[]record.Attr) error {
	return d.keyValues(to, d.MaxDepth)
}

// keyValues appends an array of KeyValue.
func (d *jsonDecoder) keyValues(to *[]record.Attr, depth int) error {
	if ok, err := d.Open('[', "attributes"); !ok {
		return err
	}
	for d.Kind() != ']' {
		ok, err := d.Open('{', "attribute")
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		if err := d.Element("attributes"); err != nil {
			return err
		}
		*to = append(*to, record.Attr{})
		for {
			name, err := d.Name()
			if err != nil {
				return err
			}
			if name == nil {
				break
			}
			// Not a pointer to keep: reading the value may append elsewhere, but
			// never to this slice.
			a := &(*to)[len(*to)-1]
			switch string(name) {
			case "key":
				err = d.Str("attribute key", &a.Key)
			case "value":
				err = d.value(&a.Value, depth)
			default:
				err = d.Skip()
			}
			if err != nil {
				return err
			}
		}
	}
	return d.Token()
}

// value reads an AnyValue that may be depth deep.
func (d *jsonDecoder) value(v *record.Value, depth int) error {
	if depth == 0 {
		line, offset := d.Begin()
		d.Problem(decode.FaultDepth, line, offset, "attribute value of more than %d levels (MaxDepth); left empty", d.MaxDepth)
		return d.Skip()
	}
	if ok, err := d.Open('{', "attribute value"); !ok {
		return err
	}
	for {
		name, err := d.Name()
		if err != nil || name == nil {
			return err
		}
		t := valueType(name)
		if t == record.Empty || d.Kind() == 'n' { // null is an unset field
			if err := d.Skip(); err != nil {
				return err
			}
			continue
		}
		*v = record.Value{Type: t}
		switch t {
		case record.String:
			err = d.Str("stringValue", &v.S)
		case record.Int:
			err = d.Int("intValue", &v.I)
		case record.Double:
			err = d.Double("doubleValue", &v.D)
		case record.Bool:
			err = d.Boolean("boolValue", &v.B)
		case record.Bytes:
			err = d.Bytes("bytesValue", &v.S)
		case record.List:
			err = d.values("arrayValue", func() error {
				if err := d.Element("attributes"); err != nil {
					return err
				}
				v.List = append(v.List, record.Value{})
				return d.value(&v.List[len(v.List)-1], depth-1)
			})
		case record.Map:
			err = d.object("kvlistValue", func() error { return d.keyValues(&v.Map, depth-1) })
		}
		if err != nil {
			return err
		}
	}
}

// valueType returns the type that a member of an AnyValue gives it.
func valueType(name []byte) record.Type {
	switch string(name) {
	case "stringValue", "string_value":
		return record.String
	case "intValue", "int_value":
		return record.Int
	case "doubleValue", "double_value":
		return record.Double
	case "boolValue", "bool_value":
		return record.Bool
	case "bytesValue", "bytes_value":
		return record.Bytes
	case "arrayValue", "array_value":
		return record.List
	case "kvlistValue", "kvlist_value":
		return record.Map
	}
	return record.Empty
}

// values reads an object whose member "values" is an array.
func (d *jsonDecoder) values(what string, read func() error) error {
	return d.object(what, func() error { return d.Each(what, read) })
}

// object reads an object by its member "values".
func (d *jsonDecoder) object(what string, values func() error) error {
	if ok, err := d.Open('{', what); !ok {
		return err
	}
	for {
		name, err := d.Name()
		if err != nil || name == nil {
			return err
		}
		if string(name) == "values" {
			err = values()
		} else {
			err = d.Skip()
		}
		if err != nil {
			return err
		}
	}
}

// The names of the enums of OTLP, by number.
var (
	kinds = [...]string{"SPAN_KIND_UNSPECIFIED", "SPAN_KIND_INTERNAL", "SPAN_KIND_SERVER",
		"SPAN_KIND_CLIENT", "SPAN_KIND_PRODUCER", "SPAN_KIND_CONSUMER"}
	statuses = [...]string{"STATUS_CODE_UNSET", "STATUS_CODE_OK", "STATUS_CODE_ERROR"}
)
