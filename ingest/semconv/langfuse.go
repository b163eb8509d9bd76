package semconv

import "github.com/retryaudit/retryaudit/analyzer/trace"

// langfuseFamily: the attributes of Langfuse's SDKs and of its exports
// (langfuse/langfuse packages/shared/src/server/otel/attributes.ts). What the
// decoder ingest/langfuse makes of an observation has the same names.
var langfuseFamily = family{
	rank: 130,
	rows: []row{
		{key: "langfuse.observation.type", to: spanKind},
		{key: "langfuse.observation.model.name", to: model},
		{key: "langfuse.observation.input", to: toolArgs},
		{key: "langfuse.observation.input", to: input},
		{key: "langfuse.observation.status_message", to: errorText},
		{key: "langfuse.observation.time_to_first_token", to: firstSeconds}, // public API: timeToFirstToken, in seconds
		// Names in usageDetails: the public API's own, then those that OpenAI's
		// integrations hand on (OtelIngestionProcessor.ts, extractUsageDetails).
		{key: "langfuse.observation.usage_details.input", to: inTokens},
		{key: "langfuse.observation.usage_details.input_tokens", to: inTokens},
		{key: "langfuse.observation.usage_details.prompt_tokens", to: inTokens},
		{key: "langfuse.observation.usage_details.output", to: outTokens},
		{key: "langfuse.observation.usage_details.output_tokens", to: outTokens},
		{key: "langfuse.observation.usage_details.completion_tokens", to: outTokens},
		{key: "langfuse.observation.metadata.langgraph_node", to: step}, // langfuse repositories/events.ts
		{key: "langfuse.session.id", to: session},
	},
	spanKinds: map[string]meaning{
		"generation": {task: generate}, // langfuse.observation.type
	},
	outcomes: []outcomeRow{
		{key: "langfuse.observation.level", value: "error", is: trace.Failed},
	},
}
