package main

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"github.com/retryaudit/retryaudit/analyzer"
	"github.com/retryaudit/retryaudit/analyzer/trace"
)

// TestLostSpans keeps a share of the spans of each recording, drawn one by one,
// as an exporter does whose queue is full: no count may rise, and no finding may
// be an error that the whole recording does not have.
func TestLostSpans(t *testing.T) {
	suite := allRules(t)
	left := maps.Clone(risen)
	for _, path := range slices.Sorted(maps.Keys(recordings(t))) {
		store := load(t, path)
		whole := seal(t, suite, suite.Open(store))
		for _, share := range []int{90, 70, 50} {
			for seed := range uint64(5) {
				id := fmt.Sprintf("%s %d %d", filepath.Base(path), share, seed)
				rng := rand.New(rand.NewPCG(seed, uint64(share)))
				kept := trace.NewStore()
				for i := range store.Spans {
					if rng.IntN(100) < share {
						kept.Take(store, &store.Spans[i])
					}
				}
				what := worseThan(whole, seal(t, suite, suite.Open(kept)))
				if want, ok := left[id]; ok {
					if delete(left, id); what != want {
						t.Errorf("%s: %q, the list says %q", id, what, want)
					}
				} else if what != "" {
					t.Errorf("%s: %s", id, what)
				}
			}
		}
	}
	if len(left) > 0 {
		t.Errorf("the list names what was not tried: %v", left)
	}
}

// risen are the draws that count too much, and what. The list may only shrink.
var risen = map[string]string{
	// Two SDK calls at a time, and neither traceparent nor an ID behind their
	// clients: the servers of a client that is missing go to one of the others.
	"anthropic-haproxy-double-traceparent.jsonl 90 1": "10 attempts of one logical request, of 9",
}

// worseThan says what a report claims beyond that of the whole recording.
func worseThan(whole, part *analyzer.Report) string {
	if most := whole.Stats.Amplification.Max; part.Stats.Amplification.Max > most {
		return fmt.Sprintf("%d attempts of one logical request, of %d", part.Stats.Amplification.Max, most)
	}
	for _, row := range part.Upstreams {
		for _, was := range whole.Upstreams {
			if row.Upstream == was.Upstream && row.Attempts > was.Attempts {
				return fmt.Sprintf("%d attempts at %s, of %d", row.Attempts, row.Upstream.Service+row.Upstream.Address, was.Attempts)
			}
		}
	}
	for _, f := range part.Findings {
		if f.Severity == "error" && !slices.ContainsFunc(whole.Findings, func(w analyzer.Finding) bool { return w.Rule == f.Rule && w.Severity == "error" }) {
			return fmt.Sprintf("%s %s (%s)", f.Severity, f.Rule, f.Confidence)
		}
	}
	return ""
}
