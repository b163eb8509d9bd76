package tracetext

import (
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Format writes the scene in its canonical form, line by line: Parse reads an
// equal scene from it.
func (s *Scene) Format() string {
	var b strings.Builder
	for i := 0; i < len(s.Lines); {
		n := i
		for n < len(s.Lines) && s.Lines[n].Form != Blank {
			n++
		}
		formatTrace(&b, s.Lines[i:n])
		if n < len(s.Lines) {
			b.WriteByte('\n')
		}
		i = n + 1
	}
	return b.String()
}

// formatTrace writes lines with names below names and codes below codes.
func formatTrace(b *strings.Builder, lines []Line) {
	times, names := 0, 0
	for i := range lines {
		if l := &lines[i]; l.Form == Span {
			times = max(times, len(l.times()))
			names = max(names, 2*l.Depth+utf8.RuneCountInString(l.name()))
		}
	}
	for i := range lines {
		l := &lines[i]
		switch l.Form {
		case Comment:
			b.WriteString("#" + l.Text)
		case Set:
			b.WriteString("set")
			formatAttrs(b, l.Attrs)
		case Repeat:
			b.WriteString("trace x" + strconv.Itoa(l.Copies))
			if l.Every > 0 {
				b.WriteString(" every " + l.Every.String())
			}
		case Edge:
			b.WriteString("want " + quoteWord(l.Owner) + " -> " + quotePhrase(l.Upstream))
			formatWants(b, l.Wants)
		case Ghost:
			b.WriteString(strings.Repeat("  ", l.Depth) + "?")
			if l.Text != "" {
				b.WriteString(" " + l.Text)
			}
		case Span:
			b.WriteString(strings.Repeat("  ", l.Depth) + pad(l.times(), times) + "  ")
			b.WriteString(pad(l.name(), names-2*l.Depth) + "  " + l.Code)
			formatAttrs(b, l.Attrs)
			if len(l.Wants) > 0 {
				b.WriteString("  // want")
				formatWants(b, l.Wants)
			}
		}
		b.WriteByte('\n')
	}
}

func (l *Line) times() string {
	start := formatMS(l.Start)
	if l.Spread > 0 {
		start += "~" + formatMS(l.Spread)
	}
	return start + "+" + formatMS(l.Length)
}

func (l *Line) name() string {
	switch {
	case !l.Arrow:
		return l.Service + ": " + quotePhrase(l.Op)
	case l.Service != "":
		return l.Service + " -> " + quotePhrase(l.Op)
	default:
		return "-> " + quotePhrase(l.Op)
	}
}

func formatAttrs(b *strings.Builder, attrs []Attr) {
	for _, a := range attrs {
		b.WriteString(" " + a.Key)
		if a.Value != "" {
			b.WriteString("=" + quoteWord(a.Value))
		}
	}
}

func formatWants(b *strings.Builder, wants []string) {
	for _, w := range wants {
		b.WriteString(" `" + w + "`")
	}
}

func pad(s string, width int) string {
	return s + strings.Repeat(" ", max(0, width-utf8.RuneCountInString(s)))
}

func formatMS(d time.Duration) string {
	sign := ""
	if d < 0 {
		sign, d = "-", -d
	}
	ms, ns := int64(d)/1e6, int64(d)%1e6
	s := sign + strconv.FormatInt(ms, 10)
	if ns == 0 {
		return s
	}
	return s + "." + strings.TrimRight(strconv.FormatInt(1e6+ns, 10)[1:], "0")
}

func quoteWord(s string) string {
	if isPlain(s) {
		return s
	}
	return strconv.Quote(s)
}

// quotePhrase quotes s unless phrase reads it back from its words.
func quotePhrase(s string) string {
	if s == "" || s != strings.Join(strings.Fields(s), " ") || !isPrintable(s) || strings.ContainsAny(s, "\"`") {
		return strconv.Quote(s)
	}
	for w := range strings.SplitSeq(s, " ") {
		key, _, found := strings.Cut(w, "=")
		if w == "//" || found && slices.Contains(attributes[:], key) {
			return strconv.Quote(s)
		}
	}
	return s
}
