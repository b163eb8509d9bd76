package semconv

import (
	"strings"

	"github.com/retryaudit/retryaudit/analyzer/trace"
)

// gatewayRows: gateways and proxies.
var gatewayRows = []row{
	{key: "litellm.call_type", to: operation}, // litellm integrations/otel
	{key: "litellm.provider.model", to: model},
	{key: "litellm.request.streaming", to: streaming},
	{key: "hidden_params", to: hidden}, // litellm integrations/opentelemetry.py
	{key: "x-litellm-model-id", to: channel, at: response},
	{key: "gen_ai.selected_key_id", to: channel}, // bifrost core/schemas/trace.go
	{key: "bifrost.selected_key.id", to: channel},
	{key: "fallback.index", to: fallbackIndex}, // bifrost core/bifrost.go
	{key: "bifrost.fallback_index", to: fallbackIndex},
	{key: "gen_ai.fallback_index", to: fallbackIndex},
	{key: "x-litellm-attempted-fallbacks", to: fallbackIndex, at: response},
	{key: "litellm.provider.error.code", to: errorCode},
	{key: "error.llm_provider", to: errorProvider},
	{key: "litellm.provider.error.llm_provider", to: errorProvider},
	{key: "x-portkey-last-used-option-index", to: channel, at: response},    // Portkey src/globals.ts
	{key: "cf-aig-step", to: fallbackIndex, at: response},                   // Cloudflare AI Gateway: 0 is the first target
	{key: "upstream_cluster.name", to: upstreamName, on: sender | internal}, // Envoy common_values.h
	{key: "upstream_cluster", to: upstreamName, on: sender | internal},
	{key: "grpc.message", to: errorText},                                        // the same
	{key: "spring.cloud.gateway.route.uri", to: baseURL, on: sender | internal}, // GatewayDocumentedObservation.java
	{key: "upstream_address", to: proxyPeer, on: sender | internal},             // Envoy common_values.h
	{key: "peer.address", to: proxyPeer, on: sender | internal},
	{key: "response_flags", to: responseFlags},
	{key: "apisix.response_source", to: responseSource}, // apisix plugins/opentelemetry.lua
}

// clusterHost returns the host that the name of an Envoy cluster gives: Istio's
// are "outbound|443|subset|api.openai.com;". Inbound ones and those of traffic
// that is passed through name none.
func clusterHost(cluster string) string {
	cluster = strings.TrimSuffix(cluster, ";")
	if cluster == "PassthroughCluster" || cluster == "BlackHoleCluster" {
		return ""
	}
	_, rest, ok := strings.Cut(cluster, "|")
	if !ok {
		return cluster
	}
	port, _, _ := strings.Cut(rest, "|")
	if host := cluster[strings.LastIndexByte(cluster, '|')+1:]; host != "" && port != "" {
		return host + ":" + port
	}
	return ""
}

// A flagRow says what a response flag of Envoy means.
type flagRow struct {
	flag    string
	class   trace.Class
	verdict trace.Verdict // 0: that of the class
	unsent  bool          // nothing reached the upstream
	gateway bool          // Envoy itself refused
}

// flagRows: Envoy's documentation of response flags; error-classes section 5.
var flagRows = []flagRow{
	{flag: "RL", class: trace.RateLimit, unsent: true, gateway: true},
	{flag: "RLSE", class: trace.ServerError, unsent: true, gateway: true},
	{flag: "UAEX", class: trace.Auth, unsent: true, gateway: true},
	{flag: "UO", class: trace.Overload, unsent: true, gateway: true},
	{flag: "OM", class: trace.Overload, unsent: true, gateway: true},
	{flag: "DO", class: trace.Overload, unsent: true, gateway: true},
	{flag: "UH", class: trace.Overload, unsent: true, gateway: true},
	{flag: "NR", class: trace.NotFound, unsent: true, gateway: true},
	{flag: "NC", class: trace.NotFound, unsent: true, gateway: true},
	{flag: "DF", class: trace.Reset, unsent: true, gateway: true},
	{flag: "IH", class: trace.Invalid, unsent: true, gateway: true},
	{flag: "DC", class: trace.Cancelled},
	{flag: "UT", class: trace.Timeout},
	{flag: "DT", class: trace.Timeout},
	{flag: "SI", class: trace.Timeout},
	{flag: "UMSDR", class: trace.Timeout},
	{flag: "UF", class: trace.Reset, unsent: true},
	{flag: "UC", class: trace.Reset},
	{flag: "UR", class: trace.Reset},
	{flag: "LR", class: trace.Reset},
	{flag: "UPE", class: trace.ServerError},
	{flag: "DPE", class: trace.Invalid, gateway: true},
	{flag: "FI", class: trace.ServerError, unsent: true, gateway: true},
}

// flagOf returns the row of the first response flag that has one: "URX,UF"
// says that retries were used up and that a connection failed.
func flagOf(flags string) (flagRow, bool) {
	for flags != "" {
		var f string
		f, flags, _ = strings.Cut(flags, ",")
		for _, r := range flagRows {
			if r.flag == strings.TrimSpace(f) {
				return r, true
			}
		}
	}
	return flagRow{}, false
}

// jsonField returns the value of a string or number in a flat JSON text, ""
// without it: hidden_params is a JSON string whose full decoding nobody needs.
func jsonField(text, name string) string {
	for i := 0; ; {
		at := strings.Index(text[i:], name)
		if at < 0 {
			return ""
		}
		i += at + len(name)
		if i-len(name) == 0 || text[i-len(name)-1] != '"' || i >= len(text) || text[i] != '"' {
			continue
		}
		rest := strings.TrimLeft(text[i+1:], " \t\r\n")
		if rest == "" || rest[0] != ':' {
			continue
		}
		rest = strings.TrimLeft(rest[1:], " \t\r\n")
		if rest != "" && rest[0] == '"' {
			if end := strings.IndexByte(rest[1:], '"'); end >= 0 {
				return rest[1 : 1+end]
			}
			return ""
		}
		end := strings.IndexAny(rest, ",} \r\n\t]")
		if end < 0 {
			end = len(rest)
		}
		if rest[:end] == "null" {
			return ""
		}
		return rest[:end]
	}
}
