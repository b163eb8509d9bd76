package semconv

import "github.com/retryaudit/retryaudit/analyzer/trace"

// prefectFamily: Prefect (src/prefect/telemetry/run_telemetry.py).
var prefectFamily = family{
	rank: 147,
	events: map[string]eventUse{
		"Retrying": againEvent,
	},
	scopes: []scopeRow{
		{prefix: "prefect", layer: trace.WorkflowLayer},
	},
	marks: []layerMark{
		{key: "prefect.run.type", layer: trace.WorkflowLayer},
	},
}
