package trace

// readNumbers finds which hop each attempt number counts. A number that a
// server received counts the attempts of its sender: gateways copy headers, so
// it belongs to the outermost client on the path that carries the same or
// none. A number that all siblings share is not theirs, and one that equals
// the attempts below is their total.
func (g *Graph) readNumbers() {
	for i := range g.nodes {
		c := g.counter(g.nodes[i].span)
		switch c.Meaning {
		case Ordinal:
			g.nodes[i].number, g.nodes[i].declared = c.N, true
		case Total:
			g.nodes[i].total = c.N
		}
	}
	counts := map[int32]bool{}
	for t := len(g.tour) - 1; t >= 0; t-- {
		p := g.tour[t]
		g.dropCounts(g.children(p), counts)
		g.climb(p, counts)
	}
	for i := range counts {
		g.nodes[i].number = -1 // of roots
	}
}

// dropCounts takes the numbers from those of siblings that may count the spans
// below, but for one whose number follows that of an earlier sibling.
func (g *Graph) dropCounts(siblings []int32, counts map[int32]bool) {
	if len(counts) == 0 {
		return
	}
	type sign struct {
		want   Sym
		number int32
	}
	before := map[sign]bool{}
	for _, k := range siblings {
		n := &g.nodes[k]
		own := sign{n.want, n.number}
		if counts[k] {
			delete(counts, k)
			if !before[sign{n.want, n.number - 1}] {
				n.number = -1
			}
		}
		before[own] = true
	}
}

// climb settles the numbers of the children of p, and moves up to p those that
// count the attempts which p is one of. Where p's own may be the count of its
// children, that is left to its siblings to tell.
func (g *Graph) climb(p int32, counts map[int32]bool) {
	n := &g.nodes[p]
	alike, number, equal := 0, int32(-1), true
	for _, k := range g.children(p) {
		kid := &g.nodes[k]
		if !kid.hop || !kid.same {
			continue
		}
		if alike++; alike == 1 {
			number = kid.number
		}
		equal = equal && kid.number == number
	}
	if alike == 0 {
		return
	}
	if n.number > 0 && (int(n.number) == alike || int(n.number) == alike-1) && alike > 1 {
		counts[p] = true // the spans below may be those it counts
	}
	if int(n.total) > 0 && alike > 1 {
		n.total = 0
	}
	if !equal || number < 0 {
		return
	}
	if n.number >= 0 && n.number != number {
		return
	}
	if alike == 1 && !g.carries(p) {
		return
	}
	for _, k := range g.children(p) {
		if kid := &g.nodes[k]; kid.hop && kid.same {
			kid.number = -1
		}
	}
	if g.carries(p) {
		n.number, n.declared = number, true
	}
}

// carries reports whether the number of a request may travel up through the
// node: through servers and the clients that called them, and through what a
// forwarding service does in between. A library that asks a model makes its
// own attempts, with its own numbers.
func (g *Graph) carries(i int32) bool {
	n := &g.nodes[i]
	switch n.span.Kind {
	case Server:
		return true
	case Client:
		return n.span.Layer == Transport || n.span.Layer == Proxy || n.span.Layer == LayerUnknown
	case Internal, KindUnspecified:
		return n.same && n.span.Flags&Ghost == 0 && n.span.Layer <= Gateway
	}
	return false
}
