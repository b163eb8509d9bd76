package semconv

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"strconv"
	"strings"

	"github.com/dchest/siphash"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/retryaudit/retryaudit/ingest/record"
)

// A Key makes the hashes of private texts: of prompts, arguments and queries
// only these are kept, and without the key nobody can try texts against them.
// Spans whose hashes are to be compared need one key.
type Key [16]byte

// KeyOf makes a key of a secret of any length.
func KeyOf(secret string) Key {
	sum := sha256.Sum256([]byte(secret))
	return Key(sum[:len(Key{})])
}

// hash returns the keyed hash of a text (SipHash-2-4), never 0 but for the
// empty one.
func (n *Normalizer) hash(s string) uint64 {
	if s == "" {
		return 0
	}
	n.text = append(n.text[:0], s...)
	return max(1, siphash.Hash(n.k0, n.k1, n.text))
}

// hashArgs returns the hash of tool arguments: of JSON, whether written as a
// text or as a structured value, the hash of its canonical form (RFC 8785).
func (n *Normalizer) hashArgs(v *record.Value) uint64 {
	switch v.Type {
	case record.Map, record.List:
		n.buf = appendJSON(n.buf[:0], v)
	default:
		s := text(v)
		if t := strings.TrimSpace(s); t == "" || t[0] != '{' && t[0] != '[' {
			return n.hash(s)
		}
		n.buf = append(n.buf[:0], s...)
	}
	value := jsontext.Value(bytes.Clone(n.buf)) // Canonicalize keeps what it is given
	if value.Canonicalize() != nil {
		return n.hash(string(n.buf))
	}
	return n.hash(string(value))
}

// hashText returns the hash of a prompt or body.
func (n *Normalizer) hashText(v *record.Value) uint64 {
	if v.Type == record.Map || v.Type == record.List {
		return n.hashArgs(v)
	}
	return n.hash(text(v))
}

// appendJSON appends a structured value as JSON.
func appendJSON(b []byte, v *record.Value) []byte {
	switch v.Type {
	case record.String:
		q, err := jsontext.AppendQuote(b, v.S)
		if err != nil {
			return append(b, '"', '"')
		}
		return q
	case record.Bytes:
		b = append(b, '"')
		b = base64.StdEncoding.AppendEncode(b, []byte(v.S))
		return append(b, '"')
	case record.Int:
		return strconv.AppendInt(b, v.I, 10)
	case record.Double:
		return strconv.AppendFloat(b, v.D, 'g', -1, 64)
	case record.Bool:
		return strconv.AppendBool(b, v.B)
	case record.List:
		b = append(b, '[')
		for i := range v.List {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendJSON(b, &v.List[i])
		}
		return append(b, ']')
	case record.Map:
		b = append(b, '{')
		for i := range v.Map {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendJSON(b, &record.Value{Type: record.String, S: v.Map[i].Key})
			b = append(b, ':')
			b = appendJSON(b, &v.Map[i].Value)
		}
		return append(b, '}')
	}
	return append(b, "null"...)
}
