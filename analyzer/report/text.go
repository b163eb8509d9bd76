package report

import (
	"cmp"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/charmbracelet/lipgloss"

	"github.com/retryaudit/retryaudit/analyzer"
)

// Style says how Text looks.
type Style struct {
	Width int  // columns; 0 is 80, less than 40 is 40
	Color bool // ANSI colours; without them the output holds no escape codes
	Full  bool // nothing is cut: all findings, attempts and rows
}

// How much of a list is shown unless Style.Full is set.
const (
	maxDetailed = 5  // findings with timeline, waits and query
	maxFindings = 15 // findings at all
	maxRows     = 10 // rows of any other list
)

// Text writes r for people: what was read, the findings in the order of the
// report, then what the upstreams saw and what could not be judged. Text from
// traces is stripped of control characters.
func Text(w io.Writer, r *analyzer.Report, o Style) error {
	p := newPage(o)
	p.head(r)
	p.incidents(r)
	p.findings(r)
	p.upstreams(r)
	p.coverage(r)
	p.unknownCodes(r)
	p.problems(r)
	p.skipped(r)
	p.hints(r)
	_, err := io.WriteString(w, p.out.String())
	return err
}

// head says what was read and how much was retried.
func (p *page) head(r *analyzer.Report) {
	s := &r.Stats
	name := cmp.Or(r.Tool.Name, "retryaudit")
	if r.Tool.Version != "" {
		name += " " + r.Tool.Version
	}
	from := count(int64(len(r.Inputs)), "file")
	if len(r.Inputs) == 1 {
		from = r.Inputs[0].Path
	}
	read := ": " + count(s.Spans, "span") + ", " + count(s.Traces, "trace") + ", " + count(s.Requests, "request") + " in " + from
	if s.Duplicates > 0 {
		read += " (" + count(s.Duplicates, "duplicate") + " dropped)"
	}
	p.flow(nil, 2, run{bold, name}, run{plain, read})

	if a := s.Amplification; a.Max > 0 {
		p.field("amplification",
			run{plain, "p50" + glue + num(a.P50) + ", p95" + glue + num(a.P95) + ", "},
			run{bold, "max" + glue + num(a.Max)},
			run{faint, " attempts per logical upstream request"})
	}
	if s.Attempts > 0 {
		text := "none in " + count(s.Attempts, "attempt")
		if s.Retries > 0 {
			text = num(s.Retries) + " of " + count(s.Attempts, "attempt") + " (" + percent(s.RetryRatio) + "); " + healed(s.HealedByOrdinal)
		}
		if s.HiddenAttempts > 0 {
			text += "; " + num(s.HiddenAttempts) + " without spans"
		}
		p.field("retries", run{plain, text})
	}
	if text := wasted(s.Wasted); text != "" {
		p.field("wasted", run{plain, text})
	}
	if s.SampledRequests > 0 {
		p.field("sampled", run{yellow, num(s.SampledRequests) + " of " + count(s.Requests, "request")}, run{plain, " come from a sample: sums and shares are estimates"})
	}
	if len(r.Findings) > 0 {
		p.field("findings", severities(r)...)
	}
	if n := problemCount(r); n > 0 {
		p.field("input", run{yellow, count(n, "problem")}, run{plain, ", listed below"})
	}
}

// healed says how many calls the retries saved.
func healed(byOrdinal map[string]int64) string {
	total := int64(0)
	var parts []string
	for _, k := range ordinals(byOrdinal) {
		total += byOrdinal[k]
		parts = append(parts, num(byOrdinal[k])+" at retry"+glue+k)
	}
	if total == 0 {
		return "no call healed"
	}
	return count(total, "call") + " healed: " + few(parts, ", ", 3, 1)
}

// severities counts the findings by severity, the worst first.
func severities(r *analyzer.Report) []run {
	var runs []run
	for _, severity := range []string{"error", "warning", "info"} {
		n := int64(0)
		for i := range r.Findings {
			if r.Findings[i].Severity == severity {
				n++
			}
		}
		if n == 0 {
			continue
		}
		if len(runs) > 0 {
			runs = append(runs, run{plain, ", "})
		}
		text := count(n, severity)
		if severity == "info" {
			text = num(n) + glue + severity
		}
		runs = append(runs, run{severityInk(severity), text})
	}
	return runs
}

// severityInk returns the ink of a severity.
func severityInk(severity string) ink {
	switch severity {
	case "error":
		return red
	case "warning":
		return yellow
	}
	return cyan
}

// incidents lists what folds several findings into one cause.
func (p *page) incidents(r *analyzer.Report) {
	if len(r.Incidents) == 0 {
		return
	}
	p.title(run{bold, "Incidents"})
	n := p.shown(len(r.Incidents), maxRows)
	for i := range r.Incidents[:n] {
		c := &r.Incidents[i]
		p.flow([]run{{plain, "  "}}, 4, run{bold, c.ID}, run{plain, "  " + c.Cause},
			run{faint, " (" + count(int64(len(c.Findings)), "finding") + "; " + retries(c.Retries) + ", " + num(c.Healed) + " healed)"})
	}
	p.more(len(r.Incidents)-n, "incident")
}

// findings writes the defects, or plainly that there are none.
func (p *page) findings(r *analyzer.Report) {
	if len(r.Findings) == 0 {
		p.verdict(r)
		return
	}
	n := p.shown(len(r.Findings), maxFindings)
	for i := range r.Findings[:n] {
		p.finding(&r.Findings[i], p.full || i < maxDetailed)
	}
	if n == len(r.Findings) {
		return
	}
	var rules []string
	counts := map[string]int64{}
	for _, f := range r.Findings[n:] {
		if counts[f.Rule] == 0 {
			rules = append(rules, f.Rule)
		}
		counts[f.Rule]++
	}
	for i, rule := range rules {
		rules[i] = num(counts[rule]) + glue + rule
	}
	p.bar(run{bold, "and " + count(int64(len(r.Findings)-n), "more finding")})
	p.flow([]run{{plain, "  "}}, 2, run{plain, strings.Join(rules, ", ")})
}

// finding writes one defect. Without detail it leaves out what helps only
// once the reader has chosen to look at this one.
func (p *page) finding(f *analyzer.Finding, detail bool) {
	p.bar(run{severityInk(f.Severity), strings.ToUpper(f.Severity)}, run{plain, " "}, run{bold, f.Rule}, run{faint, " (" + f.Confidence + ")"})
	p.flow([]run{{plain, "  "}}, 2, run{plain, f.Message})
	p.product(f, detail)
	if detail && len(f.Owners) > 0 {
		p.blank()
	}
	p.owners(f)
	if f.Advice != "" {
		p.flow([]run{{plain, "  "}, {cyan, "advice: "}}, 4, run{plain, f.Advice})
	}
	if detail {
		p.blank()
	}
	if text := upstream(&f.Upstream); text != "" {
		p.field("upstream", run{plain, text})
	}
	p.field("seen", run{plain, seen(f)})
	if detail {
		if f.AskedMS > 0 {
			p.field("asked to wait", run{plain, duration(f.AskedMS)})
		}
		if len(f.WaitsMS) > 0 && (len(f.Exemplars) == 0 || len(f.Exemplars[0].Timeline) == 0) {
			var waits []string
			for _, ms := range f.WaitsMS {
				if ms < 0 {
					waits = append(waits, "?")
				} else {
					waits = append(waits, duration(ms))
				}
			}
			p.field("waits", run{plain, few(waits, " ", 12, 3)})
		}
	}
	if text := wasted(f.Wasted); text != "" {
		p.field("wasted", run{plain, text})
	}
	if f.Incident != "" {
		p.field("incident", run{plain, f.Incident})
	}
	label := "where"
	for i := range f.Exemplars {
		if text := where(&f.Exemplars[i]); text != "" && (i == 0 || detail) {
			p.field(label, run{plain, text})
			label = "also"
		}
	}
	if detail && f.TraceQL != "" {
		p.field("find more", run{faint, "TraceQL "}, run{plain, quoted(f.TraceQL)})
	}
	if detail && len(f.Exemplars) > 0 && len(f.Exemplars[0].Timeline) > 0 {
		p.blank()
		same := slices.IndexFunc(p.drawn, func(d *analyzer.Finding) bool { return sameTimeline(d, f) })
		if same >= 0 {
			p.field("worst request", run{plain, "as drawn under " + p.drawn[same].Rule})
			return
		}
		p.timeline(f)
		p.drawn = append(p.drawn, f)
	}
}

// sameTimeline reports whether two findings show one request in one way.
func sameTimeline(a, b *analyzer.Finding) bool {
	x, y := a.Exemplars[0], b.Exemplars[0]
	return x.TraceID == y.TraceID && slices.EqualFunc(x.Timeline, y.Timeline, func(a, b analyzer.Tick) bool {
		return a.StartMS == b.StartMS && a.DurationMS == b.DurationMS && slices.Equal(a.Path, b.Path)
	})
}

// product writes how the owners' attempts multiply. It claims an equation only
// where the numbers satisfy it: owners' attempts are the most seen, so their
// product may differ from what one request got.
func (p *page) product(f *analyzer.Finding, detail bool) {
	if f.Rule == "multiplicative-retries" && len(f.Owners) > 1 && !strings.Contains(f.Message, " × ") {
		product := int64(1)
		var each []string
		for i := range f.Owners {
			o := &f.Owners[i]
			product *= o.Attempts
			each = append(each, ownerName(o)+glue+num(o.Attempts))
		}
		got := count(f.Attempts, "upstream attempt")
		if detail {
			p.blank()
		}
		if product == f.Attempts {
			p.flow([]run{{plain, "  "}}, 4, run{bold, strings.Join(each, " ×"+glue)}, run{plain, " =" + glue}, run{red, got}, run{bold, " for one logical request"})
		} else {
			p.flow([]run{{plain, "  "}}, 4, run{red, got}, run{bold, " for one logical request; at most " + strings.Join(each, ", ")})
		}
	}
	if f.Amplification.Latent <= max(f.Attempts, f.Amplification.Observed) {
		return
	}
	product, caps := int64(1), []string{}
	for i := range f.Owners {
		o := &f.Owners[i]
		most := cmp.Or(o.DeclaredMax, o.PolicyMax)
		product *= most
		caps = append(caps, ownerName(o)+glue+num(most))
	}
	text := "the declared caps allow " + num(f.Amplification.Latent)
	if product == f.Amplification.Latent && len(caps) > 1 {
		text += ": " + strings.Join(caps, " ×"+glue)
	}
	p.flow([]run{{plain, "  "}}, 4, run{plain, text})
}

// owners writes who retried and which setting changes it, a line each.
func (p *page) owners(f *analyzer.Finding) {
	name, tries := 0, 0
	for i := range f.Owners {
		o := &f.Owners[i]
		name = max(name, lipgloss.Width(clean(ownerName(o))))
		tries = max(tries, lipgloss.Width(made(o)))
	}
	n := p.shown(len(f.Owners), maxRows)
	for i := range f.Owners[:n] {
		o := &f.Owners[i]
		owner, attempts := clean(ownerName(o)), made(o)
		prefix := []run{{plain, "  "}, {bold, pad(owner, name) + "  "}, {plain, pad(attempts, tries) + "  "}}
		hang := width(prefix)
		if p.narrow() || hang > p.width/2 {
			prefix = []run{{plain, "  "}, {bold, owner + " "}, {plain, attempts + " "}}
			hang = 4
		}
		var parts []string
		for _, part := range []string{o.Service, o.Library, o.Operation} {
			if part != "" && part != ownerName(o) {
				parts = append(parts, part)
			}
		}
		notes := ""
		switch {
		case o.DeclaredMax > 0:
			notes = " (cap" + glue + num(o.DeclaredMax) + ")"
		case o.PolicyMax > 0:
			notes = " (cap" + glue + num(o.PolicyMax) + " by the policy)"
		case o.DefaultMax > 1:
			notes = " (default cap" + glue + num(o.DefaultMax) + ")"
		}
		if o.Known == "inferred" || o.Known == "policy" {
			notes += " (" + o.Known + ")"
		}
		p.flow(prefix, hang, run{plain, strings.Join(parts, " · ")}, run{faint, notes})
		if o.Setting != "" {
			label := "setting: "
			if o.Keep {
				label = "keep: "
			}
			p.flow([]run{{plain, strings.Repeat(" ", hang)}, {cyan, label}}, hang, run{plain, o.Setting})
		}
	}
	p.more(len(f.Owners)-n, "owner")
}

// made counts the attempts of an owner; empty for one of a whole fleet.
func made(o *analyzer.Owner) string {
	if o.Attempts == 0 {
		return ""
	}
	return count(o.Attempts, "attempt")
}

// seen says how often the defect occurred.
func seen(f *analyzer.Finding) string {
	text := "once, " + count(f.Attempts, "attempt")
	if f.Occurrences != 1 {
		text = count(f.Occurrences, "time") + ", up to " + count(f.Attempts, "attempt")
	}
	if f.Callers > 1 {
		text += ", " + count(f.Callers, "caller")
	}
	if f.Probability > 0 {
		text += "; by chance p" + glue + "=" + glue + strconv.FormatFloat(f.Probability, 'g', 2, 64)
	}
	return text
}

// where names a request: its IDs and its place in the input.
func where(x *analyzer.Exemplar) string {
	var parts []string
	if x.RequestID != "" && x.RequestID != x.TraceID {
		parts = append(parts, "request"+glue+x.RequestID)
	}
	if x.TraceID != "" {
		parts = append(parts, "trace"+glue+x.TraceID)
	}
	if x.Input.Path != "" {
		parts = append(parts, place(x.Input.Path, x.Input.Line, x.Input.Offset))
	}
	return strings.Join(parts, " · ")
}

// place names a position in an input.
func place(path string, line int, offset int64) string {
	if line > 0 {
		return path + ":" + strconv.Itoa(line)
	}
	return path + glue + "(byte" + glue + num(offset) + ")"
}

// quoted keeps the spaces within double quotes on one line, so that a wrapped
// query still means the same.
func quoted(query string) string {
	parts := strings.Split(query, `"`)
	for i := 1; i < len(parts); i += 2 {
		parts[i] = strings.ReplaceAll(parts[i], " ", glue)
	}
	return strings.Join(parts, `"`)
}

// upstream names what was hit.
func upstream(u *analyzer.Upstream) string {
	var parts []string
	for _, part := range []string{u.Service, u.Address, u.Operation, u.Model} {
		if part != "" && !slices.Contains(parts, part) {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, " · ")
}

// money writes millionths of a currency with two decimals, or with as many as
// show it.
func money(micros int64) string {
	decimals := 2
	switch {
	case micros < 100: // a hundredth of a cent
		decimals = 6
	case micros < 10_000:
		decimals = 4
	}
	return strconv.FormatFloat(float64(micros)/1e6, 'f', decimals, 64)
}

// wasted sums up cost, empty where there is none.
func wasted(c analyzer.Waste) string {
	var parts []string
	if c.Attempts > 0 {
		parts = append(parts, count(c.Attempts, "attempt"))
	}
	if c.Seconds > 0 {
		parts = append(parts, duration(int64(c.Seconds*1000+0.5)))
	}
	if c.InputTokens > 0 {
		parts = append(parts, num(c.InputTokens)+" input"+glue+"tokens")
	}
	if c.OutputTokens > 0 {
		parts = append(parts, num(c.OutputTokens)+" output"+glue+"tokens")
	}
	if c.CostMicros > 0 {
		parts = append(parts, money(c.CostMicros)+glue+c.Currency)
	}
	return strings.Join(parts, ", ")
}

// upstreams writes what arrived at each last hop, which the provider's own
// count must equal.
func (p *page) upstreams(r *analyzer.Report) {
	if len(r.Upstreams) == 0 {
		return
	}
	type row struct{ name, calls, attempts, sizes string }
	const sep = "  "
	head := row{"", "calls", "attempts", "calls×attempts"}
	rows := []row{head}
	lower := false
	n := p.shown(len(r.Upstreams), maxRows)
	for i := range r.Upstreams[:n] {
		u := &r.Upstreams[i]
		attempts := num(u.Attempts)
		if u.LowerBound {
			attempts, lower = "≥"+attempts, true
		}
		var sizes []string
		for _, k := range ordinals(u.AttemptsPerCall) {
			sizes = append(sizes, num(u.AttemptsPerCall[k])+"×"+k)
		}
		rows = append(rows, row{cmp.Or(upstream(&u.Upstream), "unknown"), num(u.Calls), attempts, few(sizes, " ", 1, 2)})
	}
	name, calls, attempts, sizes := 0, 0, 0, 0
	for _, w := range rows {
		name = max(name, lipgloss.Width(clean(w.name)))
		calls = max(calls, lipgloss.Width(w.calls))
		attempts = max(attempts, lipgloss.Width(w.attempts))
		sizes = max(sizes, lipgloss.Width(w.sizes))
	}
	room := p.width - len(sep)*4 - calls - attempts - sizes
	stacked := room < 20
	name = min(name, room)

	p.title(run{bold, "Upstreams"}, run{faint, " (a call is one logical request, however often it was attempted)"})
	for i, w := range rows {
		if stacked {
			if i > 0 {
				p.flow([]run{{plain, sep}}, 4, run{plain, w.name})
				p.flow([]run{{plain, "    "}}, 4, run{plain, "calls " + w.calls + ", attempts " + w.attempts + ", calls×attempts " + w.sizes})
			}
			continue
		}
		lines := [][]run{{}}
		if i > 0 {
			lines = wrap(name, nil, 2, []run{{plain, w.name}})
		}
		ink := plain
		if i == 0 {
			ink = faint
		}
		for j, l := range lines {
			l = append([]run{{plain, sep}}, l...)
			if j == 0 {
				l = append(l, run{ink, strings.Repeat(" ", max(0, name+len(sep)-width(l))) + sep + padLeft(w.calls, calls) + sep + padLeft(w.attempts, attempts) + sep + w.sizes})
			}
			p.line(l...)
		}
	}
	p.more(len(r.Upstreams)-n, "upstream")
	if lower {
		p.flow([]run{{plain, sep}}, 2, run{faint, "≥ is a lower bound: attempts further on may be hidden"})
	}
}

// coverage says which rules could not judge the data. With no findings the
// verdict has said so already.
func (p *page) coverage(r *analyzer.Report) {
	c := judged(r)
	if len(r.Findings) == 0 || c.whole() {
		return
	}
	p.title(run{yellow, "Not fully judged"}, run{faint, " (" + c.ratio() + ")"})
	p.gaps(c)
}

// verdict says that nothing was found, and how much that means.
func (p *page) verdict(r *analyzer.Report) {
	c := judged(r)
	switch {
	case r.Stats.Spans == 0:
		p.title(run{yellow, "Nothing was judged: the input holds no spans."})
	case len(r.Coverage) == 0:
		p.title(run{yellow, "No findings,"}, run{plain, " but the report does not say which rules could judge this data."})
	case c.whole() && problemCount(r) > 0:
		p.title(run{yellow, "No findings in what could be read."}, run{plain, " " + c.ratio() + "."})
	case c.whole():
		p.title(run{green, "No findings."}, run{plain, " " + c.ratio() + "."})
	default:
		p.title(run{yellow, "No findings, but not all was judged:"}, run{plain, " " + c.ratio() + "."})
		p.gaps(c)
	}
	if len(c.ran) > 0 {
		p.flow([]run{{plain, "  "}, {green, "judged   "}}, 11, run{plain, strings.Join(c.ran, ", ")})
	}
}

// judgement sorts the rules by what they could judge.
type judgement struct {
	ran                 []string
	partial, blind, off []*analyzer.Coverage
}

// whole reports whether all rules judged all.
func (c judgement) whole() bool { return len(c.partial)+len(c.blind)+len(c.off) == 0 }

// judged returns the judgement of r.
func judged(r *analyzer.Report) judgement {
	var c judgement
	for i := range r.Coverage {
		v := &r.Coverage[i]
		switch v.Status {
		case "ran":
			c.ran = append(c.ran, v.Rule)
		case "partial":
			c.partial = append(c.partial, v)
		case "off":
			c.off = append(c.off, v)
		default:
			c.blind = append(c.blind, v)
		}
	}
	return c
}

// ratio counts the rules by what they could judge.
func (c judgement) ratio() string {
	total := int64(len(c.ran) + len(c.partial) + len(c.blind) + len(c.off))
	if int(total) == len(c.ran) {
		return count(total, "rule") + " judged all of the data"
	}
	text := num(int64(len(c.ran))) + " of " + count(total, "rule") + " judged all of the data"
	if n := len(c.partial); n > 0 {
		text += ", " + num(int64(n)) + " a part"
	}
	if n := len(c.blind); n > 0 {
		text += ", " + num(int64(n)) + " nothing"
	}
	if n := len(c.off); n > 0 {
		text += ", " + num(int64(n)) + " off"
	}
	return text
}

// gaps lists the rules that judged nothing, those that judged a part, and those
// that were off.
func (p *page) gaps(c judgement) {
	gaps := slices.Concat(c.blind, c.partial, c.off)
	n := p.shown(len(gaps), 2*maxRows)
	for _, v := range gaps[:n] {
		text := ""
		if v.Reason != "" {
			text = ": " + v.Reason
		}
		p.flow([]run{{plain, "  "}, {yellow, pad(clean(v.Status), 9)}}, 11, run{bold, v.Rule}, run{plain, text})
		if len(v.Needs) > 0 {
			p.flow([]run{{plain, strings.Repeat(" ", 11)}, {cyan, "needs: "}}, 11, run{plain, strings.Join(v.Needs, ", ")})
		}
	}
	p.more(len(gaps)-n, "rule")
	p.remedies(gaps)
}

// remedies says what adds that which the rules lack, each line once.
func (p *page) remedies(gaps []*analyzer.Coverage) {
	var lines []string
	for _, v := range gaps {
		for i, line := range v.Add {
			if line == "" || i >= len(v.Needs) {
				continue
			}
			if line = v.Needs[i] + ": " + line; !slices.Contains(lines, line) {
				lines = append(lines, line)
			}
		}
	}
	if len(lines) == 0 {
		return
	}
	p.blank()
	for _, line := range lines {
		need, how, _ := strings.Cut(line, ": ")
		p.flow([]run{{plain, "  "}, {cyan, "to add "}}, 4, run{bold, need}, run{plain, ": " + how})
	}
}

// unknownCodes lists what the classifier could not read.
func (p *page) unknownCodes(r *analyzer.Report) {
	if len(r.UnknownCodes) == 0 {
		return
	}
	p.title(run{bold, "Unknown error codes"}, run{faint, " (such failures get no verdict)"})
	n := p.shown(len(r.UnknownCodes), maxRows)
	for _, c := range r.UnknownCodes[:n] {
		p.flow([]run{{plain, "  "}}, 4, run{plain, cmp.Or(c.Provider, "unknown provider") + ": " + strconv.Quote(c.Code)}, run{faint, " (" + count(c.Count, "time") + ")"})
	}
	p.more(len(r.UnknownCodes)-n, "code")
}

// problemCount returns how many problems the inputs have.
func problemCount(r *analyzer.Report) int64 {
	total := int64(0)
	for i := range r.Inputs {
		for _, b := range r.Inputs[i].Problems {
			total += max(1, b.Count)
		}
	}
	return total
}

// problems lists what could not be read.
func (p *page) problems(r *analyzer.Report) {
	total := problemCount(r)
	if total == 0 {
		return
	}
	p.title(run{yellow, "Input problems"}, run{faint, " (" + num(total) + ")"})
	rows := 0
	for i := range r.Inputs {
		rows += len(r.Inputs[i].Problems)
	}
	n := p.shown(rows, maxRows)
	for i := range r.Inputs {
		for _, b := range r.Inputs[i].Problems {
			if n == 0 {
				break
			}
			n--
			times := ""
			if b.Count > 1 {
				times = " (" + count(b.Count, "time") + ")"
			}
			p.flow([]run{{plain, "  "}}, 4, run{bold, place(r.Inputs[i].Path, b.Line, b.Offset) + ":"}, run{plain, " " + b.Reason}, run{faint, times})
			total -= max(1, b.Count)
		}
	}
	p.more(int(total), "problem")
}

// skipped counts the records of other signals.
func (p *page) skipped(r *analyzer.Report) {
	sums := map[string]int64{}
	for i := range r.Inputs {
		for signal, n := range r.Inputs[i].Skipped {
			sums[signal] += n
		}
	}
	if len(sums) == 0 {
		return
	}
	var parts []string
	for _, signal := range slices.Sorted(maps.Keys(sums)) {
		parts = append(parts, num(sums[signal])+glue+signal)
	}
	p.title(run{bold, "Skipped"}, run{plain, " " + strings.Join(parts, ", ")}, run{faint, " (only spans are audited)"})
}

// hints names the commands that say more.
func (p *page) hints(r *analyzer.Report) {
	if len(r.Findings) == 0 {
		return
	}
	p.title(run{faint, "More: retryaudit" + glue + "explain" + glue + r.Findings[0].Rule + ", retryaudit" + glue + "show" + glue + "REQUEST"})
}

// more counts what a list leaves out.
func (p *page) more(n int, noun string) {
	if n > 0 {
		p.line(run{faint, "  … and " + count(int64(n), "more "+noun)})
	}
}

// few joins parts and counts those it leaves out between the first and the last.
func few(parts []string, sep string, first, last int) string {
	if left := len(parts) - first - last; left > 1 {
		parts = slices.Concat(parts[:first], []string{"(" + num(int64(left)) + glue + "more)"}, parts[len(parts)-last:])
	}
	return strings.Join(parts, sep)
}

// ordinals returns the keys of m in order of the numbers they are.
func ordinals(m map[string]int64) []string {
	return slices.SortedFunc(maps.Keys(m), func(a, b string) int {
		x, _ := strconv.ParseInt(a, 10, 64) // no number is 0 and sorts first
		y, _ := strconv.ParseInt(b, 10, 64)
		return cmp.Or(cmp.Compare(x, y), cmp.Compare(a, b))
	})
}

// num returns n in digits.
func num(n int64) string { return strconv.FormatInt(n, 10) }

// count returns n with its noun.
func count(n int64, noun string) string {
	if n == 1 {
		return "1" + glue + noun
	}
	return num(n) + glue + noun + "s"
}

// retries is count for a noun that does not just add an s.
func retries(n int64) string {
	if n == 1 {
		return "1" + glue + "retry"
	}
	return num(n) + glue + "retries"
}

// percent returns a ratio in whole percent, and never rounds to 0 or 100.
func percent(ratio float64) string {
	switch p := ratio * 100; {
	case p > 0 && p < 1:
		return "<1%"
	case p > 99 && p < 100:
		return ">99%"
	default:
		return strconv.FormatFloat(p, 'f', 0, 64) + "%"
	}
}
