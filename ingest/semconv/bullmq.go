package semconv

import "github.com/retryaudit/retryaudit/analyzer/trace"

// bullmqFamily: BullMQ (src/classes/worker.ts, src/enums/telemetry-attributes.ts; the
// instrumentation of AppSignal).
var bullmqFamily = family{
	rank: 142,
	rows: []row{
		{key: "bullmq.job.name", to: jobName},
		{key: "bullmq.queue.name", to: queueName},
		{key: "bullmq.queue.operation", to: messageOp},
		{key: "bullmq.job.id", to: jobID},
		{key: "bullmq.job.failed.reason", to: errorText},
	},
	events: map[string]eventUse{
		"job failed":    failEvent,
		"job stalled":   failEvent, // the same: its lock was lost, and it runs again
		"job completed": doneEvent,
	},
	counters: []counterRow{
		{key: "bullmq.job.attempts.made", meaning: trace.Ordinal, first: 1},
		{key: "messaging.bullmq.job.attempts", meaning: trace.Ordinal}, // appsignal bullmq instrumentation
	},
	scopes: []scopeRow{
		{prefix: "bullmq", layer: trace.QueueLayer},
		{prefix: "@appsignal/opentelemetry-instrumentation-bullmq", layer: trace.QueueLayer},
	},
	marks: []layerMark{
		{key: "messaging.bullmq.job.attempts", layer: trace.QueueLayer}, // appsignal bullmq instrumentation
		{key: "bullmq.job.id", layer: trace.QueueLayer},
	},
}
