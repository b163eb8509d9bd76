package semconv

import (
	"cmp"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/retryaudit/retryaudit/analyzer/trace"
	"github.com/retryaudit/retryaudit/ingest/record"
)

// delayUnit says how the value of a delay is written. Of several the lowest is
// read: a server that forbids retries is heard before all (error-classes
// section 7), and when a limit is full again, which is later than when it lets
// one more request through, is read where nothing else is.
type delayUnit uint8

const (
	verdict   delayUnit = iota + 1 // "false" means never
	millis                         // a number of milliseconds
	seconds                        // a number, a date or a duration
	pushback                       // milliseconds; anything else means never
	full                           // a duration, a date or a number that fullIn reads
	limits                         // a list of limits with what remains and when
	remaining                      // no delay: what is left of the limit whose reset stands below
)

// A delayRow is a header that says when to come back.
type delayRow struct {
	key  string
	at   place
	unit delayUnit
	// turn orders rows of one unit: a standard's word (1) is read after those of
	// the providers.
	turn uint8
	left string // of a reset: the header with what is left
}

// maxDelay is the longest wait that is taken for one: longer ones are
// mistakes of unit or of the clock.
const maxDelay = 366 * 24 * time.Hour

// maxPast is how long ago a date may be that says when to come back: clocks
// differ, but not by more.
const maxPast = 24 * time.Hour

// readDelays fills in what the answer said about coming back.
func (n *Normalizer) readDelays() {
	best := len(delays)
	for i := range n.found {
		f := &n.found[i]
		if f.kind != delayEntry {
			continue
		}
		r := &delays[f.row]
		if r.unit >= full || f.value.Type == record.List && len(f.value.List) == 0 {
			continue
		}
		a := n.near(parseDelay(header(f.value), r.unit))
		if a.State == trace.Absent {
			continue
		}
		// What can be understood goes before what cannot: SDKs do so, too.
		if rank := int(f.row); n.facts.RetryAfter.State == trace.Absent || worse(a, n.facts.RetryAfter, rank, best) {
			best = rank
			a.Source = n.store.Sym(r.key)
			n.facts.RetryAfter = a
			n.factual = true
		}
	}
	if n.facts.RetryAfter.State == trace.Absent && n.throttled() {
		n.readResets()
	}
}

// worse reports whether b, of rank bRank, has to give way to a.
func worse(a, b trace.Asked, aRank, bRank int) bool {
	if x, y := a.State == trace.Unusable, b.State == trace.Unusable; x != y {
		return y
	}
	return aRank < bRank
}

// throttled reports whether the answer was a 429.
func (n *Normalizer) throttled() bool {
	if s, ok := integer(n.at[status]); ok {
		return s == 429
	}
	return text(n.at[errorType]) == "429"
}

// readResets reads when a limit is full again, of the limits of which nothing
// is left. Of several limits the one that is full first is taken, which claims
// least; what is left of a limit may not have been captured.
func (n *Normalizer) readResets() {
	type reset struct {
		asked   trace.Asked
		unknown int // 1: nothing says what is left
		row     uint16
	}
	wait := func(a trace.Asked) int64 {
		if a.State == trace.Until {
			return a.At - n.span.End
		}
		return int64(a.D)
	}
	unusable := func(a trace.Asked) int {
		if a.State == trace.Unusable {
			return 1
		}
		return 0
	}
	var best reset
	for i := range n.found {
		f := &n.found[i]
		if f.kind != delayEntry || delays[f.row].unit != full && delays[f.row].unit != limits {
			continue
		}
		r := &delays[f.row]
		a, left, known := trace.Asked{}, 0.0, false
		if r.unit == limits {
			a, left, known = parseLimits(header(f.value))
		} else {
			a = fullIn(header(f.value))
			left, known = n.leftOf(r.left)
		}
		if a = n.near(a); a.State == trace.Absent || known && left > 0 {
			continue
		}
		a.Source = n.store.Sym(r.key)
		is := reset{asked: a, unknown: 1, row: f.row}
		if known {
			is.unknown = 0
		}
		if best.asked.State == trace.Absent || cmp.Or(
			cmp.Compare(unusable(a), unusable(best.asked)), cmp.Compare(is.unknown, best.unknown),
			cmp.Compare(wait(a), wait(best.asked)), cmp.Compare(f.row, best.row),
		) < 0 {
			best = is
		}
	}
	if best.asked.State != trace.Absent {
		n.facts.RetryAfter = best.asked
		n.factual, n.guessed = true, best.unknown > 0
	}
}

// leftOf returns what a header says is left of a limit.
func (n *Normalizer) leftOf(key string) (float64, bool) {
	for i := range n.found {
		if f := &n.found[i]; f.kind == delayEntry && delays[f.row].unit == remaining && delays[f.row].key == key {
			return parseNumber(header(f.value))
		}
	}
	return 0, false
}

// near makes a date unusable that lies far from the span.
func (n *Normalizer) near(a trace.Asked) trace.Asked {
	if now := n.span.End; a.State == trace.Until && now > 0 && (a.At-now > int64(maxDelay) || now-a.At > int64(maxPast)) {
		return trace.Asked{State: trace.Unusable}
	}
	return a
}

// fullIn reads when a limit is full again: OpenAI and Groq write Go's durations
// ("6m0s"), Azure seconds (0 and −1 where it does not know), Anthropic RFC 3339.
// Of other numbers the size tells the unit: Unix time in milliseconds above
// 10^12 (OpenRouter), in seconds above 10^9 (GitHub), else seconds from now.
func fullIn(s string) trace.Asked {
	f, ok := parseNumber(s)
	switch {
	case !ok:
		return parseDelay(s, seconds)
	case f == 0, f == -1:
		return trace.Asked{}
	case f > 1e9:
		return unixTime(f)
	}
	return askedFor(f, time.Second)
}

// unixTime reads a Unix time in seconds or, above 10^12, in milliseconds.
func unixTime(f float64) trace.Asked {
	if f > 1e12 {
		f /= 1000
	}
	if f > 7e9 { // beyond the year 2190
		return trace.Asked{State: trace.Unusable}
	}
	return trace.Asked{State: trace.Until, At: int64(math.Round(f*1000)) * int64(time.Millisecond)}
}

// parseLimits reads the RateLimit header of the IETF draft, `"default";r=0;t=30`
// and the older "limit=100, remaining=0, reset=30": of the limits that are
// spent the one that is full first.
func parseLimits(s string) (best trace.Asked, left float64, known bool) {
	for _, item := range strings.Split(s, ",") {
		for _, p := range strings.Split(item, ";") {
			name, value, _ := strings.Cut(strings.TrimSpace(p), "=")
			switch name {
			case "r", "remaining":
				left, known = parseNumber(value)
			case "t", "reset":
				if a := fullIn(value); a.State == trace.For && !(known && left > 0) && (best.State == trace.Absent || a.D < best.D) {
					best = a
				}
			}
		}
	}
	if best.State != trace.Absent {
		left = 0
	}
	return best, left, known
}

func parseDelay(s string, unit delayUnit) trace.Asked {
	s = strings.Trim(s, `[]"' `)
	switch unit {
	case verdict:
		if strings.EqualFold(s, "false") {
			return trace.Asked{State: trace.Never}
		}
		return trace.Asked{}
	case pushback:
		if ms, err := strconv.ParseInt(s, 10, 64); err != nil || ms < 0 {
			return trace.Asked{State: trace.Never}
		}
		unit = millis
	}
	f, ok := parseNumber(s)
	if first, _, list := strings.Cut(s, ","); !ok && list { // sent twice: the first counts, as in an array
		f, ok = parseNumber(strings.TrimSpace(first))
	}
	if ok {
		scale := time.Second
		if unit == millis {
			scale = time.Millisecond
		}
		return askedFor(f, scale)
	}
	if unit == seconds {
		if d, ok := parseDuration(s); ok {
			return askedFor(d.Seconds(), time.Second)
		}
		if a := parseDate(s); a.State != trace.Absent {
			return a
		}
	}
	return trace.Asked{State: trace.Unusable}
}

// dateLayouts: the three forms of RFC 9110 section 5.6.7, and RFC 3339.
var dateLayouts = []string{"Mon, 02 Jan 2006 15:04:05 GMT", time.RFC850, time.ANSIC, time.RFC3339, time.RFC1123Z}

// parseDate reads a date; one that nanoseconds since 1970 cannot hold is
// unusable.
func parseDate(s string) trace.Asked {
	for _, layout := range dateLayouts {
		if t, err := time.Parse(layout, s); err == nil {
			if t.Year() < 1970 || t.Year() > 2200 {
				return trace.Asked{State: trace.Unusable}
			}
			return trace.Asked{State: trace.Until, At: t.UnixNano()}
		}
	}
	return trace.Asked{}
}

func askedFor(f float64, unit time.Duration) trace.Asked {
	ns := f * float64(unit)
	if math.IsNaN(ns) || ns < 0 || ns > float64(maxDelay) {
		return trace.Asked{State: trace.Unusable}
	}
	return trace.Asked{State: trace.For, D: time.Duration(math.Round(ns))}
}

// parseDuration reads Go's durations ("6m0s") and those of ISO 8601 without
// years and months ("PT1M30S").
func parseDuration(s string) (time.Duration, bool) {
	if d, err := time.ParseDuration(s); err == nil {
		return d, true
	}
	rest, ok := strings.CutPrefix(s, "P")
	if !ok || rest == "" {
		return 0, false
	}
	var total float64
	inTime, told := false, false
	for rest != "" {
		if rest[0] == 'T' {
			inTime, rest = true, rest[1:]
			continue
		}
		end := 0
		for end < len(rest) && (rest[end] == '.' || '0' <= rest[end] && rest[end] <= '9') {
			end++
		}
		f, ok := parseNumber(rest[:end])
		if !ok || end == len(rest) {
			return 0, false
		}
		switch unit := rest[end]; {
		case unit == 'D' && !inTime:
			f *= 24 * 3600
		case unit == 'H' && inTime:
			f *= 3600
		case unit == 'M' && inTime:
			f *= 60
		case unit == 'S' && inTime:
		default:
			return 0, false
		}
		total, told = total+f, true
		rest = rest[end+1:]
	}
	if !told || total > maxDelay.Seconds() {
		return 0, false
	}
	return time.Duration(total * float64(time.Second)), true
}

// delayMarks stand before a delay in an error text, in lower case: OpenAI and
// Groq ("try again in 1.2s"), Gemini ("retry in 46.1s"), Azure, Moonshot ("try
// again after 1 seconds"), litellm and others.
var delayMarks = []string{"try again in ", "try again after ", "retry in ", "retry after ", "retry-after: "}

// infoMarks stand before the delay of google.rpc.RetryInfo, by whatever was
// printed: JSON and Python ("retryDelay": "46s"), Go's map (retryDelay:46s),
// text of protocol buffers (retry_delay { seconds: 46 }).
var infoMarks = []string{"retrydelay", "retry_delay"}

// resetMarks stand before the time of a reset: OpenRouter's budgets (RFC 3339),
// Codex (Unix time).
var resetMarks = []string{"resets_at"}

// accessMark stands before the date of Anthropic's usage limits, "2026-11-01 at
// 00:00 UTC".
const accessMark = "regain access on "

// askedInText returns when an error text says to come back.
func (n *Normalizer) askedInText(lower string) trace.Asked {
	a := askedByText(lower)
	if a.State != trace.Absent {
		a.Source = n.store.Sym("error message")
	}
	return a
}

func askedByText(lower string) trace.Asked {
	for _, m := range infoMarks {
		if _, rest, ok := strings.Cut(lower, m); ok {
			rest = strings.TrimLeft(rest, "\\\"': ={\r\n\t")
			value, proto := strings.CutPrefix(rest, "seconds")
			if proto {
				rest = strings.TrimLeft(value, ": ")
			}
			end := 0
			for end < len(rest) && strings.IndexByte("-.0123456789", rest[end]) >= 0 {
				end++
			}
			// A number without its s is an option of a library, in milliseconds.
			if f, ok := parseNumber(rest[:end]); ok && (proto || strings.HasPrefix(rest[end:], "s")) {
				return askedFor(f, time.Second)
			}
		}
	}
	for _, m := range delayMarks {
		if _, rest, ok := strings.Cut(lower, m); ok {
			if d, ok := durationInText(rest); ok && d <= maxDelay {
				return trace.Asked{State: trace.For, D: d}
			}
		}
	}
	for _, m := range resetMarks {
		if _, rest, ok := strings.Cut(lower, m); ok {
			rest = strings.TrimLeft(rest, "\\\"': =")
			if end := strings.IndexAny(rest, "\\\"', }"); end >= 0 {
				rest = rest[:end]
			}
			if f, ok := parseNumber(rest); ok && f > 1e9 {
				return unixTime(f)
			}
			if a := parseDate(strings.ToUpper(rest)); a.State == trace.Until {
				return a
			}
		}
	}
	if _, rest, ok := strings.Cut(lower, accessMark); ok && len(rest) >= 23 {
		if t, err := time.Parse("2006-01-02 at 15:04 utc", rest[:23]); err == nil && t.Year() > 1970 && t.Year() < 2200 {
			return trace.Asked{State: trace.Until, At: t.UnixNano()}
		}
	}
	return trace.Asked{}
}

// textUnits are units as error texts write them; the longer stands first.
var textUnits = []struct {
	name string
	is   time.Duration
}{
	{"milliseconds", time.Millisecond}, {"ms", time.Millisecond},
	{"minutes", time.Minute}, {"minute", time.Minute}, {"min", time.Minute},
	{"seconds", time.Second}, {"second", time.Second}, {"secs", time.Second}, {"sec", time.Second},
	{"hours", time.Hour}, {"hour", time.Hour}, {"days", 24 * time.Hour}, {"day", 24 * time.Hour},
	{"h", time.Hour}, {"m", time.Minute}, {"s", time.Second}, {"d", 24 * time.Hour},
}

// durationInText reads one or more numbers with units: "6m0s", "20 seconds".
// A number without a unit is one of seconds.
func durationInText(s string) (total time.Duration, ok bool) {
	for {
		end := 0
		for end < len(s) && (s[end] == '.' || '0' <= s[end] && s[end] <= '9') {
			end++
		}
		f, isNumber := parseNumber(strings.TrimSuffix(s[:end], "."))
		if !isNumber || f > maxDelay.Seconds() {
			return total, ok
		}
		rest := strings.TrimPrefix(s[end:], " ")
		unit, size := time.Second, 0
		for _, u := range textUnits {
			if strings.HasPrefix(rest, u.name) && (len(rest) == len(u.name) || !isLetter(rest[len(u.name)])) {
				unit, size = u.is, len(u.name)
				break
			}
		}
		if size == 0 && (ok || rest != "" && isLetter(rest[0])) { // "in 5 attempts"
			return total, ok
		}
		if f*float64(unit) > float64(maxDelay) {
			return 0, false
		}
		total, ok = total+time.Duration(f*float64(unit)), true
		if size == 0 || total > maxDelay {
			return total, ok
		}
		s = strings.TrimPrefix(rest[size:], " ")
	}
}

// deadlineUnit says how a deadline is written.
type deadlineUnit uint8

const (
	deadlineSeconds deadlineUnit = iota + 1
	deadlineMillis               // above 10^12 it is a Unix time
	deadlineGRPC                 // an integer and one of H M S m u n
	deadlineISO                  // a point in time
)

// A deadlineRow is a limit on time that a name declares. Names of an
// application's own are not guessed.
type deadlineRow struct {
	key   string
	at    place
	unit  deadlineUnit
	scope trace.Scope
}

// readDeadlines fills in the deadline of the span.
func (n *Normalizer) readDeadlines() {
	best := len(deadlines)
	for _, f := range n.found {
		if f.kind != deadlineEntry || int(f.row) >= best {
			continue
		}
		r := &deadlines[f.row]
		d := trace.Deadline{Scope: r.scope}
		switch r.unit {
		case deadlineGRPC:
			d.D = grpcTimeout(header(f.value))
		case deadlineISO:
			if t, err := time.Parse(time.RFC3339, header(f.value)); err == nil {
				d.At = t.UnixNano()
			}
		default:
			v, _ := number(f.value)
			switch {
			case v <= 0: // unset: openai-go sends 0
			case r.unit == deadlineSeconds && v <= maxDelay.Seconds():
				d.D = time.Duration(v * float64(time.Second))
			case r.unit == deadlineMillis && v >= 1e12 && v < 1e13:
				d.At = int64(v) * int64(time.Millisecond)
			case r.unit == deadlineMillis && v <= maxDelay.Seconds()*1000:
				d.D = time.Duration(v * float64(time.Millisecond))
			}
		}
		if d.D == 0 && d.At == 0 {
			continue
		}
		best = int(f.row)
		d.Source = n.store.Sym(r.key)
		n.facts.Deadline = d
		n.factual = true
	}
	if v := n.at[invocation]; v != nil && n.facts.Deadline.Scope == 0 {
		if s, ok := number(jsonValue(jsonField(text(v), "timeout"))); ok && s > 0 && s < maxDelay.Seconds() {
			n.facts.Deadline = trace.Deadline{Scope: trace.AttemptScope, D: time.Duration(s * float64(time.Second)), Source: n.store.Sym("llm.invocation_parameters")}
			n.factual = true
		}
	}
}

// deadlineAt notes the absolute deadline of the call, "20260822T101500Z".
func (n *Normalizer) deadlineAt(s, source string) {
	if t, err := time.Parse("20060102T150405Z", s); err == nil && n.facts.Deadline.Scope != trace.CallScope {
		n.facts.Deadline = trace.Deadline{Scope: trace.CallScope, At: t.UnixNano(), Source: n.store.Sym(source)}
		n.factual = true
	}
}

// grpcTimeout reads "5S" or "500m" (gRPC over HTTP/2: TimeoutValue is at most
// eight digits); 0 is no timeout.
func grpcTimeout(s string) time.Duration {
	if len(s) < 2 || len(s) > 9 {
		return 0
	}
	v, err := strconv.ParseUint(s[:len(s)-1], 10, 32)
	if err != nil {
		return 0
	}
	unit := map[byte]time.Duration{
		'H': time.Hour, 'M': time.Minute, 'S': time.Second, 'm': time.Millisecond, 'u': time.Microsecond, 'n': time.Nanosecond,
	}[s[len(s)-1]]
	if unit == 0 || time.Duration(v) > maxDelay/unit {
		return 0
	}
	return time.Duration(v) * unit
}

// jsonValue wraps a number found in JSON text.
func jsonValue(s string) *record.Value {
	if s == "" {
		return nil
	}
	return &record.Value{Type: record.String, S: s}
}
