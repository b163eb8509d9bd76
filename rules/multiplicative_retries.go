package rules

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/retryaudit/retryaudit/analyzer"
	"github.com/retryaudit/retryaudit/analyzer/trace"
)

// MultiplicativeRetries reports requests that several owners on one path
// retried, so that their attempts multiply.
//
// # Why it matters
//
// When an agent, the SDK under it and the gateway behind that each make three
// attempts, one logical request becomes 3 × 3 × 3 = 27 upstream attempts, all
// of them while the upstream is in trouble, and the retries of the inner owners
// keep a rate limit shut for the outer ones. Google's SRE book counts 64
// attempts on a database for one action of a user when three layers make four
// each [1], and has requests retried only by the layer just above the one that
// refuses them [2]. The AWS Builders' Library counts 243 for five layers of
// three tries each and retries at a single point of the stack [3]. The load
// that retries make can keep an outage going when its trigger is gone: they
// sustained more than half of 22 such outages that Huang et al. studied [4].
//
// # How it decides
//
// The rule follows each logical request from its attempts at the last hop up to
// the user. A level counts as an owner if two or more of its attempts led to
// this logical request, those that went on to another model or provider left
// out: a fallback multiplies nothing. Two levels that the spans do not show
// apart are one owner; where their waits begin anew, so that there may be two,
// the coverage says that the rule could not judge.
//
// # What it needs
//
// It needs a span around each owner's attempts and one for each attempt: the
// loop or the agent's step, the SDK's call, its HTTP requests, the gateway's
// server span and its client spans. Several traces are joined by links,
// traceparent and request IDs. The coverage says where the HTTP client's spans
// below a library are missing, and where nothing numbers the attempts of two
// owners on one level (http.request.resend_count, or retry.owner and
// retry.attempt).
//
// # When it stays silent
//
// It stays silent where only one owner made more than one attempt, however
// many, and where equal calls stand beside one another without a failure
// before: steps, samples, polls, hedges.
//
// # How to fix it
//
// Keep the retries of one owner, best the one closest to the upstream that
// reads Retry-After; the finding names it. Set the others to one attempt:
//
//   - openai-node: maxRetries of the OpenAI client (default 2; 0 turns retries
//     off)
//   - openai-python: max_retries of the OpenAI client (default 2; 0 turns
//     retries off)
//   - anthropic-sdk-typescript: maxRetries of the Anthropic client (default 2;
//     0 turns retries off)
//   - anthropic-sdk-python: max_retries of the Anthropic client (default 2; 0
//     turns retries off)
//   - ai: maxRetries of generateText, streamText … (default 2; 0 turns retries
//     off)
//   - langchainjs: maxRetries of the chat model, or stopAfterAttempt of
//     withRetry around it (default 6; 0 turns retries off)
//   - litellm: num_retries of the router or of the model group (default 2; 0
//     turns retries off)
//   - portkey: retry.attempts of the Portkey config (off by default; 0 turns
//     retries off)
//   - envoy: num_retries of the route's retry policy, in Istio attempts of the
//     VirtualService (default 1 with a policy, 2 in Istio)
//   - nginx: proxy_next_upstream_tries (default 0, no limit;
//     proxy_next_upstream off turns retries off)
//   - haproxy: retries of the backend, with retry-on for what is retried
//     (default 3; 0 turns retries off)
//
// retryaudit explain NAME has the same for other libraries, with the source of
// each default.
//
// # Sources
//
//  1. Beyer et al., Site Reliability Engineering, chapter 22, Addressing
//     Cascading Failures:
//     https://sre.google/sre-book/addressing-cascading-failures/
//  2. Beyer et al., Site Reliability Engineering, chapter 21, Handling
//     Overload: https://sre.google/sre-book/handling-overload/
//  3. Amazon Builders' Library, Timeouts, retries, and backoff with jitter:
//     https://aws.amazon.com/builders-library/timeouts-retries-and-backoff-with-jitter/
//  4. Huang et al., Metastable Failures in the Wild, OSDI 2022:
//     https://www.usenix.org/conference/osdi22/presentation/huang-lexiang
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
	merged := under(p.Request, func(c *trace.Call) bool { return c.OneLevel })
	lists := under(p.Request, func(c *trace.Call) bool { return c.List })
	for _, class := range p.Request.Logical {
		for _, a := range class {
			p.Need(analyzer.InnerSpans, !analyzer.HidesAttempts(a))
		}
		found := len(class) > 1 && r.check(p, class)
		p.Need(analyzer.OwnersApart, found || !slices.ContainsFunc(class, func(a *trace.Attempt) bool { return merged[a.Call] }))
		p.Need(analyzer.SameAsk, !slices.ContainsFunc(class, func(a *trace.Attempt) bool { return lists[a.Call] }))
	}
}

// under returns the calls that fit, and all that they led to.
func under(r *trace.Request, fits func(*trace.Call) bool) map[*trace.Call]bool {
	all := map[*trace.Call]bool{}
	for c := range r.Calls() {
		if fits(c) || c.Parent != nil && all[c.Parent.Call] {
			all[c] = true
		}
	}
	return all
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
		d.Latent *= max(o.Attempts, cmp.Or(o.DeclaredMax, p.MaxAttempts(o.Owner, d.Upstream)))
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
