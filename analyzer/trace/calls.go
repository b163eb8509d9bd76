package trace

import (
	"bytes"
	"cmp"
	"slices"
	"time"
)

// builder makes requests of the forest, one at a time.
type builder struct {
	g *Graph
	r *Request
	// todo are the places where an attempt branches into calls.
	todo []branch
	// calls are all calls of the request, callers before the calls they made.
	calls []*Call
}

// branch is a node of an attempt's path with the children that the path does
// not go on to.
type branch struct {
	attempt *Attempt // nil at the top
	node    int32    // −1 at the top
	kids    []int32
}

// request builds the request of a component.
func (b *builder) request(traces []int32) *Request {
	g := b.g
	b.r = &Request{Store: g.store, direct: g.direct}
	b.todo, b.calls = nil, nil
	var tops []int32
	for _, t := range traces {
		from, to := g.spansOf(t)
		b.r.Spans += int(to - from)
		for i := from; i < to; i++ {
			b.r.Sampled = b.r.Sampled || g.nodes[i].span.Flags.Has(Sampled)
		}
		id := g.nodes[from].span.Trace
		b.r.Traces = append(b.r.Traces, id)
		if _, cut := slices.BinarySearchFunc(g.store.Cut, id, func(a, b TraceID) int { return bytes.Compare(a[:], b[:]) }); cut {
			b.r.Cut = true
		}
		for _, i := range g.tops[t] {
			if g.nodes[i].hop {
				tops = append(tops, i)
			}
		}
	}
	slices.SortFunc(tops, g.before)
	if len(tops) > 0 {
		b.todo = append(b.todo, branch{nil, -1, tops})
	}
	for len(b.todo) > 0 {
		at := b.todo[0]
		b.todo = b.todo[1:]
		b.branch(at)
	}
	b.finish()
	b.r.Key = b.key()
	return b.r
}

// key is the request ID that the outermost spans carry, else the smallest
// trace ID.
func (b *builder) key() Sym {
	for _, c := range b.r.Roots {
		for _, a := range c.Attempts {
			for _, s := range a.Spans {
				f := b.g.store.FactsOf(s)
				if f == nil {
					continue
				}
				for _, k := range f.Keys {
					if k.Kind == RequestKey && k.Dir != Answered {
						return k.ID
					}
				}
			}
		}
	}
	// A key need not be a symbol of the store yet.
	return b.g.store.Sym(b.r.Traces[0].String())
}

// branch makes the calls of one caller.
func (b *builder) branch(at branch) {
	g := b.g
	if at.node >= 0 && g.hides(at.node, at.kids) {
		if retry, known := g.said(at.kids[0]); retry || !known {
			b.addHidden(at)
			return
		}
	}
	for _, c := range g.chains(at.kids, at.node < 0) {
		levels, declared := g.levels(c)
		b.addLevels(at, c, levels, declared)
	}
}

// hides reports whether the servers below a client are attempts that something
// between the two made: a client sends a request once. Servers of several
// services are only if each but the last had failed; else the request was
// copied to them.
func (g *Graph) hides(i int32, kids []int32) bool {
	if g.nodes[i].span.Kind != Client || len(kids) < 2 {
		return false
	}
	first, several, answered := &g.nodes[kids[0]], false, false
	for k, kid := range kids {
		n := &g.nodes[kid]
		if n.span.Kind != Server || n.span.Flags&(Redirected|Job) != 0 || n.want != first.want {
			return false
		}
		several = several || n.span.Service != first.span.Service
		answered = answered || k < len(kids)-1 && n.view != Failed && n.view != Cut
	}
	return !several || !answered
}

// addHidden makes one call of the servers below a client span.
func (b *builder) addHidden(at branch) {
	c := &chain{
		hops: at.kids, hidden: make([]Range, len(at.kids)), pattern: Retry, known: Structural, conf: Certain,
		reason: "several servers answered what one client span asked",
	}
	for i, k := range at.kids {
		if b.g.nodes[k].known == Inferred {
			c.known, c.conf = Inferred, min(c.conf, Likely)
		}
		if i < len(at.kids)-1 && b.g.nodes[k].view == OK {
			// Nothing sends again what was answered: it is another's, or what
			// stands between asks twice. Before the answer it may have lost patience.
			c.conf = min(c.conf, Likely)
			if ended(b.g.nodes[k].span, b.g.nodes[at.kids[i+1]].span) {
				c.conf = Possible
			}
		}
		if b.g.nodes[k].unsure {
			c.unsure, c.conf = true, Possible
		}
	}
	call := b.addCall(at, c)
	caller := b.g.nodes[at.node].span
	for i, a := range call.Attempts {
		if i < len(call.Attempts)-1 && a.Outcome != Failed {
			// What was sent again had not been answered, whatever the server says.
			a.Outcome, a.Class, a.Verdict, a.ClassConf = Failed, UnknownError, Undecided, Possible
		}
	}
	last := call.Attempts[len(call.Attempts)-1]
	if last.Outcome == OK && at.attempt.Failed() && caller.Outcome == Failed {
		last.Outcome, last.Class, last.Verdict, last.ClassConf = Failed, UnknownError, Undecided, Possible
	}
}

// addCall makes a call of a chain and queues what its attempts did.
func (b *builder) addCall(at branch, c *chain) *Call {
	g := b.g
	first, sure := &g.nodes[c.hops[0]], Certain
	if len(c.hops) > 1 {
		sure = g.sure(c, c.each())
	}
	call := &Call{
		Parent: at.attempt, Identity: first.id, Pattern: c.pattern, Known: c.known, Conf: min(c.conf, sure),
		Ambiguous: c.unsure, List: sure == Possible, Reason: c.reason, same: first.same && at.node >= 0,
	}
	b.calls = append(b.calls, call)
	if at.attempt != nil {
		at.attempt.Calls = append(at.attempt.Calls, call)
	} else {
		b.r.Roots = append(b.r.Roots, call)
	}
	n := int32(0)
	for k, i := range c.hops {
		if hidden := c.hidden[k]; hidden.Max > 0 {
			s := g.nodes[i].span
			call.Attempts = append(call.Attempts, &Attempt{
				Call: call, N: n, Count: hidden, Known: Declared, Start: s.Start, End: s.Start,
				Outcome: Failed, Class: UnknownError, Verdict: Undecided, ClassConf: Possible,
				Reason: "its number says that attempts before it were not seen",
			})
			n += hidden.Max
		}
		if k > 0 && g.nodes[i].span.Flags.Has(Transparent) {
			// The transport sent again what the callee had not seen: the same attempt.
			again := call.Attempts[len(call.Attempts)-1]
			again.from = len(again.Spans)
			b.walk(again, i)
			continue
		}
		a := &Attempt{Call: call, N: n, Count: Exact(1), Known: cmp.Or(g.nodes[i].known, Structural)}
		call.Attempts = append(call.Attempts, a)
		b.walk(a, i)
		n++
	}
	if c.pattern == Retry && g.callID(c.hops[0]) != 0 && g.jobOf(first.span) != 0 {
		// A job that ran again has failed, whatever its span says.
		for _, a := range call.Attempts[:len(call.Attempts)-1] {
			if !a.Failed() {
				a.Outcome, a.Class, a.Verdict, a.ClassConf = Failed, UnknownError, Undecided, Likely
			}
		}
	}
	b.settle(call, at, c)
	return call
}

// walk follows the path of an attempt from node i down and queues its branches.
func (b *builder) walk(a *Attempt, start int32) {
	g, i := b.g, start
	for {
		n := &g.nodes[i]
		a.Spans = append(a.Spans, n.span)
		a.unsure = a.unsure || n.unsure
		a.Model = cmp.Or(a.Model, n.model)
		a.address = cmp.Or(a.address, n.address)
		if n.span.Flags.Has(Ghost) {
			b.r.Missing++
		}
		next, sames := int32(-1), 0
		var rest []int32
		for _, k := range g.children(i) {
			if !g.nodes[k].hop {
				continue
			}
			rest = append(rest, k)
			if g.nodes[k].same {
				next = k
				sames++
			}
		}
		if sames == 1 && g.nodes[next].number <= 0 {
			rest = slices.DeleteFunc(rest, func(k int32) bool { return k == next })
		} else {
			next = -1
		}
		if len(rest) > 0 {
			b.todo = append(b.todo, branch{a, i, rest})
		}
		if len(rest) == 0 && next < 0 && n.total > 1 {
			b.addTotal(a, i)
		}
		if next < 0 {
			break
		}
		i = next
	}
	b.judge(a)
	if a.Outcome == Unstated {
		a.Outcome = g.nodes[start].view // nothing along the path says so: what it did does
		b.judgeClass(a)
	}
}

// addTotal makes a call of the attempts that a span counts and nothing shows.
func (b *builder) addTotal(a *Attempt, i int32) {
	n := &b.g.nodes[i]
	call := &Call{
		Parent: a, Identity: n.id, Pattern: Retry, Known: Declared, Conf: Certain, same: true,
		Reason: "the span counts attempts that no spans show",
	}
	b.calls = append(b.calls, call)
	a.Calls = append(a.Calls, call)
	hidden := &Attempt{
		Call: call, Count: Exact(n.total - 1), Known: Declared, Start: n.span.Start, End: n.span.Start,
		Outcome: Failed, Class: UnknownError, Verdict: Undecided, ClassConf: Possible, Reason: call.Reason,
	}
	last := &Attempt{Call: call, N: n.total - 1, Count: Exact(1), Known: Declared, Spans: []*Span{n.span}, Reason: call.Reason}
	b.judge(last)
	call.Attempts = []*Attempt{hidden, last}
	b.settle(call, branch{a, i, nil}, &chain{hops: []int32{i}, pattern: Retry})
}

// judge reads times, outcome and class of an attempt off its spans.
func (b *builder) judge(a *Attempt) {
	g := b.g
	a.Start, a.End = a.Spans[0].Start, a.Spans[a.from].End
	a.Outcome, a.Status = Unstated, 0
	for _, s := range a.Spans[a.from:] {
		if a.Outcome == Unstated {
			a.Outcome = s.Outcome // the caller's view: the outermost that has one
		}
		a.Status = cmp.Or(a.Status, s.Status)
		if f := g.store.FactsOf(s); f != nil {
			if a.Asked.State == Absent {
				a.Asked = f.RetryAfter
			}
			if f.FirstOutput > 0 && (a.FirstOutput == 0 || f.FirstOutput < a.FirstOutput) {
				a.FirstOutput = f.FirstOutput
			}
		}
	}
	b.judgeClass(a)
}

// judgeClass gives a failed attempt the class of the span that is surest of
// it, of equals the inner one.
func (b *builder) judgeClass(a *Attempt) {
	if !a.Failed() {
		return
	}
	a.Class, a.Verdict, a.ClassConf = UnknownError, Undecided, Possible
	var best *Span
	for _, s := range a.Spans[a.from:] {
		if s.Class != NoError && (best == nil || weight(s) >= weight(best)) {
			best = s
		}
	}
	if best != nil {
		a.Class, a.Verdict, a.ClassConf, a.Code = best.Class, best.Verdict, best.ClassConf, best.Code
		a.Status = cmp.Or(best.Status, a.Status)
	}
}

// weight ranks how much a span's class says.
func weight(s *Span) int {
	if s.Class == UnknownError {
		return 0
	}
	return int(s.ClassConf)
}

// settle fills in what a call and its attempts have from one another.
func (b *builder) settle(call *Call, at branch, c *chain) {
	g := b.g
	first := &g.nodes[c.hops[0]]
	call.Upstream = b.upstream(call, first)
	call.Owner = b.owner(call, at, c)
	b.correct(call)
	call.Known = cmp.Or(call.Known, Structural)
	if at.node < 0 && first.span.Kind == Server && len(call.Attempts) > 1 && call.Known == Inferred {
		call.Conf = min(call.Conf, Possible) // others may have called the server, too
	}
	var prev *Attempt
	for _, a := range call.Attempts {
		for _, s := range a.Spans {
			if f := g.store.FactsOf(s); f != nil {
				if f.Counter.Meaning == Ordinal || s.IsRun() {
					call.DeclaredMax = max(call.DeclaredMax, f.DeclaredMax)
				}
				if call.Deadline.Scope == 0 && f.Deadline.Scope == CallScope {
					call.Deadline = f.Deadline
				}
			}
		}
		call.Ambiguous = call.Ambiguous || a.unsure
		if prev != nil && len(prev.Spans) > 0 && len(a.Spans) > 0 {
			a.Fallback = b.elsewhere(prev, a)
			ghosts := (prev.Spans[0].Flags | a.Spans[0].Flags).Has(Ghost)
			if ghosts && (prev.Model == 0) != (a.Model == 0) || ghosts && a.Model == 0 && prev.Spans[0].Kind == Internal {
				// The lost span would tell whether this went to another model.
				call.Conf = min(call.Conf, Possible)
			}
			if prev.Spans[0].Instance == a.Spans[0].Instance && !call.Ambiguous && prev.End <= a.Start+grainOf(a.Spans[0]) {
				a.Wait = Idle{time.Duration(max(0, a.Start-prev.End)), call.Known}
			}
		}
		prev = a
	}
	lost, mixed := false, false
	for _, i := range c.hops {
		s := g.nodes[i].span
		lost, mixed = lost || s.Flags.Has(Ghost), mixed || s.Kind != first.span.Kind
	}
	if lost && mixed {
		call.Conf = min(call.Conf, Possible) // lost spans of two levels stand beside one another
	}
	if call.Ambiguous && at.node < 0 {
		call.Conf = min(call.Conf, Possible) // each attempt may be another caller's
	}
	if call.Pattern == Retry && call.Retried() == 0 {
		call.Pattern = Fallback
		if len(call.Attempts) == 1 {
			call.Pattern = Single
		}
	}
	if at.node >= 0 {
		if f := g.store.FactsOf(g.nodes[at.node].span); f != nil && f.Counter.Meaning != Ordinal && f.DeclaredMax > 0 && !g.nodes[at.node].span.IsRun() {
			call.DeclaredMax = f.DeclaredMax
		}
	}
	call.OneLevel = !c.outer && !c.inner && !numbered(g, c.hops) && beginsAnew(call)
}

// upstream is what the first attempt of a call hit.
func (b *builder) upstream(call *Call, first *node) Upstream {
	up := Upstream{Op: first.want, Model: first.model, Address: first.address}
	for _, a := range call.Attempts {
		for _, s := range a.Spans {
			if s.Kind == Server && up.Service == 0 {
				up.Service = s.Service
			}
			if up.Model == 0 {
				up.Model = a.Model
			}
		}
	}
	return up
}

// elsewhere reports whether an attempt went to another model or host than the
// one before. Another port or replica of a host is no other place.
func (b *builder) elsewhere(prev, a *Attempt) bool {
	if prev.Model != 0 && a.Model != 0 && prev.Model != a.Model {
		return true
	}
	for _, of := range []func(*Facts) Sym{func(f *Facts) Sym { return f.Provider }, func(f *Facts) Sym { return f.Channel }} {
		if x, y := b.told(prev, of), b.told(a, of); x != 0 && y != 0 && x != y {
			return true
		}
	}
	x, y := b.host(prev), b.host(a)
	return x != "" && y != "" && x != y
}

// host is the host that the outermost client of an attempt called.
func (b *builder) host(a *Attempt) string {
	for _, s := range a.Spans {
		if s.Kind == Client && s.Address != 0 {
			return hostOf(b.g.store.Text(s.Address))
		}
	}
	return hostOf(b.g.store.Text(a.address))
}

// hostOf cuts the port off an address.
func hostOf(address string) string {
	for i := len(address) - 1; i >= 0; i-- {
		switch c := address[i]; {
		case c == ':':
			return address[:i]
		case c < '0' || c > '9':
			return address
		}
	}
	return address
}

// told is what the outermost span of an attempt that tells it says.
func (b *builder) told(a *Attempt, of func(*Facts) Sym) Sym {
	for _, s := range a.Spans {
		if f := b.g.store.FactsOf(s); f != nil && of(f) != 0 {
			return of(f)
		}
	}
	return 0
}
