package trace

import (
	"cmp"
	"iter"
	"slices"
	"time"
)

// Options bound what Build joins. Zero fields take the default.
type Options struct {
	// MaxSenders and MaxTraces bound how many spans may send, and how many
	// traces may hold, an ID that joins; MaxAge bounds the time between its
	// first and last use. An ID beyond is a hub (a constant, a session, a
	// tenant) and joins nothing. Defaults: 64, 256, one hour.
	MaxSenders, MaxTraces int
	MaxAge                time.Duration

	// Owner, unless nil, says who the owner of a call really is.
	Owner func(Names) Names
	// Retry, unless nil, says whether equal calls of a caller, one after
	// another's failure, are attempts of one; known is false where it cannot say.
	Retry func(Names) (retry, known bool)
}

// Names are what a person calls a call by: its owner, or before there is one its
// caller, what is asked, and of whom.
type Names struct {
	Layer            Layer
	Service, Library string
	// Op is the owner's operation; for Options.Retry it is what is asked for,
	// and Caller the operation that asks.
	Op, Caller      string
	Address, Callee string // Callee is a service
}

// Graph is the forest of a set of spans, from which requests are read.
type Graph struct {
	// Duplicates counts identical copies that were dropped, Traces the traces,
	// Cycles the edges that were cut, Hubs the IDs that were too common to join.
	Duplicates, Traces, Cycles, Hubs int64

	store *Store
	opt   Options
	nodes []node
	// traces holds the first node of each trace, and the number of nodes.
	traces []int32
	// ghosts are the spans of nodes that the input lacks.
	ghosts []Span
	// kids holds the children of node i in order of start, at
	// kids[nodes[i].kids:nodes[i].kidsEnd].
	kids []int32
	// tour is the nodes, parents before children.
	tour []int32
	// direct maps an address to the one service whose own spans give it, too.
	direct map[Sym]Sym
	// tops holds the parentless nodes by trace, in order of start.
	tops [][]int32
	// unseen is how many attempts that were not seen the numbers of spans prove.
	unseen map[asked]int64
	// joined unites traces into components.
	joined     *union
	components [][]int32 // trace numbers per component, in order of report
}

// node is a span's place in the forest.
type node struct {
	span          *Span
	id            uint64 // what it wants, with arguments
	want          Sym    // what it wants, without
	parent        int32  // −1: none
	first         int32  // the first that was asked below, at the last hop; itself if nothing was
	trace         int32
	kids, kidsEnd int32
	model         Sym     // asked for, here or further along the attempt
	address       Sym     // of the callee, here or further along
	input         uint64  // hash of the input, here or further along
	size          int64   // of the input: tokens, else bytes; −1 unknown
	number        int32   // attempts its sender made before, −1 unknown
	total         int32   // attempts below that nothing else shows, 0 none
	known         Known   // of the edge to the parent
	view          Outcome // as its caller sees it
	hop           bool    // asks something of another service, a model or a tool, or has such spans below
	same          bool    // wants the same as its parent
	declared      bool    // the number stands on the span, or is a server's word for it
	unsure        bool    // one of several parents that fit equally
}

// Build rebuilds the forest of the spans of s: copies, ghosts, keys, links and
// numbers. It does not change s. The work is n log n.
func Build(s *Store, opt Options) *Graph {
	opt.MaxSenders = cmp.Or(opt.MaxSenders, 64)
	opt.MaxTraces = cmp.Or(opt.MaxTraces, 256)
	opt.MaxAge = cmp.Or(opt.MaxAge, time.Hour)
	g := &Graph{store: s.Canonical(), opt: opt}
	g.dropCopies()
	g.place()
	g.declaredParents()
	g.cutCycles()
	g.placeGhosts()
	g.joined = newUnion(len(g.traces))
	g.followLinks()
	g.cutCycles() // what follows walks up to the roots
	g.followKeys()
	g.pairByTime()
	g.cutCycles()
	g.unnestRuns()
	g.nestSiblings()
	g.nestServers()
	g.linkKids()
	g.markHops()
	g.nameGhosts()
	g.identify()
	g.readNumbers()
	g.look()
	g.joinRootless()
	g.learnAddresses()
	g.gather()
	return g
}

// Requests yields the requests in order of their first trace ID.
func (g *Graph) Requests() iter.Seq[*Request] {
	return func(yield func(*Request) bool) {
		g.countUnseen() // of which each request takes what it claims
		b := &builder{g: g}
		for _, traces := range g.components {
			if !yield(b.request(traces)) {
				return
			}
		}
	}
}

// Len returns the number of requests.
func (g *Graph) Len() int { return len(g.components) }

// dropCopies removes identical records, which the canonical order puts side by side.
func (g *Graph) dropCopies() {
	s := g.store
	kept := s.Spans[:0]
	for i := range s.Spans {
		if len(kept) > 0 && s.compareContent(&kept[len(kept)-1], &s.Spans[i]) == 0 {
			g.Duplicates++
			continue
		}
		kept = append(kept, s.Spans[i])
	}
	s.Spans = kept
	g.dropTwins()
}

// place makes a node of each span; the canonical order keeps traces together.
func (g *Graph) place() {
	spans := g.store.Spans
	g.nodes = make([]node, len(spans))
	for i := range spans {
		if i == 0 || spans[i].Trace != spans[i-1].Trace {
			g.traces = append(g.traces, int32(i))
		}
		g.nodes[i] = node{span: &spans[i], parent: -1, number: -1, trace: int32(len(g.traces) - 1)}
	}
	g.Traces = int64(len(g.traces))
}

// spansOf returns the bounds of a trace in nodes, ghosts left out.
func (g *Graph) spansOf(trace int32) (from, to int32) {
	to = int32(len(g.store.Spans))
	if int(trace)+1 < len(g.traces) {
		to = g.traces[trace+1]
	}
	return g.traces[trace], to
}

// children returns the children of a node in order of start.
func (g *Graph) children(i int32) []int32 {
	return g.kids[g.nodes[i].kids:g.nodes[i].kidsEnd]
}

// before orders nodes by start; the canonical order of spans breaks ties.
func (g *Graph) before(a, b int32) int {
	return cmp.Or(cmp.Compare(g.nodes[a].span.Start, g.nodes[b].span.Start), cmp.Compare(a, b))
}

// look works out, from the leaves up, what each hop's caller sees of it, and
// what its attempt tells of model, address and input.
func (g *Graph) look() {
	for t := len(g.tour) - 1; t >= 0; t-- {
		n := &g.nodes[g.tour[t]]
		n.first = g.tour[t]
		n.view, n.address = n.span.Outcome, n.span.Address
		if n.span.Kind == Server {
			n.address = 0
		}
		if f := g.store.FactsOf(n.span); f != nil {
			n.model, n.input = f.Model, f.InputHash
		}
		n.size = g.size(n)
		g.lookBelow(n)
	}
}

// lookBelow fills what a node itself leaves open from its children. A node
// that states no outcome has failed if the last of everything it asked failed.
func (g *Graph) lookBelow(n *node) {
	var same, last *node
	sames := 0
	kids := g.kids[n.kids:n.kidsEnd]
	for _, k := range kids {
		kid := &g.nodes[k]
		if !kid.hop {
			continue
		}
		if kid.same {
			same = kid
			sames++
		}
		if last == nil {
			n.first = kid.first
		}
		if last == nil || kid.span.End >= last.span.End {
			last = kid
		}
	}
	for _, k := range kids {
		if kid := &g.nodes[k]; kid.hop && kid.same && kid.address != same.address {
			sames = 0
		}
	}
	if n.input == 0 && n.span.ArgsHash == 0 {
		// A step that shows no input is what it asks first: run again, it asks
		// that again.
		for _, k := range kids {
			if kid := &g.nodes[k]; kid.hop && kid.input != 0 {
				n.input, n.size = kid.input, kid.size
				break
			}
		}
	}
	if sames > 0 {
		n.model, n.address, n.input = cmp.Or(n.model, same.model), cmp.Or(n.address, same.address), cmp.Or(n.input, same.input)
	}
	if last == nil || n.view != Unstated || last.view == Unstated {
		return
	}
	n.view = last.view
	if last.view == OK {
		return
	}
	final := map[Sym]*node{}
	for _, k := range kids {
		kid := &g.nodes[k]
		if f := final[kid.want]; kid.hop && (f == nil || kid.span.End >= f.span.End) {
			final[kid.want] = kid
		}
	}
	for _, f := range final {
		if f.view == OK {
			n.view = OK // it got something out of what it did
		}
	}
}

// gather lists the traces of each component and the parentless nodes of each trace.
func (g *Graph) gather() {
	g.tops = make([][]int32, len(g.traces))
	for i := range g.nodes {
		if g.nodes[i].parent < 0 {
			t := g.nodes[i].trace
			g.tops[t] = append(g.tops[t], int32(i))
		}
	}
	at := map[int32]int{}
	for t := range g.traces {
		top := g.joined.find(int32(t))
		i, ok := at[top]
		if !ok {
			i = len(g.components)
			at[top] = i
			g.components = append(g.components, nil)
		}
		g.components[i] = append(g.components[i], int32(t))
	}
}

// learnAddresses finds which addresses lead straight to a service: a client
// called them, and the server that answered gives the same as its own. Behind
// another address there may be a proxy that answers by itself. A service that
// also answered what no client in the input sent is none of these: a client
// without a server may be the sender of one of those, and would count twice.
func (g *Graph) learnAddresses() {
	g.direct = map[Sym]Sym{}
	orphans := map[Sym]bool{}
	for i := range g.nodes {
		n := &g.nodes[i]
		if n.span.Kind == Server && n.span.Flags&(Health|Ghost) == 0 && (n.parent < 0 || g.nodes[n.parent].span.Flags.Has(Ghost)) {
			orphans[n.span.Service] = true
		}
	}
	for i := range g.nodes {
		n := &g.nodes[i]
		if n.span.Kind != Server || n.parent < 0 || n.span.Address == 0 || orphans[n.span.Service] {
			continue
		}
		p := g.nodes[n.parent].span
		if p.Kind != Client || p.Address != n.span.Address {
			continue
		}
		if was, ok := g.direct[p.Address]; ok && was != n.span.Service {
			g.direct[p.Address] = 0
			continue
		}
		g.direct[p.Address] = n.span.Service
	}
}

// union is a union-find whose sets are named by their smallest member.
type union struct{ up []int32 }

func newUnion(n int) *union {
	u := &union{up: make([]int32, n)}
	for i := range u.up {
		u.up[i] = int32(i)
	}
	return u
}

func (u *union) find(x int32) int32 {
	for u.up[x] != x {
		u.up[x] = u.up[u.up[x]]
		x = u.up[x]
	}
	return x
}

func (u *union) join(a, b int32) {
	a, b = u.find(a), u.find(b)
	u.up[max(a, b)] = min(a, b)
}

// linkKids lists the children of each node and makes the tour.
func (g *Graph) linkKids() {
	for i := range g.nodes {
		g.nodes[i].kids, g.nodes[i].kidsEnd = 0, 0
	}
	for i := range g.nodes {
		if p := g.nodes[i].parent; p >= 0 {
			g.nodes[p].kidsEnd++
		}
	}
	at := int32(0)
	for i := range g.nodes {
		n := g.nodes[i].kidsEnd
		g.nodes[i].kids, g.nodes[i].kidsEnd = at, at
		at += n
	}
	g.kids = make([]int32, at)
	g.tour = g.tour[:0]
	for i := range g.nodes {
		if p := g.nodes[i].parent; p >= 0 {
			g.kids[g.nodes[p].kidsEnd] = int32(i)
			g.nodes[p].kidsEnd++
		} else {
			g.tour = append(g.tour, int32(i))
		}
	}
	for i := range g.nodes {
		slices.SortFunc(g.children(int32(i)), g.before)
	}
	for i := 0; i < len(g.tour); i++ {
		g.tour = append(g.tour, g.children(g.tour[i])...)
	}
}

// cutCycles makes a root of the latest node of each cycle.
func (g *Graph) cutCycles() {
	const unseen, open, done = 0, 1, 2
	state := make([]uint8, len(g.nodes))
	var path []int32
	for i := range g.nodes {
		path = path[:0]
		x := int32(i)
		for x >= 0 && state[x] == unseen {
			state[x] = open
			path = append(path, x)
			x = g.nodes[x].parent
		}
		if x >= 0 && state[x] == open {
			cut := x
			for y := g.nodes[x].parent; y != x; y = g.nodes[y].parent {
				if g.before(y, cut) > 0 {
					cut = y
				}
			}
			g.nodes[cut].parent, g.nodes[cut].known = -1, 0
			g.Cycles++
		}
		for _, y := range path {
			state[y] = done
		}
	}
}

// markHops finds the spans that ask something, and those that have such below.
func (g *Graph) markHops() {
	for i := len(g.tour) - 1; i >= 0; i-- {
		n := &g.nodes[g.tour[i]]
		n.hop = n.hop || asks(n.span) || g.counter(n.span).Meaning != 0
		if n.hop && n.parent >= 0 {
			g.nodes[n.parent].hop = true
		}
	}
}

// asks reports whether a span by itself asks something of another service, a
// model or a tool, or answers such an ask.
func asks(s *Span) bool {
	switch s.Kind {
	case Client, Server, Producer, Consumer:
		return true
	}
	return s.Flags&(ModelAsk|ToolRun|Job) != 0
}

// counter returns the attempt number that a span carries.
func (g *Graph) counter(s *Span) Counter {
	if f := g.store.FactsOf(s); f != nil {
		return f.Counter
	}
	return Counter{}
}
