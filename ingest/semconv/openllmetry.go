package semconv

// openllmetryRows: traceloop/openllmetry opentelemetry-semantic-conventions-ai
// semconv_ai and the instrumentations.
var openllmetryRows = []row{
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
}
