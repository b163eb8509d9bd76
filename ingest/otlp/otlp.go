// Package otlp reads spans out of OTLP, as JSON and as protobuf, in whatever
// container its writers put it.
//
// Both decoders stream: at no time is more held than one span (JSON) or one
// ResourceSpans (protobuf). What cannot be used is skipped, counted and
// reported as a Problem; the rest is used.
package otlp

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
	// Known says that at least one element of OTLP was found.
	Known bool
	// Damaged says that something was broken, not merely no OTLP.
	Damaged bool
	Spans   int64
	// Skipped counts the elements of other signals by the signal's name.
	Skipped  map[string]int64
	Problems []Problem
}

// Problem is something that could not be used as it was found.
type Problem struct {
	Line   int    // from 1; 0 in protobuf
	Offset int64  // in bytes, of the decompressed input
	Reason string // what was found and what was wanted
	Count  int64  // problems this one stands for; 0 is 1
}

// maxSingle is how many problems of one kind are kept one by one; the others
// are counted in one more.
const maxSingle = 20

// fault is a kind of problem; it heads the problems that are only counted.
type fault string

const (
	faultSyntax  fault = "input that does not parse"
	faultForeign fault = "values without resourceSpans"
	faultID      fault = "spans with a wrong ID"
	faultTimes   fault = "spans that end before they start"
	faultValue   fault = "values of a wrong type"
	faultString  fault = "strings above the limit"
	faultDepth   fault = "values nested above the limit"
	faultSize    fault = "elements above the size limit"
)

// errLimit is wrapped by errors that name a limit of Limits.
var errLimit = errors.New("above the limit")

// sink takes spans and problems from a decoder.
type sink struct {
	lim     Limits
	emit    func(*record.Span) error
	result  Result
	single  map[fault]int
	grouped map[fault]int // index into result.Problems
}

func newSink(lim Limits, emit func(*record.Span) error) sink {
	return sink{lim: lim, emit: emit, single: make(map[fault]int), grouped: make(map[fault]int)}
}

func (s *sink) problem(f fault, line int, offset int64, format string, args ...any) {
	s.result.Damaged = s.result.Damaged || f != faultForeign
	if n := s.single[f]; n < maxSingle {
		s.single[f]++
		s.result.Problems = append(s.result.Problems, Problem{Line: line, Offset: offset, Reason: fmt.Sprintf(format, args...)})
		return
	}
	i, ok := s.grouped[f]
	if !ok {
		i = len(s.result.Problems)
		s.grouped[f] = i
		s.result.Problems = append(s.result.Problems, Problem{Line: line, Offset: offset, Reason: "more " + string(f)})
	}
	s.result.Problems[i].Count++
}

func (s *sink) skipped(signal string) {
	if s.result.Skipped == nil {
		s.result.Skipped = make(map[string]int64)
	}
	s.result.Skipped[signal]++
	s.result.Known = true
}

// stopped is the error of emit, which ends the reading.
type stopped struct{ err error }

func (e *stopped) Error() string { return e.err.Error() }

// unstop returns the error of emit as emit returned it.
func unstop(err error) error {
	if stop := (*stopped)(nil); errors.As(err, &stop) {
		return stop.err
	}
	return err
}

// span hands a span on unless its IDs are unusable.
func (s *sink) span(r *record.Span) error {
	switch {
	case r.Trace.IsZero():
		s.problem(faultID, r.Line, r.Offset, "span %q: trace ID is missing or zero; want 16 bytes", excerpt(r.Name))
		return nil
	case r.ID.IsZero():
		s.problem(faultID, r.Line, r.Offset, "span %q: span ID is missing or zero; want 8 bytes", excerpt(r.Name))
		return nil
	}
	if r.End != 0 && r.End < r.Start {
		s.problem(faultTimes, r.Line, r.Offset, "span %s: ends %s before it starts", r.ID, time.Duration(r.Start-r.End))
	}
	s.result.Spans++
	if err := s.emit(r); err != nil {
		return &stopped{err}
	}
	return nil
}

// clip cuts a string above MaxString between two characters.
func (s *sink) clip(v string, line int, offset int64) string {
	if len(v) <= s.lim.MaxString {
		return v
	}
	s.problem(faultString, line, offset, "string of %d bytes; cut at %d (MaxString)", len(v), s.lim.MaxString)
	n := s.lim.MaxString
	for n > 0 && !utf8.RuneStart(v[n]) {
		n--
	}
	// A copy, lest the short string keep the long one alive.
	return strings.Clone(v[:n])
}

// nanos takes a time of OTLP, which is unsigned.
func (s *sink) nanos(v uint64, line int, offset int64) int64 {
	if int64(v) < 0 {
		s.problem(faultValue, line, offset, "time of %d ns since 1970; want one before the year 2262", v)
		return 0
	}
	return int64(v)
}

func (s *sink) tooManyElements(what string, line int, offset int64) {
	s.problem(faultSize, line, offset, "%s of more than %d attributes, values, events and links (MaxElements); skipped", what, s.lim.MaxElements)
}

// maxExcerpt bounds what a reason quotes of the input.
const maxExcerpt = 60

func excerpt(s string) string {
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

// nextEvent adds an empty event and reuses the slice of attributes that an
// earlier span left in its place.
func nextEvent(r *record.Span) *record.Event {
	r.Events = grow(r.Events)
	e := &r.Events[len(r.Events)-1]
	*e = record.Event{Attrs: e.Attrs[:0]}
	return e
}

func nextLink(r *record.Span) *record.Link {
	r.Links = grow(r.Links)
	l := &r.Links[len(r.Links)-1]
	*l = record.Link{Attrs: l.Attrs[:0]}
	return l
}

// reset empties a span and keeps its slices for the next one.
func reset(r *record.Span) {
	*r = record.Span{Attrs: r.Attrs[:0], Events: r.Events[:0], Links: r.Links[:0]}
}
