package semconv

import "github.com/retryaudit/retryaudit/analyzer/trace"

// apisixFamily: Apache APISIX (apisix plugins/opentelemetry.lua).
var apisixFamily = family{
	rank: 115,
	rows: []row{
		{key: "apisix.response_source", to: responseSource},
	},
	scopes: []scopeRow{
		{prefix: "apisix", layer: trace.Proxy},
	},
	marks: []layerMark{
		{key: "apisix.route_id", layer: trace.Proxy},
	},
}
