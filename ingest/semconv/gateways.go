package semconv

import "github.com/retryaudit/retryaudit/analyzer/trace"

// gatewaysFamily: gateways to models that are known by their scope alone.
var gatewaysFamily = family{
	rank: 121,
	scopes: []scopeRow{
		{prefix: "ai-gateway", layer: trace.Gateway},
		{prefix: "helicone", layer: trace.Gateway},
	},
}
