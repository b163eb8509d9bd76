package decode

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/retryaudit/retryaudit/ingest/record"
)

// JSON reads records out of JSON: objects, several of them with or without
// anything between them, or arrays of them. At no time is more held than one
// value that a decoder asks for.
type JSON struct {
	Sink
	*source
	names   *interner
	scratch []byte // an unquoted string
	valueAt int64  // offset of the last string or number

	// What a record is to be, as in "an object with resourceSpans".
	want string
	// Broken is called, if set, when a record ends by an error.
	Broken func() error

	// Of the element that is being read.
	StartLine int
	Start     int64 // offset
	Elements  int   // in it so far
}

// NewJSON returns a reader of records that are as want says. A line that
// begins with one of the starts begins a record even where the one before was
// not closed, as a writer that died and was started again leaves it; nothing
// within a record may begin a line so.
func NewJSON(r io.Reader, lim Limits, emit func(*record.Span) error, want string, starts ...string) *JSON {
	return &JSON{
		Sink:   NewSink(lim, emit),
		source: newSource(r, lim.MaxMessage, starts),
		names:  newInterner(),
		want:   want,
	}
}

// skippedLine ends the problems behind which a record is sought.
const skippedLine = "skipped to the next line that begins a record"

// errForeign says that what follows in the line is not worth reading: a log
// line, for instance, that begins with a number.
var errForeign = errors.New("no record in this line")

// Records reads record after record, each an object, and begins anew behind
// those that are broken. The result is valid with an error, too. An error is
// one of emit or of the input; all that is wrong with the content is a
// problem.
func (d *JSON) Records(read func() error) (Result, error) {
	err := d.all(read)
	return d.Result, Unstop(err)
}

func (d *JSON) all(read func() error) error {
	resumed := false
	for {
		line, offset := d.Begin()
		err := d.record(read)
		if err == nil {
			continue
		}
		if err == io.EOF {
			return nil
		}
		if stop := (*stopped)(nil); errors.As(err, &stop) {
			return err
		}
		if d.Broken != nil {
			if err := d.Broken(); err != nil {
				return err
			}
		}
		syntax := (*jsontext.SyntacticError)(nil)
		switch {
		case errors.Is(err, io.ErrUnexpectedEOF) && d.err == io.EOF:
			d.Problem(FaultSyntax, line, offset, "unexpected end of the input in the record that begins here; want it closed")
			return nil
		case errors.Is(err, errNewRecord):
			d.Problem(FaultSyntax, line, offset, "%v", errNewRecord)
			d.reset()
			resumed = true
			continue
		case err == errForeign:
			d.resume(d.Offset())
		case errors.Is(err, ErrLimit):
			d.Problem(FaultSize, line, offset, "%v; %s", err, skippedLine)
			d.resume(d.Offset())
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
			if n := len(d.Result.Problems); n > 0 {
				last := &d.Result.Problems[n-1]
				last.Reason = strings.Replace(last.Reason, skippedLine, "the rest of the input is not read, as no further line begins a record", 1)
			}
			return d.readError(d.place())
		}
		d.reset()
	}
}

// syntaxError reports broken JSON at an offset in the record that begins at
// line and offset, and goes behind it. It reports whether a record may begin
// there, in the same line.
func (d *JSON) syntaxError(at int64, err error, line int, offset int64) bool {
	lineAt, c := d.lineAt(at), d.byteAt(at)
	within := d.dec.StackDepth() > d.records
	if within && (c == '{' || c == '[') && d.byteAt(at-1) == '\n' {
		// What was not closed ended with its line.
		d.Problem(FaultSyntax, line, offset, "%v", errNewRecord)
		d.resume(at)
		return true
	}
	d.resume(at)
	nuls, marked := d.skipMarks()
	d.reset()
	next := d.nextByte()
	begins := marked && (!within || next == '{' || next == '[')
	switch {
	case begins && within:
		d.Problem(FaultSyntax, line, offset, "%v", errNewRecord)
	case begins && nuls > 0:
		d.Problem(FaultSyntax, lineAt, at, "found %d NUL bytes between records; skipped", nuls)
	case begins: // a separator or a byte order mark
	case c == '\n' || c == '\r':
		d.Problem(FaultSyntax, lineAt, at, "broken JSON: unexpected end of the line within a value; %s", skippedLine)
	default:
		d.Problem(FaultSyntax, lineAt, at, "broken JSON: %s; %s", syntaxReason(err, c), skippedLine)
	}
	return begins
}

// syntaxReason is what err says of the byte c. The character that err names
// depends on how much of it had been read.
func syntaxReason(err error, c byte) string {
	reason := err.Error()
	for _, what := range []string{"invalid escape sequence", "invalid surrogate pair"} {
		if strings.HasPrefix(reason, what) {
			return what + " in string"
		}
	}
	rest, ok := strings.CutPrefix(reason, "invalid character '")
	if i := strings.Index(rest, "' "); ok && i >= 0 {
		if c < utf8.RuneSelf {
			return fmt.Sprintf("invalid character %q%s", rune(c), rest[i+1:])
		}
		return fmt.Sprintf("invalid character '\\x%x'%s", c, rest[i+1:])
	}
	return reason
}

// readError reports that the input failed, unless it just ended.
func (d *JSON) readError(line int, offset int64) error {
	if d.err == io.EOF {
		return nil
	}
	d.Problem(FaultSyntax, line, offset, "%v; the input is not read from here on", d.err)
	return d.err
}

// byteAt is the byte at an offset that the decoder still holds, or 0.
func (d *JSON) byteAt(offset int64) byte {
	b := d.dec.UnreadBuffer()
	if i := offset - d.Offset(); i >= 0 && i < int64(len(b)) {
		return b[i]
	}
	return 0
}

// maxBrackets is how many arrays may be around a record: Zipkin and Datadog
// write lists of traces that are lists of spans.
const maxBrackets = 2

// record reads one value of the outermost level, or the brackets around.
func (d *JSON) record(read func() error) error {
	switch d.dec.PeekKind() {
	case '[':
		if d.records < maxBrackets {
			_, err := d.dec.ReadToken()
			if err == nil {
				d.records++
			}
			return err
		}
	case ']':
		_, err := d.dec.ReadToken()
		if err == nil {
			d.records--
		}
		return err
	case '{':
		return read()
	case 0:
		_, err := d.dec.ReadToken()
		return err
	}
	line, offset := d.Begin()
	found := kindName(d.dec.PeekKind())
	if err := d.dec.SkipValue(); err != nil {
		return err
	}
	if d.records == 0 {
		d.Problem(FaultForeign, line, offset, "found %s; want %s; %s", found, d.want, skippedLine)
		return errForeign
	}
	d.Problem(FaultForeign, line, offset, "found %s; want %s", found, d.want)
	return nil
}

// Foreign reports the object at line and offset as no record of the format,
// because it lacks what one must have.
func (d *JSON) Foreign(line int, offset int64, lacks string) {
	d.Problem(FaultForeign, line, offset, "found an object without %s; want %s", lacks, d.want)
}

// Kind is the kind of the next value, '}' or ']' at the end of what is open,
// and 0 where an error waits to be read.
func (d *JSON) Kind() jsontext.Kind { return d.dec.PeekKind() }

// Skip skips the next value.
func (d *JSON) Skip() error { return d.dec.SkipValue() }

// Token reads the next brace or bracket.
func (d *JSON) Token() error {
	_, err := d.dec.ReadToken()
	return err
}

// Name reads the name of the next member, without quotes and valid until the
// next read; at the end of the object it reads that and returns nil.
func (d *JSON) Name() ([]byte, error) {
	if d.dec.PeekKind() == '}' {
		return nil, d.Token()
	}
	v, err := d.dec.ReadValue()
	if err != nil {
		return nil, err
	}
	return d.unquote(v), nil
}

// Members calls read with the name of each member of an object, which is valid
// until the next read. Null stands for an empty object; a value of another
// kind is skipped and reported.
func (d *JSON) Members(what string, read func(name []byte) error) error {
	if ok, err := d.Open('{', what); !ok {
		return err
	}
	for {
		name, err := d.Name()
		if err != nil || name == nil {
			return err
		}
		if err := read(name); err != nil {
			return err
		}
	}
}

// unquote returns the content of a JSON string, valid until the next read.
func (d *JSON) unquote(v jsontext.Value) []byte {
	d.valueAt = d.Offset() - int64(len(v))
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

// Open reads the beginning of an object or array. Null stands for an empty
// one; a value of another kind is skipped and reported.
func (d *JSON) Open(kind jsontext.Kind, what string) (bool, error) {
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

// Each calls read for each element of an array.
func (d *JSON) Each(what string, read func() error) error {
	if ok, err := d.Open('[', what); !ok {
		return err
	}
	for d.dec.PeekKind() != ']' {
		if err := read(); err != nil {
			return err
		}
	}
	return d.Token()
}

// wrongKind skips the next value and reports it.
func (d *JSON) wrongKind(what, want string) error {
	got := d.dec.PeekKind()
	if got == 0 || got == ']' || got == '}' {
		return d.Token()
	}
	line, offset := d.Begin()
	err := d.dec.SkipValue()
	if err == nil {
		d.Problem(FaultValue, line, offset, "%s: found %s; want %s", what, kindName(got), want)
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

// errElements says that an element has more in it than it may.
var errElements = errors.New("too many elements")

// Limited reads an element, such as a span, and skips it if it has too much in
// it; complete tells whether it was read.
func (d *JSON) Limited(what string, read func() error) (complete bool, err error) {
	d.StartLine, d.Start = d.Begin()
	d.Elements = 0
	depth := d.dec.StackDepth()
	err = read()
	if err != errElements {
		return err == nil, err
	}
	d.TooManyElements(what, d.StartLine, d.Start)
	for d.dec.StackDepth() > depth {
		if k := d.dec.PeekKind(); k == '}' || k == ']' || k == 0 {
			_, err = d.dec.ReadToken()
		} else {
			err = d.dec.SkipValue()
		}
		if err != nil {
			return false, err
		}
	}
	return false, nil
}

// Element counts an attribute, a value in a list, an event or a link, and
// fails when they are too many or too large to be held.
func (d *JSON) Element(what string) error {
	if d.Elements++; d.Elements > d.MaxElements {
		return errElements
	}
	return d.Bounded(what)
}

// Bounded fails when what began at Start is too large to be held.
func (d *JSON) Bounded(what string) error {
	if n := d.Offset() - d.Start; n > int64(d.MaxMessage) {
		return fmt.Errorf("%s of more than %d bytes (MaxMessage): %w", what, d.MaxMessage, ErrLimit)
	}
	return nil
}
