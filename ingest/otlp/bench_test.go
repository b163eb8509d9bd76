package otlp

import (
	"bytes"
	"os"
	"testing"

	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/retryaudit/retryaudit/ingest/decode"
	"github.com/retryaudit/retryaudit/ingest/record"
)

const recording = "../../testdata/real/agent-vercel-portkey-outage.jsonl"

func benchmark(b *testing.B, in []byte, read func(func(*record.Span) error) (decode.Result, error)) {
	b.Helper()
	b.SetBytes(int64(len(in)))
	b.ReportAllocs()
	spans := int64(0)
	for b.Loop() {
		result, err := read(func(*record.Span) error { return nil })
		if err != nil {
			b.Fatal(err)
		}
		spans += result.Spans
	}
	b.ReportMetric(float64(spans)/b.Elapsed().Seconds(), "spans/s")
	b.ReportMetric(float64(spans)/float64(b.N), "spans/op")
}

func BenchmarkJSONLines(b *testing.B) {
	in, err := os.ReadFile(recording)
	if err != nil {
		b.Fatal(err)
	}
	benchmark(b, in, func(emit func(*record.Span) error) (decode.Result, error) {
		return ReadJSON(bytes.NewReader(in), testLimits, emit)
	})
}

func BenchmarkProto(b *testing.B) {
	lines, err := os.ReadFile(recording)
	if err != nil {
		b.Fatal(err)
	}
	messages := [][]byte{}
	for line := range bytes.Lines(lines) {
		traces, err := new(ptrace.JSONUnmarshaler).UnmarshalTraces(line)
		if err != nil {
			b.Fatal(err)
		}
		messages = append(messages, marshal(b, traces))
	}
	in := frame(messages...)
	benchmark(b, in, func(emit func(*record.Span) error) (decode.Result, error) {
		return ReadProto(bytes.NewReader(in), true, testLimits, emit)
	})
}
