package trace

import (
	"cmp"
	"slices"
	"time"
)

// A loop without a span of its own leaves its attempts in separate traces.
// They are taken for one only if they could hardly be anything else.
const (
	minLoop      = 4                             // attempts in a row
	minPause     = int64(100 * time.Millisecond) // a loop over many things hardly pauses between them
	minServed    = int64(time.Second)            // the same at a server, which many may call
	loopStretch  = 1.5                           // longest over shortest pause
	loopSlack    = int64(50 * time.Millisecond)  // added to the longest pause allowed
	maxRootPause = int64(10 * 60 * time.Second)  // a number or a loop does not reach further back
	maxOpen      = 256                           // attempts at a time among which one's predecessor is sought
)

// joinRootless unites traces whose roots are attempts of one call that nobody
// made a span of: by a call ID, by numbers that go on, or as a loop.
func (g *Graph) joinRootless() {
	roots := make([]int32, 0, len(g.traces))
	for i := range g.nodes {
		n := &g.nodes[i]
		if n.parent >= 0 || !n.hop || n.span.Kind == Consumer || n.span.Layer == Agent || n.span.Flags&(Health|Job) != 0 {
			continue
		}
		if !n.span.Flags.Has(Ghost) || n.number >= 0 && g.answerer(int32(i)) != int32(i) {
			roots = append(roots, int32(i))
		}
	}
	instance := func(i int32) Sym { return g.nodes[g.answerer(i)].span.Instance }
	slices.SortFunc(roots, func(a, b int32) int {
		return cmp.Or(cmp.Compare(instance(a), instance(b)), cmp.Compare(g.nodes[a].want, g.nodes[b].want), g.before(a, b))
	})
	for i := 0; i < len(roots); {
		end := i
		for end < len(roots) && instance(roots[end]) == instance(roots[i]) && g.nodes[roots[end]].want == g.nodes[roots[i]].want {
			end++
		}
		if end-i > 1 {
			g.joinByCallID(roots[i:end])
			g.joinByNumber(roots[i:end])
			g.joinLoops(roots[i:end])
		}
		i = end
	}
}

// answerer returns the server below a client that the input lacks, if that is
// all there is below; else the node itself. Which process sent what it got is
// not known, as it is not of a server without any client.
func (g *Graph) answerer(i int32) int32 {
	n := &g.nodes[i]
	if n.span.Flags.Has(Ghost) && n.kidsEnd-n.kids == 1 {
		if k := g.kids[n.kids]; g.nodes[k].span.Kind == Server {
			return k
		}
	}
	return i
}

func (g *Graph) joinByCallID(roots []int32) {
	last := map[Sym]int32{}
	for _, i := range roots {
		id := g.callID(i)
		if id == 0 {
			continue
		}
		if at, ok := last[id]; ok {
			g.joined.join(g.nodes[at].trace, g.nodes[i].trace)
		}
		last[id] = i
	}
}

// callID returns the ID that all attempts of one call share and nothing else.
func (g *Graph) callID(i int32) Sym {
	n := &g.nodes[i]
	if job := g.jobOf(n.span); job != 0 {
		return job
	}
	if f := g.store.FactsOf(n.span); f != nil {
		return f.CallID
	}
	return 0
}

// joinByNumber gives each root with a number above 0 the failed root that has
// the number before: the latest to end of those most like it.
func (g *Graph) joinByNumber(roots []int32) {
	open := map[rootSign][]int32{}
	crowded := map[rootSign]bool{} // several were open at a time, and not all have been taken since
	for _, i := range roots {
		n := &g.nodes[i]
		if n.number < 0 {
			continue
		}
		if n.number > 0 {
			at := g.sign(i, n.number-1)
			stack := open[at]
			for k := len(stack) - 1; k >= max(0, len(stack)-maxOpen); k-- {
				prev := g.nodes[stack[k]].span
				if n.span.Start-prev.Start > maxRootPause {
					break
				}
				if prev.End <= n.span.Start {
					// Of a server's requests any may be another caller's.
					n.unsure = n.unsure || crowded[at] && g.nodes[g.answerer(i)].span.Kind == Server
					g.joined.join(g.nodes[stack[k]].trace, n.trace)
					open[at] = slices.Delete(stack, k, k+1)
					break
				}
			}
		}
		if n.view != OK {
			at := g.sign(i, n.number)
			crowded[at] = len(open[at]) > 0
			open[at] = append(open[at], i)
		}
	}
}

// rootSign is what attempts of one loop have in common.
type rootSign struct {
	id             uint64
	address, model Sym
	session        Sym
	number         int32
}

func (g *Graph) sign(i, number int32) rootSign {
	n := &g.nodes[i]
	at := rootSign{id: n.id, address: n.span.Address, number: number}
	// The path below a root tells what the root itself does not.
	for x := i; ; {
		if f := g.store.FactsOf(g.nodes[x].span); f != nil {
			at.model, at.session = cmp.Or(at.model, f.Model), cmp.Or(at.session, f.Session)
		}
		next := int32(-1)
		for _, k := range g.children(x) {
			if g.nodes[k].hop && g.nodes[k].same {
				if next >= 0 {
					return at
				}
				next = k
			}
		}
		if next < 0 {
			return at
		}
		x = next
	}
}

// joinLoops unites runs of roots that follow one another in steady pauses, all
// but the last of them failed, never two at once, and with nothing else of
// their kind in between. A root with a number or a request ID of its own says
// by itself what it belongs to.
func (g *Graph) joinLoops(roots []int32) {
	for i := 0; i < len(roots); {
		end := i + g.loop(roots[i:])
		if end-i < minLoop {
			i++
			continue
		}
		if !g.scheduled(roots, i, end) {
			for _, k := range roots[i:end] {
				g.joined.join(g.nodes[roots[i]].trace, g.nodes[k].trace)
			}
		}
		i = end
	}
}

// Limits of what runs by a schedule.
const (
	// minSchedule is above the longest default backoff of the model clients and
	// of AWS, 8 and 20 s, which have jitter besides (attributes.md 4.2).
	minSchedule   = int64(30 * time.Second)
	scheduleSlack = 0.02 // share by which equal paces may differ
)

// scheduled reports whether the runs of a loop, roots from i to end, start at a
// pace that holds without failures, too: that of a success right before or
// after them, or one too slow and too even for a backoff.
func (g *Graph) scheduled(roots []int32, i, end int) bool {
	gap := func(k int) int64 { return g.nodes[roots[k]].span.Start - g.nodes[roots[k-1]].span.Start }
	low, high := gap(i+1), gap(i+1)
	for k := i + 2; k < end; k++ {
		low, high = min(low, gap(k)), max(high, gap(k))
	}
	even := func(low, high int64) bool { return float64(high-low) <= scheduleSlack*float64(high) }
	if !even(low, high) {
		return false
	}
	beside := func(k, success int) bool {
		return k > 0 && k < len(roots) && g.nodes[roots[success]].span.Outcome == OK &&
			g.sign(roots[k], 0) == g.sign(roots[k-1], 0) && even(min(low, gap(k)), max(high, gap(k)))
	}
	return low >= minSchedule || beside(i, i-1) || beside(end, end-1)
}

// marked reports whether a root says by itself what it belongs to.
func (g *Graph) marked(i int32) bool {
	if g.nodes[i].number >= 0 || g.callID(i) != 0 {
		return true
	}
	f := g.store.FactsOf(g.nodes[i].span)
	return f != nil && slices.ContainsFunc(f.Keys, func(k Key) bool { return k.Dir != Answered })
}

// loop returns how many of roots, from the first, may be attempts of one loop.
func (g *Graph) loop(roots []int32) int {
	if g.marked(roots[0]) {
		return 1
	}
	least := minPause
	if g.nodes[roots[0]].span.Kind == Server {
		least = minServed
	}
	first := g.sign(roots[0], 0)
	shortest, longest := int64(0), int64(0)
	for n := 1; n < len(roots); n++ {
		if g.marked(roots[n]) || g.sign(roots[n], 0) != first {
			return n
		}
		prev, s := g.nodes[roots[n-1]].span, g.nodes[roots[n]].span
		pause := s.Start - prev.End
		if prev.Outcome != Failed && prev.Outcome != Cut || pause < least || s.Start-prev.Start > maxRootPause {
			return n
		}
		lo, hi := pause, pause
		if n > 1 {
			lo, hi = min(shortest, pause), max(longest, pause)
		}
		if float64(hi) > loopStretch*float64(lo)+float64(loopSlack) {
			return n
		}
		shortest, longest = lo, hi
	}
	return len(roots)
}
