// Package assemble takes spans in and hands whole requests out, within a
// budget of bytes. Time is an argument: there is no clock, no goroutine and no
// timer here, and two ordered queues alone know what is due.
//
// A request is a connected component of traces, as trace.Build joins them: by
// an ID that their spans sent or received, by the ID of a call, and by the only
// link of a parentless span. What has left is forgotten: later spans of it
// begin a component of their own.
package assemble

import (
	"bytes"
	"slices"
	"time"
	"unsafe"

	"github.com/retryaudit/retryaudit/analyzer/trace"
)

// Options bound how much is held, and for how long.
type Options struct {
	// MaxBytes is how much may be held; 0 is any amount.
	MaxBytes int64
	// Quiet is how long no span must have come for a request whose traces all
	// have their root.
	Quiet time.Duration
	// Patience is how long no span must have come for a request that lacks a
	// root: its root was lost, or was handed out before. 0 is for ever.
	Patience time.Duration
}

// Stats count what an Assembler has done and what it holds. All spans that
// were added are held or have been handed out.
type Stats struct {
	Spans     int64 // added
	SpansOut  int64 // handed out
	Requests  int64 // handed out, however
	Rootless  int64 // those of them that Expire handed out without a root
	Cut       int64 // those of them that had to go for MaxBytes
	CutSpans  int64 // spans of cut requests
	Hubs      int64 // joins left out because the ID had joined too many traces
	Held      int64 // requests held now
	HeldBytes int64 // an estimate of the memory they take
}

// hubTraces is how many traces one ID may join, as in trace.Build.
const hubTraces = 256

// An Assembler holds spans until their requests are whole. It is not safe for
// concurrent use.
type Assembler struct {
	opt    Options
	stats  Stats
	now    int64
	births int64
	traces map[trace.TraceID]traceState
	ids    map[string]idState
	// Each component is in born, and in either whole or waiting, which order
	// them by their last span.
	born, whole, waiting queue
}

// traceState is what is known of a trace. A trace that was only linked to has
// no spans yet.
type traceState struct {
	in          *component
	spans, root bool
}

// idState is what is known of an ID that joins.
type idState struct {
	in    *component
	joins int
}

// component is what will be a request, unless it joins another.
type component struct {
	into    *component // what it has become a part of
	birth   int64
	seen    int64 // time of the last span
	content content
	traces  []trace.TraceID
	ids     []string
	bytes   int64
	lacking int // traces with spans and without a root
	next    [2]*component
	prev    [2]*component
}

// content is a store and the bytes that hang from it.
type content struct {
	store *trace.Store
	texts int64
	facts int64
}

// New returns an assembler that holds nothing.
func New(opt Options) *Assembler {
	return &Assembler{opt: opt, traces: map[trace.TraceID]traceState{}, ids: map[string]idState{},
		born: queue{link: 0}, whole: queue{link: 1}, waiting: queue{link: 1}}
}

// Add takes in a copy of a span of from at time now, in ns; times before the
// latest count as the latest. It returns nil, or the spans of the requests that
// had to go for MaxBytes, the oldest first: all that it returns is cut, and the
// store's Cut says so.
func (a *Assembler) Add(now int64, from *trace.Store, span *trace.Span) *trace.Store {
	a.now = max(a.now, now)
	c := a.componentOf(span.Trace)
	a.forget(c)
	state := a.traces[span.Trace]
	if !state.spans {
		state.spans = true
		c.lacking++
	}
	if !state.root && span.Parent.IsZero() {
		state.root = true
		c.lacking--
	}
	a.traces[span.Trace] = state
	c.content.add(from, span)
	c.seen = a.now
	a.stats.Spans++
	a.remember(c)
	a.join(from, span)

	var out *trace.Store
	for a.opt.MaxBytes > 0 && a.stats.HeldBytes > a.opt.MaxBytes && a.born.first != nil {
		oldest := a.born.first
		a.stats.Cut++
		a.stats.CutSpans += int64(len(oldest.content.store.Spans))
		var cut []trace.TraceID
		for i := range oldest.content.store.Spans {
			cut = append(cut, oldest.content.store.Spans[i].Trace)
		}
		slices.SortFunc(cut, func(a, b trace.TraceID) int { return bytes.Compare(a[:], b[:]) })
		out = a.handOut(oldest, out)
		out.Cut = append(out.Cut, slices.Compact(cut)...)
	}
	return out
}

// Expire returns the spans of all requests that are due at time now, or nil.
func (a *Assembler) Expire(now int64) *trace.Store {
	a.now = max(a.now, now)
	var out *trace.Store
	for c := a.whole.first; c != nil && c.seen+int64(a.opt.Quiet) <= a.now; c = a.whole.first {
		out = a.handOut(c, out)
	}
	if a.opt.Patience == 0 {
		return out
	}
	for c := a.waiting.first; c != nil && c.seen+int64(a.opt.Patience) <= a.now; c = a.waiting.first {
		a.stats.Rootless++
		out = a.handOut(c, out)
	}
	return out
}

// Due returns when Expire will next have something to return if no span
// comes; ok is false if never.
func (a *Assembler) Due() (at int64, ok bool) {
	if c := a.whole.first; c != nil {
		at, ok = c.seen+int64(a.opt.Quiet), true
	}
	if c := a.waiting.first; c != nil && a.opt.Patience > 0 {
		if late := c.seen + int64(a.opt.Patience); !ok || late < at {
			at, ok = late, true
		}
	}
	return at, ok
}

// Close returns all spans that are left, or nil.
func (a *Assembler) Close() *trace.Store {
	var out *trace.Store
	for a.born.first != nil {
		out = a.handOut(a.born.first, out)
	}
	return out
}

// Stats returns the counts so far.
func (a *Assembler) Stats() Stats { return a.stats }

// handOut moves the spans of c to out, which may be nil, and forgets c.
func (a *Assembler) handOut(c *component, out *trace.Store) *trace.Store {
	a.forget(c)
	a.born.remove(c)
	a.stats.Held--
	for _, t := range c.traces {
		delete(a.traces, t)
	}
	for _, id := range c.ids {
		delete(a.ids, id)
	}
	a.stats.Requests++
	a.stats.SpansOut += int64(len(c.content.store.Spans))
	if out == nil {
		return c.content.store
	}
	out.Merge(c.content.store)
	return out
}

// componentOf returns the component of a trace, a new one if need be.
func (a *Assembler) componentOf(t trace.TraceID) *component {
	if s, ok := a.traces[t]; ok {
		s.in = s.in.root()
		a.traces[t] = s
		return s.in
	}
	c := &component{birth: a.births, seen: a.now, content: content{store: trace.NewStore()}, traces: []trace.TraceID{t}}
	a.births++
	a.traces[t] = traceState{in: c}
	a.born.push(c)
	a.stats.Held++
	a.remember(c)
	return c
}

// join unites the component of a span with those that its IDs and its link name.
func (a *Assembler) join(from *trace.Store, span *trace.Span) {
	f := from.FactsOf(span)
	if f == nil {
		return
	}
	for _, k := range f.Keys {
		// An ID given in an answer joins only the span that got it.
		if k.Dir != trace.Answered {
			a.joinID(span.Trace, from.Text(k.ID))
		}
	}
	if f.CallID != 0 {
		a.joinID(span.Trace, from.Text(f.CallID))
	}
	if span.Parent.IsZero() && len(f.Links) == 1 {
		a.unite(a.componentOf(span.Trace), a.componentOf(f.Links[0].Trace))
	}
}

func (a *Assembler) joinID(t trace.TraceID, id string) {
	c := a.componentOf(t)
	s, ok := a.ids[id]
	if !ok {
		a.ids[id] = idState{in: c, joins: 1}
		a.forget(c)
		c.ids = append(c.ids, id)
		a.remember(c)
		return
	}
	s.in = s.in.root()
	if s.in != c {
		if s.joins >= hubTraces {
			a.stats.Hubs++
			return
		}
		s.joins++
		s.in = a.unite(s.in, c)
	}
	a.ids[id] = s
}

// root returns what c has become a part of.
func (c *component) root() *component {
	for c.into != nil {
		if c.into.into != nil {
			c.into = c.into.into
		}
		c = c.into
	}
	return c
}

// unite returns the older component with all of the other.
func (a *Assembler) unite(c, other *component) *component {
	if c == other {
		return c
	}
	if other.birth < c.birth {
		c, other = other, c
	}
	a.forget(c)
	a.forget(other)
	a.born.remove(other)
	a.stats.Held--
	// The smaller side is copied, so that many joins stay cheap.
	if len(c.content.store.Spans) < len(other.content.store.Spans) {
		c.content, other.content = other.content, c.content
	}
	if len(c.traces) < len(other.traces) {
		c.traces, other.traces = other.traces, c.traces
	}
	if len(c.ids) < len(other.ids) {
		c.ids, other.ids = other.ids, c.ids
	}
	c.content.merge(&other.content)
	c.traces = append(c.traces, other.traces...)
	c.ids = append(c.ids, other.ids...)
	c.lacking += other.lacking
	c.seen = max(c.seen, other.seen)
	*other = component{into: c}
	a.remember(c)
	return c
}

// remember puts c at the end of its queue and counts its bytes; forget undoes
// both before c changes.
func (a *Assembler) remember(c *component) {
	c.bytes = c.size()
	a.stats.HeldBytes += c.bytes
	a.queueOf(c).push(c)
}

func (a *Assembler) forget(c *component) {
	a.stats.HeldBytes -= c.bytes
	a.queueOf(c).remove(c)
}

func (a *Assembler) queueOf(c *component) *queue {
	if c.lacking > 0 {
		return &a.waiting
	}
	return &a.whole
}

// Sizes of what Go keeps, in bytes: a map entry with its share of free slots,
// a text with its header and its entry, a component with its empty store.
const (
	entryBytes     = 64
	textBytes      = 96
	componentBytes = 640
)

func (c *component) size() int64 {
	s := c.content.store
	n := componentBytes + c.content.texts + c.content.facts
	n += int64(cap(s.Spans)) * int64(unsafe.Sizeof(trace.Span{}))
	n += int64(cap(s.Facts)) * int64(unsafe.Sizeof(trace.Facts{}))
	n += int64(len(c.traces))*(entryBytes+int64(unsafe.Sizeof(trace.TraceID{}))) + int64(len(c.ids))*entryBytes
	return n
}

// add copies one span of from with its facts.
func (x *content) add(from *trace.Store, span *trace.Span) {
	known := len(x.store.Texts())
	x.store.Take(from, span)
	if f := from.FactsOf(span); f != nil {
		x.facts += factsBytes(f)
	}
	x.count(known)
}

func (x *content) merge(o *content) {
	known := len(x.store.Texts())
	x.store.Merge(o.store)
	x.facts += o.facts
	x.count(known)
}

// count adds the bytes of the texts after the first known ones.
func (x *content) count(known int) {
	for _, text := range x.store.Texts()[known:] {
		x.texts += textBytes + int64(len(text))
	}
}

func factsBytes(f *trace.Facts) int64 {
	return int64(len(f.Keys))*int64(unsafe.Sizeof(trace.Key{})) +
		int64(len(f.Links))*int64(unsafe.Sizeof(trace.Link{})) +
		int64(len(f.Events))*int64(unsafe.Sizeof(trace.Event{}))
}

// queue is a doubly linked list through one of the links of its components.
type queue struct {
	first, last *component
	link        int
}

func (q *queue) push(c *component) {
	c.prev[q.link], c.next[q.link] = q.last, nil
	if q.last == nil {
		q.first = c
	} else {
		q.last.next[q.link] = c
	}
	q.last = c
}

func (q *queue) remove(c *component) {
	before, after := c.prev[q.link], c.next[q.link]
	if before == nil {
		q.first = after
	} else {
		before.next[q.link] = after
	}
	if after == nil {
		q.last = before
	} else {
		after.prev[q.link] = before
	}
}
