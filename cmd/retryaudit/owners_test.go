package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/retryaudit/retryaudit/analyzer"
	"github.com/retryaudit/retryaudit/analyzer/trace"
)

// layerWords are the layers that the truth of a recording may mean by a word.
var layerWords = map[string][]string{
	"agent application": {"agent"},
	"application":       {"agent", "app"},
	"chain":             {"sdk"},
	"client":            {"agent", "app", "sdk"},
	"client SDK":        {"sdk"},
	"gRPC channel":      {"sdk"},
	"gateway":           {"gateway", "proxy"},
	"model client":      {"sdk"},
	"proxy":             {"proxy"},
	"queue":             {"queue"},
	"tool client":       {"tool"},
}

// elsewhere names the owners that the spans do not tell, with what they tell
// instead. The list may only shrink.
var elsewhere = map[string]string{
	// One span for each attempt, below the caller's: a loop of its own would
	// leave the same.
	"grpc-retry-policy.pb gRPC channel 3": "app 3",
	// The HTTP spans of both loops stand on one level.
	"langchain-retries-in-chain-retry.jsonl model client 5": "sdk 10",
}

// TestOwners holds the owners found in the recordings, with the setting that
// changes each, against testdata/owners.txt, and their layers and attempts
// against the truth.
func TestOwners(t *testing.T) {
	const golden = "testdata/owners.txt"
	var b strings.Builder
	all := recordings(t)
	left := maps.Clone(elsewhere)
	for _, path := range slices.Sorted(maps.Keys(all)) {
		name := filepath.Base(path)
		owners := retrying(t, path)
		fmt.Fprintf(&b, "-- %s --\n", name)
		var found []string
		for _, o := range owners {
			fmt.Fprintf(&b, "%s %d: %s\n", o.Layer, o.Attempts, o.Library)
			if k, ok := analyzer.KnobOf(o); ok {
				fmt.Fprintf(&b, "  %s\n", k)
			}
			found = append(found, fmt.Sprint(o.Layer, " ", o.Attempts))
		}
		for _, want := range all[path].Owners {
			id := fmt.Sprint(name, " ", want.Layer, " ", want.Attempts)
			if instead, ok := left[id]; ok {
				delete(left, id)
				if !slices.Contains(found, instead) {
					t.Errorf("%s: the list says %s, found %q", id, instead, found)
				}
				continue
			}
			words, ok := layerWords[want.Layer]
			if !ok {
				t.Errorf("%s: no layer is known for the word", id)
			}
			if !slices.ContainsFunc(words, func(w string) bool { return slices.Contains(found, fmt.Sprint(w, " ", want.Attempts)) }) {
				t.Errorf("%s (%s): found %q", id, want.What, found)
			}
		}
	}
	for id := range left {
		t.Errorf("%s: in the list, but not in the recordings", id)
	}
	if *update {
		if err := os.WriteFile(golden, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), b.String()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// retrying returns the owners of a recording that made more than one attempt,
// each with the most it made of one call.
func retrying(t *testing.T, path string) []analyzer.Owner {
	t.Helper()
	most := map[analyzer.Owner]int64{}
	for r := range trace.Build(load(t, path), trace.Options{}).Requests() {
		for c := range r.Calls() {
			if n := c.Count(); n > 1 {
				o := analyzer.Owner{Layer: c.Owner.Layer.String(), Library: r.Text(c.Owner.Library)}
				most[o] = max(most[o], n)
			}
		}
	}
	var all []analyzer.Owner
	for o, n := range most {
		o.Attempts = n
		all = append(all, o)
	}
	slices.SortFunc(all, func(a, b analyzer.Owner) int {
		return strings.Compare(a.Layer+a.Library, b.Layer+b.Library)
	})
	return all
}
