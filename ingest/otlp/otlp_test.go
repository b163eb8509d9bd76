package otlp

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/retryaudit/retryaudit/ingest/decode"
	"github.com/retryaudit/retryaudit/ingest/record"
)

var testLimits = decode.Limits{MaxString: 1 << 20, MaxDepth: 8, MaxMessage: 8 << 20, MaxElements: 1 << 18}

// keep copies a span, which is valid until the next one only.
func keep(s *record.Span) record.Span {
	c := *s
	c.Attrs = append([]record.Attr(nil), s.Attrs...)
	c.Resource = append([]record.Attr(nil), s.Resource...)
	c.Events = append([]record.Event(nil), s.Events...)
	for i := range c.Events {
		c.Events[i].Attrs = append([]record.Attr(nil), c.Events[i].Attrs...)
	}
	c.Links = append([]record.Link(nil), s.Links...)
	for i := range c.Links {
		c.Links[i].Attrs = append([]record.Attr(nil), c.Links[i].Attrs...)
	}
	return c
}

// collect keeps the spans of a decoder.
func collect(to *[]record.Span) func(*record.Span) error {
	return func(s *record.Span) error {
		*to = append(*to, keep(s))
		return nil
	}
}

// withoutTimes drops what is said of spans for which a test gives no times.
func withoutTimes(r decode.Result) decode.Result {
	r.Problems = slices.DeleteFunc(r.Problems, func(p decode.Problem) bool {
		return strings.HasSuffix(p.Reason, " time; want one") || strings.Contains(p.Reason, "start time; want one of this century") || p.Reason == "more spans with odd times"
	})
	return r
}

func readJSON(t testing.TB, in string, lim decode.Limits) ([]record.Span, decode.Result) {
	t.Helper()
	var spans []record.Span
	result, err := ReadJSON(strings.NewReader(in), lim, collect(&spans))
	if err != nil {
		t.Fatal(err)
	}
	if len(in) > 64<<10 {
		return spans, withoutTimes(result) // too slow for what follows
	}
	// How the input is cut into reads must not matter.
	var again []record.Span
	second, err := ReadJSON(iotest.OneByteReader(strings.NewReader(in)), lim, collect(&again))
	if err != nil || len(again) != len(spans) || len(second.Problems) != len(result.Problems) {
		t.Fatalf("byte by byte: %d spans, problems %+v, %v; want %d, %+v", len(again), second.Problems, err, len(spans), result.Problems)
	}
	return spans, withoutTimes(result)
}

func readProto(t testing.TB, in []byte, framed bool, lim decode.Limits) ([]record.Span, decode.Result) {
	t.Helper()
	var spans []record.Span
	result, err := ReadProto(bytes.NewReader(in), framed, lim, collect(&spans))
	if err != nil {
		t.Fatal(err)
	}
	if len(in) > 64<<10 {
		return spans, withoutTimes(result) // too slow for what follows
	}
	// How the input is cut into reads must not matter.
	var again []record.Span
	second, err := ReadProto(iotest.OneByteReader(bytes.NewReader(in)), framed, lim, collect(&again))
	if err != nil || !cmp.Equal(again, spans) || !cmp.Equal(second, result) {
		t.Fatalf("byte by byte: %d spans, problems %+v, %v; want %d, %+v", len(again), second.Problems, err, len(spans), result.Problems)
	}
	return spans, withoutTimes(result)
}

// wantProblems checks that each problem has its place and words.
func wantProblems(t *testing.T, got []decode.Problem, want []decode.Problem) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("problems %+v; want %+v", got, want)
	}
	for i, w := range want {
		g := got[i]
		if g.Line != w.Line || w.Offset != 0 && g.Offset != w.Offset || g.Count != w.Count || !strings.Contains(g.Reason, w.Reason) {
			t.Errorf("problem %+v; want %+v", g, w)
		}
	}
}
