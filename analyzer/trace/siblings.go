package trace

import "slices"

// nestSiblings hangs spans under the sibling that made them. Instrumentation
// by callbacks (agent frameworks, LLM clients) sets no context, so that the
// HTTP spans of a call lie beside the span of the call. A span belongs to one
// that wants the same, of a higher layer and another scope in the same
// process, if that contains it and has nothing of the kind below. Spans of one
// scope are never nested: a hanging attempt contains its hedge.
func (g *Graph) nestSiblings() {
	nested := map[int32]int32{}
	for p := range g.nodes {
		kids := g.kids[g.nodes[p].kids:g.nodes[p].kidsEnd]
		if len(kids) < 2 {
			continue
		}
		group := map[siblingSign][]int32{}
		for _, k := range kids {
			n := &g.nodes[k]
			if s := n.span; n.parent == int32(p) && s.Ask != 0 && !s.Flags.Has(Ghost) {
				sign := siblingSign{s.Instance, s.Ask}
				group[sign] = append(group[sign], k)
			}
		}
		for _, k := range kids {
			s := g.nodes[k].span
			sign := siblingSign{s.Instance, s.Ask}
			if all := group[sign]; len(all) > 1 {
				g.nestIn(all, nested)
			}
			delete(group, sign)
		}
	}
	for k, p := range nested {
		g.nodes[k].parent, g.nodes[k].known = p, Inferred
	}
}

// nestServers hangs servers below one client under the one that contains them
// all and is of another scope: a sidecar or a server's outer layer, which the
// context was not handed through, and the application behind it.
func (g *Graph) nestServers() {
	for p := range g.nodes {
		kids := g.kids[g.nodes[p].kids:g.nodes[p].kidsEnd]
		if len(kids) < 2 || g.nodes[p].span.Kind != Client {
			continue
		}
		outer := kids[0]
		for _, k := range kids[1:] {
			if g.nodes[k].span.Duration() > g.nodes[outer].span.Duration() {
				outer = k
			}
		}
		o := g.nodes[outer].span
		within := func(k int32) bool {
			s := g.nodes[k].span
			return k == outer || s.Kind == Server && s.Scope != o.Scope && s.Ask == o.Ask && s.Start >= o.Start-clockGrain && s.End <= o.End+clockGrain
		}
		if o.Kind != Server || slices.ContainsFunc(kids, func(k int32) bool { return !within(k) }) {
			continue
		}
		for _, k := range kids {
			if k != outer {
				g.nodes[k].parent, g.nodes[k].known = outer, Inferred
			}
		}
	}
}

// siblingSign is what siblings that may be nested share.
type siblingSign struct{ instance, ask Sym }

// rank orders layers by what calls what: agents call SDKs, these the
// transport. Others are 0 and not nested.
func (s *Span) rank() int {
	switch s.Layer {
	case Transport:
		return 1
	case SDK:
		return 2
	case Agent, App, Tool:
		return 3
	}
	return 0
}

// nestIn finds, for siblings of one sign in order of start, those that another
// one made.
func (g *Graph) nestIn(all []int32, nested map[int32]int32) {
	var byRank [4][]int32
	for _, k := range all {
		rank := g.nodes[k].span.rank()
		byRank[rank] = append(byRank[rank], k)
	}
	for inner := 1; inner < len(byRank)-1; inner++ {
		for outer := inner + 1; outer < len(byRank); outer++ {
			if len(byRank[outer]) > 0 { // the next layer up is the caller
				g.nestAll(byRank[inner], slices.DeleteFunc(slices.Clone(byRank[outer]), g.showsCalls), nested)
				break
			}
		}
	}
}

// nestAll gives inner spans to the outer ones that contain them, both in order
// of start. One that alone contains it is the caller. Of several each must have
// made one request at least: one without any comes first, then one whose last
// had failed. Which it was is unsure then; the number of requests is not.
func (g *Graph) nestAll(inners, outers []int32, nested map[int32]int32) {
	if len(inners) == 0 || len(outers) == 0 {
		return
	}
	around, free, failed := newByEnd(g, outers), newByEnd(g, outers), newByEnd(g, outers)
	type request struct {
		end           int64
		inner, holder int32
	}
	busy := heap[request]{less: func(a, b request) bool { return a.end < b.end }}
	next := 0
	for _, k := range inners {
		s := g.nodes[k].span
		start, end := s.Start+clockGrain, s.End-clockGrain
		for ; next < len(outers) && g.nodes[outers[next]].span.Start <= start; next++ {
			around.add(outers[next])
			free.add(outers[next])
		}
		for len(busy.all) > 0 && busy.all[0].end <= start {
			r := busy.all[0]
			busy.pop()
			if o := g.nodes[r.inner].span.Outcome; o == Failed || o == Cut {
				failed.add(r.holder)
			}
		}
		p, n := around.first(end)
		if n > 1 {
			if p, _ = free.first(end); p < 0 {
				p, _ = failed.first(end)
			}
		}
		if p < 0 || g.nodes[p].span.Scope == s.Scope {
			continue
		}
		nested[k] = p
		g.nodes[k].unsure = g.nodes[k].unsure || n > 1
		free.remove(p)
		failed.remove(p)
		busy.push(request{s.End, k, p})
	}
}

// showsCalls reports whether a node has a child that wants the same.
func (g *Graph) showsCalls(i int32) bool {
	n := &g.nodes[i]
	return slices.ContainsFunc(g.kids[n.kids:n.kidsEnd], func(k int32) bool { return g.nodes[k].span.Ask == n.span.Ask })
}

// byEnd is a set of spans that finds the one with the earliest end behind a
// time: a Fenwick tree over their ends.
type byEnd struct {
	g     *Graph
	ends  []int64 // ascending, without repeats
	at    [][]int32
	count []int32 // Fenwick tree of the sizes of at
	total int32
}

func newByEnd(g *Graph, spans []int32) *byEnd {
	b := &byEnd{g: g}
	for _, i := range spans {
		b.ends = append(b.ends, g.nodes[i].span.End)
	}
	slices.Sort(b.ends)
	b.ends = slices.Compact(b.ends)
	b.at, b.count = make([][]int32, len(b.ends)), make([]int32, len(b.ends)+1)
	return b
}

// rank is the number of ends before a time.
func (b *byEnd) rank(end int64) int {
	at, _ := slices.BinarySearch(b.ends, end)
	return at
}

func (b *byEnd) change(rank int, by int32) {
	b.total += by
	for i := rank + 1; i < len(b.count); i += i & -i {
		b.count[i] += by
	}
}

func (b *byEnd) add(i int32) {
	r := b.rank(b.g.nodes[i].span.End)
	b.at[r] = append(b.at[r], i)
	b.change(r, 1)
}

// remove takes a span out of the set if it is in it.
func (b *byEnd) remove(i int32) {
	r := b.rank(b.g.nodes[i].span.End)
	if k := slices.Index(b.at[r], i); k >= 0 {
		b.at[r] = slices.Delete(b.at[r], k, k+1)
		b.change(r, -1)
	}
}

// first returns the span of the set that ends first at end or later, −1 if
// there is none, and how many do.
func (b *byEnd) first(end int64) (at, n int32) {
	before := int32(0)
	for i := b.rank(end); i > 0; i -= i & -i {
		before += b.count[i]
	}
	if n = b.total - before; n == 0 {
		return -1, 0
	}
	rank, want := 0, before+1
	step := 1
	for step*2 < len(b.count) {
		step *= 2
	}
	for ; step > 0; step /= 2 {
		if rank+step < len(b.count) && b.count[rank+step] < want {
			rank += step
			want -= b.count[rank]
		}
	}
	return b.at[rank][0], n
}
