package semconv

import "github.com/retryaudit/retryaudit/analyzer/trace"

// springgatewayFamily: Spring Cloud Gateway (GatewayDocumentedObservation.java).
var springgatewayFamily = family{
	rank: 116,
	rows: []row{
		{key: "spring.cloud.gateway.route.uri", to: baseURL, on: sender | internal},
	},
	scopes: []scopeRow{
		{prefix: "spring.cloud.gateway", layer: trace.Proxy},
	},
	marks: []layerMark{
		{key: "spring.cloud.gateway.route.id", layer: trace.Proxy}, // GatewayDocumentedObservation.java; the scope is Micrometer's
	},
}
