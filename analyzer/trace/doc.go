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
//   - siblings.go: spans of callbacks beside the requests that they made.
//   - identity.go: what each hop wants, and whether that is what its parent wants.
//   - numbers.go: whose attempts a retry counter counts.
//   - rootless.go: attempts that nobody made a span around.
//
// Requests then go top-down, a component at a time:
//
//   - chains.go sorts what one caller asked into calls: hops that want the same
//     and of which each came after the one before had failed. Redirects,
//     challenges, hedges, polls, pages, splits and health checks are none.
//   - runs.go: numbers bind first, and say how many attempts were not seen.
//   - doubts.go: how sure it is that a chain is no list of things.
//   - levels.go tells two owners apart who share a level of spans.
//   - calls.go follows the path of each attempt (SDK, HTTP client, server) to
//     where it branches into calls of its own, and names its outcome.
//   - owners.go names who decided on the attempts.
//   - corrections.go asks what a policy says of calls and owners, which goes
//     before all of this.
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
// # Situations
//
// One attempt is a path, however many layers made a span of it:
//
//	chat gpt-4o        sdk      ┐
//	└─ POST            client   │ one attempt; its outcome is the
//	   └─ POST         server   ┘ caller's, its class the surest one's
//
// Attempts that something between a client and its servers made have no span
// of their own. They are structural: the tree admits nothing else.
//
//	POST               client, 503
//	├─ POST            server, 503   attempt 1 ┐ by a proxy that
//	├─ POST            server, 503   attempt 2 │ nobody traced
//	└─ POST            server, 503   attempt 3 ┘
//
// A number tells of attempts that no span shows: a first seen attempt with
// number 2 stands behind a row of two hidden ones, a span with a total of 3
// makes a call of a row of two and itself. A counter that counts redirects,
// too, gives a range.
//
// A parent that is missing (an SDK does not export the span of a failing call)
// is a ghost, the hull of its children:
//
//	invoke_agent       10 s
//	├─ (ghost)         ├─── POST 503, POST 503, POST 503
//	└─ chat            └─── POST 200
//
// Requests of a callback's span lie beside it, as callbacks set no context.
// They are hung under the one that contains them:
//
//	invoke_agent                      invoke_agent
//	├─ ChatModel  |------|            ├─ ChatModel
//	├─ POST        |----|       →     │  └─ POST
//	├─ ChatModel  …   |-----|         └─ ChatModel
//	└─ POST             |--|             └─ POST
//
// Two loops around one request share a level of spans. Where the inner one's
// numbers begin anew, or the waits come in bursts of one shape, its attempts
// are one attempt each of the outer one:
//
//	work                              work
//	├─ POST  number 0                 └─ call, by work's own loop
//	├─ POST  number 1                    ├─ attempt 0 ─ call, by the SDK: 0, 1, 2
//	├─ POST  number 2           →        └─ attempt 1 ─ call, by the SDK: 0, 1
//	├─ POST  number 0
//	└─ POST  number 1
//
// Three things of a list, each tried once in an outage, and three attempts of
// one thing leave the same spans:
//
//	work               ok             for each: ask       or   until ok: ask
//	├─ POST  503
//	├─ POST  503                      Inputs, arguments and numbers tell them
//	└─ POST  503                      apart; else waits and the end say what is
//	                                  likely: a loop that gives up has failed.
//	                                  What may be a list makes no count higher
//
// Traces are joined where an ID, a link or a number says so, or where an
// address, the time and the outcome fit one client only:
//
//	trace 1: POST  client, sent x-request-id 7
//	trace 2:      POST  server, received x-request-id 7
//
// An edge is declared (an ID, a number, a parent), structural (the tree admits
// nothing else) or inferred (times and likeness); the confidence of a finding
// is that of its weakest edge. What a policy says of it is known as policy.
// Simulated systems hold the counts to what they did (simulated_test.go). An edge with several candidates is unsure: its
// call is ambiguous, and the attempts of equal calls are told together, but not
// those of each, and no waits. Such attempts, and what may be a list, raise no
// count: Sure parts them off.
//
// No retries are: a request sent again for a redirect or a challenge, a hedge
// (begun before the other had failed), a poll or a page (after a success, or
// at its usual pace), equal calls beside each other, a health check, parts of
// a request that was too large, a step after another, a call to another model
// (a fallback). Each Call says in Pattern and Reason what it was taken for.
//
// Every step is n log n at most and goes by loops, not by recursion on depth.
package trace
