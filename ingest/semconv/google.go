package semconv

import "github.com/retryaudit/retryaudit/analyzer/trace"

// googleFamily: Google's clients (gax-go v2/invoke.go, google-cloud-go storage/invoke.go).
var googleFamily = family{
	rank: 104,
	rows: []row{
		{key: "x-goog-api-client", to: googClient, at: request},
	},
	counters: []counterRow{
		{key: "gcp.grpc.resend_count", on: client, meaning: trace.Ordinal, by: byResend},
		{key: "gcp.grpc.resend_count", on: internal, meaning: trace.Total, first: -1, by: byResend}, // Google's Node clients: total resends on the call
	},
	keys: []keyRow{
		{key: "x-goog-request-id", at: response, kind: trace.RequestKey, dir: trace.Answered},
		{key: "x-goog-gcs-idempotency-token", at: request, kind: trace.IdempotencyKey},
	},
	scopes: []scopeRow{
		{prefix: "gax-java", layer: trace.SDK},
	},
	clients: []clientRow{
		{prefix: "google-genai-sdk", name: "google-genai"},
	},
}
