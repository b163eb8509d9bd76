package semconv

import "github.com/retryaudit/retryaudit/analyzer/trace"

// mistralFamily: Mistral's SDK.
var mistralFamily = family{
	rank: 175,
	scopes: []scopeRow{
		{prefix: "mistralai_sdk_tracer", layer: trace.SDK},
	},
}
