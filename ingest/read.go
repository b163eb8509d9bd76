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

	"github.com/retryaudit/retryaudit/analyzer/trace"
	"github.com/retryaudit/retryaudit/ingest/decode"
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
	// MaxDecompressed is the size in bytes of a compressed input or an archive
	// when unpacked, 64 GiB by default. What is behind it is not read.
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
	Path        string // of a member of an archive: the archive's, "!" and the member's
	Format      string // the ID of a Format; empty where nothing was recognised
	Compression string // "", "gzip", "zstd", "zstd-framed", "bzip2", "tar", "zip", several with + from the innermost on
	// Foreign says that the input is whole, as far as can be told, and nothing
	// that is known: a note, another tool's data, an empty file.
	Foreign  bool
	Spans    int64
	Traces   int64            // to which they belong
	Skipped  map[string]int64 // elements of other signals: "metrics", "logs", "profiles"
	Problems []Problem
	// Err is set if no span is left or if the input could not be read to its
	// end. It names the path.
	Err error
}

// Problem is something in an input that could not be used as it was found.
type Problem = decode.Problem

// Read reads the spans of r, which path names in errors. For each input, which
// is r or each member of r if that is an archive, it calls begin and hands the
// spans to the function that this returns, whose error ends the reading and is
// the Err of the last Info as it is. What is broken is skipped and stands in
// the Problems of its Info.
func Read(r io.Reader, path string, opt Options, begin func(path string) func(*record.Span) error) []Info {
	opt = opt.withDefaults()
	rd := &reading{opt: opt, left: opt.MaxDecompressed, begin: begin, buf: bufio.NewReaderSize(nil, headSize)}
	rd.input(r, path, nil)
	return rd.infos
}

// reading is the state of one Read.
type reading struct {
	opt   Options
	left  int64 // that all may still unpack to, bytes
	begin func(path string) func(*record.Span) error
	infos []Info
	ended bool // by an error that holds for all that follows
	buf   *bufio.Reader
	spare []*bufio.Reader
}

// input reads a file or a member of archives, whose kinds are outer, the
// outermost first.
func (rd *reading) input(r io.Reader, path string, outer []string) {
	u := &unpacker{opt: rd.opt, left: &rd.left, spare: &rd.spare, raw: reader{r: r}, layers: slices.Clip(outer)}
	defer u.close()
	stream, err := u.unpack()
	if err == nil {
		if kind := archiveKind(stream); kind != "" {
			rd.archive(kind, u, stream, path)
			return
		}
	}
	info := Info{Path: path, Compression: u.compression()}
	if err != nil {
		info.Err = fmt.Errorf("%s: %w", path, err)
	} else {
		rd.buf.Reset(fromUTF16(stream))
		rd.content(&info, u, rd.buf)
	}
	rd.infos = append(rd.infos, info)
}

// content reads what is not packed any more.
func (rd *reading) content(info *Info, u *unpacker, stream *bufio.Reader) {
	head, err := stream.Peek(headSize)
	fail := func(format string, args ...any) {
		info.Err = fmt.Errorf("%s: "+format, append([]any{info.Path}, args...)...)
	}
	switch {
	case len(head) == 0 && len(u.problems) > 0:
		info.Problems = u.problems
		fail("%s", noSpans(info, false))
		return
	case len(head) == 0 && err == io.EOF:
		info.Foreign = true
		fail("empty; want %s", wanted)
		return
	case len(head) == 0:
		fail("%w", err)
		return
	}
	format, foreign := sniff(head)
	switch {
	case foreign == "":
	case err != nil && err != io.EOF && err != bufio.ErrBufferFull:
		fail("%w", err)
		rd.ended = rd.ended || errors.Is(err, errDecompressed)
		return
	default:
		// JSON that was cut off before it showed what it is may have been anything.
		info.Foreign = len(u.problems) == 0 && !(err == io.EOF && isCut(head))
		fail("looks like %s; want %s", foreign, wanted)
		return
	}
	var stop error
	emit := rd.begin(info.Path)
	lim := decode.Limits{MaxString: rd.opt.MaxString, MaxDepth: rd.opt.MaxDepth, MaxMessage: rd.opt.MaxMessage, MaxElements: rd.opt.MaxElements}
	traces := make(map[trace.TraceID]struct{})
	result, err := format.read(stream, lim, func(s *record.Span) error {
		traces[s.Trace] = struct{}{}
		stop = emit(s)
		return stop
	})
	info.Format = format.ID
	info.Spans, info.Traces, info.Skipped = result.Spans, int64(len(traces)), result.Skipped
	info.Problems = slices.Concat(u.problems, result.Problems)
	if !result.Known && result.Spans == 0 {
		info.Format = ""
		info.Foreign = err == nil && !result.Damaged && len(u.problems) == 0
	}
	damaged := (*damage)(nil)
	switch {
	case stop != nil:
		info.Err = stop
		rd.ended = true
	case err != nil && !errors.As(err, &damaged):
		fail("%w", err)
		rd.ended = rd.ended || errors.Is(err, errDecompressed)
	case info.Spans == 0:
		fail("%s", noSpans(info, result.Known))
	}
}

// wanted is short for what Formats lists.
const wanted = "OTLP JSON, Jaeger JSON or another known format"

// noSpans says what was found in place of spans.
func noSpans(info *Info, recognised bool) string {
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
		return info.Format + " without any span; want some"
	}
	return "found nothing that is known; want " + wanted
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
