package trace_test

import (
	"encoding/binary"
	"testing"
	"unsafe"

	"github.com/retryaudit/retryaudit/analyzer/trace"
)

// shape makes n spans of one kind of forest.
func shape(name string, n int) *trace.Store {
	s := trace.NewStore()
	svc, ask, up := s.Sym("app"), s.Sym("GET /a"), s.Sym("up:80")
	id := func(i int) (x trace.SpanID) {
		binary.BigEndian.PutUint64(x[:], uint64(i+1))
		return x
	}
	tid := func(i int) (x trace.TraceID) {
		binary.BigEndian.PutUint64(x[8:], uint64(i+1))
		return x
	}
	failed := func(p trace.Span) trace.Span {
		p.Outcome, p.Class, p.Verdict, p.Status = trace.Failed, trace.Overload, trace.Cap, 503
		return p
	}
	for i := range n {
		p := trace.Span{
			Trace: tid(0), ID: id(i), Start: int64(i) * 1000, End: int64(i)*1000 + 500, Kind: trace.Client,
			Service: svc, Instance: svc, Ask: ask, Address: up, Layer: trace.Transport, Outcome: trace.OK,
		}
		var f *trace.Facts
		switch name {
		case "traces": // a root, a client and a server each, every tenth with a retry
			p.Trace, p.Parent = tid(i/5), id(i/5*5)
			p.Start = int64(i/5)*1e9 + int64(i%5)*1000
			switch i % 5 {
			case 0:
				p.Parent, p.Kind, p.End, p.Ask = trace.SpanID{}, trace.Internal, p.Start+1e6, s.Sym("work")
			case 1, 3:
				p.End = p.Start + 500
				if i%5 == 1 && i/5%10 == 0 {
					p = failed(p)
				}
			default:
				p.Parent, p.Kind, p.End = id(i-1), trace.Server, p.Start+100
			}
		case "siblings": // all below one parent, all failed
			p.Parent = id(n)
			p = failed(p)
		case "overlapping": // the same, never one after another
			p.Parent, p.End = id(n), int64(n)*2000+int64(i)
			p = failed(p)
		case "callbacks": // SDK spans and the requests that lie beside them, all at a time
			p.Parent, p.End = id(n), int64(n)*2000-int64(i)
			if i%2 == 0 {
				p.Layer, p.Kind, p.Scope = trace.SDK, trace.Internal, s.Sym("callbacks")
				p.End += int64(n) * 10
			}
		case "cycle": // each names the next one as its parent, the last one the first
			p.Parent = id((i + 1) % n)
		case "lost": // servers of lost clients, a trace each, with the numbers they got
			p.Trace, p.Parent, p.Kind = tid(i), id(n+i), trace.Server
			p = failed(p)
			x := trace.NewFacts()
			x.Counter = trace.Counter{Meaning: trace.Ordinal, N: int32(i % 3), Received: true}
			f = &x
		case "deep":
			if i > 0 {
				p.Parent = id(i - 1)
			}
			p.End = int64(2*n-i) * 1000
		case "ghosts": // each below a parent of its own that is missing
			p.Parent = id(n + i)
			if i%2 == 0 {
				p.Parent, p.Kind = trace.SpanID{}, trace.Internal
			}
		case "request": // traces that share a request ID
			p.Trace = tid(i)
			x := trace.NewFacts()
			dir := trace.Received
			p.Kind = trace.Server
			if i%64 == 0 {
				p.Kind, dir, p.End = trace.Client, trace.Sent, p.Start+64000
			}
			x.Keys = []trace.Key{{ID: s.Sym(string(rune('a' + i/200%1000))), Kind: trace.RequestKey, Dir: dir}}
			f = &x
		case "loop": // roots of one process, one after another, all failed
			p.Trace = tid(i)
			p = failed(p)
		}
		s.Add(p, f)
	}
	return s
}

// BenchmarkBuild says what a span costs in each kind of forest: it must not
// grow with their number by more than its logarithm.
func BenchmarkBuild(b *testing.B) {
	for _, name := range []string{"traces", "siblings", "overlapping", "deep", "ghosts", "request", "loop", "callbacks", "cycle", "lost"} {
		for _, n := range []int{5000, 50000} {
			b.Run(name+"/"+map[int]string{5000: "5k", 50000: "50k"}[n], func(b *testing.B) {
				s := shape(name, n)
				b.ReportAllocs()
				b.ResetTimer()
				for b.Loop() {
					for range trace.Build(s, trace.Options{}).Requests() {
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/span")
				b.ReportMetric(float64(unsafe.Sizeof(trace.Span{})), "B/span")
			})
		}
	}
}

// TestSpanIsCompact holds the bound of the design: ten million spans are kept.
func TestSpanIsCompact(t *testing.T) {
	if size := unsafe.Sizeof(trace.Span{}); size > 128 {
		t.Errorf("a span takes %d bytes, want at most 128", size)
	}
}
