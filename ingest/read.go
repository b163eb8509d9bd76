// Package ingest reads trace files: it finds out what an input is, unpacks it
// and yields its spans.
package ingest

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/retryaudit/retryaudit/ingest/otlp"
	"github.com/retryaudit/retryaudit/ingest/record"
)

// Options bound what reading one input costs. Zero is the default.
type Options struct {
	// MaxString is the size of a string in bytes, 16 MiB by default. A longer
	// one is cut.
	MaxString int
	// MaxDepth is how deep an attribute value may be nested, 32 by default; a
	// plain value has depth 1. What is deeper is left empty. In protobuf, a
	// span or resource with more than 100 messages in each other, which are
	// about 48 levels of lists, is skipped whatever MaxDepth is.
	MaxDepth int
	// MaxMessage is the size in bytes of what must be held at once, 64 MiB by
	// default: a span in JSON, the spans of an object that stand before its
	// resource or scope, a ResourceSpans in protobuf, a frame of zstd. A span
	// or message that is larger is skipped; spans before a resource that comes
	// too late are read without it.
	MaxMessage int
	// MaxElements is how many attributes, values in lists, events and links a
	// span may have, all together, 262144 by default. One that has more is
	// skipped, as is a resource; of spans before their resource or scope, as
	// many are held.
	MaxElements int
	// MaxDecompressed is the size in bytes of a compressed input when
	// unpacked, 64 GiB by default. What is behind it is not read.
	MaxDecompressed int64
}

func (o Options) withDefaults() Options {
	if o.MaxString == 0 {
		o.MaxString = 16 << 20
	}
	if o.MaxDepth == 0 {
		o.MaxDepth = 32
	}
	if o.MaxMessage == 0 {
		o.MaxMessage = 64 << 20
	}
	if o.MaxElements == 0 {
		o.MaxElements = 1 << 18
	}
	if o.MaxDecompressed == 0 {
		o.MaxDecompressed = 64 << 30
	}
	return o
}

// Info says what an input was and what came of it.
type Info struct {
	Path        string
	Format      string // "otlp-json" or "otlp-proto"; empty where nothing was recognised
	Compression string // "", "gzip", "zstd" or "zstd-framed"
	// Foreign says that the input is whole, as far as can be told, and nothing
	// that is known: a note, another tool's data, an empty file.
	Foreign  bool
	Spans    int64
	Skipped  map[string]int64 // elements of other signals: "metrics", "logs", "profiles"
	Problems []Problem
}

// Problem is something in an input that could not be used as it was found.
type Problem = otlp.Problem

// The formats of Info.
const (
	formatJSON  = "otlp-json"
	formatProto = "otlp-proto"
)

const known = "OTLP JSON or OTLP protobuf, plain or packed with gzip or zstd"

// Read reads the spans of r, which path names in errors, and hands each to
// emit, whose error ends the reading and is returned as it is. What is broken
// is skipped and stands in Info.Problems. It is an error if no span is left or
// if the input could not be read to its end; Info is valid then, too.
func Read(r io.Reader, path string, opt Options, emit func(*record.Span) error) (Info, error) {
	opt = opt.withDefaults()
	info := Info{Path: path}
	in := &unpacker{opt: opt, raw: reader{r: r}}
	defer in.close()
	stream, err := in.unpack()
	info.Compression = in.compression
	if err != nil {
		return info, fmt.Errorf("%s: %w", path, err)
	}
	head, err := stream.Peek(headSize)
	switch {
	case len(head) == 0 && len(in.problems) > 0:
		info.Problems = in.problems
		return info, fmt.Errorf("%s: %s", path, noSpans(info, false))
	case len(head) == 0 && err == io.EOF:
		info.Foreign = true
		return info, fmt.Errorf("%s: empty; want %s", path, known)
	case len(head) == 0:
		return info, fmt.Errorf("%s: %w", path, err)
	}
	format, foreign := sniff(head)
	if foreign != "" {
		info.Foreign = len(in.problems) == 0
		return info, fmt.Errorf("%s: looks like %s; want %s", path, foreign, known)
	}
	var stop error
	span := func(s *record.Span) error {
		stop = emit(s)
		return stop
	}
	lim := otlp.Limits{MaxString: opt.MaxString, MaxDepth: opt.MaxDepth, MaxMessage: opt.MaxMessage, MaxElements: opt.MaxElements}
	var result otlp.Result
	switch format {
	case json:
		info.Format = formatJSON
		result, err = otlp.ReadJSON(stream, lim, span)
	case proto, framedProto:
		info.Format = formatProto
		result, err = otlp.ReadProto(stream, format == framedProto, lim, span)
	}
	info.Spans, info.Skipped = result.Spans, result.Skipped
	info.Problems = slices.Concat(in.problems, result.Problems)
	if !result.Known {
		info.Format = ""
		info.Foreign = err == nil && !result.Damaged && len(in.problems) == 0
	}
	damaged := (*damage)(nil)
	switch {
	case stop != nil:
		return info, stop
	case err != nil && !errors.As(err, &damaged):
		return info, fmt.Errorf("%s: %w", path, err)
	case info.Spans == 0:
		return info, fmt.Errorf("%s: %s", path, noSpans(info, result.Known))
	}
	return info, nil
}

// noSpans says what was found in place of spans.
func noSpans(info Info, recognised bool) string {
	switch {
	case len(info.Problems) > 0:
		p := info.Problems[0]
		at := fmt.Sprintf("at byte %d", p.Offset)
		if p.Line > 0 {
			at = fmt.Sprintf("in line %d", p.Line)
		}
		return fmt.Sprintf("no span could be read; first, %s: %s", at, p.Reason)
	case len(info.Skipped) > 0:
		found := []string{}
		for signal, n := range info.Skipped {
			found = append(found, fmt.Sprintf("%s (%d)", signal, n))
		}
		slices.Sort(found)
		return "OTLP that holds only " + strings.Join(found, " and ") + "; want spans"
	case recognised:
		return "OTLP without any span; want spans"
	}
	return "found nothing that is known; want " + known
}

// reader keeps the error of the input itself, which decompressors hide.
type reader struct {
	r   io.Reader
	err error
}

func (r *reader) Read(p []byte) (int, error) {
	if r.err != nil {
		return 0, r.err
	}
	n, err := r.r.Read(p)
	if err != nil && err != io.EOF {
		r.err = err
	}
	return n, err
}

const bufferSize = 64 << 10

func buffered(r io.Reader) *bufio.Reader { return bufio.NewReaderSize(r, bufferSize) }
