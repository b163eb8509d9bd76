// Package record is what decoders produce: one span as its format wrote it,
// attribute names and all, before ingest/semconv reads its meaning.
package record

import "github.com/retryaudit/retryaudit/analyzer/trace"

// Span is one decoded span. Slices may be shared between spans and must not
// be changed; they are valid until the decoder yields the next span.
type Span struct {
	Trace      trace.TraceID
	ID, Parent trace.SpanID
	TraceState string
	Name       string
	Kind       trace.Kind
	// Start and End are ns since the Unix epoch; 0 is unknown.
	Start, End    int64
	Status        Status
	StatusMessage string
	Scope         string
	ScopeVersion  string
	Attrs         []Attr
	Resource      []Attr
	Events        []Event
	Links         []Link
	// Offset is the byte offset and Line the line (from 1) at which the span's
	// record begins in the decompressed input.
	Offset int64
	Line   int
}

// Status is the OpenTelemetry status code, numbered as OTLP numbers it.
type Status uint8

// The status codes of OTLP.
const (
	Unset Status = iota
	OK
	Error
)

// Event is a span event; Time is ns since the Unix epoch.
type Event struct {
	Name  string
	Time  int64
	Attrs []Attr
}

// Link is a span link.
type Link struct {
	Trace trace.TraceID
	ID    trace.SpanID
	Attrs []Attr
}

// Attr is a named value.
type Attr struct {
	Key   string
	Value Value
}

// Type says which field of a Value holds it.
type Type uint8

// The types of a value; the zero Value is empty.
const (
	Empty Type = iota
	String
	Int
	Double
	Bool
	Bytes // in S
	List
	Map
)

// Value is an attribute value of any OTLP type.
type Value struct {
	S    string
	I    int64
	D    float64
	List []Value
	Map  []Attr
	Type Type
	B    bool
}
