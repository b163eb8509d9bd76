package rules

import (
	"fmt"
	"strings"

	"github.com/retryaudit/retryaudit/analyzer"
	"github.com/retryaudit/retryaudit/analyzer/trace"
)

// LatentAmplification reports paths whose caps multiply, before an outage shows it.
//
// Three attempts in the agent, three in the SDK and three in the gateway cost
// nothing while all goes well, and become 27 requests for one on the day the
// upstream fails: the amplification is in the configuration already. The AWS
// Builders' Library (Timeouts, retries and backoff with jitter) counts 243 for
// five layers of three attempts each.
//
// The rule multiplies, along the way of each logical request, how many attempts
// each owner may make: what a setting on a span declares (ai.settings.maxRetries,
// the max of amz-sdk-request, the attempts of a BullMQ job, retry.max_attempts,
// the policy file), or what was seen where it was more. Where nothing is
// declared and the library is recognised, its documented default stands in, at
// most once in each service, since a library that wraps another mostly turns its
// retries off; then the finding is no more than possible.
//
// It stays silent where owners did multiply, which multiplicative-retries
// reports, where at most one owner may make more than one attempt, and where
// the caps of the others are unknown.
//
// To fix it, decide which owner retries and set the others to one attempt; the
// finding names the setting of each.
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
		if o := &f.Owners[i]; o.DeclaredMax == 0 && o.Idle > 0 {
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
		Attempts: l.attempts(), Latent: 1,
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
		if c.byDefault {
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
