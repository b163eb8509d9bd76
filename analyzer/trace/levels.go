package trace

import (
	"slices"
	"time"
)

// Limits of what shows two owners on one level of spans, in the waits alone.
const (
	// minBlock is the fewest attempts of the inner owner: smaller blocks would
	// split a backoff with full jitter, any two waits of which may look like a
	// burst and a pause.
	minBlock = 3
	// blockSlack is the share by which equal waits of two blocks may differ: a
	// cold or loaded process stretches exact waits by a few per cent.
	blockSlack = 1.25
	// minSlack is what they may differ by at least, and a pause must exceed.
	minSlack = int64(10 * time.Millisecond)
	burstGap = int64(50 * time.Millisecond)
)

// A level is where the attempts of an outer owner begin in a chain of hops:
// the indices of their first hops.
type level []int

// levels returns how the hops of a chain fall into attempts of an outer owner,
// and these into those of an owner further out, the innermost first. They fall
// apart where the numbers of the inner owner begin anew; without numbers, into
// bursts of one shape. declared says that numbers tell.
func (g *Graph) levels(c *chain) (all []level, declared bool) {
	if c.pattern != Retry || len(c.hops) < 2 {
		return nil, false
	}
	starts := g.resets(c)
	declared = len(starts) > 1
	bounds := starts
	if !declared {
		bounds = c.each()
	} else {
		all = append(all, starts)
	}
	for {
		sizes := g.bursts(c, bounds)
		if sizes == 0 {
			return all, declared
		}
		var outer level
		for i := 0; i < len(bounds); i += sizes {
			outer = append(outer, bounds[i])
		}
		all = append(all, outer)
		bounds = outer
	}
}

// resets returns where the numbers of a chain begin anew.
func (g *Graph) resets(c *chain) level {
	starts := level{0}
	if g.jobOf(g.nodes[c.hops[0]].span) != 0 {
		return nil // runs of one job: a clock is behind
	}
	for k := 1; k < len(c.hops); k++ {
		prev, n := &g.nodes[c.hops[k-1]], &g.nodes[c.hops[k]]
		switch {
		case prev.number < 0 && n.number < 0:
		case n.number >= 0 && prev.number >= 0 && n.number <= prev.number,
			// Some count from the first retry on only.
			prev.number > 0 && n.number < 0 && n.span.Scope == prev.span.Scope && g.counter(prev.span).Meaning == Ordinal:
			starts = append(starts, k)
		}
	}
	if !numbered(g, c.hops) {
		return nil // each is the first of its owner: there is one owner only
	}
	return starts
}

// bursts returns the size of equal blocks into which the attempts that begin at
// bounds fall, 0 if they do not: their waits repeat from block to block, and
// the waits between blocks do not go on with the series of those within.
func (g *Graph) bursts(c *chain, bounds level) int {
	n := len(bounds)
	if n < 2*minBlock || c.unsure || slices.ContainsFunc(c.hidden, func(r Range) bool { return r.Max > 0 }) {
		return 0
	}
	waits := make([]int64, n) // before the attempt; that before the first is unused
	for i := 1; i < n; i++ {
		prev, next := g.nodes[c.hops[bounds[i]-1]].span, g.nodes[c.hops[bounds[i]]].span
		if prev.Instance != next.Instance || prev.Flags.Has(Ghost) || next.Flags.Has(Ghost) {
			return 0
		}
		waits[i] = max(0, next.Start-prev.End)
	}
	for size := minBlock; size <= n/2; size++ {
		if n%size == 0 && repeats(waits, size) {
			return size
		}
	}
	return 0
}

// beginsAnew reports whether a wait well under the one before it, which no
// answer asked for, stands where an outer owner may have begun an attempt.
func beginsAnew(call *Call) bool {
	all := call.Attempts
	if call.Pattern != Retry || call.Ambiguous {
		return false
	}
	for i := minBlock; i+minBlock <= len(all); i++ {
		last, wait := all[i-1].Wait, all[i].Wait
		if last.Known == 0 || wait.Known == 0 || all[i-2].Asked.State != 0 || all[i-1].Asked.State != 0 {
			continue
		}
		if shorter(int64(wait.D), int64(last.D)) {
			return true
		}
	}
	return false
}

// shorter reports whether a wait is too short to go on with a series.
func shorter(wait, last int64) bool { return wait < last/2 && last-wait > burstGap }

// repeats reports whether the waits within blocks of the size repeat, and each
// wait between two blocks breaks their series.
func repeats(waits []int64, size int) bool {
	for at := 1; at < size; at++ {
		low, high := waits[at], waits[at]
		for i := at; i < len(waits); i += size {
			low, high = min(low, waits[i]), max(high, waits[i])
		}
		if high-low > max(minSlack, int64(float64(low)*(blockSlack-1))) {
			return false
		}
	}
	for i := size; i < len(waits); i += size {
		last, before := waits[i-1], waits[i-2]
		next := last // that a series of equal waits goes on with
		if size > 2 && before > 0 && last > before {
			next = last * last / before
		}
		if !shorter(waits[i], last) && waits[i] <= 2*next+burstGap {
			return false
		}
	}
	return true
}

// addLevels makes a call of each owner on a level of spans: an attempt of the
// outer one is a call of the inner.
func (b *builder) addLevels(at branch, c *chain, levels []level, declared bool) *Call {
	if len(levels) == 0 {
		return b.addCall(at, c)
	}
	g := b.g
	starts := levels[len(levels)-1]
	first := &g.nodes[c.hops[0]]
	outer := &chain{pattern: Retry, known: Inferred, conf: min(c.conf, Likely), unsure: c.unsure, outer: true,
		reason: "the waits between its attempts fall into bursts of equal shape"}
	if declared && len(levels) == 1 {
		outer.known, outer.conf, outer.reason = Declared, c.conf, "the numbers of its attempts begin anew"
	}
	sure := g.sure(c, starts)
	outer.conf = min(outer.conf, sure)
	call := &Call{
		Parent: at.attempt, Identity: first.id, Pattern: Retry, Known: outer.known, Conf: outer.conf,
		Ambiguous: c.unsure, List: sure == Possible, Reason: outer.reason, same: first.same && at.node >= 0,
	}
	b.calls = append(b.calls, call)
	if at.attempt != nil {
		at.attempt.Calls = append(at.attempt.Calls, call)
	} else {
		b.r.Roots = append(b.r.Roots, call)
	}
	for k, from := range starts {
		to := len(c.hops)
		if k+1 < len(starts) {
			to = starts[k+1]
		}
		outer.hops = append(outer.hops, c.hops[from])
		// No span shows the attempt of the outer owner; that of its first
		// inner attempt stands for it.
		a := &Attempt{Call: call, N: int32(k), Count: Exact(1), Known: outer.known, Spans: []*Span{g.nodes[c.hops[from]].span}}
		call.Attempts = append(call.Attempts, a)
		inner := b.addLevels(branch{a, at.node, nil}, c.part(from, to), below(levels[:len(levels)-1], from, to), declared)
		inner.same = true
		last := inner.Attempts[len(inner.Attempts)-1]
		a.Start, a.End = inner.Attempts[0].Start, last.End
		a.Outcome, a.Class, a.Verdict, a.ClassConf, a.Code, a.Status = last.Outcome, last.Class, last.Verdict, last.ClassConf, last.Code, last.Status
		a.Asked, a.FirstOutput, a.Model, a.unsure = last.Asked, last.FirstOutput, last.Model, last.unsure
	}
	b.settle(call, at, outer)
	return call
}

// each is the level on which each hop is an attempt.
func (c *chain) each() level {
	all := make(level, len(c.hops))
	for k := range all {
		all[k] = k
	}
	return all
}

// part is the chain of some of the hops.
func (c *chain) part(from, to int) *chain {
	p := *c
	p.hops, p.hidden, p.links = c.hops[from:to], c.hidden[from:to], c.links[from:to]
	p.inner = true
	if p.pattern = Retry; len(p.hops) == 1 {
		p.pattern = Single
	}
	return &p
}

// below returns the levels within hops from to to, counted from there.
func below(levels []level, from, to int) []level {
	var out []level
	for _, l := range levels {
		var within level
		for _, at := range l {
			if at >= from && at < to {
				within = append(within, at-from)
			}
		}
		out = append(out, within)
	}
	return out
}
