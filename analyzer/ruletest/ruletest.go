// Package ruletest runs the scenes of a rule in every way in which spans may
// arrive, and compares.
//
// The scenes of a rule stand in one txtar archive, in the notation of package
// tracetext: sections "bad NAME", in which each finding is expected by a want
// and each want is found, and sections "ok NAME", in which the rule stays
// silent. A rule has at least one of both.
//
// A want on a line is met by a finding that names a span of that line, whatever
// its role; a want for an edge by a finding with that owner and that upstream.
// An edge is named by service, layer, library or operation of an owner, and by
// service, address, operation or model of the upstream, or by service or address
// and operation with a dot between. Its text is that of the finding, which may
// be read with what it weighs before it: "possible warning: " and the text.
//
//	want coverage -> STATUS `regexp`
//
// is no finding: it says, in any section, that the rule ran, or was partial or
// blind, for that reason. Without such a line the coverage does not matter.
package ruletest

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	compared "github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/retryaudit/retryaudit/analyzer"
	"github.com/retryaudit/retryaudit/analyzer/assemble"
	"github.com/retryaudit/retryaudit/analyzer/trace"
	"github.com/retryaudit/retryaudit/analyzer/tracetext"
)

// Result is what a run has shown.
type Result struct {
	Failures []string
	// Crossed counts the requests whose spans came from more than one shard,
	// over all ways of cutting; over many scenes none means that no join of
	// shards was tested.
	Crossed int
}

// Run runs the archive at path with a rule of default options and reports each
// failure as an error of t.
func Run(t *testing.T, path string, rule analyzer.Rule) Result {
	t.Helper()
	archive, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	r := Check(path, archive, rule)
	for _, f := range r.Failures {
		t.Error(f)
	}
	return r
}

// Check runs an archive, which failures call name.
func Check(name string, archive []byte, rule analyzer.Rule) Result {
	var result Result
	fail := func(line int, format string, args ...any) {
		result.Failures = append(result.Failures, fmt.Sprintf("%s:%d: %s", name, line, fmt.Sprintf(format, args...)))
	}
	kinds, seen := map[string]int{}, map[string]bool{}
	a := txtar.Parse(archive)
	line := bytes.Count(a.Comment, []byte("\n"))
	for _, file := range a.Files {
		line++
		s := section{result: &result, name: file.Name, rule: rule, fail: func(at int, format string, args ...any) {
			fail(line+at, file.Name+": "+format, args...)
		}}
		kind, _, named := strings.Cut(file.Name, " ")
		switch {
		case kind != "bad" && kind != "ok" || !named:
			s.fail(0, `found this section, wanted "bad NAME" or "ok NAME"`)
		case seen[file.Name]:
			s.fail(0, "found this section twice, wanted it once")
		default:
			s.run(string(file.Data), kind == "bad")
		}
		kinds[kind]++
		seen[file.Name] = true
		line += bytes.Count(file.Data, []byte("\n"))
	}
	for _, kind := range []string{"bad", "ok"} {
		if kinds[kind] == 0 {
			fail(line, "found no section %q, wanted at least one", kind+" NAME")
		}
	}
	return result
}

// section is one scene under test.
type section struct {
	result *Result
	name   string
	rule   analyzer.Rule
	fail   func(line int, format string, args ...any)

	suite *analyzer.Suite
	store *trace.Store     // the spans as written
	alone *analyzer.Report // their report
	json  []byte
	of    map[trace.TraceID]int // the request of a trace
}

func (s *section) run(text string, bad bool) {
	scene, err := tracetext.Parse(text)
	if err != nil {
		s.fail(0, "%v", err)
		return
	}
	rule, err := configure(s.rule, scene.Options())
	if err != nil {
		s.fail(0, "%v", err)
		return
	}
	if s.suite, err = analyzer.NewSuite(rule); err != nil {
		s.fail(0, "%v", err)
		return
	}
	s.store = scene.Store()
	var wants, coverage []tracetext.Want
	for _, w := range scene.Wants() {
		if w.Edge && w.Owner == "coverage" {
			coverage = append(coverage, w)
		} else {
			wants = append(wants, w)
		}
	}
	switch {
	case len(s.store.Spans) == 0:
		s.fail(0, "found no span, wanted a trace")
		return
	case bad && len(wants) == 0:
		s.fail(0, "found no want, wanted one for each finding")
	case !bad && len(wants) > 0:
		s.fail(wants[0].Line, "found a want, wanted none in an ok section")
	}
	s.of = map[trace.TraceID]int{}
	for i, r := range s.suite.Requests(s.suite.Open(scene.Store())) {
		for _, t := range r.Traces {
			s.of[t] = i
		}
	}
	part := s.suite.Open(scene.Store())
	found := s.suite.Diagnose(part)
	s.alone = s.suite.Report(part)
	if s.json, err = json.Marshal(s.alone); err != nil {
		s.fail(0, "%v", err)
		return
	}
	s.match(wants, places(found, s.alone))
	for _, w := range coverage {
		s.covered(w)
	}

	s.shuffled()
	s.sharded()
	s.doubled()
	s.assembled()
}

// place is a finding and where it can be wanted.
type place struct {
	text     string
	weight   string // confidence and severity
	lines    []int
	owners   []analyzer.Owner
	upstream analyzer.Upstream
}

// places returns what request rules found, untrimmed, and those findings of
// the report that do not come from there: a fleet rule's.
func places(found []analyzer.Found, r *analyzer.Report) []place {
	var all []place
	same := func(f *analyzer.Finding) bool {
		return slices.ContainsFunc(found, func(x analyzer.Found) bool { return x.Text == f.Message && x.Upstream == f.Upstream })
	}
	for _, f := range found {
		level := f.Level
		if f.Conf == trace.Possible {
			level = min(level, analyzer.Warning) // as reports say it
		}
		all = append(all, place{f.Text, f.Conf.String() + " " + level.String(), lines(f.Spans), f.Owners, f.Upstream})
	}
	for i := range r.Findings {
		if f := &r.Findings[i]; !same(f) {
			p := place{text: f.Message, weight: f.Confidence + " " + f.Severity, owners: f.Owners, upstream: f.Upstream}
			for _, e := range f.Exemplars {
				p.lines = append(p.lines, lines(e.Spans)...)
			}
			all = append(all, p)
		}
	}
	return all
}

// lines returns the lines of spans, which are their IDs.
func lines(spans []analyzer.ExemplarSpan) []int {
	var all []int
	for _, s := range spans {
		var n int
		if _, err := fmt.Sscanf(s.SpanID, "%x", &n); err == nil {
			all = append(all, n)
		}
	}
	return all
}

// match fails for each want without a finding and each finding without a want.
func (s *section) match(wants []tracetext.Want, all []place) {
	met := make([]bool, len(all))
	for _, w := range wants {
		hit := false
		var near []string // what stands there with another text
		for i := range all {
			switch {
			case !all[i].at(w):
			case w.Text.MatchString(all[i].text), w.Text.MatchString(all[i].weight + ": " + all[i].text):
				hit, met[i] = true, true
			default:
				near = append(near, all[i].weight+": "+all[i].text)
			}
		}
		if !hit {
			s.fail(w.Line, "found %s there, wanted `%s`", quoteAll(near), w.Text)
		}
	}
	said := map[string]bool{} // copies of a trace say the same
	for i, p := range all {
		text := fmt.Sprintf("%q on lines %v, by %s at %s", p.text, p.lines, owners(p.owners), upstream(p.upstream))
		if !met[i] && !said[text] {
			at := 0
			if len(p.lines) > 0 {
				at = p.lines[len(p.lines)-1]
			}
			s.fail(at, "found %s, which nothing wants", text)
			said[text] = true
		}
	}
}

// covered fails where the rule's coverage is another one.
func (s *section) covered(w tracetext.Want) {
	for _, c := range s.alone.Coverage {
		if c.Status != w.Upstream || !w.Text.MatchString(c.Reason) {
			s.fail(w.Line, "found coverage %s for the reason %q, wanted %s `%s`", c.Status, c.Reason, w.Upstream, w.Text)
		}
	}
}

func quoteAll(texts []string) string {
	if len(texts) == 0 {
		return "nothing"
	}
	texts = slices.Compact(texts)
	return fmt.Sprintf("%q", texts)
}

func owners(all []analyzer.Owner) string {
	var texts []string
	for _, o := range all {
		texts = append(texts, strings.Join([]string{o.Layer, o.Service, o.Library, o.Operation}, "/"))
	}
	return strings.Join(texts, " ▸ ")
}

func upstream(u analyzer.Upstream) string {
	return strings.Join([]string{u.Service, u.Address, u.Operation, u.Model}, "/")
}

// at reports whether w may mean the finding.
func (p *place) at(w tracetext.Want) bool {
	if !w.Edge {
		return slices.Contains(p.lines, w.Line)
	}
	u := p.upstream
	if w.Upstream != "*" && !slices.Contains([]string{u.Service, u.Address, u.Operation, u.Model,
		u.Service + "." + u.Operation, u.Address + "." + u.Operation}, w.Upstream) {
		return false
	}
	return w.Owner == "*" || slices.ContainsFunc(p.owners, func(o analyzer.Owner) bool {
		return slices.Contains([]string{o.Layer, o.Service, o.Library, o.Operation}, w.Owner)
	})
}

// compare fails where a report differs from that of the spans as written.
func (s *section) compare(mode string, r *analyzer.Report) {
	b, err := json.Marshal(r)
	if err != nil {
		s.fail(0, "%s: %v", mode, err)
		return
	}
	if !bytes.Equal(b, s.json) {
		s.fail(0, "%s: found another report than of the spans in order (-in order +found):\n%s", mode, compared.Diff(s.alone, r))
	}
}

// report seals a part of its own for a store.
func (s *section) report(store *trace.Store) *analyzer.Report {
	part := s.suite.Open(store)
	s.suite.Seal(part)
	return s.suite.Report(part)
}

// pick returns a store of its own with some spans of store.
func pick(store *trace.Store, spans []trace.Span) *trace.Store {
	some := *store
	some.Spans = spans
	out := trace.NewStore()
	out.Merge(&some)
	return out
}

// How many orders are tried, and how many shards at most.
const (
	seeds     = 3
	maxShards = 5
)

func (s *section) shuffled() {
	for seed := range uint64(seeds) {
		r := rand.New(rand.NewPCG(seed, 1))
		spans := slices.Clone(s.store.Spans)
		r.Shuffle(len(spans), func(i, j int) { spans[i], spans[j] = spans[j], spans[i] })
		s.compare(fmt.Sprintf("shuffled by seed %d", seed), s.report(pick(s.store, spans)))
	}
}

// sharded cuts between any spans, at points of time, and between traces.
func (s *section) sharded() {
	byStart := slices.Clone(s.store.Spans)
	slices.SortStableFunc(byStart, func(a, b trace.Span) int { return cmp.Compare(a.Start, b.Start) })
	for n := 1; n <= maxShards; n++ {
		r := rand.New(rand.NewPCG(uint64(n), 2))
		shards := make([][]trace.Span, n)
		for _, span := range s.store.Spans {
			at := r.IntN(n)
			shards[at] = append(shards[at], span)
		}
		s.merged(fmt.Sprintf("%d shards of any spans", n), shards, r)

		shards = make([][]trace.Span, n)
		rest := byStart
		for i := range n - 1 {
			at := r.IntN(len(rest) + 1)
			shards[i], rest = rest[:at], rest[at:]
		}
		shards[n-1] = rest
		s.merged(fmt.Sprintf("%d shards by start", n), shards, r)

		shards = make([][]trace.Span, n)
		of := map[trace.TraceID]int{}
		for _, span := range s.store.Spans {
			at, ok := of[span.Trace]
			if !ok {
				at = r.IntN(n)
				of[span.Trace] = at
			}
			shards[at] = append(shards[at], span)
		}
		s.merged(fmt.Sprintf("%d shards of traces", n), shards, r)
	}
}

// merged compares the report of shards that travelled as bytes and were merged
// in random order and grouping.
func (s *section) merged(mode string, shards [][]trace.Span, r *rand.Rand) {
	at, crossed := map[int]int{}, map[int]bool{}
	for i, spans := range shards {
		for _, span := range spans {
			request := s.of[span.Trace]
			if first, ok := at[request]; ok && first != i {
				crossed[request] = true
			}
			at[request] = i
		}
	}
	s.result.Crossed += len(crossed)
	var stores []*trace.Store
	for _, spans := range shards {
		stores = append(stores, pick(s.store, spans))
	}
	report, err := s.join(stores, r)
	if err != nil {
		s.fail(0, "%s: %v", mode, err)
		return
	}
	s.compare(mode, report)
}

// join returns the report of stores that were opened as parts of their own.
func (s *section) join(stores []*trace.Store, r *rand.Rand) (*analyzer.Report, error) {
	var parts []*analyzer.Part
	for _, store := range stores {
		part, err := travel(s.suite.Open(store))
		if err != nil {
			return nil, err
		}
		parts = append(parts, part)
	}
	for len(parts) > 1 {
		r.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
		n := 2 + r.IntN(len(parts)-1)
		merged, err := s.suite.Merge(parts[:n]...)
		if err != nil {
			return nil, err
		}
		if r.IntN(3) == 0 {
			if merged, err = travel(merged); err != nil {
				return nil, err
			}
		}
		parts = append(parts[n:], merged)
	}
	s.suite.Seal(parts[0])
	return s.suite.Report(parts[0]), nil
}

// travel returns what a part is after it has been bytes.
func travel(p *analyzer.Part) (*analyzer.Part, error) {
	b, err := p.MarshalBinary()
	if err != nil {
		return nil, err
	}
	out := new(analyzer.Part)
	return out, out.UnmarshalBinary(b)
}

// doubled brings each span twice, within one shard and in another.
func (s *section) doubled() {
	n := int64(len(s.store.Spans))
	check := func(mode string, r *analyzer.Report) {
		if got, want := r.Stats.Spans, s.alone.Stats.Spans+n; got != want {
			s.fail(0, "%s: found %d spans in stats, wanted %d", mode, got, want)
		}
		if got, want := r.Stats.Duplicates, s.alone.Stats.Duplicates+n; got != want {
			s.fail(0, "%s: found %d duplicates in stats, wanted %d", mode, got, want)
		}
		r.Stats.Spans, r.Stats.Duplicates = s.alone.Stats.Spans, s.alone.Stats.Duplicates
		s.compare(mode, r)
	}
	twice := slices.Concat(s.store.Spans, s.store.Spans)
	check("each span twice", s.report(pick(s.store, twice)))

	copies := []*trace.Store{pick(s.store, s.store.Spans), pick(s.store, s.store.Spans)}
	r, err := s.join(copies, rand.New(rand.NewPCG(0, 3)))
	if err != nil {
		s.fail(0, "each span in two shards: %v", err)
		return
	}
	check("each span in two shards", r)
}

// assembled brings the spans one by one: handed out in one go, and as they
// become due in four steps, early ones without what comes late.
func (s *section) assembled() {
	for seed := range uint64(seeds) {
		r := rand.New(rand.NewPCG(seed, 4))
		order := r.Perm(len(s.store.Spans))
		a := assemble.New(assemble.Options{Quiet: time.Second})
		for now, i := range order {
			a.Add(int64(now), s.store, &s.store.Spans[i])
		}
		s.compare(fmt.Sprintf("assembled by seed %d", seed), s.report(a.Close()))

		step := 1 + len(order)/4
		a = assemble.New(assemble.Options{Quiet: 1, Patience: time.Duration(1 + step/2)})
		var stores []*trace.Store
		keep := func(out *trace.Store) {
			if out != nil {
				stores = append(stores, out)
			}
		}
		for now, i := range order {
			a.Add(int64(now), s.store, &s.store.Spans[i])
			if (now+1)%step == 0 {
				keep(a.Expire(int64(now + 1)))
			}
		}
		keep(a.Close())
		report, err := s.join(stores, r)
		if err != nil {
			s.fail(0, "assembled early by seed %d: %v", seed, err)
			return
		}
		s.compare(fmt.Sprintf("assembled early by seed %d", seed), report)
	}
}
