package trace

import "slices"

// mostFound is the share of clients that must have found their server before
// further servers are taken for hidden attempts of theirs.
const mostFound = 0.9

// pairByTime hangs parentless servers under clients whose requests lost the
// trace on the way and share no ID with them: each takes, in order of start,
// the free client of the same address, ask and status that ends first of those
// waiting for an answer. It is done only for clients of a kind that never
// reached a server with the trace: for others a lone client has lost its
// server's span, and a lone server has another caller.
func (g *Graph) pairByTime() {
	placed := g.order()
	type way struct{ service, scope, outer Sym }
	wayOf := func(i int32) way {
		n := &g.nodes[i]
		w := way{n.span.Service, n.span.Scope, 0}
		if n.parent >= 0 {
			w.outer = g.nodes[n.parent].span.Scope
		}
		return w
	}
	type target struct{ address, ask Sym }
	reached := map[way]bool{}
	var clients, servers []int32
	for i := range g.store.Spans {
		n := &g.nodes[i]
		switch {
		case n.span.Kind == Server && n.parent < 0 && n.span.Address != 0:
			servers = append(servers, int32(i))
		case n.span.Kind != Client || n.span.Address == 0:
		case len(g.children(int32(i))) > 0:
			reached[wayOf(int32(i))] = true
		default:
			clients = append(clients, int32(i))
		}
	}
	clients = slices.DeleteFunc(clients, func(i int32) bool { return reached[wayOf(i)] })
	if len(clients) == 0 || len(servers) == 0 {
		return
	}
	slices.SortFunc(clients, g.before)
	slices.SortFunc(servers, g.before)
	rank := g.ranks(clients)
	groups := map[target]*pairing{}
	at := func(i int32) *pairing {
		t := target{g.nodes[i].span.Address, g.nodes[i].span.Ask}
		if groups[t] == nil {
			groups[t] = &pairing{g: g, placed: placed, waiting: map[answer]*heap[int32]{}, taken: map[int32]bool{}, given: map[turn]int{}, answered: map[int32]int64{}}
		}
		return groups[t]
	}
	for _, i := range clients {
		at(i).clients = append(at(i).clients, i)
	}
	for _, p := range groups {
		p.rank = rank
	}
	for _, i := range servers {
		at(i).server(i)
	}
	for _, i := range servers {
		p := at(i)
		if g.nodes[i].parent < 0 && float64(p.found) >= mostFound*float64(len(p.clients)) {
			p.hidden(i)
		}
	}
}

// ranks numbers clients among those of their caller that ask the same of the
// same address: what a server got as its sender's number should be that.
func (g *Graph) ranks(clients []int32) map[int32]int32 {
	type sender struct {
		parent       int32
		address, ask Sym
	}
	rank, next := map[int32]int32{}, map[sender]int32{}
	for _, i := range clients {
		n := &g.nodes[i]
		rank[i] = -1
		if n.parent >= 0 {
			at := sender{n.parent, n.span.Address, n.span.Ask}
			rank[i] = next[at]
			next[at]++
		}
	}
	return rank
}

// answer is what a client and its server must have in common.
type answer struct {
	status uint16
	number int32 // −1: any
}

// pairing pairs the clients and servers of one address and ask.
type pairing struct {
	g       *Graph
	placed  []interval
	clients []int32 // in order of start
	rank    map[int32]int32
	next    int
	waiting map[answer]*heap[int32] // the first to end first
	taken   map[int32]bool
	found   int
	open    []int32 // clients that may still be waiting, in order of start
	opened  int
	given   map[turn]int // servers that hidden gave a client
	// answered is when a client got an answer that nothing asks for again.
	answered map[int32]int64
}

// turn is a client and the number that a server got from it, −1 without.
type turn struct{ client, number int32 }

// server gives server i its client, if one is free.
func (p *pairing) server(i int32) {
	g, s := p.g, p.g.nodes[i].span
	for p.next < len(p.clients) && g.nodes[p.clients[p.next]].span.Start <= s.Start+grace {
		c := p.clients[p.next]
		p.next++
		for _, number := range []int32{p.rank[c], -1} {
			at := answer{g.nodes[c].span.Status, number}
			if p.waiting[at] == nil {
				p.waiting[at] = &heap[int32]{less: func(a, b int32) bool { return g.nodes[a].span.End < g.nodes[b].span.End }}
			}
			p.waiting[at].push(c)
		}
	}
	number := int32(-1)
	if c := g.counter(s); c.Meaning == Ordinal {
		number = c.N
	}
	// A client that left before the answer has no status.
	for _, status := range []uint16{s.Status, 0} {
		h := p.waiting[answer{status, number}]
		for h != nil && len(h.all) > 0 {
			c := h.all[0]
			// Those to come begin later still.
			if p.taken[c] || g.nodes[c].span.End+grace < s.Start {
				h.pop()
				continue
			}
			if g.nodes[c].span.Service == s.Service || p.below(c, i) {
				break
			}
			p.taken[c] = true
			p.found++
			if s.Outcome == OK {
				p.answered[c] = s.End
			}
			g.follow(i, c, Inferred)
			return
		}
	}
}

// below reports whether client c is something that server i did.
func (p *pairing) below(c, i int32) bool {
	return p.placed[i].from <= p.placed[c].from && p.placed[c].from < p.placed[i].to
}

// hidden hangs a server that found no free client under one that was waiting
// when it began: something between them asked again. Where several were
// waiting, no one can tell; each then has its turn, as what lies between them
// treats them alike, so that none gets the attempts of all.
func (p *pairing) hidden(i int32) {
	g, s := p.g, p.g.nodes[i].span
	for p.opened < len(p.clients) && g.nodes[p.clients[p.opened]].span.Start <= s.Start+grace {
		p.open = append(p.open, p.clients[p.opened])
		p.opened++
	}
	p.open = slices.DeleteFunc(p.open, func(c int32) bool { return g.nodes[c].span.End+grace < s.Start })
	fit := slices.DeleteFunc(slices.Clone(p.open), func(c int32) bool {
		// What was answered, or refused for good, nothing between asks for again:
		// it is somebody else's.
		at, ok := p.answered[c]
		return p.below(c, i) || ok && at <= s.Start || p.taken[c] && (s.Outcome == OK || s.Verdict == Stop)
	})
	narrow := func(fits func(int32) bool) {
		var some []int32
		for _, c := range fit {
			if fits(c) {
				some = append(some, c)
			}
		}
		if len(some) > 0 {
			fit = some
		}
	}
	number := int32(-1)
	if c := g.counter(s); c.Meaning == Ordinal {
		number = c.N
		narrow(func(i int32) bool { return p.rank[i] == c.N })
	}
	narrow(func(i int32) bool { return g.nodes[i].span.Status == s.Status })
	if len(fit) == 0 {
		return
	}
	at := fit[len(fit)-1]
	for _, c := range slices.Backward(fit) {
		if p.given[turn{c, number}] < p.given[turn{at, number}] {
			at = c
		}
	}
	p.given[turn{at, number}]++
	g.follow(i, at, Inferred)
	g.nodes[i].unsure = len(fit) > 1
}
