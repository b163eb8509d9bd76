package semconv

import "github.com/retryaudit/retryaudit/analyzer/trace"

// azureFamily: the Azure SDKs (Azure tracing conventions; azure-core).
var azureFamily = family{
	rank: 106,
	keys: []keyRow{
		{key: "apim-request-id", at: response, kind: trace.RequestKey, dir: trace.Answered},
		{key: "azure.service.request.id", kind: trace.RequestKey, dir: trace.Answered}, // semantic-conventions azure
		{key: "az.service_request_id", kind: trace.RequestKey, dir: trace.Answered},    // before
		{key: "x-ms-request-id", at: response, kind: trace.RequestKey, dir: trace.Answered},
		{key: "x-ms-client-request-id", at: request},
		{key: "x-ms-request-id", kind: trace.RequestKey, dir: trace.Answered},       // old Azure Python
		{key: "az.service_request.id", kind: trace.RequestKey, dir: trace.Answered}, // Azure Rust
		{key: "az.client_request_id"},
		{key: "x-ms-client-request-id"},      // old Azure Python
		{key: "requestId", under: "@azure/"}, // Azure JS: the client's
	},
	delays: []delayRow{
		{key: "x-ms-retry-after-ms", at: response, unit: millis},
	},
	outcomes: []outcomeRow{
		{key: "messaging.servicebus.disposition_status", value: "complete", is: trace.OK}, // semantic-conventions azure
		{key: "messaging.servicebus.disposition_status", value: "abandon", is: trace.Failed},
		{key: "messaging.servicebus.disposition_status", value: "dead_letter", is: trace.Failed},
	},
	scopes: []scopeRow{
		{prefix: "Azure.", layer: trace.SDK},
		{prefix: "@azure/", layer: trace.SDK},
		{prefix: "azure.core", layer: trace.SDK},
		{prefix: "azcore", layer: trace.SDK},
	},
	clients: []clientRow{
		{prefix: "azsdk-python-", name: "azure.core", retries: true},
		{prefix: "azsdk-net-", name: "Azure.Core", retries: true},
		{prefix: "azsdk-js-", name: "@azure/core-rest-pipeline", retries: true},
		{prefix: "azsdk-go-", name: "azcore", retries: true},
		{prefix: "azsdk-", name: "azure-sdk", retries: true},
	},
}
