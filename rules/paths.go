package rules

import (
	"slices"

	"github.com/retryaudit/retryaudit/analyzer"
	"github.com/retryaudit/retryaudit/analyzer/trace"
)

// A logical is one logical upstream request with what every call above its
// attempts did towards it.
type logical struct {
	class []*trace.Attempt // at the last hop, in order of start
	// made counts, for each call on a way to class, its attempts that led
	// there; going on to another model or provider is no attempt more.
	made map[*trace.Call]int64
	// by holds, for each attempt of class, the attempt on its way that somebody
	// decided to make: of the innermost call that had led to class before. It is
	// nil for the first attempt of all.
	by []*trace.Attempt
}

func newLogical(class []*trace.Attempt) *logical {
	l := &logical{class: class, made: map[*trace.Call]int64{}, by: make([]*trace.Attempt, len(class))}
	seen := map[*trace.Attempt]bool{}
	for i, a := range class {
		for x, depth := a, 0; x != nil && depth < maxDepth; x, depth = x.Call.Parent, depth+1 {
			if _, before := l.made[x.Call]; before && l.by[i] == nil {
				l.by[i] = x
			}
			if seen[x] {
				break
			}
			seen[x] = true
			n := int64(x.Count.Min)
			if x.Fallback {
				n = 0
			}
			l.made[x.Call] += n
		}
	}
	return l
}

// maxDepth is how many calls above one another are followed from the last hop
// up, so that work stays linear; no system is that deep.
const maxDepth = 256

// size counts the attempts of a class, those that no span shows at their
// minimum.
func size(class []*trace.Attempt) int64 {
	n := int64(0)
	for _, a := range class {
		n += int64(a.Count.Min)
	}
	return n
}

// path returns the calls on one way from the user to an attempt of the class,
// outermost first, and that attempt: of all calls that of accepts, at most one
// for each owner, along the attempt with the most of them, the earliest of equals.
func (l *logical) path(of func(*trace.Call) bool) ([]*trace.Call, *trace.Attempt) {
	type link struct {
		call  *trace.Call
		above *link
		n     int
	}
	known := map[*trace.Call]*link{}
	var best *link
	end := l.class[0]
	for _, a := range l.class {
		var below []*trace.Call
		var at *link
		for c := a.Call; c != nil && len(below) < maxDepth; c = caller(c) {
			if known, ok := known[c]; ok {
				at = known
				break
			}
			below = append(below, c)
		}
		for _, c := range slices.Backward(below) {
			if of(c) {
				above := at
				for above != nil && !same(above.call.Owner, c.Owner) {
					above = above.above
				}
				if above == nil {
					n := 1
					if at != nil {
						n += at.n
					}
					at = &link{call: c, above: at, n: n}
				}
			}
			known[c] = at
		}
		if at != nil && (best == nil || at.n > best.n) {
			best, end = at, a
		}
	}
	var calls []*trace.Call
	for ; best != nil; best = best.above {
		calls = append(calls, best.call)
	}
	slices.Reverse(calls)
	return calls, end
}

// retriers returns the owners that made more than one attempt towards the
// class, as path does.
func (l *logical) retriers() ([]*trace.Call, *trace.Attempt) {
	return l.path(func(c *trace.Call) bool { return l.made[c] > 1 })
}

// most returns the most attempts that one call of an owner made towards the class.
func (l *logical) most(o trace.Owner) int64 {
	n := int64(0)
	for c, made := range l.made {
		if same(c.Owner, o) {
			n = max(n, made)
		}
	}
	return n
}

// diagnostic begins a diagnostic of the class on the path to end.
func (l *logical) diagnostic(p *analyzer.Pass, path []*trace.Call, end *trace.Attempt) analyzer.Diagnostic {
	d := analyzer.Diagnostic{
		Call: path[0], Upstream: analyzer.UpstreamOf(p.Request, end), Ticks: l.class, Conf: trace.Certain,
		Attempts: size(l.class), Wasted: p.WasteOf(l.class),
	}
	for _, c := range path {
		d.Owners = append(d.Owners, analyzer.OwnerCount{Owner: c.Owner, Attempts: l.most(c.Owner), DeclaredMax: int64(c.DeclaredMax)})
		d.Conf = min(d.Conf, c.Conf)
	}
	return d
}

// caller returns the call that made c, nil for a root.
func caller(c *trace.Call) *trace.Call {
	if c.Parent == nil {
		return nil
	}
	return c.Parent.Call
}

// same reports whether two owners are one, however each was found.
func same(a, b trace.Owner) bool {
	a.Known = b.Known
	return a == b
}

// layer names the layer of an owner in a text.
func layer(o trace.Owner) string {
	if o.Layer == trace.LayerUnknown {
		return "unknown caller"
	}
	return o.Layer.String()
}
