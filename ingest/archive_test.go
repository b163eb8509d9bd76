package ingest

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"maps"
	"strings"
	"testing"

	"golang.org/x/text/encoding/unicode"

	"github.com/retryaudit/retryaudit/ingest/record"
)

type file struct {
	name    string
	content []byte
}

func tarOf(t testing.TB, files ...file) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, f := range files {
		kind := byte(tar.TypeReg)
		if strings.HasSuffix(f.name, "/") {
			kind = tar.TypeDir
		}
		if err := w.WriteHeader(&tar.Header{Name: f.name, Typeflag: kind, Size: int64(len(f.content)), Mode: 0o644}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(f.content); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func zipOf(t testing.TB, files ...file) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, f := range files {
		m, err := w.Create(f.name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := m.Write(f.content); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// outcome is a line for each input: path, format, compression, spans, error.
func outcome(infos []Info) string {
	var b strings.Builder
	for _, i := range infos {
		fmt.Fprintf(&b, "%s %s %s %d", i.Path, i.Format, i.Compression, i.Spans)
		if i.Err != nil {
			fmt.Fprintf(&b, " %v", i.Err)
		}
		b.WriteString("\n")
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func TestArchives(t *testing.T) {
	lines := load(t, "formats/f02-jsonl-crlf.jsonl") // 4 spans
	message := load(t, "formats/f36-export-request.binpb")
	set := []file{
		{"traces/", nil}, {"traces/a.jsonl", lines}, {"traces/b.pb.gz", gzipped(t, message)},
		{"traces/.c.jsonl", lines}, {"__MACOSX/a", lines}, {"notes\x1b.txt", []byte("hello")},
	}
	want := func(kind string) string {
		return "in.x!traces/a.jsonl otlp-json " + kind + " 4\n" +
			"in.x!traces/b.pb.gz otlp-proto gzip+" + kind + " 4\n" +
			"in.x!notes?.txt  " + kind + ` 0 in.x!notes?.txt: looks like text ("hello"); want OTLP JSON, Jaeger JSON or another known format`
	}
	cut := tarOf(t, set[1], set[2])
	broken := zipOf(t, set[1])
	broken[bytes.Index(broken, []byte("traces/a.jsonl"))+20] ^= 0xff
	tests := map[string]struct {
		in   []byte
		want string
	}{
		"tar":           {tarOf(t, set...), want("tar")},
		"zip":           {zipOf(t, set...), want("zip")},
		"tar, gzip":     {gzipped(t, tarOf(t, set...)), want("tar+gzip")},
		"tar, zstd":     {zstded(t, tarOf(t, set...)), want("tar+zstd")},
		"zip in tar":    {tarOf(t, file{"z.zip", zipOf(t, set[1])}), "in.x!z.zip!traces/a.jsonl otlp-json zip+tar 4"},
		"three levels":  {tarOf(t, file{"a.tar", tarOf(t, file{"b.tar", tarOf(t, set[1])})}), "in.x!a.tar!b.tar  tar+tar+tar 0 in.x!a.tar!b.tar: archives in archives in archives; want at most two levels"},
		"without files": {tarOf(t, set[0]), "in.x  tar 0 in.x: a tar archive without files; want some with traces"},
		"empty zip":     {zipOf(t), "in.x  zip 0 in.x: a zip archive without files; want some with traces"},
		"tar cut":       {cut[:1024+len(lines)], "in.x!traces/a.jsonl otlp-json tar 4"},
		"zip cut":       {zipOf(t, set...)[:900], "in.x  zip 0 in.x: damaged zip data: zip: not a valid zip file"},
		"zip broken":    {broken, "in.x!traces/a.jsonl  zip 0 in.x!traces/a.jsonl: damaged zip data: "},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got := outcome(Read(bytes.NewReader(test.in), "in.x", Options{}, func(string) func(*record.Span) error {
				return func(*record.Span) error { return nil }
			}))
			if !strings.HasPrefix(got, test.want) {
				t.Errorf("got\n%s; want\n%s", got, test.want)
			}
		})
	}
}

// TestBombs holds that an input which unpacks to more than it may is left at
// the limit, however it is packed.
func TestBombs(t *testing.T) {
	lines := load(t, "formats/f02-jsonl-crlf.jsonl")
	big := bytes.Repeat(append(bytes.TrimSpace(lines), '\n'), 1000)
	for name, in := range map[string][]byte{
		"gzip":         gzipped(t, big),
		"gzip in gzip": gzipped(t, gzipped(t, big)),
		"tar in gzip":  gzipped(t, tarOf(t, file{"a", lines}, file{"b", big}, file{"c", lines})),
		"zip":          zipOf(t, file{"a", lines}, file{"b", big}, file{"c", lines}),
		"many in zip":  zipOf(t, file{"a", big[:90_000]}, file{"b", big[:90_000]}, file{"c", lines}),
	} {
		t.Run(name, func(t *testing.T) {
			infos := Read(bytes.NewReader(in), "in.x", Options{MaxDecompressed: 100_000}, func(string) func(*record.Span) error {
				return func(*record.Span) error { return nil }
			})
			last := infos[len(infos)-1]
			if !errors.Is(last.Err, errDecompressed) || !strings.Contains(last.Err.Error(), "100000 bytes (MaxDecompressed)") {
				t.Errorf("%s; want the last to name MaxDecompressed", outcome(infos))
			}
			for _, i := range infos {
				if strings.HasSuffix(i.Path, "!c") {
					t.Errorf("read on behind the limit: %s", outcome(infos))
				}
			}
		})
	}
}

func TestUTF16(t *testing.T) {
	lines := string(load(t, "formats/f02-jsonl-crlf.jsonl"))
	for name, order := range map[string]unicode.Endianness{"little": unicode.LittleEndian, "big": unicode.BigEndian} {
		for _, mark := range []unicode.BOMPolicy{unicode.UseBOM, unicode.IgnoreBOM} {
			in, err := unicode.UTF16(order, mark).NewEncoder().String(lines)
			if err != nil {
				t.Fatal(err)
			}
			for _, packed := range [][]byte{[]byte(in), gzipped(t, []byte(in))} {
				info, err := read(packed, Options{})
				if err != nil || info.Spans != 4 || len(info.Problems) > 0 {
					t.Errorf("%s endian, mark %v: %+v, %v; want 4 spans", name, mark, info, err)
				}
			}
		}
	}
}

func TestShape(t *testing.T) {
	for in, want := range map[string]string{
		`{"data":[{"spans":[{"a":1}]}],"x":null}`: "data data.spans data.spans.a x",
		`[[{"a":{"b":[]}},`:                       "a a.b",
		`{"a":1}{"b":"c"`:                         "a b",
		`{"a":{"b":{"c":{"d":{"e":{"f":1}}}}}}`:   "a a.b a.b.c a.b.c.d a.b.c.d.e",
		`{"a":"{\"b\":1}`:                         "a",
		`{"a.b":1}`:                               "a.b",
		`nonsense`:                                "",
	} {
		s := shape{}
		for one := range shapes([]byte(in)) {
			maps.Copy(s, one)
		}
		for _, path := range strings.Fields(want) {
			if !s[path] {
				t.Errorf("%s: no %s in %v", in, path, s)
			}
		}
		if len(s) != len(strings.Fields(want)) {
			t.Errorf("%s: %v; want %s", in, s, want)
		}
	}
}
