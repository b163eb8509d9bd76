package semconv

import "github.com/retryaudit/retryaudit/analyzer/trace"

// awsFamily: the AWS SDKs (aws-sdk-go-v2 aws/retry/middleware.go; botocore).
var awsFamily = family{
	rank: 105,
	rows: []row{
		{key: "amz-sdk-request", to: amzRequest, at: request},
		{key: "amz-sdk-request", to: amzRequest},
	},
	events: map[string]eventUse{
		"HTTP request failure": failedTryEvent, // AWS Java agent, TracingExecutionInterceptor.java
	},
	counters: []counterRow{
		{key: "aws.retries", meaning: trace.Total, first: -1, by: byTotal},    // X-Ray segment documents: retries made
		{key: "retry_attempts", meaning: trace.Total, first: -1, by: byTotal}, // botocore: retries made
	},
	keys: []keyRow{
		{key: "x-amzn-requestid", at: response, kind: trace.RequestKey, dir: trace.Answered},
		{key: "aws.request_id", kind: trace.RequestKey, dir: trace.Answered}, // semantic-conventions aws
		{key: "aws.requestid", kind: trace.RequestKey, dir: trace.Answered},  // dd-trace-py contrib/internal/botocore
		{key: "aws.requestId", kind: trace.RequestKey, dir: trace.Answered},  // dd-trace-java aws-java-sdk
		{key: "aws.request.id", kind: trace.RequestKey, dir: trace.Answered}, // opentelemetry-js-contrib
		{key: "amz-sdk-invocation-id", at: request},
	},
	delays: []delayRow{
		{key: "x-amz-retry-after", at: response, unit: millis},
	},
	scopes: []scopeRow{
		{prefix: "@opentelemetry/instrumentation-aws-sdk", layer: trace.SDK},
		{prefix: "opentelemetry.instrumentation.botocore", layer: trace.SDK},
		{prefix: "opentelemetry.instrumentation.boto3sqs", layer: trace.Transport},
		{prefix: "go.opentelemetry.io/contrib/instrumentation/github.com/aws/", layer: trace.SDK},
		{prefix: "io.opentelemetry.aws-sdk", layer: trace.SDK},
	},
	wholeCalls: []string{
		"opentelemetry.instrumentation.botocore",
		"@opentelemetry/instrumentation-aws-sdk",
		"go.opentelemetry.io/contrib/instrumentation/github.com/aws/",
		"io.opentelemetry.aws-sdk",
	},
	clients: []clientRow{
		{prefix: "aws-sdk-go-v2", name: "aws-sdk-go-v2", retries: true},
		{prefix: "aws-sdk-go", name: "aws-sdk-go", retries: true},
		{prefix: "aws-sdk-js", name: "aws-sdk-js", retries: true},
		{prefix: "aws-sdk-java", name: "aws-sdk-java", retries: true},
		{prefix: "aws-sdk-rust", name: "aws-sdk-rust", retries: true},
		{prefix: "boto3", name: "boto3", retries: true},
		{prefix: "botocore", name: "botocore", retries: true},
	},
}
