package semconv

import "github.com/retryaudit/retryaudit/analyzer/trace"

// portkeyFamily: Portkey's gateway (gateway src/globals.ts).
var portkeyFamily = family{
	rank: 118,
	rows: []row{
		{key: "x-portkey-last-used-option-index", to: channel, at: response},
	},
	counters: []counterRow{
		{key: "x-portkey-retry-attempt-count", at: response, meaning: trace.Total, first: -1, by: byTotal}, // Portkey src/globals.ts; −1 where exhausted
		{key: "x-portkey-retry-count", at: request, limit: retryLimit},
	},
	deadlines: []deadlineRow{
		{key: "x-portkey-request-timeout", at: request, unit: deadlineMillis, scope: trace.AttemptScope},
	},
	scopes: []scopeRow{
		{prefix: "portkey", layer: trace.Gateway},
	},
}
