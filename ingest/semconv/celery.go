package semconv

import "github.com/retryaudit/retryaudit/analyzer/trace"

// celeryFamily: Celery and Remoulade (opentelemetry-python-contrib).
var celeryFamily = family{
	rank: 141,
	rows: []row{
		{key: "celery.task_name", to: jobName}, // opentelemetry-python-contrib celery/__init__.py
		{key: "celery.action", to: messageOp},
		{key: "celery.retry.reason", to: errorText},
		{key: "celery.revoked.reason", to: errorText},
	},
	counters: []counterRow{
		{key: "celery.retries", meaning: trace.Ordinal},        // opentelemetry-python-contrib celery
		{key: "remoulade.retry_count", meaning: trace.Ordinal}, // the same, remoulade
	},
	deadlines: []deadlineRow{
		{key: "celery.expires", unit: deadlineISO, scope: trace.CallScope},          // celery instrumentation
		{key: "celery.timelimit", unit: deadlineSeconds, scope: trace.AttemptScope}, // [soft, hard], per run
	},
	outcomes: []outcomeRow{
		{key: "celery.state", value: "success", is: trace.OK}, // opentelemetry-python-contrib celery
		{key: "celery.state", value: "retry", is: trace.Failed},
		{key: "celery.state", value: "failure", is: trace.Failed},
		{key: "celery.state", value: "revoked", is: trace.Cut, class: trace.Cancelled},
	},
	scopes: []scopeRow{
		{prefix: "opentelemetry.instrumentation.celery", layer: trace.QueueLayer},
		{prefix: "opentelemetry.instrumentation.remoulade", layer: trace.QueueLayer},
	},
	marks: []layerMark{
		{key: "celery.action", layer: trace.QueueLayer}, // opentelemetry-python-contrib celery
	},
}
