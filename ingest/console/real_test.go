package console

import (
	"encoding/json"
	"io"
	"os"
	"testing"

	"github.com/retryaudit/retryaudit/analyzer/trace"
	"github.com/retryaudit/retryaudit/ingest/decode"
	"github.com/retryaudit/retryaudit/ingest/record"
)

const realFiles = "../../testdata/real/"

type read func(io.Reader, decode.Limits, func(*record.Span) error) (decode.Result, error)

// TestReal compares the counts with those that the recorder of the file took.
func TestReal(t *testing.T) {
	for name, f := range map[string]struct {
		ending string
		read   read
	}{
		"aws-bedrock-throttled":       {".stdouttrace.json", ReadGo},
		"openai-loop-without-backoff": {".console.txt", ReadJavaScript},
	} {
		b, err := os.ReadFile(realFiles + name + ".truth.json")
		if err != nil {
			t.Fatal(err)
		}
		var want struct{ Spans, Traces int }
		if err := json.Unmarshal(b, &want); err != nil {
			t.Fatal(err)
		}
		in, err := os.Open(realFiles + name + f.ending)
		if err != nil {
			t.Fatal(err)
		}
		defer in.Close()
		traces, ids := map[trace.TraceID]bool{}, map[trace.SpanID]bool{}
		result, err := f.read(in, testLimits, func(s *record.Span) error {
			traces[s.Trace], ids[s.ID] = true, true
			if s.Start == 0 || s.End < s.Start || s.Kind == 0 || s.Scope == "" || len(s.Resource) < 4 {
				t.Errorf("%s: span %+v", name, s)
			}
			return nil
		})
		if err != nil || !result.Known || result.Spans != int64(want.Spans) || len(ids) != want.Spans || len(traces) != want.Traces || len(result.Problems) != 0 {
			t.Errorf("%s: error %v, %+v, %d IDs, %d traces; want %+v", name, err, result, len(ids), len(traces), want)
		}
	}
}

var testLimits = decode.Limits{MaxString: 1 << 20, MaxDepth: 16, MaxMessage: 8 << 20, MaxElements: 1 << 18}
