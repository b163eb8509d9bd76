package semconv

import (
	"strings"

	"github.com/retryaudit/retryaudit/analyzer/trace"
)

// A scopeRow gives the layer of an instrumentation scope.
type scopeRow struct {
	prefix string
	layer  trace.Layer
	whole  bool // the prefix is all of the scope's name
}

// scopeRows: attributes.md 0.3 and the scopes of recordings. A longer prefix
// stands before a shorter one.
var scopeRows = []scopeRow{
	{prefix: "@opentelemetry/instrumentation-openai", layer: trace.SDK},
	{prefix: "@opentelemetry/instrumentation-aws-sdk", layer: trace.SDK},
	{prefix: "@opentelemetry/instrumentation-amqplib", layer: trace.Transport},
	{prefix: "@opentelemetry/instrumentation-langchain", layer: trace.SDK},
	{prefix: "@opentelemetry/instrumentation-", layer: trace.Transport},
	{prefix: "@traceloop/", layer: trace.SDK},
	{prefix: "@arizeai/openinference-", layer: trace.SDK},
	{prefix: "openinference.instrumentation", layer: trace.SDK},
	{prefix: "opentelemetry.instrumentation.httpx", layer: trace.Transport},
	{prefix: "opentelemetry.instrumentation.requests", layer: trace.Transport},
	{prefix: "opentelemetry.instrumentation.urllib", layer: trace.Transport},
	{prefix: "opentelemetry.instrumentation.aiohttp", layer: trace.Transport},
	{prefix: "opentelemetry.instrumentation.grpc", layer: trace.Transport},
	{prefix: "opentelemetry.instrumentation.flask", layer: trace.Transport},
	{prefix: "opentelemetry.instrumentation.fastapi", layer: trace.Transport},
	{prefix: "opentelemetry.instrumentation.django", layer: trace.Transport},
	{prefix: "opentelemetry.instrumentation.starlette", layer: trace.Transport},
	{prefix: "opentelemetry.instrumentation.asgi", layer: trace.Transport},
	{prefix: "opentelemetry.instrumentation.wsgi", layer: trace.Transport},
	{prefix: "opentelemetry.instrumentation.tornado", layer: trace.Transport},
	{prefix: "opentelemetry.instrumentation.redis", layer: trace.Transport},
	{prefix: "opentelemetry.instrumentation.celery", layer: trace.QueueLayer},
	{prefix: "opentelemetry.instrumentation.remoulade", layer: trace.QueueLayer},
	{prefix: "opentelemetry.instrumentation.botocore", layer: trace.SDK},
	{prefix: "opentelemetry.instrumentation.boto3sqs", layer: trace.Transport},
	{prefix: "opentelemetry.instrumentation.", layer: trace.SDK}, // openllmetry and GenAI: openai, anthropic, langchain …
	{prefix: "opentelemetry.util.http", layer: trace.Transport},
	{prefix: "go.opentelemetry.io/contrib/instrumentation/github.com/aws/", layer: trace.SDK},
	{prefix: "go.opentelemetry.io/contrib/instrumentation/", layer: trace.Transport},
	{prefix: "go.opentelemetry.io/obi", layer: trace.Transport}, // eBPF instrumentation
	{prefix: "github.com/twmb/franz-go", layer: trace.Transport},
	{prefix: "grpc-go", layer: trace.Transport},
	{prefix: "grpc-java", layer: trace.Transport},
	{prefix: "gax-java", layer: trace.SDK},
	{prefix: "reqwest_tracing", layer: trace.Transport},
	{prefix: "io.opentelemetry.aws-sdk", layer: trace.SDK},
	{prefix: "io.opentelemetry.openai-java", layer: trace.SDK},
	{prefix: "io.opentelemetry.langchain4j", layer: trace.SDK},
	{prefix: "io.opentelemetry.spring-scheduling", layer: trace.App},
	{prefix: "io.opentelemetry.opentelemetry-annotations", layer: trace.App},
	{prefix: "io.opentelemetry.opentelemetry-instrumentation-annotations", layer: trace.App},
	{prefix: "io.opentelemetry.", layer: trace.Transport}, // the Java agent's clients and servers
	{prefix: "OpenTelemetry::Instrumentation::Sidekiq", layer: trace.QueueLayer},
	{prefix: "OpenTelemetry::Instrumentation::ActiveJob", layer: trace.QueueLayer},
	{prefix: "OpenTelemetry::Instrumentation::DelayedJob", layer: trace.QueueLayer},
	{prefix: "OpenTelemetry::Instrumentation::Que", layer: trace.QueueLayer},
	{prefix: "OpenTelemetry::Instrumentation::Resque", layer: trace.QueueLayer},
	{prefix: "OpenTelemetry::Instrumentation::", layer: trace.Transport},
	{prefix: "System.Net.Http", layer: trace.Transport},
	{prefix: "Microsoft.AspNetCore", layer: trace.Transport},
	{prefix: "Grpc.Net.Client", layer: trace.Transport},
	{prefix: "Azure.", layer: trace.SDK},
	{prefix: "@azure/", layer: trace.SDK},
	{prefix: "azure.core", layer: trace.SDK},
	{prefix: "azcore", layer: trace.SDK},
	{prefix: "Experimental.Microsoft.Extensions.AI", layer: trace.SDK},
	{prefix: "agent_framework", layer: trace.Agent},
	{prefix: "ai", layer: trace.SDK, whole: true}, // Vercel AI SDK 3–6
	{prefix: "gen_ai", layer: trace.SDK},          // Vercel AI SDK 7
	{prefix: "pydantic-ai", layer: trace.SDK},
	{prefix: "com.anthropic.", layer: trace.SDK},
	{prefix: "mistralai_sdk_tracer", layer: trace.SDK},
	{prefix: "gcp.vertex.agent", layer: trace.Agent},
	{prefix: "langsmith", layer: trace.SDK},
	{prefix: "haystack", layer: trace.Agent},
	{prefix: "bullmq", layer: trace.QueueLayer},
	{prefix: "@appsignal/opentelemetry-instrumentation-bullmq", layer: trace.QueueLayer},
	{prefix: "temporal-sdk-go", layer: trace.WorkflowLayer},
	{prefix: "temporalio", layer: trace.WorkflowLayer},
	{prefix: "io.temporal", layer: trace.WorkflowLayer},
	{prefix: "@temporalio/", layer: trace.WorkflowLayer},
	{prefix: "inngest", layer: trace.WorkflowLayer},
	{prefix: "airflow", layer: trace.WorkflowLayer},
	{prefix: "prefect", layer: trace.WorkflowLayer},
	{prefix: "restate", layer: trace.WorkflowLayer},
	{prefix: "core.app.workflow.", layer: trace.WorkflowLayer}, // dify
	{prefix: "dify", layer: trace.WorkflowLayer},
	{prefix: "github.com/traefik/traefik", layer: trace.Proxy},
	{prefix: "github.com/containous/traefik", layer: trace.Proxy},
	{prefix: "traefik", layer: trace.Proxy},
	{prefix: "envoy", layer: trace.Proxy},
	{prefix: "kong", layer: trace.Proxy},
	{prefix: "nginx", layer: trace.Proxy},
	{prefix: "haproxy", layer: trace.Proxy},
	{prefix: "apisix", layer: trace.Proxy},
	{prefix: "Yarp.ReverseProxy", layer: trace.Proxy},
	{prefix: "github.com/caddyserver/caddy", layer: trace.Proxy},
	{prefix: "linkerd", layer: trace.Proxy},
	{prefix: "spring.cloud.gateway", layer: trace.Proxy},
	{prefix: "litellm", layer: trace.Gateway},
	{prefix: "bifrost", layer: trace.Gateway},
	{prefix: "agentgateway", layer: trace.Gateway},
	{prefix: "portkey", layer: trace.Gateway},
	{prefix: "ai-gateway", layer: trace.Gateway},
	{prefix: "helicone", layer: trace.Gateway},
}

// A layerMark is an attribute by which a layer is recognised whose scope is
// missing, or is a name that the user chose.
type layerMark struct {
	key   string
	value string // empty: any
	layer trace.Layer
}

var layerMarks = []layerMark{
	{key: "component", value: "proxy", layer: trace.Proxy},          // Envoy http_tracer_impl.cc
	{key: "spring.cloud.gateway.route.id", layer: trace.Proxy},      // GatewayDocumentedObservation.java; the scope is Micrometer's
	{key: "apisix.route_id", layer: trace.Proxy},                    // apisix plugins/opentelemetry.lua
	{key: "gen_ai.number_of_retries", layer: trace.Gateway},         // bifrost core/schemas/trace.go; its scope is the service's name
	{key: "bifrost.retries", layer: trace.Gateway},                  // the same
	{key: "gen_ai.selected_key_id", layer: trace.Gateway},           // the same
	{key: "bifrost.selected_key.id", layer: trace.Gateway},          // the same
	{key: "litellm.call_id", layer: trace.Gateway},                  // litellm integrations/otel
	{key: "temporalWorkflowID", layer: trace.WorkflowLayer},         // temporal sdk-go interceptor/tracing_interceptor.go
	{key: "temporalRunID", layer: trace.WorkflowLayer},              // the same
	{key: "_inngest.run.id", layer: trace.WorkflowLayer},            // inngest pkg/tracing/meta
	{key: "restate.invocation.id", layer: trace.WorkflowLayer},      // restate crates/tracing-instrumentation
	{key: "dify.span.id", layer: trace.WorkflowLayer},               // dify core/ops/unified_trace/otlp_adapter.py
	{key: "prefect.run.type", layer: trace.WorkflowLayer},           // prefect src/prefect/telemetry/run_telemetry.py
	{key: "celery.action", layer: trace.QueueLayer},                 // opentelemetry-python-contrib celery
	{key: "messaging.sidekiq.job_class", layer: trace.QueueLayer},   // opentelemetry-ruby-contrib sidekiq
	{key: "messaging.bullmq.job.attempts", layer: trace.QueueLayer}, // appsignal bullmq instrumentation
	{key: "bullmq.job.id", layer: trace.QueueLayer},                 // bullmq src/enums/telemetry-attributes.ts
}

// callScopes are the scopes, by prefix, whose client spans cover all attempts
// of a call (attributes.md 0.2 and 4.1); those of RPC do, too.
var callScopes = []string{
	"opentelemetry.instrumentation.requests",
	"opentelemetry.instrumentation.urllib3",
	"opentelemetry.instrumentation.botocore",
	"@opentelemetry/instrumentation-aws-sdk",
	"go.opentelemetry.io/contrib/instrumentation/github.com/aws/",
	"io.opentelemetry.aws-sdk",
}

func coversCall(scope string) bool {
	for _, prefix := range callScopes {
		if strings.HasPrefix(scope, prefix) {
			return true
		}
	}
	return false
}

// scopeLayer returns the layer of a scope, LayerUnknown for one of the
// application's own.
func (n *Normalizer) scopeLayer(scope string) trace.Layer {
	if scope == "" {
		return trace.LayerUnknown
	}
	if l, ok := n.scopes[scope]; ok {
		return l
	}
	scope = strings.Clone(scope)
	layer := trace.LayerUnknown
	for _, r := range scopeRows {
		if rest, ok := strings.CutPrefix(scope, r.prefix); ok && endsWord(r.prefix, rest) && (rest == "" || !r.whole) {
			layer = r.layer
			break
		}
	}
	return remember(n.scopes, scope, layer)
}

// endsWord reports whether prefix ends where a word of the scope's name does:
// "ai" is not the beginning of "airtable".
func endsWord(prefix, rest string) bool {
	if rest == "" || !isLetter(lowerByte(prefix[len(prefix)-1])) {
		return true
	}
	return !isLetter(lowerByte(rest[0]))
}
