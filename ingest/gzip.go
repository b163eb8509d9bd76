package ingest

import (
	"bufio"
	"bytes"
	"fmt"
	"io"

	"github.com/klauspost/compress/gzip"
)

// members reads the members of gzip data one after another (RFC 1952, 2.2) and
// says what stands behind them if it is something else; zeros are padding.
type members struct {
	from *bufio.Reader
	r    *gzip.Reader
}

func newMembers(from *bufio.Reader) (*members, error) {
	r, err := gzip.NewReader(from)
	if err != nil {
		return nil, err
	}
	r.Multistream(false)
	return &members{from, r}, nil
}

func (m *members) Read(p []byte) (int, error) {
	n, err := m.r.Read(p)
	if err != io.EOF || n > 0 {
		if err == io.EOF {
			err = nil // is said again
		}
		return n, err
	}
	head, _ := m.from.Peek(2)
	switch {
	case len(head) == 0:
		return 0, io.EOF
	case bytes.Equal(head, []byte("\x1f\x8b")):
		if err := m.r.Reset(m.from); err != nil {
			return 0, err
		}
		m.r.Multistream(false)
		return 0, nil
	case head[0] == 0:
		if padded(m.from) {
			return 0, io.EOF
		}
	}
	return 0, fmt.Errorf("found %q behind it; want another member or the end", head)
}

// padded reports whether nothing but zeros is left.
func padded(from *bufio.Reader) bool {
	for {
		b, err := from.ReadByte()
		if err != nil {
			return err == io.EOF
		}
		if b != 0 {
			return false
		}
	}
}
