package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/retryaudit/retryaudit/analyzer"
	"github.com/retryaudit/retryaudit/analyzer/trace"
)

// TestDeletedLayers takes the spans of one layer (a service's, a scope's, of a
// kind) out of each recording: no count may rise, and no finding may appear
// that the whole recording does not have, but for one that is possible only.
func TestDeletedLayers(t *testing.T) {
	suite := allRules(t)
	paths := []string{}
	for path := range recordings(t) {
		paths = append(paths, path)
	}
	const corpus = "../../../shared/corpus/real"
	if all, _ := filepath.Glob(corpus + "/*.truth.json"); len(all) > 0 {
		for _, truth := range all {
			found, _ := filepath.Glob(strings.TrimSuffix(truth, ".truth.json") + ".*")
			for _, path := range found {
				if _, err := os.Stat("../../testdata/real/" + filepath.Base(path)); err != nil && path != truth {
					paths = append(paths, path)
				}
			}
		}
	}
	deleted := 0
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			store := load(t, path)
			whole := seal(t, suite, suite.Open(store))
			for _, layer := range layersOf(store) {
				rest := trace.NewStore()
				for i := range store.Spans {
					if layerOf(store, &store.Spans[i]) != layer {
						rest.Take(store, &store.Spans[i])
					}
				}
				if len(rest.Spans) == 0 {
					continue
				}
				deleted++
				compareLess(t, layer, whole, seal(t, suite, suite.Open(rest)))
			}
		})
	}
	if deleted < 2*len(paths) {
		t.Errorf("%d layers of %d recordings were deleted; want more, or the test proves nothing", deleted, len(paths))
	}
}

func compareLess(t *testing.T, layer string, whole, less *analyzer.Report) {
	t.Helper()
	if most := whole.Stats.Amplification.Max; less.Stats.Amplification.Max > most {
		t.Errorf("without %s: %d attempts of one logical request, with them %d", layer, less.Stats.Amplification.Max, whole.Stats.Amplification.Max)
	}
	for _, row := range less.Upstreams {
		for _, was := range whole.Upstreams {
			if row.Upstream == was.Upstream && row.Attempts > was.Attempts {
				t.Errorf("without %s: %d attempts at %v, with them %d", layer, row.Attempts, row.Upstream, was.Attempts)
			}
		}
	}
	for _, f := range less.Findings {
		if f.Confidence == "possible" && f.Severity != "error" {
			continue // what would tell was deleted
		}
		if f.Rule == "unattributed-retries" {
			continue // it says what became hidden
		}
		if !slices.ContainsFunc(whole.Findings, func(w analyzer.Finding) bool { return w.Rule == f.Rule && w.Attempts >= f.Attempts }) {
			t.Errorf("without %s: %s %s (%s), %d attempts: %s", layer, f.Severity, f.Rule, f.Confidence, f.Attempts, f.Message)
		}
	}
}

func layerOf(store *trace.Store, s *trace.Span) string {
	return store.Text(s.Service) + "|" + store.Text(s.Scope) + "|" + fmt.Sprint(s.Kind)
}

func layersOf(store *trace.Store) []string {
	var layers []string
	for i := range store.Spans {
		layers = append(layers, layerOf(store, &store.Spans[i]))
	}
	slices.Sort(layers)
	return slices.Compact(layers)
}
