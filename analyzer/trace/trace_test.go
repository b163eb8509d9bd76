package trace_test

import (
	"cmp"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/retryaudit/retryaudit/analyzer/trace"
	"github.com/retryaudit/retryaudit/analyzer/tracetext"
)

var update = flag.Bool("update", false, "write the trees as they are")

// TestTrees builds each scene of testdata/*.txtar and compares the tree with
// the section "NAME tree" that follows it, in the order of the file and in
// others.
func TestTrees(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scenes: %v", err)
	}
	for _, path := range files {
		archive, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var out txtar.Archive
		out.Comment = archive.Comment
		for _, f := range archive.Files {
			if strings.HasSuffix(f.Name, " tree") {
				continue
			}
			name := filepath.Base(path) + "/" + f.Name
			scene, err := tracetext.Parse(string(f.Data))
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			var opt trace.Options
			if filepath.Base(path) == "corrections.txtar" {
				opt = corrected
			}
			got := draw(scene.Store(), opt)
			out.Files = append(out.Files, f, txtar.File{Name: f.Name + " tree", Data: []byte(got + "\n")})
			want := section(archive, f.Name+" tree")
			if !*update {
				if diff := gocmp.Diff(strings.TrimSpace(want), strings.TrimSpace(got)); diff != "" {
					t.Errorf("%s: tree differs (-want +got):\n%s", name, diff)
				}
			}
			for seed := range uint64(5) {
				if again := draw(shuffled(scene.Store(), seed), opt); again != got {
					t.Errorf("%s: order of spans changes the tree (-in order +shuffled):\n%s", name, gocmp.Diff(got, again))
					break
				}
			}
		}
		if *update {
			if err := os.WriteFile(path, txtar.Format(&out), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// corrected is the policy of corrections.txtar: what is asked of /apart is never
// an attempt of another, of /again always, and the loops of app are its SDK's.
var corrected = trace.Options{
	Retry: func(n trace.Names) (retry, known bool) {
		retry = strings.Contains(n.Op, "/again")
		return retry, retry || strings.Contains(n.Op, "/apart")
	},
	Owner: func(n trace.Names) trace.Names {
		if n.Layer == trace.App && n.Service == "app" {
			n.Layer = trace.SDK
		}
		return n
	},
}

func section(a *txtar.Archive, name string) string {
	for _, f := range a.Files {
		if f.Name == name {
			return string(f.Data)
		}
	}
	return ""
}

// shuffled returns the same spans in another order, with other symbols.
func shuffled(s *trace.Store, seed uint64) *trace.Store {
	r := rand.New(rand.NewPCG(seed, 1))
	parts := []*trace.Store{trace.NewStore(), trace.NewStore(), trace.NewStore()}
	for _, i := range r.Perm(len(s.Spans)) {
		parts[r.IntN(len(parts))].Take(s, &s.Spans[i])
	}
	out := trace.NewStore()
	for _, p := range parts {
		out.Merge(p)
	}
	return out
}

// draw writes the requests of a store as text: a line a call, a line an
// attempt with the lines of its spans.
func draw(s *trace.Store, opt trace.Options) string {
	g := trace.Build(s, opt)
	var b strings.Builder
	if g.Duplicates+g.Cycles+g.Hubs > 0 {
		fmt.Fprintf(&b, "duplicates %d, cycles %d, hubs %d\n", g.Duplicates, g.Cycles, g.Hubs)
	}
	for r := range g.Requests() {
		fmt.Fprintf(&b, "request of %d traces\n", len(r.Traces))
		for _, c := range r.Roots {
			drawCall(&b, r, c, "  ")
		}
		sizes := []string{}
		for _, class := range r.Logical {
			n := trace.Range{}
			for _, a := range class {
				n.Min += a.Count.Min
				n.Max += a.Count.Max
			}
			sizes = append(sizes, span(n))
		}
		fmt.Fprintf(&b, "  logical: %s\n", strings.Join(sizes, " "))
	}
	return strings.TrimRight(b.String(), "\n")
}

func span(r trace.Range) string {
	if r.Min == r.Max {
		return fmt.Sprint(r.Min)
	}
	return fmt.Sprintf("%d–%d", r.Min, r.Max)
}

func drawCall(b *strings.Builder, r *trace.Request, c *trace.Call, in string) {
	owner := strings.Join([]string{cmp.Or(c.Owner.Layer.String(), "?"), cmp.Or(r.Text(c.Owner.Service), "?")}, " ")
	fmt.Fprintf(b, "%s%s [%s] by %s", in, r.Text(c.Upstream.Op), c.Pattern, owner)
	if len(c.Attempts) > 1 {
		fmt.Fprintf(b, ", %s, %s", c.Known, c.Conf)
		if c.OneLevel {
			b.WriteString(", one level")
		}
		if c.List {
			b.WriteString(", or a list")
		}
	}
	if c.Ambiguous {
		b.WriteString(", ambiguous")
	}
	b.WriteString("\n")
	for _, a := range c.Attempts {
		lines := []string{}
		for _, s := range a.Spans {
			switch {
			case s.Flags.Has(trace.Ghost):
				lines = append(lines, "ghost")
			default:
				lines = append(lines, fmt.Sprint(s.Line))
			}
		}
		if len(lines) == 0 {
			lines = append(lines, fmt.Sprintf("%s not seen", span(a.Count)))
		}
		fmt.Fprintf(b, "%s  %d: %s %s", in, a.N, strings.Join(lines, ">"), outcome(a))
		if a.Wait.Known != 0 {
			fmt.Fprintf(b, " after %s", a.Wait.D)
		}
		if a.Fallback {
			b.WriteString(" elsewhere")
		}
		b.WriteString("\n")
		for _, k := range a.Calls {
			drawCall(b, r, k, in+"    ")
		}
	}
}

func outcome(a *trace.Attempt) string {
	switch {
	case a.Failed():
		return strings.TrimSpace(a.Class.String() + " " + a.Verdict.String())
	case a.Outcome == trace.OK:
		return "ok"
	}
	return "-"
}

// TestGhostsFindTheShortestAround compares the search for the span around a ghost
// with looking at every span.
func TestGhostsFindTheShortestAround(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	for round := range 300 {
		s := trace.NewStore()
		svc := s.Sym("svc")
		n := 2 + r.IntN(30)
		for i := range n {
			start := int64(r.IntN(100))
			s.Add(trace.Span{
				Trace: trace.TraceID{1}, ID: trace.SpanID{byte(i + 1)}, Start: start, End: start + int64(r.IntN(60)),
				Service: svc, Instance: svc, Kind: trace.Internal, Ask: s.Sym(fmt.Sprint("work ", i)),
			}, nil)
		}
		orphan := trace.Span{
			Trace: trace.TraceID{1}, ID: trace.SpanID{200}, Parent: trace.SpanID{100}, Start: int64(r.IntN(120)),
			Service: svc, Instance: svc, Kind: trace.Client, Ask: s.Sym("GET /"), Outcome: trace.OK,
		}
		orphan.End = orphan.Start + int64(r.IntN(30))
		s.Add(orphan, nil)
		want := around(s.Spans[:n], orphan.Start, orphan.End)
		if want == nil {
			want = around(s.Spans[:n], orphan.Start, orphan.Start)
		}
		got := trace.SpanID{}
		for req := range trace.Build(s, trace.Options{}).Requests() {
			for c := range req.Calls() {
				for _, a := range c.Attempts {
					if a.Spans[0].Flags.Has(trace.Ghost) && c.Parent != nil {
						got = c.Parent.Spans[len(c.Parent.Spans)-1].ID
					}
					for k := 1; k < len(a.Spans); k++ {
						if a.Spans[k].Flags.Has(trace.Ghost) {
							got = a.Spans[k-1].ID
						}
					}
				}
			}
		}
		switch {
		case len(want) == 1 && got != want[0]:
			t.Fatalf("round %d: ghost hangs under %s, want %s", round, got, want[0])
		case len(want) != 1 && !got.IsZero():
			t.Fatalf("round %d: ghost hangs under %s, want none of %v", round, got, want)
		}
	}
}

// around returns the IDs of the shortest spans that hold from and to.
func around(spans []trace.Span, from, to int64) []trace.SpanID {
	var best []trace.Span
	for _, s := range spans {
		if s.Start > from || s.End < to {
			continue
		}
		if len(best) > 0 && s.Duration() > best[0].Duration() {
			continue
		}
		if len(best) > 0 && s.Duration() < best[0].Duration() {
			best = best[:0]
		}
		best = append(best, s)
	}
	var ids []trace.SpanID
	for _, s := range best {
		ids = append(ids, s.ID)
	}
	slices.SortFunc(ids, func(a, b trace.SpanID) int { return strings.Compare(a.String(), b.String()) })
	return ids
}

// TestCirclesAreCut builds spans that are each other's parents.
func TestCirclesAreCut(t *testing.T) {
	s := trace.NewStore()
	svc := s.Sym("svc")
	id := func(b byte) trace.SpanID { return trace.SpanID{b} }
	add := func(b, parent byte, start int64) {
		s.Add(trace.Span{
			Trace: trace.TraceID{1}, ID: id(b), Parent: id(parent), Start: start, End: start + 100,
			Service: svc, Kind: trace.Client, Ask: svc, Outcome: trace.OK,
		}, nil)
	}
	add(1, 1, 0) // its own parent
	add(2, 3, 10)
	add(3, 4, 20)
	add(4, 2, 30)
	add(5, 4, 40)
	g := trace.Build(s, trace.Options{})
	if g.Cycles != 2 {
		t.Errorf("cut %d circles, want 2", g.Cycles)
	}
	spans, roots := 0, 0
	for r := range g.Requests() {
		spans += r.Spans
		roots += len(r.Roots)
		for c := range r.Calls() {
			for _, a := range c.Attempts {
				for _, p := range a.Spans {
					spans += 100 * int(p.ID[0])
				}
			}
		}
	}
	// The edge of the latest start is cut: 4 is a root, with 3, 2 and 5 below.
	if roots != 2 || spans != 5+100*(1+2+3+4+5) {
		t.Errorf("%d roots and sum %d, want 2 and all spans once", roots, spans)
	}
}
