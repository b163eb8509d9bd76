package tracetext

import (
	"fmt"
	"strconv"
	"strings"
)

type form uint8

const (
	word form = iota
	quoted
	raw // in backquotes
)

// token is a word as written, or what stood between quotes. A word that begins
// with name= also has key and value.
type token struct {
	form       form
	text       string
	key, value string
	attr       bool
	plain      bool // no quotes were removed
}

// lex splits a line at blanks outside quotes.
func lex(line string) ([]token, error) {
	var tokens []token
	for {
		line = strings.TrimLeft(line, " \t")
		if line == "" {
			return tokens, nil
		}
		t, n, err := next(line)
		if err != nil {
			return nil, err
		}
		if line = line[n:]; line != "" && line[0] != ' ' && line[0] != '\t' {
			return nil, fmt.Errorf("found %q after a closing quote, wanted a blank", line)
		}
		tokens = append(tokens, t)
	}
}

// next returns the token at the start of line and its length.
func next(line string) (token, int, error) {
	switch line[0] {
	case '`':
		text, _, closed := strings.Cut(line[1:], "`")
		if !closed {
			return token{}, 0, fmt.Errorf("found %q, wanted a closing backquote", line)
		}
		return token{form: raw, text: text}, len(text) + 2, nil
	case '"':
		text, n, err := unquote(line)
		return token{form: quoted, text: text}, n, err
	}
	end := strings.IndexAny(line, " \t")
	if end < 0 {
		end = len(line)
	}
	t := token{text: line[:end], plain: true}
	key, value, found := strings.Cut(t.text, "=")
	if !found || !isName(key) {
		return t, end, nil
	}
	t.attr, t.key, t.value = true, key, value
	if strings.HasPrefix(value, `"`) {
		text, n, err := unquote(line[len(key)+1:])
		if err != nil {
			return token{}, 0, err
		}
		t.value, t.plain, end = text, false, len(key)+1+n
	}
	return t, end, nil
}

func unquote(line string) (text string, n int, err error) {
	q, err := strconv.QuotedPrefix(line)
	if err != nil {
		return "", 0, fmt.Errorf("found %q, wanted a string in Go quotes", line)
	}
	text, err = strconv.Unquote(q)
	return text, len(q), err
}

// isName reports whether s is a lower_snake_case name.
func isName(s string) bool {
	for i, r := range s {
		if r != '_' && (r < 'a' || r > 'z') && (i == 0 || r < '0' || r > '9') {
			return false
		}
	}
	return s != ""
}

// isPlain reports whether s, written without quotes, is read as one word.
func isPlain(s string) bool {
	return s != "" && s[0] != '"' && s[0] != '`' && !strings.ContainsAny(s, " \t") && isPrintable(s)
}

// isPrintable reports whether s has no rune that quotes would escape, other
// than quotes and backslashes.
func isPrintable(s string) bool {
	for _, r := range s {
		if !strconv.IsPrint(r) || r == '\uFFFD' {
			return false
		}
	}
	return true
}
