package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/retryaudit/retryaudit/analyzer"
	"github.com/retryaudit/retryaudit/analyzer/report"
	"github.com/retryaudit/retryaudit/analyzer/report/reporttest"
	"github.com/retryaudit/retryaudit/analyzer/trace"
	"github.com/retryaudit/retryaudit/ingest"
	"github.com/retryaudit/retryaudit/ingest/record"
	"github.com/retryaudit/retryaudit/ingest/semconv"
	"github.com/retryaudit/retryaudit/rules"
)

// truth is what the provider itself counted while a recording was made.
type truth struct {
	Spans  int64
	Traces int64
	Counts map[string]int64 `json:"attempts_per_logical_request_histogram"`
	Owners []struct {
		Layer, What string
		Attempts    int64
	}
	Expected []string
	MustNot  []string `json:"must_not"`
	Hidden   []string `json:"true_but_not_visible_in_trace"`
}

// recordings yields the shipped recordings with what is true of them.
func recordings(t *testing.T) map[string]truth {
	t.Helper()
	all := map[string]truth{}
	files, err := filepath.Glob("../../testdata/real/*.truth.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no recordings: %v", err)
	}
	for _, path := range files {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var want truth
		if err := json.Unmarshal(b, &want); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		stem := strings.TrimSuffix(path, ".truth.json")
		found, _ := filepath.Glob(stem + ".*")
		found = slices.DeleteFunc(found, func(p string) bool { return p == path })
		if len(found) != 1 {
			t.Fatalf("%s: found %q, want one recording", path, found)
		}
		all[found[0]] = want
	}
	return all
}

// load reads a recording into a store.
func load(t *testing.T, path string) *trace.Store {
	t.Helper()
	return loadChanged(t, path, func(*record.Span) bool { return true })
}

// loadChanged reads a recording with what change makes of each of its spans;
// one for which it returns false is left out.
func loadChanged(t *testing.T, path string, change func(*record.Span) bool) *trace.Store {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	store := trace.NewStore()
	spans := semconv.New(store, semconv.Key{})
	for _, info := range ingest.Read(f, path, ingest.Options{}, func(path string) func(*record.Span) error {
		return func(r *record.Span) error {
			if change(r) {
				spans.Add(r, store.Sym(path))
			}
			return nil
		}
	}) {
		if info.Err != nil {
			t.Fatal(info.Err)
		}
	}
	return store
}

func allRules(t *testing.T) *analyzer.Suite {
	t.Helper()
	s, err := analyzer.NewSuite(rules.All()...)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func seal(t *testing.T, s *analyzer.Suite, parts ...*analyzer.Part) *analyzer.Report {
	t.Helper()
	p, err := s.Merge(parts...)
	if err != nil {
		t.Fatal(err)
	}
	s.Seal(p)
	return s.Report(p)
}

// TestRecordings holds the reports against what the provider counted: the
// findings of our rules, and the attempts of each logical request.
func TestRecordings(t *testing.T) {
	suite := allRules(t)
	ours := map[string]bool{}
	for _, r := range suite.Rules() {
		ours[r.About().ID] = true
	}
	for path, want := range recordings(t) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			r := seal(t, suite, suite.Open(load(t, path)))
			if got := r.Stats.Spans; got != want.Spans || r.Stats.Traces != want.Traces {
				t.Errorf("read %d spans of %d traces, want %d of %d", got, r.Stats.Traces, want.Spans, want.Traces)
			}
			found := map[string]bool{}
			for _, f := range r.Findings {
				found[f.Rule] = true
				if slices.Contains(want.MustNot, f.Rule) {
					t.Errorf("false %s: %s", f.Rule, f.Message)
				}
			}
			for _, rule := range want.Expected {
				if ours[rule] && !found[rule] {
					t.Errorf("missed %s", rule)
				}
			}
			if len(want.Owners) > 0 {
				var rows []string
				for _, u := range r.Upstreams {
					if cmp.Equal(u.AttemptsPerCall, want.Counts) {
						return
					}
					rows = append(rows, fmt.Sprintf("%v %v", u.Upstream, u.AttemptsPerCall))
				}
				t.Errorf("no upstream has the provider's counts %v:\n%s", want.Counts, strings.Join(rows, "\n"))
			}
			var b bytes.Buffer
			if err := report.JSON(&b, r); err != nil {
				t.Fatal(err)
			}
			reporttest.Validate(t, b.Bytes())
		})
	}
}

// TestReportsDoNotDependOnOrder shuffles the spans of each recording, cuts them
// at random places into ten parts that travel as bytes and are merged in random
// order, and gives each span twice: the findings and counts stay. So they do
// under a policy.
func TestReportsDoNotDependOnOrder(t *testing.T) {
	plain, crossed := allRules(t), 0
	for path := range recordings(t) {
		suites := map[string]*analyzer.Suite{"": plain, " under a policy": plain.With(meddling)}
		for under, suite := range suites {
			crossed += testOrder(t, path, under, suite)
		}
	}
	if crossed == 0 {
		t.Error("no trace was cut: the shards prove nothing")
	}
}

// meddling says something of every recording.
var meddling = analyzer.Settings{
	Owners: []analyzer.OwnerSetting{
		{Layer: "agent", MaxAttempts: 7, Keep: true}, {Layer: "a*", As: analyzer.OwnerName{Layer: trace.Tool, Library: "loop"}}, {MaxAttempts: 4},
	},
	Calls: []analyzer.CallSetting{
		{Operation: "*embed*", Retry: false}, {Service: "*worker*", Retry: true}, {Caller: "POST", Operation: "*generate*", Retry: false}, {Service: "*", Retry: true},
	},
	Prices:     []analyzer.Price{{Model: "gpt-4*", Input: 2_500_001, Output: 10_000_003}, {Model: "*", Input: 7, Output: 11}},
	Currency:   "EUR",
	Severities: map[string]analyzer.Grade{"retry-ratio": analyzer.Off, "excessive-attempts": analyzer.Error},
}

// testOrder returns the number of traces that were cut.
func testOrder(t *testing.T, path, under string, suite *analyzer.Suite) (crossed int) {
	t.Run(filepath.Base(path)+under, func(t *testing.T) {
		store := load(t, path)
		want := seal(t, suite, suite.Open(store))
		r := rand.New(rand.NewPCG(1, uint64(len(store.Spans))))

		shuffled := trace.NewStore()
		for _, i := range r.Perm(len(store.Spans)) {
			shuffled.Take(store, &store.Spans[i])
		}
		if diff := cmp.Diff(want, seal(t, suite, suite.Open(shuffled))); diff != "" {
			t.Errorf("shuffled (-want +got):\n%s", diff)
		}

		shards := make([]*trace.Store, 10)
		of := map[trace.TraceID]int{}
		for i := range shards {
			shards[i] = trace.NewStore()
		}
		for i := range store.Spans {
			n := r.IntN(len(shards))
			shards[n].Take(store, &store.Spans[i])
			if was, ok := of[store.Spans[i].Trace]; ok && was != n {
				crossed++
			}
			of[store.Spans[i].Trace] = n
		}
		parts := make([]*analyzer.Part, len(shards))
		for i, at := range r.Perm(len(shards)) {
			b, err := suite.Open(shards[at]).MarshalBinary()
			if err != nil {
				t.Fatal(err)
			}
			parts[i] = new(analyzer.Part)
			if err := parts[i].UnmarshalBinary(b); err != nil {
				t.Fatal(err)
			}
		}
		if diff := cmp.Diff(want, seal(t, suite, parts...)); diff != "" {
			t.Errorf("cut into ten (-want +got):\n%s", diff)
		}

		spans := int64(len(store.Spans))
		twice := seal(t, suite, suite.Open(store), suite.Open(shuffled))
		if twice.Stats.Duplicates != spans {
			t.Errorf("%d duplicates, want %d", twice.Stats.Duplicates, spans)
		}
		twice.Stats.Spans, twice.Stats.Duplicates = want.Stats.Spans, want.Stats.Duplicates
		if diff := cmp.Diff(want, twice); diff != "" {
			t.Errorf("each span twice (-want +got):\n%s", diff)
		}
	})
	return crossed
}
