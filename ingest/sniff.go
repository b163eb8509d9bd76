package ingest

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/retryaudit/retryaudit/ingest/decode"
)

// headSize is what sniff wants to see of an input: the names that tell a
// format may stand behind a long prompt or other lines.
const headSize = 1 << 20

// sniff tells the format of an input by its beginning, or what it looks like.
func sniff(head []byte) (f Format, foreign string) {
	all := formats()
	isJSON := looksJSON(head) || looksJSON(bytes.TrimLeft(head, "\x00")) && !looksFramed(head)
	for _, f := range all {
		if !isJSON && f.text != nil && f.text(string(head)) {
			return f, ""
		}
	}
	// The records of a format need not come first: there may be the rest of a
	// line that was cut, or what a program wrote beside its spans.
	var first shape
	other := false
	for s := range shapes(trimMarks(head)) {
		for _, f := range all {
			if f.is != nil && f.is(s) {
				return f, ""
			}
		}
		if other = other || isSignal(s); len(first) == 0 {
			first = s
		}
	}
	for _, f := range all {
		// Logs in JSON before spans that are none.
		if isJSON && f.text != nil && f.ID != formatProto && f.text(string(head)) {
			return f, ""
		}
	}
	switch {
	case other, isJSON && len(first) == 0:
		return all[0], "" // other signals, empty requests, or nothing whole
	case isJSON:
		return Format{}, foreignJSON(first)
	}
	return Format{}, foreignText(head)
}

// isCut reports whether head is JSON that ends within a record.
func isCut(head []byte) bool {
	b := trimMarks(head)
	if !looksJSON(b) {
		return false
	}
	for len(bytes.TrimSpace(b)) > 0 {
		_, n, err := shapeOf(b)
		if err != nil {
			return errors.Is(err, io.ErrUnexpectedEOF)
		}
		b = b[n:]
	}
	return false
}

const space = " \t\r\n"

// trimMarks takes what may stand before the first record.
func trimMarks(head []byte) []byte {
	return bytes.TrimLeft(bytes.TrimPrefix(bytes.TrimLeft(head, "\x00"), []byte("\xef\xbb\xbf")), space+"\x1e\x00")
}

// looksJSON reports whether head begins an object or an array of objects. A
// protobuf message may begin with a line feed and a brace, too, but its third
// byte is no quote, or is followed by a control character.
func looksJSON(head []byte) bool {
	// A byte order mark or a record separator (RFC 7464) may come first.
	b := bytes.TrimPrefix(head, []byte("\xef\xbb\xbf"))
	b = bytes.TrimLeft(bytes.TrimPrefix(b, []byte("\x1e")), space)
	for len(b) > 0 && b[0] == '[' {
		if b = bytes.TrimLeft(b[1:], space); len(b) == 0 || b[0] == ']' {
			return true
		}
	}
	if len(b) == 0 || b[0] != '{' {
		return false
	}
	b = bytes.TrimLeft(b[1:], space)
	if len(b) == 0 || b[0] == '}' {
		return true
	}
	if b[0] != '"' {
		return false
	}
	for _, c := range b[1:] {
		if c < ' ' {
			return false
		}
		if c == '"' {
			break
		}
	}
	return true
}

// looksProto reports whether head begins with a field 1 that begins with a
// field of a ResourceSpans, a ResourceMetrics or a ResourceLogs.
func looksProto(head []byte) bool {
	if len(head) < 2 || head[0] != 0x0a || !slices.ContainsFunc(head[:min(len(head), headSize/256)], isBinary) {
		return false
	}
	size, n := binary.Uvarint(head[1:])
	if n <= 0 {
		return false
	}
	body := head[1+n:]
	if size == 0 || len(body) == 0 {
		return true
	}
	switch body[0] {
	case 1<<3 | 2, 2<<3 | 2, 3<<3 | 2: // resource, scope_spans, schema_url
		return true
	}
	return bytes.HasPrefix(body, []byte{0xc2, 0x3e}) // 1000, instrumentation_library_spans
}

// isBinary reports whether a byte stands in no text: lengths and numbers of
// fields are such, empty lines before a text are none.
func isBinary(c byte) bool { return c < '\t' || c > '\r' && c < ' ' && c != '\x1b' }

// looksFramed reports whether head begins with the length of a message and
// the message, behind any number of empty ones.
func looksFramed(head []byte) bool {
	for len(head) > 4 && binary.BigEndian.Uint32(head) == 0 {
		head = head[4:]
	}
	return len(head) > 4 && binary.BigEndian.Uint32(head) > 1 && looksProto(head[4:])
}

// looksArrow reports whether head begins a BatchArrowRecords (otel-arrow
// proto/opentelemetry/proto/experimental/arrow/v1): its number, then a payload
// with the ID of a schema and an Arrow stream in it.
func looksArrow(head []byte) bool {
	if len(head) > 4 && head[0] == 0 { // the length of a frame
		head = head[4:]
	}
	if len(head) == 0 || head[0] != 1<<3 {
		return false
	}
	_, n := binary.Uvarint(head[1:])
	if n <= 0 || len(head) <= 1+n || head[1+n] != 2<<3|2 {
		return false
	}
	return bytes.Contains(head, []byte("\xff\xff\xff\xff"))
}

// foreignJSON names other JSON.
func foreignJSON(s shape) string {
	switch {
	case s.all("traces.traceID", "traces.rootServiceName"):
		return "the answer to a search in Tempo, which holds no spans"
	case s.any("traceEvents"):
		return "a Chrome trace"
	case s.any("_source.trace.id", "_source.transaction.id") || s.all("trace.id", "transaction.id"):
		return "documents of Elastic APM"
	case s.all("event_id", "contexts.trace"):
		return "events of Sentry"
	case s.any("message", "msg") && s.any("level", "severity", "lvl"):
		return "a log in JSON"
	}
	names := slices.Sorted(maps.Keys(s))
	names = slices.DeleteFunc(names, func(name string) bool { return strings.Contains(name, ".") })
	more := ""
	if len(names) > maxNames {
		names, more = names[:maxNames], ", …"
	}
	for i := range names {
		names[i] = fmt.Sprintf("%q", decode.Excerpt(names[i]))
	}
	if len(names) == 0 {
		return "JSON without objects"
	}
	return "JSON with the names " + strings.Join(names, ", ") + more
}

// maxNames is how many names of unknown JSON are said.
const maxNames = 6

// magics are the first bytes of other files.
var magics = []struct{ prefix, name string }{
	{"\xfd7zXZ", "xz"},
	{"PAR1", "Parquet"},
	{"ARROW1", "an Arrow file"},
	{"\xff\xff\xff\xff", "an Arrow stream, as of OTLP Arrow"},
	{"SQLite format 3", "an SQLite database"},
	{"%PDF", "PDF"},
	{"\x04\x22\x4d\x18", "lz4"},
	{"\xff\x06\x00\x00sNaPpY", "snappy"},
	{"7z\xbc\xaf\x27\x1c", "a 7z archive"},
	{"Obj\x01", "Avro"},
	{"retryaudit.part/", "a part of an audit, which retryaudit merge reads"},
}

// prefixed is a line of JSON or of a console exporter behind the name of a
// container or a time.
var prefixed = regexp.MustCompile(`(?m)^([\w./\[\]-]+ +\| ?|[\w./\[\]-]+ |\d{4}-\d\d-\d\dT[\d:.]+Z? |\d+\|[\w-]+ +\| )\s*(\{$|\{ ?"|traceId: |Activity\.TraceId)`)

// foreignText names what is neither JSON nor protobuf.
func foreignText(head []byte) string {
	for _, m := range magics {
		if bytes.HasPrefix(head, []byte(m.prefix)) {
			return m.name
		}
	}
	text := strings.TrimLeft(string(head), space)
	lower := strings.ToLower(text)
	line, _, _ := strings.Cut(text, "\n")
	switch {
	case text == "":
		return "white space only"
	case strings.HasPrefix(lower, "<!doctype html"), strings.HasPrefix(lower, "<html"):
		return "HTML"
	case strings.HasPrefix(text, "<"):
		return "XML"
	case looksArrow(head):
		return "OTLP Arrow, which only Collectors exchange"
	case bytes.ContainsAny(head, "\x00\x01\x02\x03\x04\x05\x06\x07"):
		return fmt.Sprintf("binary data (%q)", head[:min(len(head), 16)])
	case prefixed.MatchString(text):
		return "records with something before each line, as docker compose and kubectl add it (see --no-log-prefix, --prefix and --timestamps)"
	case strings.Count(line, ",") >= 2 && !strings.ContainsAny(line, "{["):
		return "CSV"
	}
	return fmt.Sprintf("text (%q)", strings.ToValidUTF8(line[:min(len(line), 40)], ""))
}
