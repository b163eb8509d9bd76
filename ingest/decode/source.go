package decode

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// errNewRecord ends a record in which the next one begins.
var errNewRecord = errors.New("unexpected end of a record: the next one begins before it is closed")

// source feeds a JSON decoder. It knows the line of every byte, can begin
// anew behind broken input, and ends a record that was cut off where the next
// line begins a new one, as a writer that died and was started again leaves it.
type source struct {
	r   io.Reader
	err error // of r; io.EOF at the end

	buf      []byte
	pos, end int // buf[pos:end] is read but not delivered

	read    int64 // bytes delivered since the beginning
	lines   int64 // line feeds among them
	last    byte  // the last of them
	dec     *jsontext.Decoder
	shift   int64    // offset at which dec began
	records int      // depth of dec between two records: that of the arrays around them
	max     int      // bytes that dec may hold
	starts  []string // what begins a record, and nothing else, at the start of a line
}

const (
	sourceSize    = 64 << 10
	byteOrderMark = "\xef\xbb\xbf"
	// recordSeparator begins each record of a JSON text sequence (RFC 7464).
	recordSeparator = '\x1e'
	maxEmptyReads   = 100
	maxStart        = 16 // of the starts
)

func newSource(r io.Reader, max int, starts []string) *source {
	s := &source{r: r, buf: make([]byte, sourceSize), last: '\n', max: max, starts: starts}
	s.dec = jsontext.NewDecoder(s, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	return s
}

// fill makes at least n bytes available unless the input ends before.
func (s *source) fill(n int) {
	if s.end-s.pos >= n {
		return
	}
	if s.pos > 0 {
		copy(s.buf, s.buf[s.pos:s.end])
		s.end -= s.pos
		s.pos = 0
	}
	for empty := 0; s.end < n && s.err == nil; {
		k, err := s.r.Read(s.buf[s.end:])
		s.end += k
		s.err = err
		if k > 0 {
			empty = 0
		} else if empty++; empty > maxEmptyReads && err == nil {
			s.err = io.ErrNoProgress
		}
	}
}

// Read delivers input to the decoder, at most up to the next line that may
// begin a record.
func (s *source) Read(p []byte) (int, error) {
	if held := s.read - s.shift - s.dec.InputOffset(); held > int64(s.max) {
		return 0, fmt.Errorf("JSON value of more than %d bytes (MaxMessage): %w", s.max, ErrLimit)
	}
	if s.last == '\n' {
		s.fill(maxStart)
		if s.dec.StackDepth() > s.records && s.beginsRecord(s.buf[s.pos:s.end]) {
			return 0, errNewRecord
		}
	} else {
		s.fill(1)
	}
	if s.pos == s.end {
		return 0, s.err
	}
	b := s.buf[s.pos:min(s.end, s.pos+len(p))]
	if i := bytes.Index(b, []byte("\n{")); i >= 0 {
		b = b[:i+1]
	}
	n := copy(p, b)
	s.advance(n)
	return n, nil
}

// beginsRecord reports whether b begins as records of the format do.
func (s *source) beginsRecord(b []byte) bool {
	return slices.ContainsFunc(s.starts, func(start string) bool { return bytes.HasPrefix(b, []byte(start)) })
}

func (s *source) advance(n int) {
	b := s.buf[s.pos : s.pos+n]
	s.read += int64(n)
	s.lines += int64(bytes.Count(b, []byte{'\n'}))
	s.last = b[n-1]
	s.pos += n
}

// Begin returns the place of the next value or, if there is none, of what
// stands there.
func (s *source) Begin() (line int, offset int64) {
	s.dec.PeekKind()
	b := s.dec.UnreadBuffer()
	i := len(b) - len(bytes.TrimLeft(b, " \t\r\n,:"))
	return 1 + int(s.lines) - bytes.Count(b[i:], []byte{'\n'}), s.Offset() + int64(i)
}

// Offset is that of the byte behind the last value.
func (s *source) Offset() int64 { return s.shift + s.dec.InputOffset() }

// place is that of the next byte to be delivered.
func (s *source) place() (line int, offset int64) { return 1 + int(s.lines), s.read }

// lineAt returns the line of an offset that the decoder still holds.
func (s *source) lineAt(offset int64) int {
	b := s.dec.UnreadBuffer()
	i := min(max(offset-s.Offset(), 0), int64(len(b)))
	return 1 + int(s.lines) - bytes.Count(b[i:], []byte{'\n'})
}

// resume begins anew at the offset, which must not lie before the end of the
// last value.
func (s *source) resume(offset int64) {
	b := s.dec.UnreadBuffer()
	i := min(max(offset-s.Offset(), 0), int64(len(b)))
	s.giveBack(b[i:])
	s.reset()
}

// reset begins anew with all that was not yet delivered.
func (s *source) reset() {
	s.shift = s.read
	s.records = 0
	s.dec.Reset(s, s.dec.Options())
}

func (s *source) giveBack(b []byte) {
	if len(b) == 0 {
		return
	}
	s.read -= int64(len(b))
	s.lines -= int64(bytes.Count(b, []byte{'\n'}))
	s.last = 0
	if s.pos >= len(b) {
		s.pos -= copy(s.buf[s.pos-len(b):], b)
		return
	}
	buf := make([]byte, max(sourceSize, len(b)+s.end-s.pos))
	n := copy(buf, b)
	n += copy(buf[n:], s.buf[s.pos:s.end])
	s.buf, s.pos, s.end = buf, 0, n
}

// skipMarks takes what may stand before a record besides white space: byte
// order marks, record separators and the NUL bytes that a crash of the machine
// leaves in a file. The decoder must have been reset and be so again.
func (s *source) skipMarks() (nuls int, found bool) {
	for start := s.read; ; {
		s.fill(len(byteOrderMark))
		b := s.buf[s.pos:s.end]
		switch {
		case len(b) > 0 && b[0] == 0:
			n := len(b) - len(bytes.TrimLeft(b, "\x00"))
			nuls += n
			s.advance(n)
		case len(b) > 0 && b[0] == recordSeparator:
			s.advance(1)
		case bytes.HasPrefix(b, []byte(byteOrderMark)):
			s.advance(len(byteOrderMark))
		default:
			return nuls, s.read > start
		}
	}
}

// nextByte is the next byte to be delivered; 0 at the end.
func (s *source) nextByte() byte {
	if s.fill(1); s.pos < s.end {
		return s.buf[s.pos]
	}
	return 0
}

// skipLine goes to the next line that begins with a brace or bracket in its
// first column, but for marks, where records begin and nothing that is indented. It reports
// whether there is one.
func (s *source) skipLine() bool {
	for {
		s.fill(1)
		if s.pos == s.end {
			return false
		}
		i := bytes.IndexByte(s.buf[s.pos:s.end], '\n')
		if i < 0 {
			s.advance(s.end - s.pos)
			continue
		}
		s.advance(i + 1)
		s.skipMarks()
		if c := s.nextByte(); c == '{' || c == '[' {
			return true
		}
	}
}
