package console

import (
	"bufio"
	"bytes"
	"io"
	"regexp"

	"github.com/retryaudit/retryaudit/ingest/decode"
)

// pieceSize bounds a piece of a line.
const pieceSize = 64 << 10

// lines reads an input by its lines, and long lines in pieces.
type lines struct {
	r      *bufio.Reader
	begins bool // the piece begins a line
	line   int  // of the piece, from 1
	offset int64
	size   int64 // of the piece
	ended  bool  // the piece ends its line
	err    error // that of the input, or io.EOF
}

func newLines(r io.Reader) *lines {
	return &lines{r: bufio.NewReaderSize(r, pieceSize), ended: true}
}

// next returns the next piece, with its line feed, valid until the next call;
// it is empty at the end of the input.
func (l *lines) next() []byte {
	if l.err != nil {
		return nil
	}
	l.offset += l.size
	if l.begins = l.ended; l.begins {
		l.line++
	}
	b, err := l.r.ReadSlice('\n')
	if err != nil && err != bufio.ErrBufferFull {
		l.err = err
	}
	l.size = int64(len(b))
	l.ended = err == nil
	return b
}

// trimEnd cuts what ends a line.
func trimEnd(b []byte) []byte { return bytes.TrimRight(b, "\r\n") }

// colours are the escape sequences by which a terminal shows them.
var colours = regexp.MustCompile("\x1b\\[[0-9;]*[A-Za-z]")

func uncoloured(b []byte) []byte {
	if bytes.IndexByte(b, '\x1b') < 0 {
		return b
	}
	return colours.ReplaceAll(b, nil)
}

// foreign counts the lines and objects that are no part of a span.
type foreign struct {
	line   int // of the first one
	offset int64
	count  int64
}

func (f *foreign) add(line int, offset int64) {
	if f.count++; f.count == 1 {
		f.line, f.offset = line, offset
	}
}

// report makes one problem of them: a log would flood all others.
func (f *foreign) report(result *decode.Result) {
	if f.count == 0 {
		return
	}
	result.Problems = append(result.Problems, decode.Problem{
		Line: f.line, Offset: f.offset, Count: f.count,
		Reason: "found lines that are no part of a span; skipped them", Foreign: true,
	})
}

// inputError reports that the input failed, unless it just ended.
func inputError(s *decode.Sink, l *lines) error {
	if l.err == io.EOF {
		return nil
	}
	s.Problem(decode.FaultSyntax, max(l.line, 1), l.offset+l.size, "%v; the input is not read from here on", l.err)
	return l.err
}
