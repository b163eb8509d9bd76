package tracetext

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/retryaudit/retryaudit/analyzer/spell"
)

// The bounds of a scene.
const (
	maxMS     = 10_000_000_000 // milliseconds from Epoch: some 115 days
	maxCopies = 10_000
	maxSpans  = 100_000
)

// attributes are the known keys in the order in which Format writes them.
var attributes = [...]string{
	"kind", "layer", "task", "model", "tool", "queue", "ask", "args",
	"class", "verdict", "conf", "code", "retry_after", "first", "cancelled", "event", "refuser", "stack", "within",
	"attempt", "received", "resend", "total", "max", "deadline", "attempt_timeout",
	"tokens", "bytes", "chunks", "needs", "has",
	"request", "parent_request", "message", "job", "idempotency", "call", "link",
	"session", "input", "step", "provider", "channel",
	"scope", "instance", "agent", "address", "id",
}

// flags are the known words without a value, in the order of writing.
var flags = [...]string{
	"final", "stream", "health", "longpoll", "transparent", "neversent", "readonly", "redirected", "run", "retries",
}

// repeatable are the keys that a line may have more than once.
var repeatable = [...]string{"event", "request", "parent_request", "message", "job", "idempotency", "link"}

var codeWords = [...]string{"ok", "fail", "timeout", "reset", "cut", "-"}

// Parse reads a scene. An error names the line, what was found there and what
// was wanted.
func Parse(text string) (*Scene, error) {
	s := &Scene{}
	var columns []int // indentation of the open lines of the trace
	for text != "" {
		var line string
		line, text, _ = strings.Cut(text, "\n")
		line = strings.TrimRight(line, " \t\r")
		content := strings.TrimLeft(line, " ")
		l, err := parseLine(content)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", len(s.Lines)+1, err)
		}
		switch l.Form {
		case Blank:
			columns = columns[:0]
		case Ghost, Span:
			columns, err = indent(columns, len(line)-len(content))
			if err != nil {
				return nil, fmt.Errorf("line %d: %w", len(s.Lines)+1, err)
			}
			l.Depth = len(columns) - 1
		}
		s.Lines = append(s.Lines, l)
	}
	if _, err := plan(s); err != nil {
		return nil, err
	}
	return s, nil
}

// indent closes what a line at column ends and opens it.
func indent(columns []int, column int) ([]int, error) {
	if len(columns) == 0 && column > 0 {
		return nil, fmt.Errorf("found an indented line, wanted the first line of a trace at column 0")
	}
	n := len(columns)
	for n > 0 && columns[n-1] >= column {
		n--
	}
	if n < len(columns) && columns[n] != column {
		return nil, fmt.Errorf("found indentation by %d, wanted that of a line above", column)
	}
	return append(columns[:n], column), nil
}

func parseLine(content string) (Line, error) {
	switch {
	case content == "":
		return Line{}, nil
	case content[0] == '\t':
		return Line{}, fmt.Errorf("found a tab, wanted indentation by blanks")
	case content[0] == '#':
		return Line{Form: Comment, Text: content[1:]}, nil
	case content == "?", strings.HasPrefix(content, "? "):
		return Line{Form: Ghost, Text: strings.Trim(content[1:], " \t\r")}, nil
	}
	tokens, err := lex(content)
	if err != nil {
		return Line{}, err
	}
	switch first := tokens[0]; first.text {
	case "set":
		return parseSet(tokens[1:])
	case "trace":
		return parseRepeat(tokens[1:])
	case "want":
		return parseEdge(tokens[1:])
	default:
		return parseSpan(tokens)
	}
}

func parseSet(tokens []token) (Line, error) {
	l := Line{Form: Set}
	for _, t := range tokens {
		if !t.attr || t.value == "" {
			return l, fmt.Errorf("found %q, wanted name=value", t.text)
		}
		l.Attrs = append(l.Attrs, Attr{t.key, t.value})
	}
	if len(l.Attrs) == 0 {
		return l, fmt.Errorf("found nothing after set, wanted name=value")
	}
	return l, nil
}

func parseRepeat(tokens []token) (Line, error) {
	l := Line{Form: Repeat}
	wanted := fmt.Errorf("found another text after trace, wanted xN or xN every DURATION, N from 1 to %d", maxCopies)
	if len(tokens) != 1 && (len(tokens) != 3 || tokens[1].text != "every") {
		return l, wanted
	}
	count, found := strings.CutPrefix(tokens[0].text, "x")
	n, err := strconv.Atoi(count)
	if !found || err != nil || n < 1 || n > maxCopies {
		return l, wanted
	}
	l.Copies = n
	if len(tokens) == 3 {
		l.Every, err = parseDuration(tokens[2].text)
	}
	return l, err
}

func parseEdge(tokens []token) (Line, error) {
	l := Line{Form: Edge}
	wanted := fmt.Errorf("found another text after want, wanted OWNER -> UPSTREAM `regexp`")
	n := slices.IndexFunc(tokens, func(t token) bool { return t.form == raw })
	if n < 3 || tokens[1].text != "->" || tokens[1].form != word || tokens[0].attr && !tokens[0].plain {
		return l, wanted
	}
	l.Owner = tokens[0].text
	var err error
	if l.Upstream, err = phrase(tokens[2:n]); err != nil {
		return l, err
	}
	if l.Owner == "" || l.Upstream == "" {
		return l, wanted
	}
	l.Wants, err = parseWants(tokens[n:])
	return l, err
}

func parseWants(tokens []token) ([]string, error) {
	var wants []string
	for _, t := range tokens {
		if t.form != raw {
			return nil, fmt.Errorf("found %q after want, wanted a regexp in backquotes", t.text)
		}
		if _, err := regexp.Compile(t.text); err != nil {
			return nil, fmt.Errorf("found want `%s`, wanted a regexp: %w", t.text, err)
		}
		wants = append(wants, t.text)
	}
	if len(wants) == 0 {
		return nil, fmt.Errorf("found nothing after want, wanted a regexp in backquotes")
	}
	return wants, nil
}

func parseSpan(tokens []token) (Line, error) {
	l := Line{Form: Span}
	if err := parseTimes(&l, tokens[0]); err != nil {
		return l, err
	}
	tokens = tokens[1:]
	if n := slices.IndexFunc(tokens, func(t token) bool { return t.form == word && t.text == "//" }); n >= 0 {
		if n+1 == len(tokens) || tokens[n+1].text != "want" || tokens[n+1].form != word {
			return l, fmt.Errorf("found // without want, wanted // want `regexp`; comments begin a line with #")
		}
		var err error
		if l.Wants, err = parseWants(tokens[n+2:]); err != nil {
			return l, err
		}
		tokens = tokens[:n]
	}
	switch {
	case len(tokens) > 0 && isWord(tokens[0], "->"):
		l.Arrow = true
		tokens = tokens[1:]
	case len(tokens) > 1 && isWord(tokens[1], "->") && tokens[0].plain && !strings.HasSuffix(tokens[0].text, ":"):
		l.Arrow, l.Service = true, tokens[0].text
		tokens = tokens[2:]
	case len(tokens) > 0 && tokens[0].plain && len(tokens[0].text) > 1 && strings.HasSuffix(tokens[0].text, ":"):
		l.Service = strings.TrimSuffix(tokens[0].text, ":")
		tokens = tokens[1:]
	default:
		return l, fmt.Errorf("found no service after the times, wanted service: operation or -> callee.operation")
	}
	// The last code is the code: attributes look different, operations may end alike.
	at := -1
	for i, t := range tokens {
		if t.form == word && isCode(t.text) {
			at = i
		}
	}
	if at < 0 {
		return l, fmt.Errorf("found no code after the operation, wanted an HTTP status or one of %s", strings.Join(codeWords[:], ", "))
	}
	var err error
	if l.Op, err = phrase(tokens[:at]); err != nil {
		return l, err
	}
	if l.Op == "" {
		return l, fmt.Errorf("found no operation before the code, wanted one")
	}
	l.Code = tokens[at].text
	l.Attrs, err = parseAttrs(tokens[at+1:])
	return l, err
}

func isWord(t token, text string) bool { return t.form == word && t.text == text }

func parseTimes(l *Line, t token) error {
	wanted := fmt.Errorf("found %q, wanted START+LENGTH or START~SPREAD+LENGTH in ms", t.text)
	begin, length, found := strings.Cut(t.text, "+")
	if !found || t.form != word {
		return wanted
	}
	start, spread, spreads := strings.Cut(begin, "~")
	var ok bool
	if l.Start, ok = parseMS(start); !ok {
		return wanted
	}
	if l.Length, ok = parseMS(length); !ok || l.Length < 0 {
		return wanted
	}
	if spreads {
		if l.Spread, ok = parseMS(spread); !ok || l.Spread <= 0 {
			return wanted
		}
	}
	return nil
}

// phrase joins words with single blanks; one string in quotes may stand alone.
func phrase(tokens []token) (string, error) {
	if len(tokens) == 1 && tokens[0].form == quoted {
		return tokens[0].text, nil
	}
	var words []string
	for _, t := range tokens {
		if !t.plain || t.attr && slices.Contains(attributes[:], t.key) {
			return "", fmt.Errorf("found %q before the code, wanted attributes after it; quote an operation that looks like one", t.text)
		}
		words = append(words, t.text)
	}
	return strings.Join(words, " "), nil
}

func parseAttrs(tokens []token) ([]Attr, error) {
	var attrs []Attr
	for _, t := range tokens {
		switch {
		case t.attr && slices.Contains(attributes[:], t.key):
			if t.value == "" {
				return nil, fmt.Errorf("found %s without a value, wanted %s=value", t.key, t.key)
			}
		case t.attr:
			return nil, fmt.Errorf("found attribute %q, wanted a known one such as %q", t.key, cmp.Or(spell.Nearest(t.key, attributes[:]), attributes[0]))
		case t.form == word && slices.Contains(flags[:], t.text):
			t.key = t.text
		default:
			return nil, fmt.Errorf("found %q after the code, wanted key=value or a flag such as %q", t.text, cmp.Or(spell.Nearest(t.text, flags[:]), flags[0]))
		}
		if slices.ContainsFunc(attrs, func(a Attr) bool { return a.Key == t.key }) && !slices.Contains(repeatable[:], t.key) {
			return nil, fmt.Errorf("found %s twice, wanted it once", t.key)
		}
		attrs = append(attrs, Attr{t.key, t.value})
	}
	slices.SortStableFunc(attrs, func(a, b Attr) int { return rank(a.Key) - rank(b.Key) })
	return attrs, nil
}

// rank orders attributes before flags, each as listed.
func rank(key string) int {
	if i := slices.Index(attributes[:], key); i >= 0 {
		return i
	}
	return len(attributes) + slices.Index(flags[:], key)
}

func isCode(s string) bool { return status(s) > 0 || slices.Contains(codeWords[:], s) }

// status returns the HTTP status that s is, else 0.
func status(s string) uint16 {
	if len(s) != 3 {
		return 0
	}
	n, err := strconv.ParseUint(s, 10, 16)
	if err != nil || n < 100 {
		return 0
	}
	return uint16(n)
}

// parseMS reads milliseconds with up to six decimals.
func parseMS(s string) (time.Duration, bool) {
	digits, negative := strings.CutPrefix(s, "-")
	whole, fraction, point := strings.Cut(digits, ".")
	if point && fraction == "" || len(fraction) > 6 {
		return 0, false
	}
	ms, err := strconv.ParseUint(whole, 10, 64)
	if err != nil || ms > maxMS {
		return 0, false
	}
	ns, err := strconv.ParseUint((fraction + "000000")[:6], 10, 64)
	if err != nil {
		return 0, false
	}
	d := time.Duration(ms*1e6 + ns)
	if negative {
		d = -d
	}
	return d, true
}

func parseDuration(s string) (time.Duration, error) {
	d, err := time.ParseDuration(s)
	if err != nil || d < 0 || d > maxMS*time.Millisecond {
		return 0, fmt.Errorf("found %q, wanted a duration such as 1.5s", s)
	}
	return d, nil
}
