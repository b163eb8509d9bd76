package analyzer

// What gRPC does in all languages.
const (
	grpcSetting = "retryPolicy.maxAttempts in the gRPC service config, which counts the first"
	grpcDefault = "no retries without a retryPolicy but those of requests that no server saw; at most 5 attempts with one"
)

// cloudKnobs: gRPC and the clients of cloud APIs.
var cloudKnobs = []Knob{
	{Library: "grpc-*", Also: []string{
		"opentelemetry.instrumentation.grpc*", "@opentelemetry/instrumentation-grpc", "io.opentelemetry.grpc*", "Grpc.Net.Client*"},
		Setting: grpcSetting, Default: grpcDefault, RetryAfter: "pushback in the trailers is used",
		Source: "grpc/proposal A6-client-retries.md"},
	// Its stats handler makes a span for each attempt, where the interceptors of
	// the others make one for all.
	{Library: "go.opentelemetry.io/contrib/instrumentation/google.golang.org/grpc*", Apart: true,
		Setting: grpcSetting, Default: grpcDefault, RetryAfter: "pushback in the trailers is used",
		Source: "grpc/proposal A6-client-retries.md; opentelemetry-go-contrib instrumentation/google.golang.org/grpc/otelgrpc/stats_handler.go"},

	// AWS
	{Library: "boto3", Also: []string{"botocore", "opentelemetry.instrumentation.botocore*", "opentelemetry.instrumentation.bedrock*"},
		Setting: "total_max_attempts in retries of botocore's Config, or AWS_MAX_ATTEMPTS", Value: "5", Off: "1", Attempts: 5,
		Default: "5 attempts in legacy mode, the default mode, 10 for DynamoDB; 3 in standard mode, with full jitter up to 20 s",
		Source:  "botocore botocore/data/_retry.json, configprovider.py, retries/standard.py (1.43.67)"},
	{Library: "aws-sdk-js", Also: []string{"@opentelemetry/instrumentation-aws-sdk"},
		Setting: "maxAttempts of the client, or AWS_MAX_ATTEMPTS", Value: "3", Off: "1", Attempts: 3, Default: "3 attempts in standard mode, full jitter up to 20 s",
		Source: "@smithy/core retry (for @aws-sdk/* version 3)"},
	{Library: "aws-sdk-go-v2", Also: []string{"go.opentelemetry.io/contrib/instrumentation/github.com/aws/aws-sdk-go-v2*"},
		Setting: "RetryMaxAttempts of the config, or AWS_MAX_ATTEMPTS", Value: "3", Off: "1", Attempts: 3, Default: "3 attempts in standard mode, full jitter up to 20 s",
		Source: "aws-sdk-go-v2 aws/retry/standard.go (1.48.0)"},
	{Library: "aws-sdk-go", Setting: "MaxRetries of the config", Value: "3", Off: "0", Attempts: 4, Default: "3 retries (version 1)",
		Source: "aws-sdk-go aws/client/default_retryer.go (1.55.8)"},
	{Library: "aws-sdk-java", Also: []string{"io.opentelemetry.aws-sdk*"},
		Setting: "the retry strategy of the client, or AWS_MAX_ATTEMPTS", Value: "4 in legacy mode, 3 in standard mode", Off: "1",
		Default: "4 attempts in legacy mode, 3 in standard mode (version 2)",
		Source:  "aws-sdk-java-v2 core/sdk-core/…/internal/retry/SdkDefaultRetrySetting.java"},
	{Library: "aws-sdk-rust", Setting: "max_attempts of the RetryConfig, or AWS_MAX_ATTEMPTS", Value: "3", Off: "1", Attempts: 3, Default: "3 attempts in standard mode, 1 s doubled up to 20 s",
		Source: "smithy-rs rust-runtime/aws-smithy-types/src/retry.rs (2026-08)"},
	{Library: "aws-sdk-*", Setting: "max_attempts of the client's config, or AWS_MAX_ATTEMPTS", Off: "1",
		Source: "unchecked: AWS SDKs and Tools Reference Guide, retry behavior"},

	// Azure
	{Library: "azure-sdk", Setting: "retry options of the client", Value: "3", Attempts: 4,
		Default: "3 retries in .NET, Go and JavaScript; in Python 3 of each kind, 10 in all",
		Source:  "Azure.Core RetryOptions.cs; azcore policy_retry.go; azure-core _retry.py"},
	{Library: "Azure.*", Setting: "Retry.MaxRetries of the client's options", Value: "3", Off: "0", Attempts: 4, Default: "3 retries, 0.8 s exponential up to 1 min", RetryAfter: "used, however long",
		Source: "azure-sdk-for-net sdk/core/Azure.Core/src/RetryOptions.cs"},
	{Library: "@azure/*", Setting: "retryOptions.maxRetries of the client", Value: "3", Off: "0", Attempts: 4, Default: "3 retries, 1 s doubled up to 64 s, half of it random",
		Source: "@azure/core-rest-pipeline (1.24.0), @typespec/ts-http-runtime src/retryStrategies/exponentialRetryStrategy.ts"},
	{Library: "azcore*", Also: []string{"github.com/Azure/azure-sdk-for-go*"},
		Setting: "Retry.MaxRetries of the client's options", Value: "3", Off: "-1", Attempts: 4, Default: "3 retries, 0.8 s doubled up to 60 s", RetryAfter: "used up to 60 s; a longer one ends the retries",
		Source: "azure-sdk-for-go sdk/azcore/policy/policy.go, runtime/policy_retry.go (1.24.0)"},
	{Library: "azure.core*", Also: []string{"azure-core*"},
		Setting: "retry_total and retry_status of the client", Value: "10 in all, 3 of each kind", Off: "retry_total=0",
		Default: "10 in all, 3 each of connecting, reading and statuses; 0.8 s doubled",
		Source:  "azure-sdk-for-python sdk/core/azure-core/azure/core/pipeline/policies/_retry.py"},

	// Google, Stripe
	{Library: "gax*", Also: []string{"google.api_core*", "google-cloud-*", "google.cloud.*", "@google-cloud/*", "cloud.google.com/go*"},
		Setting: "the retry settings of the method: gax.WithRetry, setRetrySettings, retry=…",
		Default: "set for each method; no limit on the count, until the call's deadline",
		Source:  "gax-go v2/call_option.go (2.27.0)"},
	{Library: "stripe", Setting: "maxNetworkRetries of the Stripe client, max_network_retries in Python", Value: "2", Off: "0", Attempts: 3, Default: "2 retries in Node.js and Python, 0.5 s doubled up to 5 s",
		Source: "stripe-node src/stripe.core.ts (23.1.0); stripe-python stripe/__init__.py (2026-07)"},
}
