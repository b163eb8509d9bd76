package analyzer

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/retryaudit/retryaudit/analyzer/trace"
)

// Keys of the engine's own cells. No rule ID begins with "#".
const (
	statsKey    = "#stats"
	upstreamKey = "#upstream\x00" // service, address, operation
	secondsKey  = "#seconds\x00"  // the same: attempts by second of their start
	unknownKey  = "#unknown\x00"  // provider, code
	idleKey     = "#idle\x00"     // service, library
	needKey     = "#need\x00"     // rule, fact
	fleetKey    = "#fleet\x00"    // window, cell
	libraryKey  = "#library\x00"  // owner, a retry library that stacks name for it
	clientKey   = "#client\x00"   // owner, the client library of its attempts
)

// Lanes of the engine's own cells.
const (
	laneSpans = iota
	laneDuplicates
	laneTraces
	laneRequests
	laneCalls
	laneTries
	laneRetries
	laneHidden
	laneThrottled
	laneStopped
	laneBeyond // attempts that may hide further ones
	laneBlindTries
	laneWasteTries
	laneWasteMS
	laneWasteIn
	laneWasteOut
	laneWasteCost // in millionths of the currency
	laneHubs
	laneCycles
	laneFailed            // requests with a failed attempt
	laneSampled           // requests out of a sample
	laneSize    = 1 << 24 // histogram of attempts per logical request
	laneHealed  = 2 << 24 // histogram of the retry that succeeded
)

func itoa(n int64) string { return strconv.FormatInt(n, 10) }

// observer adds up what the report says of all requests, whatever the rules.
type observer struct {
	part     *Part
	settings *Settings
	memo     *memo
}

func (o observer) opened(g *trace.Graph, spans int64) {
	s := o.part.sums(statsKey)
	s.Lanes[laneSpans] += spans
	s.Lanes[laneDuplicates] += g.Duplicates
	s.Lanes[laneTraces] += g.Traces
	s.Lanes[laneHubs] += g.Hubs
	s.Lanes[laneCycles] += g.Cycles
}

func (o observer) request(r *trace.Request) {
	o.owners(r)
	s := o.part.sums(statsKey)
	s.Lanes[laneRequests]++
	failed := false
	for _, class := range r.Logical {
		for _, part := range trace.Sure(class) {
			o.class(r, s, part)
		}
		failed = failed || slices.ContainsFunc(class, (*trace.Attempt).Failed)
	}
	if failed {
		s.Lanes[laneFailed]++
	}
	if r.Sampled {
		s.Lanes[laneSampled]++
	}
}

// class adds up one logical upstream request.
func (o observer) class(r *trace.Request, s *Sums, class []*trace.Attempt) {
	size := int64(0)
	rows := map[string]int64{}
	var order []string
	for _, a := range class {
		n := int64(a.Count.Min)
		size += n
		key := RowKey(r, a)
		if _, ok := rows[key]; !ok {
			order = append(order, key)
		}
		rows[key] += n
		o.attempt(r, key, a)
		if len(a.Spans) == 0 {
			s.Lanes[laneHidden] += n
		}
		if HidesAttempts(a) {
			s.Lanes[laneBeyond] += n
		}
	}
	if size == 0 {
		return
	}
	for _, key := range order {
		row := o.part.sums(upstreamKey + key)
		if n := rows[key]; n > 0 {
			row.Lanes[laneCalls]++
			row.Lanes[laneTries] += n
			row.Lanes[laneRetries] += n - 1
			row.Lanes[laneSize|uint32(min(n, 1<<24-1))]++
		}
	}
	s.Lanes[laneCalls]++
	s.Lanes[laneTries] += size
	s.Lanes[laneRetries] += size - 1
	s.Lanes[laneSize|uint32(min(size, 1<<24-1))]++
	if last := class[len(class)-1]; !last.Failed() && size > 1 {
		s.Lanes[laneHealed|uint32(min(size-1, 1<<24-1))]++
	}
	w := o.settings.wasteOf(r, class)
	s.Lanes[laneWasteTries] += w.Attempts
	s.Lanes[laneWasteMS] += int64(w.Seconds*1000 + 0.5)
	s.Lanes[laneWasteIn] += w.InputTokens
	s.Lanes[laneWasteOut] += w.OutputTokens
	s.Lanes[laneWasteCost] += w.CostMicros
}

// attempt adds one attempt to its row.
func (o observer) attempt(r *trace.Request, key string, a *trace.Attempt) {
	row, n := o.part.sums(upstreamKey+key), int64(a.Count.Min)
	if a.Class.Throttled() {
		row.Lanes[laneThrottled] += n
	}
	if a.Verdict == trace.Stop {
		row.Lanes[laneStopped] += n
	}
	if HidesAttempts(a) {
		row.Lanes[laneBeyond] += n
	}
	if len(a.Spans) > 0 {
		o.part.sums(secondsKey + key).Lanes[uint32(a.Start/1e9)] += n
	}
	if a.Failed() && a.Class == trace.UnknownError && a.Code != 0 {
		provider := trace.Sym(0)
		for _, s := range a.Spans {
			if f := r.Store.FactsOf(s); f != nil && f.Provider != 0 {
				provider = f.Provider
			}
		}
		o.part.sums(unknownKey + r.Text(provider) + "\x00" + r.Text(a.Code)).Lanes[0] += n
	}
}

// HidesAttempts reports whether a library or protocol that makes its own
// attempts stands at the end of an attempt, so that those cannot be seen.
func HidesAttempts(a *trace.Attempt) bool {
	if len(a.Spans) == 0 {
		return false
	}
	s := a.Spans[len(a.Spans)-1]
	return s.Kind != trace.Server && (s.Flags.Has(trace.WholeCall) || s.Layer == trace.SDK)
}

// RowKey names the row of the upstream table that an attempt at the last hop
// belongs to: the service that served it, else the address that was called,
// else the service that asked; and what was asked.
func RowKey(r *trace.Request, a *trace.Attempt) string {
	up := UpstreamOf(r, a)
	return strings.Join([]string{r.Text(up.Service), r.Text(up.Address), r.Text(up.Op)}, "\x00")
}

// UpstreamOf says what an attempt at the last hop hit. Its address is left out
// where the service is known: replicas and ports are one upstream.
func UpstreamOf(r *trace.Request, a *trace.Attempt) trace.Upstream {
	up := a.Call.Upstream
	up.Model = a.Model
	spans := seenSpans(a)
	if len(spans) == 0 {
		return up
	}
	up.Service, up.Address = 0, 0
	for i := len(spans) - 1; i >= 0; i-- {
		s := spans[i]
		if s.Kind == trace.Server || s.Kind == trace.Consumer {
			up.Service = s.Service
			return up
		}
		if s.Address != 0 {
			up.Address = s.Address
			break
		}
	}
	if up.Address == 0 {
		up.Service = spans[len(spans)-1].Service
	} else if service := r.ServiceAt(up.Address); service != 0 {
		up.Service, up.Address = service, 0
	}
	return up
}

// seenSpans returns the spans of an attempt; of a hidden one those of another
// attempt of its call, or of the one that made the call: it went the same way.
func seenSpans(a *trace.Attempt) []*trace.Span {
	for x := a; x != nil; x = x.Call.Parent {
		if len(x.Spans) > 0 {
			return x.Spans
		}
		for _, other := range x.Call.Attempts {
			if len(other.Spans) > 0 {
				return other.Spans
			}
		}
	}
	return nil
}

// wasteOf is what the retries of attempts cost that did not succeed: all after
// the first that failed, their own time and the waits before them.
func (set *Settings) wasteOf(r *trace.Request, attempts []*trace.Attempt) Waste {
	var w Waste
	var ns int64
	for i, a := range attempts {
		if !a.Failed() {
			continue
		}
		n := int64(a.Count.Min)
		if i == 0 {
			n--
		}
		if n <= 0 {
			continue
		}
		w.Attempts += n
		ns += a.End - a.Start
		if a.Wait.Known != 0 {
			ns += int64(a.Wait.D)
		}
		for _, s := range a.Spans {
			if f := r.Store.FactsOf(s); f != nil && (f.InTokens > 0 || f.OutTokens > 0) {
				w.InputTokens += max(0, f.InTokens)
				w.OutputTokens += max(0, f.OutTokens)
				w.CostMicros += set.cost(r.Text(cmp.Or(f.Model, a.Model)), max(0, f.InTokens), max(0, f.OutTokens))
				break
			}
		}
	}
	w.Seconds = float64(ns/1e6) / 1000
	return w
}
