package trace

import (
	"cmp"
	"slices"
)

// grace is how much earlier than its client's start a server span may seem to
// begin, or how much later than its end, on clocks that are said to agree.
const grace = int64(20e6)

// placeGhosts gives each ghost the hull and the outcome of its children and
// looks for its parent among the spans that hold it.
func (g *Graph) placeGhosts() {
	base := int32(len(g.nodes) - len(g.ghosts))
	if len(g.ghosts) == 0 {
		return
	}
	g.linkKids()
	for i := range g.ghosts {
		g.hull(base + int32(i))
	}
	root := g.roots()
	// Ghosts stand in the order of their traces.
	for i := 0; i < len(g.ghosts); {
		t := g.nodes[base+int32(i)].trace
		end := i
		for end < len(g.ghosts) && g.nodes[base+int32(end)].trace == t {
			end++
		}
		var inner, outer []int32
		for j := i; j < end; j++ {
			if g.ghosts[j].Kind == Client {
				outer = append(outer, base+int32(j))
			} else {
				inner = append(inner, base+int32(j))
			}
		}
		g.holdGhosts(t, inner, root)
		g.pairGhosts(t, outer, root)
		i = end
	}
}

// hull fills in what the children of a ghost tell of it.
func (g *Graph) hull(i int32) {
	ghost, kids := g.nodes[i].span, g.children(i)
	first, last := g.nodes[kids[0]].span, g.nodes[kids[0]].span
	ghost.Start, ghost.End = first.Start, first.End
	servers := true
	for _, k := range kids {
		s := g.nodes[k].span
		ghost.End = max(ghost.End, s.End)
		if s.End > last.End {
			last = s
		}
		servers = servers && (s.Kind == Server || s.Kind == Consumer)
	}
	ghost.Outcome, ghost.Class, ghost.Verdict = last.Outcome, last.Class, last.Verdict
	ghost.ClassConf, ghost.Status, ghost.Code = last.ClassConf, last.Status, last.Code
	ghost.Line, ghost.Offset, ghost.Input = first.Line, first.Offset, first.Input
	if servers {
		// The lost span is their client, in a service that nobody names.
		ghost.Kind, ghost.Layer, ghost.Ask = Client, Transport, first.Ask
		ghost.Flags |= first.Flags & ModelAsk
		return
	}
	for _, k := range kids {
		if s := g.nodes[k].span; s.Kind != Server && s.Kind != Consumer {
			ghost.Service, ghost.Instance = s.Service, s.Instance
			break
		}
	}
}

// roots returns the root of each node by the edges so far.
func (g *Graph) roots() []int32 {
	root := make([]int32, len(g.nodes))
	for i := range root {
		root[i] = int32(i)
	}
	for _, i := range g.tour {
		if p := g.nodes[i].parent; p >= 0 {
			root[i] = root[p]
		}
	}
	return root
}

// holdGhosts hangs each ghost under the shortest span of its service that
// holds its hull, or at least its start, and is not below it.
func (g *Graph) holdGhosts(t int32, ghosts, root []int32) {
	if len(ghosts) == 0 {
		return
	}
	from, to := g.spansOf(t)
	byService := map[Sym][]int32{}
	for i := from; i < to; i++ {
		y := g.nodes[i].span.Service
		byService[y] = append(byService[y], i)
	}
	slices.SortFunc(ghosts, g.before)
	parents := make([]int32, len(ghosts))
	found := map[Sym]*holders{}
	for n, i := range ghosts {
		ghost := g.nodes[i].span
		h := found[ghost.Service]
		if h == nil {
			h = newHolders(g, root, byService[ghost.Service])
			found[ghost.Service] = h
		}
		h.advance(ghost.Start)
		parents[n] = h.shortest(ghost.End, i)
		if parents[n] == none {
			parents[n] = h.shortest(ghost.Start, i)
		}
	}
	var called []int32
	for n, i := range ghosts {
		switch {
		case parents[n] >= 0:
			g.nodes[i].parent, g.nodes[i].known = parents[n], Inferred
		case parents[n] == none:
			called = append(called, i)
		}
	}
	g.callGhosts(t, called, root)
}

// callGhosts hangs ghosts in whose service nothing else was going on under the
// shortest client of another service that holds the ghost's hull, or at least
// its start, and has no server: the ghost stands for that.
func (g *Graph) callGhosts(t int32, ghosts, root []int32) {
	if len(ghosts) == 0 {
		return
	}
	from, to := g.spansOf(t)
	var clients []int32
	for i := from; i < to; i++ {
		if g.nodes[i].span.Kind == Client && len(g.children(i)) == 0 {
			clients = append(clients, i)
		}
	}
	h := newHolders(g, root, clients)
	parents := make([]int32, len(ghosts))
	for n, i := range ghosts {
		ghost := g.nodes[i].span
		h.advance(ghost.Start)
		if parents[n] = h.shortest(ghost.End, i); parents[n] == none {
			parents[n] = h.shortest(ghost.Start, i)
		}
	}
	for n, i := range ghosts {
		if p := parents[n]; p >= 0 && g.nodes[p].span.Service != g.nodes[i].span.Service {
			g.nodes[i].parent, g.nodes[i].known = p, Inferred
			g.nodes[i].span.Kind, g.nodes[i].span.Layer = Server, Transport
		}
	}
}

// holders answers which span is the shortest that begins no later than a
// moving point and ends no earlier than another: a Fenwick tree over the ends,
// from the latest to the earliest, of the best spans with different roots. Of
// three one may be below the ghost itself, and two tell a tie.
type holders struct {
	g     *Graph
	root  []int32
	spans []int32 // in order of start
	next  int
	ends  []int64 // descending, without repeats
	tree  []best
}

// best holds spans of different roots, the shortest first.
type best struct {
	at [3]held
	n  int
}

type held struct {
	node int32
	tie  bool // another span, neither above nor below it, is equal
}

func newHolders(g *Graph, root, spans []int32) *holders {
	h := &holders{g: g, root: root, spans: spans}
	for _, i := range spans {
		h.ends = append(h.ends, g.nodes[i].span.End)
	}
	slices.SortFunc(h.ends, func(a, b int64) int { return cmp.Compare(b, a) })
	h.ends = slices.Compact(h.ends)
	h.tree = make([]best, len(h.ends)+1)
	return h
}

// advance takes in the spans that begin at or before start.
func (h *holders) advance(start int64) {
	for h.next < len(h.spans) && h.g.nodes[h.spans[h.next]].span.Start <= start {
		i := h.spans[h.next]
		h.next++
		for at := h.rank(h.g.nodes[i].span.End); at < len(h.tree); at += at & -at {
			h.put(&h.tree[at], held{node: i})
		}
	}
}

// rank is the position of the first end that is at or before end.
func (h *holders) rank(end int64) int {
	at, _ := slices.BinarySearchFunc(h.ends, end, func(e, target int64) int { return cmp.Compare(target, e) })
	return at + 1
}

// What shortest returns besides nodes: no span, or no telling which.
const (
	none int32 = -1
	tied int32 = -2
)

// shortest returns the shortest span that ends at or after end and is not
// below the ghost.
func (h *holders) shortest(end int64, ghost int32) int32 {
	at := h.rank(end)
	if at > len(h.ends) || h.ends[at-1] < end {
		at--
	}
	var all best
	for ; at > 0; at -= at & -at {
		for _, x := range h.tree[at].at[:h.tree[at].n] {
			h.put(&all, x)
		}
	}
	var picks []held
	for _, x := range all.at[:all.n] {
		if h.root[x.node] != ghost {
			picks = append(picks, x)
		}
	}
	switch {
	case len(picks) == 0:
		return none
	case picks[0].tie || len(picks) > 1 && h.equal(picks[0], picks[1]):
		return tied
	}
	return picks[0].node
}

// put keeps in b the shortest spans, one a root.
func (h *holders) put(b *best, x held) {
	for i := range b.n {
		if h.root[b.at[i].node] != h.root[x.node] {
			continue
		}
		if b.at[i].node != x.node {
			x = h.better(b.at[i], x)
		}
		copy(b.at[i:], b.at[i+1:b.n])
		b.n--
		break
	}
	i := b.n
	for i > 0 && h.less(x, b.at[i-1]) {
		i--
	}
	if i == len(b.at) {
		return
	}
	b.n = min(b.n+1, len(b.at))
	copy(b.at[i+1:b.n], b.at[i:])
	b.at[i] = x
}

func (h *holders) less(a, b held) bool {
	return h.g.nodes[a.node].span.Duration() < h.g.nodes[b.node].span.Duration()
}

func (h *holders) equal(a, b held) bool { return !h.less(a, b) && !h.less(b, a) }

// better returns the shorter of two spans of one tree; of nested equals the
// inner one.
func (h *holders) better(a, b held) held {
	if !h.equal(a, b) {
		if h.less(b, a) {
			return b
		}
		return a
	}
	switch {
	case h.g.below(b.node, a.node):
		return b
	case h.g.below(a.node, b.node):
		return a
	}
	a.tie = true
	return a
}

// below reports whether a node is another or stands below it. It looks a few
// spans up only: deeper ones are begun later, so that times tell them apart.
func (g *Graph) below(at, top int32) bool {
	const deep = 64
	for n := 0; at >= 0 && n < deep; n++ {
		if at == top {
			return true
		}
		at = g.nodes[at].parent
	}
	return false
}

// pairGhosts finds the callers of ghosts that stand for a lost client of server
// spans. The caller is in another service: the latest begun of those spans that
// were going on and want the same, a client that has no server of its own, the
// server span of a gateway whose client spans are lost, or a library's span;
// else the shortest span around that is no client.
func (g *Graph) pairGhosts(t int32, ghosts, root []int32) {
	if len(ghosts) == 0 {
		return
	}
	from, to := g.spansOf(t)
	slices.SortFunc(ghosts, g.before)
	open := map[Sym]*callers{}
	around := map[Sym]*holders{}
	next := from
	parents := make([]int32, len(ghosts))
	for n, i := range ghosts {
		ghost, server := g.nodes[i].span, g.nodes[g.children(i)[0]].span
		for ; next < to && g.nodes[next].span.Start <= ghost.Start; next++ {
			s := g.nodes[next].span
			if s.Kind == Client && slices.ContainsFunc(g.children(next), func(k int32) bool {
				// Its server, or a span further in that asked instead of it.
				kid := g.nodes[k].span
				return kid.Kind == Server || kid.Kind == Client && kid.Ask == s.Ask && !kid.Flags.Has(Ghost)
			}) {
				continue
			}
			if open[s.Ask] == nil {
				open[s.Ask] = &callers{g: g}
			}
			open[s.Ask].free = append(open[s.Ask].free, next)
		}
		parents[n] = none
		if c := open[ghost.Ask]; c != nil {
			parents[n] = c.of(ghost.Start, server.Service, i, root)
		}
		if parents[n] == none {
			h := around[server.Service]
			if h == nil {
				var others []int32
				for k := from; k < to; k++ {
					if s := g.nodes[k].span; s.Kind != Client && s.Service != server.Service {
						others = append(others, k)
					}
				}
				h = newHolders(g, root, others)
				around[server.Service] = h
			}
			h.advance(ghost.Start)
			parents[n] = h.shortest(ghost.Start, i)
		}
	}
	for n, i := range ghosts {
		if parents[n] >= 0 {
			g.nodes[i].parent, g.nodes[i].known = parents[n], Inferred
		}
	}
}

// callers holds the spans that want one thing, in order of start.
type callers struct {
	g           *Graph
	free, taken []int32
}

// of returns the caller of a ghost that began at start. A client is used once,
// unless no other is left; other spans may call as often as they like.
func (c *callers) of(start int64, service Sym, ghost int32, root []int32) int32 {
	fits := func(stack []int32) ([]int32, int32) {
		for len(stack) > 0 {
			at := stack[len(stack)-1]
			s := c.g.nodes[at].span
			if s.End+grace >= start && s.Service != service && root[at] != ghost {
				return stack, at
			}
			stack = stack[:len(stack)-1]
		}
		return stack, none
	}
	var at, used int32
	c.free, at = fits(c.free)
	if at != none && c.g.nodes[at].span.Kind == Client {
		c.free = c.free[:len(c.free)-1]
		c.taken = append(c.taken, at)
		return at
	}
	c.taken, used = fits(c.taken)
	if used != none && (at == none || c.g.before(at, used) < 0 || c.g.below(used, at)) {
		return used
	}
	return at
}

// sign is where a hop stands: what it was asked by and asked for, and how many
// like it came before it. A ghost is taken for what stands there elsewhere.
type sign struct {
	service, caller, child Sym
	before                 int
}

// name is what hops of one sign want; split says that they do not agree.
type name struct {
	ask        Sym
	flags      Flags
	layer      Layer
	model      Sym
	split      bool
	modelSplit bool
}

// nameGhosts says what ghosts want, and of which model: what hops do that have
// such children under such a caller elsewhere, if those agree; else what their
// children want.
func (g *Graph) nameGhosts() {
	if len(g.ghosts) == 0 {
		return
	}
	base := int32(len(g.nodes) - len(g.ghosts))
	names := map[sign]*name{}
	signs := map[int32]sign{}
	g.eachSign(func(i int32, at sign) {
		if i >= base && g.nodes[i].span.Kind == Internal {
			signs[i] = at
			names[at] = nil
		}
	})
	g.eachSign(func(i int32, at sign) {
		s := g.nodes[i].span
		was, wanted := names[at]
		if i >= base || !wanted || s.Kind == Server || s.Kind == Consumer {
			return
		}
		const kept = ModelAsk | ToolRun | Job
		is := &name{ask: s.Ask, flags: s.Flags & kept, layer: s.Layer}
		if f := g.store.FactsOf(s); f != nil {
			is.model = f.Model
		}
		if was != nil {
			is.split = was.split || was.ask != is.ask || was.flags != is.flags
			is.modelSplit = was.modelSplit || was.model != is.model
		}
		names[at] = is
	})
	// Inner ghosts first: an outer one may take its name from them.
	for t := len(g.tour) - 1; t >= 0; t-- {
		i := g.tour[t]
		at, ok := signs[i]
		if !ok {
			continue
		}
		s := g.nodes[i].span
		if n := names[at]; n != nil && !n.split {
			s.Ask, s.Layer = n.ask, n.layer
			s.Flags |= n.flags
			if n.model != 0 && !n.modelSplit {
				f := NewFacts()
				f.Model = n.model
				s.Facts = uint32(len(g.store.Facts))
				g.store.Facts = append(g.store.Facts, f)
			}
			continue
		}
		for _, k := range g.children(i) {
			if c := g.nodes[k].span; g.nodes[k].hop {
				s.Ask = c.Ask
				s.Flags |= c.Flags & ModelAsk
				if c.Flags.Has(ModelAsk) {
					s.Layer = SDK
				}
				break
			}
		}
	}
}

// eachSign calls f for each hop that has a hop below.
func (g *Graph) eachSign(f func(i int32, at sign)) {
	count := map[sign]int{}
	of := func(i int32, caller Sym) {
		for _, k := range g.children(i) {
			if g.nodes[k].hop {
				at := sign{service: g.nodes[i].span.Service, caller: caller, child: g.nodes[k].span.Ask}
				n := count[at]
				count[at]++
				at.before = n
				f(i, at)
				return
			}
		}
	}
	for _, i := range g.tour {
		if g.nodes[i].parent < 0 {
			clear(count)
			of(i, 0)
		}
		clear(count)
		for _, k := range g.children(i) {
			of(k, g.nodes[i].span.Ask)
		}
	}
}
