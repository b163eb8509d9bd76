package rules

import (
	"fmt"
	"hash/fnv"
	"iter"

	"gonum.org/v1/gonum/mathext"

	"github.com/retryaudit/retryaudit/analyzer"
	"github.com/retryaudit/retryaudit/analyzer/trace"
)

// RetryRatio reports upstreams where retries are a large share of the traffic.
//
// # Why it matters
//
// A cap on the attempts of each call does not bound what all callers do
// together: when the upstream fails for everybody, three attempts each triple
// its load at the worst moment. Google's SRE book therefore lets a client retry
// only while retries are less than 10 % of its requests, which by its reckoning
// lets the load grow to 1.1 times instead of almost 3 [1]; the next chapter
// suggests a budget for each process, of 60 retries a minute, say [2]. Envoy's
// retry budget is 20 % of the active requests by default [3]. These two shares
// are the defaults of max_per_client and max. Retries sustained more than half
// of the 22 metastable outages that Huang et al. studied [4].
//
// # How it decides
//
// The rule adds up, by upstream and minute, the attempts and those of them that
// were retries, for each service that decides on retries and for all together.
// A minute counts if it has at least min_attempts. Retries come in bundles, one
// call's after another, so both numbers are divided by the retries per retried
// call before their chance is computed: the probability p that a system which
// retries half the limit would show so many in one of the minutes looked at.
// The finding names the minute with the smallest p. It is a warning: a short
// outage of an upstream makes any client with a sound policy pass the limit.
//
// # What it needs
//
// It needs all requests of a period, the healthy ones too: of a sample the
// shares may be wrong, and a tail sampler that keeps errors alone hides what
// the ratio is a ratio of. A span for each attempt at the upstream, and
// service.name, which tells the clients apart.
//
// # When it stays silent
//
// It stays silent on fewer attempts, on fallbacks to other models, and on polls
// and hedges. Where every request failed, or none that succeeded was exported,
// a finding is no more than possible.
//
// # How to fix it
//
// Cap attempts at two or three and add a retry budget, which stops retries when
// most of them fail:
//
//   - Envoy: retry_budget in the cluster's circuit breakers (where it is set,
//     budget_percent is 20 % and min_retry_concurrency 3 by default; without
//     it, max_retries allows 3 retries at a time) [3]
//   - gRPC: retryThrottling in the service config (none by default; the
//     proposal's example of maxTokens 10 and tokenRatio 0.1 stops retries
//     beyond about one failure in ten successes) [5]
//   - botocore: retry mode standard (AWS_RETRY_MODE; the default is legacy), in
//     which a client has 500 tokens for retries, 5 for each and 10 after a
//     timeout [6]
//   - Linkerd: retryBudget of a ServiceProfile (retryRatio,
//     minRetriesPerSecond, ttl) [7]
//   - elsewhere a token bucket around the loop: each retry takes a token, each
//     success gives back a tenth of one
//
// # Sources
//
//  1. Beyer et al., Site Reliability Engineering, chapter 21, Handling
//     Overload: https://sre.google/sre-book/handling-overload/
//  2. Beyer et al., Site Reliability Engineering, chapter 22, Addressing
//     Cascading Failures:
//     https://sre.google/sre-book/addressing-cascading-failures/
//  3. Envoy, Circuit breakers (proto):
//     https://www.envoyproxy.io/docs/envoy/v1.39.0/api-v3/config/cluster/v3/circuit_breaker.proto
//  4. Huang et al., Metastable Failures in the Wild, OSDI 2022:
//     https://www.usenix.org/conference/osdi22/presentation/huang-lexiang
//  5. gRPC proposal A6, gRPC Retry Design:
//     https://github.com/grpc/proposal/blob/master/A6-client-retries.md
//  6. botocore 1.43.67, retries/standard.py, retries/quota.py,
//     configprovider.py: https://github.com/boto/botocore
//  7. Linkerd, Service Profiles:
//     https://linkerd.io/2-edge/reference/service-profiles/
type RetryRatio struct {
	// Max is the largest share of retries among the attempts at an upstream.
	Max float64 `yaml:"max"`
	// MaxPerClient is the same for the attempts behind one service.
	MaxPerClient float64 `yaml:"max_per_client"`
	// MinAttempts is how many attempts a minute needs to be judged.
	MinAttempts int64 `yaml:"min_attempts"`
	// Alpha is the largest probability by chance, over all minutes.
	Alpha float64 `yaml:"alpha"`
}

// NewRetryRatio returns the rule with its default options.
func NewRetryRatio() RetryRatio {
	return RetryRatio{Max: 0.2, MaxPerClient: 0.1, MinAttempts: 50, Alpha: 0.001}
}

// Validate demands shares and a probability.
func (r RetryRatio) Validate() error {
	return shares(portion{"max", r.Max}, portion{"max_per_client", r.MaxPerClient}, portion{"alpha", r.Alpha})
}

// About identifies the rule.
func (RetryRatio) About() analyzer.About {
	return analyzer.About{
		ID: "retry-ratio", Title: "retries are a large share of the traffic at an upstream",
		Concern: analyzer.Who, Severity: analyzer.Warning, Since: "0.1",
	}
}

// Finish says what bounds the share.
func (RetryRatio) Finish(f *analyzer.Finding) bool {
	f.Advice = fmt.Sprintf("bound the retries at %s together, not only those of each call: a retry budget of a tenth of the requests", place(f))
	return true
}

// Lanes of a cell. Retries and retried calls follow by confidence. In the cell
// of all clients the same stand for each client from laneClient on.
const (
	laneAttempts = 0
	laneRetries  = 1 // + confidence − 1
	laneRetried  = 4 // + confidence − 1
	laneClient   = 1 << 31
	clientLanes  = 8
)

// Observe adds the attempts of each logical request at its upstream.
func (r RetryRatio) Observe(p *analyzer.Pass) {
	for _, class := range p.Request.Logical {
		p.Need(analyzer.AllRequests, !p.Request.Sampled)
		r.observe(p, newLogical(class))
	}
}

func (r RetryRatio) observe(p *analyzer.Pass, l *logical) {
	clients := map[trace.Sym]bool{} // services on the way
	path, _ := l.path(func(c *trace.Call) bool { return c.Owner.Service != 0 })
	for _, c := range path {
		clients[c.Owner.Service] = true
	}
	again := map[trace.Sym]bool{} // services that have retried
	for i, a := range l.class {
		up, n := analyzer.UpstreamOf(p.Request, a), int64(a.Count.Min)
		up.Model = 0
		all := p.Cell(up)
		p.Add(all, a.Start, laneAttempts, n, nil)
		for service := range clients {
			p.Add(p.Cell(up, client(service)), a.Start, laneAttempts, n, nil)
			p.Add(all, a.Start, clientLane(p, service)+laneAttempts, n, nil)
		}
		by, retries := l.by[i], n
		if by == nil {
			by, retries = a, n-1
		}
		if retries <= 0 || a.Fallback {
			continue
		}
		conf := uint32(max(by.Call.Conf, trace.Possible)) - 1
		p.Add(all, a.Start, laneRetries+conf, retries, nil)
		if len(again) == 0 {
			p.Add(all, a.Start, laneRetried+conf, 1, by)
		}
		service := by.Call.Owner.Service
		if !clients[service] {
			service = 0
		}
		if service != 0 {
			cell, lane := p.Cell(up, client(service)), clientLane(p, service)
			p.Add(cell, a.Start, laneRetries+conf, retries, nil)
			p.Add(all, a.Start, lane+laneRetries+conf, retries, nil)
			if !again[service] {
				p.Add(cell, a.Start, laneRetried+conf, 1, by)
				p.Add(all, a.Start, lane+laneRetried+conf, 1, nil)
			}
		}
		again[service] = true
	}
}

// client names a service whatever layer of it retries: attempts that go well at
// once do not tell who would have retried them.
func client(service trace.Sym) trace.Owner { return trace.Owner{Service: service} }

// clientLane returns the first lane of a client in the cell of all.
func clientLane(p *analyzer.Pass, service trace.Sym) uint32 {
	h := fnv.New32a()
	h.Write([]byte(p.Text(service)))
	return laneClient | h.Sum32()&^(laneClient|(clientLanes-1))
}

// Judge reports the minute that chance explains least.
func (r RetryRatio) Judge(c analyzer.Cell, windows iter.Seq2[int64, *analyzer.Sums], p *analyzer.Judging) {
	limit, whose := r.MaxPerClient, "one client"
	if len(c.Owners) == 0 {
		limit, whose = r.Max, "all clients of an upstream"
	}
	minutes := int64(0)
	for _, s := range windows {
		if s.Lanes[laneAttempts] >= r.MinAttempts {
			minutes++
		}
	}
	p.Enough(minutes > 0)
	if minutes == 0 {
		return
	}
	if p.Stats.Requests >= enoughRequests {
		p.Need(analyzer.Healthy, p.Stats.FailedRequests < p.Stats.Requests)
	}
	for conf := trace.Certain; conf >= trace.Possible; conf-- {
		best, count := share{p: 1}, int64(0)
		for _, s := range windows {
			x := r.share(s, 0, conf, limit, minutes)
			if x.p >= r.Alpha {
				continue
			}
			if len(c.Owners) == 0 && r.oneAlone(s, conf, minutes) {
				continue // the finding of that client says it
			}
			count++
			if best.worst == nil || x.p < best.p {
				best = x
			}
		}
		if count == 0 {
			continue
		}
		if p.Stats.Requests >= enoughRequests && p.Stats.FailedRequests == p.Stats.Requests {
			conf = trace.Possible
		}
		out := analyzer.Conclusion{
			Conf: conf, Occurrences: count, Probability: best.p, Worst: best.worst,
			Text: fmt.Sprintf("%d of %d attempts within one minute were retries (%.0f %%); %s should stay below %.0f %%",
				best.retries, best.attempts, 100*best.ratio(), whose, 100*limit),
		}
		if len(best.worst) > 0 {
			out.Attempts = best.worst[0].Attempts
		}
		p.Report(out)
		return
	}
}

// enoughRequests is how many requests must have failed, and none succeeded,
// before that looks like a choice of the sampler's.
const enoughRequests = 20

// share is the retries among the attempts of one minute.
type share struct {
	attempts, retries int64
	p                 float64
	worst             []analyzer.Case
}

func (s share) ratio() float64 { return float64(s.retries) / float64(s.attempts) }

// share computes how unlikely the retries of a minute are, counting those of at
// least the confidence; p is 1 where they are below the limit. Of the client
// whose lanes begin at base.
func (r RetryRatio) share(s *analyzer.Sums, base uint32, conf trace.Confidence, limit float64, minutes int64) share {
	x := share{attempts: s.Lanes[base+laneAttempts], p: 1, worst: s.Worst}
	retried := int64(0)
	for c := conf; c <= trace.Certain; c++ {
		x.retries += s.Lanes[base+laneRetries+uint32(c)-1]
		retried += s.Lanes[base+laneRetried+uint32(c)-1]
	}
	if x.attempts < r.MinAttempts || x.ratio() <= limit {
		return x
	}
	bundle := float64(x.retries) / float64(max(retried, 1))
	n, k := float64(x.attempts)/bundle, float64(x.retries)/bundle
	// P(Bin(n, limit/2) ≥ k), for n that need not be whole; of all minutes.
	x.p = min(1, mathext.RegIncBeta(k, n-k+1, limit/2)*float64(minutes))
	return x
}

// oneAlone reports whether the retries of one client alone are too many.
func (r RetryRatio) oneAlone(s *analyzer.Sums, conf trace.Confidence, minutes int64) bool {
	for lane := range s.Lanes {
		if lane >= laneClient && lane%clientLanes == laneAttempts && r.share(s, lane, conf, r.MaxPerClient, minutes).p < r.Alpha {
			return true
		}
	}
	return false
}
