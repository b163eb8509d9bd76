package semconv

// aisdkRows: Vercel AI SDK 3–6 and the legacy integration of 7 (vercel/ai
// packages/ai/src/telemetry, packages/otel/src/legacy-open-telemetry.ts).
var aisdkRows = []row{
	{key: "ai.operationId", to: operation},
	{key: "operation.name", to: operation, under: "ai."},
	{key: "ai.model.id", to: model},
	{key: "ai.model.provider", to: provider},
	{key: "ai.toolCall.name", to: tool},
	{key: "ai.toolCall.args", to: toolArgs},
	{key: "ai.prompt.messages", to: input},
	{key: "ai.prompt", to: input},
	{key: "ai.value", to: input}, // ai.embed
	{key: "ai.prompt.tools", to: toolsOffered},
	{key: "ai.schema", to: schemaAsked},
	{key: "ai.usage.inputTokens", to: inTokens},
	{key: "ai.usage.promptTokens", to: inTokens},
	{key: "ai.usage.tokens", to: inTokens}, // ai.embed
	{key: "ai.usage.outputTokens", to: outTokens},
	{key: "ai.usage.completionTokens", to: outTokens},
	{key: "ai.response.finishReason", to: finish},
	{key: "ai.response.id", to: answerID},
	{key: "ai.response.msToFirstChunk", to: firstMillis},
	{key: "ai.stream.msToFirstChunk", to: firstMillis},
}
