package semconv

import "github.com/retryaudit/retryaudit/analyzer/trace"

// haystackFamily: Haystack (haystack components/agents).
var haystackFamily = family{
	rank: 74,
	rows: []row{
		{key: "haystack.component.name", to: step},
	},
	names: []nameRow{
		{"haystack.agent.step.tool", meaning{tool: true}},
		{"haystack.agent.step.llm", meaning{task: generate}},
		{"haystack.agent.run", meaning{agent: true}},
	},
	scopes: []scopeRow{
		{prefix: "haystack", layer: trace.Agent},
	},
}
