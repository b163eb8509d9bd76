package rules

import (
	"fmt"

	"github.com/retryaudit/retryaudit/analyzer"
	"github.com/retryaudit/retryaudit/analyzer/trace"
)

// ExcessiveAttempts reports calls that were attempted again and again.
//
// Of the failures that a retry heals, the first or second retry heals most; the
// later ones meet an upstream that is down, and each adds to its load, to the
// caller's wait and to the bill. Google's SRE book (chapter 21, Handling
// Overload) gives up after three attempts; gRPC caps a retry policy at five
// attempts whatever it says (proposal A6, maxAttempts).
//
// The rule counts the attempts of each call, fallbacks to other models or
// channels with them, since every one is a request somewhere. Where no owner
// made too many by itself, it counts what all owners together made of one
// logical request at the last hop.
//
// It stays silent on polls, pages, samples and hedges, which the graph keeps
// apart from retries, and on redeliveries of different messages. Attempts that
// no span shows count at the number that is sure.
//
// To fix it, cap the attempts (max_attempts of 3 is a good start) and the total
// time of a call, and stop early when the upstream says that it is down: a
// retry budget or a circuit breaker (Envoy retry_budget, resilience4j, Polly).
// Where owners multiply, see multiplicative-retries.
type ExcessiveAttempts struct {
	// MaxPerOwner is how many attempts of one call one owner may make, the
	// first included.
	MaxPerOwner int64 `yaml:"max_per_owner"`
	// MaxTotal is how many attempts one logical request may get at the last hop
	// from all owners together.
	MaxTotal int64 `yaml:"max_total"`
}

// NewExcessiveAttempts returns the rule with its default options.
func NewExcessiveAttempts() ExcessiveAttempts { return ExcessiveAttempts{MaxPerOwner: 5, MaxTotal: 9} }

// About identifies the rule.
func (ExcessiveAttempts) About() analyzer.About {
	return analyzer.About{
		ID: "excessive-attempts", Title: "one call is attempted too often",
		Concern: analyzer.When, Severity: analyzer.Warning, Since: "0.1",
	}
}

// Check reports each call with more than MaxPerOwner attempts, and each logical
// request with more than MaxTotal that holds no such call.
func (r ExcessiveAttempts) Check(p *analyzer.Pass) {
	over := map[*trace.Call]bool{}
	for call := range p.Request.Calls() {
		n := call.Count()
		if n <= r.MaxPerOwner {
			continue
		}
		over[call] = true
		p.Report(analyzer.Diagnostic{
			Call: call, Conf: call.Conf, Wasted: analyzer.WasteOf(p.Request, call.Attempts),
			Text: fmt.Sprintf("%s made %d attempts of one call%s", layer(call.Owner), n, ended(call.Attempts)),
		})
	}
	for _, class := range p.Request.Logical {
		for _, a := range class {
			p.Need(analyzer.InnerSpans, !analyzer.HidesAttempts(a))
		}
		r.checkTotal(p, class, over)
	}
}

// checkTotal reports a logical request with too many attempts from several owners.
func (r ExcessiveAttempts) checkTotal(p *analyzer.Pass, class []*trace.Attempt, over map[*trace.Call]bool) {
	if int64(len(class)) <= r.MaxTotal && class[len(class)-1].Count.Min == 1 {
		n := int64(0)
		for _, a := range class {
			n += int64(a.Count.Min)
		}
		if n <= r.MaxTotal {
			return
		}
	}
	l := newLogical(class)
	if l.attempts() <= r.MaxTotal {
		return
	}
	for c := range l.made {
		if over[c] {
			return
		}
	}
	path, end := l.retriers()
	if len(path) == 0 {
		return
	}
	d := l.diagnostic(p, path, end)
	d.Text = fmt.Sprintf("%d attempts of one logical request from %d owners together%s", d.Attempts, len(path), ended(class))
	p.Report(d)
}

// ended says how attempts came to their end.
func ended(all []*trace.Attempt) string {
	if all[len(all)-1].Failed() {
		return ", and it failed"
	}
	return ", the last of which succeeded"
}
