package semconv

import "github.com/retryaudit/retryaudit/analyzer/trace"

// temporalFamily: Temporal (sdk-go interceptor/tracing_interceptor.go).
var temporalFamily = family{
	rank: 144,
	rows: []row{
		{key: "temporalRunID", to: runID},
		{key: "temporalActivityID", to: activityID},
		{key: "temporalActivityID", to: step},
		{key: "temporalActivityType", to: jobName},
	},
	scopes: []scopeRow{
		{prefix: "temporal-sdk-go", layer: trace.WorkflowLayer},
		{prefix: "temporalio", layer: trace.WorkflowLayer},
		{prefix: "io.temporal", layer: trace.WorkflowLayer},
		{prefix: "@temporalio/", layer: trace.WorkflowLayer},
	},
	marks: []layerMark{
		{key: "temporalWorkflowID", layer: trace.WorkflowLayer},
		{key: "temporalRunID", layer: trace.WorkflowLayer},
	},
	jobs: []string{
		"RunActivity:", "StartActivity:", "RunWorkflow:", "StartWorkflow:",
	},
}
