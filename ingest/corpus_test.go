package ingest

import (
	stdjson "encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/retryaudit/retryaudit/analyzer/trace"
	"github.com/retryaudit/retryaudit/ingest/record"
)

// expectation is what the files beside the recorded ones say.
type expectation struct {
	File     string
	Spans    int64
	Traces   int
	Error    bool
	ErrorAt  struct{ Words []string } `json:"error_at"`
	Warnings []struct {
		Line  int
		Words []string
	}
}

func readExpectation(t *testing.T, path string) expectation {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var e expectation
	if err := stdjson.Unmarshal(b, &e); err != nil && strings.HasPrefix(path, corpus) {
		t.Skipf("%s: %v", path, err) // not ours to repair
	} else if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return e
}

// readFile reads a file and counts its traces.
func readFile(t *testing.T, path string) (info Info, traces int, err error) {
	t.Helper()
	f, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	seen := make(map[trace.TraceID]bool)
	info, err = readOne(f, path, Options{}, func(s *record.Span) error {
		seen[s.Trace] = true
		return nil
	})
	return info, len(seen), err
}

func hasWords(s string, words []string) bool {
	for _, w := range words {
		if !strings.Contains(s, w) {
			return false
		}
	}
	return true
}

func TestFormats(t *testing.T) { readAll(t, "../testdata/formats") }

// readAll checks each file of a folder against the expectation beside it.
func readAll(t *testing.T, dir string) {
	paths, err := filepath.Glob(filepath.Join(dir, "*.expect.json"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("%s: %v, %d expectations; want some", dir, err, len(paths))
	}
	for _, expect := range paths {
		path := strings.TrimSuffix(expect, ".expect.json")
		t.Run(filepath.Base(path), func(t *testing.T) {
			info, traces, err := readFile(t, path)
			want := readExpectation(t, expect)
			if want.Error {
				if err == nil || !hasWords(err.Error(), append(want.ErrorAt.Words, path)) {
					t.Fatalf("error %v; want one with %q and the path", err, want.ErrorAt.Words)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if info.Spans != want.Spans || traces != want.Traces {
				t.Errorf("%d spans, %d traces; want %d, %d", info.Spans, traces, want.Spans, want.Traces)
			}
			if strings.HasPrefix(path, corpus+"/cases/public") {
				return // what is odd in them is not listed
			}
			if len(info.Problems) != len(want.Warnings) {
				t.Fatalf("problems %+v; want %d", info.Problems, len(want.Warnings))
			}
			for i, w := range want.Warnings {
				if p := info.Problems[i]; p.Line != w.Line || !hasWords(p.Reason, w.Words) {
					t.Errorf("problem %+v; want line %d with %q", p, w.Line, w.Words)
				}
			}
		})
	}
}

// TestReal compares the counts with those that the recorder of the file took.
func TestReal(t *testing.T) { recorded(t, "../testdata/real") }

func recorded(t *testing.T, dir string) {
	paths, err := filepath.Glob(filepath.Join(dir, "*.truth.json"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("%s: %v, %d truth files; want some", dir, err, len(paths))
	}
	for _, truth := range paths {
		want := readExpectation(t, truth)
		t.Run(want.File, func(t *testing.T) {
			path := filepath.Join(dir, want.File)
			info, traces, err := readFile(t, path)
			if err != nil {
				t.Fatal(err)
			}
			if info.Spans != want.Spans || traces != want.Traces || len(info.Problems) != 0 {
				t.Errorf("%d spans, %d traces, problems %+v; want %d, %d, none", info.Spans, traces, info.Problems, want.Spans, want.Traces)
			}
		})
	}
}

const corpus = "../../shared/corpus"

// TestCorpus reads the files that are too many to ship, where they are.
func TestCorpus(t *testing.T) {
	if _, err := os.Stat(corpus); err != nil {
		t.Skip(err)
	}
	t.Run("formats", func(t *testing.T) { readAll(t, corpus+"/cases/formats") })
	t.Run("public", func(t *testing.T) { readAll(t, corpus+"/cases/public") })
	t.Run("real", func(t *testing.T) { recorded(t, corpus+"/real") })
}
