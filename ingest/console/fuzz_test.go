package console

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/retryaudit/retryaudit/ingest/decode"
	"github.com/retryaudit/retryaudit/ingest/record"
)

var fuzzLimits = decode.Limits{MaxString: 1 << 10, MaxDepth: 8, MaxMessage: 1 << 14, MaxElements: 64}

func fuzz(f *testing.F, read read, seeds ...string) {
	paths, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(paths) == 0 {
		f.Fatal(err, paths)
	}
	for _, path := range paths {
		b, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	for _, seed := range seeds {
		f.Add([]byte(seed))
		f.Add([]byte(seed[:len(seed)/2] + "\n" + seed))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		once := func() (decode.Result, []record.Span) {
			var spans []record.Span
			result, err := read(bytes.NewReader(in), fuzzLimits, func(s *record.Span) error {
				spans = append(spans, *s)
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			return result, spans
		}
		result, spans := once()
		if result.Spans != int64(len(spans)) {
			t.Errorf("counted %d of %d spans", result.Spans, len(spans))
		}
		for _, p := range result.Problems {
			if p.Reason == "" || p.Offset < 0 || p.Offset > int64(len(in)) || p.Line < 1 || p.Line > 1+bytes.Count(in, []byte("\n")) {
				t.Errorf("problem %+v of %d bytes", p, len(in))
			}
		}
		for _, s := range spans {
			if s.Trace.IsZero() || s.ID.IsZero() || s.Start < 0 || s.End < 0 || s.Offset < 0 || s.Offset > int64(len(in)) {
				t.Errorf("span %+v", s)
			} else if want := 1 + bytes.Count(in[:s.Offset], []byte("\n")); s.Line != want {
				t.Errorf("line %d, offset %d; want line %d", s.Line, s.Offset, want)
			}
		}
		again, spansAgain := once()
		if diff := cmp.Diff(result, again) + cmp.Diff(spans, spansAgain, cmpopts.EquateNaNs()); diff != "" {
			t.Error(diff)
		}
	})
}

func FuzzReadGo(f *testing.F)         { fuzz(f, ReadGo, goSpanText, "["+goSpanText+","+goSpanText+"]x") }
func FuzzReadPython(f *testing.F)     { fuzz(f, ReadPython, pythonSpanText) }
func FuzzReadJavaScript(f *testing.F) { fuzz(f, ReadJavaScript, jsSpanText) }
func FuzzReadDotNet(f *testing.F)     { fuzz(f, ReadDotNet, dotnetText) }
