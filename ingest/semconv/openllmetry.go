package semconv

import "github.com/retryaudit/retryaudit/analyzer/trace"

// openllmetryFamily: traceloop/openllmetry opentelemetry-semantic-conventions-ai
// semconv_ai and the instrumentations.
var openllmetryFamily = family{
	rank: 50,
	rows: []row{
		{key: "llm.request.type", to: operation},
		{key: "traceloop.span.kind", to: spanKind},
		{key: "traceloop.entity.name", to: tool},
		{key: "traceloop.entity.name", to: agentName},
		{key: "traceloop.entity.input", to: toolArgs},
		{key: "traceloop.entity.input", to: input},
		{key: "gen_ai.is_streaming", to: streaming},
		{key: "llm.is_streaming", to: streaming}, // litellm: "True"
		{key: "gen_ai.completion.0.finish_reason", to: finish},
		{key: "gen_ai.openai.api_base", to: baseURL, on: sender | internal},
		{key: "llm.usage.prompt_tokens", to: inTokens},
		{key: "llm.usage.completion_tokens", to: outTokens},
		{key: "llm.request.functions.0.name", to: toolsOffered},
		{key: "traceloop.association.properties.session_id", to: session},
		{key: "traceloop.association.properties.langgraph_node", to: step},
	},
	spanKinds: map[string]meaning{
		"llm":       {task: generate},
		"embedding": {task: embed},
		"tool":      {tool: true},
		"agent":     {agent: true},
	},
	names: []nameRow{
		{"openai.chat", meaning{task: generate}},
		{"openai.completion", meaning{task: generate}},
		{"openai.response", meaning{task: generate}},
		{"openai.embeddings", meaning{task: embed}},
		{"anthropic.chat", meaning{task: generate}},
		{"anthropic.completion", meaning{task: generate}},
		{"bedrock.completion", meaning{task: generate}},
		{"bedrock.converse", meaning{task: generate}},
		{"cohere.chat", meaning{task: generate}},
		{"cohere.embed", meaning{task: embed}},
		{"cohere.rerank", meaning{task: rerank}},
	},
	events: map[string]eventUse{
		"gen_ai.content.completion.chunk": chunkEvent,
		"llm.content.completion.chunk":    chunkEvent,
		"gen_ai.content.prompt":           inputEvent,
	},
	scopes: []scopeRow{
		{prefix: "@traceloop/", layer: trace.SDK},
	},
}
