package rules

import (
	"fmt"
	"time"

	"github.com/retryaudit/retryaudit/analyzer"
	"github.com/retryaudit/retryaudit/analyzer/trace"
)

// NonRetryableRetried reports retries of an error that no retry can heal.
//
// # Why it matters
//
// A wrong key stays wrong, a malformed request stays malformed: a 401, 403,
// 404, 400, 413 or a refusal by a content filter gets the same answer every
// time, at the cost of the callee's capacity and of the caller's deadline. RFC
// 9110 says that a client should not automatically repeat a forbidden request
// with the same credentials (15.5.4), nor retry what is not idempotent unless
// it knows that the first was never applied (9.2.2) [1]. Google's SRE book
// tells clients not to retry permanent errors and malformed requests, since
// neither will ever succeed [2]. Of 70 retry bugs that Stoica, Sethi et al.
// studied, 9 retried what cannot heal; often one exception class held both
// kinds of error [3].
//
// # How it decides
//
// The class of an error comes from the provider's own code where the spans hold
// one, else from the status. The rule looks at each attempt that was refused
// for good and at the attempt that followed in the same call. It also reports
// an attempt after a success that its caller had seen, where the attempt's own
// number says that it was a retry. An error that healed at once is reported as
// possible only: the provider may have meant something else.
//
// # What it needs
//
// It needs http.response.status_code, and error.type or the exception, on the
// span of each failed attempt; the coverage counts retries after a failure
// whose reason is unknown. A size or a hash of the input (tokens, body) tells a
// changed request from the same.
//
// # When it stays silent
//
// It stays silent where the next attempt went to another model or provider,
// where an authentication challenge or an expired token was answered by the
// next attempt, where the caller changed the request, where something not found
// was waited for and came, and on errors of quota, which quota-retried reports.
//
// # How to fix it
//
// Retry only the codes that the callee documents as transient. The OpenAI and
// Anthropic SDKs do so by themselves (408, 409, 429 and 5xx) [4]; a loop around
// them must be told:
//
//   - p-retry: throw AbortError, or return false from shouldRetry, which says
//     yes to everything by default [5]
//   - tenacity: retry=retry_if_exception(…) with a test of the status; the
//     default is any exception [6]
//   - gRPC: retryableStatusCodes of the retryPolicy, which has no default and
//     may not be empty; UNAVAILABLE is the proposal's example [7]
//   - Spring AI: leave spring.ai.retry.on-client-errors at false, its default
//     [8]
//   - Portkey: retry.on_status_codes (429, 500, 502, 503 and 504 by default)
//     [9]
//   - HAProxy: retry-on, conn-failure by default; all-retryable-errors adds no
//     4xx, single codes such as 401, 403 and 404 do [10]
//
// # Sources
//
//  1. RFC 9110, HTTP Semantics: https://www.rfc-editor.org/rfc/rfc9110
//  2. Beyer et al., Site Reliability Engineering, chapter 22, Addressing
//     Cascading Failures:
//     https://sre.google/sre-book/addressing-cascading-failures/
//  3. Stoica, Sethi et al., If At First You Don't Succeed, Try, Try, Again...?,
//     SOSP 2024: https://doi.org/10.1145/3694715.3695971
//  4. openai-python 3.3.1 and anthropic-sdk-python 0.121.0, _base_client.py:
//     https://github.com/openai/openai-python,
//     https://github.com/anthropics/anthropic-sdk-python
//  5. p-retry 7.1.1, index.js: https://github.com/sindresorhus/p-retry
//  6. tenacity (2026-07), tenacity/__init__.py, retry.py:
//     https://github.com/jd/tenacity
//  7. gRPC proposal A6, gRPC Retry Design:
//     https://github.com/grpc/proposal/blob/master/A6-client-retries.md
//  8. Spring AI (2026-08), SpringAiRetryProperties.java:
//     https://github.com/spring-projects/spring-ai
//  9. Portkey gateway (2026-05), src/globals.ts,
//     src/handlers/services/requestContext.ts:
//     https://github.com/Portkey-AI/gateway
//  10. HAProxy (2026-08), doc/configuration.txt, retry-on:
//     https://github.com/haproxy/haproxy
type NonRetryableRetried struct {
	// Allow is how many such retries one call may make.
	Allow int `yaml:"allow"`
}

// NewNonRetryableRetried returns the rule with its default options.
func NewNonRetryableRetried() NonRetryableRetried { return NonRetryableRetried{Allow: 0} }

// About identifies the rule.
func (NonRetryableRetried) About() analyzer.About {
	return analyzer.About{
		ID: "non-retryable-retried", Title: "an error that cannot heal is retried",
		Concern: analyzer.If, Severity: analyzer.Error, Since: "0.1",
	}
}

// Check reports each call with more than Allow such retries.
func (r NonRetryableRetried) Check(p *analyzer.Pass) {
	for call := range p.Request.Calls() {
		checkStopped(p, call, r.Allow, func(prev *trace.Attempt) bool {
			return prev.Verdict == trace.Stop && prev.Class != trace.Quota || answered(prev)
		})
	}
}

// answered reports whether an attempt had brought its caller an answer. A
// server's own word is no proof that the answer arrived.
func answered(a *trace.Attempt) bool {
	if a.Outcome != trace.OK || a.Call.Known != trace.Declared || a.Call.Conf < trace.Certain || len(a.Spans) == 0 {
		return false
	}
	s := a.Spans[0]
	return s.Kind != trace.Server && s.Kind != trace.Consumer && !s.Flags.Has(trace.Ghost) && s.Outcome == trace.OK
}

// checkStopped reports a call whose attempts went on after more than allow
// attempts that stopped accepts, at the same upstream with the same request.
func checkStopped(p *analyzer.Pass, call *trace.Call, allow int, stopped func(*trace.Attempt) bool) {
	var cause, again *trace.Attempt
	count := 0
	var wasted []*trace.Attempt
	for prev, retry := range call.Retries() {
		if retry.Failed() && retry.Class != trace.NoError {
			p.Need(analyzer.FailureReason, prev.Class != trace.UnknownError || !prev.Failed())
		}
		if !stopped(prev) || retry.Fallback || changed(p, prev, retry) {
			continue
		}
		if count++; count > allow && cause == nil {
			cause, again = prev, retry
		}
		wasted = append(wasted, retry)
	}
	if cause == nil {
		return
	}
	last := call.Attempts[len(call.Attempts)-1]
	if cause.Class == trace.NotFound && !last.Failed() {
		return // it was waited for, and it came
	}
	conf := min(call.Conf, cause.ClassConf)
	switch {
	case !cause.Failed():
		conf = min(call.Conf, trace.Likely)
	case count == 1 && !again.Failed(), mayDiffer(p, cause, again), cause.Class == trace.NotFound && steady(call):
		conf = trace.Possible
	}
	times := fmt.Sprintf("%d times", count)
	if count == 1 {
		times = "once"
	}
	text := fmt.Sprintf("retried %s after %s; no retry can change that answer", times, reason(p, cause))
	if !cause.Failed() {
		text = fmt.Sprintf("retried %s after an attempt that had succeeded", times)
	}
	p.Report(analyzer.Diagnostic{
		Call: call, Cause: cause, Retry: again, Conf: conf, Text: text,
		Wasted: p.WasteOf(append([]*trace.Attempt{cause}, wasted...)),
	})
}

// reason says why an attempt failed, in the callee's words where it gave any.
func reason(p *analyzer.Pass, a *trace.Attempt) string {
	code := p.Text(a.Code)
	switch status := fmt.Sprint(a.Status); {
	case a.Status != 0 && code != "" && code != status:
		return fmt.Sprintf("%s %s (%s)", status, code, a.Class)
	case a.Status != 0:
		return fmt.Sprintf("%s (%s)", status, a.Class)
	case code != "" && code != a.Class.String():
		return fmt.Sprintf("%s (%s)", code, a.Class)
	}
	return a.Class.String()
}

// changed reports whether the caller changed the request between two attempts
// so that another answer is possible. One that only grew cannot help where it
// was too large before.
func changed(p *analyzer.Pass, prev, retry *trace.Attempt) bool {
	switch prev.Class {
	case trace.Invalid, trace.Safety, trace.TooLarge, trace.Unsupported:
	default:
		return false // a key or a permission does not depend on the input
	}
	was, is := input(p, prev), input(p, retry)
	if is.size > 0 && is.size < was.size {
		return true
	}
	return was.hash != 0 && is.hash != 0 && was.hash != is.hash && prev.Class != trace.TooLarge
}

// atOnce is the longest pause after which a caller that asked for one thing may
// have gone on to the next: a list of lookups, or of documents. A retry mostly
// waits longer.
const atOnce = 50 * time.Millisecond

// mayDiffer reports whether two attempts may have asked for two things, as far
// as is known: the answer depends on what is asked, nothing says that it was
// the same, and nothing was waited for in between.
func mayDiffer(p *analyzer.Pass, prev, retry *trace.Attempt) bool {
	switch prev.Class {
	case trace.Invalid, trace.Safety, trace.TooLarge, trace.Unsupported, trace.NotFound, trace.Permission, trace.Conflict:
	default:
		return false
	}
	if retry.Wait.Known == 0 || retry.Wait.D >= atOnce || retry.Known == trace.Declared && retry.Call.Known == trace.Declared {
		return false
	}
	return !sameInput(p, prev, retry)
}

// sameInput reports whether two attempts are known to have asked the same: by
// hashes of what they sent, or since a request without a body is its path.
func sameInput(p *analyzer.Pass, a, b *trace.Attempt) bool {
	x, y := input(p, a).hash, input(p, b).hash
	if x != 0 && x == y {
		return true
	}
	for _, s := range a.Spans {
		if s.ArgsHash != 0 || s.Flags.Has(trace.ReadOnly) && a.Status != 0 {
			return true // the call compares these
		}
	}
	return false
}

// steady reports whether a call was repeated at one pace, as what waits for
// something to come into being does.
func steady(call *trace.Call) bool {
	const least, slack = 3, 1.2
	var low, high time.Duration
	n := 0
	for _, a := range call.Attempts[1:] {
		if a.Wait.Known == 0 || len(a.Spans) == 0 || !a.Spans[0].Flags.Has(trace.ReadOnly) {
			return false
		}
		if n++; n == 1 || a.Wait.D < low {
			low = a.Wait.D
		}
		high = max(high, a.Wait.D)
	}
	return n >= least && low >= atOnce && float64(high) <= slack*float64(low)
}

type inputOf struct {
	hash uint64
	size int64
}

// input reads what the spans of an attempt tell of its input.
func input(p *analyzer.Pass, a *trace.Attempt) inputOf {
	var in inputOf
	for _, s := range a.Spans {
		f := p.Request.Store.FactsOf(s)
		if f == nil {
			continue
		}
		if in.hash == 0 {
			in.hash = f.InputHash
		}
		if in.size == 0 {
			in.size = max(f.InTokens, f.Bytes, 0)
		}
	}
	return in
}
