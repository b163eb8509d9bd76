package ingest

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"
)

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
		f.problem("frame of %d bytes; want at most %d (MaxMessage); skipped", size, f.u.opt.MaxMessage)
		if _, err := io.CopyN(io.Discard, f.r, size); err != nil {
			return io.ErrUnexpectedEOF
		}
		return nil
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
