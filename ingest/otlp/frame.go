package otlp

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math"

	"github.com/retryaudit/retryaudit/ingest/decode"
)

const (
	// frameHead is the size of the length before each message.
	frameHead = 4
	// lookahead is how much of a frame is looked at to tell whether it is one.
	lookahead = 64 << 10
)

// frames reads messages with their length before each.
func (d *protoDecoder) frames() error {
	for empty := false; !d.ended; {
		start := d.offset
		head := d.peek(frameHead)
		if len(head) < frameHead {
			if len(head) == 0 && d.err == io.EOF {
				return nil
			}
			return d.readError(start)
		}
		size := int64(binary.BigEndian.Uint32(head))
		if size == 0 {
			d.move(frameHead)
			empty = true
			continue
		}
		lead := 0
		if empty {
			// The length of the empty frame may be the beginning of another.
			lead = maxBack
			d.move(-lead)
		}
		empty = false
		var err error
		switch {
		case size <= int64(d.MaxMessage):
			err = d.frame(lead, int(size))
		case soundFrame(d.peek(lead + lookahead)[lead:], math.MaxUint32):
			d.move(lead + frameHead)
			err = d.longFrame(start, d.offset+size)
		default:
			err = d.seek(start + frameHead + size)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// frame reads the frame with a message of size bytes behind the next lead
// bytes, unless another frame begins within it: so it does where a writer died
// and was started again.
func (d *protoDecoder) frame(lead, size int) error {
	end := lead + frameHead + size
	b := d.peek(end + lookahead)
	whole := len(b) >= end
	sound := soundFrame(b[lead:], uint64(d.MaxMessage))
	next := -1
	if !sound {
		next = findFrame(b, 0, end, d.MaxMessage)
	} else if !whole || !d.follows(b[end:]) {
		next = findFrame(b, lead+1, end, d.MaxMessage)
	}
	at := d.offset + int64(lead)
	switch {
	case next > lead && soundFrame(b[lead:next], uint64(d.MaxMessage)):
		d.Problem(decode.FaultSyntax, 0, at, "unexpected end of a frame: found %d of its %d bytes before the next one", next-lead, frameHead+size)
		end, whole = next, false
	case next >= 0:
		d.noFrame(d.offset, next)
		d.move(next)
		return nil
	}
	end = min(end, len(b))
	err := d.fields(b[lead+frameHead:end], at+frameHead, !whole, func(f field) error {
		if f.number != 1 {
			return nil
		}
		return d.resourceSpans(f.body, at+frameHead+int64(f.pos), f.cut)
	})
	d.move(end)
	if err == nil && !whole && next < 0 {
		err = d.readError(at + frameHead)
	}
	return err
}

func (d *protoDecoder) noFrame(at int64, skipped int) {
	d.Problem(decode.FaultSyntax, 0, at, "found no frame; %d bytes skipped to the next one", skipped)
}

// follows reports whether b, which is what follows a frame, begins with one or
// is the end.
func (d *protoDecoder) follows(b []byte) bool {
	for len(b) >= frameHead && binary.BigEndian.Uint32(b) == 0 {
		b = b[frameHead:]
	}
	return len(b) == 0 || soundFrame(b, uint64(d.MaxMessage))
}

// longFrame reads a message that ends at end and is too long to be held.
func (d *protoDecoder) longFrame(start, end int64) error {
	if err := d.message(end); err != nil || d.ended {
		return err
	}
	// What is left of a message that is broken, as message has reported.
	if !d.skip(end - d.offset) {
		return d.readError(start)
	}
	return nil
}

// seek goes to the next frame before end, or to end.
func (d *protoDecoder) seek(end int64) error {
	start := d.offset
	for d.offset < end {
		b := d.peek(2 * lookahead)
		if len(b) == 0 {
			return d.readError(start)
		}
		to := len(b)
		if to == 2*lookahead {
			to -= lookahead
		}
		to = int(min(int64(to), end-d.offset))
		if next := findFrame(b, 0, to, d.MaxMessage); next >= 0 {
			d.move(next)
			d.noFrame(start, int(d.offset-start))
			return nil
		}
		d.move(to)
	}
	d.Problem(decode.FaultSyntax, 0, start, "found no frame; %d bytes skipped", d.offset-start)
	return nil
}

// findFrame returns the first place in b[from:to] at which a frame begins, or
// -1.
func findFrame(b []byte, from, to, maxMessage int) int {
	heads := b[:min(len(b), to+frameHead)]
	for from+frameHead < len(heads) {
		i := bytes.IndexByte(heads[from+frameHead:], 1<<3|wireBytes)
		if i < 0 {
			return -1
		}
		from += i
		if soundFrame(b[from:], uint64(maxMessage)) {
			return from
		}
		from++
	}
	return -1
}

// soundFrame reports whether b begins with the length of a message and the
// message, or as much of it as there is, with a span, a metric or a log in it.
func soundFrame(b []byte, maxMessage uint64) bool {
	if len(b) < frameHead {
		return false
	}
	b = b[:min(len(b), lookahead)]
	size := uint64(binary.BigEndian.Uint32(b))
	if size > maxMessage {
		return false
	}
	message := b[frameHead:min(uint64(len(b)), frameHead+size)]
	found := false
	sound := soundFields(message, size, func(f field) bool {
		return f.number == 1 && f.wire == wireBytes && soundElement(f.body, f.length, &found)
	})
	return sound && found
}

// soundElement reports whether b, of size bytes, has the fields of a
// ResourceSpans, a ResourceMetrics or a ResourceLogs, and sets found if there
// is a record in it.
func soundElement(b []byte, size uint64, found *bool) bool {
	return soundFields(b, size, func(f field) bool {
		switch {
		case f.wire != wireBytes || f.number > 3 && f.number != 1000:
			return false
		case f.number == 1 || f.number == 3: // resource, schema_url
			return true
		}
		return soundFields(f.body, f.length, func(f field) bool {
			if f.wire != wireBytes || f.number > 3 {
				return false
			}
			if f.number == 2 && !*found {
				_, *found = signalOfRecord(f.body)
				if f.cut && len(f.body) > 0 {
					*found = soundFields(f.body, f.length, func(f field) bool { return f.number <= 16 })
				}
			}
			return true
		})
	})
}

// soundFields reports whether b, of which the end may be missing to its size,
// consists of fields that sound accepts.
func soundFields(b []byte, size uint64, sound func(field) bool) bool {
	cut := uint64(len(b)) < size
	for pos := 0; pos < len(b); {
		f, next, err := nextField(b, pos)
		switch {
		case err != nil && !(cut && errors.Is(err, errCut)):
			return false
		case err != nil && f.body == nil:
			return true // within a field that has none
		case f.length > size-uint64(f.pos), !sound(f):
			return false
		}
		pos = next
	}
	return true
}
