package trace

import "time"

// Facts are what only some spans tell. Unknown strings are 0, unknown numbers
// −1 where 0 is a possible value.
type Facts struct {
	Keys       []Key
	Links      []Link
	Counter    Counter
	RetryAfter Asked
	Deadline   Deadline
	// FirstOutput and CancelledAt are ns since the Unix epoch; 0 is unknown.
	FirstOutput, CancelledAt int64
	// InTokens, OutTokens, Bytes and Chunks are −1 where unknown. Bytes is the
	// size of the request body.
	InTokens, OutTokens, Bytes, Chunks int64
	// DeclaredMax is the number of attempts that a setting on the span allows,
	// the first one included; 0 is unknown. Beside an ordinal it limits the
	// attempts that the span is one of, else those that it makes.
	DeclaredMax int32
	Model       Sym // model asked for
	Tool        Sym // tool that ran
	Step        Sym // step or node of a workflow
	Session     Sym // conversation or session: never joins, only ranks
	Channel     Sym // deployment, key or account behind a gateway
	Provider    Sym
	Refuser     Sym // layer that refused: "gateway" or "provider"; 0 unknown
	// CallID is equal on all attempts of one call and on nothing else
	// (amz-sdk-invocation-id, x-ms-client-request-id); 0 is unknown.
	CallID Sym
	// Libraries names the retry libraries in the stack trace of the failure,
	// the innermost first and a comma between two, or the program of the process.
	Libraries Sym
	// Within says that the stack trace ends where the span does, so that the
	// libraries stand within it and not around it (Python, .NET).
	Within bool
	// InputHash is a keyed hash of the prompt or body; 0 is unknown. Prompts
	// themselves are never kept.
	InputHash  uint64
	Needs, Has Ability
	Events     []Event
}

// NewFacts returns facts of which nothing is known.
func NewFacts() Facts {
	return Facts{InTokens: -1, OutTokens: -1, Bytes: -1, Chunks: -1}
}

// KeyKind says what an ID names.
type KeyKind uint8

// The IDs that join spans. Conversation, session and user IDs are none.
const (
	RequestKey KeyKind = iota + 1
	ParentKey
	MessageKey
	JobKey
	InvocationKey
	IdempotencyKey
)

// Dir says how a span came by an ID.
type Dir uint8

// The directions of an ID.
const (
	Sent     Dir = iota + 1 // in a request that the span made
	Received                // in the request that the span serves
	Answered                // in the answer that the span got or gave
)

// Key is an ID that may be found on other spans, too.
type Key struct {
	ID   Sym
	Kind KeyKind
	Dir  Dir
}

// Link is an OpenTelemetry span link.
type Link struct {
	Trace TraceID
	ID    SpanID
}

// Meaning says what the number of a Counter counts.
type Meaning uint8

// The meanings of a counter; zero is no counter.
const (
	Ordinal Meaning = iota + 1 // number of this attempt, 0 for the first
	Total                      // attempts made in all, the first included
)

// Counter is an attempt number that a span carries, converted to base 0 for
// ordinals and to attempts for totals.
type Counter struct {
	Meaning Meaning
	// Received says that a server saw the number: it counts its sender's
	// attempts, not its own.
	Received bool
	// Resends says that the number counts every resend: redirects and
	// challenges, too (http.request.resend_count).
	Resends bool
	N       int32
	Source  Sym // the attribute or header, for explanations
}

// AskState says what an answer said about when to come back.
type AskState uint8

// The states of a Retry-After. Absent, zero, never and unusable differ.
const (
	Absent   AskState = iota
	For               // wait D, which may be 0
	Until             // wait until At
	Never             // do not come back (x-should-retry: false, negative pushback)
	Unusable          // present and not to be understood
)

// Asked is what an answer said about when to come back.
type Asked struct {
	D      time.Duration
	At     int64 // ns since the Unix epoch, by the callee's clock
	Source Sym
	State  AskState
}

// Scope says what a deadline limits.
type Scope uint8

// The scopes of a deadline; zero is none.
const (
	CallScope    Scope = iota + 1 // all attempts together
	AttemptScope                  // each attempt alone
)

// Deadline is a limit on time that a span declares.
type Deadline struct {
	D      time.Duration // from the span's start; 0 unknown
	At     int64         // ns since the Unix epoch; 0 unknown
	Source Sym
	Scope  Scope
}

// Ability is a set of what a request needs or a model has.
type Ability uint16

// The abilities of models.
const (
	Tools Ability = 1 << iota
	Vision
	Schema
	Region
)

// EventKind says what happened within a span.
type EventKind uint8

// The events that bear on retries.
const (
	RetryEvent EventKind = iota + 1
	FallbackEvent
	FirstChunk
	CancelEvent
)

// Event is something that happened within a span, at ns since the Unix epoch.
type Event struct {
	At   int64
	Kind EventKind
}
