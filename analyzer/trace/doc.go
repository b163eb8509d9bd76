// Package trace holds normalised spans and makes the requests of a set of
// them: calls, and under each call the attempts that somebody made of it.
//
// It imports the standard library only. Attribute names are unknown here:
// ingest/semconv has read them by the time a span arrives.
//
// # From spans to attempts
//
// Build goes through its steps once for all spans together, since each may
// need what the one before found anywhere in the input:
//
//   - copies.go: equal records are one span; the canonical order of their
//     contents makes the result independent of the order of arrival.
//   - parents.go: parent IDs; spans that share an ID are told apart by service
//     and time.
//   - ghosts.go: a parent that spans name and the input lacks gets a ghost with
//     the hull of its children, under the shortest span of its service around it.
//   - joins.go, pairs.go: links, request, message and job IDs join traces, and
//     so do address and time where the trace was lost on the way.
//   - identity.go: what each hop wants, and whether that is what its parent wants.
//   - numbers.go: whose attempts a retry counter counts.
//   - rootless.go: attempts that nobody made a span around.
//
// Requests then go top-down, a component at a time:
//
//   - chains.go sorts what one caller asked into calls: hops that want the same
//     and of which each came after the one before had failed. Redirects,
//     challenges, hedges, polls, pages, splits and health checks are none.
//   - calls.go follows the path of each attempt (SDK, HTTP client, server) to
//     where it branches into calls of its own, and names its outcome.
//   - owners.go names who decided on the attempts.
//   - logical.go sorts the attempts at the last hop into logical requests.
//
// An agent that runs a failing step again, over an SDK and a gateway that
// retry, too, becomes
//
//	invoke_agent
//	└─ call: generate, by the agent
//	   ├─ attempt 0 ─ call: generate, by the SDK
//	   │              ├─ attempt 0 ─ call: generate, by the gateway
//	   │              │              ├─ attempt 0: 503
//	   │              │              └─ attempt 1: 503
//	   │              └─ attempt 1 ─ …
//	   └─ attempt 1 ─ …
//
// and all attempts at the bottom are one logical request, since on every level
// they came of the same call.
//
// Every step is n log n at most and goes by loops, not by recursion on depth.
package trace
