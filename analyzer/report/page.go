package report

import (
	"io"
	"strings"
	"unicode"

	"github.com/charmbracelet/lipgloss"
	"github.com/muesli/termenv"

	"github.com/retryaudit/retryaudit/analyzer"
)

// ink is a way to show text. Without colour all inks look alike, so none of
// them carries meaning that the words do not.
type ink uint8

const (
	plain ink = iota
	bold
	faint
	red
	yellow
	green
	cyan
	inks // count
)

// glue is a space at which no line may break.
const glue = "\u00a0"

// run is text in one ink.
type run struct {
	ink  ink
	text string
}

// page collects lines of limited width.
type page struct {
	width  int
	full   bool
	styles [inks]lipgloss.Style
	out    strings.Builder
	drawn  []*analyzer.Finding // those whose timeline stands above
}

// newPage returns an empty page. Its colour profile is fixed: nothing asks the
// terminal or the environment, so the output depends on the report and o only.
func newPage(o Style) *page {
	profile := termenv.Ascii
	if o.Color {
		profile = termenv.ANSI // the 16 colours that the reader's own theme defines
	}
	r := lipgloss.NewRenderer(io.Discard, termenv.WithProfile(profile))
	r.SetColorProfile(profile)
	r.SetHasDarkBackground(true)
	p := &page{width: o.Width, full: o.Full}
	if p.width == 0 {
		p.width = 80
	}
	p.width = max(p.width, 40)
	s := r.NewStyle()
	p.styles = [inks]lipgloss.Style{
		plain:  s,
		bold:   s.Bold(true),
		faint:  s.Faint(true),
		red:    s.Bold(true).Foreground(lipgloss.Color("1")),
		yellow: s.Bold(true).Foreground(lipgloss.Color("3")),
		green:  s.Bold(true).Foreground(lipgloss.Color("2")),
		cyan:   s.Bold(true).Foreground(lipgloss.Color("6")),
	}
	return p
}

// narrow reports whether labels get no column of their own.
func (p *page) narrow() bool { return p.width < 60 }

// shown returns how many of n items to show: a list that is one over the limit
// is shown whole, since the line that says so would take its place.
func (p *page) shown(n, limit int) int {
	if p.full || n <= limit+1 {
		return n
	}
	return limit
}

// blank ends a block.
func (p *page) blank() { p.out.WriteByte('\n') }

// line writes one line, clean and without trailing spaces. What would still run
// over the width is cut: columns that nothing can wrap. A line without anything
// to see is none.
func (p *page) line(runs ...run) {
	runs = joined(runs)
	for i := range runs {
		runs[i].text = strings.ReplaceAll(clean(runs[i].text), glue, " ")
	}
	if width(runs) > p.width {
		head, _ := split(runs, p.width-1)
		runs = append(head, run{faint, "…"})
	}
	for len(runs) > 0 {
		last := &runs[len(runs)-1]
		if last.text = strings.TrimRight(last.text, " "); last.text != "" {
			break
		}
		runs = runs[:len(runs)-1]
	}
	if len(runs) == 0 {
		return
	}
	for _, r := range runs {
		if r.ink == plain {
			p.out.WriteString(r.text)
		} else {
			p.out.WriteString(p.styles[r.ink].Render(r.text))
		}
	}
	p.out.WriteByte('\n')
}

// flow writes runs as a paragraph: the first line begins with prefix, the
// others with hang spaces.
func (p *page) flow(prefix []run, hang int, runs ...run) {
	for _, l := range wrap(p.width, prefix, hang, runs) {
		p.line(l...)
	}
}

// field writes a labelled paragraph.
func (p *page) field(label string, runs ...run) {
	const column = 16 // the longest label, a gap and the indent
	if p.narrow() {
		p.flow([]run{{plain, "  "}, {faint, label + ": "}}, 4, runs...)
		return
	}
	p.flow([]run{{plain, "  "}, {faint, pad(label, column-2)}}, column, runs...)
}

// title writes the heading of a section.
func (p *page) title(runs ...run) {
	p.blank()
	p.flow(nil, 2, runs...)
}

// bar writes runs as a heading drawn across the page.
func (p *page) bar(runs ...run) {
	p.blank()
	lines := wrap(p.width, []run{{faint, "── "}}, 3, runs)
	last := lines[len(lines)-1]
	if rest := p.width - width(last) - 1; rest > 0 {
		lines[len(lines)-1] = append(last, run{plain, " "}, run{faint, strings.Repeat("─", rest)})
	}
	for _, l := range lines {
		p.line(l...)
	}
}

// wrap breaks runs at spaces into lines of at most limit columns. It breaks
// within a word only where the word is wider than a whole line.
func wrap(limit int, prefix []run, hang int, runs []run) [][]run {
	var lines [][]run
	line, col, begun := prefix, width(prefix), false
	next := func() {
		lines = append(lines, line)
		line, col, begun = []run{{plain, strings.Repeat(" ", hang)}}, hang, false
	}
	for _, word := range words(runs, limit-hang) {
		w := width(word)
		space := 0
		if begun {
			space = 1
		}
		// A word too wide for any line starts where it stands only if it is first.
		if col+space+w > limit && (begun || col > hang) {
			next()
			space = 0
		}
		if space == 1 {
			line, col = append(line, gap(line, word)), col+1
		}
		for w > limit-col {
			head, tail := split(word, max(1, limit-col))
			line = append(line, head...)
			next()
			word, w = tail, width(tail)
		}
		line, col, begun = append(line, word...), col+w, true
	}
	return append(lines, line)
}

// gap returns the space between line and word, in their ink where it is one.
func gap(line, word []run) run {
	if len(line) > 0 && len(word) > 0 && line[len(line)-1].ink == word[0].ink {
		return run{word[0].ink, " "}
	}
	return run{plain, " "}
}

// words cuts runs at spaces, and at glue where a word would else be wider than
// limit.
func words(runs []run, limit int) [][]run {
	var all [][]run
	for _, word := range fields(runs, " ") {
		if width(word) > limit {
			all = append(all, fields(word, glue)...)
		} else {
			all = append(all, word)
		}
	}
	return all
}

// fields cuts runs at sep and leaves out what is empty. A field may change its
// ink within.
func fields(runs []run, sep string) [][]run {
	var all [][]run
	var field []run
	for _, r := range runs {
		for i, part := range strings.Split(clean(r.text), sep) {
			if i > 0 && len(field) > 0 {
				all, field = append(all, field), nil
			}
			if part != "" {
				field = append(field, run{r.ink, part})
			}
		}
	}
	if len(field) > 0 {
		all = append(all, field)
	}
	return all
}

// split cuts a word after the characters that fit into limit columns, at least one.
func split(word []run, limit int) (head, tail []run) {
	col := 0
	for i, r := range word {
		for j, c := range r.text {
			w := lipgloss.Width(string(c))
			if col+w > limit && col > 0 {
				head = append(head, run{r.ink, r.text[:j]})
				return head, append([]run{{r.ink, r.text[j:]}}, word[i+1:]...)
			}
			col += w
		}
		head = append(head, r)
	}
	return head, nil
}

// joined merges neighbours of one ink, so that a line has few colour codes.
func joined(runs []run) []run {
	var all []run
	for _, r := range runs {
		if n := len(all); n > 0 && all[n-1].ink == r.ink {
			all[n-1].text += r.text
		} else if r.text != "" {
			all = append(all, r)
		}
	}
	return all
}

// width returns the columns that runs take.
func width(runs []run) int {
	n := 0
	for _, r := range runs {
		n += lipgloss.Width(r.text)
	}
	return n
}

// pad fills s with spaces on the right up to n columns.
func pad(s string, n int) string {
	return s + strings.Repeat(" ", max(0, n-lipgloss.Width(s)))
}

// padLeft fills s with spaces on the left up to n columns.
func padLeft(s string, n int) string {
	return strings.Repeat(" ", max(0, n-lipgloss.Width(s))) + s
}

// fit cuts s to n columns and marks the cut.
func fit(s string, n int) string {
	if lipgloss.Width(s) <= n {
		return s
	}
	head, _ := split([]run{{plain, s}}, n-1)
	return head[0].text + "…"
}

// clean makes text from traces safe to print: whatever could move the cursor,
// change colours or reorder the line becomes visible instead.
func clean(s string) string {
	return strings.Map(func(c rune) rune {
		switch {
		case string(c) == glue:
			return c
		case unicode.IsSpace(c):
			return ' '
		case !unicode.IsPrint(c):
			return unicode.ReplacementChar
		}
		return c
	}, s)
}
