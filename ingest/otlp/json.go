package otlp

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/retryaudit/retryaudit/ingest/record"
)

// jsonDecoder reads OTLP JSON a span at a time.
type jsonDecoder struct {
	sink
	*source
	names   *interner
	scratch []byte // an unquoted string

	span        record.Span
	resource    []record.Attr
	scope       string
	version     string // of the scope
	hasResource bool   // of the current ResourceSpans
	hasScope    bool   // of the current ScopeSpans
	held        []record.Span
	heldFrom    int64 // offset of the first held span
	heldParts   int   // the held spans and their elements
	start       int64 // offset of the span or resource that is read
	startLine   int
	elements    int   // of it so far
	valueAt     int64 // offset of the last string or number
}

// ReadJSON reads OTLP JSON: an object, several of them with or without
// anything between them, or arrays of them. The result is valid with an error,
// too. An error is one of emit or of r; all that is wrong with the content is
// a problem.
func ReadJSON(r io.Reader, lim Limits, emit func(*record.Span) error) (Result, error) {
	d := &jsonDecoder{
		sink:   newSink(lim, emit),
		source: newSource(r, lim.MaxMessage),
		names:  newInterner(),
	}
	err := d.all()
	return d.result, unstop(err)
}

// skippedLine ends the problems behind which a record is sought.
const skippedLine = "skipped to the next line that begins a record"

// errForeign says that what follows in the line is not worth reading: a log
// line, for instance, that begins with a number.
var errForeign = errors.New("no record in this line")

// all reads record after record and begins anew behind those that are broken.
func (d *jsonDecoder) all() error {
	resumed := false
	for {
		line, offset := d.begin()
		err := d.record()
		if err == nil {
			continue
		}
		if err == io.EOF {
			return nil
		}
		if stop := (*stopped)(nil); errors.As(err, &stop) {
			return err
		}
		// What was read before the error is whole; only its resource or scope
		// may be unknown.
		if err := d.release(); err != nil {
			return err
		}
		syntax := (*jsontext.SyntacticError)(nil)
		switch {
		case errors.Is(err, io.ErrUnexpectedEOF) && d.err == io.EOF:
			d.problem(faultSyntax, line, offset, "unexpected end of the input in the record that begins here; want it closed")
			return nil
		case errors.Is(err, errNewRecord):
			d.problem(faultSyntax, line, offset, "%v", errNewRecord)
			d.reset()
			resumed = true
			continue
		case err == errForeign:
			d.resume(d.offset())
		case errors.Is(err, errLimit):
			d.problem(faultSize, line, offset, "%v; %s", err, skippedLine)
			d.resume(d.offset())
		case errors.As(err, &syntax):
			at := d.shift + syntax.ByteOffset
			if c := d.byteAt(at); resumed && (c == ',' || c == ']') {
				// Between the elements of an array whose beginning was lost.
				d.resume(at + 1)
				continue
			}
			if d.syntaxError(at, syntax.Err, line, offset) {
				resumed = true
				continue
			}
		default:
			return d.readError(line, offset)
		}
		resumed = true
		if !d.skipLine() {
			return d.readError(d.place())
		}
		d.reset()
	}
}

// syntaxError reports broken JSON at an offset in the record that begins at
// line and offset, and goes behind it. It reports whether a record may begin
// there, in the same line.
func (d *jsonDecoder) syntaxError(at int64, err error, line int, offset int64) bool {
	lineAt, c := d.lineAt(at), d.byteAt(at)
	within := d.dec.StackDepth() > d.records
	d.resume(at)
	nuls, marked := d.skipMarks()
	d.reset()
	next := d.nextByte()
	begins := marked && (!within || next == '{' || next == '[')
	switch {
	case begins && within:
		d.problem(faultSyntax, line, offset, "%v", errNewRecord)
	case begins && nuls > 0:
		d.problem(faultSyntax, lineAt, at, "found %d NUL bytes between records; skipped", nuls)
	case begins: // a separator or a byte order mark
	case c == '\n' || c == '\r':
		d.problem(faultSyntax, lineAt, at, "broken JSON: unexpected end of the line within a value; %s", skippedLine)
	default:
		d.problem(faultSyntax, lineAt, at, "broken JSON: %v; %s", err, skippedLine)
	}
	return begins
}

// readError reports that the input failed, unless it just ended.
func (d *jsonDecoder) readError(line int, offset int64) error {
	if d.err == io.EOF {
		return nil
	}
	d.problem(faultSyntax, line, offset, "%v; the input is not read from here on", d.err)
	return d.err
}

// byteAt is the byte at an offset that the decoder still holds, or 0.
func (d *jsonDecoder) byteAt(offset int64) byte {
	b := d.dec.UnreadBuffer()
	if i := offset - d.offset(); i >= 0 && i < int64(len(b)) {
		return b[i]
	}
	return 0
}

// record reads one value of the outermost level, or the brackets around.
func (d *jsonDecoder) record() error {
	switch d.dec.PeekKind() {
	case '[':
		if d.records == 0 {
			_, err := d.dec.ReadToken()
			d.records = 1
			return err
		}
	case ']':
		_, err := d.dec.ReadToken()
		d.records = 0
		return err
	case '{':
		return d.message()
	case 0:
		_, err := d.dec.ReadToken()
		return err
	}
	line, offset := d.begin()
	found := kindName(d.dec.PeekKind())
	if err := d.dec.SkipValue(); err != nil {
		return err
	}
	d.problem(faultForeign, line, offset, "found %s; want an object with resourceSpans", found)
	if d.records == 0 {
		return errForeign
	}
	return nil
}

// message reads an ExportTraceServiceRequest, which is a TracesData, too.
func (d *jsonDecoder) message() error {
	line, offset := d.begin()
	known, err := d.members(true)
	if err == nil && !known {
		d.problem(faultForeign, line, offset, "found an object without resourceSpans; want OTLP JSON")
	}
	return err
}

// members reads the members of a message and reports whether one is of OTLP,
// or there is none.
// In its answers Tempo puts the message into a member "trace".
func (d *jsonDecoder) members(outermost bool) (known bool, err error) {
	if _, err := d.dec.ReadToken(); err != nil {
		return false, err
	}
	known = d.dec.PeekKind() == '}' // an empty request
	for {
		name, err := d.name()
		if err != nil || name == nil {
			return known, err
		}
		signal := ""
		switch string(name) {
		case "resourceSpans", "resource_spans", "batches":
			known, d.result.Known = true, true
			err = d.each("resourceSpans", d.resourceSpans)
		case "trace":
			if outermost && d.dec.PeekKind() == '{' {
				var inner bool
				inner, err = d.members(false)
				known = known || inner
			} else {
				err = d.dec.SkipValue()
			}
		case "resourceMetrics", "resource_metrics":
			signal = "metrics"
		case "resourceLogs", "resource_logs":
			signal = "logs"
		case "resourceProfiles", "resource_profiles":
			signal = "profiles"
		default:
			err = d.dec.SkipValue()
		}
		if signal != "" {
			known, d.result.Known = true, true
			err = d.each(signal, func() error {
				err := d.dec.SkipValue()
				if err == nil {
					d.skipped(signal)
				}
				return err
			})
		}
		if err != nil {
			return known, err
		}
	}
}

// resourceSpans reads a ResourceSpans. Where the spans stand before their
// resource they are held until it came.
func (d *jsonDecoder) resourceSpans() error {
	if ok, err := d.open('{', "resourceSpans"); !ok {
		return err
	}
	d.resource = d.resource[:0]
	d.hasResource = false
	for {
		name, err := d.name()
		if err != nil {
			return err
		}
		if name == nil {
			return d.release()
		}
		switch string(name) {
		case "resource":
			d.hasResource = true
			err = d.readResource()
		case "scopeSpans", "scope_spans", "instrumentationLibrarySpans", "instrumentation_library_spans":
			err = d.each("scopeSpans", d.scopeSpans)
		default:
			err = d.dec.SkipValue()
		}
		if err != nil {
			return err
		}
	}
}

func (d *jsonDecoder) readResource() error {
	err := d.limited("resource", d.resourceMembers)
	if d.elements > d.lim.MaxElements {
		d.resource = d.resource[:0]
	}
	return err
}

func (d *jsonDecoder) resourceMembers() error {
	if ok, err := d.open('{', "resource"); !ok {
		return err
	}
	for {
		name, err := d.name()
		if err != nil || name == nil {
			return err
		}
		if string(name) == "attributes" {
			err = d.attributes(&d.resource)
		} else {
			err = d.dec.SkipValue()
		}
		if err != nil {
			return err
		}
	}
}

func (d *jsonDecoder) scopeSpans() error {
	if ok, err := d.open('{', "scopeSpans"); !ok {
		return err
	}
	d.scope, d.version = "", ""
	d.hasScope = false
	first := len(d.held)
	for {
		name, err := d.name()
		if err != nil {
			return err
		}
		if name == nil {
			for i := min(first, len(d.held)); i < len(d.held); i++ {
				d.held[i].Scope, d.held[i].ScopeVersion = d.scope, d.version
			}
			if d.hasResource {
				return d.release()
			}
			return nil
		}
		switch string(name) {
		case "scope", "instrumentationLibrary", "instrumentation_library":
			d.hasScope = true
			err = d.readScope()
		case "spans":
			err = d.each("spans", d.readSpan)
		default:
			err = d.dec.SkipValue()
		}
		if err != nil {
			return err
		}
	}
}

func (d *jsonDecoder) readScope() error {
	if ok, err := d.open('{', "scope"); !ok {
		return err
	}
	for {
		name, err := d.name()
		if err != nil || name == nil {
			return err
		}
		switch string(name) {
		case "name":
			err = d.str("scope name", &d.scope)
		case "version":
			err = d.str("scope version", &d.version)
		default:
			err = d.dec.SkipValue()
		}
		if err != nil {
			return err
		}
	}
}

// deliver hands the current span on or holds it.
func (d *jsonDecoder) deliver() error {
	if d.hasResource && d.hasScope {
		d.span.Resource = d.resource
		d.span.Scope, d.span.ScopeVersion = d.scope, d.version
		return d.sink.span(&d.span)
	}
	if len(d.held) == 0 {
		d.heldFrom = d.span.Offset
	}
	if d.hasScope {
		d.span.Scope, d.span.ScopeVersion = d.scope, d.version
	}
	d.held = append(d.held, d.span)
	d.span = record.Span{} // its slices belong to the held span
	d.heldParts += 1 + d.elements
	found, most := "", ""
	if n := d.offset() - d.heldFrom; n > int64(d.lim.MaxMessage) {
		found, most = fmt.Sprintf("%d bytes of spans", n), fmt.Sprintf("%d (MaxMessage)", d.lim.MaxMessage)
	} else if d.heldParts > d.lim.MaxElements {
		found, most = fmt.Sprintf("%d spans, attributes, values, events and links", d.heldParts), fmt.Sprintf("%d (MaxElements)", d.lim.MaxElements)
	}
	if found != "" {
		d.problem(faultSize, d.held[0].Line, d.heldFrom, "%s before their resource or scope; want at most %s; read without", found, most)
		d.hasResource, d.hasScope = true, true
		return d.release()
	}
	return nil
}

// release hands on the held spans.
func (d *jsonDecoder) release() error {
	for i := range d.held {
		d.held[i].Resource = d.resource
		if err := d.sink.span(&d.held[i]); err != nil {
			return err
		}
	}
	d.held = d.held[:0]
	d.heldParts = 0
	return nil
}

// name reads the name of the next member, without quotes and valid until the
// next read; at the end of the object it reads that and returns nil.
func (d *jsonDecoder) name() ([]byte, error) {
	if d.dec.PeekKind() == '}' {
		_, err := d.dec.ReadToken()
		return nil, err
	}
	v, err := d.dec.ReadValue()
	if err != nil {
		return nil, err
	}
	return d.unquote(v), nil
}

// unquote returns the content of a JSON string, valid until the next read.
func (d *jsonDecoder) unquote(v jsontext.Value) []byte {
	d.valueAt = d.offset() - int64(len(v))
	if b := v[1 : len(v)-1]; plain(b) {
		return b
	}
	// The decoder has checked the syntax; what is left is invalid UTF-8, which
	// AppendUnquote replaces and reports.
	d.scratch, _ = jsontext.AppendUnquote(d.scratch[:0], v)
	return d.scratch
}

// plain reports whether a string stands for itself.
func plain(b []byte) bool {
	for _, c := range b {
		if c == '\\' || c >= 0x80 {
			return false
		}
	}
	return true
}

// open reads the beginning of an object or array. Null stands for an empty
// one; a value of another kind is skipped and reported.
func (d *jsonDecoder) open(kind jsontext.Kind, what string) (bool, error) {
	switch got := d.dec.PeekKind(); got {
	case kind, 0:
		_, err := d.dec.ReadToken()
		return err == nil, err
	case 'n':
		return false, d.dec.SkipValue()
	default:
		return false, d.wrongKind(what, kindName(kind))
	}
}

// each calls read for each element of an array.
func (d *jsonDecoder) each(what string, read func() error) error {
	if ok, err := d.open('[', what); !ok {
		return err
	}
	for d.dec.PeekKind() != ']' {
		if err := read(); err != nil {
			return err
		}
	}
	_, err := d.dec.ReadToken()
	return err
}

// wrongKind skips the next value and reports it.
func (d *jsonDecoder) wrongKind(what, want string) error {
	got := d.dec.PeekKind()
	if got == 0 || got == ']' || got == '}' {
		_, err := d.dec.ReadToken()
		return err
	}
	line, offset := d.begin()
	err := d.dec.SkipValue()
	if err == nil {
		d.problem(faultValue, line, offset, "%s: found %s; want %s", what, kindName(got), want)
	}
	return err
}

func kindName(k jsontext.Kind) string {
	switch k {
	case '{':
		return "an object"
	case '[':
		return "an array"
	case '"':
		return "a string"
	case '0':
		return "a number"
	case 't', 'f':
		return "a boolean"
	case 'n':
		return "null"
	}
	return fmt.Sprintf("%q", strings.TrimSpace(k.String()))
}
