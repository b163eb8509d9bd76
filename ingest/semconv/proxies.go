package semconv

import "github.com/retryaudit/retryaudit/analyzer/trace"

// proxiesFamily: proxies that are known by their scope alone.
var proxiesFamily = family{
	rank: 120,
	scopes: []scopeRow{
		{prefix: "nginx", layer: trace.Proxy},
		{prefix: "haproxy", layer: trace.Proxy},
		{prefix: "Yarp.ReverseProxy", layer: trace.Proxy},
		{prefix: "github.com/caddyserver/caddy", layer: trace.Proxy},
		{prefix: "linkerd", layer: trace.Proxy},
	},
}
