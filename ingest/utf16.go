package ingest

import (
	"bufio"
	"bytes"

	"golang.org/x/text/encoding/unicode"
)

// fromUTF16 returns a stream as UTF-8 if it is UTF-16, which PowerShell writes
// where output is redirected, with or without a byte order mark.
func fromUTF16(stream *bufio.Reader) *bufio.Reader {
	head, _ := stream.Peek(64)
	order := unicode.LittleEndian
	switch {
	case bytes.HasPrefix(head, []byte("\xff\xfe")), isUTF16(head, unicode.LittleEndian):
	case bytes.HasPrefix(head, []byte("\xfe\xff")), isUTF16(head, unicode.BigEndian):
		order = unicode.BigEndian
	default:
		return stream
	}
	return buffered(unicode.UTF16(order, unicode.UseBOM).NewDecoder().Reader(stream))
}

// isUTF16 reports whether head begins JSON in UTF-16 without a mark: all that
// makes up its beginning is ASCII, so every other byte is 0.
func isUTF16(head []byte, order unicode.Endianness) bool {
	const enough = 8
	if len(head) < enough {
		return false
	}
	for i := range enough {
		if high := (i%2 == 1) == (order == unicode.LittleEndian); high != (head[i] == 0) {
			return false
		}
	}
	text, err := unicode.UTF16(order, unicode.IgnoreBOM).NewDecoder().Bytes(head[:len(head)&^1])
	return err == nil && looksJSON(text)
}
