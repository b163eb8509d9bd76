package semconv

import "github.com/retryaudit/retryaudit/analyzer/trace"

// bifrostFamily: Bifrost (bifrost core/bifrost.go, core/schemas/trace.go).
var bifrostFamily = family{
	rank: 111,
	rows: []row{
		{key: "request.type", to: operation, under: "retry.attempt."},
		{key: "request.type", to: operation, under: "llm.call"},
		{key: "request.type", to: operation, under: "fallback."},
		{key: "request.type", to: operation, under: "bifrost"},
		{key: "gen_ai.response.time_to_first_token", to: firstNanos},
		{key: "gen_ai.selected_key_id", to: channel},
		{key: "bifrost.selected_key.id", to: channel},
		{key: "fallback.index", to: fallbackIndex},
		{key: "bifrost.fallback_index", to: fallbackIndex},
		{key: "gen_ai.fallback_index", to: fallbackIndex},
	},
	operations: map[string]meaning{
		// request.type: bifrost core/schemas.
		"chat_completion":        {task: generate},
		"chat_completion_stream": {task: generate, stream: true},
		"text_completion_stream": {task: generate, stream: true},
		"responses_stream":       {task: generate, stream: true},
	},
	names: []nameRow{
		{"llm.call", meaning{task: generate}},
		{"fallback.", meaning{task: generate, layer: trace.Gateway}},
		{"embedding.", meaning{task: embed}},
		{"speech.", meaning{task: audio}},
		{"transcription.", meaning{task: audio}},
	},
	counters: []counterRow{
		{key: "bifrost.retries", meaning: trace.Ordinal},
		{key: "gen_ai.number_of_retries", meaning: trace.Ordinal},
		{key: "retry.count", meaning: trace.Ordinal}, // Envoy (string), bifrost
	},
	scopes: []scopeRow{
		{prefix: "bifrost", layer: trace.Gateway},
	},
	marks: []layerMark{
		{key: "gen_ai.number_of_retries", layer: trace.Gateway}, // bifrost core/schemas/trace.go; its scope is the service's name
		{key: "bifrost.retries", layer: trace.Gateway},          // the same
		{key: "gen_ai.selected_key_id", layer: trace.Gateway},   // the same
		{key: "bifrost.selected_key.id", layer: trace.Gateway},  // the same
	},
}
