package semconv

import "github.com/retryaudit/retryaudit/analyzer/trace"

// pydanticaiFamily: Pydantic AI (pydantic-ai _instrumentation.py, models/instrumented.py).
var pydanticaiFamily = family{
	rank: 71,
	rows: []row{
		{key: "pydantic_ai.tool.deferral.name", to: deferral},
		{key: "agent_name", to: agentName},             // pydantic-ai models/instrumented.py
		{key: "model_name", to: model, under: "chat "}, // the same
		{key: "all_messages_events", to: input},
		{key: "pydantic_ai.all_messages", to: input},
		{key: "tool_arguments", to: toolArgs},
	},
	names: []nameRow{
		{"agent run", meaning{agent: true}}, // pydantic-ai before version 3
		{"running tool", meaning{tool: true}},
	},
	scopes: []scopeRow{
		{prefix: "pydantic-ai", layer: trace.SDK},
	},
}
