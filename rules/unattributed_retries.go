package rules

import (
	"fmt"
	"slices"

	"github.com/retryaudit/retryaudit/analyzer"
	"github.com/retryaudit/retryaudit/analyzer/trace"
)

// UnattributedRetries reports retries of which no span shows who made them.
//
// # Why it matters
//
// A proxy without tracing, a client library whose attempts share one span or a
// retry in a trace of its own leave fewer spans than attempts. The tool still
// counts them by the servers they reached, by the numbers they carry or by
// their times; yet who retried, how long it waited and what it was told stays a
// conclusion, and rules that need it fall silent. The code does not tell
// either: in the 70 retry bugs that Stoica, Sethi et al. studied, no retry went
// through an API made for it, and 45 % were queues or state machines rather
// than loops [1].
//
// # How it decides
//
// The rule looks at each call with more than one attempt, and reports those
// with attempts that left no span, those that a sender without spans made
// between a client and its several servers, and those that belong together by
// times and likeness alone.
//
// # What it needs
//
// It needs something that tells of the hidden attempts: the server spans behind
// the proxy, a number that attempts carry (http.request.resend_count,
// retry.attempt, a header such as x-stainless-retry-count), or a steady rhythm.
// Retries that leave none of these stay unseen.
//
// # When it stays silent
//
// It stays silent where each attempt has a span of its own below a caller's.
//
// # How to fix it
//
// Give the layer that the finding names a span for each attempt:
//
//   - HTTP clients: turn on their instrumentation. OpenTelemetry's conventions
//     want http.request.resend_count counted up each time a request is sent
//     again [2].
//   - Envoy: spawn_upstream_span of the connection manager's tracing, which
//     makes a span for each upstream request [3].
//   - nginx: otel_trace on (off by default) [4] shows its part of the request;
//     its tries are in the log as $upstream_status and $upstream_addr.
//   - A loop of your own: a span around it and one for each attempt, with
//     retry.owner and retry.attempt (0 is the first).
//   - Queues: carry the first run's traceparent in the job.
//
// # Sources
//
//  1. Stoica, Sethi et al., If At First You Don't Succeed, Try, Try, Again...?,
//     SOSP 2024: https://doi.org/10.1145/3694715.3695971
//  2. OpenTelemetry, Semantic conventions for HTTP spans:
//     https://opentelemetry.io/docs/specs/semconv/http/http-spans
//  3. Envoy, HTTP connection manager (proto), Tracing:
//     https://www.envoyproxy.io/docs/envoy/latest/api-v3/extensions/filters/network/http_connection_manager/v3/http_connection_manager.proto
//  4. nginx, Module ngx_otel_module:
//     https://nginx.org/en/docs/ngx_otel_module.html
type UnattributedRetries struct{}

// NewUnattributedRetries returns the rule; it has no options.
func NewUnattributedRetries() UnattributedRetries { return UnattributedRetries{} }

// About identifies the rule.
func (UnattributedRetries) About() analyzer.About {
	return analyzer.About{
		ID: "unattributed-retries", Title: "no span shows who made these retries",
		Concern: analyzer.Who, Severity: analyzer.Info, Since: "0.1",
	}
}

// Check reports each call whose retries are concluded.
func (r UnattributedRetries) Check(p *analyzer.Pass) {
	for call := range p.Request.Calls() {
		n := call.Count()
		if n < 2 || call.Retried() == 0 {
			continue
		}
		hidden := int64(0)
		for _, a := range call.Attempts {
			if len(a.Spans) == 0 {
				hidden += int64(a.Count.Min)
			}
		}
		d := analyzer.Diagnostic{Call: call, Conf: call.Conf}
		who := layer(call.Owner)
		switch {
		case hidden > 0:
			d.Text = fmt.Sprintf("%d of %s left no span of their own; numbers or totals beside them tell of them", hidden, attempts(n))
		case between(call):
			d.Text = fmt.Sprintf("%s reached their servers below one client span; the %s that made them leaves no spans", attempts(n), who)
		case call.Known == trace.Inferred:
			d.Text = fmt.Sprintf("%s belong together by their times and likeness alone", attempts(n))
		default:
			continue
		}
		p.Report(d)
	}
}

// between reports whether the attempts of a call are servers below one client
// span, so that somebody in between repeated the request.
func between(call *trace.Call) bool {
	if call.Parent == nil || len(call.Parent.Spans) == 0 {
		return false
	}
	caller := call.Parent.Spans[len(call.Parent.Spans)-1]
	return caller.Kind == trace.Client && !slices.ContainsFunc(call.Attempts, func(a *trace.Attempt) bool {
		return len(a.Spans) == 0 || a.Spans[0].Kind != trace.Server
	})
}

// Finish says what to add, and where.
func (UnattributedRetries) Finish(f *analyzer.Finding) bool {
	o := f.Owners[len(f.Owners)-1]
	where := o.Service
	if where == "" {
		where = f.Upstream.Address
	}
	if where == "" {
		where = "the sender"
	}
	switch o.Layer {
	case "proxy":
		f.Advice = fmt.Sprintf("give the proxy in front of %s a span for each attempt, or have it log its tries: "+
			"otel_trace in nginx, tracing with spawn_upstream_span in Envoy, tracing in Traefik", place(f))
	case "gateway":
		f.Advice = fmt.Sprintf("instrument the HTTP client of the gateway (%s), so that each attempt is a CLIENT span below the request's SERVER span", where)
	case "queue", "workflow":
		f.Advice = fmt.Sprintf("carry the trace context of the first run in the job of %s, or its attempt number in retry.attempt", where)
	default:
		f.Advice = fmt.Sprintf("put a span around the attempts in %s and one on each, with retry.attempt (0 is the first)", where)
	}
	return true
}

// place names what a finding's attempts hit.
func place(f *analyzer.Finding) string {
	switch {
	case f.Upstream.Service != "":
		return f.Upstream.Service
	case f.Upstream.Address != "":
		return f.Upstream.Address
	}
	return "the upstream"
}
