package semconv

import "github.com/retryaudit/retryaudit/analyzer/trace"

// codingagentsFamily: coding agents: Codex (codex otel/src/events), Gemini CLI.
var codingagentsFamily = family{
	rank: 78,
	rows: []row{
		{key: "conversation.id", to: session},
	},
	operations: map[string]meaning{
		"llm_call":    {task: generate}, // gemini-cli
		"user_prompt": {layer: trace.Agent},
	},
	events: map[string]eventUse{
		"codex.api_request": retryEvent, // codex otel/src/events: "attempt" counts from 0
	},
	clients: []clientRow{
		{prefix: "geminicli", name: "gemini-cli", retries: true},
		{prefix: "codex_cli_rs", name: "codex", retries: true},
	},
}
