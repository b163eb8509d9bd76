package otlp

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/retryaudit/retryaudit/analyzer/trace"
	"github.com/retryaudit/retryaudit/ingest/decode"
	"github.com/retryaudit/retryaudit/ingest/record"
)

// request is a message of two ResourceSpans with two spans each, whose IDs
// begin with id.
func request(t testing.TB, id byte) []byte {
	t.Helper()
	traces := ptrace.NewTraces()
	for i := range byte(2) {
		rs := traces.ResourceSpans().AppendEmpty()
		rs.Resource().Attributes().PutStr("service.name", "demo")
		ss := rs.ScopeSpans().AppendEmpty()
		ss.Scope().SetName("lib")
		for j := range byte(2) {
			s := ss.Spans().AppendEmpty()
			s.SetTraceID(pcommon.TraceID(traceID))
			s.SetSpanID(pcommon.SpanID{id, i, j})
			s.SetName("call")
			s.SetStartTimestamp(1544712660000000001)
			s.SetEndTimestamp(1544712661000000003)
			s.Attributes().PutStr("url.full", "http://demo.example/"+strings.Repeat("x", 20))
			s.Attributes().PutInt("n", 7)
		}
	}
	return marshal(t, traces)
}

func otherSignals(t testing.TB) map[string][]byte {
	t.Helper()
	logs := plog.NewLogs()
	for range 3 {
		log := logs.ResourceLogs().AppendEmpty().ScopeLogs().AppendEmpty().LogRecords().AppendEmpty()
		log.SetTimestamp(1)
		log.Body().SetStr(strings.Repeat("hello", 20))
	}
	l, err := new(plog.ProtoMarshaler).MarshalLogs(logs)
	if err != nil {
		t.Fatal(err)
	}
	metrics := pmetric.NewMetrics()
	for range 3 {
		m := metrics.ResourceMetrics().AppendEmpty().ScopeMetrics().AppendEmpty().Metrics().AppendEmpty()
		m.SetName("requests")
		m.SetEmptySum().DataPoints().AppendEmpty().SetIntValue(1)
	}
	m, err := new(pmetric.ProtoMarshaler).MarshalMetrics(metrics)
	if err != nil {
		t.Fatal(err)
	}
	return map[string][]byte{"spans": request(t, 2), "logs": l, "metrics": m}
}

// spansOf counts the spans whose IDs begin with id.
func spansOf(spans []record.Span, id byte) int {
	n := 0
	for _, s := range spans {
		if s.ID[0] == id && s.Trace == trace.TraceID(traceID) {
			n++
		}
	}
	return n
}

// TestFrameCut cuts a frame anywhere and appends whole ones, as a writer does
// that died and was started again.
func TestFrameCut(t *testing.T) {
	first, third, fourth := frame(request(t, 1)), frame(request(t, 3)), frame(request(t, 4))
	for signal, message := range otherSignals(t) {
		second := frame(message)
		for cut := 1; cut < len(second); cut++ {
			before, _ := readProto(t, second[:cut], true, testLimits)
			in := slices.Concat(first, second[:cut], third, fourth)
			spans, result := readProto(t, in, true, testLimits)
			if spansOf(spans, 1) != 4 || spansOf(spans, 3) != 4 || spansOf(spans, 4) != 4 || spansOf(spans, 2) != len(before) || len(spans) != 12+len(before) {
				t.Fatalf("%s cut behind %d bytes: %d, %d, %d, %d of %d spans, problems %+v; want 4 of each whole frame, %d of the second", signal, cut,
					spansOf(spans, 1), spansOf(spans, 2), spansOf(spans, 3), spansOf(spans, 4), len(spans), result.Problems, len(before))
			}
			if len(result.Problems) != 1 || !strings.Contains(result.Problems[0].Reason, " the next one") {
				t.Fatalf("%s cut behind %d bytes: problems %+v; want one", signal, cut, result.Problems)
			}
		}
	}
}

func TestFrameBehindGarbage(t *testing.T) {
	first, second := frame(request(t, 1)), frame(request(t, 2))
	garbage := map[string][]byte{
		"text":          []byte("no frame at all, but a good deal of text"),
		"more text":     bytes.Repeat([]byte("text "), 100_000),
		"great length":  []byte("\xff\xff\xff\xff\x0a\x02"),
		"great element": []byte("\x7f\x00\x00\x00\x0a\x80\x80\x80\x80\x04"),
	}
	for n := 1; n < 10; n++ {
		garbage[fmt.Sprintf("%d NUL bytes", n)] = make([]byte, n)
	}
	for name, b := range garbage {
		spans, result := readProto(t, slices.Concat(first, b, second, first), true, testLimits)
		if spansOf(spans, 2) != 4 || len(spans) != 12 {
			t.Errorf("%s: %d spans, problems %+v; want 12", name, len(spans), result.Problems)
		}
		if len(result.Problems) > 1 || len(result.Problems) == 0 && strings.Trim(string(b), "\x00") != "" {
			t.Errorf("%s: problems %+v; want one", name, result.Problems)
		}
	}
}

// TestFrameBroken holds that a frame that is broken but has its length costs
// no other, and that its sound spans are read.
func TestFrameBroken(t *testing.T) {
	message := request(t, 2)
	i := bytes.Index(message, []byte("url.full"))
	message[i-1] = 0x7f // its length
	spans, result := readProto(t, frame(request(t, 1), message, request(t, 3)), true, testLimits)
	if spansOf(spans, 1) != 4 || spansOf(spans, 2) != 3 || spansOf(spans, 3) != 4 || len(spans) != 11 {
		t.Errorf("%d spans, problems %+v; want 11", len(spans), result.Problems)
	}
	wantProblems(t, result.Problems, []decode.Problem{{Reason: "broken span"}})

	// An element above the limit is skipped alone.
	lim := testLimits
	lim.MaxMessage = 1000
	great := fullTraces()
	great.ResourceSpans().At(0).Resource().Attributes().PutStr("pad", strings.Repeat("x", 1000))
	spans, result = readProto(t, frame(slices.Concat(marshal(t, great), request(t, 1)), request(t, 3)), true, lim)
	if spansOf(spans, 1) != 4 || spansOf(spans, 3) != 4 || len(spans) != 8 {
		t.Errorf("%d spans, problems %+v; want 8", len(spans), result.Problems)
	}
	wantProblems(t, result.Problems, []decode.Problem{{Offset: 4, Reason: "want at most 1000 (MaxMessage); skipped"}})
}
