package otlp

import "io"

// window reads an input that can be looked at before it is taken.
type window struct {
	r        io.Reader
	err      error // of r; io.EOF at the end
	buf      []byte
	pos, end int   // buf[pos:end] is read but not taken
	offset   int64 // of buf[pos] in the input
}

const (
	windowSize = 4 * lookahead
	// maxBack is how far one can go back.
	maxBack = frameHead - 1
	// maxEmptyReads is how often a reader may yield neither bytes nor an error.
	maxEmptyReads = 100
)

func newWindow(r io.Reader) *window { return &window{r: r, buf: make([]byte, windowSize)} }

// peek returns the next n bytes, or less where the input ends or fails. They
// are valid until the next peek.
func (w *window) peek(n int) []byte {
	for empty := 0; w.end-w.pos < n && w.err == nil; {
		w.makeRoom(n)
		k, err := w.r.Read(w.buf[w.end:])
		w.end += k
		w.err = err
		if k > 0 {
			empty = 0
		} else if empty++; empty > maxEmptyReads && err == nil {
			w.err = io.ErrNoProgress
		}
	}
	return w.buf[w.pos:min(w.end, w.pos+n)]
}

// makeRoom makes it possible to read on towards n bytes. The buffer grows with
// what is there, not with what a length claims.
func (w *window) makeRoom(n int) {
	if w.end < len(w.buf) {
		return
	}
	buf := w.buf
	if want := n + maxBack; want > len(buf) && w.end-w.pos > len(buf)/2 {
		buf = make([]byte, min(2*len(buf), want))
	}
	back := min(w.pos, maxBack)
	w.end = copy(buf, w.buf[w.pos-back:w.end])
	w.pos = back
	w.buf = buf
}

// move takes n bytes that were peeked at; less than 0 gives them back.
func (w *window) move(n int) {
	w.pos += n
	w.offset += int64(n)
}

// skip takes n bytes, or less where the input ends or fails, and reports
// whether all were there.
func (w *window) skip(n int64) bool {
	for n > 0 {
		k := len(w.peek(int(min(n, lookahead))))
		if k == 0 {
			return false
		}
		w.move(k)
		n -= int64(k)
	}
	return true
}
