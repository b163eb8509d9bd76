package semconv

// datadogFamily: what Datadog's tracers call things that OpenTelemetry calls
// otherwise (dd-trace-py ddtrace/ext, contrib/internal/openai; dd-trace-js
// packages/dd-trace/ext/tags.js). openai.request.method and .endpoint have no
// row: a span of the SDK has no HTTP status, and one with a method would seem to
// have got no answer.
var datadogFamily = family{
	rank: 90,
	rows: []row{
		{key: "http.useragent", to: userAgent},
		{key: "out.host", to: peerName},
		{key: "network.destination.name", to: peerName},
		{key: "network.destination.ip", to: networkPeer},
		{key: "network.destination.port", to: peerPort},
		{key: "out.port", to: peerPort},
		{key: "error.msg", to: errorText},
		{key: "openai.request.model", to: model},
		{key: "anthropic.request.model", to: model},
		{key: "langchain.request.model", to: model},
		{key: "bedrock.request.model", to: model},     // dd-trace-py contrib/internal/botocore
		{key: "aws.bedrock.request.model", to: model}, // dd-trace-js datadog-plugin-aws-sdk bedrockruntime
		{key: "bedrock.request.model_provider", to: provider},
		{key: "aws.bedrock.request.model_provider", to: provider},
		{key: "openai.response.choices.0.finish_reason", to: finish}, // dd-trace-js datadog-plugin-openai, dd-trace-py
		{key: "openai.response.usage.prompt_tokens", to: inTokens},
		{key: "openai.response.usage.completion_tokens", to: outTokens},
		{key: "anthropic.response.usage.input_tokens", to: inTokens},
		{key: "anthropic.response.usage.output_tokens", to: outTokens},
		{key: "aws.service", to: rpcService},
		{key: "aws_service", to: rpcService},
		{key: "aws.operation", to: rpcMethod},
	},
}
