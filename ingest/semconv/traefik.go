package semconv

import "github.com/retryaudit/retryaudit/analyzer/trace"

// traefikFamily: Traefik (pkg/middlewares/retry/retry.go).
var traefikFamily = family{
	rank: 114,
	counters: []counterRow{
		{key: "http.request.resend_count", on: internal, meaning: trace.Ordinal, by: byResend},
	},
	scopes: []scopeRow{
		{prefix: "github.com/traefik/traefik", layer: trace.Proxy},
		{prefix: "github.com/containous/traefik", layer: trace.Proxy},
		{prefix: "traefik", layer: trace.Proxy},
	},
}
