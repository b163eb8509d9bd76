package analyzer

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/retryaudit/retryaudit/analyzer/trace"
)

// Suite is a set of configured rules, checked once and shared by all workers.
type Suite struct {
	rules    []Rule
	off      []string // IDs of rules that the settings turn off
	settings Settings
	id       [32]byte
}

// NewSuite returns a suite of rules; it fails on two rules of one ID and on a
// rule that is neither a RequestRule nor a FleetRule.
func NewSuite(rules ...Rule) (*Suite, error) {
	s := &Suite{rules: slices.Clone(rules)}
	slices.SortFunc(s.rules, func(a, b Rule) int { return cmp.Compare(a.About().ID, b.About().ID) })
	h := sha256.New()
	fmt.Fprintf(h, "%s\n", partVersion)
	for i, r := range s.rules {
		about := r.About()
		if i > 0 && s.rules[i-1].About().ID == about.ID {
			return nil, fmt.Errorf("rule %q: found twice, want each once", about.ID)
		}
		_, request := r.(RequestRule)
		_, fleet := r.(FleetRule)
		if !request && !fleet {
			return nil, fmt.Errorf("rule %q: has neither Check nor Observe and Judge", about.ID)
		}
		fmt.Fprintf(h, "%s %+v\n", about.ID, r)
	}
	h.Sum(s.id[:0])
	return s, nil
}

// Rules returns the rules in order of their IDs.
func (s *Suite) Rules() []Rule { return slices.Clone(s.rules) }

// Open returns a part that holds the spans of store, none of them judged yet.
// The store must not be changed afterwards.
func (s *Suite) Open(store *trace.Store, inputs ...Input) *Part {
	return &Part{suite: s.id, open: store, inputs: slices.Clone(inputs), cells: map[string]*Sums{}}
}

// Fits returns an error where a part was made by another suite.
func (s *Suite) Fits(p *Part) error {
	if p.suite != s.id {
		return errors.New("the part was made with other rules, options, another policy or version")
	}
	return nil
}

// Merge returns a part with all that the parts hold. It fails where a part was
// made by another suite. The parts must not be used afterwards.
func (s *Suite) Merge(parts ...*Part) (*Part, error) {
	all := s.Open(trace.NewStore())
	for i, p := range parts {
		if err := s.Fits(p); err != nil {
			return nil, err
		}
		if i == 0 {
			all.open = p.open
		} else {
			all.open.Merge(p.open)
		}
		all.inputs = append(all.inputs, p.inputs...)
		for key, sums := range p.cells {
			all.sums(key).add(sums)
		}
	}
	return all, nil
}

// Seal judges all spans of p as whole requests: at the end of the input.
func (s *Suite) Seal(p *Part) {
	s.judge(p, nil)
}

// Found is one diagnostic of a request, untrimmed.
type Found struct {
	Rule     string
	Level    Grade
	Conf     trace.Confidence
	Text     string
	Owners   []Owner
	Upstream Upstream
	Spans    []ExemplarSpan
}

// Diagnose seals p and yields all that the request rules found, where a report
// keeps the worst three of each edge.
func (s *Suite) Diagnose(p *Part) []Found {
	var all []Found
	s.judge(p, func(f Found) { all = append(all, f) })
	return all
}

func (s *Suite) judge(p *Part, found func(Found)) {
	// Build works on a copy in order: nothing here may keep the spans as read.
	open := p.open
	p.open = trace.NewStore()
	spans := int64(len(open.Spans))
	g := trace.Build(open, s.options())
	memo := newMemo()
	o := observer{part: p, settings: &s.settings, memo: memo}
	o.opened(g, spans)
	for r := range g.Requests() {
		o.request(r)
		for _, rule := range s.rules {
			pass := &Pass{Request: r, rule: s.about(rule), settings: &s.settings, part: p, found: found, memo: memo}
			if request, ok := rule.(RequestRule); ok {
				request.Check(pass)
			}
			if fleet, ok := rule.(FleetRule); ok {
				fleet.Observe(pass)
			}
		}
	}
}

// Requests returns the requests of the open spans of p in their order of
// report, without judging them.
func (s *Suite) Requests(p *Part) []*trace.Request {
	return slices.Collect(trace.Build(p.open, s.options()).Requests())
}

// windows yields the sums of a fleet cell in order of time.
func windows(at map[int64]*Sums) iter.Seq2[int64, *Sums] {
	return func(yield func(int64, *Sums) bool) {
		for _, t := range sortedKeys(at) {
			if !yield(t, at[t]) {
				return
			}
		}
	}
}

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K {
	keys := make([]K, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
