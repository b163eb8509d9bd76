package semconv

import "github.com/retryaudit/retryaudit/analyzer/trace"

// agentgatewayFamily: agentgateway (telemetry/log.rs, proxy/httpproxy.rs).
var agentgatewayFamily = family{
	rank: 117,
	rows: []row{
		{key: "http.status", to: status},
		{key: "grpc.status", to: rpcStatus},
		{key: "reason", to: errorText, under: "agentgateway"},
	},
	counters: []counterRow{
		{key: "retry.attempt", under: "agentgateway", on: server, meaning: trace.Total, first: -1}, // agentgateway telemetry/log.rs: the last retry, on the span over all
		{key: "x-retry-attempt", at: request, meaning: trace.Ordinal, by: byHeader},
	},
	scopes: []scopeRow{
		{prefix: "agentgateway", layer: trace.Gateway},
	},
}
