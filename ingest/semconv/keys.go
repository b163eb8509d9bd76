package semconv

import (
	"strings"

	otel "go.opentelemetry.io/otel/semconv/v1.43.0"

	"github.com/retryaudit/retryaudit/analyzer/trace"
)

// A keyRow says what an ID names and how the span came by it.
type keyRow struct {
	key   string
	at    place
	on    kinds
	under string
	kind  trace.KeyKind // 0: it is the ID of a call, equal on all its attempts
	dir   trace.Dir     // 0: received by servers and consumers; by others sent if it stands in a request
}

// keys: attributes.md sections 1, 3 and 4.3; design section 9 for request.id
// and parent.request.id.
var keys = []keyRow{
	{key: "x-request-id", at: request, kind: trace.RequestKey},
	{key: "x-client-request-id", at: request, kind: trace.RequestKey},
	{key: "x-correlation-id", at: request, kind: trace.RequestKey},
	{key: "x-request-id", at: response, kind: trace.RequestKey, dir: trace.Answered},
	{key: "request-id", at: response, kind: trace.RequestKey, dir: trace.Answered},
	{key: "x-amzn-requestid", at: response, kind: trace.RequestKey, dir: trace.Answered},
	{key: "apim-request-id", at: response, kind: trace.RequestKey, dir: trace.Answered},
	{key: "x-goog-request-id", at: response, kind: trace.RequestKey, dir: trace.Answered},
	{key: "request.id", kind: trace.RequestKey},
	{key: "parent.request.id", kind: trace.ParentKey},
	{key: "guid:x-request-id", kind: trace.RequestKey},                                         // Envoy common_values.h
	{key: "anthropic.request.id", kind: trace.RequestKey, dir: trace.Answered},                 // Anthropic SDK native
	{key: "request_id", under: "claude_code.", kind: trace.RequestKey, dir: trace.Answered},    // Claude Code monitoring
	{key: "client_request_id", under: "claude_code.", kind: trace.RequestKey, dir: trace.Sent}, // the same
	{key: "aws.request_id", kind: trace.RequestKey, dir: trace.Answered},                       // semantic-conventions aws
	{key: "aws.request.id", kind: trace.RequestKey, dir: trace.Answered},                       // opentelemetry-js-contrib
	{key: "azure.service.request.id", kind: trace.RequestKey, dir: trace.Answered},             // semantic-conventions azure
	{key: "az.service_request_id", kind: trace.RequestKey, dir: trace.Answered},                // before
	{key: "x-ms-request-id", at: response, kind: trace.RequestKey, dir: trace.Answered},        // Azure
	{key: string(otel.MessagingMessageIDKey), on: queue, kind: trace.MessageKey},               // semantic-conventions messaging
	{key: "messaging.message_id", on: queue, kind: trace.MessageKey},                           // its old name
	{key: string(otel.FaaSInvocationIDKey), kind: trace.InvocationKey, dir: trace.Received},    // semantic-conventions faas
	{key: "restate.invocation.id", kind: trace.InvocationKey, dir: trace.Received},             // restate crates/tracing-instrumentation
	{key: "faas.execution", kind: trace.InvocationKey, dir: trace.Received},                    // its old name
	{key: "idempotency-key", at: request, kind: trace.IdempotencyKey},                          // IETF draft, Stripe, Stainless SDKs
	{key: "x-idempotency-key", at: request, kind: trace.IdempotencyKey},                        //
	{key: "idempotency.key", kind: trace.IdempotencyKey},                                       // home-grown
	{key: "idempotency_key", kind: trace.IdempotencyKey},                                       // home-grown
	{key: "messaging.message.deduplication_id", kind: trace.IdempotencyKey},                    // SQS, as applications copy it
	{key: "amz-sdk-invocation-id", at: request},                                                // AWS SDKs
	{key: "x-ms-client-request-id", at: request},                                               // Azure SDKs
	{key: "az.client_request_id"},                                                              // Azure tracing conventions
	{key: "x-ms-client-request-id"},                                                            // old Azure Python
	{key: "requestId", under: "@azure/"},                                                       // Azure JS: the client's
	{key: "litellm.call_id"},                                                                   // litellm integrations/otel
	{key: "x-litellm-call-id", at: response},                                                   // litellm
}

// joinedKeys are pairs of fields that only together name a run: BullMQ's job
// IDs count per queue, Temporal's activities and Inngest's steps per run.
var joinedKeys = []struct {
	first, second field
	on            kinds
}{
	{queueName, jobID, queue},
	{runID, activityID, 0},
}

// maxKey bounds the length of an ID.
const maxKey = 256

// readKeys fills in the IDs of the span.
func (n *Normalizer) readKeys() {
	for _, f := range n.found {
		if f.kind != keyEntry {
			continue
		}
		r := &keys[f.row]
		id := header(f.value)
		if id == "" || len(id) > maxKey {
			continue
		}
		if r.kind == 0 {
			if n.facts.CallID == 0 {
				n.facts.CallID = n.store.Sym(id)
				n.factual = true
			}
			continue
		}
		kind := r.kind
		if kind == trace.MessageKey && n.at[jobName] != nil {
			kind = trace.JobKey // Celery and Sidekiq keep the ID over all runs of the job
		}
		dir := r.dir
		if dir == 0 && r.at == request && n.kind&receiver == 0 {
			dir = trace.Sent
		}
		n.key(kind, dir, id)
	}
	for _, j := range joinedKeys {
		if j.on != 0 && j.on&n.kind == 0 {
			continue
		}
		a, b := text(n.at[j.first]), text(n.at[j.second])
		if a != "" && b != "" && len(a)+len(b) < maxKey {
			n.buf = append(append(append(n.buf[:0], a...), '/'), b...)
			n.key(trace.JobKey, 0, string(n.buf))
		}
	}
}

func (n *Normalizer) key(kind trace.KeyKind, dir trace.Dir, id string) {
	if dir == 0 {
		dir = trace.Received
		if n.kind&sender != 0 {
			dir = trace.Sent
		}
	}
	k := trace.Key{ID: n.store.Sym(id), Kind: kind, Dir: dir}
	for _, had := range n.keys {
		if had == k {
			return
		}
	}
	n.keys = append(n.keys, k)
}

// channelOf returns the deployment behind a gateway.
func (n *Normalizer) channelOf() string {
	if c := header(n.at[channel]); c != "" {
		return c
	}
	if h := text(n.at[hidden]); h != "" && strings.IndexByte(h, '{') >= 0 {
		return jsonField(h, "model_id")
	}
	return ""
}
