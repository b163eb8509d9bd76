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
	for t := len(g.tour) - 1; t >= 0; t-- {
		g.climb(g.tour[t])
	}
}

// climb settles the numbers of the children of p, and moves up to p those that
// count the attempts which p is one of.
func (g *Graph) climb(p int32) {
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
		n.number = -1 // the spans below are those it counts
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
