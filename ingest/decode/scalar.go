package decode

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Text reads a string; ok is false for null and, reported, for other kinds.
// The bytes are valid until the next read.
func (d *JSON) Text(what string) (b []byte, ok bool, err error) {
	switch d.dec.PeekKind() {
	case '"', 0:
		v, err := d.dec.ReadValue()
		if err != nil {
			return nil, false, err
		}
		return d.unquote(v), true, nil
	case 'n':
		return nil, false, d.dec.SkipValue()
	}
	return nil, false, d.wrongKind(what, "a string")
}

// Str reads a string; null leaves it as it is.
func (d *JSON) Str(what string, to *string) error {
	b, ok, err := d.Text(what)
	if !ok {
		return err
	}
	if len(b) > d.MaxString {
		line, offset := d.here()
		*to = d.Clip(string(b), line, offset)
		return nil
	}
	*to = d.names.of(b)
	return nil
}

// here is the place of the string or number just read.
func (d *JSON) here() (line int, offset int64) {
	return d.lineAt(d.Offset()), d.valueAt
}

// scalar reads a number, or a string that is to be read as one.
func (d *JSON) scalar(what, want string) (b []byte, ok bool, err error) {
	switch d.dec.PeekKind() {
	case '0':
		v, err := d.dec.ReadValue()
		d.valueAt = d.Offset() - int64(len(v))
		return v, err == nil, err
	case '"', 'n', 0:
		return d.Text(what)
	}
	return nil, false, d.wrongKind(what, want)
}

// wrongText reports a value that was read.
func (d *JSON) wrongText(what string, got []byte, want string) {
	line, offset := d.here()
	d.Problem(FaultValue, line, offset, "%s: found %q; want %s", what, Excerpt(string(got)), want)
}

// whole reads an integer that is written with a fraction or an exponent, as
// JavaScript writes great ones.
func whole(b []byte) (float64, bool) {
	f, err := strconv.ParseFloat(string(b), 64)
	return f, err == nil && f == math.Trunc(f)
}

// Int reads an integer, as a number or as a text.
func (d *JSON) Int(what string, to *int64) error {
	const want = "an integer of 64 bits"
	b, ok, err := d.scalar(what, want)
	if !ok {
		return err
	}
	v, err := strconv.ParseInt(string(b), 10, 64)
	if err != nil {
		f, ok := whole(b)
		if !ok || f < math.MinInt64 || f >= math.MaxInt64 {
			d.wrongText(what, b, want)
			return nil
		}
		v = int64(f)
	}
	*to = v
	return nil
}

// Time reads ns since 1970.
func (d *JSON) Time(what string, to *int64) error {
	const want = "ns since 1970"
	b, ok, err := d.scalar(what, want)
	if !ok || len(b) == 0 {
		return err
	}
	v, err := strconv.ParseUint(string(b), 10, 64)
	if err != nil {
		f, ok := whole(b)
		if !ok || f < 0 || f >= math.MaxInt64 {
			d.wrongText(what, b, want)
			return nil
		}
		v = uint64(f)
	}
	line, offset := 0, int64(0)
	if int64(v) < 0 {
		line, offset = d.here()
	}
	*to = d.Nanos(v, line, offset)
	return nil
}

// Double reads a number, as such or as a text.
func (d *JSON) Double(what string, to *float64) error {
	const want = "a number"
	b, ok, err := d.scalar(what, want)
	if !ok {
		return err
	}
	v, err := strconv.ParseFloat(string(b), 64)
	if err != nil {
		d.wrongText(what, b, want)
		return nil
	}
	*to = v
	return nil
}

// Boolean reads true or false.
func (d *JSON) Boolean(what string, to *bool) error {
	switch d.dec.PeekKind() {
	case 't', 'f', 0:
		t, err := d.dec.ReadToken()
		if err != nil {
			return err
		}
		*to = t.Bool()
		return nil
	}
	return d.wrongKind(what, "a boolean")
}

// Bytes reads base64 of either alphabet.
func (d *JSON) Bytes(what string, to *string) error {
	b, ok, err := d.Text(what)
	if !ok {
		return err
	}
	v, ok := fromBase64(b)
	if !ok {
		d.wrongText(what, b, "base64")
		return nil
	}
	line, offset := d.here()
	*to = d.Clip(string(v), line, offset)
	return nil
}

// fromBase64 reads both alphabets, with or without padding.
func fromBase64(b []byte) ([]byte, bool) {
	b = bytes.TrimRight(b, "=")
	enc := base64.RawStdEncoding
	if bytes.ContainsAny(b, "-_") {
		enc = base64.RawURLEncoding
	}
	v, err := enc.AppendDecode(nil, b)
	return v, err == nil
}

// ID reads an ID as hex, which OTLP wants, or as base64, which plain protobuf
// libraries write. An empty one is zero; then says what becomes of what has a
// broken one.
func (d *JSON) ID(what, then string, to []byte, broken *bool) error {
	b, ok, err := d.Text(what)
	if !ok {
		return err
	}
	switch len(b) {
	case 0:
		return nil
	case 2 * len(to):
		if _, err := hex.Decode(to, b); err == nil {
			return nil
		}
	case base64.StdEncoding.EncodedLen(len(to)), base64.RawStdEncoding.EncodedLen(len(to)):
		if v, ok := fromBase64(b); ok && len(v) == len(to) {
			copy(to, v)
			return nil
		}
	}
	*broken = true
	clear(to)
	line, offset := d.here()
	d.Problem(FaultID, line, offset, "%s: found %q of %d characters; want %d hex digits; %s", what, Excerpt(string(b)), len(b), 2*len(to), then)
	return nil
}

// Enum reads the number of one of the names, or the name.
func (d *JSON) Enum(what string, names []string) (int, error) {
	b, ok, err := d.scalar(what, "a number or a name")
	if !ok {
		return 0, err
	}
	if v, err := strconv.Atoi(string(b)); err == nil && v >= 0 && v < len(names) {
		return v, nil
	}
	for i, name := range names {
		word := name[strings.LastIndexByte(name, '_')+1:] // as some writers shorten it
		if strings.EqualFold(string(b), name) || strings.EqualFold(string(b), word) {
			return i, nil
		}
	}
	d.wrongText(what, b, fmt.Sprintf("0 to %d or a name like %s", len(names)-1, names[len(names)-1]))
	return 0, nil
}
