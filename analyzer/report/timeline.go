package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/charmbracelet/lipgloss"

	"github.com/retryaudit/retryaudit/analyzer"
)

// A timeline longer than headTicks + tailTicks is cut between them: how it
// began shows the pattern, how it ended shows the outcome.
const (
	headTicks = 6
	tailTicks = 3
)

// timeline draws one row per attempt: who made it, start, bar, status and the
// wait before. Dots in a row are that wait.
func (p *page) timeline(f *analyzer.Finding) {
	if len(f.Exemplars) == 0 || len(f.Exemplars[0].Timeline) == 0 {
		return
	}
	ticks := f.Exemplars[0].Timeline
	head, tail := len(ticks), 0
	if p.shown(len(ticks), headTicks+tailTicks) < len(ticks) {
		head, tail = headTicks, tailTicks
	}

	maxStatus := 18
	if p.narrow() {
		maxStatus = 8
	}
	rest := "… " + strconv.Itoa(len(ticks)-head-tail) + " more"
	key, start, status, wait := len("attempt"), len("start"), len("status"), len("waited")
	for i := range ticks {
		if i >= head && i < len(ticks)-tail {
			continue
		}
		t := &ticks[i]
		key = max(key, len(tickName(t, i)))
		start = max(start, len(duration(t.StartMS)))
		status = min(max(status, lipgloss.Width(clean(t.Status))), maxStatus)
		wait = max(wait, len(tickWait(t, i)))
	}
	start = max(start, lipgloss.Width(rest)-key-1)
	s := newScale(ticks, p.width-2-key-1-start-2-2-status-2-wait)
	row := func(key_, start_ string, bar []run, ink ink, status_, wait_ string) {
		runs := []run{{plain, "  " + pad(key_, key) + " "}, {faint, padLeft(start_, start)}, {plain, "  "}}
		if s.cells > 0 {
			runs = append(append(runs, bar...), run{plain, "  "})
		}
		p.line(append(runs, run{ink, pad(fit(clean(status_), status), status)}, run{faint, "  " + padLeft(wait_, wait)})...)
	}

	legend := "worst request; · is waiting"
	if names := pathNames(f); names != "" {
		legend += ", attempt is " + names
	}
	p.flow([]run{{plain, "  "}}, 2, run{faint, legend})
	row("attempt", "start", s.draw(nil), plain, "status", "waited")
	for i := range ticks {
		t := &ticks[i]
		switch {
		case i < head || i >= len(ticks)-tail:
			row(tickName(t, i), duration(t.StartMS), s.draw(ticks[i:i+1]), tickInk(t), t.Status, tickWait(t, i))
		case i == head:
			hidden := ticks[head : len(ticks)-tail]
			word, ink := tally(hidden)
			if lipgloss.Width(word) > status+2+wait {
				word = fit("mixed", status)
			}
			// The text may run over both columns; the sum of their widths holds it.
			runs := []run{{faint, "  " + pad(rest, key+1+start)}, {plain, "  "}}
			if s.cells > 0 {
				runs = append(append(runs, s.draw(hidden)...), run{plain, "  "})
			}
			p.line(append(runs, run{ink, word})...)
		}
	}
}

// scale places times on a row of cells. It reckons in floating point, where
// absurd times of a broken clock cannot overflow.
type scale struct {
	from, span float64 // ms
	cells      int     // 0: too narrow to draw
}

// newScale returns the scale that shows all ticks in so many cells.
func newScale(ticks []analyzer.Tick, cells int) scale {
	const least = 6 // fewer cells would show nothing
	if cells < least {
		return scale{}
	}
	from, to := float64(ticks[0].StartMS), float64(ticks[0].StartMS)
	for _, t := range ticks {
		from = min(from, float64(t.StartMS))
		to = max(to, float64(t.StartMS)+float64(t.DurationMS))
	}
	return scale{from, max(1, to-from), cells}
}

// cell returns the cell in which ms falls.
func (s scale) cell(ms float64) int {
	share := min(max((ms-s.from)/s.span, 0), 1)
	return int(share * float64(s.cells))
}

// draw returns the row of these ticks, as wide as the scale: bars, and dots for
// the waits before them; nil where it is too narrow.
func (s scale) draw(ticks []analyzer.Tick) []run {
	if s.cells == 0 {
		return nil
	}
	const idle, failed, answered = 1, 2, 3
	row := make([]byte, s.cells)
	// fill marks at least one cell, so that short attempts are seen.
	fill := func(from, length int64, mark byte) {
		first := min(s.cell(float64(from)), s.cells-1)
		end := max(s.cell(float64(from)+float64(length)), first+1)
		for i := first; i < end; i++ {
			row[i] = max(row[i], mark)
		}
	}
	for _, t := range ticks {
		if t.WaitMS > 0 {
			fill(t.StartMS-t.WaitMS, t.WaitMS, idle)
		}
		if t.Failed {
			fill(t.StartMS, t.DurationMS, failed)
		} else {
			fill(t.StartMS, t.DurationMS, answered)
		}
	}
	runs := make([]run, 0, s.cells)
	for _, mark := range row {
		runs = append(runs, [...]run{{plain, " "}, {faint, "·"}, {red, "█"}, {green, "█"}}[mark])
	}
	return joined(runs)
}

// tally counts ticks by status, the most frequent first, and returns the ink
// that fits all of them.
func tally(ticks []analyzer.Tick) (string, ink) {
	counts := map[string]int64{}
	same := true
	for i := range ticks {
		counts[clean(ticks[i].Status)]++
		same = same && ticks[i].Failed == ticks[0].Failed
	}
	statuses := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
	for i, status := range statuses {
		statuses[i] = num(counts[status]) + "×" + status
	}
	if same {
		return strings.Join(statuses, " "), tickInk(&ticks[0])
	}
	return strings.Join(statuses, " "), plain
}

// tickName returns the attempt number at each owner, or the place in the list.
func tickName(t *analyzer.Tick, i int) string {
	if len(t.Path) == 0 {
		return strconv.Itoa(i + 1)
	}
	parts := make([]string, len(t.Path))
	for j, n := range t.Path {
		parts[j] = strconv.FormatInt(n, 10)
	}
	return strings.Join(parts, ".")
}

// tickWait returns the wait before the i-th attempt; none is expected before the first.
func tickWait(t *analyzer.Tick, i int) string {
	switch {
	case i == 0 && t.WaitMS <= 0:
		return ""
	case t.WaitMS < 0:
		return "?"
	}
	return duration(t.WaitMS)
}

// tickInk returns the ink of an attempt's status.
func tickInk(t *analyzer.Tick) ink {
	if t.Failed {
		return red
	}
	return green
}

// pathNames says what the numbers of a path count; empty where that is not sure
// or plain.
func pathNames(f *analyzer.Finding) string {
	var names []string
	for i := range f.Owners {
		names = append(names, ownerName(&f.Owners[i]))
	}
	if len(names) < 2 {
		return ""
	}
	for _, t := range f.Exemplars[0].Timeline {
		if len(t.Path) != len(names) {
			return ""
		}
	}
	return strings.Join(names, ".")
}

// duration returns ms as people write it: 400ms, 1.6s, 2m05s, 1h02m.
func duration(ms int64) string {
	sign := ""
	if ms < 0 {
		sign, ms = "-", -ms
	}
	switch {
	case ms < 1000:
		return sign + strconv.FormatInt(ms, 10) + "ms"
	case ms < 59950: // rounds to less than 60.0s
		s := strings.TrimSuffix(strconv.FormatFloat(float64(ms)/1000, 'f', 1, 64), ".0")
		return sign + s + "s"
	}
	s := (ms + 500) / 1000
	if s < 3600 {
		return fmt.Sprintf("%s%dm%02ds", sign, s/60, s%60)
	}
	return fmt.Sprintf("%s%dh%02dm", sign, s/3600, s%3600/60)
}

// ownerName returns the shortest name of an owner.
func ownerName(o *analyzer.Owner) string {
	return cmp.Or(o.Layer, o.Service, "unknown")
}
