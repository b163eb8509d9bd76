package trace

import (
	"cmp"
	"slices"
)

// follow hangs node i under parent and unites their traces.
func (g *Graph) follow(i, parent int32, known Known) {
	g.nodes[i].parent, g.nodes[i].known = parent, known
	g.joined.join(g.nodes[i].trace, g.nodes[parent].trace)
}

// followLinks hangs a parentless span under the span it links to, if that is
// its only link: with several, none is the caller.
func (g *Graph) followLinks() {
	type target struct {
		trace TraceID
		id    SpanID
	}
	wanted := map[target][]int32{}
	for i := range g.nodes {
		f := g.store.FactsOf(g.nodes[i].span)
		if g.nodes[i].parent >= 0 || f == nil || len(f.Links) != 1 {
			continue
		}
		l := target{f.Links[0].Trace, f.Links[0].ID}
		wanted[l] = append(wanted[l], int32(i))
	}
	if len(wanted) == 0 {
		return
	}
	for i := range g.store.Spans {
		s := &g.store.Spans[i]
		at := target{s.Trace, s.ID}
		for _, from := range wanted[at] {
			if from != int32(i) && g.nodes[from].span.Start >= s.Start {
				g.follow(from, int32(i), Declared)
			}
		}
		delete(wanted, at)
	}
}

// use is one span's use of an ID.
type use struct {
	key  Key
	node int32
}

// followKeys joins traces by the IDs that their spans sent and received.
func (g *Graph) followKeys() {
	var uses []use
	for i := range g.store.Spans {
		f := g.store.FactsOf(&g.store.Spans[i])
		if f == nil {
			continue
		}
		for _, k := range f.Keys {
			uses = append(uses, use{k, int32(i)})
		}
	}
	if len(uses) == 0 {
		return
	}
	slices.SortFunc(uses, func(a, b use) int {
		return cmp.Or(cmp.Compare(a.key.ID, b.key.ID), g.before(a.node, b.node),
			cmp.Compare(a.key.Kind, b.key.Kind), cmp.Compare(a.key.Dir, b.key.Dir))
	})
	j := &joiner{g: g, clocks: map[clockPair]window{}, placed: g.order()}
	j.learnClocks()
	var groups [][]use
	for i := 0; i < len(uses); {
		end := i
		for end < len(uses) && uses[end].key.ID == uses[i].key.ID {
			end++
		}
		if group := uses[i:end]; len(group) > 1 && !g.hub(group) {
			groups = append(groups, group)
		}
		i = end
	}
	// What one ID leaves no doubt of first: it teaches the clocks.
	for _, sure := range []bool{true, false} {
		for _, group := range groups {
			j.group(group, sure)
		}
	}
}

// hub reports whether an ID is too common to mean one request.
func (g *Graph) hub(group []use) bool {
	senders, traces := 0, map[int32]bool{}
	first, last := g.nodes[group[0].node].span.Start, int64(0)
	for _, u := range group {
		if u.key.Dir == Sent {
			senders++
		}
		traces[g.nodes[u.node].trace] = true
		last = max(last, g.nodes[u.node].span.Start)
	}
	if senders <= g.opt.MaxSenders && len(traces) <= g.opt.MaxTraces && last-first <= int64(g.opt.MaxAge) {
		return false
	}
	g.Hubs++
	return true
}

// order numbers the nodes so that those below a node follow it without gap.
func (g *Graph) order() []interval {
	g.linkKids()
	size := make([]int32, len(g.nodes))
	for i := len(g.tour) - 1; i >= 0; i-- {
		x := g.tour[i]
		size[x]++
		if p := g.nodes[x].parent; p >= 0 {
			size[p] += size[x]
		}
	}
	at := make([]interval, len(g.nodes))
	next := int32(0)
	for _, x := range g.tour {
		if g.nodes[x].parent < 0 {
			at[x] = interval{next, next + size[x]}
			next += size[x]
		}
		free := at[x].from + 1
		for _, k := range g.children(x) {
			at[k] = interval{free, free + size[k]}
			free += size[k]
		}
	}
	return at
}

// interval is a node's place in preorder and the end of what is below it.
type interval struct{ from, to int32 }

// joiner hangs parentless receivers of an ID under its senders.
type joiner struct {
	g      *Graph
	clocks map[clockPair]window
	placed []interval
}

// clockPair names the clocks of a caller and a callee; window bounds what must
// be added to the callee's time to get the caller's.
type clockPair struct{ caller, callee Sym }
type window struct{ low, high int64 }

// learn narrows the clock window by one sure pair: a callee's span lies within
// its caller's.
func (j *joiner) learn(caller, callee int32) {
	c, s := j.g.nodes[caller].span, j.g.nodes[callee].span
	low, high := c.Start-s.Start, c.End-s.End
	if low > high {
		return // the caller left before the callee had finished
	}
	p := clockPair{c.Instance, s.Instance}
	if w, ok := j.clocks[p]; ok {
		low, high = max(w.low, low), min(w.high, high)
		if low > high {
			return // drift or an odd pair: the earlier pairs stand
		}
	}
	j.clocks[p] = window{low, high}
}

func (j *joiner) learnClocks() {
	for i := range j.g.nodes {
		n := &j.g.nodes[i]
		if n.parent >= 0 && n.known == Declared && n.span.Kind == Server && j.g.nodes[n.parent].span.Kind == Client {
			j.learn(n.parent, int32(i))
		}
	}
}

// offset is the clock offset nearest to zero that fits all sure pairs.
func (j *joiner) offset(caller, callee int32) int64 {
	w, ok := j.clocks[clockPair{j.g.nodes[caller].span.Instance, j.g.nodes[callee].span.Instance}]
	if !ok {
		return 0
	}
	return max(w.low, min(0, w.high))
}

// group joins the traces of one ID; in the sure pass only those receivers that
// have a single possible sender.
func (j *joiner) group(group []use, sure bool) {
	g := j.g
	var senders, receivers []int32
	first := int32(-1)
	for _, u := range group {
		switch {
		case u.key.Dir == Answered:
			// An ID given in an answer joins only the span that got it.
			continue
		case u.key.Dir == Sent:
			senders = append(senders, u.node)
		case g.nodes[u.node].parent < 0:
			receivers = append(receivers, u.node)
		}
		if first < 0 {
			first = u.node
		}
		g.joined.join(g.nodes[first].trace, g.nodes[u.node].trace)
	}
	senders = slices.Compact(senders)
	receivers = slices.Compact(receivers)
	if len(senders) == 0 || len(receivers) == 0 {
		return
	}
	deepest := j.deepest(senders)
	given := map[int32]int{}
	for _, r := range receivers {
		if g.nodes[r].parent >= 0 {
			continue
		}
		all := j.candidates(deepest, r)
		switch {
		case len(all) == 1:
			if p := j.behind(all[0], r); p >= 0 {
				g.follow(r, p, Structural)
				if given[all[0]]++; p == all[0] {
					j.learn(p, r)
				}
			}
		case len(all) > 1 && !sure:
			at, one := j.choose(all, r, given)
			given[at]++
			if p := j.behind(at, r); p >= 0 {
				g.follow(r, p, Inferred)
				g.nodes[r].unsure = !one
			}
		}
	}
}

// deepest leaves out the senders that have another sender below them.
func (j *joiner) deepest(senders []int32) []int32 {
	in := slices.Clone(senders)
	slices.SortFunc(in, func(a, b int32) int { return cmp.Compare(j.placed[a].from, j.placed[b].from) })
	var out []int32
	for i, s := range in {
		if i+1 < len(in) && j.placed[in[i+1]].from < j.placed[s].to {
			continue
		}
		out = append(out, s)
	}
	slices.SortFunc(out, j.g.before)
	return out
}

// candidates are the senders that are not below the receiver and began before
// it; those to its route, if there are any.
func (j *joiner) candidates(senders []int32, r int32) []int32 {
	g := j.g
	var all, route []int32
	for _, s := range senders {
		if below := j.placed[s].from >= j.placed[r].from && j.placed[s].from < j.placed[r].to; below || s == r {
			continue
		}
		if g.nodes[s].span.Start > g.nodes[r].span.Start+j.offset(s, r)+grace {
			continue
		}
		all = append(all, s)
		if g.nodes[s].span.Ask == g.nodes[r].span.Ask {
			route = append(route, s)
		}
	}
	if len(route) > 0 {
		return route
	}
	return all
}

// choose picks the sender with the number that the receiver got, then one that
// was waiting for an answer while it ran. Where several fit, one is false: each
// sent a request at least, so that who has been given the fewest comes first,
// of these who got its answer first.
func (j *joiner) choose(all []int32, r int32, given map[int32]int) (at int32, one bool) {
	g := j.g
	narrow := func(fits func(int32) bool) {
		var some []int32
		for _, s := range all {
			if fits(s) {
				some = append(some, s)
			}
		}
		if len(some) > 0 {
			all = some
		}
	}
	if c := g.counter(g.nodes[r].span); c.Meaning == Ordinal {
		narrow(func(s int32) bool {
			own := g.counter(g.nodes[s].span)
			return own.Meaning == Ordinal && own.N == c.N
		})
	}
	if len(all) > 1 {
		narrow(func(s int32) bool {
			start := g.nodes[r].span.Start + j.offset(s, r)
			c := g.nodes[s].span
			return c.Start <= start && start <= c.End
		})
	}
	if len(all) > 1 {
		narrow(func(s int32) bool {
			return g.nodes[r].span.End+j.offset(s, r) <= g.nodes[s].span.End
		})
	}
	at = slices.MinFunc(all, func(a, b int32) int {
		x, y := &g.nodes[a], &g.nodes[b]
		return cmp.Or(cmp.Compare(given[a], given[b]), cmp.Compare(x.span.End, y.span.End), g.before(a, b))
	})
	return at, len(all) == 1
}

// behind returns the span under which a receiver of sender's ID hangs: sender
// itself, or the gateway that it reached in another service and that passed
// the ID on; −1 if that would close a circle.
func (j *joiner) behind(sender, r int32) int32 {
	g := j.g
	at := sender
	for _, k := range g.children(sender) {
		s := g.nodes[k].span
		if s.Kind == Server && s.Service != g.nodes[r].span.Service {
			at = k
			break
		}
	}
	for up := at; up >= 0; up = g.nodes[up].parent {
		if up == r {
			return -1
		}
	}
	return at
}

// unnestRuns hangs the run of a job that an earlier run of it published again
// beside that run: some queues publish a retry from within the failing run, so
// that runs would stand each below the one before.
func (g *Graph) unnestRuns() {
	g.linkKids()
	for _, i := range g.tour {
		job := g.jobOf(g.nodes[i].span)
		if job == 0 {
			continue
		}
		const deep = 16 // a run publishes its retry within a few spans
		at := g.nodes[i].parent
		for n := 0; at >= 0 && n < deep; n++ {
			if was, is := g.nodes[at].span, g.nodes[i].span; g.jobOf(was) == job && was.Ask == is.Ask {
				if was.Instance == is.Instance && was.Start <= is.Start && is.End <= was.End {
					break // two spans of one run, each by its own instrumentation
				}
				// The tour comes from above: the earlier run is in place already.
				g.nodes[i].parent, g.nodes[i].known = g.nodes[at].parent, Declared
				break
			}
			at = g.nodes[at].parent
		}
	}
}
