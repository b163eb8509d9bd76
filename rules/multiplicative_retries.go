package rules

import (
	"fmt"
	"slices"
	"strings"

	"github.com/retryaudit/retryaudit/analyzer"
	"github.com/retryaudit/retryaudit/analyzer/trace"
)

// MultiplicativeRetries reports requests that several owners on one path
// retried, so that their attempts multiply.
//
// When an agent, the SDK under it and the gateway behind that each make three
// attempts, one logical request becomes 3 × 3 × 3 = 27 upstream attempts, all
// of them while the upstream is in trouble, and the retries of the inner
// owners keep a rate limit shut for the outer ones. Google's SRE book
// (chapter 22, Addressing Cascading Failures) asks to retry at one level only
// for this reason.
//
// The rule follows each logical request from its attempts at the last hop up
// to the user. A level counts as an owner if two or more of its attempts led
// to this logical request, those that went on to another model or provider
// left out: a fallback multiplies nothing. Two levels that the spans do not
// show apart are one owner; where their waits begin anew, so that there may be
// two, the coverage says that the rule could not judge.
//
// It stays silent where only one owner made more than one attempt, however
// many, and where equal calls stand beside one another without a failure
// before: steps, samples, polls, hedges.
//
// To fix it, keep the retries of one owner, best the one closest to the
// upstream that reads Retry-After, and set the others to one attempt:
// maxRetries: 0 in the OpenAI, Anthropic and Vercel SDKs, retry.attempts: 0 in
// Portkey, proxy_next_upstream off in nginx, retries 0 in HAProxy.
type MultiplicativeRetries struct {
	// MinOwners is how many owners on one path are too many.
	MinOwners int `yaml:"min_owners"`
}

// NewMultiplicativeRetries returns the rule with its default options.
func NewMultiplicativeRetries() MultiplicativeRetries { return MultiplicativeRetries{MinOwners: 2} }

// About identifies the rule.
func (MultiplicativeRetries) About() analyzer.About {
	return analyzer.About{
		ID: "multiplicative-retries", Title: "several owners retry the same call, and their attempts multiply",
		Concern: analyzer.Who, Severity: analyzer.Error, Since: "0.1",
	}
}

// Finish says which owner should keep its retries.
func (MultiplicativeRetries) Finish(f *analyzer.Finding) bool {
	keepOne(f, f.Attempts)
	return true
}

// Check reports each logical request with at least MinOwners owners.
func (r MultiplicativeRetries) Check(p *analyzer.Pass) {
	merged := onOneLevel(p.Request)
	for _, class := range p.Request.Logical {
		for _, a := range class {
			p.Need(analyzer.InnerSpans, !analyzer.HidesAttempts(a))
		}
		found := len(class) > 1 && r.check(p, class)
		p.Need(analyzer.OwnersApart, found || !slices.ContainsFunc(class, func(a *trace.Attempt) bool { return merged[a.Call] }))
	}
}

// onOneLevel returns the calls that may be two owners' on one level of spans,
// and all that they led to.
func onOneLevel(r *trace.Request) map[*trace.Call]bool {
	merged := map[*trace.Call]bool{}
	for c := range r.Calls() {
		if c.OneLevel || c.Parent != nil && merged[c.Parent.Call] {
			merged[c] = true
		}
	}
	return merged
}

func (r MultiplicativeRetries) check(p *analyzer.Pass, class []*trace.Attempt) (found bool) {
	l := newLogical(class)
	path, end := l.retriers()
	if len(path) < max(2, r.MinOwners) {
		return false
	}
	d := l.diagnostic(p, path, end)
	product := int64(1)
	d.Latent = 1
	for _, o := range d.Owners {
		product *= o.Attempts
		d.Latent *= max(o.Attempts, o.DeclaredMax)
	}
	d.Text = says(d.Owners, d.Attempts, product)
	p.Report(d)
	return true
}

// says writes the owners as a product where it is one.
func says(owners []analyzer.OwnerCount, attempts, product int64) string {
	var factors []string
	least := int64(0)
	for _, o := range owners {
		factors = append(factors, fmt.Sprintf("%s %d", layer(o.Owner), o.Attempts))
		least = max(least, o.Attempts)
	}
	text := strings.Join(factors, " × ")
	if product == attempts {
		text += " = "
	} else {
		text += ": "
	}
	return text + fmt.Sprintf("%d upstream attempts for one logical request; one owner alone would have made %d at most", attempts, least)
}
