package semconv

import "github.com/retryaudit/retryaudit/analyzer/trace"

// homegrownFamily: names that people give their own loops, as recordings and bug reports show
// them.
var homegrownFamily = family{
	rank: 170,
	events: map[string]eventUse{
		"gen_ai.first_token":       firstEvent,
		"first_token_sent_to_user": firstEvent,
		"retry.scheduled":          retryEvent,
		"cancelled":                cancelEvent,
	},
	counters: []counterRow{
		{key: "retry.attempt_number", meaning: trace.Ordinal, first: 1}, // home-grown; these count from 1
		{key: "operation.attempt", meaning: trace.Ordinal, first: 1},    // the same
		{key: "cqrs.retry.attempt", meaning: trace.Ordinal, first: 1},   // the same
		{key: "retry.attempts", meaning: trace.Total, by: byTotal},      // home-grown
		{key: "successful_attempt", meaning: trace.Total, by: byTotal},  // home-grown
		{key: "operation.max_retries", limit: retryLimit},               // home-grown
		{key: "messaging.redelivery.max_attempts", limit: attemptLimit}, // home-grown
	},
	keys: []keyRow{
		{key: "idempotency.key", kind: trace.IdempotencyKey}, // home-grown
		{key: "idempotency_key", kind: trace.IdempotencyKey}, // home-grown
	},
	outcomes: []outcomeRow{
		{key: "retry.success", value: "false", is: trace.Failed},
		{key: "retry.succeeded", value: "false", is: trace.Failed},
	},
}
