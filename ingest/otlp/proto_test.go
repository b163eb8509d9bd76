package otlp

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/retryaudit/retryaudit/analyzer/trace"
	"github.com/retryaudit/retryaudit/ingest/decode"
	"github.com/retryaudit/retryaudit/ingest/record"
)

// fullTraces has all that a record.Span can have.
func fullTraces() ptrace.Traces {
	traces := ptrace.NewTraces()
	rs := traces.ResourceSpans().AppendEmpty()
	rs.Resource().Attributes().PutStr("service.name", "demo")
	ss := rs.ScopeSpans().AppendEmpty()
	ss.Scope().SetName("lib")
	ss.Scope().SetVersion("1")
	for i := range 2 {
		s := ss.Spans().AppendEmpty()
		s.SetTraceID(pcommon.TraceID(traceID))
		s.SetSpanID(pcommon.SpanID{0, 0, 0, 0, 0, 0, 0, byte(i + 1)})
		s.SetParentSpanID(pcommon.SpanID(spanID))
		s.TraceState().FromRaw("a=b")
		s.SetName("call")
		s.SetKind(ptrace.SpanKindClient)
		s.SetStartTimestamp(1544712660000000001)
		s.SetEndTimestamp(1544712661000000003)
		s.Status().SetCode(ptrace.StatusCodeError)
		s.Status().SetMessage("m")
		attrs := s.Attributes()
		attrs.PutStr("s", "é")
		attrs.PutInt("i", -1<<63)
		attrs.PutDouble("d", 0.5)
		attrs.PutBool("b", true)
		attrs.PutEmpty("none")
		attrs.PutEmptyBytes("bytes").FromRaw([]byte{0, 0xff})
		list := attrs.PutEmptySlice("list")
		list.AppendEmpty().SetStr("x")
		list.AppendEmpty().SetEmptyMap().PutInt("y", 1)
		e := s.Events().AppendEmpty()
		e.SetName("exception")
		e.SetTimestamp(7)
		e.Attributes().PutStr("exception.type", "T")
		l := s.Links().AppendEmpty()
		l.SetTraceID(pcommon.TraceID(traceID))
		l.SetSpanID(pcommon.SpanID(spanID))
		l.Attributes().PutInt("n", int64(i))
	}
	return traces
}

func marshal(t testing.TB, traces ptrace.Traces) []byte {
	t.Helper()
	b, err := new(ptrace.ProtoMarshaler).MarshalTraces(traces)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// frame puts the length before each message.
func frame(messages ...[]byte) []byte {
	out := []byte{}
	for _, m := range messages {
		out = binary.BigEndian.AppendUint32(out, uint32(len(m)))
		out = append(out, m...)
	}
	return out
}

// place ignores where a span stood.
var place = cmpopts.IgnoreFields(record.Span{}, "Line", "Offset")

// TestFormatsAgree decodes one trace from both formats, and both against the
// decoder that the Collector uses.
func TestFormatsAgree(t *testing.T) {
	traces := fullTraces()
	b, err := new(ptrace.JSONMarshaler).MarshalTraces(traces)
	if err != nil {
		t.Fatal(err)
	}
	fromJSON, result := readJSON(t, string(b), testLimits)
	wantProblems(t, result.Problems, nil)
	message := marshal(t, traces)
	fromProto, result := readProto(t, message, false, testLimits)
	wantProblems(t, result.Problems, nil)
	if len(fromProto) != 2 {
		t.Fatalf("%d spans; want 2", len(fromProto))
	}
	if diff := cmp.Diff(fromJSON, fromProto, place, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("JSON and protobuf differ: %s", diff)
	}
	want := reference(t, traces)
	if diff := cmp.Diff(want, fromProto, place, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("reference and protobuf differ: %s", diff)
	}
	wrapped, result := readProto(t, appendBytes(appendBytes(nil, 1, message), 3, []byte("status")), false, testLimits)
	wantProblems(t, result.Problems, nil)
	if diff := cmp.Diff(want, wrapped, place, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("in Tempo's answer: %s", diff)
	}
	framed, result := readProto(t, frame(message, message), true, testLimits)
	wantProblems(t, result.Problems, nil)
	if diff := cmp.Diff(append(want, want...), framed, place, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("reference and framed protobuf differ: %s", diff)
	}
	in := frame(message, message)
	for _, s := range framed {
		// Behind the head of a field 2 of 314 or 315 bytes.
		if head := in[s.Offset-3 : s.Offset]; head[0] != 2<<3|wireBytes {
			t.Errorf("offset %d is behind %x; want a span", s.Offset, head)
		}
	}
}

// reference converts what pdata decoded.
func reference(t testing.TB, traces ptrace.Traces) []record.Span {
	t.Helper()
	d := &protoDecoder{Sink: decode.NewSink(testLimits, nil)}
	out := []record.Span{}
	for _, rs := range traces.ResourceSpans().All() {
		resource := d.attrs(nil, rs.Resource().Attributes(), testLimits.MaxDepth, 0)
		for _, ss := range rs.ScopeSpans().All() {
			for _, in := range ss.Spans().All() {
				s := record.Span{
					Trace: trace.TraceID(in.TraceID()), ID: trace.SpanID(in.SpanID()), Parent: trace.SpanID(in.ParentSpanID()),
					TraceState: in.TraceState().AsRaw(), Name: in.Name(), Kind: trace.Kind(in.Kind()),
					Start: int64(in.StartTimestamp()), End: int64(in.EndTimestamp()),
					Status: record.Status(in.Status().Code()), StatusMessage: in.Status().Message(),
					Scope: ss.Scope().Name(), ScopeVersion: ss.Scope().Version(), Resource: resource,
					Attrs: d.attrs(nil, in.Attributes(), testLimits.MaxDepth, 0),
				}
				for _, e := range in.Events().All() {
					s.Events = append(s.Events, record.Event{Name: e.Name(), Time: int64(e.Timestamp()), Attrs: d.attrs(nil, e.Attributes(), testLimits.MaxDepth, 0)})
				}
				for _, l := range in.Links().All() {
					s.Links = append(s.Links, record.Link{Trace: trace.TraceID(l.TraceID()), ID: trace.SpanID(l.SpanID()), Attrs: d.attrs(nil, l.Attributes(), testLimits.MaxDepth, 0)})
				}
				out = append(out, s)
			}
		}
	}
	return out
}

// TestJSONAgainstReference reads recorded lines with the Collector's decoder.
func TestJSONAgainstReference(t *testing.T) {
	for _, name := range []string{"real/agent-vercel-portkey-outage.jsonl", "formats/f01-upper-hex-number-times.json",
		"formats/f02-jsonl-crlf.jsonl", "formats/f17-integers.json", "formats/f32-parent-cycle.json"} {
		t.Run(name, func(t *testing.T) {
			in, err := os.ReadFile("../../testdata/" + name)
			if err != nil {
				t.Fatal(err)
			}
			got, result := readJSON(t, string(in), testLimits)
			wantProblems(t, result.Problems, nil)
			lines := [][]byte{in}
			if strings.HasSuffix(name, "l") {
				lines = bytes.Split(in, []byte("\n"))
			}
			want := []record.Span{}
			for _, line := range lines {
				if len(bytes.TrimSpace(line)) == 0 {
					continue
				}
				traces, err := new(ptrace.JSONUnmarshaler).UnmarshalTraces(line)
				if err != nil {
					t.Fatal(err)
				}
				want = append(want, reference(t, traces)...)
			}
			if diff := cmp.Diff(want, got, place, cmpopts.EquateEmpty(), cmpopts.EquateNaNs()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestProtoOrder(t *testing.T) {
	// Spans before their scope, scopes before their resource.
	span := appendBytes(appendBytes(nil, 1, traceID[:]), 2, spanID[:])
	scope := appendBytes(nil, 2, span)
	scope = appendBytes(scope, 1, appendBytes(nil, 1, []byte("lib")))
	rs := appendBytes(nil, 2, scope)
	rs = appendBytes(rs, 1, appendBytes(nil, 1, appendBytes(nil, 1, []byte("k"))))
	old := appendBytes(nil, 1000, scope) // instrumentation_library_spans
	in := appendBytes(appendBytes(nil, 1, rs), 1, old)
	spans, result := readProto(t, in, false, testLimits)
	wantProblems(t, result.Problems, nil)
	if len(spans) != 2 || spans[0].Scope != "lib" || len(spans[0].Resource) != 1 || len(spans[1].Resource) != 0 {
		t.Errorf("spans %+v; want two of scope lib, the first with a resource", spans)
	}
}

func TestProtoBroken(t *testing.T) {
	sound := marshal(t, fullTraces())
	rs := func(spans ...[]byte) []byte {
		scope := []byte{}
		for _, s := range spans {
			scope = appendBytes(scope, 2, s)
		}
		return appendBytes(nil, 1, appendBytes(nil, 2, scope))
	}
	span := appendBytes(appendBytes(nil, 1, traceID[:]), 2, spanID[:])
	tests := map[string]struct {
		in       []byte
		framed   bool
		spans    int
		problems []decode.Problem
	}{
		"trace ID short":      {rs(appendBytes(nil, 1, traceID[:8]), span), false, 1, []decode.Problem{{Reason: "trace ID: found 8 bytes; want 16"}}},
		"span ID long":        {rs(appendBytes(appendBytes(nil, 1, traceID[:]), 2, traceID[:]), span), false, 1, []decode.Problem{{Reason: "span ID: found 16 bytes; want 8"}}},
		"parent ID short":     {rs(appendBytes(bytes.Clone(span), 4, spanID[:4]), span), false, 2, []decode.Problem{{Reason: "parent span ID: found 4 bytes; want 8"}}},
		"no trace ID":         {rs(appendBytes(nil, 2, spanID[:]), span), false, 1, []decode.Problem{{Reason: "trace ID is missing or zero"}}},
		"zero span ID":        {rs(appendBytes(appendBytes(nil, 1, traceID[:]), 2, make([]byte, 8)), span), false, 1, []decode.Problem{{Reason: "span ID is missing or zero"}}},
		"name not text":       {rs(append(bytes.Clone(span), 5<<3|wireVarint, 1), span), false, 1, []decode.Problem{{Reason: "broken span: proto: wrong wireType = 0 for field Name; skipped"}}},
		"kind out of range":   {rs(append(bytes.Clone(span), 6<<3|wireVarint, 77)), false, 1, []decode.Problem{{Reason: "span kind: found 77; want 0 to 5"}}},
		"invalid UTF-8":       {rs(appendBytes(bytes.Clone(span), 5, []byte("a\xff"))), false, 1, nil},
		"cut in a span":       {rs(span, span)[:2+2+4+2*len(span)-1], false, 1, []decode.Problem{{Reason: "unexpected end of the input"}}},
		"cut in a scope":      {rs(span, span)[:5], false, 0, []decode.Problem{{Reason: "unexpected end"}}},
		"cut in a length":     {append(bytes.Clone(sound), 0x0a), false, 2, []decode.Problem{{Offset: int64(len(sound)), Reason: "unexpected end"}}},
		"garbage behind":      {append(bytes.Clone(sound), "hello"...), false, 2, []decode.Problem{{Offset: int64(len(sound)) + 2, Reason: "broken protobuf"}}},
		"other fields":        {append(append(append([]byte{9 << 3, 1, 9<<3 | 1}, make([]byte, 8)...), 9<<3|5, 0, 0, 0, 0), sound...), false, 2, nil},
		"frame cut":           {frame(sound, rs(span, span))[:len(sound)+8+4+4+len(span)+5], true, 3, []decode.Problem{{Offset: int64(len(sound)) + 8, Reason: "unexpected end"}}},
		"frame length cut":    {append(frame(sound), 0, 0), true, 2, []decode.Problem{{Offset: int64(len(sound)) + 4, Reason: "unexpected end"}}},
		"broken frame":        {frame(sound, []byte("\x0a\xffgarbage"), sound), true, 4, []decode.Problem{{Offset: int64(len(sound)) + 8, Reason: "broken protobuf: found field 1 of"}}},
		"varint in frame":     {frame(bytes.Repeat([]byte{0xff}, 30), sound), true, 2, []decode.Problem{{Offset: 4, Reason: "broken protobuf: found a varint of more than 64 bits"}}},
		"field beyond frame":  {frame([]byte{0x0a}, sound), true, 2, []decode.Problem{{Offset: 4, Reason: "broken protobuf: unexpected end of a message"}}},
		"varint beyond frame": {frame([]byte{0x0a, 0x80}, sound), true, 2, []decode.Problem{{Offset: 4, Reason: "broken protobuf: unexpected end of a message"}}},
		"element broken":      {append(appendBytes(nil, 1, []byte("\x12\x02\x12\x00\x07")), sound...), false, 2, []decode.Problem{{Reason: "span \"\": trace ID is missing"}, {Offset: 6, Reason: "broken protobuf: found field number 0"}}},
		"element of groups":   {appendBytes(nil, 1, []byte{2<<3 | 3, 2<<3 | 4}), false, 0, []decode.Problem{{Reason: "broken protobuf: found field 2 of wire type 3"}}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			spans, result := readProto(t, test.in, test.framed, testLimits)
			if len(spans) != test.spans || result.Spans != int64(test.spans) {
				t.Errorf("%d spans, counted %d; want %d", len(spans), result.Spans, test.spans)
			}
			wantProblems(t, result.Problems, test.problems)
		})
	}
}

func TestProtoLimits(t *testing.T) {
	traces := fullTraces()
	s := traces.ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(0)
	s.SetName(strings.Repeat("é", 600))
	v := s.Attributes().PutEmpty("deep")
	for range 5 {
		v = v.SetEmptySlice().AppendEmpty()
	}
	big, small := marshal(t, traces), marshal(t, fullTraces())
	in := append(bytes.Clone(big), small...)
	spans, result := readProto(t, in, false, decode.Limits{MaxString: 101, MaxDepth: 4, MaxMessage: 1 << 20, MaxElements: 1 << 18})
	if len(spans) != 4 || spans[0].Name != strings.Repeat("é", 50) {
		t.Errorf("%d spans, name %q", len(spans), spans[0].Name)
	}
	wantProblems(t, result.Problems, []decode.Problem{{Reason: "string of 1200 bytes; cut at 101 (MaxString)"}, {Reason: "attribute value of more than 4 levels (MaxDepth)"}})
	spans, result = readProto(t, in, false, decode.Limits{MaxString: 101, MaxDepth: 4, MaxMessage: 1000, MaxElements: 1 << 18})
	if len(spans) != 2 {
		t.Errorf("%d spans; want 2", len(spans))
	}
	wantProblems(t, result.Problems, []decode.Problem{{Reason: "bytes; want at most 1000 (MaxMessage); skipped"}})
}

func TestProtoOtherSignals(t *testing.T) {
	metrics := pmetric.NewMetrics()
	sm := metrics.ResourceMetrics().AppendEmpty().ScopeMetrics().AppendEmpty()
	sum := sm.Metrics().AppendEmpty()
	sum.SetName("exactly 16 bytes")
	sum.SetDescription("8 bytes.")
	sum.SetEmptySum().DataPoints().AppendEmpty().SetIntValue(1)
	gauge := sm.Metrics().AppendEmpty()
	gauge.SetName("g")
	gauge.SetEmptyGauge().DataPoints().AppendEmpty().SetIntValue(1)
	m, err := new(pmetric.ProtoMarshaler).MarshalMetrics(metrics)
	if err != nil {
		t.Fatal(err)
	}
	logs := plog.NewLogs()
	log := logs.ResourceLogs().AppendEmpty().ScopeLogs().AppendEmpty().LogRecords().AppendEmpty()
	log.SetTimestamp(1)
	log.SetTraceID(pcommon.TraceID(traceID))
	log.SetSpanID(pcommon.SpanID(spanID))
	log.Body().SetStr("hello")
	l, err := new(plog.ProtoMarshaler).MarshalLogs(logs)
	if err != nil {
		t.Fatal(err)
	}
	spans, result := readProto(t, frame(m, marshal(t, fullTraces()), l, l), true, testLimits)
	wantProblems(t, result.Problems, nil)
	if len(spans) != 2 || result.Skipped["metrics"] != 1 || result.Skipped["logs"] != 2 {
		t.Errorf("%d spans, skipped %v; want 2, 1 metrics, 2 logs", len(spans), result.Skipped)
	}
	bare := appendBytes(appendBytes(nil, 1, traceID[:]), 2, spanID[:])
	spans, _ = readProto(t, appendBytes(nil, 1, appendBytes(nil, 2, appendBytes(nil, 2, bare))), false, testLimits)
	if len(spans) != 1 {
		t.Errorf("%d spans out of one that has only its IDs; want 1", len(spans))
	}
}

func TestProtoErrors(t *testing.T) {
	message := marshal(t, fullTraces())
	failure := errors.New("disk on fire")
	spans := 0
	count := func(*record.Span) error { spans++; return nil }
	in := io.MultiReader(bytes.NewReader(message), bytes.NewReader(message[:50]), failingReader{failure})
	result, err := ReadProto(in, false, testLimits, count)
	if err != failure || spans != 2 {
		t.Errorf("%d spans, error %v; want 2, %v", spans, err, failure)
	}
	wantProblems(t, result.Problems, []decode.Problem{{Offset: int64(len(message)), Reason: "disk on fire"}})
	stop := errors.New("enough")
	if _, err := ReadProto(bytes.NewReader(message), false, testLimits, func(*record.Span) error { return stop }); err != stop {
		t.Errorf("error %v; want %v", err, stop)
	}
}
