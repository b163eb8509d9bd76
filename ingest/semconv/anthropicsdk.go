package semconv

import "github.com/retryaudit/retryaudit/analyzer/trace"

// anthropicsdkFamily: the spans of Anthropic's own SDKs.
var anthropicsdkFamily = family{
	rank: 76,
	rows: []row{
		{key: "anthropic.message.stop_reason", to: finish}, // Anthropic SDK native
	},
	names: []nameRow{
		{"anthropic.messages.create", meaning{task: generate}}, // Anthropic SDK native
		{"anthropic.messages.stream", meaning{task: generate, stream: true}},
		{"anthropic.tool_use ", meaning{tool: true}},
	},
	counters: []counterRow{
		{key: "http.request.resend_count", under: "com.anthropic.", meaning: trace.Total, first: -1, by: byResend}, // on the SDK's span over all attempts
	},
	keys: []keyRow{
		{key: "anthropic.request.id", kind: trace.RequestKey, dir: trace.Answered}, // Anthropic SDK native
	},
	scopes: []scopeRow{
		{prefix: "com.anthropic.", layer: trace.SDK},
	},
}
