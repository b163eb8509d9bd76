package otlp

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"io"

	"github.com/retryaudit/retryaudit/ingest/record"
)

// protoDecoder reads OTLP protobuf a ResourceSpans at a time.
type protoDecoder struct {
	sink
	r      *bufio.Reader
	offset int64
	ended  bool         // the input did, within an element
	body   bytes.Buffer // the ResourceSpans
	wrap   []byte       // the message for pdata

	span           record.Span
	resource       []record.Attr
	scope, version string
}

// ReadProto reads an ExportTraceServiceRequest, which is a TracesData, too,
// or, if framed, any number of them with their length before each in four
// bytes, the highest first, as the Collector's file exporter writes them. The
// result is valid with an error, too. An error is one of emit or of r; all
// that is wrong with the content is a problem.
func ReadProto(r io.Reader, framed bool, lim Limits, emit func(*record.Span) error) (Result, error) {
	d := &protoDecoder{sink: newSink(lim, emit), r: bufio.NewReaderSize(r, sourceSize)}
	var err error
	if framed {
		err = d.frames()
	} else {
		err = d.message(-1)
	}
	return d.result, unstop(err)
}

// frames reads messages with their length before each.
func (d *protoDecoder) frames() error {
	for {
		start := d.offset
		var head [4]byte
		n, err := io.ReadFull(d.r, head[:])
		d.offset += int64(n)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return d.readError(start, err)
		}
		end := d.offset + int64(binary.BigEndian.Uint32(head[:]))
		if err := d.message(end); err != nil || d.ended {
			return err
		}
		// What is left of a message that is broken, as message has reported.
		if err := d.skip(end - d.offset); err != nil {
			return d.readError(start, err)
		}
	}
}

// readError reports that the input ended or failed within an element.
func (d *protoDecoder) readError(offset int64, err error) error {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		d.ended = true
		d.problem(faultSyntax, 0, offset, "unexpected end of the input in the element that begins here; want it whole")
		return nil
	}
	d.problem(faultSyntax, 0, offset, "%v; the input is not read from here on", err)
	return err
}

// message reads a message that ends at end, or with the input if end is
// negative. Where it is broken it returns nil before the end, as nothing tells
// where the next field begins.
func (d *protoDecoder) message(end int64) error {
	for !d.ended && (end < 0 || d.offset < end) {
		start := d.offset
		tag, err := d.uvarint(end)
		if err == io.EOF && end < 0 {
			return nil
		}
		if err != nil {
			return d.varintError(start, err)
		}
		number, err := fieldNumber(tag)
		if err != nil {
			d.problem(faultSyntax, 0, start, "broken protobuf: %v", err)
			return nil
		}
		size := int64(0)
		switch wire := byte(tag & 7); wire {
		case wireVarint:
			if _, err := d.uvarint(end); err != nil {
				return d.varintError(start, err)
			}
		case wireFixed64:
			size = 8
		case wireFixed32:
			size = 4
		case wireBytes:
			length, err := d.uvarint(end)
			if err != nil {
				return d.varintError(start, err)
			}
			if length > 1<<62 {
				d.problem(faultSyntax, 0, start, "broken protobuf: found field %d of %d bytes; want at most 2^62", number, length)
				return nil
			}
			size = int64(length)
		default:
			d.problem(faultSyntax, 0, start, "broken protobuf: %v", wireError(number, wire))
			return nil
		}
		if end >= 0 && d.offset+size > end {
			d.problem(faultSyntax, 0, start, "broken protobuf: found field %d of %d bytes; want at most the %d that are left of its message", number, size, max(0, end-d.offset))
			return nil
		}
		if number == 1 && tag&7 == wireBytes {
			err = d.element(start, size)
		} else if err = d.skip(size); err != nil {
			err = d.readError(start, err)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (d *protoDecoder) varintError(start int64, err error) error {
	if err == errVarint || err == errCut {
		d.problem(faultSyntax, 0, start, "broken protobuf: %v", err)
		return nil
	}
	return d.readError(start, err)
}

// uvarint reads a varint of a message that ends at end. It returns io.EOF only
// where the input ends before it.
func (d *protoDecoder) uvarint(end int64) (uint64, error) {
	v := uint64(0)
	for i := range binary.MaxVarintLen64 {
		if end >= 0 && d.offset >= end {
			return 0, errCut
		}
		c, err := d.r.ReadByte()
		if err == io.EOF && i > 0 {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return 0, err
		}
		d.offset++
		if i == binary.MaxVarintLen64-1 && c > 1 {
			break // more than 64 bits
		}
		if v |= uint64(c&0x7f) << (7 * i); c < 0x80 {
			return v, nil
		}
	}
	return 0, errVarint
}

// skip reads over n bytes.
func (d *protoDecoder) skip(n int64) error {
	k, err := io.CopyN(io.Discard, d.r, n)
	d.offset += k
	return err
}

// element reads the element of size bytes of a message's first field, which
// is a ResourceSpans, a ResourceMetrics or a ResourceLogs.
func (d *protoDecoder) element(start, size int64) error {
	if size > int64(d.lim.MaxMessage) {
		d.problem(faultSize, 0, start, "element of %d bytes; want at most %d (MaxMessage); skipped", size, d.lim.MaxMessage)
		if err := d.skip(size); err != nil {
			return d.readError(start, err)
		}
		return nil
	}
	// The buffer grows with what is there, not with what the length claims.
	d.body.Reset()
	base := d.offset
	n, err := io.CopyN(&d.body, d.r, size)
	d.offset += n
	// Of an element that was cut off, the spans before the cut are whole.
	if stop := d.resourceSpans(d.body.Bytes(), base, err != nil); stop != nil {
		return stop
	}
	if err != nil {
		return d.readError(start, err)
	}
	return nil
}
