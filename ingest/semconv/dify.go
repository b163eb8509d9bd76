package semconv

import "github.com/retryaudit/retryaudit/analyzer/trace"

// difyFamily: Dify (dify core/app/workflow/layers, core/ops/unified_trace).
var difyFamily = family{
	rank: 75,
	rows: []row{
		{key: "node.id", to: step, under: "core.app.workflow."},
		{key: "dify.node.id", to: step},
	},
	scopes: []scopeRow{
		{prefix: "core.app.workflow.", layer: trace.WorkflowLayer},
		{prefix: "dify", layer: trace.WorkflowLayer},
	},
	marks: []layerMark{
		{key: "dify.span.id", layer: trace.WorkflowLayer}, // dify core/ops/unified_trace/otlp_adapter.py
	},
}
