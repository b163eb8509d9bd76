package ingest

import (
	"bufio"
	"bytes"
	"compress/bzip2"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"
)

// maxLayers bounds how often an input may be packed: once by the exporter,
// once for keeping.
const maxLayers = 2

// maxWindow is what the zstd tool accepts without being asked for more.
const maxWindow = 128 << 20

// minMemory is what RFC 8878 asks every decoder to grant a window.
const minMemory = 8 << 20

// unpacker undoes the packing of an input.
type unpacker struct {
	opt      Options
	left     *int64 // of what all layers and all members of an archive may unpack to, bytes
	raw      reader
	layers   []string         // from the outermost on
	spare    *[]*bufio.Reader // to be used again: an archive may have many members
	closers  []func()
	problems []Problem
}

func (u *unpacker) close() {
	for _, c := range slices.Backward(u.closers) {
		c()
	}
}

// compression names the layers, from the innermost on: "tar+gzip".
func (u *unpacker) compression() string {
	names := slices.Clone(u.layers)
	slices.Reverse(names)
	return strings.Join(names, "+")
}

// unpack returns the content of the input.
func (u *unpacker) unpack() (*bufio.Reader, error) {
	stream := u.buffered(&u.raw)
	for range maxLayers {
		name, content, err := u.layer(stream)
		if err != nil {
			return nil, err
		}
		if content == nil {
			break
		}
		u.layers = append(u.layers, name)
		stream = u.buffered(&limited{u: u, r: content, name: name})
	}
	return stream, nil
}

// buffered returns a reader that is given back on close.
func (u *unpacker) buffered(r io.Reader) *bufio.Reader {
	var b *bufio.Reader
	if n := len(*u.spare); n > 0 {
		b = (*u.spare)[n-1]
		*u.spare = (*u.spare)[:n-1]
		b.Reset(r)
	} else {
		b = bufio.NewReaderSize(r, bufferSize)
	}
	u.closers = append(u.closers, func() { *u.spare = append(*u.spare, b) })
	return b
}

// layer returns what unpacks the stream; nil if it is not packed.
func (u *unpacker) layer(stream *bufio.Reader) (name string, content io.Reader, err error) {
	head, _ := stream.Peek(8)
	switch {
	case bytes.HasPrefix(head, []byte("\x1f\x8b")):
		name = "gzip"
		content, err = newMembers(stream)
	case isZstd(head):
		name = "zstd"
		var dec *zstd.Decoder
		dec, err = zstd.NewReader(stream, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow))
		if err == nil {
			u.closers = append(u.closers, dec.Close)
			content = dec
		}
	case bytes.HasPrefix(head, []byte("BZh")):
		name, content = "bzip2", bzip2.NewReader(stream)
	case len(head) == 8 && isZstd(head[4:]):
		name = "zstd-framed"
		var dec *zstd.Decoder
		dec, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(uint64(max(u.opt.MaxMessage, minMemory))))
		if err == nil {
			u.closers = append(u.closers, dec.Close)
			content = &frames{u: u, r: stream, dec: dec}
		}
	}
	if err != nil {
		u.layers = append(u.layers, name)
		return name, nil, u.damage(name, err)
	}
	return name, content, nil
}

// isZstd reports whether b begins a frame of zstd (RFC 8878), be it one that
// is to be skipped.
func isZstd(b []byte) bool {
	if len(b) < 4 {
		return false
	}
	magic := binary.LittleEndian.Uint32(b)
	return magic == 0xFD2FB528 || magic&^0xF == 0x184D2A50
}

// damage is an error of packed content, which ends it and makes what was
// before no less usable.
type damage struct{ err error }

func (e *damage) Error() string { return e.err.Error() }
func (e *damage) Unwrap() error { return e.err }

// damage tells an error of the packing from one of the input.
func (u *unpacker) damage(name string, err error) error {
	switch {
	case err == nil || err == io.EOF:
		return err
	case u.raw.err != nil:
		return u.raw.err
	case errors.Is(err, errDecompressed):
		return err
	case errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF):
		return &damage{fmt.Errorf("unexpected end of the %s data; want it whole", name)}
	}
	if d := (*damage)(nil); errors.As(err, &d) {
		return err
	}
	return &damage{fmt.Errorf("damaged %s data: %w", name, err)}
}

var errDecompressed = errors.New("unpacked content above the limit")

func errAbove(limit int64) error {
	return fmt.Errorf("%w of %d bytes (MaxDecompressed)", errDecompressed, limit)
}

// limited reads unpacked content up to the limit.
type limited struct {
	u    *unpacker
	r    io.Reader
	name string
	// counted says that the content counts already, where it was unpacked.
	counted bool
	err     error // stays: bufio.Reader.Peek forgets it
}

func (l *limited) Read(p []byte) (int, error) {
	if l.err != nil {
		return 0, l.err
	}
	n, err := l.r.Read(p)
	if left := l.u.left; !l.counted {
		if int64(n) > *left {
			n = int(*left)
			err = errAbove(l.u.opt.MaxDecompressed)
		}
		*left -= int64(n)
	}
	l.err = l.u.damage(l.name, err)
	return n, l.err
}
