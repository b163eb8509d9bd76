package trace

import (
	"cmp"
	"iter"
	"slices"
)

// reserve notes the hops that another one follows by its number, so that no
// attempt of an outer owner, which begins anew, takes their place: of loops at
// one time each goes on with its own numbers first.
func (c *chainer) reserve(hops []int32, resent map[int32]Pattern, argless bool) {
	g := c.g
	if !slices.ContainsFunc(hops, func(i int32) bool { return g.nodes[i].number > 0 }) {
		return
	}
	runs := &chainer{g: g, open: map[openSign]*queue{}}
	for _, i := range hops {
		n := &g.nodes[i]
		if _, ok := resent[i]; ok || n.number < 0 || g.callID(i) != 0 {
			continue
		}
		sign := runs.sign(i, argless)
		if at := runs.before(n, sign); at != nil {
			c.reserved[at.hops[len(at.hops)-1]] = true
			runs.extend(at, i, Exact(0), "")
		} else {
			runs.start(i, Single, n.number, "")
		}
		runs.offer(runs.prev, sign)
	}
}

// before takes the open chain whose last hop has the number before n's, one
// that failed if there is any.
func (c *chainer) before(n *node, sign openSign) *chain {
	if n.number <= 0 {
		return nil
	}
	for _, failed := range []bool{true, false} {
		sign.number, sign.failed = n.number-1, failed
		if at, _ := c.takeAlike(sign, n.span); at != nil {
			return at
		}
	}
	return nil
}

// takeAlike is take for a hop with a number, which sends the request of the one
// before it again: their inputs, where both show one, are equal.
func (c *chainer) takeAlike(sign openSign, next *Span) (at *chain, many bool) {
	if sign.input == 0 {
		return c.take(sign, next, 3)
	}
	if at, many = c.take(sign, next, 2); at == nil {
		sign.input = 0
		at, many = c.take(sign, next, 2)
	}
	return at, many
}

// bound lowers what the chains claim of attempts that were not seen to what
// their numbers prove: a hop with number n stands behind n others, and every
// seen hop with a lower number may be one of these, in whatever chain it is.
func (c *chainer) bound() {
	claimed := int64(0)
	for _, x := range c.all {
		c.boundRuns(x)
		for _, r := range x.hidden {
			claimed += int64(r.Min)
		}
	}
	if claimed == 0 {
		return
	}
	over := claimed - c.provenHidden()
	for _, x := range slices.Backward(c.all) {
		for i := len(x.hidden) - 1; i >= 0 && over > 0; i-- {
			less := min(over, int64(x.hidden[i].Min))
			x.hidden[i].Min -= int32(less)
			over -= less
		}
	}
}

// boundRuns takes from a chain of the runs of one job what it claims of runs that
// it holds: a clock that is behind puts a run before those with lower numbers.
func (c *chainer) boundRuns(x *chain) {
	if c.g.jobOf(c.last(x).span) == 0 {
		return
	}
	missing, seen := int32(0), map[int32]bool{}
	for _, i := range x.hops {
		n := c.g.nodes[i].number
		seen[n] = true
		missing = max(missing, n+1)
	}
	for n := range seen {
		if n >= 0 {
			missing--
		}
	}
	for i, r := range x.hidden {
		x.hidden[i] = Range{min(r.Min, missing), min(r.Max, missing)}
		missing -= x.hidden[i].Max
	}
}

// provenHidden returns how many attempts at least the numbers of the hops prove
// beyond the hops. Those of another input are of another call; a ghost may have
// had any number.
func (c *chainer) provenHidden() int64 {
	shown, ghosts := true, int64(0)
	for n := range c.hops() {
		shown = shown && n.input != 0
	}
	var all []nth
	for n := range c.hops() {
		switch p := (nth{number: max(n.number, 0)}); { // some count from the first retry on only
		case n.number < 0 && n.span.Flags.Has(Ghost):
			ghosts++
		case shown:
			p.of = n.input
			fallthrough
		default:
			all = append(all, p)
		}
	}
	return max(0, proven(all)-ghosts)
}

// nth is the number of an attempt at one thing.
type nth struct {
	of     uint64
	number int32
}

// proven returns how many attempts numbers prove beyond themselves: going down
// from the highest, each stands behind as many attempts of every lower number
// as there are with it.
func proven(all []nth) int64 {
	slices.SortFunc(all, func(a, b nth) int {
		return cmp.Or(cmp.Compare(a.of, b.of), cmp.Compare(b.number, a.number))
	})
	hidden, most := int64(0), int64(0)
	for from := 0; from < len(all); {
		end, next := from, int32(-1)
		for end < len(all) && all[end] == all[from] {
			end++
		}
		if end < len(all) && all[end].of == all[from].of {
			next = all[end].number
		}
		seen := int64(end - from)
		most = max(most, seen)
		hidden += most - seen + most*int64(all[from].number-next-1)
		if next < 0 {
			most = 0
		}
		from = end
	}
	return hidden
}

// asked names what a service asks for, or as a server is asked for.
type asked struct {
	service, want Sym
	kind          Kind
}

func askedBy(n *node) asked { return asked{n.span.Service, n.want, n.span.Kind} }

// countUnseen works out how many attempts were not seen that the numbers of
// spans prove, whatever trace each is in.
func (g *Graph) countUnseen() {
	all := map[asked][]nth{}
	for i := range g.nodes {
		n := &g.nodes[i]
		if c := g.counter(n.span); c.Meaning == Ordinal {
			k := askedBy(n)
			all[k] = append(all[k], nth{number: c.N})
		}
	}
	g.unseen = make(map[asked]int64, len(all))
	for k, numbers := range all {
		g.unseen[k] = proven(numbers)
	}
}

// hops yields the hops of all chains.
func (c *chainer) hops() iter.Seq[*node] {
	return func(yield func(*node) bool) {
		for _, x := range c.all {
			for _, i := range x.hops {
				if !yield(&c.g.nodes[i]) {
					return
				}
			}
		}
	}
}
