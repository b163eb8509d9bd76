package analyzer

// queueKnobs: brokers and job queues, then workflow engines.
var queueKnobs = []Knob{
	// Job queues
	{Library: "opentelemetry.instrumentation.celery", Also: []string{"celery"},
		Setting: "max_retries of the task", Value: "3", Off: "0", Attempts: 4, Default: "3 retries where the task calls retry or has autoretry_for, 3 min apart; none otherwise",
		Source: "celery celery/app/task.py (2026-08)"},
	{Library: "opentelemetry.instrumentation.remoulade", Also: []string{"remoulade"},
		Setting: "max_retries of the actor", Off: "0", Attempts: 1, Default: "no retries without max_retries or retry_when; 15 s and more up to 1 hour with",
		Source: "remoulade remoulade/middleware/retries.py (2026-07)"},
	{Library: "dramatiq*", Also: []string{"opentelemetry.instrumentation.dramatiq*"},
		Setting: "max_retries of the actor", Value: "20", Off: "0", Attempts: 21, Default: "20 retries, 15 s doubled up to 7 days, with jitter",
		Source: "dramatiq dramatiq/middleware/retries.py (2026-08)"},
	{Library: "bullmq*", Also: []string{"@appsignal/opentelemetry-instrumentation-bullmq"},
		Setting: "attempts of the job's options", Value: "1", Off: "1", Attempts: 1, Default: "1 attempt; a stalled job is run again all the same",
		Source: "bullmq src/interfaces/base-job-options.ts (6.7.0)"},
	{Library: "OpenTelemetry::Instrumentation::Sidekiq", Also: []string{"sidekiq"},
		Setting: "sidekiq_options retry of the job", Value: "25", Off: "false", Attempts: 26, Default: "25 retries in about 3 weeks, count⁴ + 15 s, with jitter",
		Source: "sidekiq lib/sidekiq/job_retry.rb (2026-08)"},
	{Library: "OpenTelemetry::Instrumentation::ActiveJob", Setting: "attempts of retry_on in the job", Value: "5", Off: "1", Attempts: 5,
		Default: "5 attempts at the exceptions that a retry_on names, 3 s apart; none otherwise, but the queue adapter may retry too",
		Source:  "rails activejob/lib/active_job/exceptions.rb"},
	{Library: "OpenTelemetry::Instrumentation::DelayedJob", Setting: "Delayed::Worker.max_attempts, or max_attempts of the job", Value: "25", Off: "1", Attempts: 25, Default: "25 attempts",
		Source: "delayed_job lib/delayed/worker.rb (2025-12)"},
	{Library: "OpenTelemetry::Instrumentation::Que", Setting: "maximum_retry_count of the job", Value: "15", Off: "0", Attempts: 16, Default: "15 retries, count⁴ + 3 s, no jitter",
		Source: "que lib/que/job.rb, lib/que/worker.rb (2024-10)"},
	{Library: "OpenTelemetry::Instrumentation::Resque", Setting: "@retry_limit of the job's resque-retry plugin",
		Source: "unchecked: resque-retry README"},

	// Brokers: the same names as their clients, but of the queue layer
	{Library: "aws-sqs", Layer: "queue", Also: []string{
		"boto3", "botocore", "opentelemetry.instrumentation.botocore*", "opentelemetry.instrumentation.boto3sqs*",
		"aws-sdk-*", "@opentelemetry/instrumentation-aws-sdk", "io.opentelemetry.aws-sdk*",
		"go.opentelemetry.io/contrib/instrumentation/github.com/aws/*"},
		Setting: "maxReceiveCount in the redrive policy of the SQS queue",
		Source:  "unchecked: AWS SQS dead-letter queues"},
	{Library: "google-cloud-pubsub", Layer: "queue", Also: []string{"@google-cloud/pubsub*", "google.cloud.pubsub*", "cloud.google.com/go/pubsub*"},
		Setting: "max_delivery_attempts in the dead-letter policy of the Pub/Sub subscription", Value: "5", Attempts: 5,
		Default: "5 attempts where the dead-letter policy names no number",
		Source:  "docs: Pub/Sub API, DeadLetterPolicy.max_delivery_attempts"},
	{Library: "Azure.Messaging.ServiceBus*", Layer: "queue", Also: []string{"@azure/service-bus*", "azure.servicebus*"},
		Setting: "MaxDeliveryCount of the Service Bus queue or subscription",
		Source:  "unchecked: Azure Service Bus dead-letter queues"},

	// Workflow engines
	{Library: "temporal-sdk-go", Also: []string{"temporalio*", "io.temporal*", "@temporalio/*", "temporal*"},
		Setting: "MaximumAttempts in the activity's RetryPolicy", Value: "unlimited", Off: "1",
		Default: "no limit, 1 s doubled up to 100 s, until the activity's timeouts; a workflow itself is not retried",
		Source:  "docs: docs.temporal.io retry-policies; temporal api common/v1/message.proto (1.64.3)"},
	{Library: "inngest*", Setting: "retries of the function", Value: "4", Off: "0", Attempts: 5, Default: "4 retries of each step, so 5 attempts",
		Source: "inngest pkg/consts/consts.go (2026-08)"},
	{Library: "restate*", Setting: "max-attempts in the invocation's retry policy", Value: "70", Off: "1", Attempts: 70, Default: "70 attempts, 0.5 s doubled up to 60 s, then the invocation pauses",
		Source: "restate crates/types/src/config/invocation.rs (2026-08)"},
	{Library: "airflow*", Setting: "retries of the task, or default_task_retries", Value: "0", Off: "0", Attempts: 1, Default: "no retries unless retries is set",
		Source: "airflow DEFAULT_RETRIES from core.default_task_retries, fallback 0"},
	{Library: "prefect*", Setting: "retries of the task or flow", Value: "0", Off: "0", Attempts: 1, Default: "no retries",
		Source: "prefect src/prefect/settings/models/tasks.py, flows.py (2026-08)"},
}
