package console

import (
	"errors"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/retryaudit/retryaudit/ingest/decode"
	"github.com/retryaudit/retryaudit/ingest/record"
)

// inspected reads text that util.inspect of Node.js made of a value
// (nodejs.org/api/util.html, node/lib/internal/util/inspect.js). It is written
// for people: what a value leaves out there ([Object], [Getter], <1 empty
// item>) is empty here, and so are functions.
type inspected struct {
	*decode.Sink
	text     string
	at       int
	line     int // of the text in the input
	offset   int64
	elements int
	lines    int // in text[:counted]
	counted  int
}

var errElements = errors.New("too many elements")

// here is the line in the input.
func (p *inspected) here() int {
	if p.at < p.counted {
		p.lines, p.counted = 0, 0
	}
	p.lines += strings.Count(p.text[p.counted:p.at], "\n")
	p.counted = p.at
	return p.line + p.lines
}

func (p *inspected) wrong(want string) error {
	found := "the end"
	if p.at < len(p.text) {
		found, _, _ = strings.Cut(p.text[p.at:], "\n")
		found = strconv.Quote(decode.Excerpt(found))
	}
	return errors.New("found " + found + "; want " + want)
}

func (p *inspected) space() {
	for p.at < len(p.text) && strings.IndexByte(" \t\r\n", p.text[p.at]) >= 0 {
		p.at++
	}
}

func (p *inspected) has(prefix string) bool { return strings.HasPrefix(p.text[p.at:], prefix) }

func (p *inspected) take(prefix string) bool {
	ok := p.has(prefix)
	if ok {
		p.at += len(prefix)
	}
	return ok
}

// value reads a value that may be depth deep.
func (p *inspected) value(v *record.Value, depth int) error {
	*v = record.Value{}
	if p.elements++; p.elements > p.MaxElements {
		return errElements
	}
	for p.space(); p.at < len(p.text); p.space() {
		switch c := p.text[p.at]; {
		case c == '\'' || c == '"' || c == '`':
			return p.strings(v)
		case c == '{', c == '[' && !p.label():
			return p.container(v, depth)
		case c == '[': // [Object], or what kind of object follows
			p.bracketed('[', ']')
		case c == '<': // <ref *1> and what it is of, <Buffer 61>, <2 empty items>
			p.bracketed('<', '>')
		case c == ',' || c == '}' || c == ']':
			return nil // behind a label
		default:
			if p.className() {
				continue
			}
			return p.bare(v)
		}
		if p.at < len(p.text) && p.text[p.at] == '\n' {
			return nil
		}
	}
	return nil
}

// label reports whether the bracket here begins no array but a word: arrays
// have white space behind it.
func (p *inspected) label() bool {
	rest := p.text[p.at+1:]
	return rest != "" && strings.IndexByte(" \r\n\t]['\"`{-0123456789", rest[0]) < 0
}

// bracketed goes behind what stands in brackets in one line.
func (p *inspected) bracketed(open, closed byte) {
	depth := 0
	for ; p.at < len(p.text) && p.text[p.at] != '\n'; p.at++ {
		switch p.text[p.at] {
		case open:
			depth++
		case closed:
			if depth--; depth == 0 {
				p.at++
				return
			}
		}
	}
}

// className goes behind the name, and perhaps the size, of a class, if there
// is one and its members follow: BatchSpan {, Map(2) {, Uint8Array(3) [.
func (p *inspected) className() bool {
	i := p.at
	for i < len(p.text) && (isWord(p.text[i]) || strings.IndexByte(".#()", p.text[i]) >= 0) {
		i++
	}
	rest := p.text[i:]
	if i > p.at && (strings.HasPrefix(rest, " {") || strings.HasPrefix(rest, " [") || strings.HasPrefix(rest, " <")) {
		p.at = i + 1
		return true
	}
	return false
}

func isWord(c byte) bool {
	return c == '_' || c == '$' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= utf8.RuneSelf
}

// container reads what stands in braces or brackets: members with names, or
// the pairs of a Map, make a map, values alone a list.
func (p *inspected) container(v *record.Value, depth int) error {
	closed := byte('}')
	if p.text[p.at] == '[' {
		closed = ']'
	}
	if depth <= 1 {
		p.Problem(decode.FaultDepth, p.here(), p.offset, "value of more than %d levels (MaxDepth); left empty", p.MaxDepth)
		return p.skip()
	}
	p.at++
	v.Type = record.Map
	if closed == ']' {
		v.Type = record.List
	}
	for {
		p.space()
		switch {
		case p.at == len(p.text):
			return p.wrong(strconv.Quote(string(closed)))
		case p.text[p.at] == closed:
			p.at++
			if v.Type == record.Map && v.Map == nil && v.List != nil {
				v.Type = record.List // of a Set
			}
			return nil
		case p.take(","):
			continue
		case p.has("..."): // 3 more items
			p.untilEnd()
			continue
		}
		key, named := p.key()
		before := p.at
		var member record.Value
		if err := p.value(&member, depth-1); err != nil {
			return err
		}
		switch {
		case named && v.Type == record.Map:
			v.Map = append(v.Map, record.Attr{Key: key, Value: member})
		case !named:
			v.List = append(v.List, member)
		}
		p.space()
		if p.at < len(p.text) && (p.text[p.at] == ',' || p.text[p.at] == closed) && (p.at > before || named) {
			continue
		}
		return p.wrong(strconv.Quote(string(closed)) + " or a comma")
	}
}

// skip goes behind a container.
func (p *inspected) skip() error {
	for depth := 0; p.at < len(p.text); {
		switch p.text[p.at] {
		case '\'', '"', '`':
			if _, ok := p.quoted(); ok {
				continue
			}
			return p.wrong("a string that ends in its line")
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				p.at++
				return nil
			}
		}
		p.at++
	}
	return p.wrong("the end of an object")
}

// key reads the name of a member, if one stands here: a word, a string or
// what is in brackets, then a colon, or an arrow in a Map.
func (p *inspected) key() (string, bool) {
	start := p.at
	var key string
	switch c := p.text[p.at]; {
	case c == '\'' || c == '"' || c == '`':
		var ok bool
		if key, ok = p.quoted(); !ok {
			p.at = start
			return "", false
		}
	case c == '[' && p.label():
		p.bracketed('[', ']')
	case c == '<':
		p.bracketed('<', '>')
	default:
		for p.at < len(p.text) && isWord(p.text[p.at]) {
			p.at++
		}
	}
	if p.at > start && key == "" {
		key = p.text[start:p.at]
	}
	if p.at > start && (p.take(":") || p.take(" =>")) {
		return key, true
	}
	p.at = start
	return "", false
}

// strings reads a string, whose parts may stand in several lines with + between.
func (p *inspected) strings(v *record.Value) error {
	var whole strings.Builder
	for {
		part, ok := p.quoted()
		if !ok {
			return p.wrong("a string that ends in its line")
		}
		whole.WriteString(part)
		end := p.at
		if p.space(); !p.take("+") {
			p.at = end
			break
		}
		if p.space(); p.at == len(p.text) || strings.IndexByte("'\"`", p.text[p.at]) < 0 {
			return p.wrong("a string")
		}
	}
	if p.has("... ") { // 5 more characters
		p.untilEnd()
	}
	*v = record.Value{Type: record.String, S: p.Clip(whole.String(), p.here(), p.offset)}
	return nil
}

// quoted reads a string in any of the three quotes; it must end in its line.
func (p *inspected) quoted() (string, bool) {
	start := p.at
	quote := p.text[p.at]
	var out strings.Builder
	for p.at++; p.at < len(p.text); {
		c := p.text[p.at]
		p.at++
		switch c {
		case quote:
			return out.String(), true
		case '\n':
			p.at = start
			return "", false
		case '\\':
			p.escape(&out)
		default:
			out.WriteByte(c)
		}
	}
	p.at = start
	return "", false
}

const escapes = "b\bf\fn\nr\rt\tv\v0\x00"

// escape reads what follows a backslash.
func (p *inspected) escape(out *strings.Builder) {
	if p.at == len(p.text) {
		return
	}
	c := p.text[p.at]
	p.at++
	digits := 0
	switch {
	case c == 'x':
		digits = 2
	case c == 'u' && p.has("{"):
		const longest = 8 // of \u{10FFFF}
		digits, p.at = strings.IndexByte(p.text[p.at:min(len(p.text), p.at+longest+1)], '}')-1, p.at+1
	case c == 'u':
		digits = 4
	}
	if digits > 0 && p.at+digits <= len(p.text) {
		if n, err := strconv.ParseUint(p.text[p.at:p.at+digits], 16, 32); err == nil {
			out.WriteRune(rune(n)) // half a character becomes U+FFFD
			p.at += digits
			if p.text[p.at-digits-1] == '{' {
				p.at++
			}
			return
		}
	}
	if i := strings.IndexByte(escapes, c); i >= 0 && i%2 == 0 {
		c = escapes[i+1]
	}
	out.WriteByte(c)
}

// untilEnd goes to the end of a value that is not read: to a comma, to what
// closes its container or to the end of the line.
func (p *inspected) untilEnd() string {
	start := p.at
	for ; p.at < len(p.text); p.at++ {
		rest := p.text[p.at:]
		switch rest[0] {
		case '\n':
			return p.text[start:p.at]
		case ',':
			if len(rest) == 1 || rest[1] == ' ' || rest[1] == '\n' {
				return p.text[start:p.at]
			}
		case '}', ']':
			if p.at > start && p.text[p.at-1] == ' ' {
				return p.text[start:p.at]
			}
		}
	}
	return p.text[start:]
}

// bare reads a value without quotes.
func (p *inspected) bare(v *record.Value) error {
	word := strings.TrimRight(p.untilEnd(), " \r")
	switch word {
	case "true", "false":
		*v = record.Value{Type: record.Bool, B: word == "true"}
		return nil
	case "NaN":
		*v = record.Value{Type: record.Double, D: math.NaN()}
		return nil
	case "Infinity", "-Infinity":
		*v = record.Value{Type: record.Double, D: math.Inf(len("Infinity") - len(word))}
		return nil
	case "null", "undefined", "":
		return nil
	}
	digits := strings.TrimSuffix(word, "n")
	if n := decode.Number([]byte(digits)); n.Type != record.String || strings.Trim(digits, "0123456789") == "" {
		*v = n
		return nil
	}
	// A Date, a Symbol, an Error.
	*v = record.Value{Type: record.String, S: p.Clip(word, p.here(), p.offset)}
	p.deeper()
	return nil
}

// indent is the indentation of the line.
func (p *inspected) indent() int {
	line := p.text[strings.LastIndexByte(p.text[:p.at], '\n')+1:]
	return len(line) - len(strings.TrimLeft(line, " "))
}

// indentBelow is the indentation of the next line.
func (p *inspected) indentBelow() int {
	line := p.text[p.at+1:]
	return len(line) - len(strings.TrimLeft(line, " "))
}

// deeper goes behind the lines that are indented more than the one in which a
// value began: the stack of an Error, and its own members in braces.
func (p *inspected) deeper() {
	if !p.has("\n") {
		return
	}
	indent := p.indent()
	for p.has("\n") {
		line, _, _ := strings.Cut(p.text[p.at+1:], "\n")
		n := len(line) - len(strings.TrimLeft(line, " "))
		switch {
		case n > indent:
			p.at += len("\n") + len(line)
			if !p.has("\n") || strings.HasSuffix(line, ",") && p.indentBelow() <= indent {
				p.at -= len(line) - len(strings.TrimSuffix(line, ","))
				return
			}
		case n == indent && strings.HasPrefix(line[n:], "}"):
			p.at += len("\n") + n + len("}")
			return
		default:
			return
		}
	}
}
