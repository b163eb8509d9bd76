package semconv

import "github.com/retryaudit/retryaudit/analyzer/trace"

// cloudflareFamily: Cloudflare and its AI Gateway.
var cloudflareFamily = family{
	rank: 119,
	rows: []row{
		{key: "cf-aig-step", to: fallbackIndex, at: response}, // Cloudflare AI Gateway: 0 is the first target
	},
	counters: []counterRow{
		{key: "cf-aig-max-attempts", at: request, limit: attemptLimit},
	},
	keys: []keyRow{
		{key: "cf-ray", at: response, kind: trace.RequestKey, dir: trace.Answered},
	},
}
