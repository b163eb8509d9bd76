package analyzer

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/retryaudit/retryaudit/analyzer/trace"
)

// Judging is where a fleet rule says what it concludes of a cell.
type Judging struct {
	// Stats sums up all that was read.
	Stats Stats

	about    About
	cell     Cell
	findings []Finding
	needs    *needs
}

// needs is what a rule lacked: per fact how often it needed it and had it, and
// in how many cells there was enough to judge.
type needs struct {
	facts         map[Fact]*Sums
	cells, enough int64
}

func (n *needs) of(f Fact) *Sums {
	if n.facts[f] == nil {
		n.facts[f] = &Sums{Lanes: map[uint32]int64{}}
	}
	return n.facts[f]
}

// Need counts an opportunity of the rule to judge: had says whether the data
// held the fact that it needs.
func (j *Judging) Need(f Fact, had bool) { j.needs.of(f).need(had) }

// Enough says whether the cell held enough to judge at all. A rule that found
// enough in no cell is blind.
func (j *Judging) Enough(ok bool) {
	j.needs.cells++
	if ok {
		j.needs.enough++
	}
}

// Conclusion is what a fleet rule found in one cell.
type Conclusion struct {
	Level       Grade // Off takes the rule's severity
	Conf        trace.Confidence
	Attempts    int64
	Occurrences int64
	Callers     int64
	Probability float64
	Worst       []Case
	Text        string
}

// Report makes a finding of a conclusion.
func (j *Judging) Report(c Conclusion) {
	f := newFinding(j.about, j.cell)
	if j.about.fixed {
		c.Level = j.about.Severity
		if c.Conf == trace.Possible {
			c.Level = min(c.Level, Warning) // what is no more than possible is no error
		}
	}
	f.Severity = cmp.Or(c.Level, j.about.Severity).String()
	f.Confidence = cmp.Or(c.Conf, trace.Certain).String()
	f.Message, f.Attempts, f.Occurrences, f.Callers, f.Probability = c.Text, c.Attempts, c.Occurrences, c.Callers, c.Probability
	for i, w := range c.Worst {
		f.Exemplars = append(f.Exemplars, w.Exemplar)
		if i == 0 && len(f.Owners) == 1 && f.Owners[0] == (Owner{Service: w.Owner.Service}) {
			// The cell is a client's as a whole; the worst case shows by what it retries.
			f.Owners[0] = w.Owner
			f.Owners[0].Setting = Setting(w.Owner)
		}
	}
	j.findings = append(j.findings, f)
}

// Report judges the sums of a sealed part.
func (s *Suite) Report(p *Part) *Report {
	r := &Report{
		Schema: Schema, Tool: Tool{Name: "retryaudit"}, Inputs: mergeInputs(p.inputs), Findings: []Finding{}, Incidents: []Incident{},
		Coverage: []Coverage{}, UnknownCodes: []UnknownCode{}, Upstreams: []UpstreamRow{},
	}
	about, rules := map[string]About{}, map[string]Rule{}
	for _, rule := range s.rules {
		about[rule.About().ID], rules[rule.About().ID] = s.about(rule), rule
	}
	fleet := map[string]map[int64]*Sums{}
	lacks := map[string]*needs{}
	for id := range about {
		lacks[id] = &needs{facts: map[Fact]*Sums{}}
	}
	for _, key := range sortedKeys(p.cells) {
		sums := p.cells[key]
		kind, rest, _ := strings.Cut(key, "\x00")
		switch kind {
		case "#stats":
			r.Stats = statsOf(sums)
			s.settings.name(&r.Stats.Wasted)
		case "#upstream":
			r.Upstreams = append(r.Upstreams, rowOf(rest, sums, p.cells[secondsKey+rest]))
		case "#unknown":
			provider, code, _ := strings.Cut(rest, "\x00")
			r.UnknownCodes = append(r.UnknownCodes, UnknownCode{Provider: provider, Code: code, Count: sums.Lanes[0]})
		case "#need":
			rule, fact, _ := strings.Cut(rest, "\x00")
			if n := lacks[rule]; n != nil {
				n.facts[Fact(fact)] = &Sums{Lanes: maps.Clone(sums.Lanes)}
			}
		case "#fleet":
			var at int64
			when, cell, _ := strings.Cut(rest, "\x00")
			fmt.Sscan(when, &at)
			if fleet[cell] == nil {
				fleet[cell] = map[int64]*Sums{}
			}
			fleet[cell][at] = sums
		case "#seconds", "#idle", "#library", "#client":
		default:
			cell := cellOf(key)
			if a, ok := about[cell.Rule]; ok {
				r.Findings = append(r.Findings, findingOf(a, cell, sums))
			}
		}
	}
	for _, key := range sortedKeys(fleet) {
		cell := cellOf(key)
		for _, rule := range s.rules {
			if f, ok := rule.(FleetRule); ok && rule.About().ID == cell.Rule {
				j := &Judging{Stats: r.Stats, about: s.about(rule), cell: cell, needs: lacks[cell.Rule]}
				f.Judge(cell, windows(fleet[key]), j)
				r.Findings = append(r.Findings, j.findings...)
			}
		}
	}
	found := map[string]bool{}
	all, owners := r.Findings, p.Owners()
	r.Findings = all[:0]
	for _, f := range all {
		if s.finish(owners, rules[f.Rule], &f) {
			r.Findings = append(r.Findings, f)
			found[f.Rule] = true
		}
	}
	for _, rule := range s.rules {
		id := rule.About().ID
		r.Coverage = append(r.Coverage, cover(id, r.Stats, lacks[id], found[id]))
	}
	for _, id := range s.off {
		r.Coverage = append(r.Coverage, Coverage{Rule: id, Status: "off", Needs: []string{}, Add: []string{}, Reason: "the policy turns it off"})
	}
	slices.SortFunc(r.Coverage, func(a, b Coverage) int { return cmp.Compare(a.Rule, b.Rule) })
	order(r)
	return r
}

// order puts the worst first.
func order(r *Report) {
	grade := func(f *Finding) int { return slices.Index([]string{"error", "warning", "info"}, f.Severity) }
	conf := func(f *Finding) int { return slices.Index([]string{"certain", "likely", "possible"}, f.Confidence) }
	slices.SortFunc(r.Findings, func(a, b Finding) int {
		return cmp.Or(
			cmp.Compare(grade(&a), grade(&b)), cmp.Compare(conf(&a), conf(&b)), cmp.Compare(b.Attempts, a.Attempts),
			cmp.Compare(b.Occurrences, a.Occurrences), cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.Fingerprint, b.Fingerprint),
			cmp.Compare(a.Message, b.Message),
		)
	})
	slices.SortFunc(r.Upstreams, func(a, b UpstreamRow) int {
		x, y := a.Upstream, b.Upstream
		return cmp.Or(cmp.Compare(b.Attempts, a.Attempts), cmp.Compare(x.Service, y.Service),
			cmp.Compare(x.Address, y.Address), cmp.Compare(x.Operation, y.Operation))
	})
	slices.SortFunc(r.UnknownCodes, func(a, b UnknownCode) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Provider, b.Provider), cmp.Compare(a.Code, b.Code))
	})
}

// mergeInputs joins the rows of one path: shards of a file carry one each.
func mergeInputs(inputs []Input) []Input {
	out := []Input{}
	at := map[string]int{}
	for _, in := range inputs {
		in.Problems = slices.Clone(in.Problems)
		i, ok := at[in.Path]
		if !ok {
			at[in.Path] = len(out)
			out = append(out, in)
			continue
		}
		out[i].Spans += in.Spans
		out[i].Traces += in.Traces
		out[i].Problems = append(out[i].Problems, in.Problems...)
		skipped := map[string]int64{}
		for _, m := range []map[string]int64{out[i].Skipped, in.Skipped} {
			for k, n := range m {
				skipped[k] += n
			}
		}
		out[i].Skipped = skipped
	}
	for i := range out {
		if out[i].Problems == nil {
			out[i].Problems = []Problem{}
		}
	}
	slices.SortStableFunc(out, func(a, b Input) int { return cmp.Compare(a.Path, b.Path) })
	return out
}

func newFinding(a About, c Cell) Finding {
	f := Finding{
		Rule: a.ID, Class: string(a.Concern), Owners: slices.Clone(c.Owners), Upstream: c.Upstream,
		WaitsMS: []int64{}, Exemplars: []Exemplar{},
	}
	h := sha256.Sum256([]byte(c.key()))
	f.Fingerprint = hex.EncodeToString(h[:8])
	f.TraceQL = traceQL(c)
	for i := range f.Owners {
		f.Owners[i].Setting = Setting(f.Owners[i])
	}
	return f
}

// finish completes a finding with what only the sums of all requests tell; it
// returns false where they refute it.
func (s *Suite) finish(owners *Owners, r Rule, f *Finding) bool {
	s.settings.name(&f.Wasted)
	keep, first := -1, len(s.settings.Owners)
	for i := len(f.Owners) - 1; i >= 0; i-- { // of two by one setting the one closest to the upstream stays
		o := &f.Owners[i]
		// A policy may name an owner as spans do or as reports do.
		place := s.settings.keeps(*o, f.Upstream)
		if o.DeclaredMax == 0 {
			o.PolicyMax = s.settings.maxAttempts(*o, f.Upstream)
		}
		owners.Resolve(o)
		if place = min(place, s.settings.keeps(*o, f.Upstream)); place < first {
			keep, first = i, place
		}
	}
	if keep >= 0 && len(f.Owners) > 1 {
		f.Owners[keep].Keep = true
	}
	if a, ok := r.(Finisher); ok {
		return a.Finish(f)
	}
	return true
}

// findingOf reads a request rule's cell.
func findingOf(a About, c Cell, s *Sums) Finding {
	f := newFinding(a, c)
	grade, conf := Grade(highest(s, laneGrade)), trace.Confidence(highest(s, laneConf))
	if conf == trace.Possible {
		grade = min(grade, Warning) // what is no more than possible is no error
	}
	f.Severity, f.Confidence = grade.String(), conf.String()
	f.Occurrences = s.Lanes[laneOccurrences]
	f.Wasted = Waste{
		Attempts: s.Lanes[laneWastedAttempts], Seconds: float64(s.Lanes[laneWastedMS]) / 1000,
		InputTokens: s.Lanes[laneWastedIn], OutputTokens: s.Lanes[laneWastedOut],
		CostMicros: s.Lanes[laneWastedCost],
	}
	for lane, n := range s.Lanes {
		if n == 0 {
			continue
		}
		owner, count := int(lane>>16&0xff), int64(lane&0xffff)
		if owner >= len(f.Owners) {
			continue
		}
		switch lane &^ 0xffffff {
		case laneOwner:
			f.Owners[owner].Attempts = max(f.Owners[owner].Attempts, count)
		case laneMax:
			f.Owners[owner].DeclaredMax = max(f.Owners[owner].DeclaredMax, count)
		}
	}
	if len(s.Worst) == 0 {
		return f
	}
	w := s.Worst[0]
	f.Message, f.Attempts, f.AskedMS = w.Message, w.Attempts, w.AskedMS
	f.WaitsMS = append(f.WaitsMS, w.WaitsMS...)
	f.Amplification = Factor{Observed: w.Attempts, Latent: w.Latent}
	for i := range f.Owners {
		if i < len(w.Known) {
			f.Owners[i].Known = w.Known[i]
		}
	}
	for _, c := range s.Worst {
		f.Exemplars = append(f.Exemplars, c.Exemplar)
	}
	return f
}

// highest returns the highest value counted in a histogram.
func highest(s *Sums, base uint32) uint32 {
	top := uint32(0)
	for lane, n := range s.Lanes {
		if lane&^0xffffff == base && n != 0 {
			top = max(top, lane&0xffffff)
		}
	}
	return top
}

// statsOf reads the engine's own sums.
func statsOf(s *Sums) Stats {
	l := s.Lanes
	out := Stats{
		Spans: l[laneSpans], Duplicates: l[laneDuplicates], Traces: l[laneTraces], Requests: l[laneRequests],
		FailedRequests: l[laneFailed], SampledRequests: l[laneSampled], Calls: l[laneCalls], Attempts: l[laneTries], Retries: l[laneRetries], HiddenAttempts: l[laneHidden],
		HealedByOrdinal: map[string]int64{},
		Wasted: Waste{
			Attempts: l[laneWasteTries], Seconds: float64(l[laneWasteMS]) / 1000, InputTokens: l[laneWasteIn], OutputTokens: l[laneWasteOut],
			CostMicros: l[laneWasteCost],
		},
	}
	if out.Attempts > 0 {
		out.RetryRatio = float64(out.Retries) / float64(out.Attempts)
	}
	sizes := map[int64]int64{}
	for lane, n := range l {
		switch lane &^ 0xffffff {
		case laneHealed:
			out.HealedByOrdinal[itoa(int64(lane&0xffffff))] += n
		case laneSize:
			sizes[int64(lane&0xffffff)] += n
		}
	}
	out.Amplification = Amplification{P50: quantile(sizes, out.Calls, 0.5), P95: quantile(sizes, out.Calls, 0.95), Max: quantile(sizes, out.Calls, 1)}
	return out
}

// quantile returns the smallest value that at least a share q of all n do not exceed.
func quantile(counts map[int64]int64, n int64, q float64) int64 {
	seen, value := int64(0), int64(0)
	for _, value = range sortedKeys(counts) {
		seen += counts[value]
		if float64(seen) >= q*float64(n) {
			break
		}
	}
	return value
}

func rowOf(key string, s, seconds *Sums) UpstreamRow {
	parts := strings.SplitN(key, "\x00", 3)
	for len(parts) < 3 {
		parts = append(parts, "")
	}
	row := UpstreamRow{
		Upstream: Upstream{Service: parts[0], Address: parts[1], Operation: parts[2]},
		Calls:    s.Lanes[laneCalls], Attempts: s.Lanes[laneTries], Retries: s.Lanes[laneRetries],
		AttemptsPerCall: map[string]int64{}, Throttled: s.Lanes[laneThrottled], Stopped: s.Lanes[laneStopped],
		LowerBound: s.Lanes[laneBeyond] > 0,
	}
	for lane, n := range s.Lanes {
		if lane&^0xffffff == laneSize {
			row.AttemptsPerCall[itoa(int64(lane&0xffffff))] += n
		}
	}
	if seconds != nil {
		for _, n := range seconds.Lanes {
			row.PeakBucket = max(row.PeakBucket, n)
		}
	}
	return row
}

// cover says whether a rule could judge the data. One that found something was
// not blind.
func cover(rule string, stats Stats, n *needs, found bool) Coverage {
	c := Coverage{Rule: rule, Status: "ran", Needs: []string{}, Add: []string{}}
	if stats.Attempts == 0 {
		c.lacks(CallSpans)
		c.Status, c.Reason = "blind", "no span asks anything of another service, a model or a tool"
		return c
	}
	reasons := []string{}
	for _, fact := range sortedKeys(n.facts) {
		all, had := n.facts[fact].Lanes[laneNeed], n.facts[fact].Lanes[laneNeed+1]
		if had == all {
			continue
		}
		c.lacks(fact)
		reasons = append(reasons, fmt.Sprintf("%d of %d lack %s", all-had, all, fact))
		switch {
		case had == 0 && !fact.biases():
			c.Status = "blind"
		case c.Status == "ran":
			c.Status = "partial"
		}
	}
	if n.cells > 0 && n.enough == 0 {
		c.lacks(Traffic)
		reasons = append(reasons, "too little to judge at any upstream")
		c.Status = "blind"
	}
	if c.Status == "blind" && found {
		c.Status = "partial"
	}
	c.Reason = strings.Join(reasons, "; ")
	return c
}

// lacks notes a fact that the data lack.
func (c *Coverage) lacks(f Fact) {
	r := f.Remedy()
	c.Needs = append(c.Needs, cmp.Or(r.Attribute, string(f)))
	c.Add = append(c.Add, r.Line)
}

// traceQL finds more traces with the same edge.
func traceQL(c Cell) string {
	var parts []string
	quote := func(s string) string { return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"` }
	for _, o := range c.Owners {
		if o.Service != "" && o.Operation != "" { // others have no span of their own
			parts = append(parts, fmt.Sprintf("{ resource.service.name = %s && name = %s }", quote(o.Service), quote(o.Operation)))
		}
	}
	if c.Upstream.Service != "" {
		parts = append(parts, fmt.Sprintf("{ resource.service.name = %s && kind = server }", quote(c.Upstream.Service)))
	} else {
		parts = append(parts, "{ kind = client }")
	}
	return strings.Join(parts, " >> ")
}
