package semconv

import "github.com/retryaudit/retryaudit/analyzer/trace"

// rubyjobsFamily: job queues of Ruby (opentelemetry-ruby-contrib).
var rubyjobsFamily = family{
	rank: 143,
	rows: []row{
		{key: "messaging.sidekiq.job_class", to: jobName}, // opentelemetry-ruby-contrib sidekiq
		{key: "messaging.active_job.adapter.name", to: messageSystem},
		{key: "messaging.delayed_job.name", to: jobName},
	},
	counters: []counterRow{
		{key: "messaging.delayed_job.attempts", meaning: trace.Ordinal},
		{key: "messaging.que.attempts", meaning: trace.Ordinal},
	},
	scopes: []scopeRow{
		{prefix: "OpenTelemetry::Instrumentation::Sidekiq", layer: trace.QueueLayer},
		{prefix: "OpenTelemetry::Instrumentation::ActiveJob", layer: trace.QueueLayer},
		{prefix: "OpenTelemetry::Instrumentation::DelayedJob", layer: trace.QueueLayer},
		{prefix: "OpenTelemetry::Instrumentation::Que", layer: trace.QueueLayer},
		{prefix: "OpenTelemetry::Instrumentation::Resque", layer: trace.QueueLayer},
	},
	marks: []layerMark{
		{key: "messaging.sidekiq.job_class", layer: trace.QueueLayer}, // opentelemetry-ruby-contrib sidekiq
	},
}
