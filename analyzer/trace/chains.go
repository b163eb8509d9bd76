package trace

import (
	"cmp"
	"slices"
	"time"
)

// Limits of what may be one call, and their sources.
const (
	// minIdle is how long a caller must have been idle before it may be said
	// to ask a model again: a loop's next step follows at once.
	minIdle = int64(50 * time.Millisecond)
	// maxIdle is how long it may have been idle: a person's next turn takes longer
	// than a program needs to find an answer wanting.
	maxIdle = int64(2 * time.Second)
	// maxDoubled is how often backoffs double before they reach their limit
	// (0.5 to 8 s, 2 to 32 s; attributes.md 4.2).
	maxDoubled = 4
	// minPolls is how many successes in a row make a series of polls.
	minPolls = 2
	// clockGrain is how much later than the next one's start an attempt may seem
	// to end where both start at whole milliseconds: the JavaScript SDK gives
	// starts so, and durations in microseconds. Others round to microseconds,
	// both start and duration.
	clockGrain = int64(time.Millisecond)
	fineGrain  = 2 * int64(time.Microsecond)
	// minProbe is the shortest period of health checks: Kubernetes takes whole
	// seconds (periodSeconds of a probe).
	minProbe = int64(time.Second)
	// pollSlack is the share by which a poll may miss the pace of its series.
	pollSlack = 0.2
)

// chain is what will be a call: hops that one caller tried one after another.
type chain struct {
	hops    []int32
	hidden  []Range // attempts not seen before each hop
	number  int32   // of the last hop, −1 none
	end     int64   // of the last hop
	failed  bool    // the last hop brought no answer
	closed  bool    // nothing may follow but a higher number
	pattern Pattern
	known   Known
	conf    Confidence
	unsure  bool // others would have fitted as well
	reason  string
	order   int
	// outer and inner say that two owners share a level of spans, and which of
	// them the chain is of.
	outer, inner bool
	// links says, for each hop, what shows that it asks for what the one before
	// it asked; idle are the pauses of the group if that is in doubt.
	links []link
	idle  *pauses
	// challenged says that the last hop was, and that another chain answers.
	challenged bool
}

// chainer sorts the hops of one caller into chains.
type chainer struct {
	g    *Graph
	all  []*chain
	prev *chain  // that the hop before was put into
	link link    // of the hop that is put next
	idle *pauses // of the group, once needed
	open map[openSign]*queue
	// byCall holds the latest chain of a call, job or message ID; ends the
	// latest end of a hop with a number.
	byCall map[Sym]*chain
	ends   map[int32]int64
	// reserved are the hops that another one follows by its number.
	reserved map[int32]bool
	// rootless says that the hops have no caller in common but their request.
	rootless bool
	// retry is the policy's word that the hops after a failure are attempts.
	retry bool
}

// openSign finds the chains that a hop may continue, the likest first: level 0
// compares arguments, input, model and address, level 3 arguments alone.
type openSign struct {
	args, input    uint64
	model, address Sym
	job            Sym   // another message is another call, on every level
	number         int32 // of the chain's last hop, −1: any
	level          uint8
	failed         bool // the last hop brought no answer
}

// chains sorts hops, in order of start and all children of one caller, into
// the calls that the caller made.
func (g *Graph) chains(hops []int32, rootless bool) []*chain {
	if n := &g.nodes[hops[0]]; len(hops) == 1 && n.number <= 0 {
		c := &chainer{g: g}
		c.start(hops[0], Single, n.number, "")
		return c.all
	}
	sorted := slices.Clone(hops)
	slices.SortStableFunc(sorted, func(a, b int32) int {
		return cmp.Or(cmp.Compare(g.nodes[a].want, g.nodes[b].want), cmp.Compare(g.taker(g.nodes[a].span), g.taker(g.nodes[b].span)))
	})
	resent := g.resent(hops)
	var all []*chain
	for i := 0; i < len(sorted); {
		end := i
		for end < len(sorted) && g.nodes[sorted[end]].want == g.nodes[sorted[i]].want &&
			g.taker(g.nodes[sorted[end]].span) == g.taker(g.nodes[sorted[i]].span) {
			end++
		}
		c := &chainer{g: g, open: map[openSign]*queue{}, byCall: map[Sym]*chain{}, ends: map[int32]int64{}, reserved: map[int32]bool{}, rootless: rootless}
		retry, known := g.said(sorted[i])
		if c.retry = known && retry; known && !retry {
			for _, hop := range sorted[i:end] {
				c.start(hop, Page, -1, "the policy says that these are no attempts of one call")
				c.prev.known = Policy
			}
		} else {
			c.run(sorted[i:end], hops, resent)
		}
		c.bound()
		c.grade(sorted[i:end], hops)
		all = append(all, c.all...)
		i = end
	}
	slices.SortStableFunc(all, func(a, b *chain) int { return g.before(a.hops[0], b.hops[0]) })
	return all
}

// resent says of hops that carry a resend count whether they follow a redirect
// or a challenge: the count includes those (attributes.md 7.1).
func (g *Graph) resent(hops []int32) map[int32]Pattern {
	out := map[int32]Pattern{}
	prev := int32(-1)
	for _, i := range hops {
		n := &g.nodes[i]
		if prev >= 0 && n.number > 0 && g.counter(n.span).Resends {
			switch p := g.nodes[prev].span; {
			case p.Flags.Has(Redirected):
				out[i] = Redirect
			case p.Status == 401 || p.Status == 407:
				if n.span.Status != p.Status {
					out[i] = Challenge
				}
			}
		}
		prev = i
	}
	return out
}

// run sorts hops that want the same, apart from their arguments.
func (c *chainer) run(hops, beside []int32, resent map[int32]Pattern) {
	g := c.g
	argless := slices.ContainsFunc(hops, func(i int32) bool { return g.nodes[i].span.ArgsHash == 0 })
	polls := &series{}
	c.reserve(hops, resent, argless)
	for _, i := range hops {
		n := &g.nodes[i]
		if pattern, ok := resent[i]; ok {
			c.start(i, pattern, -1, "sent again for a "+pattern.String())
			continue
		}
		if !c.retry && c.probes(i) {
			c.start(i, Probe, -1, "a health check is no retry")
			c.offer(c.prev, c.sign(i, argless))
			continue
		}
		c.place(i, argless, polls, beside)
		polls.add(n)
	}
}

// probes reports whether a health check is one of a series that would go on
// without a failure, too. Attempts of one check follow one another faster.
func (c *chainer) probes(i int32) bool {
	n := &c.g.nodes[i]
	if !n.span.Flags.Has(Health) || n.number >= 0 {
		return false
	}
	return c.rootless || c.prev == nil || n.span.Start-c.last(c.prev).span.Start >= minProbe
}

// place finds the chain that hop i continues, or starts a new one.
func (c *chainer) place(i int32, argless bool, polls *series, beside []int32) {
	n := &c.g.nodes[i]
	sign := c.sign(i, argless)
	defer func() { c.offer(c.prev, sign) }()
	if id := c.g.callID(i); id != 0 {
		prev := c.byCall[id]
		defer func() { c.byCall[id] = c.prev }()
		switch {
		case prev == nil || !ended(c.last(prev).span, n.span) && !c.elsewhere(prev, n):
		case c.last(prev).span.Flags.Has(Redirected):
			c.start(i, Redirect, n.number, "sent again for a redirect")
			return
		case challenges(c.last(prev)) && !refused(n):
			c.start(i, Challenge, n.number, "answers the challenge of the call before it")
			return
		case c.shares(c.last(prev), n):
			c.start(i, Page, n.number, "the same call ID after a success")
			return
		default:
			prev.known, prev.conf = Declared, Certain
			c.extend(prev, i, Exact(0), "the same call or job ID")
			return
		}
	}
	if n.number > 0 {
		c.placeNumbered(i, sign)
		return
	}
	if n.number == 0 {
		// An outer owner starts over at 0. Other inputs are another call.
		levels := uint8(0)
		if sign.input == 0 || c.retry {
			levels = 3
		}
		if at, many := c.take(sign, n.span, levels); at != nil {
			c.follow(at, i, many, polls)
			return
		}
		c.start(i, c.beside(i, polls), 0, "its number is 0")
		return
	}
	if at, many := c.take(sign, n.span, 3); at != nil {
		c.follow(at, i, many, polls)
		return
	}
	if at := c.askedAgain(i, beside); at != nil {
		at.conf, at.known = Possible, Inferred
		c.extend(at, i, Exact(0), "the model was asked again with more input after a final answer")
		return
	}
	c.start(i, c.beside(i, polls), -1, c.why(i))
}

// elsewhere reports whether a run of a job went to another process than the last
// one of its chain. It may have been delivered again while that was alive, and
// the clocks may differ.
func (c *chainer) elsewhere(at *chain, n *node) bool {
	return n.span.IsRun() && n.span.Instance != c.last(at).span.Instance
}

// shares reports whether two hops have one call ID without being attempts:
// some clients give the parts of a transfer, or the steps of an answer, one ID.
// A job or a tool that runs again was started again.
func (c *chainer) shares(prev, n *node) bool {
	if n.number > prev.number || n.span.Flags&(Job|ToolRun) != 0 || n.span.Kind == Consumer {
		return false
	}
	return prev.view == OK || prev.view == Unstated && n.span.Flags.Has(ModelAsk)
}

// sign is what a chain and the hop that continues it have in common.
func (c *chainer) sign(i int32, argless bool) openSign {
	n := &c.g.nodes[i]
	s := openSign{args: n.span.ArgsHash, input: n.input, model: n.model, address: n.address, job: c.g.jobOf(n.span), number: -1}
	if argless {
		s.args = 0
	}
	return s
}

// follow decides whether hop i, which comes after a failed hop, is another
// attempt, and otherwise starts its own chain.
func (c *chainer) follow(at *chain, i int32, many bool, polls *series) {
	n, prev := &c.g.nodes[i], &c.g.nodes[at.hops[len(at.hops)-1]]
	switch {
	case challenges(prev) && !refused(n) && c.challenged(at) <= maxChallenges:
		c.handshake(at)
		c.start(i, Challenge, n.number, "answers the challenge of the call before it")
		return
	case c.retry:
		at.known, at.unsure = Policy, at.unsure || many
		c.extend(at, i, Exact(0), "the policy says that these are attempts of one call")
		return
	case polls.held(prev, n):
		at.closed = true
		c.start(i, Poll, n.number, "the next long poll: the one before it ended as those do in which nothing happens")
		return
	case len(at.hops) > 1 && c.g.moved(prev, n) && c.g.link(prev, n) != shown:
		at.closed = true
		c.start(i, Page, n.number, "another host, after attempts at the one before")
		return
	case polls.due(prev, n):
		at.closed = true
		c.start(i, Poll, n.number, "the next poll of its series")
		return
	case prev.input != 0 && n.input != 0 && prev.input != n.input && (polls.others(prev.input) || !c.grew(prev, n)):
		at.closed = true
		c.start(i, Page, n.number, "asks something else")
		return
	case c.goesOn(prev, n, polls):
		at.closed = true
		c.start(i, Page, n.number, "the next of a series, at its pace")
		return
	case prev.span.Class == TooLarge && c.smaller(prev, n):
		at.closed = true
		c.start(i, Split, n.number, "a smaller request after one that was too large")
		return
	}
	known, conf := Structural, Certain
	if prev.input != 0 && n.input != 0 && prev.input != n.input {
		conf = Possible // a grown request, or just a longer one
	}
	if !c.rootless {
		c.link = c.g.link(prev, n)
	}
	if c.rootless || prev.known == Inferred || n.known == Inferred {
		known, conf = Inferred, min(conf, Likely)
	}
	if at.known < known {
		at.known = known
	}
	at.conf = min(at.conf, conf)
	at.unsure = at.unsure || many
	c.extend(at, i, Exact(0), "the attempt before it had failed")
}

// maxChallenges is how many challenges one handshake may take: NTLM's has two
// (RFC 4559).
const maxChallenges = 2

func challenges(n *node) bool { return n.span.Status == 401 || n.span.Status == 407 }

// challenged counts the challenges in a row at the end of a chain.
func (c *chainer) challenged(at *chain) int {
	n := 0
	for n < len(at.hops) && challenges(&c.g.nodes[at.hops[len(at.hops)-1-n]]) {
		n++
	}
	return n
}

// handshake makes the hops at the end of a chain which answered a challenge and
// were challenged again calls of their own.
func (c *chainer) handshake(at *chain) {
	at.closed, at.challenged = true, true
	kept := len(at.hops) - c.challenged(at) + 1
	rest := at.hops[kept:]
	at.hops, at.hidden, at.links = at.hops[:kept], at.hidden[:kept], at.links[:kept]
	if kept == 1 {
		at.pattern, at.reason = Single, ""
	}
	for _, i := range rest {
		c.start(i, Challenge, c.g.nodes[i].number, "answers the challenge of the call before it")
	}
}

// grew reports whether both sizes are known and n's is greater, but not another
// request altogether.
func (c *chainer) grew(prev, n *node) bool {
	a, b := prev.size, n.size
	return a > 0 && b > a && b <= a+a/2
}

// goesOn reports whether a caller that went from call to call after successes
// did so after a failure, too: it works through a list. Its pauses are those it
// made after successes, where a retry waits, and nothing says that the two ask
// the same. An agent cannot go on without an answer.
func (c *chainer) goesOn(prev, n *node, polls *series) bool {
	if c.rootless || polls.good == 0 || polls.pauses == 0 || prev.input != 0 || n.input != 0 || prev.span.ArgsHash != 0 {
		return false
	}
	if p := n.parent; p < 0 || c.g.nodes[p].span.Layer != App && c.g.nodes[p].span.Layer != QueueLayer && c.g.nodes[p].span.Layer != Tool {
		return false
	}
	pause := max(0, n.span.Start-prev.span.End)
	return pause <= 2*polls.longest+grainOf(n.span) && pause < minIdle
}

func refused(n *node) bool {
	return n.view != OK && (n.span.Status == 401 || n.span.Status == 403 || n.span.Status == 407)
}

// smaller reports whether both sizes are known and n's is less.
func (c *chainer) smaller(prev, n *node) bool {
	a, b := prev.size, n.size
	return a > 0 && b > 0 && b < a
}

// size is the input's tokens, else the body's bytes; −1 unknown.
func (g *Graph) size(n *node) int64 {
	f := g.store.FactsOf(n.span)
	switch {
	case f == nil:
		return -1
	case f.InTokens >= 0:
		return f.InTokens
	}
	return f.Bytes
}

// placeNumbered continues the chain with the number before, else a failed one
// with a lower number or none; else attempts before it were not seen.
func (c *chainer) placeNumbered(i int32, sign openSign) {
	n := &c.g.nodes[i]
	if at := c.before(n, sign); at != nil {
		idle := n.span.Start - at.end
		if at.known = Declared; !at.failed && idle > maxIdle<<min(n.number-1, maxDoubled) {
			// No client library waits so long: the attempt before it may not be
			// in the input.
			at.conf = min(at.conf, Possible)
		}
		c.extend(at, i, Exact(0), "its number follows")
		return
	}
	if c.ends[n.number-1] > n.span.Start+grainOf(n.span) {
		c.start(i, Hedge, n.number, "begun before the attempt before it had failed")
		return
	}
	if at, many := c.takeAlike(sign, n.span); at != nil && at.number < n.number {
		before := int32(len(at.hops))
		if at.number >= 0 {
			before = at.number + 1
		}
		at.known, at.unsure = Declared, at.unsure || many
		c.extend(at, i, c.unseen(i, n.number-before), "its number is higher")
		return
	}
	c.start(i, Single, n.number, "its number says that attempts before it were not seen")
	c.prev.hidden[0], c.prev.known = c.unseen(i, n.number), Declared
}

// unseen is the number of attempts that were not seen before hop i. A count of
// resends may have counted redirects and challenges; and of a hop without a
// caller the earlier attempts may be in traces that nothing joins to its own.
func (c *chainer) unseen(i, n int32) Range {
	n = max(0, n)
	x := &c.g.nodes[i]
	if c.rootless {
		k := askedBy(x)
		least := min(int64(n), c.g.unseen[k])
		c.g.unseen[k] -= least
		return Range{int32(least), n}
	}
	if c.g.counter(x.span).Resends {
		return Range{0, n}
	}
	return Exact(n)
}

// beside says why a hop that continues nothing stands beside others like it.
func (c *chainer) beside(i int32, polls *series) Pattern {
	n := &c.g.nodes[i]
	switch {
	case c.prev == nil:
		return Single
	case c.last(c.prev).span.Flags.Has(Redirected):
		return Redirect
	case polls.last > n.span.Start:
		if c.prev.end > n.span.Start && c.last(c.prev).view == Cut {
			return Hedge
		}
		return Single
	case n.span.Flags.Has(ReadOnly) && polls.good > 0:
		return Poll
	}
	return Page
}

func (c *chainer) why(i int32) string {
	switch {
	case c.prev == nil:
		return ""
	case c.prev.end > c.g.nodes[i].span.Start:
		return "begun while another like it was still going on"
	case !c.prev.failed:
		return "the one before it had succeeded"
	}
	return "nothing like it had failed before"
}

// last returns the last hop of a chain.
func (c *chainer) last(at *chain) *node { return &c.g.nodes[at.hops[len(at.hops)-1]] }

// start begins a chain with hop i.
func (c *chainer) start(i int32, p Pattern, number int32, reason string) {
	c.prev = &chain{pattern: p, conf: Certain, reason: reason, order: len(c.all)}
	c.all = append(c.all, c.prev)
	c.put(c.prev, i, number, Range{})
}

// extend adds hop i to a chain, after attempts that were not seen.
func (c *chainer) extend(at *chain, i int32, hidden Range, reason string) {
	if at.pattern != Retry {
		at.pattern, at.reason = Retry, reason
	}
	c.prev = at
	c.put(at, i, c.g.nodes[i].number, hidden)
}

func (c *chainer) put(at *chain, i, number int32, hidden Range) {
	n := &c.g.nodes[i]
	at.hops, at.hidden, at.links = append(at.hops, i), append(at.hidden, hidden), append(at.links, c.link)
	c.link = shown
	at.number, at.end, at.failed = number, n.span.End, n.view == Failed || n.view == Cut
	if number >= 0 && c.ends != nil {
		c.ends[number] = max(c.ends[number], at.end)
	}
}

// askedAgain returns the chain that a loop continues when it asks a model
// again with more input though the answer was final, nothing in between.
func (c *chainer) askedAgain(i int32, beside []int32) *chain {
	n := &c.g.nodes[i]
	if !n.span.Flags.Has(ModelAsk) || c.prev == nil {
		return nil
	}
	at := c.prev
	prev := c.last(at)
	idle := n.span.Start - at.end
	if at.failed || !prev.span.Flags.Has(FinalAnswer) || idle < minIdle || idle > maxIdle {
		return nil
	}
	if was, is := prev.size, n.size; was <= 0 || is <= was {
		return nil
	}
	if prev.model != n.model {
		return nil
	}
	to, _ := slices.BinarySearchFunc(beside, i, c.g.before)
	for k := to - 1; k >= 0; k-- {
		s := c.g.nodes[beside[k]].span
		if s.End > at.end {
			return nil
		}
		if s.Start < prev.span.Start {
			break
		}
	}
	return at
}

// series watches equal calls for polling.
type series struct {
	starts []int64 // of the latest successes
	good   int
	last   int64           // latest end
	inputs map[uint64]bool // of the successes, where known
	// longest is the longest of the pauses after successes.
	pauses  int
	longest int64
	answer  int64  // end of the latest hop, if that was a success; else 0
	hold    int64  // the longest time for which a success was held back
	args    uint64 // of the first
	varied  bool   // others had other arguments: a poll asks for the same
}

func (p *series) add(n *node) {
	if p.last == 0 {
		p.args = n.span.ArgsHash
	}
	p.varied = p.varied || n.span.ArgsHash != p.args
	p.last = max(p.last, n.span.End)
	if p.answer > 0 && n.span.Start >= p.answer {
		p.pauses++
		p.longest = max(p.longest, n.span.Start-p.answer)
	}
	p.answer = 0
	if n.view == Failed || n.view == Cut {
		return
	}
	p.good++
	p.answer = n.span.End
	p.hold = max(p.hold, int64(n.span.Duration()))
	if n.input != 0 {
		if p.inputs == nil {
			p.inputs = map[uint64]bool{}
		}
		p.inputs[n.input] = true
	}
	const enough = 16 // for a median
	p.starts = append(p.starts[max(0, len(p.starts)-enough):], n.span.Start)
}

// others reports whether something other than input was asked before, with
// success: the caller goes from one thing to the next.
func (p *series) others(input uint64) bool {
	return len(p.inputs) > 1 || len(p.inputs) == 1 && !p.inputs[input]
}

// minHold is the shortest time for which a long poll is held back: RFC 6202
// (section 5.5) calls 30 s safe, and nobody holds a connection for less than
// this.
const minHold = int64(5 * time.Second)

// held reports whether prev is a long poll in which nothing happened, though
// its end looks like a timeout: a success was held back for as long, and the
// caller asks again at once.
func (p *series) held(prev, n *node) bool {
	took := int64(prev.span.Duration())
	return prev.span.Class == Timeout && n.span.Flags.Has(ReadOnly) && took >= minHold && p.hold >= minHold &&
		float64(max(took-p.hold, p.hold-took)) <= pollSlack*float64(took) && pause(prev.span, n.span) < minIdle
}

// due reports whether n comes at the pace of a series of polls of which prev,
// a failed one, was the latest: it would have come without the failure, too.
func (p *series) due(prev, n *node) bool {
	if p.good < minPolls || n.span.Flags.Has(ModelAsk) || n.number > 0 || prev.number > 0 || p.varied {
		return false
	}
	var paces []int64
	for k := 1; k < len(p.starts); k++ {
		paces = append(paces, p.starts[k]-p.starts[k-1])
	}
	slices.Sort(paces)
	pace := paces[len(paces)/2]
	miss := n.span.Start - prev.span.Start - pace
	return float64(max(miss, -miss)) <= max(pollSlack*float64(pace), float64(min(minIdle, pace/2)))
}

// offer makes a chain findable for the hops to come.
func (c *chainer) offer(at *chain, sign openSign) {
	offer := func(number int32, failed bool) {
		for level := range uint8(4) {
			key := sign
			key.number, key.failed = number, failed
			key = key.at(level)
			q := c.open[key]
			if q == nil {
				q = newQueue()
				c.open[key] = q
			}
			q.push(entry{chain: at, length: len(at.hops), end: at.end})
		}
	}
	if at.number >= 0 {
		offer(at.number, at.failed)
	}
	if at.failed && !c.reserved[at.hops[len(at.hops)-1]] {
		offer(-1, false)
	}
}

// at returns the sign as level compares it.
func (s openSign) at(level uint8) openSign {
	s.level = level
	if level > 0 {
		s.address = 0
	}
	if level > 1 {
		s.model = 0
	}
	if level > 2 {
		s.input = 0
	}
	return s
}

// take removes and returns the open chain most like sign that had ended when
// the next span began, of equals the earliest to end; many says that there were several.
func (c *chainer) take(sign openSign, next *Span, levels uint8) (at *chain, many bool) {
	for level := range levels + 1 {
		q := c.open[sign.at(level)]
		if q == nil {
			continue
		}
		if best, ok := q.popEnded(c.g, next); ok {
			other, more := q.popEnded(c.g, next)
			if more {
				q.push(other)
			}
			return best.chain, more
		}
	}
	return nil, false
}

// queue holds chains, those first whose last hop ended first.
type queue struct{ heap[entry] }

func newQueue() *queue { return &queue{heap[entry]{less: entry.less}} }

// entry is dead once its chain has grown or closed.
type entry struct {
	chain  *chain
	length int
	end    int64
}

func (e entry) live() bool { return len(e.chain.hops) == e.length && !e.chain.closed }

func (e entry) less(o entry) bool {
	return cmp.Or(cmp.Compare(e.end, o.end), cmp.Compare(e.chain.order, o.chain.order)) < 0
}

// popEnded takes the live chain that ended first, if it had ended when a span
// began.
func (q *queue) popEnded(g *Graph, next *Span) (entry, bool) {
	for len(q.all) > 0 {
		e := q.all[0]
		if !e.live() {
			q.pop()
			continue
		}
		if !ended(g.nodes[e.chain.hops[e.length-1]].span, next) {
			break
		}
		q.pop()
		return e, true
	}
	return entry{}, false
}

// ended reports whether an attempt had ended when the next one began, as far
// as their clock tells.
func ended(prev, next *Span) bool {
	grain := min(grainOf(prev), grainOf(next))
	return prev.End <= next.Start+grain && (prev.Start < next.Start || prev.End <= next.Start)
}

// grainOf is by how much the end of an attempt may seem late.
func grainOf(s *Span) int64 {
	if s.Start%int64(time.Millisecond) == 0 {
		return clockGrain
	}
	return fineGrain
}
