package otlp

import (
	"encoding/binary"
	"io"

	"github.com/retryaudit/retryaudit/ingest/decode"
	"github.com/retryaudit/retryaudit/ingest/record"
)

// protoDecoder reads OTLP protobuf a ResourceSpans or a frame at a time.
type protoDecoder struct {
	decode.Sink
	*window
	ended bool   // the input did, within an element or a frame
	wrap  []byte // the message for pdata

	span           record.Span
	resource       []record.Attr
	scope, version string
}

// ReadProto reads an ExportTraceServiceRequest, which is a TracesData, too,
// or, if framed, any number of them with their length before each in four
// bytes, the highest first, as the Collector's file exporter writes them. The
// result is valid with an error, too. An error is one of emit or of r; all
// that is wrong with the content is a problem.
func ReadProto(r io.Reader, framed bool, lim decode.Limits, emit func(*record.Span) error) (decode.Result, error) {
	d := &protoDecoder{Sink: decode.NewSink(lim, emit), window: newWindow(r)}
	var err error
	if framed {
		err = d.frames()
	} else {
		err = d.message(-1)
	}
	return d.Result, decode.Unstop(err)
}

// readError reports that the input ended or failed within an element.
func (d *protoDecoder) readError(offset int64) error {
	if d.err == io.EOF {
		d.ended = true
		d.Problem(decode.FaultSyntax, 0, offset, "unexpected end of the input in the element that begins here; want it whole")
		return nil
	}
	d.Problem(decode.FaultSyntax, 0, offset, "%v; the input is not read from here on", d.err)
	return d.err
}

// message reads a message that ends at end, or with the input if end is
// negative. Where it is broken it returns nil before the end, as nothing tells
// where the next field begins.
func (d *protoDecoder) message(end int64) error {
	for !d.ended && (end < 0 || d.offset < end) {
		start := d.offset
		head := d.peek(2 * binary.MaxVarintLen64)
		if len(head) == 0 && d.err == io.EOF && end < 0 {
			return nil
		}
		all := end >= 0 && end-start <= int64(len(head))
		if all {
			head = head[:end-start]
		}
		number, wire, size, n, err := fieldSize(head)
		switch {
		case err == errCut && !all:
			return d.readError(start)
		case err != nil:
			d.Problem(decode.FaultSyntax, 0, start, "broken protobuf: %v", err)
			return nil
		case size > 1<<62:
			d.Problem(decode.FaultSyntax, 0, start, "broken protobuf: found field %d of %d bytes; want at most 2^62", number, size)
			return nil
		case end >= 0 && start+int64(n)+int64(size) > end:
			d.Problem(decode.FaultSyntax, 0, start, "broken protobuf: %v", cutError(number, size, int(end-start)-n))
			return nil
		}
		d.move(n)
		if number == 1 && wire == wireBytes {
			err = d.element(start, int64(size))
		} else if !d.skip(int64(size)) {
			err = d.readError(start)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// element reads the element of size bytes of a message's first field, which
// is a ResourceSpans, a ResourceMetrics or a ResourceLogs.
func (d *protoDecoder) element(start, size int64) error {
	if size > int64(d.MaxMessage) {
		d.Problem(decode.FaultSize, 0, start, "element of %d bytes; want at most %d (MaxMessage); skipped", size, d.MaxMessage)
		if !d.skip(size) {
			return d.readError(start)
		}
		return nil
	}
	b := d.peek(int(size))
	cut := len(b) < int(size)
	// Of an element that was cut off, the spans before the cut are whole.
	if err := d.resourceSpans(b, d.offset, cut); err != nil {
		return err
	}
	d.move(len(b))
	if cut {
		return d.readError(start)
	}
	return nil
}
