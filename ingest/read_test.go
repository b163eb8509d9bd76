package ingest

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/retryaudit/retryaudit/ingest/record"
)

func load(t testing.TB, path string) []byte {
	t.Helper()
	b, err := os.ReadFile("../testdata/" + path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func gzipped(t testing.TB, b []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	if _, err := w.Write(b); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func zstded(t testing.TB, b []byte) []byte {
	t.Helper()
	w, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	return w.EncodeAll(b, nil)
}

func framed(messages ...[]byte) []byte {
	out := []byte{}
	for _, m := range messages {
		out = binary.BigEndian.AppendUint32(out, uint32(len(m)))
		out = append(out, m...)
	}
	return out
}

func read(in []byte, opt Options) (Info, error) {
	return readOne(bytes.NewReader(in), "in.x", opt, func(*record.Span) error { return nil })
}

func TestReadPacked(t *testing.T) {
	lines := load(t, "formats/f02-jsonl-crlf.jsonl") // 4 spans
	line := bytes.TrimSpace(bytes.SplitAfter(lines, []byte("\n"))[0])
	message := load(t, "formats/f36-export-request.binpb") // 4 spans
	broken := zstded(t, line)
	broken[len(broken)-1] ^= 0xff // the checksum
	tests := map[string]struct {
		in                  []byte
		format, compression string
		spans               int64
		problem             string
	}{
		"lines":                        {lines, "otlp-json", "", 4, ""},
		"lines in gzip":                {gzipped(t, lines), "otlp-json", "gzip", 4, ""},
		"lines in two members of gzip": {append(gzipped(t, lines), gzipped(t, lines)...), "otlp-json", "gzip", 8, ""},
		"lines in zstd":                {zstded(t, lines), "otlp-json", "zstd", 4, ""},
		"lines in two frames of zstd":  {append(zstded(t, lines), zstded(t, lines)...), "otlp-json", "zstd", 8, ""},
		"lines in frames":              {framed(zstded(t, line), zstded(t, lines)), "otlp-json", "zstd-framed", 5, ""},
		"frames in gzip":               {gzipped(t, framed(zstded(t, line), zstded(t, line))), "otlp-json", "zstd-framed+gzip", 2, ""},
		"protobuf":                     {message, "otlp-proto", "", 4, ""},
		"protobuf in gzip":             {gzipped(t, message), "otlp-proto", "gzip", 4, ""},
		"protobuf in zstd":             {zstded(t, message), "otlp-proto", "zstd", 4, ""},
		"framed protobuf":              {framed(message, message), "otlp-proto", "", 8, ""},
		"framed protobuf in gzip":      {gzipped(t, framed(message)), "otlp-proto", "gzip", 4, ""},
		"protobuf in frames":           {framed(zstded(t, message), zstded(t, message)), "otlp-proto", "zstd-framed", 8, ""},
		"lines behind a cut one":       {append([]byte("tes\":[]}]}\n"), lines...), "otlp-json", "", 4, "broken JSON"},
		"gzip cut":                     {gzipped(t, lines)[:len(gzipped(t, lines))-4], "otlp-json", "gzip", 4, "unexpected end of the gzip data"},
		"zstd with garbage":            {append(zstded(t, lines), "garbage"...), "otlp-json", "zstd", 4, "damaged zstd data"},
		"broken frame":                 {framed(zstded(t, line), broken, zstded(t, line)), "otlp-json", "zstd-framed", 2, "damaged frame of"},
		"broken first frame":           {framed(broken, zstded(t, message)), "otlp-proto", "zstd-framed", 4, "damaged frame of"},
		"other format in a frame":      {framed(zstded(t, line), zstded(t, message)), "otlp-json", "zstd-framed", 1, "frame in another format"},
		"frame cut":                    {framed(zstded(t, line), zstded(t, line))[:2*len(zstded(t, line))], "otlp-json", "zstd-framed", 1, "unexpected end of the zstd-framed data"},
		"framed protobuf, first empty": {framed(nil, nil, message), "otlp-proto", "", 4, ""},
		"JSON text sequence":           {bytes.Join([][]byte{nil, line, line}, []byte("\n\x1e"))[1:], "otlp-json", "", 2, ""},
		"NUL bytes first":              {append(make([]byte, 101), line...), "otlp-json", "", 1, "101 NUL bytes"},
		"empty requests":               {append([]byte("{}\n"), lines...), "otlp-json", "", 4, ""},
		"empty frame":                  {framed(zstded(t, line), zstded(t, nil), nil, zstded(t, line)), "otlp-json", "zstd-framed", 2, ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			info, err := read(test.in, Options{})
			if err != nil {
				t.Fatal(err)
			}
			if info.Format != test.format || info.Compression != test.compression || info.Spans != test.spans || info.Path != "in.x" {
				t.Errorf("%+v; want %s in %q, %d spans", info, test.format, test.compression, test.spans)
			}
			if test.problem == "" && len(info.Problems) > 0 || test.problem != "" && (len(info.Problems) != 1 || !strings.Contains(info.Problems[0].Reason, test.problem)) {
				t.Errorf("problems %+v; want %q", info.Problems, test.problem)
			}
		})
	}
}

func TestReadRefuses(t *testing.T) {
	line := load(t, "formats/f01-upper-hex-number-times.json")
	tests := map[string]struct {
		in   string
		want string
	}{
		"empty":          {"", "empty; want OTLP JSON"},
		"empty gzip":     {string(gzipped(t, nil)), "empty; want"},
		"white space":    {" \n\n", "looks like white space only"},
		"CSV":            {"a,b,c\n1,2,3\n", "looks like CSV"},
		"HTML":           {"\n<!DOCTYPE html><p>", "looks like HTML"},
		"XML":            {"<?xml?>", "looks like XML"},
		"text":           {"hello\n", `looks like text ("hello")`},
		"binary":         {"\x01\x02\x00\x04", "looks like binary data"},
		"Arrow file":     {"ARROW1\x00\x00", "looks like an Arrow file"},
		"OTLP Arrow":     {"\xff\xff\xff\xff\x78\x00\x00\x00", "an Arrow stream, as of OTLP Arrow"},
		"empty requests": {"{}\n{}", "found nothing that is known"},
		"other JSON":     {`{"a":1}`, `looks like JSON with the names "a"; want OTLP JSON`},
		"no spans":       {`{"resourceSpans":[]}`, "otlp-json without any span; want some"},
		"other signals":  {`{"resourceLogs":[{},{}]}{"resourceMetrics":[{}]}`, "OTLP that holds only logs (2) and metrics (1); want spans"},
		"bad spans":      {`{"resourceSpans":[{"scopeSpans":[{"spans":[{}]}]}]}`, `no span could be read; first, in line 1: span "": trace ID is missing`},
		"broken":         {`{"resourceSpans":[{`, "unexpected end"},
		"bad protobuf":   {"\x0a\x04\x12\x02\x12\x00", "no span could be read; first, at byte 6: span"},
		"gzip head":      {"\x1f\x8b\x08", "unexpected end of the gzip data"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			info, err := read([]byte(test.in), Options{})
			if err == nil || !strings.HasPrefix(err.Error(), "in.x: ") || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%+v, error %v; want %q", info, err, test.want)
			}
		})
	}
	info, err := read(zstded(t, bytes.Repeat(line, 1000)), Options{MaxDecompressed: 2000})
	if err == nil || !strings.Contains(err.Error(), "above the limit of 2000 bytes (MaxDecompressed)") || info.Spans != 4 {
		t.Errorf("%+v, error %v; want 4 spans and MaxDecompressed", info, err)
	}
	info, err = read(framed(zstded(t, line), zstded(t, bytes.Repeat(line, 1000)), zstded(t, line)), Options{MaxMessage: 1000})
	if err != nil || info.Spans != 2 || len(info.Problems) != 1 || !strings.Contains(info.Problems[0].Reason, "1000 bytes (MaxMessage)") {
		t.Errorf("%+v, error %v; want 2 spans and MaxMessage", info, err)
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

func TestReadErrors(t *testing.T) {
	failure := errors.New("disk on fire")
	lines := load(t, "formats/f02-jsonl-crlf.jsonl")
	for name, in := range map[string][]byte{"plain": lines, "gzip": gzipped(t, lines)} {
		r := io.MultiReader(bytes.NewReader(in[:len(in)-2]), failing{failure})
		info, err := readOne(r, "in.x", Options{}, func(*record.Span) error { return nil })
		if !errors.Is(err, failure) || !strings.HasPrefix(err.Error(), "in.x: ") || info.Spans != 4 {
			t.Errorf("%s: %+v, error %v; want 4 spans and %v", name, info, err, failure)
		}
	}
	stop := errors.New("enough")
	if _, err := readOne(bytes.NewReader(lines), "in.x", Options{}, func(*record.Span) error { return stop }); err != stop {
		t.Errorf("error %v; want %v", err, stop)
	}
	if _, err := readOne(failing{failure}, "in.x", Options{}, nil); !errors.Is(err, failure) {
		t.Errorf("error %v; want %v", err, failure)
	}
}

// TestReadDepth holds that a value of any depth that pdata reads is the same
// in both formats.
func TestReadDepth(t *testing.T) {
	for depth := 1; depth <= 46; depth++ {
		traces := ptrace.NewTraces()
		s := traces.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans().AppendEmpty()
		s.SetTraceID(pcommon.TraceID{1})
		s.SetSpanID(pcommon.SpanID{1})
		s.SetStartTimestamp(1772445600e9)
		s.SetEndTimestamp(1772445600e9)
		v := s.Attributes().PutEmpty("deep")
		for range depth - 1 {
			v = v.SetEmptySlice().AppendEmpty()
		}
		v.SetStr("bottom")
		message, err := new(ptrace.ProtoMarshaler).MarshalTraces(traces)
		if err != nil {
			t.Fatal(err)
		}
		line, err := new(ptrace.JSONMarshaler).MarshalTraces(traces)
		if err != nil {
			t.Fatal(err)
		}
		var spans [2]record.Span
		for i, in := range [][]byte{message, line} {
			info, err := readOne(bytes.NewReader(in), "in.x", Options{}, func(s *record.Span) error { spans[i] = *s; return nil })
			if err != nil || (len(info.Problems) > 0) != (depth > 32) {
				t.Errorf("depth %d: %v, problems %+v; want some behind 32", depth, err, info.Problems)
			}
		}
		if !reflect.DeepEqual(spans[0].Attrs, spans[1].Attrs) {
			t.Errorf("depth %d: protobuf %+v, JSON %+v", depth, spans[0].Attrs, spans[1].Attrs)
		}
	}
}

// TestReadLongLine reads a line that is longer than any buffer.
func TestReadLongLine(t *testing.T) {
	span := `{"traceId":"5b8efff798038103d269b633813fc60c","spanId":"%016x","startTimeUnixNano":"1772445600000000000","endTimeUnixNano":"1772445600000000001","name":"` + strings.Repeat("x", 1000) + `"}`
	var in strings.Builder
	in.WriteString(`{"resourceSpans":[{"resource":{},"scopeSpans":[{"scope":{},"spans":[`)
	for i := range 1300 {
		if i > 0 {
			in.WriteByte(',')
		}
		fmt.Fprintf(&in, span, i+1)
	}
	in.WriteString("]}]}]}\n")
	info, err := read([]byte(in.String()), Options{})
	if err != nil || info.Spans != 1300 || len(info.Problems) > 0 {
		t.Errorf("%d spans, problems %+v, %v; want 1300", info.Spans, info.Problems, err)
	}
}

func TestExpand(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, path := range []string{"b.json", "a.json", "sub/c.pb", "sub/deep/d.json", "sub/.hidden", ".git/e.json", "odd[1].json"} {
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir("none", 0o777); err != nil {
		t.Fatal(err)
	}
	all := []string{"a.json", "b.json", "odd[1].json", "sub/c.pb", "sub/deep/d.json"}
	tests := []struct {
		args []string
		want []string
	}{
		{[]string{"-"}, []string{"-"}},
		{[]string{"."}, all},
		{[]string{"./b.json", "b.json", "a.json"}, []string{"b.json", "a.json"}},
		{[]string{"[ab].json"}, []string{"a.json", "b.json"}},
		{[]string{"odd[1].json"}, []string{"odd[1].json"}},
		{[]string{"s*"}, []string{"sub/c.pb", "sub/deep/d.json"}},
		{[]string{"x.json"}, nil},
		{[]string{"*.csv"}, nil},
		{[]string{"[.json"}, nil},
		{[]string{"none"}, nil},
	}
	for _, test := range tests {
		got, left, failed := Expand(test.args)
		err := errors.Join(failed...)
		if len(left) > 0 {
			t.Errorf("Expand(%q) leaves %v", test.args, left)
		}
		for i := range got {
			got[i] = filepath.ToSlash(got[i])
		}
		if !slices.Equal(got, test.want) || (err == nil) != (test.want != nil) {
			t.Errorf("Expand(%q) = %q, %v; want %q", test.args, got, err, test.want)
		}
		if err != nil && !strings.Contains(err.Error(), test.args[0]) {
			t.Errorf("error %v; want one that names %s", err, test.args[0])
		}
	}
}

// readOne reads an input that is no archive.
func readOne(r io.Reader, path string, opt Options, emit func(*record.Span) error) (Info, error) {
	infos := Read(r, path, opt, func(string) func(*record.Span) error { return emit })
	return infos[0], infos[0].Err
}

// TestReadCut holds that what was read of a cut file is told as such, and that
// a file that was cut before it showed what it is counts as damaged.
func TestReadCut(t *testing.T) {
	whole := load(t, "formats/eq-01-dify-http-node-4x6.jaeger.json")
	info, err := read(whole[:len(whole)/2], Options{})
	if err != nil || info.Format != "jaeger-json" || info.Spans == 0 || len(info.Problems) == 0 {
		t.Errorf("half a Jaeger file: %+v, %v; want its spans and a problem", info, err)
	}
	for name, in := range map[string][]byte{
		"JSON": []byte(`{"data": [{"tr`),
		"gzip": gzipped(t, bytes.Repeat([]byte(`{"a":1}`+"\n"), 10_000))[:100],
	} {
		if info, err := read(in, Options{}); err == nil || info.Foreign {
			t.Errorf("%s cut early: %+v, %v; want damage", name, info, err)
		}
	}
	failure := errors.New("disk on fire")
	r := io.MultiReader(strings.NewReader(`{"data":[{"a`), failing{failure})
	if info, err := readOne(r, "in.x", Options{}, nil); !errors.Is(err, failure) || info.Foreign {
		t.Errorf("%+v, %v; want %v", info, err, failure)
	}
	frame := zstded(t, load(t, "formats/f02-jsonl-crlf.jsonl"))
	info, err = read(framed(frame, frame), Options{MaxMessage: len(frame) - 1})
	if err == nil || len(info.Problems) != 2 || !strings.Contains(info.Problems[1].Reason, "(MaxMessage); skipped") {
		t.Errorf("frames above the limit: %+v, %v; want both skipped", info, err)
	}
}

// TestExpandGoesOn holds that what cannot be read does not keep the rest from
// being read, and that nothing is waited for.
func TestExpandGoesOn(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, path := range []string{"d/a.json", "other/b.json"} {
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for name, target := range map[string]string{"d/dangling": "nowhere", "d/self": "self", "d/folder": "../other", "link": "d"} {
		if err := os.Symlink(target, name); err != nil {
			t.Skip(err)
		}
	}
	paths, left, failed := Expand([]string{"d"})
	if !slices.Equal(paths, []string{"d/a.json"}) || len(failed) != 2 || len(left) != 1 || !strings.Contains(left[0].Error(), "d/folder: a link to a folder") {
		t.Errorf("%q, left %v, failed %v; want a.json, the link to a folder left, two links broken", paths, left, failed)
	}
	if paths, _, _ := Expand([]string{"link"}); !slices.Equal(paths, []string{"link/a.json"}) {
		t.Errorf("through a link: %q; want link/a.json", paths)
	}
	if paths, _, failed := Expand([]string{"none*", "d/a.json"}); !slices.Equal(paths, []string{"d/a.json"}) || len(failed) != 1 {
		t.Errorf("%q, failed %v; want a.json and one failure", paths, failed)
	}
}

func FuzzRead(f *testing.F) {
	for _, pattern := range []string{"formats/*", "real/*.zst", "real/*.pb"} {
		paths, err := filepath.Glob("../testdata/" + pattern)
		if err != nil || len(paths) == 0 {
			f.Fatalf("%s: %v, %d files; want some", pattern, err, len(paths))
		}
		for _, path := range paths {
			if b := load(f, strings.TrimPrefix(path, "../testdata/")); len(b) < 64<<10 {
				f.Add(b)
			}
		}
	}
	opt := Options{MaxString: 1 << 10, MaxDepth: 8, MaxMessage: 1 << 16, MaxElements: 256, MaxDecompressed: 1 << 20}
	f.Fuzz(func(t *testing.T, in []byte) {
		spans := int64(0)
		info, err := readOne(bytes.NewReader(in), "in.x", opt, func(s *record.Span) error {
			spans++
			if s.Trace.IsZero() || s.ID.IsZero() {
				t.Errorf("span %+v", s)
			}
			return nil
		})
		if info.Spans != spans || err == nil && spans == 0 || err != nil && !strings.HasPrefix(err.Error(), "in.x: ") {
			t.Errorf("%d spans, %+v, %v", spans, info, err)
		}
		for _, p := range info.Problems {
			if p.Reason == "" || p.Offset < 0 || p.Line < 0 {
				t.Errorf("problem %+v", p)
			}
		}
	})
}
