package semconv

import (
	"strings"

	"github.com/retryaudit/retryaudit/analyzer/trace"
)

// An ordinalWord is a word after which a number in a span name is the number
// of an attempt. first is the number of the first attempt: names count from 1
// ("attempt 1"), retries are counted by how many there were ("retry-1" is the
// second attempt; remoulade/process(retry-N)).
type ordinalWord struct {
	word  string
	first int32
}

// ordinalWords: attributes.md 0.1. The longer word stands first.
var ordinalWords = []ordinalWord{{"attempt", 1}, {"retry", 0}, {"try", 1}}

// nameFacts is what a span name tells.
type nameFacts struct {
	op   trace.Sym // the name without secrets
	bare trace.Sym // and without its ordinal
	// n is the ordinal from 0, −1 without one; max the attempts allowed, −1.
	n, max int32
}

func (n *Normalizer) nameFacts(name string) nameFacts {
	if f, ok := n.names[name]; ok {
		return f
	}
	name = strings.Clone(name)
	clean, _, _ := strings.Cut(scrub(name), "?") // no query strings
	f := nameFacts{op: n.store.Sym(clean), n: -1, max: -1}
	bare, ordinal, most := stripOrdinal(clean)
	f.bare, f.n, f.max = n.store.Sym(bare), ordinal, most
	return remember(n.names, name, f)
}

// stripOrdinal removes the number of an attempt from a span name:
// "retry.attempt.2" becomes "retry.attempt" and 1, "call (attempt 2/3)" also
// tells the 3. Both numbers are −1 where there is none.
func stripOrdinal(name string) (bare string, ordinal, most int32) {
	lower := strings.ToLower(name)
	if len(lower) != len(name) { // a letter whose lower case has another length
		return name, -1, -1
	}
	for _, w := range ordinalWords {
		for from := 0; ; {
			i := strings.Index(lower[from:], w.word)
			if i < 0 {
				break
			}
			i += from
			from = i + len(w.word)
			if i > 0 && isLetter(lower[i-1]) {
				continue // "entry 5" is no "try 5"
			}
			at := from
			for at < len(name) && strings.IndexByte(" ._-:#=", name[at]) >= 0 {
				at++
			}
			number, end := leadingNumber(name, at)
			if end == at || end < len(name) && isLetter(lower[end]) {
				continue
			}
			most = -1
			if rest := name[end:]; strings.HasPrefix(rest, "/") || strings.HasPrefix(rest, " of ") {
				skip := 1
				if rest[0] == ' ' {
					skip = len(" of ")
				}
				if m, mEnd := leadingNumber(name, end+skip); mEnd > end+skip {
					most, end = m, mEnd
				}
			}
			return strings.TrimSpace(name[:from] + name[end:]), max(0, number-w.first), most
		}
	}
	return name, -1, -1
}

// leadingNumber reads at most six digits at i; end is i where there is none.
func leadingNumber(s string, i int) (number int32, end int) {
	for end = i; end < len(s) && end < i+6 && '0' <= s[end] && s[end] <= '9'; end++ {
		number = number*10 + int32(s[end]-'0')
	}
	if end < len(s) && '0' <= s[end] && s[end] <= '9' {
		return 0, i // an ID, not an ordinal
	}
	return number, end
}

func isLetter(c byte) bool { return 'a' <= c && c <= 'z' }

// pair returns the symbol of "a b", scrubbed.
func (n *Normalizer) pair(key verbPath) trace.Sym {
	if y, ok := n.verbPaths[key]; ok {
		return y
	}
	key = verbPath{strings.Clone(key.verb), strings.Clone(key.path)}
	return remember(n.verbPaths, key, n.store.Sym(strings.TrimSpace(scrub(key.verb+" "+key.path))))
}

// ask returns the symbol of a kind of request and the name of what is wanted.
// The kind ends in a space.
func (n *Normalizer) ask(kind, name string) trace.Sym {
	return n.pair(verbPath{kind[:len(kind)-1], name})
}
