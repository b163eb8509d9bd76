package semconv

import "github.com/retryaudit/retryaudit/analyzer/trace"

// aisdkFamily: Vercel AI SDK 3–6 and the legacy integration of 7 (vercel/ai
// packages/ai/src/telemetry, packages/otel/src/legacy-open-telemetry.ts).
var aisdkFamily = family{
	rank: 40,
	rows: []row{
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
	},
	operations: map[string]meaning{
		// The same attribute, but no value of the conventions.
		"agent_step": {layer: trace.Agent}, // AI SDK 7
		// ai.operationId: vercel/ai packages/ai/src/telemetry.
		"ai.generateText":              {task: generate},
		"ai.generateText.doGenerate":   {task: generate},
		"ai.streamText":                {task: generate, stream: true},
		"ai.streamText.doStream":       {task: generate, stream: true},
		"ai.generateObject":            {task: generate},
		"ai.generateObject.doGenerate": {task: generate},
		"ai.streamObject":              {task: generate, stream: true},
		"ai.streamObject.doStream":     {task: generate, stream: true},
		"ai.embed":                     {task: embed},
		"ai.embed.doEmbed":             {task: embed},
		"ai.embedMany":                 {task: embed},
		"ai.embedMany.doEmbed":         {task: embed},
		"ai.rerank":                    {task: rerank},
		"ai.rerank.doRerank":           {task: rerank},
		"ai.toolCall":                  {tool: true},
	},
	events: map[string]eventUse{
		"ai.stream.firstChunk": firstEvent,
	},
	counters: []counterRow{
		{key: "ai.settings.maxRetries", limit: retryLimit},
	},
	keys: []keyRow{
		{key: "ai.toolCall.id", tools: true},
	},
	deadlines: []deadlineRow{
		{key: "ai.settings.timeout", unit: deadlineMillis, scope: trace.CallScope}, // AI SDK 6
	},
	scopes: []scopeRow{
		{prefix: "ai", layer: trace.SDK, whole: true},
		{prefix: "gen_ai", layer: trace.SDK}, // Vercel AI SDK 7
	},
	clients: []clientRow{
		{prefix: "ai-sdk/", name: "ai-sdk", retries: true},
		{prefix: "ai/", name: "ai-sdk", retries: true},
	},
}
