package trace

import (
	"encoding/hex"
	"slices"
	"time"
)

// TraceID is a W3C trace ID; all zeros is absent.
type TraceID [16]byte

// IsZero reports whether the ID is absent.
func (t TraceID) IsZero() bool { return t == TraceID{} }

// String returns the ID in lower-case hex.
func (t TraceID) String() string { return hex.EncodeToString(t[:]) }

// SpanID is a W3C span ID; all zeros is absent.
type SpanID [8]byte

// IsZero reports whether the ID is absent.
func (s SpanID) IsZero() bool { return s == SpanID{} }

// String returns the ID in lower-case hex.
func (s SpanID) String() string { return hex.EncodeToString(s[:]) }

// Kind is the OpenTelemetry span kind, numbered as OTLP numbers it.
type Kind uint8

// The span kinds of OTLP (opentelemetry-proto trace.proto, Span.SpanKind).
const (
	KindUnspecified Kind = iota
	Internal
	Server
	Client
	Producer
	Consumer
)

// Layer says which part of a system a span or an owner belongs to. Zero is
// unknown. Where one scope wraps another on the same level, the greater value
// is the outer one.
type Layer uint8

// The layers, from the wire outwards.
const (
	LayerUnknown  Layer = iota
	Transport           // an HTTP, RPC or messaging client or server instrumentation
	Proxy               // a proxy that forwards bytes: nginx, HAProxy, Envoy
	Gateway             // a gateway that knows what it forwards: LiteLLM, Portkey
	SDK                 // a client library with a retry loop of its own
	App                 // application code
	Tool                // a tool that an agent runs
	QueueLayer          // a broker or job queue that delivers again
	WorkflowLayer       // a workflow engine that runs steps again
	Agent               // an agent loop
	User                // a person or an outer system that asks again
)

var layerNames = [...]string{"", "transport", "proxy", "gateway", "sdk", "app", "tool", "queue", "workflow", "agent", "user"}

// String returns the layer's name in reports; unknown is empty.
func (l Layer) String() string { return layerNames[l] }

// LayerOf returns the layer of a name, LayerUnknown without.
func LayerOf(name string) Layer { return Layer(max(0, slices.Index(layerNames[:], name))) }

// Known says how an edge of the tree was found. Zero is unset; of what spans
// tell, a smaller value is better evidence.
type Known uint8

// The grades of evidence for an edge.
const (
	Declared   Known = iota + 1 // an ID, an ordinal or a parent says so
	Structural                  // the shape of the tree admits nothing else
	Inferred                    // times and likeness say so
	Policy                      // the policy file says so, whatever the spans do
)

// String returns the grade's name in reports.
func (k Known) String() string {
	return [...]string{"", "declared", "structural", "inferred", "policy"}[k]
}

// Confidence grades a class or a finding. Zero is unset; greater is surer.
type Confidence uint8

// The grades of confidence.
const (
	Possible Confidence = iota + 1
	Likely
	Certain
)

// String returns the grade's name in reports.
func (c Confidence) String() string {
	return [...]string{"", "possible", "likely", "certain"}[c]
}

// Outcome is what one span says of itself.
type Outcome uint8

// The outcomes of a span.
const (
	Unstated Outcome = iota // no status, no code: it neither claims success nor failure
	OK                      // a status, a code or an answer says it worked
	Failed                  // a status, a code, an error or the lack of an answer says it did not
	Cut                     // it was cancelled or abandoned: its caller left
)

// Flags are facts of one bit each.
type Flags uint32

// The flags of a span.
const (
	Ghost         Flags = 1 << iota // stands for a span that others name as parent and the input lacks
	ModelAsk                        // asks a model (chat, completion, embedding …), on whatever layer
	ToolRun                         // runs a tool
	Job                             // one run of a queued job or a workflow step
	Streaming                       // the answer was asked for or came as a stream
	Transparent                     // a transport's own resend that the callee never saw (gRPC A6)
	Health                          // a health or readiness check
	LongPoll                        // an answer that is held back until there is news
	NeverSent                       // refused locally or not connected: it did not reach the callee
	FinalAnswer                     // a model answered with a final stop reason, not with a tool call
	ReadOnly                        // a read by verb or by declaration (GET, HEAD, list, search …)
	Redirected                      // the answer was a redirect (3xx)
	NoAnswer                        // a client span without any status: nothing came back
	RetryingAgent                   // the library that the user agent names retries by default
	WholeCall                       // a client span that covers all attempts of its call (RPC, urllib3, botocore …)
	Sampled                         // exported from a sample: a share below one of all traces was kept
	WrappingAgent                   // the library that the user agent names drives another client, which numbers its own attempts only
)

// Has reports whether all bits of f are set.
func (g Flags) Has(f Flags) bool { return g&f == f }

// Span is one normalised span: fixed in size, free of pointers.
type Span struct {
	Trace      TraceID
	ID, Parent SpanID
	// Start and End are ns since the Unix epoch in the clock of Instance.
	Start, End int64
	// ArgsHash is a keyed hash of what was asked beyond operation and route:
	// tool arguments, URL query; 0 is unknown.
	ArgsHash uint64
	// Offset and Line are the place in the input, the line counted from 1;
	// Input is its path. All zero where there is none.
	Offset int64
	Line   uint32
	Input  Sym

	Service  Sym // service.name
	Instance Sym // the process, and so the clock: service.instance.id, or service, host and PID
	Scope    Sym // instrumentation scope
	Agent    Sym // library that the user agent names, sent (client) or received (server)
	Op       Sym // span name
	// Ask is the identity of what is wanted, without arguments: "generate",
	// "embed" … for a model, "tool NAME", "METHOD /route", "pkg.Service/Method",
	// "queue NAME", else the span name without its ordinal.
	Ask     Sym
	Address Sym // host:port or host of the callee; on server spans its own
	Code    Sym // the most specific error code the span gives, as text
	// Facts is the span's row of Store.Facts; 0 is none.
	Facts uint32
	// Status is the HTTP status, or 0. RPC codes stand in Code.
	Status    uint16
	Flags     Flags
	Kind      Kind
	Layer     Layer
	Outcome   Outcome
	Class     Class
	Verdict   Verdict
	ClassConf Confidence
}

// IsRun reports whether the span is one run of a queued job or workflow step:
// somebody else decides whether there is another.
func (s *Span) IsRun() bool { return s.Kind == Consumer || s.Flags.Has(Job) }

// Duration returns End − Start, never negative.
func (s *Span) Duration() time.Duration { return time.Duration(max(0, s.End-s.Start)) }
