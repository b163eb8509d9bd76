package rules

import (
	"fmt"

	"github.com/retryaudit/retryaudit/analyzer"
	"github.com/retryaudit/retryaudit/analyzer/trace"
)

// ExcessiveAttempts reports calls that were attempted again and again.
//
// # Why it matters
//
// Each further attempt adds to the load of an upstream that is down, to the
// caller's wait and to the bill. Google's SRE book gives up after three: a
// request that was refused three times is unlikely to fare better at the fourth
// [1]. gRPC treats a maxAttempts above 5 as 5 unless the client says otherwise
// [2]. Azure's guide asks to cap retries and to stop after seconds or minutes,
// since what led to the request has probably changed [3]. A missing or broken
// cap was the cause of 13 of 70 retry bugs in the study of Stoica, Sethi et al.
// [4]; without a cap a system has, in effect, no load at which it is safe from
// a metastable failure, say Huang et al. [5]. max_per_owner is gRPC's limit;
// max_total, three attempts by each of two owners, is this tool's choice.
//
// # How it decides
//
// The rule counts the attempts of each call, fallbacks to other models or
// channels with them, since every one is a request somewhere. Where no owner
// made too many by itself, it counts what all owners together made of one
// logical request at the last hop.
//
// # What it needs
//
// It needs all attempts of a call in the input: a span for each, or a number
// that tells of those without (http.request.resend_count, retry.attempt).
// Attempts that no span shows count at the number that is sure. The coverage
// says where a library's attempts hide below one span.
//
// # When it stays silent
//
// It stays silent on polls, pages, samples and hedges, which the graph keeps
// apart from retries, and on redeliveries of different messages.
//
// # How to fix it
//
// Cap the attempts, three are a good start, and the total time of a call. These
// have no cap or a high one unless it is set:
//
//   - tenacity: stop of the retry decorator (default stop_never;
//     stop_after_attempt(1) turns retries off)
//   - backoff: max_tries and max_time of the decorator (default no limit;
//     max_tries=1 turns retries off)
//   - p-retry: retries of p-retry (default 10; 0 turns retries off)
//   - spring-ai: spring.ai.retry.max-attempts (default 10, the first included;
//     1 turns retries off)
//   - langchainjs: maxRetries of the chat model, or stopAfterAttempt of
//     withRetry around it (default 6; 0 turns retries off)
//   - sidekiq: sidekiq_options retry of the job (default 25; false turns
//     retries off)
//   - dramatiq: max_retries of the actor (default 20; 0 turns retries off)
//   - temporal: MaximumAttempts in the activity's RetryPolicy (default
//     unlimited; 1 turns retries off)
//
// A circuit breaker ends the attempts of all calls while the upstream is down:
// resilience4j's CircuitBreaker opens for 60 s at 50 % failures of at least 100
// calls by default, Polly's for 5 s at 10 % of at least 100 calls in 30 s [6].
// For a retry budget see retry-ratio; where owners multiply, see
// multiplicative-retries.
//
// # Sources
//
//  1. Beyer et al., Site Reliability Engineering, chapter 21, Handling
//     Overload: https://sre.google/sre-book/handling-overload/
//  2. gRPC proposal A6, gRPC Retry Design:
//     https://github.com/grpc/proposal/blob/master/A6-client-retries.md
//  3. Azure Architecture Center, Retry Storm antipattern:
//     https://learn.microsoft.com/en-us/azure/architecture/antipatterns/retry-storm/
//  4. Stoica, Sethi et al., If At First You Don't Succeed, Try, Try, Again...?,
//     SOSP 2024: https://doi.org/10.1145/3694715.3695971
//  5. Huang et al., Metastable Failures in the Wild, OSDI 2022:
//     https://www.usenix.org/conference/osdi22/presentation/huang-lexiang
//  6. resilience4j (2026-05), CircuitBreakerConfig.java:
//     https://github.com/resilience4j/resilience4j; Polly (2026-08),
//     CircuitBreakerConstants.cs: https://github.com/App-vNext/Polly
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
			Call: call, Conf: call.Conf, Wasted: p.WasteOf(call.Attempts),
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
	if size(class) <= r.MaxTotal {
		return
	}
	l := newLogical(class)
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
