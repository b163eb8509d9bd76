package analyzer_test

import (
	"fmt"
	"iter"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/retryaudit/retryaudit/analyzer"
	"github.com/retryaudit/retryaudit/analyzer/trace"
	"github.com/retryaudit/retryaudit/analyzer/tracetext"
)

// share is a fleet rule: it reports upstreams where more than half of the
// attempts are retries.
type share struct{}

func (share) About() analyzer.About {
	return analyzer.About{ID: "share", Title: "many retries", Concern: analyzer.Who, Severity: analyzer.Warning, Since: "0.1"}
}

func (share) Observe(p *analyzer.Pass) {
	for c := range p.Request.Calls() {
		cell := p.Cell(c.Upstream, c.Owner)
		for i, a := range c.Attempts {
			p.Add(cell, a.Start, 0, 1, nil)
			if i > 0 {
				p.Add(cell, a.Start, 1, 1, a)
			}
		}
	}
}

func (share) Judge(c analyzer.Cell, windows iter.Seq2[int64, *analyzer.Sums], j *analyzer.Judging) {
	for at, s := range windows {
		if 2*s.Lanes[1] > s.Lanes[0] {
			j.Report(analyzer.Conclusion{
				Attempts: s.Lanes[0], Occurrences: s.Lanes[1], Worst: s.Worst,
				Text: fmt.Sprintf("%d of %d are retries in minute %d", s.Lanes[1], s.Lanes[0], (at-tracetext.Epoch)/60e9),
			})
		}
	}
}

const twoMinutes = `
0+3000      app: work                ok
  10+100      -> up GET /a           503
  300+100     -> up GET /a           503
  900+100     -> up GET /a           200

60000+3000  app: work                ok
  60010+100   -> up GET /a           503
  60300+100   -> up GET /a           200
`

func store(t *testing.T, text string) *trace.Store {
	t.Helper()
	scene, err := tracetext.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return scene.Store()
}

func suite(t *testing.T, rules ...analyzer.Rule) *analyzer.Suite {
	t.Helper()
	s, err := analyzer.NewSuite(rules...)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestFleetRulesJudgeWindowsInOrder(t *testing.T) {
	s := suite(t, share{})
	p := s.Open(store(t, twoMinutes))
	s.Seal(p)
	r := s.Report(p)
	var got []string
	for _, f := range r.Findings {
		got = append(got, fmt.Sprintf("%s %s: %s, worst of %d", f.Rule, f.Severity, f.Message, f.Exemplars[0].Attempts))
	}
	want := []string{"share warning: 2 of 3 are retries in minute 0, worst of 3"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestSealedPartsAdd seals two halves apart and together: whole requests add
// up to the same report.
func TestSealedPartsAdd(t *testing.T) {
	s := suite(t, share{})
	first, second, _ := strings.Cut(strings.TrimLeft(twoMinutes, "\n"), "\n\n")
	half := func(text string, trace byte) *analyzer.Part {
		st := store(t, text)
		for i := range st.Spans {
			st.Spans[i].Trace[0] = trace
		}
		p := s.Open(st)
		s.Seal(p)
		b, err := p.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		again := new(analyzer.Part)
		if err := again.UnmarshalBinary(b); err != nil {
			t.Fatal(err)
		}
		return again
	}
	report := func(parts ...*analyzer.Part) *analyzer.Report {
		p, err := s.Merge(parts...)
		if err != nil {
			t.Fatal(err)
		}
		s.Seal(p)
		return s.Report(p)
	}
	forth := report(half(first, 1), half(second, 2))
	back := report(half(second, 2), half(first, 1))
	if diff := cmp.Diff(forth, back); diff != "" {
		t.Errorf("order of parts changes the report:\n%s", diff)
	}
	if forth.Stats.Attempts != 5 || forth.Stats.Calls != 2 || forth.Stats.Retries != 3 {
		t.Errorf("got %+v, want 5 attempts of 2 calls", forth.Stats)
	}
	if diff := cmp.Diff(map[string]int64{"2": 1, "3": 1}, forth.Upstreams[0].AttemptsPerCall); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(map[string]int64{"1": 1, "2": 1}, forth.Stats.HealedByOrdinal); diff != "" {
		t.Error(diff)
	}
}

func TestPartsOfOtherSuitesDoNotMerge(t *testing.T) {
	a, b := suite(t, share{}), suite(t)
	if _, err := a.Merge(b.Open(trace.NewStore())); err == nil {
		t.Error("merged a part that was made with other rules")
	}
	if _, err := analyzer.NewSuite(share{}, share{}); err == nil {
		t.Error("took a rule twice")
	}
}

// FuzzPart decodes anything: an error or a part, never a panic.
func FuzzPart(f *testing.F) {
	s, err := analyzer.NewSuite(share{})
	if err != nil {
		f.Fatal(err)
	}
	scene, err := tracetext.Parse(twoMinutes)
	if err != nil {
		f.Fatal(err)
	}
	b, err := s.Open(scene.Store(), analyzer.Input{Path: "a"}).MarshalBinary()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	f.Add(b[:len(b)/2])
	f.Add([]byte("retryaudit.part/v1\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		p := new(analyzer.Part)
		if p.UnmarshalBinary(b) != nil {
			return
		}
		all, err := s.Merge(p)
		if err != nil {
			return
		}
		s.Seal(all)
		s.Report(all)
	})
}
