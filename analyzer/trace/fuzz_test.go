package trace_test

import (
	"testing"

	"github.com/retryaudit/retryaudit/analyzer/trace"
)

// spansOf makes spans of bytes, a few IDs, texts and times, so that they
// collide in every way: parents in circles, shared IDs, keys, links, numbers.
func spansOf(b []byte) *trace.Store {
	s := trace.NewStore()
	names := []string{"", "a", "b", "model generate", "GET /a", "tool t"}
	at := 0
	next := func(n int) int {
		if at >= len(b) {
			return 0
		}
		at++
		return int(b[at-1]) % n
	}
	sym := func() trace.Sym { return s.Sym(names[next(len(names))]) }
	for at < len(b) && len(s.Spans) < 200 {
		p := trace.Span{
			Trace: trace.TraceID{byte(1 + next(3))}, ID: trace.SpanID{byte(1 + next(8))}, Parent: trace.SpanID{byte(next(9))},
			Start: int64(next(64)) * 5e6, Kind: trace.Kind(next(6)), Layer: trace.Layer(next(11)), Outcome: trace.Outcome(next(4)),
			Service: sym(), Instance: sym(), Ask: sym(), Address: sym(), ArgsHash: uint64(next(3)),
			Flags: trace.Flags(next(256))<<1 | trace.Flags(next(2))<<9,
		}
		p.End = p.Start + int64(next(64))*5e6
		if p.Outcome == trace.Failed {
			p.Class = trace.Class(1 + next(18))
			p.Verdict, p.ClassConf = trace.VerdictOf(p.Class), trace.Likely
			p.Status = uint16(400 + next(30))
		}
		var f *trace.Facts
		if next(2) == 1 {
			x := trace.NewFacts()
			x.Counter = trace.Counter{Meaning: trace.Meaning(next(3)), N: int32(next(5)), Received: next(2) == 1, Resends: next(2) == 1}
			x.Keys = []trace.Key{{ID: sym(), Kind: trace.KeyKind(1 + next(6)), Dir: trace.Dir(1 + next(3))}}
			x.Links = []trace.Link{{Trace: trace.TraceID{byte(1 + next(3))}, ID: trace.SpanID{byte(1 + next(8))}}}
			x.Model, x.CallID, x.InputHash, x.InTokens = sym(), sym(), uint64(next(3)), int64(next(4))
			f = &x
		}
		s.Add(p, f)
	}
	return s
}

// FuzzBuild holds what is true of every forest: all spans are in a request,
// none is in two attempts side by side, attempts are in order, and the order of
// the spans changes nothing.
func FuzzBuild(f *testing.F) {
	f.Add([]byte("0123456789abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"))
	f.Add([]byte("\x00\x01\x02\x03\x01\x03\x02\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f\x10\x11\x12\x13\x14"))
	f.Fuzz(func(t *testing.T, b []byte) {
		checkForest(t, spansOf(b), trace.Options{})
		checkForest(t, spansOf(b), said)
	})
}

// said is a policy with something to say of most.
var said = trace.Options{
	Retry: func(n trace.Names) (retry, known bool) { return n.Op == "GET /a" || n.Service == "b", n.Op != "tool t" },
	Owner: func(n trace.Names) trace.Names {
		if n.Layer == trace.App || n.Address == "a" {
			n.Layer, n.Library = trace.SDK, "new"
		}
		return n
	},
}

func checkForest(t *testing.T, s *trace.Store, opt trace.Options) {
	g := trace.Build(s, opt)
	spans := 0
	for r := range g.Requests() {
		spans += r.Spans
		calls := 0
		for c := range r.Calls() {
			if calls++; calls > 4*len(s.Spans)+4 {
				t.Fatal("calls in a circle")
			}
			if len(c.Attempts) == 0 {
				t.Fatal("a call without attempts")
			}
			for i, a := range c.Attempts {
				if a.Call != c || a.Count.Min < 0 || a.Count.Max < a.Count.Min {
					t.Fatalf("attempt %d: %+v", i, a)
				}
				if i > 0 && len(a.Spans) > 0 && a.Start < c.Attempts[i-1].Start {
					t.Fatalf("attempt %d began before the one before it", i)
				}
				for _, k := range a.Calls {
					if k.Parent != a {
						t.Fatal("a call under another attempt than its own")
					}
				}
			}
		}
		for _, class := range r.Logical {
			if len(class) == 0 {
				t.Fatal("a logical request without attempts")
			}
		}
	}
	if want := len(s.Spans) - int(g.Duplicates); spans != want {
		t.Fatalf("%d spans in requests, want %d", spans, want)
	}
	if one, other := draw(s, opt), draw(shuffled(s, 3), opt); one != other {
		t.Fatalf("order of spans changes the requests:\n%s\n--\n%s", one, other)
	}
}
