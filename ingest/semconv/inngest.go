package semconv

import "github.com/retryaudit/retryaudit/analyzer/trace"

// inngestFamily: Inngest (pkg/tracing/meta).
var inngestFamily = family{
	rank: 145,
	rows: []row{
		{key: "_inngest.response.status_code", to: status},
		{key: "_inngest.step.gateway.response.status_code", to: status},
		{key: "_inngest.run.id", to: runID},
		{key: "_inngest.step.id", to: activityID},
		{key: "_inngest.step.id", to: step},
	},
	counters: []counterRow{
		{key: "_inngest.step.attempt", under: "executor.step", meaning: trace.Ordinal},
		{key: "_inngest.step.max_attempts", limit: attemptLimit},
	},
	outcomes: []outcomeRow{
		{key: "_inngest.dynamic.status", value: "completed", is: trace.OK},
		{key: "_inngest.dynamic.status", value: "failed", is: trace.Failed},
		{key: "_inngest.dynamic.status", value: "errored", is: trace.Failed}, // and will be tried again
		{key: "_inngest.dynamic.status", value: "timedout", is: trace.Failed, class: trace.Timeout},
		{key: "_inngest.dynamic.status", value: "cancelled", is: trace.Cut, class: trace.Cancelled},
	},
	scopes: []scopeRow{
		{prefix: "inngest", layer: trace.WorkflowLayer},
	},
	marks: []layerMark{
		{key: "_inngest.run.id", layer: trace.WorkflowLayer},
	},
}
