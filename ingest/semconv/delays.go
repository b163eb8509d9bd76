package semconv

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/retryaudit/retryaudit/analyzer/trace"
	"github.com/retryaudit/retryaudit/ingest/record"
)

// delayUnit says how the value of a delay is written.
type delayUnit uint8

const (
	seconds  delayUnit = iota + 1 // a number, a date or a duration
	millis                        // a number of milliseconds
	pushback                      // milliseconds; anything else means never
	verdict                       // "false" means never
)

// A delayRow is a header that says when to come back.
type delayRow struct {
	key  string
	at   place
	unit delayUnit
}

// delays: error-classes section 7. Of several the first is read; a server that
// forbids retries is heard before all.
var delays = []delayRow{
	{"x-should-retry", response, verdict},          // OpenAI, Anthropic
	{"retry-after-ms", response, millis},           // OpenAI, Azure: before Retry-After
	{"x-ms-retry-after-ms", response, millis},      // Azure
	{"x-amz-retry-after", response, millis},        // AWS
	{"retry-after", response, seconds},             // RFC 9110
	{"grpc-retry-pushback-ms", response, pushback}, // gRPC A6
}

// maxDelay is the longest wait that is taken for one: longer ones are
// mistakes of unit or of the clock.
const maxDelay = 366 * 24 * time.Hour

// readDelays fills in what the answer said about coming back.
func (n *Normalizer) readDelays() {
	best := len(delays)
	for _, f := range n.found {
		if f.kind != delayEntry || int(f.row) >= best {
			continue
		}
		a := parseDelay(header(f.value), delays[f.row].unit)
		if a.State == trace.Absent {
			continue
		}
		best = int(f.row)
		a.Source = n.store.Sym(delays[f.row].key)
		n.facts.RetryAfter = a
		n.factual = true
	}
}

func parseDelay(s string, unit delayUnit) trace.Asked {
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
	if f, ok := parseNumber(s); ok {
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
		for _, layout := range dateLayouts {
			if t, err := time.Parse(layout, s); err == nil {
				return trace.Asked{State: trace.Until, At: t.UnixNano()}
			}
		}
	}
	return trace.Asked{State: trace.Unusable}
}

// dateLayouts: the three forms of RFC 9110 section 5.6.7, and RFC 3339.
var dateLayouts = []string{"Mon, 02 Jan 2006 15:04:05 GMT", time.RFC850, time.ANSIC, time.RFC3339}

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
	inTime := false
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
		total += f
		rest = rest[end+1:]
	}
	if total > maxDelay.Seconds() {
		return 0, false
	}
	return time.Duration(total * float64(time.Second)), true
}

// delayMarks stand before a delay in an error text, in lower case: OpenAI and
// Groq ("try again in 1.2s"), Gemini ("retry in 46.1s", RetryInfo's
// "retryDelay": "46s"), litellm and others.
var delayMarks = []string{`"retrydelay": "`, `"retrydelay":"`, `retrydelay': '`, "try again in ", "retry in ", "retry after ", "retry-after: "}

// askedInText returns the delay that an error text asks for.
func (n *Normalizer) askedInText(lower string) trace.Asked {
	for _, m := range delayMarks {
		_, rest, ok := strings.Cut(lower, m)
		if !ok {
			continue
		}
		if d, ok := durationInText(rest); ok && d <= maxDelay {
			return trace.Asked{State: trace.For, D: d, Source: n.store.Sym("error message")}
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

// deadlines: attributes.md section 6. A limit on the call is read before one
// on the attempt.
var deadlines = []deadlineRow{
	{"retry.deadline_ms", attr, deadlineMillis, trace.CallScope},                            // the published convention
	{"ai.settings.timeout", attr, deadlineMillis, trace.CallScope},                          // AI SDK 6
	{"grpc-timeout", request, deadlineGRPC, trace.CallScope},                                // gRPC over HTTP/2
	{"grpc.timeout", attr, deadlineGRPC, trace.CallScope},                                   // Envoy common_values.h
	{"x-envoy-upstream-rq-timeout-ms", request, deadlineMillis, trace.CallScope},            // Envoy
	{"celery.expires", attr, deadlineISO, trace.CallScope},                                  // celery instrumentation
	{"x-stainless-timeout", request, deadlineSeconds, trace.AttemptScope},                   // Stainless SDKs
	{"x-stainless-read-timeout", request, deadlineSeconds, trace.AttemptScope},              // the same, Python
	{"x-envoy-expected-rq-timeout-ms", request, deadlineMillis, trace.AttemptScope},         // Envoy
	{"x-envoy-upstream-rq-per-try-timeout-ms", request, deadlineMillis, trace.AttemptScope}, // Envoy
	{"x-portkey-request-timeout", request, deadlineMillis, trace.AttemptScope},              // Portkey
	{"celery.timelimit", attr, deadlineSeconds, trace.AttemptScope},                         // [soft, hard], per run
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
