package main

import (
	"bytes"
	"cmp"
	"fmt"
	"strings"
	"time"
	"unicode"

	"github.com/retryaudit/retryaudit/analyzer"
	"github.com/retryaudit/retryaudit/analyzer/trace"
)

// tree draws one request.
type tree struct {
	out       bytes.Buffer
	r         *trace.Request
	libraries map[*trace.Call][]string // that stack traces name
	// has holds the keys of the policy that the request was built by, corrected
	// the entries that were written, failed the first end of equal calls of one
	// caller that had failed.
	has, corrected map[string]bool
	failed         map[likeCall]int64
}

// drawRequest returns the rebuilt request as text; has are the keys that its
// policy has.
func drawRequest(r *trace.Request, has map[string]bool) []byte {
	t := tree{
		r: r, libraries: analyzer.LibrariesOf(r),
		has: has, corrected: map[string]bool{}, failed: map[likeCall]int64{},
	}
	t.head()
	for _, call := range r.Roots {
		t.call(call, 0)
	}
	t.logical()
	return t.out.Bytes()
}

func (t *tree) head() {
	t.line(0, "request %s", t.text(t.r.Key))
	t.line(1, "%s in %s", plural(int64(t.r.Spans), "span"), plural(int64(len(t.r.Traces)), "trace"))
	for _, id := range t.r.Traces {
		t.line(1, "trace %s", id)
	}
	if n := t.r.Missing; n > 0 {
		t.line(1, "%s that others name as parent and the input lacks", plural(int64(n), "span"))
	}
	if t.r.Cut {
		t.line(1, "not whole: a bound forced it out")
	}
}

// call draws a call and all below. Its depth is that of calls within
// attempts, not of spans.
func (t *tree) call(c *trace.Call, depth int) {
	if depth == 0 {
		t.out.WriteByte('\n')
	}
	t.line(depth, "call %s by %s to %s", t.wants(c), t.owner(c.Owner), t.upstream(c.Upstream))
	facts := []string{c.Pattern.String(), plural(c.Count(), "attempt"), c.Known.String(), c.Conf.String()}
	if c.OneLevel {
		facts = append(facts, "one level, not separable: waits begin anew, as those of two owners would")
	}
	if c.Ambiguous {
		facts = append(facts, "ambiguous: the attempts of equal calls hold together, those of each and the waits do not")
	}
	if c.List {
		facts = append(facts, "or a list: nothing shows that they ask for the same")
	}
	if names := t.libraries[c]; len(names) > 0 {
		facts = append(facts, "by "+strings.Join(names, " or ")+", as a stack trace or the program says")
	}
	if c.DeclaredMax > 0 {
		facts = append(facts, fmt.Sprintf("at most %d declared", c.DeclaredMax))
	}
	if c.Deadline.Scope != 0 {
		facts = append(facts, t.deadline(c.Deadline))
	}
	t.line(depth+1, "%s%s", list(facts), because(c.Reason))
	t.corrections(c, depth+1)
	for _, a := range c.Attempts {
		t.attempt(a, depth+1)
		for _, below := range a.Calls {
			t.call(below, depth+2)
		}
	}
}

func (t *tree) attempt(a *trace.Attempt, depth int) {
	facts := []string{a.Known.String()}
	if a.Start != 0 {
		facts = append(facts, clock(a.Start), "took "+short(time.Duration(a.End-a.Start)))
	}
	if a.Wait.Known != 0 {
		facts = append(facts, fmt.Sprintf("after a wait of %s (%s)", short(a.Wait.D), a.Wait.Known))
	}
	if a.Fallback {
		facts = append(facts, "fallback to "+cmp.Or(t.text(a.Model), "another host"))
	}
	if asked := t.asked(a.Asked); asked != "" {
		facts = append(facts, asked)
	}
	t.line(depth, "%s: %s, %s%s", ordinal(a), t.outcome(a), list(facts), because(a.Reason))
	for _, s := range a.Spans {
		span := s.ID.String()
		if len(t.r.Traces) > 1 {
			span += " of trace " + s.Trace.String()
		}
		if s.Flags.Has(trace.Ghost) {
			span += " (not in the input)"
		}
		t.line(depth+1, "span %s %s: %s", span, t.text(s.Service), t.text(s.Op))
	}
}

// logical draws the logical upstream requests with their attempts.
func (t *tree) logical() {
	t.out.WriteByte('\n')
	t.line(0, "%s", plural(int64(len(t.r.Logical)), "logical upstream request"))
	for _, class := range t.r.Logical {
		if len(class) == 0 {
			continue
		}
		attempts := trace.Range{}
		for _, part := range trace.Sure(class) {
			sure := int32(0)
			for _, a := range part {
				sure += a.Count.Min
				attempts.Max += a.Count.Max
			}
			attempts.Min = max(attempts.Min, sure)
		}
		t.line(1, "%s at %s: %s", rangeOf(attempts, "attempt"), t.upstream(class[0].Call.Upstream), t.outcomes(class))
	}
}

// outcomes says equal outcomes in a row once.
func (t *tree) outcomes(class []*trace.Attempt) string {
	var runs []string
	for i := 0; i < len(class); {
		outcome, n := t.outcome(class[i]), 0
		for ; i < len(class) && t.outcome(class[i]) == outcome; i++ {
			n++
		}
		if n > 1 {
			outcome = fmt.Sprintf("%d times %s", n, outcome)
		}
		runs = append(runs, outcome)
	}
	return strings.Join(runs, ", then ")
}

// wants says what a call is for, in the words of its first span.
func (t *tree) wants(c *trace.Call) string {
	for _, a := range c.Attempts {
		if len(a.Spans) > 0 && a.Spans[0].Ask != 0 {
			return fmt.Sprintf("%q", t.text(a.Spans[0].Ask))
		}
	}
	return "something that no span names"
}

func (t *tree) owner(o trace.Owner) string {
	name := list([]string{o.Layer.String(), t.text(o.Service), t.text(o.Library), t.text(o.Op)})
	return cmp.Or(name, "nobody known")
}

func (t *tree) upstream(u trace.Upstream) string {
	name := list([]string{t.text(u.Service), t.text(u.Address), t.text(u.Op), t.text(u.Model)})
	return cmp.Or(name, "nothing known")
}

func (t *tree) outcome(a *trace.Attempt) string {
	status := ""
	if a.Status != 0 {
		status = fmt.Sprintf(" %d", a.Status)
	}
	switch a.Outcome {
	case trace.OK:
		return "ok" + status
	case trace.Unstated:
		return "no outcome" + status
	}
	word := "failed"
	if a.Outcome == trace.Cut {
		word = "cut"
	}
	out := word + status
	if a.Class != trace.NoError {
		out += " " + a.Class.String()
	}
	if a.Verdict != trace.NoVerdict {
		out += " " + a.Verdict.String()
	}
	if code := t.text(a.Code); code != "" && code != strings.TrimSpace(status) {
		out += fmt.Sprintf(" (%s, from %q)", a.ClassConf, code)
	} else if a.ClassConf != 0 {
		out += fmt.Sprintf(" (%s)", a.ClassConf)
	}
	return out
}

func (t *tree) asked(a trace.Asked) string {
	switch a.State {
	case trace.For:
		return "then asked to wait " + short(a.D)
	case trace.Until:
		return "then asked to wait until " + clock(a.At)
	case trace.Never:
		return "then asked not to come back"
	case trace.Unusable:
		return "then asked to wait in a way not to be understood"
	}
	return ""
}

func (t *tree) deadline(d trace.Deadline) string {
	limit := "deadline"
	if d.Scope == trace.AttemptScope {
		limit = "time limit per attempt"
	}
	if d.D > 0 {
		return limit + " " + short(d.D)
	}
	if d.At != 0 {
		return limit + " " + clock(d.At)
	}
	return limit
}

func (t *tree) line(depth int, format string, args ...any) {
	for range depth {
		t.out.WriteString("  ")
	}
	fmt.Fprintf(&t.out, format+"\n", args...)
}

// text returns what y stands for, fit for a terminal.
func (t *tree) text(y trace.Sym) string { return printable(t.r.Text(y)) }

// printable replaces what could steer a terminal: names come from traces.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsGraphic(r) {
			return unicode.ReplacementChar
		}
		return r
	}, s)
}

// ordinal numbers an attempt from 1, or the attempts that a hidden row stands for.
func ordinal(a *trace.Attempt) string {
	first := a.N + 1
	if a.Count.Max > 1 {
		return fmt.Sprintf("%s without spans from number %d", rangeOf(a.Count, "attempt"), first)
	}
	if len(a.Spans) == 0 {
		return fmt.Sprintf("attempt %d, without spans", first)
	}
	return fmt.Sprintf("attempt %d", first)
}

func rangeOf(r trace.Range, noun string) string {
	if r.Min == r.Max {
		return plural(int64(r.Min), noun)
	}
	return fmt.Sprintf("%d to %s", r.Min, plural(int64(r.Max), noun))
}

// because appends a reason.
func because(reason string) string {
	if reason == "" {
		return ""
	}
	return ": " + printable(reason)
}

// list joins what is not empty.
func list(parts []string) string {
	var b strings.Builder
	for _, p := range parts {
		if p == "" {
			continue
		}
		if b.Len() > 0 {
			b.WriteString(", ")
		}
		b.WriteString(p)
	}
	return b.String()
}

// clock is the time of day in UTC of ns since the Unix epoch.
func clock(ns int64) string { return time.Unix(0, ns).UTC().Format("15:04:05.000") }

// short rounds a duration to what a reader can use.
func short(d time.Duration) string {
	if d < time.Millisecond {
		return d.Round(time.Microsecond).String()
	}
	return d.Round(time.Millisecond).String()
}
