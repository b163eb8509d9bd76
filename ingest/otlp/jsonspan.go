package otlp

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/retryaudit/retryaudit/analyzer/trace"
	"github.com/retryaudit/retryaudit/ingest/record"
)

// readSpan reads a span and delivers it.
func (d *jsonDecoder) readSpan() error {
	return d.limited("span", d.spanMembers)
}

func (d *jsonDecoder) spanMembers() error {
	reset(&d.span)
	d.span.Line, d.span.Offset = d.startLine, d.start
	if ok, err := d.open('{', "span"); !ok {
		return err
	}
	broken, orphan := false, false // an ID is, the parent's ID is
	for {
		name, err := d.name()
		if err != nil {
			return err
		}
		if name == nil {
			break
		}
		s := &d.span
		switch string(name) {
		case "traceId", "trace_id":
			err = d.id("trace ID", s.Trace[:], &broken)
		case "spanId", "span_id":
			err = d.id("span ID", s.ID[:], &broken)
		case "parentSpanId", "parent_span_id":
			err = d.id("parent span ID", s.Parent[:], &orphan)
		case "traceState", "trace_state":
			err = d.str("trace state", &s.TraceState)
		case "name":
			err = d.str("span name", &s.Name)
		case "kind":
			var v int
			v, err = d.enum("span kind", kinds[:])
			s.Kind = trace.Kind(v)
		case "startTimeUnixNano", "start_time_unix_nano":
			err = d.time("start time", &s.Start)
		case "endTimeUnixNano", "end_time_unix_nano":
			err = d.time("end time", &s.End)
		case "attributes":
			err = d.attributes(&s.Attrs)
		case "events":
			err = d.each("events", d.event)
		case "links":
			err = d.each("links", d.link)
		case "status":
			err = d.status()
		default:
			err = d.dec.SkipValue()
		}
		if err != nil {
			return err
		}
		if err := d.bounded("span"); err != nil {
			return err
		}
	}
	if broken {
		return nil // is reported
	}
	return d.deliver()
}

// errElements says that a span or resource has more elements than it may.
var errElements = errors.New("too many elements")

// limited reads a span or a resource and skips it if it has too many elements.
func (d *jsonDecoder) limited(what string, read func() error) error {
	d.startLine, d.start = d.begin()
	d.elements = 0
	depth := d.dec.StackDepth()
	err := read()
	if err != errElements {
		return err
	}
	d.tooManyElements(what, d.startLine, d.start)
	for d.dec.StackDepth() > depth {
		if k := d.dec.PeekKind(); k == '}' || k == ']' || k == 0 {
			_, err = d.dec.ReadToken()
		} else {
			err = d.dec.SkipValue()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// element counts an attribute, a value in a list, an event or a link, and
// fails when they are too many or too large to be held.
func (d *jsonDecoder) element(what string) error {
	if d.elements++; d.elements > d.lim.MaxElements {
		return errElements
	}
	return d.bounded(what)
}

// bounded fails when what began at d.start is too large to be held.
func (d *jsonDecoder) bounded(what string) error {
	if n := d.offset() - d.start; n > int64(d.lim.MaxMessage) {
		return fmt.Errorf("%s of more than %d bytes (MaxMessage): %w", what, d.lim.MaxMessage, errLimit)
	}
	return nil
}

func (d *jsonDecoder) status() error {
	if ok, err := d.open('{', "status"); !ok {
		return err
	}
	for {
		name, err := d.name()
		if err != nil || name == nil {
			return err
		}
		switch string(name) {
		case "code":
			var v int
			v, err = d.enum("status code", statuses[:])
			d.span.Status = record.Status(v)
		case "message":
			err = d.str("status message", &d.span.StatusMessage)
		default:
			err = d.dec.SkipValue()
		}
		if err != nil {
			return err
		}
	}
}

func (d *jsonDecoder) event() error {
	if ok, err := d.open('{', "event"); !ok {
		return err
	}
	if err := d.element("span"); err != nil {
		return err
	}
	e := nextEvent(&d.span)
	for {
		name, err := d.name()
		if err != nil || name == nil {
			return err
		}
		switch string(name) {
		case "name":
			err = d.str("event name", &e.Name)
		case "timeUnixNano", "time_unix_nano":
			err = d.time("event time", &e.Time)
		case "attributes":
			err = d.attributes(&e.Attrs)
		default:
			err = d.dec.SkipValue()
		}
		if err != nil {
			return err
		}
	}
}

func (d *jsonDecoder) link() error {
	if ok, err := d.open('{', "link"); !ok {
		return err
	}
	if err := d.element("span"); err != nil {
		return err
	}
	l := nextLink(&d.span)
	broken := false
	for {
		name, err := d.name()
		if err != nil {
			return err
		}
		if name == nil {
			break
		}
		switch string(name) {
		case "traceId", "trace_id":
			err = d.id("trace ID of a link", l.Trace[:], &broken)
		case "spanId", "span_id":
			err = d.id("span ID of a link", l.ID[:], &broken)
		case "attributes":
			err = d.attributes(&l.Attrs)
		default:
			err = d.dec.SkipValue()
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
	return d.keyValues(to, d.lim.MaxDepth)
}

// keyValues appends an array of KeyValue.
func (d *jsonDecoder) keyValues(to *[]record.Attr, depth int) error {
	if ok, err := d.open('[', "attributes"); !ok {
		return err
	}
	for d.dec.PeekKind() != ']' {
		ok, err := d.open('{', "attribute")
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		if err := d.element("attributes"); err != nil {
			return err
		}
		*to = append(*to, record.Attr{})
		for {
			name, err := d.name()
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
				err = d.str("attribute key", &a.Key)
			case "value":
				err = d.value(&a.Value, depth)
			default:
				err = d.dec.SkipValue()
			}
			if err != nil {
				return err
			}
		}
	}
	_, err := d.dec.ReadToken()
	return err
}

// value reads an AnyValue that may be depth deep.
func (d *jsonDecoder) value(v *record.Value, depth int) error {
	if depth == 0 {
		line, offset := d.begin()
		d.problem(faultDepth, line, offset, "attribute value of more than %d levels (MaxDepth); left empty", d.lim.MaxDepth)
		return d.dec.SkipValue()
	}
	if ok, err := d.open('{', "attribute value"); !ok {
		return err
	}
	for {
		name, err := d.name()
		if err != nil || name == nil {
			return err
		}
		t := valueType(name)
		if t == record.Empty || d.dec.PeekKind() == 'n' { // null is an unset field
			if err := d.dec.SkipValue(); err != nil {
				return err
			}
			continue
		}
		*v = record.Value{Type: t}
		switch t {
		case record.String:
			err = d.str("stringValue", &v.S)
		case record.Int:
			err = d.int("intValue", &v.I)
		case record.Double:
			err = d.double("doubleValue", &v.D)
		case record.Bool:
			err = d.boolean("boolValue", &v.B)
		case record.Bytes:
			err = d.bytes("bytesValue", &v.S)
		case record.List:
			err = d.values("arrayValue", func() error {
				if err := d.element("attributes"); err != nil {
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
	return d.object(what, func() error { return d.each(what, read) })
}

// object reads an object by its member "values".
func (d *jsonDecoder) object(what string, values func() error) error {
	if ok, err := d.open('{', what); !ok {
		return err
	}
	for {
		name, err := d.name()
		if err != nil || name == nil {
			return err
		}
		if string(name) == "values" {
			err = values()
		} else {
			err = d.dec.SkipValue()
		}
		if err != nil {
			return err
		}
	}
}

// text reads a string; ok is false for null and, reported, for other kinds.
// The bytes are valid until the next read.
func (d *jsonDecoder) text(what string) (b []byte, ok bool, err error) {
	switch d.dec.PeekKind() {
	case '"', 0:
		v, err := d.dec.ReadValue()
		if err != nil {
			return nil, false, err
		}
		return d.unquote(v), true, nil
	case 'n':
		return nil, false, d.dec.SkipValue()
	}
	return nil, false, d.wrongKind(what, "a string")
}

func (d *jsonDecoder) str(what string, to *string) error {
	b, ok, err := d.text(what)
	if !ok {
		return err
	}
	if len(b) > d.lim.MaxString {
		line, offset := d.here()
		*to = d.clip(string(b), line, offset)
		return nil
	}
	*to = d.names.of(b)
	return nil
}

// here is the place of the string or number just read.
func (d *jsonDecoder) here() (line int, offset int64) {
	return d.lineAt(d.offset()), d.valueAt
}

// scalar reads a number, or a string that is to be read as one.
func (d *jsonDecoder) scalar(what, want string) (b []byte, ok bool, err error) {
	switch d.dec.PeekKind() {
	case '0':
		v, err := d.dec.ReadValue()
		d.valueAt = d.offset() - int64(len(v))
		return v, err == nil, err
	case '"', 'n', 0:
		return d.text(what)
	}
	return nil, false, d.wrongKind(what, want)
}

// wrongText reports a value that was read.
func (d *jsonDecoder) wrongText(what string, got []byte, want string) {
	line, offset := d.here()
	d.problem(faultValue, line, offset, "%s: found %q; want %s", what, excerpt(string(got)), want)
}

// whole reads an integer that is written with a fraction or an exponent, as
// JavaScript writes great ones.
func whole(b []byte) (float64, bool) {
	f, err := strconv.ParseFloat(string(b), 64)
	return f, err == nil && f == math.Trunc(f)
}

func (d *jsonDecoder) int(what string, to *int64) error {
	const want = "an integer of 64 bits"
	b, ok, err := d.scalar(what, want)
	if !ok {
		return err
	}
	v, err := strconv.ParseInt(string(b), 10, 64)
	if err != nil {
		f, ok := whole(b)
		if !ok || f < math.MinInt64 || f >= math.MaxInt64 {
			d.wrongText(what, b, want)
			return nil
		}
		v = int64(f)
	}
	*to = v
	return nil
}

func (d *jsonDecoder) time(what string, to *int64) error {
	const want = "ns since 1970"
	b, ok, err := d.scalar(what, want)
	if !ok || len(b) == 0 {
		return err
	}
	v, err := strconv.ParseUint(string(b), 10, 64)
	if err != nil {
		f, ok := whole(b)
		if !ok || f < 0 || f >= math.MaxInt64 {
			d.wrongText(what, b, want)
			return nil
		}
		v = uint64(f)
	}
	line, offset := 0, int64(0)
	if int64(v) < 0 {
		line, offset = d.here()
	}
	*to = d.nanos(v, line, offset)
	return nil
}

func (d *jsonDecoder) double(what string, to *float64) error {
	const want = "a number"
	b, ok, err := d.scalar(what, want)
	if !ok {
		return err
	}
	v, err := strconv.ParseFloat(string(b), 64)
	if err != nil {
		d.wrongText(what, b, want)
		return nil
	}
	*to = v
	return nil
}

func (d *jsonDecoder) boolean(what string, to *bool) error {
	switch d.dec.PeekKind() {
	case 't', 'f', 0:
		t, err := d.dec.ReadToken()
		if err != nil {
			return err
		}
		*to = t.Bool()
		return nil
	}
	return d.wrongKind(what, "a boolean")
}

func (d *jsonDecoder) bytes(what string, to *string) error {
	b, ok, err := d.text(what)
	if !ok {
		return err
	}
	v, ok := fromBase64(b)
	if !ok {
		d.wrongText(what, b, "base64")
		return nil
	}
	line, offset := d.here()
	*to = d.clip(string(v), line, offset)
	return nil
}

// fromBase64 reads both alphabets, with or without padding.
func fromBase64(b []byte) ([]byte, bool) {
	b = bytes.TrimRight(b, "=")
	enc := base64.RawStdEncoding
	if bytes.ContainsAny(b, "-_") {
		enc = base64.RawURLEncoding
	}
	v, err := enc.AppendDecode(nil, b)
	return v, err == nil
}

// id reads an ID as hex, which OTLP wants, or as base64, which plain protobuf
// libraries write. An empty one is zero.
func (d *jsonDecoder) id(what string, to []byte, broken *bool) error {
	b, ok, err := d.text(what)
	if !ok {
		return err
	}
	switch len(b) {
	case 0:
		return nil
	case 2 * len(to):
		if _, err := hex.Decode(to, b); err == nil {
			return nil
		}
	case base64.StdEncoding.EncodedLen(len(to)), base64.RawStdEncoding.EncodedLen(len(to)):
		if v, ok := fromBase64(b); ok && len(v) == len(to) {
			copy(to, v)
			return nil
		}
	}
	*broken = true
	clear(to)
	line, offset := d.here()
	d.problem(faultID, line, offset, "%s: found %q of %d characters; want %d hex digits", what, excerpt(string(b)), len(b), 2*len(to))
	return nil
}

// The names of the enums of OTLP, by number.
var (
	kinds = [...]string{"SPAN_KIND_UNSPECIFIED", "SPAN_KIND_INTERNAL", "SPAN_KIND_SERVER",
		"SPAN_KIND_CLIENT", "SPAN_KIND_PRODUCER", "SPAN_KIND_CONSUMER"}
	statuses = [...]string{"STATUS_CODE_UNSET", "STATUS_CODE_OK", "STATUS_CODE_ERROR"}
)

// enum reads the number of one of the names, or the name.
func (d *jsonDecoder) enum(what string, names []string) (int, error) {
	b, ok, err := d.scalar(what, "a number or a name")
	if !ok {
		return 0, err
	}
	if v, err := strconv.Atoi(string(b)); err == nil && v >= 0 && v < len(names) {
		return v, nil
	}
	for i, name := range names {
		word := name[strings.LastIndexByte(name, '_')+1:] // as some writers shorten it
		if strings.EqualFold(string(b), name) || strings.EqualFold(string(b), word) {
			return i, nil
		}
	}
	d.wrongText(what, b, fmt.Sprintf("0 to %d or a name like %s", len(names)-1, names[len(names)-1]))
	return 0, nil
}
