package semconv

import (
	"strings"

	otel "go.opentelemetry.io/otel/semconv/v1.43.0"

	"github.com/retryaudit/retryaudit/analyzer/trace"
)

// messagingRows: messaging conventions 1.43 with their old names, and queues
// and workflow engines that write names of their own.
var messagingRows = []row{
	{key: otel.MessagingSystemKey, to: messageSystem},
	{key: otel.MessagingOperationTypeKey, to: messageOp},
	{key: "messaging.operation", to: messageOp},
	{key: otel.MessagingOperationNameKey, to: messageOp},
	{key: otel.MessagingDestinationNameKey, to: destination},
	{key: "messaging.destination", to: destination},
	{key: otel.MessagingMessageIDKey, to: messageID},
	{key: "messaging.message_id", to: messageID},
	{key: "celery.task_name", to: jobName}, // opentelemetry-python-contrib celery/__init__.py
	{key: "celery.action", to: messageOp},
	{key: "messaging.sidekiq.job_class", to: jobName}, // opentelemetry-ruby-contrib sidekiq
	{key: "messaging.active_job.adapter.name", to: messageSystem},
	{key: "messaging.delayed_job.name", to: jobName},
	{key: "bullmq.job.name", to: jobName}, // bullmq src/enums/telemetry-attributes.ts
	{key: "bullmq.queue.name", to: queueName},
	{key: "bullmq.queue.operation", to: messageOp},
	{key: "bullmq.job.id", to: jobID},
	{key: "bullmq.job.failed.reason", to: errorText},
	{key: "celery.retry.reason", to: errorText},
	{key: "temporalRunID", to: runID}, // temporal sdk-go interceptor/tracing_interceptor.go
	{key: "temporalActivityID", to: activityID},
	{key: "temporalActivityID", to: step},
	{key: "temporalActivityType", to: jobName},
	{key: "_inngest.run.id", to: runID}, // inngest pkg/tracing/meta
	{key: "_inngest.step.id", to: activityID},
	{key: "airflow.dag_id", to: dagID}, // apache/airflow, execution API
	{key: "airflow.dag_run.run_id", to: dagRun},
	{key: "airflow.task_id", to: activityID, under: "task_run."},
	{key: "airflow.task_instance.map_index", to: mapIndex},
	{key: "dag_id", to: dagID, under: "task_run."}, // airflow 2.10
	{key: "run_id", to: dagRun, under: "task_run."},
	{key: "task_id", to: activityID, under: "task_run."},
	{key: "_inngest.step.id", to: step},
	{key: "airflow.task_id", to: step}, // apache/airflow
	{key: "restate.invocation.error.code", to: errorCode},
	{key: "restate.error.code", to: errorCode},
	{key: "restate.deployment.address", to: baseURL, on: sender | internal}, // restate crates/invoker-impl
	{key: "celery.revoked.reason", to: errorText},
}

// jobNames are span names that begin a job or a step of a workflow, followed
// by its name; both sides of the queue or engine get the same identity.
var jobNames = []string{
	"RunActivity:", "StartActivity:", "RunWorkflow:", "StartWorkflow:", // temporal
	"task_run.",           // airflow
	"invocation-attempt ", // restate
}

// idleOps are messaging operations that are no run of a job (messaging
// conventions; BullMQ, which closes and looks after stalled jobs).
var idleOps = map[string]bool{"receive": true, "settle": true, "create": true, "send": true, "publish": true, "add": true, "apply_async": true}

// messageAsk fills in what a job, a message or a step of a workflow wants, and
// reports whether the span is one.
func (n *Normalizer) messageAsk() bool {
	s := &n.span
	for _, prefix := range jobNames {
		if name, ok := strings.CutPrefix(n.record.Name, prefix); ok {
			s.Ask = n.ask("job ", name)
			if strings.HasPrefix(prefix, "Start") {
				return true
			}
			s.Flags |= trace.Job
			return true
		}
	}
	if n.kind&queue == 0 {
		return false
	}
	if n.kind == kinds(1<<trace.Consumer) && !idleOps[text(n.at[messageOp])] {
		s.Flags |= trace.Job
	}
	if name := text(n.at[jobName]); name != "" {
		s.Ask = n.ask("job ", name)
		return true
	}
	if name := text(n.at[destination]); name != "" {
		s.Ask = n.ask("queue ", name)
		return true
	}
	if name := text(n.at[queueName]); name != "" {
		s.Ask = n.ask("queue ", name)
		return true
	}
	return false
}
