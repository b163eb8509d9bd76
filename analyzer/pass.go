package analyzer

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/retryaudit/retryaudit/analyzer/trace"
)

// Pass is what a rule may look at, and where it says what it found.
type Pass struct {
	Request  *trace.Request
	rule     About
	settings *Settings
	part     *Part
	found    func(Found)
	memo     *memo
}

// memo remembers the cells of one store, which most attempts share.
type memo struct {
	cells   map[edge]Cell
	windows map[cellWindow]*Sums
	knobs   map[trace.Owner]*Knob // nil where there is none
}

type edge struct {
	rule  string
	up    trace.Upstream
	owner trace.Owner
}

type cellWindow struct {
	key string // of the cell
	at  int64
}

func newMemo() *memo {
	return &memo{cells: map[edge]Cell{}, windows: map[cellWindow]*Sums{}, knobs: map[trace.Owner]*Knob{}}
}

// maxWorst is how many exemplars a cell keeps.
const maxWorst = 3

// maxTicks is how many attempts a timeline keeps.
const maxTicks = 64

// Lanes of a cell of a request rule.
const (
	laneOccurrences = iota
	laneAttempts    // sum over the occurrences
	laneWastedAttempts
	laneWastedMS
	laneWastedIn
	laneWastedOut
	laneWastedCost // in millionths of the currency
	// The following are histograms: one lane a value, the value in the low bits.
	laneConf  = 1 << 24
	laneGrade = 2 << 24
	laneOwner = 3 << 24 // two bytes of owner, two of its attempts
	laneMax   = 4 << 24 // the same, of its declared maximum
	laneNeed  = 5 << 24
)

// Case is one occurrence of a defect as a Part keeps it.
type Case struct {
	Attempts int64
	Latent   int64
	Message  string
	WaitsMS  []int64
	AskedMS  int64
	Known    []string // per owner
	Owner    Owner    // of the call shown, for fleet rules
	Exemplar Exemplar
}

// compare orders cases, the worst first; it is 0 for equal cases alone.
func (c *Case) compare(o *Case) int {
	span := func(c *Case) string {
		if len(c.Exemplar.Spans) == 0 {
			return ""
		}
		return c.Exemplar.Spans[0].SpanID
	}
	return cmp.Or(
		cmp.Compare(o.Attempts, c.Attempts), cmp.Compare(c.Exemplar.TraceID, o.Exemplar.TraceID),
		cmp.Compare(span(c), span(o)), cmp.Compare(c.Message, o.Message),
		slices.CompareFunc(c.Exemplar.Spans, o.Exemplar.Spans, func(a, b ExemplarSpan) int {
			return cmp.Or(cmp.Compare(a.SpanID, b.SpanID), cmp.Compare(a.Role, b.Role))
		}),
	)
}

// keep puts a case among the worst.
func (s *Sums) keep(c Case) {
	i, _ := slices.BinarySearchFunc(s.Worst, c, func(a, b Case) int { return a.compare(&b) })
	if i >= maxWorst {
		return
	}
	s.Worst = slices.Insert(s.Worst, i, c)
	s.Worst = s.Worst[:min(len(s.Worst), maxWorst)]
}

// takes reports whether a case of so many attempts, shown on a, may be among
// the worst.
func (s *Sums) takes(attempts int64, a *trace.Attempt) bool {
	if len(s.Worst) < maxWorst {
		return true
	}
	least := &s.Worst[maxWorst-1]
	return attempts > least.Attempts || attempts == least.Attempts && (len(a.Spans) == 0 || a.Spans[0].Trace.String() <= least.Exemplar.TraceID)
}

// Cell is what sums are kept for; its hash is the fingerprint of a finding.
// Attempts, settings and evidence of the owners are no part of it.
type Cell struct {
	Rule     string
	Owners   []Owner
	Upstream Upstream
	encoded  string // what key returns, where that is known
}

// key encodes a cell; windows of fleet rules add their time.
func (c Cell) key() string {
	if c.encoded != "" {
		return c.encoded
	}
	parts := []string{c.Rule, c.Upstream.Service, c.Upstream.Address, c.Upstream.Operation, c.Upstream.Model}
	for _, o := range c.Owners {
		parts = append(parts, o.Layer, o.Service, o.Library, o.Operation)
	}
	for i, p := range parts {
		parts[i] = strings.ReplaceAll(p, "\x00", " ")
	}
	return strings.Join(parts, "\x00")
}

// cellOf decodes what key encoded.
func cellOf(key string) Cell {
	parts := strings.Split(key, "\x00")
	c := Cell{Rule: parts[0]}
	if len(parts) < 5 {
		return c
	}
	c.Upstream = Upstream{parts[1], parts[2], parts[3], parts[4]}
	for rest := parts[5:]; len(rest) >= 4; rest = rest[4:] {
		c.Owners = append(c.Owners, Owner{Layer: rest[0], Service: rest[1], Library: rest[2], Operation: rest[3]})
	}
	return c
}

// Cell names the edge between owners and an upstream for a fleet rule.
func (p *Pass) Cell(up trace.Upstream, owners ...trace.Owner) Cell {
	e := edge{rule: p.rule.ID, up: up}
	if len(owners) == 1 {
		e.owner = owners[0]
		e.owner.Known = trace.Inferred // tells one owner from none; no part of a cell
	}
	if len(owners) <= 1 {
		if c, ok := p.memo.cells[e]; ok {
			return c
		}
	}
	c := Cell{Rule: p.rule.ID, Upstream: p.upstream(up)}
	for _, o := range owners {
		c.Owners = append(c.Owners, p.owner(o))
	}
	c.encoded = c.key()
	if len(owners) <= 1 {
		p.memo.cells[e] = c
	}
	return c
}

// KnobOf returns the setting that limits the retries of an owner.
func (p *Pass) KnobOf(o trace.Owner) (Knob, bool) { return p.memo.knobOf(p.Request, o) }

func (m *memo) knobOf(r *trace.Request, o trace.Owner) (Knob, bool) {
	o.Known, o.Op = 0, 0
	k, ok := m.knobs[o]
	if !ok {
		if found, is := KnobOf(ownerOf(r, o)); is {
			k = &found
		}
		m.knobs[o] = k
	}
	if k == nil {
		return Knob{}, false
	}
	return *k, true
}

func (p *Pass) upstream(u trace.Upstream) Upstream {
	t := p.Request.Text
	return Upstream{Service: t(u.Service), Address: t(u.Address), Operation: t(u.Op), Model: t(u.Model)}
}

func (p *Pass) owner(o trace.Owner) Owner { return ownerOf(p.Request, o) }

func ownerOf(r *trace.Request, o trace.Owner) Owner {
	t := r.Text
	return Owner{Layer: o.Layer.String(), Service: t(o.Service), Library: t(o.Library), Operation: t(o.Op)}
}

// MaxAttempts is how many attempts of a call the policy lets an owner make, 0
// unknown.
func (p *Pass) MaxAttempts(o trace.Owner, up trace.Upstream) int64 {
	if len(p.settings.Owners) == 0 {
		return 0
	}
	return p.settings.maxAttempts(p.owner(o), p.upstream(up))
}

// WasteOf is what the retries of attempts cost that did not succeed.
func (p *Pass) WasteOf(attempts []*trace.Attempt) Waste {
	return p.settings.wasteOf(p.Request, attempts)
}

// Text returns what y stands for.
func (p *Pass) Text(y trace.Sym) string { return p.Request.Text(y) }

// Report adds a finding's evidence to the rule's cell.
func (p *Pass) Report(d Diagnostic) {
	if len(d.Owners) == 0 {
		d.Owners = []OwnerCount{{Owner: d.Call.Owner, Attempts: d.Call.Count(), DeclaredMax: int64(d.Call.DeclaredMax)}}
	}
	if d.Upstream == (trace.Upstream{}) {
		d.Upstream = d.Call.Upstream
	}
	if d.Ticks == nil {
		d.Ticks = d.Call.Attempts
	}
	d.Attempts = cmp.Or(d.Attempts, d.Call.Count())
	if d.Level == Off || p.rule.fixed {
		d.Level = p.rule.Severity
	}
	d.Conf = cmp.Or(d.Conf, trace.Certain)
	cell := Cell{Rule: p.rule.ID, Upstream: p.upstream(d.Upstream)}
	c := Case{Attempts: d.Attempts, Latent: d.Latent, Message: d.Text}
	for i := range d.Owners {
		o := &d.Owners[i]
		cell.Owners = append(cell.Owners, p.owner(o.Owner))
		c.Known = append(c.Known, o.Owner.Known.String())
	}
	for _, a := range d.Call.Attempts[1:] {
		c.WaitsMS = append(c.WaitsMS, waitMS(a))
	}
	if d.Cause != nil && d.Cause.Asked.State == trace.For {
		c.AskedMS = d.Cause.Asked.D.Milliseconds()
	}
	c.Exemplar = p.exemplar(d)
	if p.found != nil {
		p.found(Found{Rule: p.rule.ID, Level: d.Level, Conf: d.Conf, Text: d.Text, Owners: cell.Owners, Upstream: cell.Upstream, Spans: c.Exemplar.Spans})
	}
	s := p.part.sums(cell.key())
	s.keep(c)
	s.Lanes[laneOccurrences]++
	s.Lanes[laneAttempts] += d.Attempts
	s.Lanes[laneWastedAttempts] += d.Wasted.Attempts
	s.Lanes[laneWastedMS] += int64(math.Round(d.Wasted.Seconds * 1000))
	s.Lanes[laneWastedIn] += d.Wasted.InputTokens
	s.Lanes[laneWastedOut] += d.Wasted.OutputTokens
	s.Lanes[laneWastedCost] += d.Wasted.CostMicros
	s.Lanes[laneConf|uint32(d.Conf)]++
	s.Lanes[laneGrade|uint32(d.Level)]++
	for i, o := range d.Owners {
		s.Lanes[laneOwner|ownerLane(i, o.Attempts)]++
		s.Lanes[laneMax|ownerLane(i, o.DeclaredMax)]++
	}
}

// ownerLane packs the number of an owner (at most 255) and a count (at most
// 65535) into a lane.
func ownerLane(owner int, n int64) uint32 {
	return uint32(min(owner, 0xff))<<16 | uint32(min(max(n, 0), 0xffff))
}

func waitMS(a *trace.Attempt) int64 {
	if a.Wait.Known == 0 {
		return -1
	}
	return a.Wait.D.Milliseconds()
}

// exemplar shows a diagnostic on its spans.
func (p *Pass) exemplar(d Diagnostic) Exemplar {
	e := Exemplar{RequestID: p.Text(p.Request.Key), Attempts: d.Attempts, Spans: []ExemplarSpan{}, Timeline: []Tick{}}
	add := func(a *trace.Attempt, role string) {
		if a == nil || len(a.Spans) == 0 {
			return
		}
		s := a.Spans[0]
		e.Spans = append(e.Spans, ExemplarSpan{SpanID: s.ID.String(), TraceID: s.Trace.String(), Role: role})
		if e.TraceID == "" || role == "cause" {
			e.TraceID = s.Trace.String()
			e.Input = Place{Path: p.Text(s.Input), Line: int(s.Line), Offset: s.Offset}
		}
	}
	if up := d.Call.Parent; up != nil && len(up.Spans) > 0 {
		s := up.Spans[len(up.Spans)-1]
		e.Spans = append(e.Spans, ExemplarSpan{SpanID: s.ID.String(), TraceID: s.Trace.String(), Role: "caller"})
	}
	switch {
	case d.Cause != nil:
		add(d.Cause, "cause")
		add(d.Retry, "retry")
	default:
		for i, a := range d.Call.Attempts {
			role := "retry"
			if i == 0 {
				role = "cause"
			}
			add(a, role)
		}
	}
	if e.TraceID == "" {
		e.TraceID = p.Request.Traces[0].String()
	}
	for _, a := range d.Ticks[:min(len(d.Ticks), maxTicks)] {
		e.Timeline = append(e.Timeline, p.tick(a, d.Ticks[0], d.Owners))
	}
	return e
}

// tick draws an attempt. Its path names the attempt at each owner above it.
func (p *Pass) tick(a, first *trace.Attempt, owners []OwnerCount) Tick {
	t := Tick{
		StartMS: (a.Start - first.Start) / 1e6, DurationMS: (a.End - a.Start) / 1e6,
		Failed: a.Failed(), Status: statusOf(p, a), WaitMS: waitMS(a), Path: []int64{},
	}
	for x := a; x != nil; x = x.Call.Parent {
		for _, o := range owners {
			if o.Owner == x.Call.Owner && len(x.Call.Attempts) > 1 {
				t.Path = append(t.Path, int64(x.N)+1)
				if t.WaitMS < 0 && x.N > 0 {
					t.WaitMS = waitMS(x)
				}
				break
			}
		}
	}
	slices.Reverse(t.Path)
	return t
}

// statusOf is the shortest word for how an attempt ended.
func statusOf(p *Pass, a *trace.Attempt) string {
	switch {
	case len(a.Spans) == 0:
		return "not seen"
	case !a.Failed() && a.Status == 0:
		return "ok"
	case a.Status != 0 && (a.Status >= 400 || !a.Failed()):
		return itoa(int64(a.Status))
	case a.Class == trace.UnknownError && a.Code != 0:
		return p.Text(a.Code)
	case a.Class == trace.UnknownError:
		return "failed"
	}
	return a.Class.String()
}

// Need counts an opportunity of the rule to judge: had says whether the data
// held the fact that it needs.
func (p *Pass) Need(f Fact, had bool) {
	p.part.sums(needKey + p.rule.ID + "\x00" + string(f)).need(had)
}

// Idle notes that the library of an owner left a failure alone which a retry
// might have healed: its retries are off, whatever its default.
func (p *Pass) Idle(o trace.Owner) {
	if k, ok := p.KnobOf(o); ok {
		p.part.sums(idleKey + p.Text(o.Service) + "\x00" + k.Library).Lanes[0]++
	}
}

func (s *Sums) need(had bool) {
	s.Lanes[laneNeed]++
	if had {
		s.Lanes[laneNeed+1]++
	}
}

// window is the length of a fleet rule's window, in ns.
const window = int64(60e9)

// Add adds n to a lane of cell c in the window of time at (ns since the Unix
// epoch); a, unless nil, stands as an exemplar.
func (p *Pass) Add(c Cell, at int64, lane uint32, n int64, a *trace.Attempt) {
	w := cellWindow{c.key(), at - mod(at, window)}
	s := p.memo.windows[w]
	if s == nil {
		s = p.part.sums(fleetKey + itoa(w.at) + "\x00" + w.key)
		p.memo.windows[w] = s
	}
	s.Lanes[lane] += n
	if a != nil && s.takes(a.Call.Count(), a) {
		e := p.exemplar(Diagnostic{Call: a.Call, Cause: a, Attempts: a.Call.Count(), Ticks: a.Call.Attempts})
		s.keep(Case{Attempts: a.Call.Count(), Exemplar: e, Owner: p.owner(a.Call.Owner)})
	}
}

func mod(a, b int64) int64 { return ((a % b) + b) % b }
