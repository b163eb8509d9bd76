package trace

import (
	"slices"
	"strings"
	"time"
)

// Things of a list, each tried once or a few times, leave the same spans as
// attempts of one thing where no input, argument or number tells them apart.
// What is left to judge by is when the caller went on, and how it ended.
const (
	// backsOff is by how much waits of a backoff grow at least: doubled waits
	// with full jitter on one of them seldom grow by less.
	backsOff = 1.5
	// minBackoff is the shortest wait that may grow: below it the load of the
	// process shows.
	minBackoff = int64(20 * time.Millisecond)
	// slower is how many times longer than after a success a caller must pause
	// after a failure to be waiting rather than working.
	slower = 2
)

// link says what shows that a hop asks for what the hop before it in its chain
// asked.
type link uint8

const (
	shown link = iota // a number, an ID, the input, the arguments or the caller
	paced             // the caller paused as before a retry, or went on to another model
	bare              // nothing but that it comes after a failure
)

// link returns what shows that n asks for what prev asked: n is all that its
// caller wants, or has a number above 0, the same input or the same arguments.
func (g *Graph) link(prev, n *node) link {
	moved := g.moved(prev, n)
	switch {
	case n.parent >= 0 && g.nodes[n.parent].span.Flags.Has(Ghost):
		// What a lost span wanted is a guess from its children.
	case n.same, n.parent >= 0 && g.nodes[n.parent].span.Layer == SDK,
		n.number > 0, prev.input != 0 && prev.input == n.input, n.span.ArgsHash != 0 && prev.span.ArgsHash == n.span.ArgsHash,
		g.reads(&g.nodes[prev.first], &g.nodes[n.first]):
		return shown
	case moved:
		return bare // one thing at another host, or the next host's own
	}
	if pause(prev.span, n.span) >= minIdle || prev.model != n.model {
		return paced
	}
	return bare
}

// reads reports whether two requests without a body have one path that is no
// template: they ask for the same.
func (g *Graph) reads(prev, n *node) bool {
	a, b := prev.span, n.span
	return a.Flags.Has(ReadOnly) && b.Flags.Has(ReadOnly) && b.Status != 0 && a.Ask == b.Ask && a.ArgsHash == b.ArgsHash &&
		!g.moved(prev, n) && !templated(g.store.Text(b.Ask))
}

// moved reports whether n calls another host than prev. A model is the same
// wherever it is asked.
func (g *Graph) moved(prev, n *node) bool {
	return n.address != prev.address && n.address != 0 && prev.address != 0 && !n.span.Flags.Has(ModelAsk) &&
		hostOf(g.store.Text(n.address)) != hostOf(g.store.Text(prev.address))
}

// templated reports whether a route has parts that stand for any text: {id} of
// OpenAPI, :id of Express, <id> of Flask, * of the rest.
func templated(ask string) bool {
	_, route, ok := strings.Cut(ask, " /")
	return ok && (strings.ContainsAny(route, "{<*") || strings.Contains(route, "/:") || strings.HasPrefix(route, ":"))
}

// grade gives the chains of a group, in order of start, the pauses by which
// those are judged that may be lists. Beside are all hops of their caller.
func (c *chainer) grade(group, beside []int32) {
	for _, x := range c.all {
		if slices.ContainsFunc(x.links, func(l link) bool { return l != shown }) {
			if c.idle == nil {
				c.idle = c.g.pausesOf(group, beside)
			}
			x.idle = c.idle
		}
	}
}

// sure returns the confidence that the attempts of a chain which begin at
// some of its hops ask for one thing, as far as their links tell.
func (g *Graph) sure(x *chain, starts level) Confidence {
	if len(x.links) == 0 {
		return Certain // its hops were not chosen by likeness
	}
	seen := [bare + 1]int{}
	for _, k := range starts[1:] {
		seen[x.links[k]]++
	}
	switch {
	case seen[paced]+seen[bare] == 0:
		return Certain
	case seen[shown] > 0 || seen[paced] > 0 && g.retries(x, starts):
		return Likely
	}
	return Possible
}

// retries reports whether a caller that paused between the hops of a chain
// looks like one that retried. Others that it asks later may be the rest of a
// list, unless it goes on to these faster than after a failure. If the last
// attempt failed, a retry loop fails, too, where a list goes on.
func (g *Graph) retries(x *chain, starts level) bool {
	if g.backsOff(x, starts) {
		return true
	}
	last := &g.nodes[x.hops[len(x.hops)-1]]
	if last.view != OK && !x.challenged {
		return last.parent < 0 || g.nodes[last.parent].span.Outcome != OK
	}
	return x.idle.last <= last.span.Start || x.idle.n == 0 || !slices.ContainsFunc(starts[1:], func(k int) bool {
		return g.waitBefore(x, k) <= slower*x.idle.longest
	})
}

// waitBefore is the pause before hop k of a chain.
func (g *Graph) waitBefore(x *chain, k int) int64 {
	return pause(g.nodes[x.hops[k-1]].span, g.nodes[x.hops[k]].span)
}

// backsOff reports whether each wait before an attempt is longer than the one
// before it by what a backoff adds.
func (g *Graph) backsOff(x *chain, starts level) bool {
	before := int64(0)
	for _, k := range starts[1:] {
		wait := g.waitBefore(x, k)
		if wait < minBackoff || float64(wait) < backsOff*float64(before) {
			return false
		}
		before = wait
	}
	return len(starts) > 2
}

// pause is the time from the end of one hop to the start of another.
func pause(prev, next *Span) int64 { return max(0, next.Start-prev.End) }

// pauses are the times for which a caller did nothing after a success before it
// asked for the like again.
type pauses struct {
	n       int
	longest int64
	last    int64 // start of the last hop
}

// pausesOf returns the pauses in a group of hops that want the same.
func (g *Graph) pausesOf(group, beside []int32) *pauses {
	p := &pauses{last: g.nodes[group[len(group)-1]].span.Start}
	for k := 1; k < len(group); k++ {
		prev, n := g.nodes[group[k-1]].span, g.nodes[group[k]].span
		at, _ := slices.BinarySearchFunc(beside, group[k], g.before)
		if g.nodes[group[k-1]].view == OK && prev.End <= n.Start && beside[at-1] == group[k-1] {
			p.n++
			p.longest = max(p.longest, pause(prev, n))
		}
	}
	return p
}
