package semconv

import "github.com/retryaudit/retryaudit/analyzer/trace"

// microsoftaiFamily: Microsoft.Extensions.AI and the Agent Framework.
var microsoftaiFamily = family{
	rank: 174,
	operations: map[string]meaning{
		"orchestrate_tools": {layer: trace.Agent},
	},
	scopes: []scopeRow{
		{prefix: "Experimental.Microsoft.Extensions.AI", layer: trace.SDK},
		{prefix: "agent_framework", layer: trace.Agent},
	},
}
