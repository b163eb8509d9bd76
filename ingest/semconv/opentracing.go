package semconv

// opentracingFamily: what Jaeger's and Zipkin's own clients wrote before
// OpenTelemetry (opentracing specification semantic_conventions.md; Brave
// instrumentation/http; the remote endpoint of Zipkin's v2 format, whose names
// the decoder keeps).
var opentracingFamily = family{
	rank: 80,
	rows: []row{
		{key: "http.path", to: path},
		{key: "peer.hostname", to: peerName, on: sender | internal},
		{key: "remoteEndpoint.serviceName", to: peerName, on: sender | internal},
		{key: "service.peer.name", to: peerService, on: sender | internal}, // semantic-conventions 1.39
		{key: "peer.service", to: peerService, on: sender | internal},
		{key: "peer.ipv4", to: networkPeer, on: sender | internal},
		{key: "remoteEndpoint.ipv4", to: networkPeer, on: sender | internal},
		{key: "remoteEndpoint.ipv6", to: networkPeer, on: sender | internal},
		{key: "peer.port", to: peerPort, on: sender | internal},
		{key: "remoteEndpoint.port", to: networkPort, on: sender | internal},
		{key: "error.kind", to: errorType},
		{key: "error", to: errorText},
	},
}
