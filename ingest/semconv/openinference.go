package semconv

import "github.com/retryaudit/retryaudit/analyzer/trace"

// openinferenceFamily: Arize-ai/openinference spec and
// openinference-semantic-conventions trace.
var openinferenceFamily = family{
	rank: 60,
	rows: []row{
		{key: "openinference.span.kind", to: spanKind},
		{key: "llm.request.model_name", to: model},
		{key: "llm.model_name", to: model},
		{key: "embedding.model_name", to: model},
		{key: "reranker.model_name", to: model},
		{key: "llm.provider", to: provider},
		{key: "llm.system", to: provider},
		{key: "tool.name", to: tool},
		{key: "tool.parameters", to: toolArgs},
		{key: "input.value", to: toolArgs},
		{key: "input.value", to: input},
		{key: "llm.token_count.prompt", to: inTokens},
		{key: "llm.token_count.completion", to: outTokens},
		{key: "llm.finish_reason", to: finish},
		{key: "llm.tools.0.tool.json_schema", to: toolsOffered},
		{key: "llm.invocation_parameters", to: invocation},
		{key: "agent.name", to: agentName},
		{key: "graph.node.id", to: step},
		{key: "tag.tags", to: runTags},
		{key: "metadata", to: runMetadata},
	},
	spanKinds: map[string]meaning{
		"LLM":       {task: generate},
		"EMBEDDING": {task: embed},
		"RERANKER":  {task: rerank},
		"TOOL":      {tool: true},
		"AGENT":     {agent: true},
	},
	events: map[string]eventUse{
		"First Token Stream Event": firstEvent,  // openinference openai/_stream.py
		"span.cancelled":           cancelEvent, // openinference llama_index/_handler.py
	},
	keys: []keyRow{
		{key: "tool_call.id", tools: true},
	},
	scopes: []scopeRow{
		{prefix: "@arizeai/openinference-", layer: trace.SDK},
		{prefix: "openinference.instrumentation", layer: trace.SDK},
	},
}
