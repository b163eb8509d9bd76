package trace

import "cmp"

// declaredParents follows the parent IDs within each trace. Where several
// spans have the ID, time and service decide. Spans whose parent the input
// lacks get a ghost.
func (g *Graph) declaredParents() {
	byID := map[SpanID]int32{}          // first span of an ID
	next := make([]int32, len(g.nodes)) // next span of the same ID
	missing := map[SpanID]int32{}
	for t := range g.traces {
		from, to := g.spansOf(int32(t))
		clear(byID)
		clear(missing)
		for i := to - 1; i >= from; i-- {
			id := g.nodes[i].span.ID
			next[i] = -1
			if other, ok := byID[id]; ok {
				next[i] = other
			}
			byID[id] = i
		}
		for i := from; i < to; i++ {
			s := g.nodes[i].span
			if twin := g.callerTwin(i, byID[s.ID], next); twin >= 0 {
				g.nodes[i].parent, g.nodes[i].known = twin, Structural
				continue
			}
			if s.Parent.IsZero() {
				continue
			}
			first, ok := byID[s.Parent]
			if !ok {
				at, ok := missing[s.Parent]
				if !ok {
					at = int32(len(g.ghosts))
					missing[s.Parent] = at
					g.ghosts = append(g.ghosts, Span{Trace: s.Trace, ID: s.Parent, Flags: Ghost, Kind: Internal})
				}
				// Ghosts get their nodes when all are known: their spans must not move.
				g.nodes[i].parent = -2 - at
				g.nodes[i].known = Declared
				continue
			}
			parent := g.holder(i, first, next)
			if parent == i {
				g.Cycles++
				continue
			}
			g.nodes[i].parent, g.nodes[i].known = parent, Declared
			if next[first] >= 0 {
				g.nodes[i].known = Structural
			}
		}
	}
	base := int32(len(g.nodes))
	for i := range g.nodes {
		if p := g.nodes[i].parent; p <= -2 {
			g.nodes[i].parent = base + (-2 - p)
		}
	}
	for i := range g.ghosts {
		g.nodes = append(g.nodes, node{span: &g.ghosts[i], parent: -1, number: -1})
	}
	for i := range base {
		if p := g.nodes[i].parent; p >= base {
			g.nodes[p].trace = g.nodes[i].trace
		}
	}
}

// callerTwin returns the client span that shares the ID of server span i
// (Zipkin's shared spans), −1 if there is none.
func (g *Graph) callerTwin(i, first int32, next []int32) int32 {
	if k := g.nodes[i].span.Kind; k != Server && k != Consumer {
		return -1
	}
	for at := first; at >= 0; at = next[at] {
		k := g.nodes[at].span.Kind
		if at != i && (k == Client || k == Producer) {
			return at
		}
	}
	return -1
}

// holder returns which of the spans of one ID is the parent of i: of the same
// service, if any is; then the shortest that holds its start; then the last
// begun before it; then the first.
func (g *Graph) holder(i, first int32, next []int32) int32 {
	if next[first] < 0 {
		return first
	}
	s := g.nodes[i].span
	rank := func(at int32) (strange, outside int, length int64) {
		p := g.nodes[at].span
		if p.Service != s.Service || at == i {
			strange = 1
		}
		switch {
		case p.Start <= s.Start && s.Start <= p.End:
			return strange, 0, p.End - p.Start
		case p.Start <= s.Start:
			return strange, 1, s.Start - p.Start
		default:
			return strange, 2, p.Start - s.Start
		}
	}
	best := first
	for at := next[first]; at >= 0; at = next[at] {
		s1, o1, l1 := rank(at)
		s0, o0, l0 := rank(best)
		if cmp.Or(cmp.Compare(s1, s0), cmp.Compare(o1, o0), cmp.Compare(l1, l0)) < 0 {
			best = at
		}
	}
	return best
}
