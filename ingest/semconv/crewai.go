package semconv

import "github.com/retryaudit/retryaudit/analyzer/trace"

// crewaiFamily: CrewAI.
var crewaiFamily = family{
	rank: 79,
	operations: map[string]meaning{
		"execute_task":   {layer: trace.Agent}, // CrewAI, OpenLLMetry LangChain
		"execute_method": {layer: trace.Agent},
	},
}
