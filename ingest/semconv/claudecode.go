package semconv

import "github.com/retryaudit/retryaudit/analyzer/trace"

// claudecodeFamily: Claude Code (its monitoring page).
var claudecodeFamily = family{
	rank: 77,
	rows: []row{
		{key: "status_code", to: status, under: "claude_code."}, // Claude Code monitoring
		{key: "stop_reason", to: finish, under: "claude_code."}, // Claude Code monitoring
		{key: "model", to: model, under: "claude_code."},
		{key: "ttft_ms", to: firstMillis, under: "claude_code."},
		{key: "tool_name", to: tool, under: "claude_code."},
		{key: "input_tokens", to: inTokens, under: "claude_code."},
		{key: "output_tokens", to: outTokens, under: "claude_code."},
		{key: "error", to: errorText, under: "claude_code."},
	},
	names: []nameRow{
		{"claude_code.llm_request", meaning{task: generate}}, // Claude Code monitoring
		{"gen_ai.request.attempt", meaning{task: generate}},  // Claude Code, where the event is a span
		{"claude_code.tool.execution", meaning{tool: true}},
		{"claude_code.interaction", meaning{layer: trace.Agent}},
	},
	events: map[string]eventUse{
		"gen_ai.request.attempt": beginEvent, // Claude Code monitoring
	},
	counters: []counterRow{
		{key: "attempt", under: "gen_ai.request.attempt", meaning: trace.Ordinal, first: 1, by: byTotal}, // Claude Code, where the event is a span
		{key: "attempt", under: "claude_code.llm_request", meaning: trace.Total, by: byTotal},            // Claude Code monitoring
	},
	keys: []keyRow{
		{key: "request_id", under: "claude_code.", kind: trace.RequestKey, dir: trace.Answered},              // Claude Code monitoring
		{key: "client_request_id", under: "claude_code.", kind: trace.RequestKey, dir: trace.Sent},           // the same
		{key: "client_request_id", under: "gen_ai.request.attempt", kind: trace.RequestKey, dir: trace.Sent}, // the same
		{key: "tool_use_id", under: "claude_code.", tools: true},                                             // Claude Code monitoring
	},
	outcomes: []outcomeRow{
		{key: "success", value: "true", is: trace.OK, under: "claude_code."}, // Claude Code monitoring
		{key: "success", value: "false", is: trace.Failed, under: "claude_code."},
	},
	clients: []clientRow{
		{prefix: "claude-cli", name: "claude-code", retries: true},
	},
}
