package semconv

import "github.com/retryaudit/retryaudit/analyzer/trace"

// opentelemetryFamily: OpenTelemetry's own instrumentations by their scope (attributes.md 0.3).
// A client span of some covers all attempts of a call (0.2, 4.1).
var opentelemetryFamily = family{
	rank: 172,
	scopes: []scopeRow{
		{prefix: "@opentelemetry/instrumentation-openai", layer: trace.SDK},
		{prefix: "@opentelemetry/instrumentation-amqplib", layer: trace.Transport},
		{prefix: "@opentelemetry/instrumentation-langchain", layer: trace.SDK},
		{prefix: "@opentelemetry/instrumentation-", layer: trace.Transport},
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
		{prefix: "opentelemetry.instrumentation.", layer: trace.SDK}, // openllmetry and GenAI: openai, anthropic, langchain …
		{prefix: "opentelemetry.util.http", layer: trace.Transport},
		{prefix: "go.opentelemetry.io/contrib/instrumentation/", layer: trace.Transport},
		{prefix: "go.opentelemetry.io/obi", layer: trace.Transport}, // eBPF instrumentation
		{prefix: "github.com/twmb/franz-go", layer: trace.Transport},
		{prefix: "reqwest_tracing", layer: trace.Transport},
		{prefix: "io.opentelemetry.openai-java", layer: trace.SDK},
		{prefix: "io.opentelemetry.langchain4j", layer: trace.SDK},
		{prefix: "io.opentelemetry.spring-scheduling", layer: trace.App},
		{prefix: "io.opentelemetry.opentelemetry-annotations", layer: trace.App},
		{prefix: "io.opentelemetry.opentelemetry-instrumentation-annotations", layer: trace.App},
		{prefix: "io.opentelemetry.", layer: trace.Transport}, // the Java agent's clients and servers
		{prefix: "OpenTelemetry::Instrumentation::", layer: trace.Transport},
		{prefix: "System.Net.Http", layer: trace.Transport},
		{prefix: "Microsoft.AspNetCore", layer: trace.Transport},
	},
	wholeCalls: []string{
		"opentelemetry.instrumentation.requests",
		"opentelemetry.instrumentation.urllib3",
	},
}
