package semconv

import "github.com/retryaudit/retryaudit/analyzer/trace"

// kongFamily: Kong (kong tracing/instrumentation.lua).
var kongFamily = family{
	rank: 113,
	counters: []counterRow{
		{key: "try_count", meaning: trace.Ordinal, first: 1},
	},
	scopes: []scopeRow{
		{prefix: "kong", layer: trace.Proxy},
	},
}
