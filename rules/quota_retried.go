package rules

import (
	"github.com/retryaudit/retryaudit/analyzer"
	"github.com/retryaudit/retryaudit/analyzer/trace"
)

// QuotaRetried reports retries after a quota was used up.
//
// # Why it matters
//
// A 429 may mean two things: too fast, which a pause heals, or nothing left,
// which only a payment or the next month does. RFC 6585 defines the first alone
// [1]. OpenAI answers 429 for both, says the second in error.code
// (credit_balance_exhausted, a spend or usage limit; error.type may be
// insufficient_quota), and says that retrying these does not restore access
// [2]. Anthropic answers 429 with the error code enforced_spend_limit_reached
// where a monthly cap is reached [4], and 400 for a spend limit that you set
// [3]. SDKs look at the status: those of OpenAI and Anthropic retry every 429
// unless the answer carries x-should-retry: false [5].
//
// # How it decides
//
// The rule looks at each attempt that was refused for quota and at the attempt
// that followed in the same call. Where only an outer span holds the provider's
// code, it counts for the last attempt below and for those of the same status.
//
// # What it needs
//
// It needs the provider's own code: in error.type, in the exception's message,
// or in the span's status. The status alone does not tell; the coverage says
// how many retried 429s had no code.
//
// # When it stays silent
//
// It stays silent on bare 429s, which are taken for a rate limit, and where the
// next attempt went to another model or provider.
//
// # How to fix it
//
// Stop on the provider's code, before the SDK's retries:
//
//   - OpenAI's and Anthropic's SDKs obey x-should-retry [5]. Have a hook of
//     their HTTP client (event_hooks of httpx, the fetch option in Node.js) set
//     it to false where the body's code is one of quota. To throw there does
//     not help: the OpenAI clients take a foreign exception for a failed
//     connection and retry it.
//   - Or set max_retries (maxRetries) to 0, default 2, and retry by code in a
//     loop of your own.
//   - In a gateway, send the request to another provider instead of sending it
//     again; Portkey's retries look at the status alone, so take 429 out of
//     retry.on_status_codes (429, 500, 502, 503 and 504 by default) where
//     quotas run out [6].
//   - Tell those who can pay or raise the limit; no setting of retries can.
//
// # Sources
//
//  1. RFC 6585, Additional HTTP Status Codes:
//     https://www.rfc-editor.org/rfc/rfc6585
//  2. OpenAI Help Center, Troubleshooting API rate limits and 429 errors:
//     https://help.openai.com/en/articles/5955604-troubleshooting-api-rate-limits-and-429-errors
//  3. Claude Platform Docs, Claude API errors:
//     https://platform.claude.com/docs/en/api/errors
//  4. Claude Platform Docs, Handle errors:
//     https://platform.claude.com/docs/en/api/handle-errors
//  5. openai-python 3.3.1 src/openai/_base_client.py, openai-node 6.49.0
//     src/client.ts, anthropic-sdk-python 0.121.0
//     src/anthropic/_base_client.py: https://github.com/openai/openai-python,
//     https://github.com/openai/openai-node,
//     https://github.com/anthropics/anthropic-sdk-python
//  6. Portkey gateway (2026-05), src/globals.ts,
//     src/handlers/services/requestContext.ts:
//     https://github.com/Portkey-AI/gateway
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
