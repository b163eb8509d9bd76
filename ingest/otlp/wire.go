package otlp

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
)

// The wire types of protobuf.
const (
	wireVarint  = 0
	wireFixed64 = 1
	wireBytes   = 2
	wireFixed32 = 5
)

// field is one field of a message.
type field struct {
	number int
	wire   byte
	body   []byte // of wireBytes
	length uint64 // of body as the message says
	pos    int    // of body in the message
	cut    bool   // the message ends within the field; body is what is there
}

var (
	errVarint = errors.New("found a varint of more than 64 bits; want at most 10 bytes")
	errCut    = errors.New("unexpected end of a message")
)

// nextField reads the field at pos, which must be in b, and returns the
// position behind it.
func nextField(b []byte, pos int) (field, int, error) {
	tag, n := binary.Uvarint(b[pos:])
	if n <= 0 {
		return field{}, pos, varintError(n)
	}
	pos += n
	f := field{wire: byte(tag & 7)}
	number, err := fieldNumber(tag)
	if err != nil {
		return f, pos, err
	}
	f.number = number
	size := 0
	switch f.wire {
	case wireVarint:
		if _, size = binary.Uvarint(b[pos:]); size <= 0 {
			return f, pos, varintError(size)
		}
	case wireFixed64:
		size = 8
	case wireFixed32:
		size = 4
	case wireBytes:
		length, n := binary.Uvarint(b[pos:])
		if n <= 0 {
			f.cut = n == 0
			return f, pos, varintError(n)
		}
		pos += n
		f.length = length
		if length > uint64(len(b)-pos) {
			f.body, f.pos, f.cut = b[pos:], pos, true
			return f, len(b), cutError(f.number, length, len(b)-pos)
		}
		f.body, f.pos = b[pos:pos+int(length)], pos
		return f, pos + int(length), nil
	default:
		return f, pos, wireError(f.number, f.wire)
	}
	if size > len(b)-pos {
		return f, len(b), errCut
	}
	return f, pos + size, nil
}

// fieldSize reads the head of the field at the beginning of b: its number and
// wire type in n bytes, with the length of wireBytes. size is that of what
// follows. Of a varint, all is in the head.
func fieldSize(b []byte) (number int, wire byte, size uint64, n int, err error) {
	tag, n := binary.Uvarint(b)
	if n <= 0 {
		return 0, 0, 0, 0, varintError(n)
	}
	wire = byte(tag & 7)
	if number, err = fieldNumber(tag); err != nil {
		return 0, wire, 0, n, err
	}
	switch wire {
	case wireVarint, wireBytes:
		v, k := binary.Uvarint(b[n:])
		if k <= 0 {
			return number, wire, 0, n, varintError(k)
		}
		if wire == wireVarint {
			v = 0
		}
		return number, wire, v, n + k, nil
	case wireFixed64:
		return number, wire, 8, n, nil
	case wireFixed32:
		return number, wire, 4, n, nil
	}
	return number, wire, 0, n, wireError(number, wire)
}

// fieldNumber is bounded as protobuf bounds it.
func fieldNumber(tag uint64) (int, error) {
	if n := tag >> 3; n > 0 && n < 1<<29 {
		return int(n), nil
	}
	return 0, fmt.Errorf("found field number %d; want 1 to %d", tag>>3, 1<<29-1)
}

func wireError(number int, wire byte) error {
	return fmt.Errorf("found field %d of wire type %d; want 0, 1, 2 or 5", number, wire)
}

// cutError says that a message ends within a field; it is an errCut.
func cutError(number int, size uint64, left int) error {
	return fmt.Errorf("found field %d of %d bytes; want at most the %d that are left: %w", number, size, max(0, left), errCut)
}

// varintError explains a result of binary.Uvarint.
func varintError(n int) error {
	if n == 0 {
		return errCut
	}
	return errVarint
}

// appendBytes appends a field of wireBytes.
func appendBytes(to []byte, number int, body []byte) []byte {
	return append(appendHead(to, number, len(body)), body...)
}

func appendHead(to []byte, number, size int) []byte {
	to = binary.AppendUvarint(to, uint64(number)<<3|wireBytes)
	return binary.AppendUvarint(to, uint64(size))
}

// sizeHead is the length of what appendHead appends for a field number below 16.
func sizeHead(size int) int { return 1 + (bits.Len64(uint64(size)|1)+6)/7 }
