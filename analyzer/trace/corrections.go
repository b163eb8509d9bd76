package trace

import "cmp"

// said returns what the policy says of a group of hops that one caller asked,
// by the first of them: whether those after a failure are attempts of one call.
func (g *Graph) said(first int32) (retry, known bool) {
	if g.opt.Retry == nil {
		return false, false
	}
	n := &g.nodes[first]
	caller := n.span.Service
	names := Names{Op: g.store.Text(n.want), Address: g.store.Text(n.address)}
	if n.span.Kind == Server || n.span.Kind == Consumer {
		names.Callee, caller = g.store.Text(n.span.Service), 0
		if n.parent >= 0 {
			caller = g.nodes[n.parent].span.Service
		}
	} else {
		names.Callee = g.store.Text(g.direct[n.address])
	}
	names.Service = g.store.Text(caller)
	if n.parent >= 0 {
		names.Caller = g.store.Text(g.nodes[n.parent].span.Op)
	}
	return g.opt.Retry(names)
}

// correct puts the owner in place that the policy names.
func (b *builder) correct(call *Call) {
	g := b.g
	if g.opt.Owner == nil {
		return
	}
	o, t := &call.Owner, g.store.Text
	was := Names{
		Layer: o.Layer, Service: t(o.Service), Library: t(o.Library), Op: t(o.Op),
		Address: t(call.Upstream.Address), Callee: t(cmp.Or(call.Upstream.Service, g.direct[call.Upstream.Address])),
	}
	if is := g.opt.Owner(was); is != was {
		call.Named = is.Library != was.Library
		*o = Owner{Layer: is.Layer, Service: g.store.Sym(is.Service), Library: g.store.Sym(is.Library), Op: o.Op, Known: Policy}
	}
}
