package console

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
)

// sieve lets the lines through that may be JSON objects, and knows where they
// stood. What it lets through wrongly, the decoder reports.
type sieve struct {
	in      *lines
	foreign foreign
	cuts    []cut
	rest    []byte // to be delivered
	sent    int64  // bytes delivered
	drops   bool   // the rest of the line is no JSON

	// Of the object that is being passed.
	depth   int // 0 between objects
	quoted  bool
	escaped bool
}

// cut says that all that was delivered from at on lies further behind in the
// input.
type cut struct {
	at    int64
	bytes int64
	lines int
}

// maxCuts bounds the cuts that are kept; they are dropped with each record.
const maxCuts = 1 << 14

// Read implements io.Reader.
func (s *sieve) Read(p []byte) (int, error) {
	for len(s.rest) == 0 {
		b := s.in.next()
		if len(b) == 0 {
			return 0, s.in.err
		}
		s.rest = s.pass(b)
		if dropped := len(b) - len(s.rest); dropped > 0 {
			lines := 0
			if s.in.ended && !bytes.HasSuffix(s.rest, []byte{'\n'}) {
				lines = 1
			}
			s.cut(dropped, lines, len(s.rest))
		}
	}
	n := copy(p, s.rest)
	s.rest = s.rest[n:]
	s.sent += int64(n)
	return n, nil
}

// cut notes what is left out behind the bytes that are still to be sent.
func (s *sieve) cut(n, lines, unsent int) {
	at := s.sent + int64(unsent)
	var last cut
	if len(s.cuts) > 0 {
		last = s.cuts[len(s.cuts)-1]
	}
	now := cut{at: at, bytes: last.bytes + int64(n), lines: last.lines + lines}
	if len(s.cuts) > 0 && last.at == at {
		s.cuts[len(s.cuts)-1] = now
		return
	}
	if len(s.cuts) == maxCuts {
		s.cuts = append(s.cuts[:0], s.cuts[maxCuts/2:]...)
	}
	s.cuts = append(s.cuts, now)
}

// place returns where something stood in the input.
func (s *sieve) place(line int, offset int64) (int, int64) {
	i, found := slices.BinarySearchFunc(s.cuts, offset, func(c cut, at int64) int { return int(c.at - at) })
	if !found {
		i--
	}
	if i < 0 {
		return line, offset
	}
	return line + s.cuts[i].lines, offset + s.cuts[i].bytes
}

// forget drops the cuts that no place from offset on needs.
func (s *sieve) forget(offset int64) {
	i := 0
	for i+1 < len(s.cuts) && s.cuts[i+1].at <= offset {
		i++
	}
	s.cuts = s.cuts[:copy(s.cuts, s.cuts[i:])]
}

// between is what may stand around JSON values.
const between = " \t\r\n\x00\x1e\xef\xbb\xbf"

// pass returns the part of a piece of a line that is let through; it begins
// with the piece. A line feed behind it is let through, too.
func (s *sieve) pass(b []byte) []byte {
	if s.in.begins {
		s.drops = s.startLine(b)
	}
	if s.drops {
		return nil
	}
	if s.depth > 0 {
		unname(b)
	}
	for i, c := range b {
		if s.depth == 0 {
			if c == '{' {
				s.depth = 1
			}
			continue
		}
		s.step(c)
		if s.depth > 0 || isJSON(b[i+1:]) {
			continue
		}
		// More than the object stands in its line.
		s.drops = true
		s.foreign.add(s.in.line, s.in.offset+int64(i)+1)
		if s.in.ended {
			b[i+1] = '\n'
			return b[:i+2]
		}
		return b[:i+1]
	}
	return b
}

// noNumber is a value on a line of its own that Python writes and JSON lacks.
var noNumber = regexp.MustCompile(`(?:^\s*|": )(NaN|-?Infinity)(?:,?\s*)$`)

// unname makes an empty string of the same length of such a value.
func unname(b []byte) {
	if m := noNumber.FindSubmatchIndex(b); m != nil {
		copy(b[m[2]:m[3]], `""         `)
	}
}

// startLine reports whether a line is dropped.
func (s *sieve) startLine(b []byte) bool {
	text := bytes.TrimLeft(b, between)
	json := isJSON(text)
	if s.quoted || b[0] == '{' && json {
		// A string ends in its line, and an object in the first column is no
		// part of another: what was begun is broken off here.
		s.depth, s.quoted, s.escaped = 0, false, false
	}
	if len(text) == 0 && s.depth == 0 {
		return bytes.IndexByte(b, 0) < 0 // the decoder reports NUL bytes
	}
	if s.depth > 0 && (len(text) < len(b) || strings.IndexByte("}]\",", b[0]) >= 0) || json {
		return false
	}
	s.foreign.add(s.in.line, s.in.offset)
	return true
}

// isJSON reports whether text may begin an object, an array of objects or
// what stands between or behind the elements of one.
func isJSON(text []byte) bool {
	for {
		text = bytes.TrimLeft(text, between)
		if len(text) == 0 {
			return true
		}
		switch text[0] {
		case '[', ']', ',':
			text = text[1:]
		case '{':
			text = bytes.TrimLeft(text[1:], " \t\r\n")
			return len(text) == 0 || text[0] == '"' || text[0] == '}'
		default:
			return false
		}
	}
}

// step follows an object by a byte.
func (s *sieve) step(c byte) {
	switch {
	case s.escaped:
		s.escaped = false
	case s.quoted && c == '\\':
		s.escaped = true
	case c == '"':
		s.quoted = !s.quoted
	case s.quoted:
	case c == '{' || c == '[':
		s.depth++
	case c == '}' || c == ']':
		s.depth--
	}
}
