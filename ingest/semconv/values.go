package semconv

import (
	"math"
	"strconv"
	"strings"

	"github.com/retryaudit/retryaudit/ingest/record"
)

// text returns v as a string: the first of a list, numbers in decimal.
func text(v *record.Value) string {
	if v == nil {
		return ""
	}
	switch v.Type {
	case record.String, record.Bytes:
		return v.S
	case record.Int:
		return strconv.FormatInt(v.I, 10)
	case record.Double:
		return strconv.FormatFloat(v.D, 'g', -1, 64)
	case record.Bool:
		return strconv.FormatBool(v.B)
	case record.List:
		if len(v.List) > 0 {
			return text(&v.List[0])
		}
	}
	return ""
}

// header returns the value of a captured header: instrumentations write a
// list, the list as JSON text, or a plain string.
func header(v *record.Value) string {
	s := strings.TrimSpace(text(v))
	if len(s) >= 4 && s[0] == '[' && s[len(s)-1] == ']' && (s[1] == '"' || s[1] == '\'') {
		if end := strings.IndexByte(s[2:], s[1]); end >= 0 {
			return s[2 : 2+end]
		}
	}
	return s
}

// integer returns v as a whole number.
func integer(v *record.Value) (int64, bool) {
	if v == nil {
		return 0, false
	}
	switch v.Type {
	case record.Int:
		return v.I, true
	case record.Double:
		if v.D == math.Trunc(v.D) && math.Abs(v.D) < 1<<53 {
			return int64(v.D), true
		}
		return 0, false
	case record.String:
		n, err := strconv.ParseInt(header(v), 10, 64)
		return n, err == nil
	case record.List:
		if len(v.List) > 0 {
			return integer(&v.List[0])
		}
	}
	return 0, false
}

// number returns v as a finite real number.
func number(v *record.Value) (float64, bool) {
	if v == nil {
		return 0, false
	}
	switch v.Type {
	case record.Int:
		return float64(v.I), true
	case record.Double:
		return v.D, !math.IsNaN(v.D) && !math.IsInf(v.D, 0)
	case record.String:
		return parseNumber(header(v))
	case record.List:
		if len(v.List) > 0 {
			return number(&v.List[0])
		}
	}
	return 0, false
}

func parseNumber(s string) (float64, bool) {
	f, err := strconv.ParseFloat(s, 64)
	return f, err == nil && !math.IsNaN(f) && !math.IsInf(f, 0)
}

// truth returns v as a boolean; known is false where it is none.
func truth(v *record.Value) (is, known bool) {
	if v == nil {
		return false, false
	}
	switch v.Type {
	case record.Bool:
		return v.B, true
	case record.Int:
		return v.I != 0, true
	case record.String:
		switch {
		case strings.EqualFold(v.S, "true"), v.S == "1":
			return true, true
		case strings.EqualFold(v.S, "false"), v.S == "0":
			return false, true
		}
	}
	return false, false
}

// isTrue reports whether v says true.
func isTrue(v *record.Value) bool {
	is, _ := truth(v)
	return is
}

// jsonField returns the value of a string or number in a flat JSON text, ""
// without it: hidden_params is a JSON string whose full decoding nobody needs.
func jsonField(text, name string) string {
	for i := 0; ; {
		at := strings.Index(text[i:], name)
		if at < 0 {
			return ""
		}
		i += at + len(name)
		if i-len(name) == 0 || text[i-len(name)-1] != '"' || i >= len(text) || text[i] != '"' {
			continue
		}
		rest := strings.TrimLeft(text[i+1:], " \t\r\n")
		if rest == "" || rest[0] != ':' {
			continue
		}
		rest = strings.TrimLeft(rest[1:], " \t\r\n")
		if rest != "" && rest[0] == '"' {
			if end := strings.IndexByte(rest[1:], '"'); end >= 0 {
				return rest[1 : 1+end]
			}
			return ""
		}
		end := strings.IndexAny(rest, ",} \r\n\t]")
		if end < 0 {
			end = len(rest)
		}
		if rest[:end] == "null" {
			return ""
		}
		return rest[:end]
	}
}
