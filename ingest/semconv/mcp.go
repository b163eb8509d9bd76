package semconv

import "github.com/retryaudit/retryaudit/analyzer/trace"

// mcpFamily: the Model Context Protocol (semantic-conventions-genai MCP; the
// specification, CallToolResult).
var mcpFamily = family{
	rank: 31,
	rows: []row{
		{key: "mcp.session.id", to: session},
		{key: "mcp.method.name", to: operation},
	},
	operations: map[string]meaning{
		// mcp.method.name: semantic-conventions-genai MCP.
		"tools/call": {tool: true},
	},
	outcomes: []outcomeRow{
		{key: "mcp.result.is_error", value: "true", is: trace.Failed},
		{key: "mcp.tool.result.is_error", value: "true", is: trace.Failed},
		{key: "mcp.is_error", value: "true", is: trace.Failed},
		{key: "isError", value: "true", is: trace.Failed},
	},
}
