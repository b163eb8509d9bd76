// Package decodetest is what the tests of all decoders share.
package decodetest

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/retryaudit/retryaudit/ingest/decode"
	"github.com/retryaudit/retryaudit/ingest/record"
)

// ReadFunc is the function of a decoder.
type ReadFunc func(io.Reader, decode.Limits, func(*record.Span) error) (decode.Result, error)

// Limits are far below the defaults, so that tests reach them.
var Limits = decode.Limits{MaxString: 1 << 12, MaxDepth: 16, MaxMessage: 1 << 16, MaxElements: 1 << 10}

// Read reads in twice, once byte by byte, and demands equal results.
func Read(t testing.TB, read ReadFunc, in string) ([]record.Span, decode.Result) {
	t.Helper()
	spans, result := once(t, read, strings.NewReader(in), Limits)
	if len(in) > 64<<10 {
		return spans, result // too slow for what follows
	}
	again, second := once(t, read, iotest.OneByteReader(strings.NewReader(in)), Limits)
	if diff := cmp.Diff(spans, again, cmpopts.EquateNaNs()) + cmp.Diff(result, second); diff != "" {
		t.Errorf("how the input is cut into reads changes the result: %s", diff)
	}
	return spans, result
}

func once(t testing.TB, read ReadFunc, r io.Reader, lim decode.Limits) ([]record.Span, decode.Result) {
	t.Helper()
	var spans []record.Span
	result, err := read(r, lim, func(s *record.Span) error {
		spans = append(spans, Clone(s))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if result.Spans != int64(len(spans)) {
		t.Errorf("the result says %d spans, %d came", result.Spans, len(spans))
	}
	for _, p := range result.Problems {
		if p.Reason == "" || p.Offset < 0 || p.Line < 0 {
			t.Errorf("problem %+v; want a reason and a place", p)
		}
	}
	return spans, result
}

// Clone copies a span that its decoder will overwrite.
func Clone(s *record.Span) record.Span {
	c := *s
	c.Attrs, c.Resource, c.Events, c.Links = slices.Clone(s.Attrs), slices.Clone(s.Resource), slices.Clone(s.Events), slices.Clone(s.Links)
	for i := range c.Events {
		c.Events[i].Attrs = slices.Clone(c.Events[i].Attrs)
	}
	for i := range c.Links {
		c.Links[i].Attrs = slices.Clone(c.Links[i].Attrs)
	}
	return c
}

// Reasons returns one line for each problem: "line: reason".
func Reasons(r decode.Result) string {
	var b strings.Builder
	for _, p := range r.Problems {
		if p.Count > 0 {
			fmt.Fprintf(&b, "%d: %s (%d)\n", p.Line, p.Reason, p.Count)
		} else {
			fmt.Fprintf(&b, "%d: %s\n", p.Line, p.Reason)
		}
	}
	return b.String()
}

// WantProblems demands that the problems are those of the lines in want, each
// "line: part of the reason".
func WantProblems(t testing.TB, r decode.Result, want ...string) {
	t.Helper()
	got := strings.Split(strings.TrimSuffix(Reasons(r), "\n"), "\n")
	if got[0] == "" {
		got = nil
	}
	ok := len(got) == len(want)
	for i := 0; ok && i < len(want); i++ {
		line, part, _ := strings.Cut(want[i], ": ")
		ok = strings.HasPrefix(got[i], line+": ") && strings.Contains(got[i], part)
	}
	if !ok {
		t.Errorf("problems\n%s; want\n%s", Reasons(r), strings.Join(want, "\n"))
	}
}

// Want reads in and demands so many spans and the problems of WantProblems.
func Want(t testing.TB, read ReadFunc, in string, spans int, problems ...string) {
	t.Helper()
	got, result := Read(t, read, in)
	if len(got) != spans {
		t.Errorf("%d spans; want %d", len(got), spans)
	}
	WantProblems(t, result, problems...)
}

// Stream holds that an input of many records, far larger than what may be
// held, is read whole. One record follows the other with between in between.
func Stream(t *testing.T, read ReadFunc, before, record, between, after string) {
	t.Helper()
	n := 4*Limits.MaxMessage/len(record) + 1
	in := before + strings.Repeat(record+between, n-1) + record + after
	_, result := Read(t, read, in)
	if result.Spans != int64(n) || len(result.Problems) > 0 {
		t.Errorf("%d of %d spans, problems\n%s", result.Spans, n, Reasons(result))
	}
}

// Fuzz feeds a decoder with anything, starting from the files that match the
// patterns and from the seeds. Whatever comes, it must end without a panic, and
// twice in the same way.
func Fuzz(f *testing.F, read ReadFunc, patterns []string, seeds ...string) {
	const maxSeed = 64 << 10
	for _, s := range seeds {
		f.Add([]byte(s))
	}
	for _, pattern := range patterns {
		paths, err := filepath.Glob(pattern)
		if err != nil || len(paths) == 0 {
			f.Fatalf("%s: %v, %d files; want some", pattern, err, len(paths))
		}
		for _, path := range paths {
			b, err := os.ReadFile(path)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(b[:min(len(b), maxSeed)])
		}
	}
	lim := decode.Limits{MaxString: 1 << 9, MaxDepth: 6, MaxMessage: 1 << 13, MaxElements: 64}
	f.Fuzz(func(t *testing.T, in []byte) {
		spans, result := once(t, read, bytes.NewReader(in), lim)
		again, second := once(t, read, iotest.HalfReader(bytes.NewReader(in)), lim)
		if diff := cmp.Diff(spans, again, cmpopts.EquateNaNs()) + cmp.Diff(result, second); diff != "" {
			t.Errorf("read twice, with a difference: %s", diff)
		}
		for _, s := range spans {
			if s.Trace.IsZero() || s.ID.IsZero() {
				t.Errorf("span without an ID: %+v", s)
			}
		}
	})
}
