package trace

import "cmp"

// owner names who decided on the attempts of a call: the part of the system
// that saw an attempt fail and made the next.
func (b *builder) owner(call *Call, at branch, c *chain) Owner {
	g := b.g
	first := &g.nodes[c.hops[0]]
	s := first.span
	known := call.Known
	if s.IsRun() {
		o := Owner{Layer: jobLayer(s), Service: s.Service, Library: s.Scope, Op: s.Op, Known: cmp.Or(known, Structural)}
		if at.node >= 0 && s.Kind != Consumer {
			o.Op = g.nodes[at.node].span.Op // the run that the step is a part of
		}
		return o
	}
	if at.node < 0 {
		// Nobody made a span of the call: the process that sent it, or, of a
		// server's requests, a sender of which only the user agent is known.
		o := Owner{Library: s.Agent, Op: s.Op, Known: Inferred}
		switch {
		case s.Kind == Server:
			o.Layer = LayerUnknown
			if s.Agent != 0 {
				o.Layer = SDK
			}
		default:
			o.Service, o.Layer = s.Service, App
			if s.Flags.Has(RetryingAgent) || s.Layer == SDK {
				o.Layer, o.Library = SDK, cmp.Or(s.Agent, s.Scope)
			} else if o.Library == 0 {
				o.Library = s.Scope
			}
		}
		return o
	}
	p := &g.nodes[at.node]
	o := Owner{Layer: p.span.Layer, Service: p.span.Service, Library: p.span.Scope, Op: p.span.Op, Known: cmp.Or(known, Structural)}
	if p.span.Flags.Has(Ghost) {
		o.Library, o.Op, o.Known = cmp.Or(agentOf(call), s.Scope), 0, Inferred
	}
	switch {
	case (s.Kind == Server || s.Kind == Client && s.Flags.Has(Ghost)) && (p.span.Kind == Client || p.span.Flags.Has(Ghost)):
		// Between a client and its several servers: the client's library if it
		// numbers them or speaks of calls, else something on the wire.
		if numbered(g, c.hops) || p.span.Layer != Transport && p.span.Layer != LayerUnknown || g.rpc(p.span) {
			o.Layer, o.Library = SDK, cmp.Or(s.Agent, o.Library)
			return o
		}
		return Owner{Layer: Proxy, Service: p.span.Address, Known: cmp.Or(known, Structural)}
	case p.span.Kind == Server || p.span.Kind == Consumer:
		if o.Layer != Proxy && o.Layer != Gateway {
			if first.same {
				o.Layer = Gateway
			} else {
				o.Layer = App
			}
		}
		if o.Layer == App && b.agentOwns(c) {
			o.Layer, o.Library = SDK, agentOf(call)
		}
	case c.outer && (p.span.Layer == Transport || p.span.Layer == LayerUnknown):
		o.Layer = App
	case p.span.Layer == Transport || p.span.Layer == LayerUnknown:
		o.Layer, o.Library = SDK, cmp.Or(agentOf(call), o.Library)
	case p.span.Layer == SDK:
		if agent := agentOf(call); agent != 0 && b.agentOwns(c) {
			o.Library = agent
		}
	case b.agentOwns(c):
		o.Layer, o.Library = SDK, agentOf(call)
	case (p.span.Layer == QueueLayer || p.span.Layer == WorkflowLayer) && s.Layer == Transport:
		o.Layer = App // code in the step, not the engine that runs it
	}
	if c.inner && !b.agentOwns(c) {
		// Of two loops below one span, the one nearer to the wire; which it is,
		// nothing tells.
		o.Layer, o.Library, o.Op, o.Known = SDK, cmp.Or(agentOf(call), s.Scope), s.Op, Inferred
	}
	return o
}

// jobLayer is the layer that runs a job again.
func jobLayer(s *Span) Layer {
	if s.Layer == WorkflowLayer {
		return WorkflowLayer
	}
	return QueueLayer
}

// agentOwns reports whether the library that the user agent names made the
// attempts: its numbers say so; without numbers of its own, it does so by
// default.
func (b *builder) agentOwns(c *chain) bool {
	g := b.g
	if c.outer {
		return false // that owner is the inner one
	}
	if numbered(g, c.hops) {
		return true
	}
	for _, i := range c.hops {
		if len(c.hops) == 1 {
			break // nobody repeated it: the library would have
		}
		for x := i; x >= 0; x = g.sameBelow(x) {
			if k := g.counter(g.nodes[x].span); k.Meaning == Ordinal && !g.nodes[i].span.Flags.Has(WrappingAgent) {
				return false // it numbered each as its first: somebody else repeated it
			}
		}
	}
	n := &g.nodes[c.hops[0]]
	return n.span.Layer == Transport && n.span.Flags.Has(RetryingAgent)
}

// sameBelow returns the only child that wants the same, −1 without.
func (g *Graph) sameBelow(i int32) int32 {
	next := int32(-1)
	for _, k := range g.children(i) {
		if g.nodes[k].hop && g.nodes[k].same {
			if next >= 0 {
				return -1
			}
			next = k
		}
	}
	return next
}

// numbered reports whether numbers tell the hops apart.
func numbered(g *Graph, hops []int32) bool {
	for _, i := range hops {
		if g.nodes[i].number > 0 {
			return true
		}
	}
	return false
}

// agentOf returns the library that the user agents of a call name.
func agentOf(c *Call) Sym {
	for _, a := range c.Attempts {
		for _, s := range a.Spans {
			if s.Agent != 0 {
				return s.Agent
			}
		}
	}
	return 0
}

// rpc reports whether a client span is that of a remote procedure call, which
// covers all attempts of the call (OpenTelemetry RPC conventions).
func (g *Graph) rpc(s *Span) bool { return s.Flags.Has(WholeCall) }
