package semconv

import (
	"strings"

	"github.com/retryaudit/retryaudit/analyzer/trace"
	"github.com/retryaudit/retryaudit/ingest/record"
)

// A counterRow says what the number under a name counts: attributes.md 0.1.
type counterRow struct {
	key     string
	at      place
	on      kinds
	under   string
	meaning trace.Meaning // 0: the number is only a limit
	// first is the number of the first attempt, for a total the number that
	// stands for none made: retries count from 0 where attempts count from 1.
	first   int32
	resends bool // counts redirects and challenges, too
	// received says that a server got the number from its caller; that a
	// request header holds it says the same.
	received bool
	limit    limitOf
}

// limitOf says what a number limits.
type limitOf uint8

const (
	attemptLimit limitOf = iota + 1 // the number of attempts
	retryLimit                      // the number of retries, one less
)

// counters stand in the order in which they are believed where a span has
// several: what a layer says of its own attempts, then headers of the layers
// from the callee's side outwards, then resends, then totals.
var counters = []counterRow{
	{key: "retry.attempt", under: "agentgateway", on: server, meaning: trace.Total, first: -1},             // agentgateway telemetry/log.rs: the last retry, on the span over all
	{key: "retry.attempt", meaning: trace.Ordinal},                                                         // the published convention
	{key: "previous-rpc-attempts", on: server, meaning: trace.Ordinal, received: true},                     // gRPC A72, Recv spans
	{key: "previous-rpc-attempts", meaning: trace.Ordinal},                                                 // gRPC A72, Attempt spans
	{key: "bifrost.retries", meaning: trace.Ordinal},                                                       // bifrost core/schemas/trace.go
	{key: "gen_ai.number_of_retries", meaning: trace.Ordinal},                                              // bifrost
	{key: "retry.count", meaning: trace.Ordinal},                                                           // Envoy (string), bifrost
	{key: "try_count", meaning: trace.Ordinal, first: 1},                                                   // Kong tracing/instrumentation.lua
	{key: "celery.retries", meaning: trace.Ordinal},                                                        // opentelemetry-python-contrib celery
	{key: "remoulade.retry_count", meaning: trace.Ordinal},                                                 // the same, remoulade
	{key: "bullmq.job.attempts.made", meaning: trace.Ordinal, first: 1},                                    // bullmq src/classes/worker.ts
	{key: "messaging.bullmq.job.attempts", meaning: trace.Ordinal},                                         // appsignal bullmq instrumentation
	{key: "messaging.delayed_job.attempts", meaning: trace.Ordinal},                                        // opentelemetry-ruby-contrib
	{key: "messaging.que.attempts", meaning: trace.Ordinal},                                                // the same
	{key: "_inngest.step.attempt", under: "executor.step", meaning: trace.Ordinal},                         // inngest pkg/tracing/meta
	{key: "airflow.task_instance.try_number", under: "task_run", meaning: trace.Ordinal, first: 1},         // apache/airflow
	{key: "try_number", under: "task_run", meaning: trace.Ordinal, first: 1},                               // airflow 2.10
	{key: "messaging.gcp_pubsub.message.delivery_attempt", on: receiver, meaning: trace.Ordinal, first: 1}, // semantic-conventions gcp
	{key: "ApproximateReceiveCount", on: receiver, meaning: trace.Ordinal, first: 1},                       // SQS system attribute, as applications copy it
	{key: "retry.attempt_number", meaning: trace.Ordinal, first: 1},                                        // home-grown; these count from 1
	{key: "operation.attempt", meaning: trace.Ordinal, first: 1},                                           // the same
	{key: "cqrs.retry.attempt", meaning: trace.Ordinal, first: 1},                                          // the same
	{key: "grpc-previous-rpc-attempts", at: request, meaning: trace.Ordinal},                               // gRPC A6
	{key: "x-stainless-retry-count", at: request, meaning: trace.Ordinal},                                  // Stainless SDKs
	{key: "x-retry-attempt", at: request, meaning: trace.Ordinal},                                          // agentgateway proxy/httpproxy.rs
	{key: "x-envoy-attempt-count", at: request, meaning: trace.Ordinal, first: 1},                          // Envoy
	{key: "http.request.resend_count", under: "com.anthropic.", meaning: trace.Total, first: -1},           // on the SDK's span over all attempts
	{key: "http.request.resend_count", on: internal, meaning: trace.Ordinal},                               // Traefik middlewares/retry/retry.go
	{key: "http.request.resend_count", meaning: trace.Ordinal, resends: true},                              // semantic-conventions http
	{key: "http.resend_count", meaning: trace.Ordinal, resends: true},                                      // schemas/1.15.0
	{key: "http.retry_count", meaning: trace.Ordinal, resends: true},                                       // before
	{key: "gcp.grpc.resend_count", on: client, meaning: trace.Ordinal},                                     // gax-go v2/invoke.go
	{key: "gcp.grpc.resend_count", on: internal, meaning: trace.Total, first: -1},                          // Google's Node clients: total resends on the call
	{key: "attempt", under: "gen_ai.request.attempt", meaning: trace.Ordinal, first: 1},                    // Claude Code, where the event is a span
	{key: "attempt", under: "claude_code.llm_request", meaning: trace.Total},                               // Claude Code monitoring
	{key: "aws.retries", meaning: trace.Total, first: -1},                                                  // X-Ray segment documents: retries made
	{key: "x-envoy-attempt-count", at: response, meaning: trace.Total},                                     // Envoy include_attempt_count_in_response
	{key: "retry_attempts", meaning: trace.Total, first: -1},                                               // botocore: retries made
	{key: "retry.attempts", meaning: trace.Total},                                                          // home-grown
	{key: "successful_attempt", meaning: trace.Total},                                                      // home-grown
	{key: "x-litellm-attempted-retries", at: response, meaning: trace.Total, first: -1},                    // litellm add_retry_fallback_headers.py
	// A payload is one attempt, so what the router made before is its number.
	{key: "metadata.attempted_retries", under: "litellm", meaning: trace.Ordinal},                                   // litellm types/utils.py
	{key: "hidden_params.additional_headers.x-litellm-attempted-retries", under: "litellm", meaning: trace.Ordinal}, // litellm add_retry_fallback_headers.py
	{key: "metadata.max_retries", under: "litellm", limit: retryLimit},                                              // litellm types/utils.py
	{key: "hidden_params.additional_headers.x-litellm-max-retries", under: "litellm", limit: retryLimit},            // litellm add_retry_fallback_headers.py
	{key: "x-portkey-retry-attempt-count", at: response, meaning: trace.Total, first: -1},                           // Portkey src/globals.ts; −1 where exhausted
	{key: "retry.max_attempts", limit: attemptLimit},                                                                // the published convention
	{key: "_inngest.step.max_attempts", limit: attemptLimit},                                                        // inngest pkg/tracing/meta
	{key: "operation.max_retries", limit: retryLimit},                                                               // home-grown
	{key: "x-litellm-max-retries", at: response, limit: retryLimit},                                                 // litellm add_retry_fallback_headers.py
	{key: "x-envoy-max-retries", at: request, limit: retryLimit},                                                    // Envoy
	{key: "x-portkey-retry-count", at: request, limit: retryLimit},                                                  // Portkey src/globals.ts
	{key: "cf-aig-max-attempts", at: request, limit: attemptLimit},                                                  // Cloudflare AI Gateway
	{key: "ai.settings.maxRetries", limit: retryLimit},                                                              // vercel/ai
	{key: "messaging.redelivery.max_attempts", limit: attemptLimit},                                                 // home-grown
}

// maxAttempts is more than any real counter shows.
const maxAttempts = 1 << 20

// count fills in the counter of the span and its limit.
func (n *Normalizer) count() {
	c := &n.facts.Counter
	best := len(counters)
	for _, f := range n.found {
		if f.kind != counterEntry {
			continue
		}
		r := &counters[f.row]
		v, ok := integer(f.value)
		if !ok || v > maxAttempts {
			continue
		}
		if r.limit != 0 {
			if r.limit == retryLimit {
				v++
			}
			if v > 0 {
				n.limit(int32(v))
			}
			continue
		}
		number := int32(v) - r.first
		if r.meaning == trace.Total && number < 1 || v < 0 {
			continue
		}
		if int(f.row) < best {
			best = int(f.row)
			c.Meaning, c.N, c.Resends = r.meaning, max(0, number), r.resends
			c.Received = (r.at == request || r.received) && n.kind == server
			c.Source = n.store.Sym(f.name)
			n.factual = true
		}
	}
	if v := n.at[amzRequest]; v != nil {
		n.countAmz(header(v), best == len(counters))
	}
	n.countGoogle(header(n.at[googClient]), best == len(counters))
	n.countRun(best == len(counters))
	if v := jsonValue(jsonField(text(n.at[hidden]), "x-litellm-attempted-retries")); v != nil && best == len(counters) {
		if retries, ok := integer(v); ok && retries >= 0 && retries < maxAttempts {
			c.Meaning, c.N, c.Source = trace.Total, int32(retries)+1, n.store.Sym("hidden_params")
			n.factual = true
		}
	}
	if most, ok := integer(jsonValue(jsonField(text(n.at[invocation]), "max_retries"))); ok && most >= 0 && most < maxAttempts {
		n.limit(int32(most) + 1)
	}
	if best == len(counters) && c.Meaning == 0 {
		if f := n.nameFacts(n.record.Name); f.n >= 0 {
			c.Meaning, c.N = trace.Ordinal, f.n
			c.Source = n.store.Sym("span name")
			n.factual = true
			if f.max > 0 {
				n.limit(f.max)
			}
		}
	}
}

// countGoogle reads "gl-go/1.26 gccl/1.2 gccl-invocation-id/ID
// gccl-attempt-count/2" (google-cloud-go storage/invoke.go, google-cloud-php):
// attempts count from 1, the ID is that of the call.
func (n *Normalizer) countGoogle(s string, free bool) {
	for part := range strings.FieldsSeq(s) {
		if id, ok := strings.CutPrefix(part, "gccl-invocation-id/"); ok && id != "" && len(id) <= maxKey {
			n.callID(id)
		}
		if count, ok := strings.CutPrefix(part, "gccl-attempt-count/"); ok && free {
			if number, ok := digits(count); ok && number > 0 {
				n.ordinal(int32(number)-1, "x-goog-api-client")
			}
		}
	}
}

// countRun reads what frameworks write into tags and metadata of a run.
func (n *Normalizer) countRun(free bool) {
	if !free {
		return
	}
	// LangChain's withRetry tags attempts after the first with their number
	// from 1 (langchain-core runnables/retry.py, runnables/base.ts).
	if number, ok := retryTag(n.at[runTags]); ok {
		n.ordinal(number-1, "tags")
	}
	// A node of Dify that was repeated (dify core/ops/unified_trace): the key
	// alone might be anybody's.
	if m := text(n.at[runMetadata]); jsonField(m, "dify.span.kind") != "" {
		if retries, ok := digits(jsonField(m, "retry_count")); ok && retries > 0 {
			c := &n.facts.Counter
			c.Meaning, c.N, c.Source = trace.Total, int32(retries)+1, n.store.Sym("metadata")
			n.factual = true
		}
	}
}

// ordinal notes the number of the attempt, from 0.
func (n *Normalizer) ordinal(number int32, source string) {
	c := &n.facts.Counter
	c.Meaning, c.N, c.Received = trace.Ordinal, number, n.kind == server
	c.Source = n.store.Sym(source)
	n.factual = true
}

// retryTag returns the N of a tag "retry:attempt:N" in a list, the list as JSON
// or a text with commas.
func retryTag(v *record.Value) (number int32, ok bool) {
	const mark = "retry:attempt:"
	if v == nil {
		return 0, false
	}
	if v.Type == record.List {
		for i := range v.List {
			if number, ok = retryTag(&v.List[i]); ok {
				return number, true
			}
		}
		return 0, false
	}
	s := text(v)
	i := strings.Index(s, mark)
	if i < 0 || i > 0 && strings.IndexByte(`", `, s[i-1]) < 0 {
		return 0, false
	}
	number, end := leadingNumber(s, i+len(mark))
	return number, number > 1 && (end == len(s) || strings.IndexByte(`", ]`, s[end]) >= 0)
}

// limit notes how many attempts are allowed.
func (n *Normalizer) limit(most int32) {
	n.facts.DeclaredMax = max(n.facts.DeclaredMax, most)
	n.factual = true
}

// countAmz reads "attempt=2; max=3; ttl=20260822T101500Z" (aws-sdk-go-v2
// aws/retry/middleware.go): attempts count from 1.
func (n *Normalizer) countAmz(s string, free bool) {
	for s != "" {
		var part string
		part, s, _ = strings.Cut(s, ";")
		key, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		switch key {
		case "attempt":
			if number, ok := digits(value); ok && number > 0 && free {
				c := &n.facts.Counter
				c.Meaning, c.N, c.Received = trace.Ordinal, int32(number)-1, n.kind == server
				c.Source = n.store.Sym("amz-sdk-request")
				n.factual = true
			}
		case "max":
			if most, ok := digits(value); ok && most > 0 {
				n.limit(int32(most))
			}
		case "ttl":
			n.deadlineAt(value, "amz-sdk-request")
		}
	}
}
