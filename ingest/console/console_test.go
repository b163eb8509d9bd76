package console

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/retryaudit/retryaudit/analyzer/trace"
	"github.com/retryaudit/retryaudit/ingest/decode"
	"github.com/retryaudit/retryaudit/ingest/record"
)

func collect(t *testing.T, read read, in string, lim decode.Limits) ([]record.Span, decode.Result) {
	t.Helper()
	var spans []record.Span
	result, err := read(strings.NewReader(in), lim, func(s *record.Span) error {
		spans = append(spans, *s)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return spans, result
}

func file(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// at returns the line and the offset of the first occurrence of a text.
func at(in, text string) (int, int64) {
	i := strings.Index(in, text)
	return 1 + strings.Count(in[:i], "\n"), int64(i)
}

func ids(traceID, id, parent string) (tid trace.TraceID, sid, pid trace.SpanID) {
	var d decode.Sink
	o := &decode.Object{}
	for text, to := range map[string][]byte{traceID: tid[:], id: sid[:], parent: pid[:]} {
		v := str(text)
		d.HexID(o, "", &v, to)
	}
	return tid, sid, pid
}

func num(i int64) record.Value                  { return record.Value{Type: record.Int, I: i} }
func float(f float64) record.Value              { return record.Value{Type: record.Double, D: f} }
func boolean(b bool) record.Value               { return record.Value{Type: record.Bool, B: b} }
func list(v ...record.Value) record.Value       { return record.Value{Type: record.List, List: v} }
func attr(k string, v record.Value) record.Attr { return record.Attr{Key: k, Value: v} }

const (
	traceA = "c12d2b95eb6d6a6986f16f1e51d88995"
	traceB = "1e2af0e6eca16e05d2e192753a3aee81"
	spanA  = "ff6fa3573f0d28de"
	spanB  = "d8ebc82547a43721"
	spanC  = "a0ae051d2cb105bc"
)

// span fills in the IDs and the place, at which begins stands.
func span(in, begins, traceID, id, parent string, s record.Span) record.Span {
	s.Trace, s.ID, s.Parent = ids(traceID, id, parent)
	s.Line, s.Offset = at(in, begins)
	return s
}

func linkTo(attrs ...record.Attr) []record.Link {
	l := record.Link{Attrs: attrs}
	l.Trace, l.ID, _ = ids(traceB, spanC, "")
	return []record.Link{l}
}

// foreignAt is the one problem of lines that are no part of a span.
func foreignAt(line int, offset, count int64) []decode.Problem {
	return []decode.Problem{{Line: line, Offset: offset, Count: count, Reason: "found lines that are no part of a span; skipped them", Foreign: true}}
}

func check(t *testing.T, spans, wantSpans []record.Span, result decode.Result, problems []decode.Problem) {
	t.Helper()
	if diff := cmp.Diff(wantSpans, spans); diff != "" {
		t.Error(diff)
	}
	if !result.Known || result.Spans != int64(len(spans)) || result.Damaged != (len(problems) > 1) {
		t.Errorf("result %+v", result)
	}
	if diff := cmp.Diff(problems, result.Problems); diff != "" {
		t.Error(diff)
	}
}

// crlf is what Windows prints.
func crlf(in string) string { return strings.ReplaceAll(in, "\n", "\r\n") }

func TestGo(t *testing.T) {
	in := file(t, "go.txt")
	spans, result := collect(t, ReadGo, in, testLimits)
	service := []record.Attr{attr("service.name", str("tagger"))}
	check(t, spans, []record.Span{
		span(in, `{"Name":"HTTP`, traceA, spanA, spanB, record.Span{
			Name: "HTTP POST", TraceState: "a=1", Kind: trace.Client,
			Start: 1796076200457412131, End: 1796076200543521075,
			Status: record.Error, StatusMessage: "429",
			Scope: "otelhttp", ScopeVersion: "0.72.0", Resource: service,
			Attrs: []record.Attr{
				attr("b", boolean(true)), attr("i", num(9007199254740993)), attr("f", float(3)), attr("s", str("POST")),
				attr("bs", list(boolean(true))), attr("is", list(num(1))), attr("fs", list(float(1), float(0.5))), attr("ss", list(str("stop"))),
				attr("y", record.Value{Type: record.Bytes, S: "hi"}), attr("l", list(float(1))), attr("m.k", str("v")),
			},
			Events: []record.Event{{Name: "exception", Time: 1796076200500000000, Attrs: []record.Attr{attr("exception.type", str("x"))}}},
			Links:  linkTo(attr("k", num(1))),
		}),
		span(in, "{\n\t\"Name\": \"process", traceB, "059bf87b00979ec7", "", record.Span{
			Name: "process_job", Kind: trace.Internal, Status: record.OK, Scope: "lib", ScopeVersion: "1",
		}),
		span(in, "{\n\t\"SpanContext\"", "503ae9aae593985ae5a96823ceff7503", "515e5ceec9c60fd5", "059bf87b00979ec7", record.Span{
			Name: "old", Kind: trace.Client, Start: 1580117771034975934, End: 1580117771047985393,
			Status: record.Error, StatusMessage: "unknown",
			Events: []record.Event{{Name: "foo", Time: 1580117771034975934}},
		}),
	}, result, append([]decode.Problem{{Line: 5, Offset: 2047, Reason: "span 059bf87b00979ec7: has no start time; want one"}}, foreignAt(1, 0, 6)...))

	windows, _ := collect(t, ReadGo, crlf(in), testLimits)
	for i := range windows {
		windows[i].Offset = spans[i].Offset
	}
	if diff := cmp.Diff(spans, windows); diff != "" {
		t.Error(diff)
	}
}

func TestGoArray(t *testing.T) {
	in := file(t, "go.txt")
	_, from := at(in, `{"Name":"HTTP`)
	one, _, _ := strings.Cut(in[from:], "\n")
	array := "[" + strings.Repeat(one+",", 4) + one + "]"
	spans, result := collect(t, ReadGo, array, testLimits)
	if len(spans) != 5 || len(result.Problems) != 0 || spans[1].Offset != int64(len(one))+2 {
		t.Errorf("%d spans, %+v", len(spans), result)
	}
}

func TestPython(t *testing.T) {
	in := file(t, "python.txt")
	spans, result := collect(t, ReadPython, in, testLimits)
	service := []record.Attr{attr("service.name", str("tagger"))}
	check(t, spans, []record.Span{
		span(in, "{\n    \"name\": \"chat", traceA, spanA, spanB, record.Span{
			Name: "chat gpt-4o", TraceState: "a=1,b=2", Kind: trace.Client,
			Start: 1796076200457412000, End: 1796076200543521000,
			Status: record.Error, StatusMessage: "RateLimitError: 429", Resource: service,
			Attrs: []record.Attr{
				attr("gen_ai.request.model", str("gpt-4o")),
				attr("gen_ai.response.finish_reasons", list(str("stop"))),
				attr("http.status_code", num(429)),
			},
			Events: []record.Event{{Name: "exception", Time: 1796076200500000000, Attrs: []record.Attr{
				attr("exception.type", str("RateLimitError")),
				attr("exception.stacktrace", str("Traceback:\n  File \"a.py\"\n}\n")),
			}}},
			Links: linkTo(),
		}),
		span(in, "{\n    \"name\": \"root", traceA, spanB, "", record.Span{
			Name: "root", Kind: trace.Internal, Start: 1796076200457412000, Resource: service,
		}),
	}, result, append([]decode.Problem{{Line: 54, Offset: 1525, Reason: "span d8ebc82547a43721: has no end time; want one"}}, foreignAt(1, 0, 4)...))
	if result.Skipped["metrics"] != 1 {
		t.Errorf("skipped %v; want metrics", result.Skipped)
	}
}

func TestJavaScript(t *testing.T) {
	in := file(t, "javascript.txt")
	spans, result := collect(t, ReadJavaScript, in, testLimits)
	check(t, spans, []record.Span{
		span(in, "{\n  resource", traceA, spanA, spanB, record.Span{
			Name: "it's", TraceState: "a=1", Kind: trace.Client,
			Start: 1796075970245000192, End: 1796075970245000192 + 216375740,
			Status: record.Error, StatusMessage: "Too many requests",
			Scope: "undici", ScopeVersion: "0.33.0",
			Resource: []record.Attr{
				attr("service.name", str("shop")),
				attr("process.command_args", list(str("/usr/bin/node"), str("/srv/main.mjs"))),
			},
			Attrs: []record.Attr{
				attr("http.request.method", str("POST")),
				attr("text", str("line1\nline2 \x1b[31m é \\")),
				attr("gen_ai.response.finish_reasons", list(str("stop"))),
				attr("n", float(-0.5)), attr("ok", boolean(true)),
			},
			Events: []record.Event{{Name: "exception", Time: 1796075970300000001, Attrs: []record.Attr{
				attr("exception.stacktrace", str("Error: x\n    at y\n}\n")),
			}}},
			Links: linkTo(attr("k", num(1))),
		}),
		span(in, "BatchSpan", traceA, spanB, "", record.Span{
			Name: "root", Kind: trace.Internal, Start: 1796075970245000000, End: 1796075970245001000, Status: record.OK,
		}),
		span(in, "{ traceId", traceB, spanC, spanB, record.Span{
			Name: "old", Kind: trace.Consumer, Start: 1596075970245000000, End: 1596075970245100000,
			Attrs: []record.Attr{attr("component", str("http"))},
		}),
	}, result, foreignAt(1, 0, 8))

	windows, _ := collect(t, ReadJavaScript, crlf(in), testLimits)
	for i := range windows {
		windows[i].Offset = spans[i].Offset
	}
	if diff := cmp.Diff(spans, windows); diff != "" {
		t.Error(diff)
	}
}

func TestDotNet(t *testing.T) {
	in := file(t, "dotnet.txt")
	spans, result := collect(t, ReadDotNet, in, testLimits)
	const start = 1689156286730645000
	service := attr("service.name", str("shop"))
	want := []record.Span{
		span(in, "Activity.TraceId:            c", traceA, spanA, spanB, record.Span{
			Name: "POST", TraceState: "a=1", Kind: trace.Client, Start: start, End: start + 611740200,
			Status: record.Error, StatusMessage: "Too many requests\n (429)",
			Scope: "System.Net.Http", ScopeVersion: "1.2",
			Resource: []record.Attr{service, attr("telemetry.sdk.version", str("1.14.0"))},
			Attrs: []record.Attr{
				attr("http.request.method", str("POST")),
				attr("url.full", str("http://localhost:8081/v1?a=b: c")),
				attr("db.statement", str("SELECT 1\nFROM t\n  WHERE a: b\n\nLIMIT 1")),
				attr("gen_ai.response.finish_reasons", list(str("stop"))),
				attr("empty", str("")),
				attr("text", str(`[{"a":1}]`)),
			},
			Events: []record.Event{
				{Name: "exception", Time: 1689156287000000000, Attrs: []record.Attr{
					attr("exception.type", str("System.Exception")),
					attr("exception.stacktrace", str("System.Exception: no\n   at Foo.Bar() in /src/Foo.cs:line 3\n   --- End of inner exception stack trace ---")),
				}},
				{Name: "second", Time: 1689156287250000000},
			},
			Links: linkTo(attr("k", str("v"))),
		}),
		span(in, "Activity.TraceId:          c", traceA, spanB, "", record.Span{
			Name: "Job", Kind: trace.Internal, Start: start, End: start + 86401e9,
			Status: record.Error, StatusMessage: "down", Scope: "Shop",
			Resource: []record.Attr{service}, Attrs: []record.Attr{attr("foo", str("1"))},
		}),
		span(in, "Activity.Id:", "8389584945550f40820b96ce1ceb9299", "745239d26e408342", "845239d26e408342", record.Span{
			Name: "Old", Kind: trace.Server, Start: 1594548286730645000, End: 1594548286730645000,
			Attrs: []record.Attr{attr("foo", str("1"))},
		}),
	}
	check(t, spans, want, result, foreignAt(1, 0, 7))

	windows, _ := collect(t, ReadDotNet, crlf(in), testLimits)
	for i := range windows {
		windows[i].Offset = spans[i].Offset
	}
	if diff := cmp.Diff(spans, windows); diff != "" {
		t.Error(diff)
	}
}

func TestDotNetDates(t *testing.T) {
	s := &dotnetSpan{}
	s.Start = 1689156286730645000 // 2023-07-12
	for _, text := range []string{
		"7/12/2023 10:04:46 AM +00:00", "7/12/2023 10:04:46\u202fAM +00:00", "07/12/2023 10:04:46 +00:00",
		"12/07/2023 12:04:46 +02:00", "12.07.2023 10:04:46 +00:00", "2023-07-12 10:04:46 +00:00", "2023/07/12 10:04:46 +00:00",
		"2023-07-12T10:04:46.0000000+00:00",
	} {
		if at, ok := s.eventTime(text); !ok || at != 1689156286000000000 {
			t.Errorf("%q: %d, %v", text, at, ok)
		}
	}
	if _, ok := s.eventTime("25.13.2566 10:04:46"); ok {
		t.Error("a date that is none is read")
	}
}

// reasons are the problems but those of foreign lines.
func reasons(result decode.Result) []string {
	var out []string
	for _, p := range result.Problems {
		if !strings.HasPrefix(p.Reason, "found lines that are") {
			out = append(out, p.Reason)
		}
	}
	return slices.Clip(out)
}
