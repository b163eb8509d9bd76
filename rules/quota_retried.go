package rules

import (
	"github.com/retryaudit/retryaudit/analyzer"
	"github.com/retryaudit/retryaudit/analyzer/trace"
)

// QuotaRetried reports retries after a quota was used up.
//
// A 429 may mean two things: too fast, which a pause heals, or nothing left,
// which only a payment or the next day does. The second comes as
// insufficient_quota, a spend limit, a daily allowance or a 402, and SDKs that
// look at the status alone retry it like the first: the OpenAI and Anthropic
// SDKs do unless the answer carries x-should-retry: false.
//
// The rule looks at each attempt that was refused for quota and at the attempt
// that followed in the same call. Where only an outer span holds the
// provider's code, it counts for the last attempt below and for those of the
// same status.
//
// It stays silent on bare 429s, which are taken for a rate limit (the coverage
// says how many there were), and where the next attempt went to another model or
// provider.
//
// To fix it, stop on the provider's code before the SDK's retries: raise a
// non-retryable error in a response hook, or set maxRetries: 0 and retry
// yourself by code. In a gateway, send the request to another provider.
type QuotaRetried struct {
	// Allow is how many such retries one call may make.
	Allow int `yaml:"allow"`
}

// NewQuotaRetried returns the rule with its default options.
func NewQuotaRetried() QuotaRetried { return QuotaRetried{Allow: 0} }

// About identifies the rule.
func (QuotaRetried) About() analyzer.About {
	return analyzer.About{
		ID: "quota-retried", Title: "a used-up quota is retried as if it were a rate limit",
		Concern: analyzer.If, Severity: analyzer.Error, Since: "0.1",
	}
}

// Check reports each call with more than Allow such retries.
func (r QuotaRetried) Check(p *analyzer.Pass) {
	for call := range p.Request.Calls() {
		for prev := range call.Retries() {
			if prev.Status == 429 {
				p.Need(analyzer.ProviderCode, prev.ClassConf == trace.Certain)
			}
		}
		checkStopped(p, call, r.Allow, func(prev *trace.Attempt) bool {
			return prev.Failed() && prev.Class == trace.Quota && prev.Verdict == trace.Stop
		})
	}
}
