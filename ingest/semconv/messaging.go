package semconv

import (
	"strings"

	otel "go.opentelemetry.io/otel/semconv/v1.43.0"

	"github.com/retryaudit/retryaudit/analyzer/trace"
)

// messagingFamily: messaging conventions 1.43 with their old names; Pub/Sub and SQS as
// applications copy their attributes.
var messagingFamily = family{
	rank: 140,
	rows: []row{
		{key: otel.MessagingSystemKey, to: messageSystem},
		{key: otel.MessagingOperationTypeKey, to: messageOp},
		{key: "messaging.operation", to: messageOp},
		{key: otel.MessagingOperationNameKey, to: messageOp},
		{key: otel.MessagingDestinationNameKey, to: destination},
		{key: "messaging.destination", to: destination},
		{key: otel.MessagingMessageIDKey, to: messageID},
		{key: "messaging.message_id", to: messageID},
	},
	counters: []counterRow{
		{key: "messaging.gcp_pubsub.message.delivery_attempt", on: receiver, meaning: trace.Ordinal, first: 1}, // semantic-conventions gcp
		{key: "ApproximateReceiveCount", on: receiver, meaning: trace.Ordinal, first: 1},                       // SQS system attribute, as applications copy it
	},
	keys: []keyRow{
		{key: string(otel.MessagingMessageIDKey), on: queue, kind: trace.MessageKey},            // semantic-conventions messaging
		{key: "messaging.message_id", on: queue, kind: trace.MessageKey},                        // its old name
		{key: string(otel.FaaSInvocationIDKey), kind: trace.InvocationKey, dir: trace.Received}, // semantic-conventions faas
		{key: "faas.execution", kind: trace.InvocationKey, dir: trace.Received},                 // its old name
		{key: "messaging.message.deduplication_id", kind: trace.IdempotencyKey},                 // SQS, as applications copy it
	},
}

// idleOps are messaging operations that are no run of a job (messaging
// conventions; BullMQ, which closes and looks after stalled jobs).
var idleOps = map[string]bool{"receive": true, "settle": true, "create": true, "send": true, "publish": true, "add": true, "apply_async": true}

// messageAsk fills in what a job, a message or a step of a workflow wants, and
// reports whether the span is one.
func (n *Normalizer) messageAsk() bool {
	s := &n.span
	for _, prefix := range jobNames {
		if name, ok := strings.CutPrefix(n.record.Name, prefix); ok {
			s.Ask = n.ask("job ", name)
			if strings.HasPrefix(prefix, "Start") {
				return true
			}
			s.Flags |= trace.Job
			return true
		}
	}
	if n.kind&queue == 0 {
		return false
	}
	if n.kind == kinds(1<<trace.Consumer) && !idleOps[text(n.at[messageOp])] {
		s.Flags |= trace.Job
	}
	if name := text(n.at[jobName]); name != "" {
		s.Ask = n.ask("job ", name)
		return true
	}
	if name := text(n.at[destination]); name != "" {
		s.Ask = n.ask("queue ", name)
		return true
	}
	if name := text(n.at[queueName]); name != "" {
		s.Ask = n.ask("queue ", name)
		return true
	}
	return false
}
