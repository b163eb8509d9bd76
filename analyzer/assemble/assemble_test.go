package assemble

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/retryaudit/retryaudit/analyzer/trace"
	"github.com/retryaudit/retryaudit/analyzer/tracetext"
)

const second = int64(time.Second)

// scene returns the spans of a scene.
func scene(t testing.TB, text string) *trace.Store {
	t.Helper()
	s, err := tracetext.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return s.Store()
}

// lines names the spans of a store by their lines, in order.
func lines(store *trace.Store) []int {
	if store == nil {
		return nil
	}
	var all []int
	for _, s := range store.Spans {
		all = append(all, int(s.Line))
	}
	slices.Sort(all)
	return all
}

func equal(t *testing.T, what string, got, want any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

func TestQuiet(t *testing.T) {
	from := scene(t, "0+900 web: POST /a 502\n  10+80 -> pay.Charge 400 code=bad\n\n0+5 web: POST /b ok\n  1+1 -> pay.Charge ok\n")
	a := New(Options{Quiet: 10 * time.Second})
	add := func(at int64, line int) {
		i := slices.IndexFunc(from.Spans, func(s trace.Span) bool { return int(s.Line) == line })
		if out := a.Add(at*second, from, &from.Spans[i]); out != nil {
			t.Errorf("line %d pushed out %v without a budget", line, lines(out))
		}
	}
	add(0, 2) // a child: its root has not ended
	equal(t, "without a root", lines(a.Expire(100*second)), []int(nil))
	if _, ok := a.Due(); ok {
		t.Error("a request without root is due")
	}
	add(100, 1)
	add(104, 4)
	if at, ok := a.Due(); !ok || at != 110*second {
		t.Errorf("due at %d %v, wanted 110s", at/second, ok)
	}
	equal(t, "before it is quiet", lines(a.Expire(110*second-1)), []int(nil))
	out := a.Expire(110 * second)
	equal(t, "the whole request", lines(out), []int{1, 2})
	if text := out.Text(out.Spans[slices.IndexFunc(out.Spans, func(s trace.Span) bool { return s.Line == 2 })].Code); text != "bad" {
		t.Errorf("code %q, wanted bad", text)
	}
	add(111, 5)
	add(50, 5) // a clock that went back must not make it due
	equal(t, "after a late span", lines(a.Expire(120*second)), []int(nil))
	equal(t, "the rest", lines(a.Close()), []int{4, 5, 5})
	equal(t, "nothing left", lines(a.Close()), []int(nil))
	equal(t, "stats", a.Stats(), Stats{Spans: 5, SpansOut: 5, Requests: 2})
}

func TestPatience(t *testing.T) {
	from := scene(t, "? \n  0+9 web: op ok\n\n0+9 job: op ok\n")
	a := New(Options{Quiet: 10 * time.Second, Patience: 60 * time.Second})
	a.Add(0, from, &from.Spans[0])
	if at, ok := a.Due(); !ok || at != 60*second {
		t.Errorf("due at %d %v, wanted 60s", at/second, ok)
	}
	a.Add(55*second, from, &from.Spans[1])
	equal(t, "patience", lines(a.Expire(60*second)), []int{2})
	equal(t, "quiet", lines(a.Expire(65*second)), []int{4})
	equal(t, "stats", a.Stats(), Stats{Spans: 2, SpansOut: 2, Requests: 2, Rootless: 1})
}

func TestJoins(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       [][]int // by request
	}{
		{"nothing", "0+9 a: op ok session=s\n\n0+9 b: op ok session=s", [][]int{{1}, {3}}},
		{"request", "0+9 a: op ok request=r\n\n0+9 b: op ok request=r\n\n0+9 c: op ok request=q", [][]int{{1, 3}, {5}}},
		{"parent request", "0+9 a: op ok request=r\n\n0+9 b: op ok parent_request=r", [][]int{{1, 3}}},
		{"message, job, key", "0+9 a: op ok message=m job=j\n\n0+9 b: op ok job=j idempotency=i\n\n0+9 c: op ok idempotency=i", [][]int{{1, 3, 5}}},
		{"call", "0+9 a: op ok call=c\n\n0+9 b: op ok call=c", [][]int{{1, 3}}},
		{"answered", "0+9 a: op ok request=answered:r\n\n0+9 b: op ok request=answered:r", [][]int{{1}, {3}}},
		{"link", "0+9 a: op ok\n\n0+9 b: op ok link=1", [][]int{{1, 3}}},
		{"two links", "0+9 a: op ok\n\n0+9 c: op ok\n\n0+9 b: op ok link=1 link=3", [][]int{{1}, {3}, {5}}},
		{"link of a child", "0+9 a: op ok\n\n0+9 b: op ok\n  1+1 c: op ok link=1", [][]int{{1}, {3, 4}}},
		{"below", "0+9 a: op ok\n  1+1 -> b.x ok request=r\n\n0+9 b: x ok\n  1+1 -> c.x ok request=r", [][]int{{1, 2, 4, 5}}},
	} {
		from := scene(t, tt.text)
		for seed := range uint64(20) {
			r := rand.New(rand.NewPCG(seed, 0))
			a := New(Options{MaxBytes: 1 << 40})
			for _, i := range r.Perm(len(from.Spans)) {
				a.Add(0, from, &from.Spans[i])
			}
			a.opt.MaxBytes = 1 // now each goes out alone
			var got [][]int
			for a.born.first != nil {
				got = append(got, lines(a.handOut(a.born.first, nil)))
			}
			slices.SortFunc(got, slices.Compare)
			equal(t, tt.name, got, tt.want)
		}
	}
}

func TestHub(t *testing.T) {
	from := scene(t, "trace x300\n0+9 a: op ok request=constant\n\n0+9 b: op ok request=other\n")
	a := New(Options{})
	for i := range from.Spans {
		a.Add(0, from, &from.Spans[i])
	}
	if s := a.Stats(); s.Held != 300-hubTraces+2 || s.Hubs != 300-hubTraces {
		t.Errorf("stats %+v, wanted one request of %d traces", s, hubTraces)
	}
}

func TestBudget(t *testing.T) {
	from := scene(t, "trace x100\n0+9 a: op ok\n  1+1 -> b.x%n ok request=r%n\n")
	a := New(Options{MaxBytes: 40000, Quiet: time.Second})
	out, highest := 0, int64(0)
	for i := range from.Spans {
		cut := a.Add(int64(i), from, &from.Spans[i])
		if cut != nil {
			for _, s := range cut.Spans {
				if int(binary.BigEndian.Uint64(s.Trace[8:])) > i/2 {
					t.Fatalf("span %d pushed out %s, wanted older ones first", i, s.Trace)
				}
			}
			out += len(cut.Spans)
		}
		highest = max(highest, a.Stats().HeldBytes)
	}
	s := a.Stats()
	if highest > 40000 || s.Cut == 0 || int(s.CutSpans) != out || s.Requests != s.Cut {
		t.Errorf("held up to %d bytes; %+v; %d spans came out", highest, s, out)
	}
	if rest := len(a.Close().Spans); out+rest != 200 {
		t.Errorf("%d and %d spans came out, wanted 200", out, rest)
	}
	if s := a.Stats(); s.Held != 0 || s.HeldBytes != 0 || len(a.traces) != 0 || len(a.ids) != 0 {
		t.Errorf("an empty assembler holds %+v, %d traces, %d IDs", s, len(a.traces), len(a.ids))
	}
}

// A single span over the budget goes out at once.
func TestBudgetOfNothing(t *testing.T) {
	from := scene(t, "0+9 a: op ok request=r")
	a := New(Options{MaxBytes: 1})
	equal(t, "cut", lines(a.Add(0, from, &from.Spans[0])), []int{1})
	equal(t, "stats", a.Stats(), Stats{Spans: 1, SpansOut: 1, Requests: 1, Cut: 1, CutSpans: 1})
}

// random returns spans of some traces that share IDs.
func random(r *rand.Rand, spans int) *trace.Store {
	store := trace.NewStore()
	for i := range spans {
		s := trace.Span{Line: uint32(i + 1), Service: store.Sym(fmt.Sprint("s", r.IntN(5)))}
		s.Trace[15] = byte(1 + r.IntN(20))
		binary.BigEndian.PutUint64(s.ID[:], uint64(i+1))
		if r.IntN(2) == 0 {
			s.Parent[7] = 1
		}
		f := trace.NewFacts()
		if r.IntN(4) == 0 {
			f.Keys = append(f.Keys, trace.Key{ID: store.Sym(fmt.Sprint("k", r.IntN(12))), Kind: trace.RequestKey, Dir: trace.Dir(1 + r.IntN(3))})
		}
		if r.IntN(8) == 0 {
			f.Links = append(f.Links, trace.Link{Trace: trace.TraceID{15: byte(1 + r.IntN(20))}})
		}
		if r.IntN(8) == 0 {
			f.CallID = store.Sym(fmt.Sprint("c", r.IntN(12)))
		}
		store.Add(s, &f)
	}
	return store
}

// TestRandom compares with components found the slow way, and checks that
// nothing is lost, twice out, or out too early.
func TestRandom(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		from := random(r, 1+r.IntN(60))
		of := map[trace.TraceID]int{} // the component of a trace, by least number
		var names []map[string]bool
		for i := range from.Spans {
			s, f := &from.Spans[i], from.FactsOf(&from.Spans[i])
			mine := map[string]bool{"t" + s.Trace.String(): true}
			for _, k := range f.Keys {
				if k.Dir != trace.Answered {
					mine[from.Text(k.ID)] = true
				}
			}
			if f.CallID != 0 {
				mine[from.Text(f.CallID)] = true
			}
			if s.Parent.IsZero() && len(f.Links) == 1 {
				mine["t"+f.Links[0].Trace.String()] = true
			}
			rest := names[:0:0]
			for _, n := range names {
				joins := false
				for k := range mine {
					joins = joins || n[k]
				}
				if !joins {
					rest = append(rest, n)
					continue
				}
				for k := range n {
					mine[k] = true
				}
			}
			names = append(rest, mine)
		}
		for i := range from.Spans {
			tr := from.Spans[i].Trace
			of[tr] = slices.IndexFunc(names, func(n map[string]bool) bool { return n["t"+tr.String()] })
		}
		a := New(Options{Quiet: time.Second})
		for i, at := range r.Perm(len(from.Spans)) {
			a.Add(int64(i), from, &from.Spans[at])
		}
		seen := map[uint32]bool{}
		check := func(out *trace.Store) {
			for _, s := range out.Spans {
				if seen[s.Line] {
					t.Fatalf("seed %d: line %d came out twice", seed, s.Line)
				}
				seen[s.Line] = true
			}
		}
		if out := a.Expire(2 * second); out != nil {
			check(out)
			rooted := map[trace.TraceID]bool{}
			for _, s := range from.Spans {
				if s.Parent.IsZero() {
					rooted[s.Trace] = true
				}
			}
			for _, s := range out.Spans {
				for tr, c := range of {
					if c == of[s.Trace] && !rooted[tr] {
						t.Fatalf("seed %d: a request came out without the root of %s", seed, tr)
					}
				}
			}
		}
		for a.born.first != nil {
			out := a.handOut(a.born.first, nil)
			check(out)
			for _, s := range out.Spans {
				if of[s.Trace] != of[out.Spans[0].Trace] {
					t.Fatalf("seed %d: two requests came out as one", seed)
				}
			}
		}
		if len(seen) != len(from.Spans) {
			t.Fatalf("seed %d: %d of %d spans came out", seed, len(seen), len(from.Spans))
		}
		if s := a.Stats(); int(s.Requests) != len(names) || s.HeldBytes != 0 || s.Held != 0 || len(a.ids)+len(a.traces) != 0 {
			t.Fatalf("seed %d: %+v, wanted %d requests and nothing held", seed, s, len(names))
		}
	}
}

// The estimate must be near what the heap really grows by.
func TestHeldBytes(t *testing.T) {
	from := scene(t, "trace x5000\n0+9 a: POST /x ok\n  1+1 -> b.x ok request=r%n\n    2+1 b: x ok request=r%n\n  5+1 -> c.x ok\n")
	heap := func() int64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	before := heap()
	a := New(Options{})
	for i := range from.Spans {
		a.Add(int64(i), from, &from.Spans[i])
	}
	grown, held := heap()-before, a.Stats().HeldBytes
	t.Logf("held %d, grown %d", held, grown)
	if held < grown*3/4 || held > grown*3/2 {
		t.Errorf("estimated %d bytes, the heap grew by %d", held, grown)
	}
	runtime.KeepAlive(a)
	runtime.KeepAlive(from)
}

func BenchmarkAdd(b *testing.B) {
	from := scene(b, "trace x1000\n0+9 a: POST /x ok\n  1+1 -> b.x ok request=r%n\n    2+1 b: x ok request=r%n\n  5+1 -> c.x ok\n")
	b.ReportAllocs()
	var a *Assembler
	for i := 0; b.Loop(); i++ {
		at := i % len(from.Spans)
		if at == 0 {
			a = New(Options{})
		}
		a.Add(int64(i), from, &from.Spans[at])
	}
}

// TestCutRequestsAreMarked follows the mark from the assembler to the request.
func TestCutRequestsAreMarked(t *testing.T) {
	from := trace.NewStore()
	for i := range byte(2) {
		from.Add(trace.Span{Trace: trace.TraceID{i + 1}, ID: trace.SpanID{1}, Kind: trace.Client, Start: int64(i)}, nil)
	}
	a := New(Options{MaxBytes: 1})
	out := a.Add(0, from, &from.Spans[0])
	if out == nil || len(out.Cut) != 1 {
		t.Fatalf("got %+v, want the first trace, cut", out)
	}
	for r := range trace.Build(out, trace.Options{}).Requests() {
		if !r.Cut {
			t.Error("the request does not say that it was cut")
		}
	}
}
