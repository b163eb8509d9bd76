package semconv

import "github.com/retryaudit/retryaudit/analyzer/trace"

// conventionFamily: the published convention (design, section 9): what retry loops of one's own
// may write, which counts as declared.
var conventionFamily = family{
	rank: 0,
	rows: []row{
		{key: "retry.owner", to: retryOwner},
	},
	counters: []counterRow{
		{key: "retry.attempt", meaning: trace.Ordinal},
		{key: "retry.max_attempts", limit: attemptLimit},
	},
	keys: []keyRow{
		{key: "request.id", kind: trace.RequestKey},
		{key: "parent.request.id", kind: trace.ParentKey},
	},
	deadlines: []deadlineRow{
		{key: "retry.deadline_ms", unit: deadlineMillis, scope: trace.CallScope},
	},
}
