package rules

import (
	"fmt"
	"iter"

	"github.com/retryaudit/retryaudit/analyzer"
	"github.com/retryaudit/retryaudit/analyzer/trace"
)

// ThrottleRatio reports upstreams that throttle a large share of the attempts.
//
// # Why it matters
//
// A 429 now and then is how a rate limit works [1]. Where one attempt in twenty
// is refused, the callers ask for more than they may have, and waiting and
// asking again only moves the work; where it is one in five, retries fill a
// good part of what the limit leaves. OpenAI counts refused requests against
// the limit of the minute, so that sending again and again keeps it shut [2].
// Anthropic may hold 60 requests a minute to one a second, which a burst passes
// though the minute does not [3]. Google's SRE book has clients throttle
// themselves once many of their requests are refused [4]. The limits of 5 % and
// 20 % are this tool's choice, not a standard's.
//
// # How it decides
//
// The rule counts, for each upstream and over all of the input, the attempts at
// the last hop and those that were throttled: rate limits and limits of
// concurrency. A used-up quota and an overload of the upstream are none of
// these.
//
// # What it needs
//
// It needs all requests of a period, the healthy ones too, and the reason of
// each failure: http.response.status_code, and the provider's code in
// error.type or in the exception, which tells a rate limit from a quota.
//
// # When it stays silent
//
// It stays silent below min_attempts. Where every request failed, or none that
// succeeded was exported, a finding is no more than possible.
//
// # How to fix it
//
// Limit at the entry instead of at the upstream:
//
//   - Bound the requests in flight: a semaphore, a worker pool, p-limit, the
//     queue's concurrency.
//   - Pace them a little below the limit: a token bucket, resilience4j's
//     RateLimiter (limitForPeriod 50 in each limitRefreshPeriod of 500 ns by
//     default, so set both) [5], or by what x-ratelimit-remaining-requests and
//     -tokens say is left.
//   - For AWS, AWS_RETRY_MODE=adaptive slows the client down when it is
//     throttled; the default mode does not [6].
//   - Spread batch work over time, or ask for a higher limit.
//
// # Sources
//
//  1. RFC 6585, Additional HTTP Status Codes:
//     https://www.rfc-editor.org/rfc/rfc6585
//  2. OpenAI API docs, Rate limits:
//     https://developers.openai.com/api/docs/guides/rate-limits
//  3. Claude Platform Docs, Rate limits:
//     https://platform.claude.com/docs/en/api/rate-limits
//  4. Beyer et al., Site Reliability Engineering, chapter 21, Handling
//     Overload: https://sre.google/sre-book/handling-overload/
//  5. resilience4j (2026-05), RateLimiterConfig.java:
//     https://github.com/resilience4j/resilience4j
//  6. botocore 1.43.67, retries/adaptive.py, configprovider.py:
//     https://github.com/boto/botocore
type ThrottleRatio struct {
	// Warn is the share of throttled attempts above which the rule warns.
	Warn float64 `yaml:"warn"`
	// Fail is the share above which the finding is an error.
	Fail float64 `yaml:"fail"`
	// MinAttempts is how many attempts an upstream needs to be judged.
	MinAttempts int64 `yaml:"min_attempts"`
}

// NewThrottleRatio returns the rule with its default options.
func NewThrottleRatio() ThrottleRatio { return ThrottleRatio{Warn: 0.05, Fail: 0.2, MinAttempts: 50} }

// Validate demands shares.
func (r ThrottleRatio) Validate() error {
	return shares(portion{"warn", r.Warn}, portion{"fail", r.Fail})
}

// About identifies the rule.
func (ThrottleRatio) About() analyzer.About {
	return analyzer.About{
		ID: "throttle-ratio", Title: "a large share of the attempts is throttled",
		Concern: analyzer.If, Severity: analyzer.Warning, Since: "0.1",
	}
}

// Finish says where to limit.
func (ThrottleRatio) Finish(f *analyzer.Finding) bool {
	f.Advice = fmt.Sprintf("send %s less at a time: bound the requests in flight where they enter, or pace them by its rate-limit headers; "+
		"retries only bring the same load later", place(f))
	return true
}

// Lanes of a cell.
const (
	laneAll       = 0
	laneThrottled = 1 // + confidence of the class − 1
)

// Observe adds the attempts at each upstream.
func (r ThrottleRatio) Observe(p *analyzer.Pass) {
	for _, class := range p.Request.Logical {
		p.Need(analyzer.AllRequests, !p.Request.Sampled)
		for _, a := range class {
			up := analyzer.UpstreamOf(p.Request, a)
			up.Model = 0
			cell, n := p.Cell(up), int64(a.Count.Min)
			p.Add(cell, a.Start, laneAll, n, nil)
			if a.Failed() {
				p.Need(analyzer.FailureReason, a.Class != trace.UnknownError)
			}
			if a.Class.Throttled() {
				p.Add(cell, a.Start, laneThrottled+uint32(max(a.ClassConf, trace.Possible))-1, n, a)
			}
		}
	}
}

// Judge compares the sums of all windows.
func (r ThrottleRatio) Judge(_ analyzer.Cell, windows iter.Seq2[int64, *analyzer.Sums], p *analyzer.Judging) {
	var attempts int64
	var throttled [trace.Certain]int64
	var worst []analyzer.Case
	for _, s := range windows {
		attempts += s.Lanes[laneAll]
		for i := range throttled {
			throttled[i] += s.Lanes[laneThrottled+uint32(i)]
		}
		if len(s.Worst) > 0 && (len(worst) == 0 || s.Worst[0].Attempts > worst[0].Attempts) {
			worst = s.Worst
		}
	}
	p.Enough(attempts >= r.MinAttempts)
	if attempts < r.MinAttempts {
		return
	}
	oneSided := p.Stats.Requests >= enoughRequests && p.Stats.FailedRequests == p.Stats.Requests
	if p.Stats.Requests >= enoughRequests {
		p.Need(analyzer.Healthy, !oneSided)
	}
	sum := int64(0)
	for conf := trace.Certain; conf >= trace.Possible; conf-- {
		sum += throttled[conf-1]
		ratio := float64(sum) / float64(attempts)
		if ratio <= r.Warn {
			continue
		}
		total := int64(0)
		for _, n := range throttled {
			total += n
		}
		level, limit := analyzer.Warning, r.Warn
		if ratio > r.Fail {
			level, limit = analyzer.Error, r.Fail
		}
		if oneSided {
			conf = trace.Possible
		}
		if conf == trace.Possible {
			level = min(level, analyzer.Warning)
		}
		p.Report(analyzer.Conclusion{
			Level: level, Conf: conf, Attempts: worst[0].Attempts, Occurrences: total, Worst: worst,
			Text: fmt.Sprintf("%d of %d attempts were throttled (%.0f %%, over %.0f %%)", total, attempts, 100*float64(total)/float64(attempts), 100*limit),
		})
		return
	}
}
