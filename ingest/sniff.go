package ingest

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
)

// headSize is what sniff wants to see of an input.
const headSize = bufferSize

// format is what an input is decoded as.
type format int

const (
	unknown format = iota
	json
	proto
	framedProto
)

// sniff tells the format of an input by its beginning, or what it looks like.
func sniff(head []byte) (f format, foreign string) {
	switch {
	case looksJSON(head):
		return json, foreignJSON(head)
	case looksProto(head):
		return proto, ""
	case looksFramed(head):
		return framedProto, ""
	case looksJSON(bytes.TrimLeft(head, "\x00")):
		// NUL bytes before the first record: framed protobuf begins with some,
		// too.
		return json, foreignJSON(head)
	case bytes.Contains(head, []byte("\n{\"resource")):
		// Lines of JSON behind something else, such as the rest of a line
		// that was cut.
		return json, ""
	}
	return unknown, foreignText(head)
}

const space = " \t\r\n"

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
	if len(head) < 2 || head[0] != 0x0a {
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

// looksFramed reports whether head begins with the length of a message and
// the message, behind any number of empty ones.
func looksFramed(head []byte) bool {
	for len(head) > 4 && binary.BigEndian.Uint32(head) == 0 {
		head = head[4:]
	}
	return len(head) > 4 && binary.BigEndian.Uint32(head) > 1 && looksProto(head[4:])
}

// otlpKeys are the names by which OTLP JSON is known.
var otlpKeys = []string{"resourceSpans", "resource_spans", "batches", "resourceMetrics", "resource_metrics", "resourceLogs", "resource_logs"}

// foreignJSON names other trace formats in JSON; empty is none of them.
func foreignJSON(head []byte) string {
	text := string(head)
	for _, key := range otlpKeys {
		if strings.Contains(text, `"`+key+`"`) {
			return ""
		}
	}
	has := func(keys ...string) bool {
		for _, key := range keys {
			if !strings.Contains(text, `"`+key+`"`) {
				return false
			}
		}
		return true
	}
	switch {
	case has("traceID", "spanID"):
		return "Jaeger JSON"
	case has("traceId", "id") && (has("localEndpoint") || has("timestamp", "duration")):
		return "Zipkin JSON"
	case has("SpanContext", "Name"):
		return "the output of Go's stdouttrace exporter"
	case has("context", "trace_id", "span_id"):
		return "the output of Python's console exporter"
	case has("traceEvents"):
		return "a Chrome trace"
	}
	return ""
}

// magics are the first bytes of other files.
var magics = []struct{ prefix, name string }{
	{"PK\x03\x04", "a zip archive"},
	{"BZh", "bzip2"},
	{"\xfd7zXZ", "xz"},
	{"PAR1", "Parquet"},
	{"ARROW1", "an Arrow file"},
	{"\xff\xff\xff\xff", "an Arrow stream, as of OTLP Arrow"},
	{"SQLite format 3", "an SQLite database"},
	{"%PDF", "PDF"},
	{"\xff\xfe", "UTF-16 text"},
	{"\xfe\xff", "UTF-16 text"},
}

// foreignText names what is neither JSON nor protobuf.
func foreignText(head []byte) string {
	for _, m := range magics {
		if bytes.HasPrefix(head, []byte(m.prefix)) {
			return m.name
		}
	}
	if len(head) > 262 && string(head[257:262]) == "ustar" {
		return "a tar archive"
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
	case strings.Contains(text, "traceId: '"), strings.Contains(text, "instrumentationScope: {"):
		return "the text of a console exporter"
	case bytes.ContainsAny(head, "\x00\x01\x02\x03\x04\x05\x06\x07"):
		return fmt.Sprintf("binary data (%q)", head[:min(len(head), 16)])
	case strings.Count(line, ",") >= 2 && !strings.ContainsAny(line, "{["):
		return "CSV"
	}
	return fmt.Sprintf("text (%q)", strings.ToValidUTF8(line[:min(len(line), 40)], ""))
}
