package console

import (
	"io"
	"regexp"
	"strings"

	"github.com/retryaudit/retryaudit/ingest/decode"
	"github.com/retryaudit/retryaudit/ingest/record"
)

// dotnetDecoder gathers the lines of a span and hands it on when it ends.
type dotnetDecoder struct {
	decode.Sink
	in      *lines
	foreign foreign

	// Of the span that is open.
	span     *dotnetSpan
	logging  bool // a log entry stands between the lines of the span
	large    bool // above a limit
	size     int
	elements int
	// What follows an empty line is a part of the last value if the span goes
	// on behind it, else no part of the span.
	blank bool
	held  []heldLine
}

type heldLine struct {
	text   string
	line   int
	offset int64
}

// ReadDotNet reads what the ConsoleActivityExporter of .NET prints
// (opentelemetry-dotnet, src/OpenTelemetry.Exporter.Console), of all versions
// from 1.0 on. The result is valid with an error, too. An error is one of emit
// or of r.
func ReadDotNet(r io.Reader, lim decode.Limits, emit func(*record.Span) error) (decode.Result, error) {
	d := &dotnetDecoder{Sink: decode.NewSink(lim, emit), in: newLines(r)}
	err := d.all()
	d.foreign.report(&d.Result)
	return d.Result, decode.Unstop(err)
}

// section is a part of a span whose lines are indented.
type section int

const (
	fields section = iota
	tags
	events
	links
	scope
	resource
	skipped
)

var sections = map[string]section{
	"Activity.Tags":                          tags,
	"Activity.TagObjects":                    tags,
	"Activity.Events":                        events,
	"Activity.Links":                         links,
	"Activity.Baggage":                       skipped,
	"Instrumentation scope (ActivitySource)": scope,
	"Resource associated with Activity":      resource,
}

func (d *dotnetDecoder) all() error {
	var whole []byte
	for {
		b := d.in.next()
		if len(b) == 0 {
			break
		}
		line, offset := d.in.line, d.in.offset
		for whole = append(whole[:0], b...); !d.in.ended; {
			if b = d.in.next(); len(b) == 0 {
				break
			}
			if len(whole) <= d.MaxMessage {
				whole = append(whole, b...)
			}
		}
		if err := d.line(string(trimEnd(uncoloured(whole))), line, offset); err != nil {
			return err
		}
	}
	if err := d.close(); err != nil {
		return err
	}
	return inputError(&d.Sink, d.in)
}

// field is a line in the first column that belongs to a span.
var field = regexp.MustCompile(`^(?:(Activity\.[A-Za-z]+|StatusCode|StatusDescription) *:|(Instrumentation scope \(ActivitySource\)|Resource associated with Activity):)(.*)$`)

// logEntry is the first line of an entry of .NET's simple console logger; the
// others are indented by six (dotnet/runtime, SimpleConsoleFormatter.cs).
var logEntry = regexp.MustCompile(`^(trce|dbug|info|warn|fail|crit): \S+\[\d+\]`)

// heldCost is what a line that is held takes beside its text, bytes.
const heldCost = 64

func (d *dotnetDecoder) line(text string, line int, offset int64) error {
	text = strings.TrimPrefix(text, "\xef\xbb\xbf")
	if m := field.FindStringSubmatch(text); m != nil {
		name, value := m[1]+m[2], strings.TrimSpace(m[3])
		if name == "Activity.TraceId" || name == "Activity.Id" {
			if err := d.close(); err != nil {
				return err
			}
			d.Result.Known = true
			d.span = &dotnetSpan{Span: record.Span{Line: line, Offset: offset}, sink: &d.Sink}
		}
		if d.span != nil {
			d.goOn()
			d.count(len(text))
			d.span.field(name, value)
			return nil
		}
	}
	empty := strings.Trim(text, " \t\x00") == ""
	if strings.IndexByte(text, 0) >= 0 {
		d.Problem(decode.FaultSyntax, line, offset, "found %d NUL bytes in a line; skipped them", strings.Count(text, "\x00"))
		text = strings.ReplaceAll(text, "\x00", "")
	}
	switch {
	case d.span == nil:
		if !empty {
			d.foreign.add(line, offset)
		}
	case empty && (d.span.section == scope || d.span.section == resource):
		return d.close()
	case logEntry.MatchString(text), d.logging && strings.HasPrefix(text, "      "):
		d.logging = true
		d.foreign.add(line, offset)
		return nil
	case empty || d.blank:
		d.blank = true
		d.held = append(d.held, heldLine{text, line, offset})
		if d.size += len(text) + heldCost; d.size > d.MaxMessage {
			return d.close()
		}
	default:
		d.add(text, line, offset)
	}
	d.logging = false
	return nil
}

// goOn takes the lines that were held behind an empty one as part of the span.
func (d *dotnetDecoder) goOn() {
	for _, h := range d.held {
		d.add(h.text, h.line, h.offset)
	}
	d.held, d.blank, d.logging = d.held[:0], false, false
}

func (d *dotnetDecoder) add(text string, line int, offset int64) {
	d.count(len(text))
	if !d.large && !d.span.add(text) && text != "" {
		d.foreign.add(line, offset)
	}
}

// count tells whether the span is within the limits; what is above is not
// kept.
func (d *dotnetDecoder) count(n int) {
	d.size += n + 1
	d.elements++
	switch {
	case d.large:
	case d.size > d.MaxMessage:
		d.large = true
		d.Problem(decode.FaultSize, d.span.Line, d.span.Offset, "span of more than %d bytes (MaxMessage): %v; skipped", d.MaxMessage, decode.ErrLimit)
	case d.elements > d.MaxElements:
		d.large = true
		d.TooManyElements("span", d.span.Line, d.span.Offset)
	}
}

// close hands the open span on.
func (d *dotnetDecoder) close() error {
	for _, h := range d.held {
		if h.text != "" {
			d.foreign.add(h.line, h.offset)
		}
	}
	s, large := d.span, d.large
	d.span, d.large, d.size, d.elements = nil, false, 0, 0
	d.held, d.blank, d.logging = d.held[:0], false, false
	if s == nil || large {
		return nil
	}
	if !s.finish() {
		return nil
	}
	return d.Span(&s.Span)
}
