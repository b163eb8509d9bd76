package rules

import (
	"cmp"
	"slices"

	"github.com/retryaudit/retryaudit/analyzer"
	"github.com/retryaudit/retryaudit/analyzer/trace"
)

// A limit is how many attempts an owner on the way of a logical request made
// and may make.
type limit struct {
	owner     trace.Owner
	library   string
	made      int64 // 0 or 1 where it did not retry
	declared  int64 // by a setting on a span, 0 unknown
	most      int64 // declared, by the policy, made or by default; 0 unknown
	byPolicy  bool
	byDefault bool
}

// capsOf returns the limits of all who may retry on the way to an attempt,
// outermost first: of calls whose owner did or has a cap, and of the spans
// within one attempt, a library or gateway each, that passed it on without a
// retry.
func capsOf(p *analyzer.Pass, l *logical, end *trace.Attempt) []limit {
	var caps []limit // innermost first
	up := analyzer.UpstreamOf(p.Request, end)
	add := func(o trace.Owner, made, declared int64) {
		name := library(p, o)
		i := slices.IndexFunc(caps, func(c limit) bool {
			return c.owner.Layer == o.Layer && c.owner.Service == o.Service && c.library == name
		})
		if i < 0 {
			i = len(caps)
			caps = append(caps, limit{owner: o, library: name})
		}
		c := &caps[i]
		c.made, c.declared = max(c.made, made), max(c.declared, declared)
	}
	for x, depth := end, 0; x != nil && depth < maxDepth; x, depth = x.Call.Parent, depth+1 {
		for i := len(x.Spans) - 1; i >= 0; i-- {
			s := x.Spans[i]
			declared, ordinal := declaredBy(p, s)
			switch {
			case declared > 0 && !ordinal:
				add(trace.Owner{Layer: s.Layer, Service: s.Service, Library: s.Scope, Op: s.Op, Known: trace.Declared}, 1, declared)
			case declared > 0: // limits the attempts of the call
			case s.Agent != 0 && s.Kind == trace.Client:
				add(sender(s), 1, 0)
			case retries(s.Layer) && !s.Flags.Has(trace.Ghost):
				add(trace.Owner{Layer: s.Layer, Service: s.Service, Library: s.Scope, Op: s.Op, Known: trace.Structural}, 1, 0)
			}
		}
		c := x.Call
		if made := l.most(c.Owner); made > 1 || c.DeclaredMax > 0 || retries(c.Owner.Layer) || p.MaxAttempts(c.Owner, up) > 0 {
			add(c.Owner, made, int64(c.DeclaredMax))
		}
	}
	for i := range caps {
		c := &caps[i]
		c.most = c.declared
		if c.declared == 0 {
			c.most = p.MaxAttempts(c.owner, up)
			c.byPolicy = c.most >= max(c.made, 1)
		}
		if c.made > 1 {
			c.most = max(c.most, c.made) // whatever it may
		}
	}
	for i := range caps {
		c := &caps[i]
		k, ok := p.KnobOf(c.owner)
		switch {
		case c.most > 0 || !ok || k.Attempts == 0:
		case k.Attempts == 1 || slices.ContainsFunc(caps, func(o limit) bool { return stands(o, c.owner) }):
			c.most = 1
		default:
			c.most, c.byDefault = int64(k.Attempts), true
		}
	}
	slices.Reverse(caps)
	return caps
}

// stands reports whether a limit of the service of another owner stands for
// that one's, too: of a loop that did retry, which may be the owner by another
// name, or of a library, since one that wraps another mostly turns the other's
// retries off.
func stands(c limit, o trace.Owner) bool {
	return c.owner.Service == o.Service && c.most > 0 && (c.made > 1 || c.owner.Layer == trace.SDK)
}

// library names the library of an owner; the names of one library are one.
func library(p *analyzer.Pass, o trace.Owner) string {
	if k, ok := p.KnobOf(o); ok {
		return k.Library
	}
	return p.Text(o.Library)
}

// noteIdle notes the libraries on the way to an attempt that left a failure
// alone which a retry might have healed.
func noteIdle(p *analyzer.Pass, a *trace.Attempt) {
	for x, depth := a, 0; x != nil && depth < maxDepth; x, depth = x.Call.Parent, depth+1 {
		if x.Outcome != trace.Failed || x.Verdict != trace.Wait && x.Verdict != trace.Cap || x.Asked.State == trace.Never {
			return
		}
		by := library(p, x.Call.Owner)
		for _, s := range x.Spans {
			if s.Flags.Has(trace.Ghost) {
				continue
			}
			o := trace.Owner{Layer: s.Layer, Service: s.Service, Library: s.Scope}
			if s.Agent != 0 {
				o = sender(s)
			}
			if library(p, o) != by || x.Call.Count() == 1 {
				p.Idle(o)
			}
		}
	}
}

// declaredBy returns the attempts that a setting on a span allows, 0 unknown,
// and whether the span is one of them rather than their caller.
func declaredBy(p *analyzer.Pass, s *trace.Span) (most int64, ordinal bool) {
	f := p.Request.Store.FactsOf(s)
	if f == nil {
		return 0, false
	}
	return int64(f.DeclaredMax), f.Counter.Meaning == trace.Ordinal || s.IsRun()
}

// sender is the library that made a client span's request.
func sender(s *trace.Span) trace.Owner {
	return trace.Owner{Layer: trace.SDK, Service: s.Service, Library: cmp.Or(s.Agent, s.Scope), Op: s.Op, Known: trace.Structural}
}

// retries reports whether what stands on a layer retries as a rule.
func retries(l trace.Layer) bool {
	switch l {
	case trace.SDK, trace.Gateway, trace.Proxy, trace.QueueLayer, trace.WorkflowLayer:
		return true
	}
	return false
}
