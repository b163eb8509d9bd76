package console

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/retryaudit/retryaudit/ingest/decode"
	"github.com/retryaudit/retryaudit/ingest/record"
)

// spans of each format that end in a line.
const (
	goSpanText = `{"Name":"x","SpanContext":{"TraceID":"` + traceA + `","SpanID":"` + spanA + `"},"SpanKind":3,` +
		`"StartTime":"2026-11-30T22:03:20Z","EndTime":"2026-11-30T22:03:21Z"}` + "\n"
	pythonSpanText = "{\n    \"name\": \"x\",\n    \"context\": {\n        \"trace_id\": \"0x" + traceA + "\",\n        \"span_id\": \"0x" + spanA + "\"\n    },\n" +
		"    \"start_time\": \"2026-11-30T22:03:20Z\",\n    \"end_time\": \"2026-11-30T22:03:21Z\"\n}\n"
	jsSpanText = "{\n  traceId: '" + traceA + "',\n  name: 'x',\n  id: '" + spanA + "',\n  timestamp: 1796075970245000,\n  duration: 1\n}\n"
	dotnetText = "Activity.TraceId:            " + traceA + "\nActivity.SpanId:             " + spanA + "\nActivity.DisplayName:        x\n" +
		"Activity.StartTime:          2026-11-30T22:03:20Z\nActivity.Duration:           00:00:01\nActivity.Tags:\n    a: b\n" +
		"Resource associated with Activity:\n    service.name: x\n\n"
)

var formats = map[string]struct {
	read read
	span string
}{
	"go":         {ReadGo, goSpanText},
	"python":     {ReadPython, pythonSpanText},
	"javascript": {ReadJavaScript, jsSpanText},
	"dotnet":     {ReadDotNet, dotnetText},
}

func TestDamage(t *testing.T) {
	for _, test := range []struct {
		name, format string
		change       func(span string) string
		spans        int
		want         []string
	}{
		{"cut at the end", "go", func(s string) string { return s + s[:90] }, 1, []string{"unexpected end of the input"}},
		{"cut at the end", "python", func(s string) string { return s + s[:90] }, 1, []string{"unexpected end of the input"}},
		{"cut at the end", "javascript", func(s string) string { return s + s[:90] }, 1, []string{"unexpected end of the input"}},
		{"cut at the end", "dotnet", func(s string) string { return s + s[:90] }, 1, []string{"unexpected end of the span"}},
		{"spliced", "go", func(s string) string { return s[:90] + "\n" + s }, 1, []string{"unexpected end of the line"}},
		{"spliced in a line", "go", func(s string) string { return s[:90] + s + s }, 1, []string{"broken JSON"}},
		{"spliced", "python", func(s string) string { return s[:19] + s }, 1, []string{"the next one begins"}},
		{"spliced", "javascript", func(s string) string { return s[:2] + s }, 1, []string{"the next one begins"}},
		{"spliced", "dotnet", func(s string) string { return s[:100] + "\n" + s }, 1, []string{"unexpected end of the span"}},
		{"no hex", "go", func(s string) string { return strings.Replace(s, traceA, "x"+traceA[1:], 1) + s }, 1, []string{"trace ID: found"}},
		{"no hex", "python", func(s string) string { return strings.Replace(s, spanA, "x", 1) + s }, 1, []string{"span ID: found"}},
		{"no hex", "javascript", func(s string) string { return strings.Replace(s, traceA, "x", 1) + s }, 1, []string{"trace ID: found"}},
		{"no hex", "dotnet", func(s string) string { return strings.Replace(s, spanA, spanA+"0", 1) + s }, 1, []string{"span ID: found"}},
		{"no ID", "go", func(s string) string { return strings.Replace(s, spanA, "", 1) + s }, 1, []string{"span ID is missing"}},
		{"no ID", "python", func(s string) string { return strings.Replace(s, spanA, "0", 1) + s }, 1, []string{"span ID is missing"}},
		{"no ID", "javascript", func(s string) string { return strings.Replace(s, spanA, "", 1) + s }, 1, []string{"span ID is missing"}},
		{"no ID", "dotnet", func(s string) string { return strings.Replace(s, "Activity.SpanId", "Activity.X", 1) + s }, 1, []string{"span ID is missing"}},
		{"odd time", "go", func(s string) string { return strings.Replace(s, "2026-11-30T22:03:20Z", "soon", 1) }, 1, []string{"start time: found \"soon\"", "no start time"}},
		{"odd time", "python", func(s string) string { return strings.Replace(s, "22:03:21", "22:03:19", 1) }, 1, []string{"before it starts"}},
		{"odd time", "javascript", func(s string) string { return strings.Replace(s, "1796075970245000", "-5", 1) }, 1, []string{"timestamp: found \"-5\"", "no start time"}},
		{"odd time", "javascript", func(s string) string { return strings.Replace(s, "duration: 1", "duration: NaN", 1) }, 1, []string{"duration: found \"NaN\"", "no end time"}},
		{"odd time", "dotnet", func(s string) string { return strings.Replace(s, "00:00:01", "a while", 1) }, 1, []string{"duration: found \"a while\"", "no end time"}},
		{"NUL", "go", func(s string) string { return "\x00\x00" + s + s }, 2, []string{"2 NUL bytes"}},
		{"NUL", "javascript", func(s string) string { return strings.Replace(s, "1796", "\x00", 1) + s }, 2, []string{"timestamp: found", "no start time"}},
		{"NUL", "dotnet", func(s string) string { return strings.Replace(s, "    a", "    \x00a", 1) + s }, 2, []string{"1 NUL bytes"}},
		{"broken value", "javascript", func(s string) string { return strings.Replace(s, "'x'", "'x", 1) + s }, 1, []string{"a string that ends in its line"}},
		{"wrong event", "dotnet", func(s string) string {
			return strings.Replace(s, "Resource", "Activity.Events:\n    x [never]\nResource", 1)
		}, 1, []string{"time of an event: found \"never\""}},
		{"mark", "go", func(s string) string { return "\xef\xbb\xbf" + s }, 1, nil},
		{"mark", "dotnet", func(s string) string { return "\xef\xbb\xbf" + s }, 1, nil},
	} {
		t.Run(test.format+" "+test.name, func(t *testing.T) {
			f := formats[test.format]
			spans, result := collect(t, f.read, test.change(f.span), testLimits)
			got := reasons(result)
			ok := len(spans) == test.spans && len(got) == len(test.want)
			for i := range got {
				ok = ok && strings.Contains(got[i], test.want[i])
			}
			if !ok {
				t.Errorf("%d spans, %q; want %d, %q", len(spans), got, test.spans, test.want)
			}
		})
	}
}

// TestNoFlood reads logs with hardly a span in them.
func TestNoFlood(t *testing.T) {
	log := "2026/11/30 22:03:20 [x] {y: \"z\"}\n{\"level\":\"info\"}\n{\n  \"a\": 1\n}\n[GIN] x\n  at foo\n\n{broken\nplain\n"
	for name, f := range formats {
		in := strings.Repeat(log, 100) + f.span + strings.Repeat(log, 100) + f.span
		spans, result := collect(t, f.read, in, testLimits)
		if len(spans) != 2 || len(result.Problems) != 1 || result.Problems[0].Count < 600 || result.Damaged {
			t.Errorf("%s: %d spans, %+v", name, len(spans), result)
			continue
		}
		line, offset := at(in, f.span)
		if spans[0].Line != line || spans[0].Offset != offset {
			t.Errorf("%s: line %d, offset %d; want %d, %d", name, spans[0].Line, spans[0].Offset, line, offset)
		}
		i := strings.LastIndex(in, f.span)
		if want := 1 + strings.Count(in[:i], "\n"); spans[1].Line != want || spans[1].Offset != int64(i) {
			t.Errorf("%s: line %d, offset %d; want %d, %d", name, spans[1].Line, spans[1].Offset, want, i)
		}
	}
}

// repeated repeats a text n times, between a head and a tail.
type repeated struct {
	head, text, tail string
	n                int
	r                strings.Reader
}

func (r *repeated) Read(p []byte) (int, error) {
	for r.r.Len() == 0 {
		switch {
		case r.head != "":
			r.r.Reset(r.head)
			r.head = ""
		case r.n > 0:
			r.r.Reset(r.text)
			r.n--
		case r.tail != "":
			r.r.Reset(r.tail)
			r.tail = ""
		default:
			return 0, io.EOF
		}
	}
	return r.r.Read(p)
}

// TestStream reads much more than may be held.
func TestStream(t *testing.T) {
	lim := decode.Limits{MaxString: 1 << 10, MaxDepth: 16, MaxMessage: 4 << 10, MaxElements: 100}
	const n = 5000
	count := func(name string, read read, in io.Reader, want int64, problems int) {
		t.Helper()
		result, err := read(in, lim, func(*record.Span) error { return nil })
		if err != nil || result.Spans != want || len(result.Problems) != problems {
			t.Errorf("%s: %v, %d spans, problems %.300v; want %d and %d", name, err, result.Spans, result.Problems, want, problems)
		}
	}
	for name, f := range formats {
		count(name, f.read, &repeated{text: f.span, n: n}, n, 0)
		count(name+" with log", f.read, &repeated{text: f.span + "log\n", n: n}, n, 1)
		count(name+" behind a log", f.read, &repeated{text: "a line of a log\n", n: 10 * n, tail: f.span}, 1, 1)
		count(name+" behind a line", f.read, &repeated{text: "a very long line ", n: 10 * n, tail: "\n" + f.span}, 1, 1)
		count(name+" behind empty lines", f.read, &repeated{text: "\n", n: 10 * n, tail: f.span}, 1, 0)
	}
	one := strings.TrimSpace(goSpanText)
	count("array in a line", ReadGo, &repeated{head: "[" + one, text: "," + one, n: n, tail: "]"}, n+1, 0)

	larger := strings.Repeat("x", 200000)
	count("larger", ReadGo, strings.NewReader(strings.Replace(goSpanText, `"x"`, `"`+larger+`"`, 1)+goSpanText), 1, 1)
	count("larger", ReadJavaScript, strings.NewReader(strings.Replace(jsSpanText, `x`, larger, 1)+jsSpanText), 1, 1)
	count("larger", ReadDotNet, strings.NewReader(strings.Replace(dotnetText, `x`, larger, 1)+dotnetText), 1, 1)
	many := strings.Repeat("\n    a: b", 200)
	count("many", ReadDotNet, strings.NewReader(strings.Replace(dotnetText, "\n    a: b", many, 1)+dotnetText), 1, 1)
	many = strings.Repeat("  a: 1,\n", 200)
	count("many", ReadJavaScript, strings.NewReader(strings.Replace(jsSpanText, "  name", many+"  name", 1)+jsSpanText), 1, 1)
}

func TestOneByte(t *testing.T) {
	for name, f := range map[string]read{"go.txt": ReadGo, "python.txt": ReadPython, "javascript.txt": ReadJavaScript, "dotnet.txt": ReadDotNet} {
		in := file(t, name)
		want, wantResult := collect(t, f, in, testLimits)
		var spans []record.Span
		result, err := f(iotest.OneByteReader(strings.NewReader(in)), testLimits, func(s *record.Span) error {
			spans = append(spans, *s)
			return nil
		})
		if diff := cmp.Diff(want, spans) + cmp.Diff(wantResult, result); diff != "" || err != nil {
			t.Error(name, err, diff)
		}
	}
}

func TestErrors(t *testing.T) {
	bad := errors.New("bad disk")
	for name, f := range formats {
		spans := 0
		result, err := f.read(io.MultiReader(strings.NewReader(f.span+f.span), iotest.ErrReader(bad)), testLimits, func(*record.Span) error { spans++; return nil })
		if !errors.Is(err, bad) || spans != 2 || len(result.Problems) != 1 {
			t.Errorf("%s: error %v, %d spans, %v", name, err, spans, result.Problems)
		}
		stop := fmt.Errorf("stop")
		if result, err = f.read(strings.NewReader(f.span+f.span), testLimits, func(*record.Span) error { return stop }); err != stop || result.Spans != 1 {
			t.Errorf("%s: error %v, %+v", name, err, result)
		}
	}
}
