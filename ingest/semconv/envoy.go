package semconv

import (
	"strings"

	"github.com/retryaudit/retryaudit/analyzer/trace"
)

// envoyFamily: Envoy, and Istio with it (source/common/tracing/common_values.h).
var envoyFamily = family{
	rank: 112,
	rows: []row{
		{key: "user_agent", to: userAgent},
		{key: "request_size", to: bodySize},
		{key: "grpc.path", to: rpcMethod},
		{key: "grpc.status_code", to: rpcStatus},
		{key: "grpc.authority", to: hostHeader},
		{key: "upstream_cluster.name", to: upstreamName, on: sender | internal},
		{key: "upstream_cluster", to: upstreamName, on: sender | internal},
		{key: "grpc.message", to: errorText},
		{key: "upstream_address", to: proxyPeer, on: sender | internal},
		{key: "peer.address", to: proxyPeer, on: sender | internal},
		{key: "response_flags", to: responseFlags},
		{key: "error.reason", to: errorText},
	},
	events: map[string]eventUse{
		"first_downstream_tx_byte_sent": firstEvent,
	},
	counters: []counterRow{
		{key: "x-envoy-attempt-count", at: request, meaning: trace.Ordinal, first: 1, by: byHeader},
		{key: "x-envoy-attempt-count", at: response, meaning: trace.Total, by: byTotal}, // Envoy include_attempt_count_in_response
		{key: "x-envoy-max-retries", at: request, limit: retryLimit},
	},
	keys: []keyRow{
		{key: "guid:x-request-id", kind: trace.RequestKey},
	},
	deadlines: []deadlineRow{
		{key: "grpc.timeout", unit: deadlineGRPC, scope: trace.CallScope},
		{key: "x-envoy-upstream-rq-timeout-ms", at: request, unit: deadlineMillis, scope: trace.CallScope},
		{key: "x-envoy-expected-rq-timeout-ms", at: request, unit: deadlineMillis, scope: trace.AttemptScope},
		{key: "x-envoy-upstream-rq-per-try-timeout-ms", at: request, unit: deadlineMillis, scope: trace.AttemptScope},
	},
	outcomes: []outcomeRow{
		{key: "status", value: "canceled", is: trace.Cut, class: trace.Cancelled},
		{key: "error", value: "true", is: trace.Failed, under: "envoy"},
	},
	scopes: []scopeRow{
		{prefix: "envoy", layer: trace.Proxy},
	},
	marks: []layerMark{
		{key: "component", value: "proxy", layer: trace.Proxy}, // Envoy http_tracer_impl.cc
	},
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
