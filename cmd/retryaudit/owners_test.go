package main

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	diff "github.com/google/go-cmp/cmp"

	"github.com/retryaudit/retryaudit/analyzer"
	"github.com/retryaudit/retryaudit/ingest/semconv"
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

// settingWords are the words by which the truth of a recording calls an owner,
// with those by which its library, or else its setting, must name it.
var settingWords = [][2]string{
	{"p-retry", "p-retry"}, {"axios-retry", "axios-retry"}, {"own loop", "retry loop"}, {"fallback", "retry loop"},
	{"openai", "openai"}, {"@anthropic-ai/sdk", "anthropic"}, {"Vercel AI SDK", "generateText"}, {"LangChain", "langchain"},
	{"withRetry", "withRetry"}, {"aws-sdk-go-v2", "aws-sdk-go-v2"}, {"retryPolicy", "retryPolicy"}, {"BullMQ", "bullmq"},
	{"Portkey", "portkey"}, {"Traefik", "traefik"}, {"HAProxy", "HAProxy"}, {"nginx", "nginx"},
}

// TestOwners holds the owners found in the recordings against the truth: for
// each owner that truly retried, its layer, its attempts and what it is, the
// one that was found, and whether its library names it or its setting does,
// perhaps among others. The whole stands in testdata/owners.txt.
func TestOwners(t *testing.T) {
	const golden = "testdata/owners.txt"
	var b strings.Builder
	all := recordings(t)
	left := maps.Clone(elsewhere)
	for _, path := range slices.Sorted(maps.Keys(all)) {
		name := filepath.Base(path)
		found := retrying(t, path)
		fmt.Fprintf(&b, "-- %s --\n", name)
		met := map[int]bool{}
		for _, want := range all[path].Owners {
			id := fmt.Sprint(name, " ", want.Layer, " ", want.Attempts)
			words, ok := layerWords[want.Layer]
			if !ok {
				t.Errorf("%s: no layer is known for the word", id)
			}
			fits := func(o analyzer.Owner) bool { return slices.Contains(words, o.Layer) && o.Attempts == want.Attempts }
			if instead, ok := left[id]; ok {
				delete(left, id)
				fits = func(o analyzer.Owner) bool { return fmt.Sprint(o.Layer, " ", o.Attempts) == instead }
			}
			fmt.Fprintf(&b, "%s %d, %s:\n", want.Layer, want.Attempts, want.What)
			any, how := false, ""
			for i, o := range found {
				if !fits(o) {
					continue
				}
				met[i], any = true, true
				how = cmp.Or(how, namedBy(o, want.What))
				fmt.Fprintf(&b, "  %s\n", describe(o))
			}
			if !any {
				t.Errorf("%s (%s): found %v", id, want.What, found)
			}
			if how == "" {
				t.Errorf("%s: neither library nor setting names %s", id, want.What)
			}
			fmt.Fprintf(&b, "  named by its %s\n", how)
		}
		for i, o := range found {
			if !met[i] {
				fmt.Fprintf(&b, "further: %s\n", describe(o))
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
	if d := diff.Diff(string(want), b.String()); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
}

func describe(o analyzer.Owner) string {
	return fmt.Sprintf("%s %d in %s: %s\n    %s", o.Layer, o.Attempts, cmp.Or(o.Service, "(unknown)"), cmp.Or(o.Library, "(unknown)"), o.Setting)
}

// namedBy returns what names an owner by the words of the truth: "library",
// "setting", or nothing.
func namedBy(o analyzer.Owner, what string) string {
	for _, w := range settingWords {
		if strings.Contains(what, w[0]) {
			if strings.Contains(strings.ToLower(o.Library), strings.ToLower(w[1])) {
				return "library"
			}
			if strings.Contains(o.Setting, w[1]) {
				return "setting"
			}
		}
	}
	return ""
}

// retrying returns the owners of a recording that made more than one attempt,
// as a report names them, each with the most it made of one call.
func retrying(t *testing.T, path string) []analyzer.Owner {
	t.Helper()
	suite := allRules(t)
	part := suite.Open(load(t, path))
	requests := suite.Requests(part)
	suite.Seal(part)
	owners := part.Owners()
	most := map[analyzer.Owner]int64{}
	for _, r := range requests {
		for c := range r.Calls() {
			if n := c.Count(); n > 1 {
				o := analyzer.Owner{
					Layer: c.Owner.Layer.String(), Service: r.Text(c.Owner.Service), Library: r.Text(c.Owner.Library), Operation: r.Text(c.Owner.Op),
				}
				owners.Resolve(&o)
				o = analyzer.Owner{Layer: o.Layer, Service: o.Service, Library: o.Library, Setting: o.Setting}
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
		return cmp.Or(cmp.Compare(a.Layer, b.Layer), cmp.Compare(a.Service, b.Service), cmp.Compare(a.Library, b.Library), cmp.Compare(a.Setting, b.Setting))
	})
	return all
}

// TestLibrariesHaveASetting holds that each library that a stack trace may name
// has a row that fits whatever owner it is named for.
func TestLibrariesHaveASetting(t *testing.T) {
	for _, name := range semconv.Libraries() {
		if k, ok := analyzer.KnobOf(analyzer.Owner{Library: name}); !ok || k.Layer != "" || strings.Contains(name, ",") {
			t.Errorf("%s: row %q, layer %q", name, k.Library, k.Layer)
		}
	}
}
