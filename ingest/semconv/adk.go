package semconv

import "github.com/retryaudit/retryaudit/analyzer/trace"

// adkFamily: Google's Agent Development Kit (adk-python telemetry/tracing.py).
var adkFamily = family{
	rank: 72,
	rows: []row{
		{key: "gcp.vertex.agent.llm_request", to: input},
		{key: "gcp.vertex.agent.tool_call_args", to: toolArgs},
		{key: "gcp.vertex.agent.session_id", to: session},
	},
	names: []nameRow{
		{"call_llm", meaning{task: generate}},
		{"agent_run ", meaning{agent: true}},
	},
	scopes: []scopeRow{
		{prefix: "gcp.vertex.agent", layer: trace.Agent},
	},
}
