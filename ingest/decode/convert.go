package decode

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/retryaudit/retryaudit/analyzer/trace"
	"github.com/retryaudit/retryaudit/ingest/record"
)

// HexID reads an ID of hex digits, of which leading zeros may be missing. An
// absent or empty one is zero. It reports whether the ID can be used; if not,
// that has been reported as a problem of o.
func (s *Sink) HexID(o *Object, what string, v *record.Value, to []byte) bool {
	clear(to)
	text := strings.TrimPrefix(Text(v), "0x")
	if text == "" {
		return true
	}
	digits := 2 * len(to)
	if len(text) <= digits {
		if _, err := hex.Decode(to, []byte(strings.Repeat("0", digits-len(text))+text)); err == nil {
			return true
		}
		clear(to)
	}
	s.Problem(FaultID, o.Line, o.Offset, "%s: found %q of %d characters; want up to %d hex digits", what, Excerpt(text), len(text), digits)
	return false
}

// DecimalID reads an ID of 64 bits that is written as a decimal number; one of
// more than eight bytes gets it in the last eight. Otherwise it is as HexID.
func (s *Sink) DecimalID(o *Object, what string, v *record.Value, to []byte) bool {
	clear(to)
	text := Text(v)
	if text == "" {
		return true
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		s.Problem(FaultID, o.Line, o.Offset, "%s: found %q; want a decimal number of 64 bits", what, Excerpt(text))
		return false
	}
	binary.BigEndian.PutUint64(to[len(to)-8:], n)
	return true
}

// OpaqueID makes an ID of any text: hex digits and UUIDs of the right length
// stand for themselves, others for their hash. An empty one is zero.
func OpaqueID(text string, to []byte) {
	clear(to)
	if text == "" {
		return
	}
	if digits := strings.ReplaceAll(text, "-", ""); len(digits) == 2*len(to) {
		if _, err := hex.Decode(to, []byte(digits)); err == nil {
			return
		}
	}
	sum := sha256.Sum256([]byte(text))
	copy(to, sum[:])
}

// Units of times that are numbers.
const (
	Nanosecond  = time.Nanosecond
	Microsecond = time.Microsecond
	Millisecond = time.Millisecond
	Second      = time.Second
)

// layouts are the forms of times in texts, behind RFC 3339.
var layouts = []string{
	"2006-01-02T15:04:05.999999999", // without a zone, which is UTC
	"2006-01-02 15:04:05.999999999",
	"2006-01-02 15:04:05.999999999Z07:00",
	"2006-01-02 15:04:05.999999999 -0700 MST",
	"2006-01-02 15:04:05.999999999 UTC",
}

// TimeOf returns ns since 1970 of a number in the unit, of a text with such a
// number or of a date; an absent one is 0. What is none of these is reported
// as a problem of o, and 0.
func (s *Sink) TimeOf(o *Object, what string, v *record.Value, unit time.Duration) int64 {
	if v == nil || v.Type == record.Empty {
		return 0
	}
	if n, ok := scaled(v, unit); ok {
		return n
	}
	if text := Text(v); v.Type == record.String {
		if text == "" {
			return 0
		}
		if at, err := time.Parse(time.RFC3339Nano, text); err == nil {
			return nanosOf(at)
		}
		for _, layout := range layouts {
			if at, err := time.ParseInLocation(layout, text, time.UTC); err == nil {
				return nanosOf(at)
			}
		}
	}
	s.Problem(FaultValue, o.Line, o.Offset, "%s: found %q; want a time", what, Excerpt(Text(v)))
	return 0
}

// nanosOf is 0 for a time before 1970, such as the zero of Go and .NET, and
// for one that 64 bits do not hold.
func nanosOf(t time.Time) int64 {
	if t.Year() < 1970 || t.Year() > 2261 {
		return 0
	}
	return t.UnixNano()
}

// DurationOf returns ns of a number in the unit, or of a text with one. What is
// none of these is reported as a problem of o, and ok is false, as it is for
// an absent one.
func (s *Sink) DurationOf(o *Object, what string, v *record.Value, unit time.Duration) (ns int64, ok bool) {
	if v == nil || v.Type == record.Empty || v.Type == record.String && v.S == "" {
		return 0, false
	}
	ns, ok = scaled(v, unit)
	if !ok {
		s.Problem(FaultValue, o.Line, o.Offset, "%s: found %q; want a number", what, Excerpt(Text(v)))
	}
	return ns, ok
}

// UnitOf tells the unit of a time between 1973 and 2286 by its size; what is no
// number has none.
func UnitOf(v *record.Value) time.Duration {
	if v == nil {
		return Second
	}
	n := *v
	if n.Type == record.String {
		n = Number([]byte(strings.TrimSpace(n.S)))
	}
	f := n.D
	if n.Type == record.Int {
		f = float64(n.I)
	}
	switch {
	case f < 1e11:
		return Second
	case f < 1e14:
		return Millisecond
	case f < 1e17:
		return Microsecond
	}
	return Nanosecond
}

// EndOf returns the end of a span that began at start and took a number in the
// unit; 0 where either is absent or the sum is no time.
func (s *Sink) EndOf(o *Object, start int64, duration *record.Value, unit time.Duration) int64 {
	n, ok := s.DurationOf(o, "duration", duration, unit)
	switch {
	case !ok || start == 0:
		return 0
	case n > math.MaxInt64-start:
		s.Problem(FaultValue, o.Line, o.Offset, "duration: found %q; want one that ends before the year 2262", Excerpt(Text(duration)))
		return 0
	}
	return start + n
}

// maxNanos is above the ns of the year 2261.
const maxNanos = 1 << 63

// scaled multiplies. Fractions are rounded to what a float64 holds of a time
// since 1970: a microsecond if the unit is a millisecond or more.
func scaled(v *record.Value, unit time.Duration) (int64, bool) {
	n := *v
	if n.Type == record.String {
		n = Number([]byte(strings.TrimSpace(n.S)))
	}
	switch n.Type {
	case record.Int:
		ns := n.I * int64(unit)
		return ns, n.I >= 0 && ns/int64(unit) == n.I
	case record.Double:
		f := n.D * float64(unit)
		if grain := float64(time.Microsecond); unit >= time.Millisecond && f >= 1e15 {
			return int64(math.Round(f/grain)) * int64(grain), n.D >= 0 && f < maxNanos
		}
		return int64(math.Round(f)), n.D >= 0 && f < maxNanos
	}
	return 0, false
}

// Kind reads a span kind by the last word of a name of any of the formats:
// "client", "SPAN_KIND_CLIENT", "SpanKind.CLIENT".
func Kind(text string) trace.Kind {
	if i := strings.LastIndexAny(text, "_."); i >= 0 {
		text = text[i+1:]
	}
	switch strings.ToLower(text) {
	case "internal":
		return trace.Internal
	case "server":
		return trace.Server
	case "client":
		return trace.Client
	case "producer":
		return trace.Producer
	case "consumer":
		return trace.Consumer
	}
	return 0
}

// Status reads a status by the last word of a name of any of the formats.
func Status(text string) record.Status {
	if i := strings.LastIndexAny(text, "_."); i >= 0 {
		text = text[i+1:]
	}
	switch strings.ToLower(text) {
	case "ok":
		return record.OK
	case "error":
		return record.Error
	}
	return record.Unset
}
