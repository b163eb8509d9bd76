package rules

import (
	"fmt"
	"strings"

	"github.com/retryaudit/retryaudit/analyzer"
	"github.com/retryaudit/retryaudit/analyzer/trace"
)

// LatentAmplification reports paths whose caps would multiply in an outage.
//
// # Why it matters
//
// Three attempts in the agent, three in the SDK and three in the gateway cost
// nothing while all goes well, and become 27 requests for one on the day the
// upstream fails: the amplification is in the configuration already. Tests do
// not show it: metastable failures, which retries can sustain, come from
// policies that help in the common case, and no unit or integration test
// triggers them, say Bronson et al. [1]. The AWS Builders' Library counts 243
// for five layers of three tries each [2], Google's SRE book 64 for three
// layers of four [3]. The default of max, two owners of two attempts each, is
// this tool's choice.
//
// # How it decides
//
// The rule multiplies, along the way of each logical request, how many attempts
// each owner may make: what a setting on a span declares, else the policy
// file, or what was seen where it was more. Where nothing is declared and the library is recognised,
// its documented default stands in, at most once in each service, since a
// library that wraps another mostly turns its retries off; then the finding is
// no more than possible. A default is dropped where the library left other
// failures alone.
//
// # What it needs
//
// It needs the caps: retry.max_attempts on the span around an owner's attempts,
// or what libraries write by themselves (ai.settings.maxRetries, the max of
// amz-sdk-request, the attempts of a BullMQ job). And a span of each owner,
// since its scope or user agent tells the library. The coverage counts the
// owners whose cap is unknown.
//
// # When it stays silent
//
// It stays silent where owners did multiply, which multiplicative-retries
// reports, where at most one owner may make more than one attempt, and where
// the caps of the others are unknown.
//
// # How to fix it
//
// Decide which owner retries and set the others to one attempt; the finding
// names the setting of each. These retry unless they are told not to:
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
//   - spring-ai: spring.ai.retry.max-attempts (default 10, the first included;
//     1 turns retries off)
//   - litellm: num_retries of the router or of the model group (default 2; 0
//     turns retries off)
//   - boto3: total_max_attempts in retries of botocore's Config, or
//     AWS_MAX_ATTEMPTS (default 5, the first included; 1 turns retries off)
//   - istio: retries.attempts of the VirtualService (default 2; 0 turns retries
//     off)
//   - kong: retries of the Kong service (default 5; 0 turns retries off)
//
// retryaudit explain NAME has the same for other libraries, with the source of
// each default.
//
// # Sources
//
//  1. Bronson et al., Metastable Failures in Distributed Systems, HotOS 2021:
//     https://sigops.org/s/conferences/hotos/2021/papers/hotos21-s11-bronson.pdf
//  2. Amazon Builders' Library, Timeouts, retries, and backoff with jitter:
//     https://aws.amazon.com/builders-library/timeouts-retries-and-backoff-with-jitter/
//  3. Beyer et al., Site Reliability Engineering, chapter 22, Addressing
//     Cascading Failures:
//     https://sre.google/sre-book/addressing-cascading-failures/
type LatentAmplification struct {
	// Max is the product of the caps that is still fine.
	Max int64 `yaml:"max"`
}

// NewLatentAmplification returns the rule with its default options.
func NewLatentAmplification() LatentAmplification { return LatentAmplification{Max: 4} }

// About identifies the rule.
func (LatentAmplification) About() analyzer.About {
	return analyzer.About{
		ID: "latent-amplification", Title: "the caps of several owners on one path multiply",
		Concern: analyzer.Who, Severity: analyzer.Warning, Since: "0.1",
	}
}

// Check reports each logical request whose caps multiply beyond Max.
func (r LatentAmplification) Check(p *analyzer.Pass) {
	for _, class := range p.Request.Logical {
		for _, a := range class {
			noteIdle(p, a)
		}
		r.check(p, newLogical(class))
	}
}

// Finish says which owner should keep its retries. A default is none where the
// library left other failures alone.
func (LatentAmplification) Finish(f *analyzer.Finding) bool {
	for i := range f.Owners {
		if o := &f.Owners[i]; o.DeclaredMax == 0 && o.PolicyMax == 0 && o.Idle > 0 {
			return false
		}
	}
	keepOne(f, f.Amplification.Latent)
	return true
}

func (r LatentAmplification) check(p *analyzer.Pass, l *logical) {
	if many, _ := l.retriers(); len(many) > 1 {
		return
	}
	path, end := l.retriers() // the one owner that retried, if any
	caps := capsOf(p, l, end)
	if len(caps) > 1 {
		for _, c := range caps {
			p.Need(analyzer.Caps, c.most > 0)
		}
	}
	d := analyzer.Diagnostic{
		Call: end.Call, Upstream: analyzer.UpstreamOf(p.Request, end), Ticks: l.class, Conf: trace.Certain,
		Attempts: size(l.class), Latent: 1,
	}
	for _, c := range path {
		d.Conf = min(d.Conf, c.Conf)
	}
	var factors []string
	for _, c := range caps {
		if c.most < 2 {
			continue
		}
		factor, declared := fmt.Sprintf("%s %d", layer(c.owner), c.most), c.most
		switch {
		case c.byPolicy:
			factor, declared = factor+" (the policy)", 0
		case c.byDefault:
			factor, declared = factor+" (its default)", 0
			d.Conf = trace.Possible
		}
		factors = append(factors, factor)
		d.Latent *= c.most
		d.Owners = append(d.Owners, analyzer.OwnerCount{Owner: c.owner, Attempts: max(c.made, 1), DeclaredMax: declared})
	}
	if len(factors) < 2 || d.Latent <= r.Max {
		return
	}
	d.Text = fmt.Sprintf("%s: %d upstream attempts for one logical request if the upstream fails; %s now",
		strings.Join(factors, " × "), d.Latent, attempts(d.Attempts))
	p.Report(d)
}

// attempts counts attempts in a text.
func attempts(n int64) string {
	if n == 1 {
		return "1 attempt"
	}
	return fmt.Sprintf("%d attempts", n)
}
