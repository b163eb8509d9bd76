package otlp

import (
	"bytes"
	"io"
	"runtime"
	"slices"
	"strings"
	"testing"

	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/retryaudit/retryaudit/ingest/decode"
	"github.com/retryaudit/retryaudit/ingest/record"
)

// TestElements holds that both formats count the same. Each span of fullTraces
// has 7 attributes, 2 values in a list, 1 in a map, an event and a link with
// an attribute each.
func TestElements(t *testing.T) {
	const elements = 7 + 2 + 1 + 2 + 2
	b, err := new(ptrace.JSONMarshaler).MarshalTraces(fullTraces())
	if err != nil {
		t.Fatal(err)
	}
	for _, max := range []int{elements, elements - 1} {
		lim := testLimits
		lim.MaxElements = max
		fromJSON, jsonResult := readJSON(t, string(b), lim)
		fromProto, protoResult := readProto(t, marshal(t, fullTraces()), false, lim)
		if max == elements {
			wantProblems(t, jsonResult.Problems, nil)
			wantProblems(t, protoResult.Problems, nil)
			if len(fromJSON) != 2 || len(fromProto) != 2 {
				t.Errorf("%d, %d spans; want 2", len(fromJSON), len(fromProto))
			}
			continue
		}
		const reason = "span of more than 13 attributes, values, events and links (MaxElements); skipped"
		wantProblems(t, jsonResult.Problems, []decode.Problem{{Line: 1, Reason: reason}, {Line: 1, Reason: reason}})
		wantProblems(t, protoResult.Problems, []decode.Problem{{Reason: reason}, {Reason: reason}})
		if len(fromJSON) != 0 || len(fromProto) != 0 {
			t.Errorf("%d, %d spans; want none", len(fromJSON), len(fromProto))
		}
	}
}

// TestElementsCost reads spans and resources that consist of nothing but
// elements without content: of 16 MiB the events, and the others of enough to
// be above the limit.
func TestElementsCost(t *testing.T) {
	const size = 1 << 20
	const great = 16 << 20
	lim := decode.Limits{MaxString: 16 << 20, MaxDepth: 32, MaxMessage: 64 << 20, MaxElements: 1 << 18}
	objects := func(size int, before, after string) io.Reader {
		return io.MultiReader(strings.NewReader(before), strings.NewReader(strings.Repeat("{},", size/3)), strings.NewReader("{}"+after+"\n"+numbered(1)))
	}
	around := func(size int, members string) io.Reader {
		before, after, _ := strings.Cut(strings.Replace(numbered(0), `"startTime`, members+`,"startTime`, 1), "…")
		return objects(size, before, after)
	}
	attr := func(value []byte) []byte { return appendBytes(appendBytes(nil, 1, []byte("k")), 2, value) }
	span := appendBytes(appendBytes(nil, 1, traceID[:]), 2, spanID[:])
	repeated := func(number int, n int) []byte { return bytes.Repeat(appendHead(nil, number, 0), n/2) }
	message := func(resource []byte, spans ...[]byte) io.Reader {
		scope := []byte{}
		for _, s := range spans {
			scope = appendBytes(scope, 2, s)
		}
		return bytes.NewReader(appendBytes(nil, 1, appendBytes(appendBytes(nil, 1, resource), 2, scope)))
	}
	type read func(io.Reader, decode.Limits, func(*record.Span) error) (decode.Result, error)
	asProto := read(func(r io.Reader, lim decode.Limits, emit func(*record.Span) error) (decode.Result, error) {
		return ReadProto(r, false, lim, emit)
	})
	tests := map[string]struct {
		read  read
		in    io.Reader
		spans int64
	}{
		"JSON events":     {ReadJSON, around(great, `"events":[…]`), 1},
		"JSON links":      {ReadJSON, around(size, `"links":[…]`), 1},
		"JSON attributes": {ReadJSON, around(size, `"attributes":[…]`), 1},
		"JSON list":       {ReadJSON, around(size, `"attributes":[{"value":{"arrayValue":{"values":[…]}}}]`), 1},
		"JSON map":        {ReadJSON, around(size, `"attributes":[{"value":{"kvlistValue":{"values":[…]}}}]`), 1},
		"JSON resource":   {ReadJSON, objects(size, `{"resourceSpans":[{"resource":{"attributes":[`, `]},"scopeSpans":[{"scope":{},"spans":[{`+ids+`}]}]}]}`), 2},
		"JSON spans held": {ReadJSON, objects(size, `{"resourceSpans":[{"scopeSpans":[{"spans":[{`+ids+`},`, `]}],"resource":{}}]}`), 2},
		"events":          {asProto, message(nil, append(slices.Clone(span), repeated(11, great)...), span), 1},
		"links":           {asProto, message(nil, append(slices.Clone(span), repeated(13, size)...), span), 1},
		"attributes":      {asProto, message(nil, append(slices.Clone(span), repeated(9, size)...), span), 1},
		"list":            {asProto, message(nil, appendBytes(slices.Clone(span), 9, attr(appendBytes(nil, 5, repeated(1, size)))), span), 1},
		"map":             {asProto, message(nil, appendBytes(slices.Clone(span), 9, attr(appendBytes(nil, 6, repeated(1, size)))), span), 1},
		"resource":        {asProto, message(repeated(1, size), span), 1},
		"entities":        {asProto, message(repeated(3, size), span), 1},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			result, err := test.read(test.in, lim, func(*record.Span) error { return nil })
			runtime.ReadMemStats(&after)
			if err != nil || result.Spans != test.spans || len(result.Problems) == 0 || !strings.Contains(result.Problems[0].Reason, "(MaxElements)") {
				t.Errorf("%d spans, problems %+v, %v; want %d and MaxElements", result.Spans, result.Problems, err, test.spans)
			}
			// All that was allocated is more than what was held at once.
			if mib := (after.TotalAlloc - before.TotalAlloc) >> 20; mib > 512 {
				t.Errorf("%d MiB allocated; want at most 512", mib)
			} else {
				t.Logf("%d MiB allocated", mib)
			}
		})
	}
}
