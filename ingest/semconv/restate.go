package semconv

import "github.com/retryaudit/retryaudit/analyzer/trace"

// restateFamily: Restate (crates/invoker-impl, crates/tracing-instrumentation).
var restateFamily = family{
	rank: 148,
	rows: []row{
		{key: "restate.invocation.error.code", to: errorCode},
		{key: "restate.error.code", to: errorCode},
		{key: "restate.deployment.address", to: baseURL, on: sender | internal},
	},
	events: map[string]eventUse{
		// A suspended invocation goes on in another attempt, which is no retry.
		"restate.invocation.lifecycle.suspended": doneEvent,
		"restate.invocation.lifecycle.yielded":   doneEvent,
	},
	keys: []keyRow{
		{key: "restate.invocation.id", kind: trace.InvocationKey, dir: trace.Received},
	},
	outcomes: []outcomeRow{
		{key: "restate.invocation.result", value: "success", is: trace.OK},
		{key: "restate.invocation.result", value: "failure", is: trace.Failed},
	},
	scopes: []scopeRow{
		{prefix: "restate", layer: trace.WorkflowLayer},
	},
	marks: []layerMark{
		{key: "restate.invocation.id", layer: trace.WorkflowLayer},
	},
	jobs: []string{
		"invocation-attempt ",
	},
}
