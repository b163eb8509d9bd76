package console

import (
	"bytes"
	"io"
	"math"
	"regexp"
	"strings"

	"github.com/retryaudit/retryaudit/analyzer/trace"
	"github.com/retryaudit/retryaudit/ingest/decode"
	"github.com/retryaudit/retryaudit/ingest/record"
)

// jsDecoder gathers the lines of an object and reads it when it ends.
type jsDecoder struct {
	decode.Sink
	in      *lines
	foreign foreign

	// Of the object that is open.
	open   bool
	joined bool // its first member stands in the line of its brace
	large  bool // above MaxMessage
	block  []byte
	line   int
	offset int64
}

// ReadJavaScript reads what the ConsoleSpanExporter of the JavaScript SDK
// (opentelemetry-js, sdk-trace-base/src/export/ConsoleSpanExporter.ts) prints
// with console.dir on Node.js. The result is valid with an error, too. An
// error is one of emit or of r.
func ReadJavaScript(r io.Reader, lim decode.Limits, emit func(*record.Span) error) (decode.Result, error) {
	d := &jsDecoder{Sink: decode.NewSink(lim, emit), in: newLines(r)}
	err := d.all()
	d.foreign.report(&d.Result)
	return d.Result, decode.Unstop(err)
}

// begin is a line in which an object may begin, perhaps with the name of its
// class; Node.js before 12 put the first member behind the brace.
var begin = regexp.MustCompile(`^(<ref \*\d+> )?([A-Za-z_$][\w$.]* )?\{( (resource|traceId): .*)?$`)

func (d *jsDecoder) all() error {
	for {
		b := d.in.next()
		if len(b) == 0 {
			break
		}
		if err := d.piece(uncoloured(b)); err != nil {
			return err
		}
	}
	if d.open && d.joined {
		if err := d.close(); err != nil {
			return err
		}
	}
	if d.open {
		d.Problem(decode.FaultSyntax, d.line, d.offset, "unexpected end of the input in the object that begins here; want it closed")
	}
	return inputError(&d.Sink, d.in)
}

func (d *jsDecoder) piece(b []byte) error {
	if !d.in.begins {
		d.add(b)
		return nil
	}
	b = bytes.TrimPrefix(b, []byte("\xef\xbb\xbf"))
	text := trimEnd(b)
	if d.open && len(text) > 0 && text[0] != ' ' && d.joined {
		if err := d.close(); err != nil {
			return err
		}
	}
	switch {
	case begin.Match(text):
		if d.open {
			d.Problem(decode.FaultSyntax, d.line, d.offset, "unexpected end of an object: the next one begins before it is closed")
		}
		d.open, d.large = true, false
		d.joined = text[len(text)-1] != '{'
		d.line, d.offset, d.block = d.in.line, d.in.offset, d.block[:0]
		d.add(b)
	case d.open && (len(text) == 0 || text[0] == ' '):
		d.add(b)
	case d.open && text[0] == '}':
		d.add(b)
		return d.close()
	case len(bytes.Trim(text, between)) > 0:
		d.foreign.add(d.in.line, d.in.offset)
		fallthrough
	default:
		// Printed between the lines of the object by another thread or process.
		d.add([]byte{'\n'})
	}
	return nil
}

func (d *jsDecoder) add(b []byte) {
	if !d.open || d.large {
		return
	}
	if line, ok := bytes.CutSuffix(b, []byte("\r\n")); ok {
		d.block = append(d.block, line...)
		b = b[len(b)-1:]
	}
	if d.large = len(d.block)+len(b) > d.MaxMessage; d.large {
		d.Problem(decode.FaultSize, d.line, d.offset, "object of more than %d bytes (MaxMessage): %v; skipped", d.MaxMessage, decode.ErrLimit)
		return
	}
	d.block = append(d.block, b...)
}

// close reads the object that ends here.
func (d *jsDecoder) close() error {
	d.open = false
	if d.large {
		return nil
	}
	if !bytes.Contains(d.block, []byte("traceId: ")) {
		d.foreign.add(d.line, d.offset)
		return nil
	}
	o := decode.Object{Line: d.line, Offset: d.offset}
	p := &inspected{Sink: &d.Sink, text: string(d.block), line: d.line, offset: d.offset}
	err := p.value(&o.Value, d.MaxDepth+1)
	if rest := strings.TrimSpace(p.text[p.at:]); err == nil && rest != "" {
		err = p.wrong("the end of the object")
	}
	switch {
	case err == errElements:
		d.TooManyElements("object", d.line, d.offset)
	case err != nil:
		d.Problem(decode.FaultSyntax, p.here(), d.offset, "broken object: %v; skipped it", err)
	case decode.Member(&o.Value, "traceId") == nil:
		d.foreign.add(d.line, d.offset)
	default:
		return d.span(&o)
	}
	return nil
}

func (d *jsDecoder) span(o *decode.Object) error {
	d.Result.Known = true
	member := func(names ...string) *record.Value { return decode.Member(&o.Value, names...) }
	s := record.Span{Line: o.Line, Offset: o.Offset, Name: decode.Text(member("name"))}
	okTrace := d.HexID(o, "trace ID", member("traceId"), s.Trace[:])
	okSpan := d.HexID(o, "span ID", member("id"), s.ID[:])
	if !okTrace || !okSpan {
		return nil
	}
	// SDK 1.x knows the parent's ID, 2.x its context.
	parent := member("parentId")
	if p := decode.At(&o.Value, "parentSpanContext", "spanId"); p != nil {
		parent = p
	}
	d.HexID(o, "parent span ID", parent, s.Parent[:])
	s.TraceState = decode.Text(member("traceState"))
	// opentelemetry-js/api/src/trace/span_kind.ts counts from INTERNAL = 0.
	if k := member("kind"); k != nil && k.Type == record.Int && k.I >= 0 && k.I < int64(trace.Consumer) {
		s.Kind = trace.Kind(k.I) + trace.Internal
	} else {
		s.Kind = decode.Kind(decode.Text(k))
	}
	s.Start = d.TimeOf(o, "timestamp", micros(member("timestamp")), decode.Nanosecond)
	if n, ok := d.DurationOf(o, "duration", micros(member("duration")), decode.Nanosecond); ok && s.Start > 0 && n <= math.MaxInt64-s.Start {
		s.End = s.Start + n
	}
	// opentelemetry-js/api/src/trace/status.ts.
	switch text(member("status"), "code") {
	case "1":
		s.Status = record.OK
	case "2":
		s.Status = record.Error
	}
	s.StatusMessage = text(member("status"), "message")
	scope := member("instrumentationScope", "instrumentationLibrary")
	s.Scope, s.ScopeVersion = text(scope, "name"), text(scope, "version")
	s.Attrs = flatten(member("attributes"))
	s.Resource = flatten(decode.At(&o.Value, "resource", "attributes"))
	for _, e := range decode.List(member("events")) {
		s.Events = append(s.Events, record.Event{
			Name:  text(&e, "name"),
			Time:  d.hrTime(o, decode.Member(&e, "time")),
			Attrs: flatten(decode.Member(&e, "attributes")),
		})
	}
	for _, v := range decode.List(member("links")) {
		l := record.Link{Attrs: flatten(decode.Member(&v, "attributes"))}
		if linkIDs(&d.Sink, o, &l, decode.At(&v, "context", "traceId"), decode.At(&v, "context", "spanId")) {
			s.Links = append(s.Links, l)
		}
	}
	return d.Span(&s)
}

// flatten is decode.Flatten of an object; other values have no attributes.
func flatten(v *record.Value) []record.Attr {
	if decode.Map(v) == nil {
		return nil
	}
	return decode.Flatten(nil, "", v)
}

// micros makes ns of µs with a fraction, rounded.
func micros(v *record.Value) *record.Value {
	if v == nil {
		return nil
	}
	switch {
	case v.Type == record.Int && v.I >= 0 && v.I <= math.MaxInt64/1000:
		return &record.Value{Type: record.Int, I: v.I * 1000}
	case v.Type == record.Double && v.D >= 0:
		return &record.Value{Type: record.Double, D: math.Round(v.D * 1000)}
	case v.Type == record.Int && v.I > 0:
		return &record.Value{Type: record.Double, D: float64(v.I) * 1000}
	}
	return v
}

// hrTime reads the time of an event, [s, ns]; others are dates.
func (d *jsDecoder) hrTime(o *decode.Object, v *record.Value) int64 {
	part := decode.List(v)
	if len(part) != 2 || part[0].Type != record.Int || part[1].Type != record.Int {
		return d.TimeOf(o, "time of an event", v, decode.Millisecond)
	}
	s := d.TimeOf(o, "time of an event", &part[0], decode.Second)
	if ns := part[1].I; s > 0 && ns >= 0 && ns < 1e9 && s <= math.MaxInt64-ns {
		return s + ns
	}
	return s
}
