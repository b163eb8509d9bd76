package trace

// identify says what each hop wants and whether that is what its parent wants.
func (g *Graph) identify() {
	for _, i := range g.tour {
		n := &g.nodes[i]
		n.want = n.span.Ask
		n.id = g.identity(n)
		if n.parent < 0 || !n.hop {
			continue
		}
		p := &g.nodes[n.parent]
		n.same = g.wantsSame(p, n)
		if n.same {
			// The caller's words: a client knows the path, its server the route.
			if n.span.Kind == Server || n.want == 0 {
				n.want, n.id = p.want, p.id
			}
		}
	}
}

// wantsSame reports whether hop n is how its parent p gets what it wants.
func (g *Graph) wantsSame(p, n *node) bool {
	a, b := p.span, n.span
	switch {
	case a.Kind == Client && b.Kind == Server:
		return true // propagation: this is the other end
	case a.Flags.Has(Ghost) && a.Ask == b.Ask:
		return true
	case a.Kind == Client && b.Kind == Client && a.Instance == b.Instance:
		// A client within a client speaks another protocol for the same ask,
		// unless each names a model's task or a tool of its own.
		return a.Ask == b.Ask || !b.Flags.Has(ModelAsk) && b.Layer == Transport && g.lone(p)
	case b.Flags.Has(Job) != a.Flags.Has(Job):
		return false
	}
	return a.Ask == b.Ask && (a.ArgsHash == b.ArgsHash || a.ArgsHash == 0 || b.ArgsHash == 0) && g.stepOf(a) == g.stepOf(b)
}

// lone reports whether a node has exactly one child that is a hop.
func (g *Graph) lone(p *node) bool {
	hops := 0
	for _, k := range g.kids[p.kids:p.kidsEnd] {
		if g.nodes[k].hop {
			hops++
		}
	}
	return hops == 1
}

// identity hashes what a hop wants: operation and route, tool and arguments,
// message or job, step.
func (g *Graph) identity(n *node) uint64 {
	h := mix(fnvOffset, uint64(n.span.Ask))
	h = mix(h, n.span.ArgsHash)
	h = mix(h, uint64(g.stepOf(n.span)))
	h = mix(h, uint64(g.taker(n.span)))
	return mix(h, uint64(g.jobOf(n.span)))
}

func (g *Graph) stepOf(s *Span) Sym {
	if f := g.store.FactsOf(s); f != nil {
		return f.Step
	}
	return 0
}

// jobOf returns the ID that all runs of one message or job share; a span that
// only receives the message is no run.
func (g *Graph) jobOf(s *Span) Sym {
	if !s.Flags.Has(Job) {
		return 0
	}
	f := g.store.FactsOf(s)
	if f == nil {
		return 0
	}
	for _, k := range f.Keys {
		if k.Kind == JobKey || k.Kind == MessageKey {
			return k.ID
		}
	}
	return 0
}

const (
	fnvOffset = 14695981039346656037
	fnvPrime  = 1099511628211
)

// mix folds x into h (FNV-1a over its bytes). Symbols of a canonical store
// ascend with their texts, but their numbers depend on what else it holds:
// such hashes are for one Build only and never leave it.
func mix(h, x uint64) uint64 {
	for range 8 {
		h = (h ^ x&0xff) * fnvPrime
		x >>= 8
	}
	return h
}

// taker is the service that takes a message: others take the same one, too.
func (g *Graph) taker(s *Span) Sym {
	if s.Kind == Consumer {
		return s.Service
	}
	return 0
}
