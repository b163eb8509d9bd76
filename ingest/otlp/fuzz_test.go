package otlp

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/retryaudit/retryaudit/ingest/decode"
	"github.com/retryaudit/retryaudit/ingest/record"
)

var fuzzLimits = decode.Limits{MaxString: 1 << 10, MaxDepth: 8, MaxMessage: 1 << 14, MaxElements: 64}

// maxSeed leaves out files that would slow the fuzzer down.
const maxSeed = 64 << 10

// seed adds the recorded files with the endings.
func seed(f *testing.F, add func(name string, b []byte), endings ...string) {
	f.Helper()
	for _, ending := range endings {
		paths, err := filepath.Glob("../../testdata/*/*" + ending)
		if err != nil || len(paths) == 0 {
			f.Fatalf("%s: %v, %d files; want some", ending, err, len(paths))
		}
		for _, path := range paths {
			b, err := os.ReadFile(path)
			if err != nil {
				f.Fatal(err)
			}
			if len(b) <= maxSeed && !strings.HasSuffix(path, ".expect.json") && !strings.HasSuffix(path, ".truth.json") {
				add(path, b)
			}
		}
	}
}

// check is what holds of any input: the counts are true, the places lie in it,
// what a span needs is there.
func check(t *testing.T, in []byte, lines bool, result decode.Result, spans []record.Span) {
	t.Helper()
	if result.Spans != int64(len(spans)) {
		t.Errorf("counted %d of %d spans", result.Spans, len(spans))
	}
	for _, p := range result.Problems {
		if p.Reason == "" || p.Offset < 0 || p.Offset > int64(len(in)) || lines && (p.Line < 1 || p.Line > 1+bytes.Count(in, []byte("\n"))) {
			t.Errorf("problem %+v of %d bytes", p, len(in))
		}
	}
	for _, s := range spans {
		if s.Trace.IsZero() || s.ID.IsZero() || s.Start < 0 || s.End < 0 || s.Offset < 0 || s.Offset > int64(len(in)) {
			t.Errorf("span %+v", s)
		}
		if want := 1 + bytes.Count(in[:s.Offset], []byte("\n")); lines && (s.Line != want || in[s.Offset] != '{') {
			t.Errorf("line %d, offset %d; want line %d and a brace", s.Line, s.Offset, want)
		}
	}
}

func FuzzJSON(f *testing.F) {
	seed(f, func(_ string, b []byte) { f.Add(b) }, ".json", ".jsonl")
	f.Fuzz(func(t *testing.T, in []byte) {
		var spans []record.Span
		result, err := ReadJSON(bytes.NewReader(in), fuzzLimits, collect(&spans))
		if err != nil {
			t.Fatal(err)
		}
		check(t, in, true, result, spans)
	})
}

func FuzzProto(f *testing.F) {
	seed(f, func(_ string, b []byte) { f.Add(b, false) }, ".binpb")
	seed(f, func(_ string, b []byte) { f.Add(b, true) }, ".pb")
	f.Fuzz(func(t *testing.T, in []byte, framed bool) {
		var spans []record.Span
		result, err := ReadProto(bytes.NewReader(in), framed, fuzzLimits, collect(&spans))
		if err != nil {
			t.Fatal(err)
		}
		check(t, in, false, result, spans)
	})
}
