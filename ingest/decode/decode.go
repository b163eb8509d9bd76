// Package decode is what the decoders of all formats share: the limits, the
// problems, and one streaming reader of JSON.
package decode

import (
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/retryaudit/retryaudit/ingest/record"
)

// Limits bound what a decoder holds. All must be positive.
type Limits struct {
	// MaxString is the size of a string in bytes; longer ones are cut.
	MaxString int
	// MaxDepth is the depth of an attribute value; a plain one has depth 1.
	MaxDepth int
	// MaxMessage is the size in bytes of a span in JSON, of the spans that
	// stand before their resource or scope, and of a ResourceSpans in protobuf.
	MaxMessage int
	// MaxElements is the number of attributes, values in lists, events and
	// links, all together, of a span and of a resource, and of the spans that
	// stand before their resource or scope, with each span as one more.
	MaxElements int
}

// Result is what came of an input.
type Result struct {
	// Known says that at least one record of the format was found.
	Known bool
	// Damaged says that something was broken, not merely of another kind.
	Damaged bool
	Spans   int64
	// Skipped counts the elements of other signals by the signal's name.
	Skipped  map[string]int64
	Problems []Problem
}

// Problem is something that could not be used as it was found.
type Problem struct {
	Line   int    // from 1; 0 where the format has no lines
	Offset int64  // in bytes, of the decompressed input
	Reason string // what was found and what was wanted
	Count  int64  // problems this one stands for; 0 is 1
	// Foreign says that it is no record that could not be read, but something
	// between records, such as a line of a log.
	Foreign bool
}

// MaxSingle is how many problems of one kind are kept one by one; the others
// are counted in one more.
const MaxSingle = 20

// Fault is a kind of problem; it heads the problems that are only counted.
type Fault string

const (
	FaultSyntax  Fault = "input that does not parse"
	FaultForeign Fault = "values of another kind"
	FaultID      Fault = "spans with a wrong ID"
	FaultTimes   Fault = "spans with odd times"
	FaultValue   Fault = "values of a wrong type"
	FaultString  Fault = "strings above the limit"
	FaultDepth   Fault = "values nested above the limit"
	FaultSize    Fault = "elements above the size limit"
)

// ErrLimit is wrapped by errors that name a limit of Limits.
var ErrLimit = errors.New("above the limit")

// Sink takes spans and problems from a decoder.
type Sink struct {
	Limits
	emit    func(*record.Span) error
	Result  Result
	single  map[Fault]int
	grouped map[Fault]int // index into Result.Problems
}

// NewSink returns a Sink that hands spans to emit.
func NewSink(lim Limits, emit func(*record.Span) error) Sink {
	return Sink{Limits: lim, emit: emit, single: make(map[Fault]int), grouped: make(map[Fault]int)}
}

// Problem notes something that could not be used, with its place.
func (s *Sink) Problem(f Fault, line int, offset int64, format string, args ...any) {
	s.Result.Damaged = s.Result.Damaged || f != FaultForeign
	if n := s.single[f]; n < MaxSingle {
		s.single[f]++
		s.Result.Problems = append(s.Result.Problems, Problem{Line: line, Offset: offset, Reason: fmt.Sprintf(format, args...), Foreign: f == FaultForeign})
		return
	}
	i, ok := s.grouped[f]
	if !ok {
		i = len(s.Result.Problems)
		s.grouped[f] = i
		s.Result.Problems = append(s.Result.Problems, Problem{Line: line, Offset: offset, Reason: "more " + string(f), Foreign: f == FaultForeign})
	}
	s.Result.Problems[i].Count++
}

// Skipped counts an element of another signal.
func (s *Sink) Skipped(signal string) {
	if s.Result.Skipped == nil {
		s.Result.Skipped = make(map[string]int64)
	}
	s.Result.Skipped[signal]++
	s.Result.Known = true
}

// stopped is the error of emit, which ends the reading.
type stopped struct{ err error }

func (e *stopped) Error() string { return e.err.Error() }

// Unstop returns the error of emit as emit returned it.
func Unstop(err error) error {
	if stop := (*stopped)(nil); errors.As(err, &stop) {
		return stop.err
	}
	return err
}

// oldest is the first time that can be meant, ns since 1970: what lies before
// the year 2000 was written in another unit.
const oldest = 946684800 * int64(time.Second)

// Span hands a span on unless its IDs are unusable.
func (s *Sink) Span(r *record.Span) error {
	switch {
	case r.Trace.IsZero():
		s.Problem(FaultID, r.Line, r.Offset, "span %q: trace ID is missing or zero; want 16 bytes; span skipped", Excerpt(r.Name))
		return nil
	case r.ID.IsZero():
		s.Problem(FaultID, r.Line, r.Offset, "span %q: span ID is missing or zero; want 8 bytes; span skipped", Excerpt(r.Name))
		return nil
	}
	switch {
	case r.Start == 0:
		s.Problem(FaultTimes, r.Line, r.Offset, "span %s: has no start time; want one", r.ID)
	case r.End == 0:
		s.Problem(FaultTimes, r.Line, r.Offset, "span %s: has no end time; want one", r.ID)
	case r.Start < oldest:
		s.Problem(FaultTimes, r.Line, r.Offset, "span %s: found %s for its start time; want one of this century, in the unit of the format", r.ID, time.Unix(0, r.Start).UTC().Format(time.RFC3339))
	case r.End < r.Start:
		s.Problem(FaultTimes, r.Line, r.Offset, "span %s: ends %s before it starts", r.ID, time.Duration(r.Start-r.End))
	}
	s.Result.Spans++
	if err := s.emit(r); err != nil {
		return &stopped{err}
	}
	return nil
}

// Clip cuts a string above MaxString between two characters.
func (s *Sink) Clip(v string, line int, offset int64) string {
	if len(v) <= s.MaxString {
		return v
	}
	s.Problem(FaultString, line, offset, "string of %d bytes; cut at %d (MaxString)", len(v), s.MaxString)
	n := s.MaxString
	for n > 0 && !utf8.RuneStart(v[n]) {
		n--
	}
	// A copy, lest the short string keep the long one alive.
	return strings.Clone(v[:n])
}

// Nanos takes a time of OTLP, which is unsigned.
func (s *Sink) Nanos(v uint64, line int, offset int64) int64 {
	if int64(v) < 0 {
		s.Problem(FaultValue, line, offset, "time of %d ns since 1970; want one before the year 2262", v)
		return 0
	}
	return int64(v)
}

// TooManyElements notes an element with more in it than MaxElements.
func (s *Sink) TooManyElements(what string, line int, offset int64) {
	s.Problem(FaultSize, line, offset, "%s of more than %d attributes, values, events and links (MaxElements); skipped", what, s.MaxElements)
}

// maxExcerpt bounds what a reason quotes of the input.
const maxExcerpt = 60

// Excerpt is what a reason quotes of the input.
func Excerpt(s string) string {
	if len(s) <= maxExcerpt {
		return s
	}
	return strings.ToValidUTF8(s[:maxExcerpt], "") + "…"
}

// grow adds an element to s and leaves the memory of its old content to it.
func grow[T any](s []T) []T {
	if len(s) < cap(s) {
		return s[:len(s)+1]
	}
	var zero T
	return append(s, zero)
}

// NextEvent adds an empty event and reuses the slice of attributes that an
// earlier span left in its place.
func NextEvent(r *record.Span) *record.Event {
	r.Events = grow(r.Events)
	e := &r.Events[len(r.Events)-1]
	*e = record.Event{Attrs: e.Attrs[:0]}
	return e
}

// NextLink adds an empty link, as NextEvent adds an event.
func NextLink(r *record.Span) *record.Link {
	r.Links = grow(r.Links)
	l := &r.Links[len(r.Links)-1]
	*l = record.Link{Attrs: l.Attrs[:0]}
	return l
}

// Reset empties a span and keeps its slices for the next one.
func Reset(r *record.Span) {
	*r = record.Span{Attrs: r.Attrs[:0], Events: r.Events[:0], Links: r.Links[:0]}
}
