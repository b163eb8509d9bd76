package ingest

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/gzip"
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
	opt         Options
	raw         reader
	compression string // of the outermost layer
	closers     []func()
	problems    []Problem
}

func (u *unpacker) close() {
	for _, c := range u.closers {
		c()
	}
}

// unpack returns the content of the input.
func (u *unpacker) unpack() (*bufio.Reader, error) {
	stream := buffered(&u.raw)
	for range maxLayers {
		head, _ := stream.Peek(8)
		var content io.Reader
		name := ""
		switch {
		case bytes.HasPrefix(head, []byte("\x1f\x8b")):
			name = "gzip"
			r, err := gzip.NewReader(stream)
			if err != nil {
				return nil, u.damage(name, err)
			}
			content = r
		case isZstd(head):
			name = "zstd"
			r, err := zstd.NewReader(stream, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow))
			if err != nil {
				return nil, u.damage(name, err)
			}
			u.closers = append(u.closers, r.Close)
			content = r
		case len(head) == 8 && isZstd(head[4:]):
			name = "zstd-framed"
			dec, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(uint64(max(u.opt.MaxMessage, minMemory))))
			if err != nil {
				return nil, err
			}
			u.closers = append(u.closers, dec.Close)
			content = &frames{u: u, r: stream, dec: dec}
		default:
			return stream, nil
		}
		if u.compression == "" {
			u.compression = name
		}
		stream = buffered(&limited{u: u, r: content, name: name, left: u.opt.MaxDecompressed})
	}
	return stream, nil
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

// limited reads unpacked content up to the limit.
type limited struct {
	u    *unpacker
	r    io.Reader
	name string
	left int64
	err  error // stays: bufio.Reader.Peek forgets it
}

func (l *limited) Read(p []byte) (int, error) {
	if l.err != nil {
		return 0, l.err
	}
	n, err := l.r.Read(p)
	if int64(n) > l.left {
		n = int(l.left)
		err = fmt.Errorf("%w of %d bytes (MaxDecompressed)", errDecompressed, l.u.opt.MaxDecompressed)
	}
	l.left -= int64(n)
	l.err = l.u.damage(l.name, err)
	return n, l.err
}

// frames reads what the Collector's file exporter writes with compression
// zstd: again and again the length of a frame, in four bytes with the highest
// first, and the frame, which holds one message. It yields what the exporter
// would have written without compression: JSON messages each in a line of its
// own, protobuf messages each with its length before it.
type frames struct {
	u       *unpacker
	r       *bufio.Reader
	dec     *zstd.Decoder
	frame   bytes.Buffer
	message []byte
	content []byte // what is left of message
	known   bool   // whether it is JSON or protobuf
	json    bool
	offset  int64 // of the next message in what is yielded
}

func (f *frames) Read(p []byte) (int, error) {
	for len(f.content) == 0 {
		if err := f.next(); err != nil {
			return 0, err
		}
	}
	n := copy(p, f.content)
	f.content = f.content[n:]
	return n, nil
}

// next unpacks the next frame. One that is broken leaves the content empty.
func (f *frames) next() error {
	var head [4]byte
	if _, err := io.ReadFull(f.r, head[:]); err != nil {
		return err
	}
	size := int64(binary.BigEndian.Uint32(head[:]))
	if size > int64(f.u.opt.MaxMessage) {
		return &damage{fmt.Errorf("frame of %d bytes; want at most %d (MaxMessage)", size, f.u.opt.MaxMessage)}
	}
	// The buffer grows with what is there, not with what the length claims.
	f.frame.Reset()
	if _, err := io.CopyN(&f.frame, f.r, size); err != nil {
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return err
	}
	// Four bytes are left for the length of the message.
	message, err := f.dec.DecodeAll(f.frame.Bytes(), append(f.message[:0], head[:]...))
	if errors.Is(err, zstd.ErrDecoderSizeExceeded) || errors.Is(err, zstd.ErrWindowSizeExceeded) || len(message)-4 > f.u.opt.MaxMessage {
		f.problem("frame holds a message of more than %d bytes (MaxMessage); skipped", f.u.opt.MaxMessage)
		return nil
	}
	if err != nil {
		f.problem("damaged frame of %d bytes: %v; skipped", size, err)
		return nil
	}
	f.message = message
	if len(message) == 4 {
		return nil
	}
	json := looksJSON(message[4:])
	if !f.known {
		f.known, f.json = true, json
	}
	switch {
	case json != f.json:
		f.problem("frame in another format than the first one (JSON %t, before %t); skipped", json, f.json)
		return nil
	case json:
		f.content = message[4:]
		if !bytes.HasSuffix(message, []byte{'\n'}) {
			f.message = append(message, '\n')
			f.content = f.message[4:]
		}
	default:
		binary.BigEndian.PutUint32(message, uint32(len(message)-4))
		f.content = message
	}
	f.offset += int64(len(f.content))
	return nil
}

// maxFrameProblems is how many problems are kept one by one.
const maxFrameProblems = 20

func (f *frames) problem(format string, args ...any) {
	p := &f.u.problems
	if len(*p) > maxFrameProblems {
		(*p)[maxFrameProblems].Count++
		return
	}
	if len(*p) == maxFrameProblems {
		*p = append(*p, Problem{Offset: f.offset, Reason: "more damaged frames", Count: 1})
		return
	}
	*p = append(*p, Problem{Offset: f.offset, Reason: fmt.Sprintf(format, args...)})
}
