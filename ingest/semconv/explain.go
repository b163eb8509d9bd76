package semconv

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/retryaudit/retryaudit/analyzer/trace"
	"github.com/retryaudit/retryaudit/ingest/record"
)

// ExplainCode says what is made of an error code, an HTTP status or the name
// of an exception: a line for what holds in general, and one for each provider
// where it means something else. It is empty for a code that nothing knows.
func ExplainCode(code string) []string {
	general := readCode(code, "")
	var lines, providers []string
	if general.class != trace.UnknownError {
		lines = append(lines, general.String())
	}
	special := map[string]string{}
	for _, p := range providerRows {
		if of := readCode(code, p.names[0]); of != general && of.class != trace.UnknownError && special[p.family] == "" {
			special[p.family] = of.String()
			providers = append(providers, p.family)
		}
	}
	slices.Sort(providers)
	for _, p := range providers {
		lines = append(lines, "at "+p+": "+special[p])
	}
	return lines
}

// meant is what a code means.
type meant struct {
	class   trace.Class
	verdict trace.Verdict
	conf    trace.Confidence
}

func (m meant) String() string {
	return fmt.Sprintf("%s, %s (%s)", m.class, m.verdict, m.conf)
}

// readCode reads a failed call of a provider whose error has the code.
func readCode(code, provider string) meant {
	text := func(s string) record.Value { return record.Value{Type: record.String, S: s} }
	r := record.Span{Trace: trace.TraceID{1}, ID: trace.SpanID{1}, Kind: trace.Client, Status: record.Error, Start: 1, End: 2}
	if provider != "" {
		r.Attrs = append(r.Attrs, record.Attr{Key: "gen_ai.provider.name", Value: text(provider)})
	}
	if status, err := strconv.Atoi(code); err == nil && status >= 100 && status < 600 {
		r.Attrs = append(r.Attrs, record.Attr{Key: "http.request.method", Value: text("POST")}, record.Attr{Key: "http.response.status_code", Value: record.Value{Type: record.Int, I: int64(status)}})
	} else {
		r.Attrs = append(r.Attrs, record.Attr{Key: "error.type", Value: text(code)})
	}
	store := trace.NewStore()
	New(store, Key{}).Add(&r, 0)
	s := store.Spans[0]
	return meant{s.Class, s.Verdict, s.ClassConf}
}

// ExplainAttribute says what is read from an attribute, or from a header or
// RPC metadatum of that name; it is empty for one that nothing reads.
func ExplainAttribute(name string) []string {
	var lines []string
	say := func(key, where string) {
		run, ok := attributes.runs[key]
		if !ok {
			return
		}
		for _, e := range attributes.entries[run.from:run.to] {
			line := where + meaningOf(e)
			if e.on != 0 {
				line += ", on " + e.on.String() + " spans"
			}
			if e.under != "" {
				line += fmt.Sprintf(", where the scope or the span's name begins with %q", e.under)
			}
			if !slices.Contains(lines, line) {
				lines = append(lines, line)
			}
		}
	}
	say(name, "")
	lower := strings.ToLower(name)
	for _, p := range []struct {
		at   place
		name string
	}{{request, "as a request header: "}, {response, "as a response header: "}} {
		say(p.at.prefixes()[0]+lower, p.name)
	}
	return lines
}

// String lists the kinds.
func (k kinds) String() string {
	var names []string
	for _, n := range []struct {
		kind trace.Kind
		name string
	}{{trace.Internal, "internal"}, {trace.Server, "server"}, {trace.Client, "client"}, {trace.Producer, "producer"}, {trace.Consumer, "consumer"}} {
		if k&(1<<n.kind) != 0 {
			names = append(names, n.name)
		}
	}
	return strings.Join(names, " and ")
}

func meaningOf(e entry) string {
	switch e.kind {
	case counterEntry:
		return counters[e.row].String()
	case keyEntry:
		return keys[e.row].String()
	case delayEntry:
		if delays[e.row].unit == remaining {
			return "what is left of a rate limit; tells whether its reset is a delay"
		}
		return "the delay that an answer asks for"
	case deadlineEntry:
		if deadlines[e.row].scope == trace.AttemptScope {
			return "the time limit of one attempt"
		}
		return "the deadline of the call, all attempts together"
	case layerEntry:
		m := &marks[e.row]
		line := "the span is of the layer " + m.layer.String()
		if m.value != "" {
			line += fmt.Sprintf(", where it is %q", m.value)
		}
		return line
	case outcomeEntry:
		o := &outcomes[e.row]
		line := fmt.Sprintf("%q says that the span %s", o.value, map[trace.Outcome]string{trace.OK: "succeeded", trace.Failed: "failed", trace.Cut: "was cut off"}[o.is])
		if o.class != trace.NoError {
			line += " with " + o.class.String()
		}
		return line
	}
	return fieldTexts[e.to]
}

// String says what a counter counts.
func (r counterRow) String() string {
	switch r.meaning {
	case trace.Ordinal:
		line := fmt.Sprintf("the number of the attempt, %d for the first", r.first)
		if r.resends {
			line += "; redirects and challenges are counted, too"
		}
		if r.received {
			line += "; a server got it from its caller"
		}
		return line
	case trace.Total:
		if r.first < 0 {
			return "the retries made within the span, one less than its attempts"
		}
		return "the attempts made within the span"
	}
	if r.limit == retryLimit {
		return "the retries that a setting allows"
	}
	return "the attempts that a setting allows"
}

// String says what an ID names.
func (r keyRow) String() string {
	name := map[trace.KeyKind]string{
		trace.RequestKey: "a request ID", trace.ParentKey: "the ID of the parent request", trace.MessageKey: "a message ID", trace.JobKey: "a job ID",
		trace.InvocationKey: "an invocation ID", trace.IdempotencyKey: "an idempotency key",
	}[r.kind]
	if name == "" {
		return "the ID of a call, equal on all its attempts"
	}
	dir := map[trace.Dir]string{trace.Sent: ", sent", trace.Received: ", received", trace.Answered: ", given in the answer"}[r.dir]
	return name + dir + ": joins spans across traces"
}

// fieldTexts says what each field is used for.
var fieldTexts = [fields]string{
	method:         "the HTTP method: a part of what a call wants",
	status:         "the HTTP status: outcome and error class",
	route:          "the route: a part of what a call wants",
	fullURL:        "the URL: target and route; its query is not kept",
	path:           "the path: a part of what a call wants where no route is known",
	query:          "the query: a hash of it tells polls and pages apart, the text is not kept",
	target:         "path and query: a part of what a call wants",
	serverAddress:  "the target's address",
	serverPort:     "the target's port",
	peerName:       "the target's address",
	peerPort:       "the target's port",
	hostHeader:     "the target's address",
	proxyPeer:      "the address that a proxy chose",
	networkPeer:    "the target's network address, where no name is known",
	networkPort:    "the target's port",
	userAgent:      "the client library: the likely owner of retries",
	bodySize:       "the size of the request: shows growth from attempt to attempt",
	bodyText:       "the request's body: only a hash is kept",
	rpcSystem:      "the RPC system",
	rpcService:     "the RPC service: a part of what a call wants",
	rpcMethod:      "the RPC method: a part of what a call wants",
	rpcStatus:      "the RPC status: outcome and error class",
	jsonRPCError:   "the JSON-RPC error code: outcome and error class",
	transparent:    "a resend by the transport, which is no retry",
	amzRequest:     "the AWS SDK's attempt, maximum and deadline",
	operation:      "the operation: tells model calls, agents and tools apart",
	spanKind:       "the kind of work: tells model calls, agents and tools apart",
	model:          "the model asked for: another one makes a further attempt a fallback",
	provider:       "the provider: decides what its error codes mean",
	agentName:      "the agent's name",
	tool:           "the tool that ran",
	toolArgs:       "the tool's arguments: only a hash is kept, which tells repetitions",
	input:          "the prompt: only a hash is kept",
	inTokens:       "input tokens: waste, and growth of the request",
	outTokens:      "output tokens: waste; on a failed span they show that output had begun",
	finish:         "why the model stopped: a final answer, a refusal, a limit",
	answerID:       "the answer's ID: shows that the provider answered",
	streaming:      "that the answer is streamed",
	firstSeconds:   "the time to the first output, in seconds",
	firstMillis:    "the time to the first output, in milliseconds",
	firstNanos:     "the time to the first output, in nanoseconds",
	session:        "the conversation or session: ranks likely attempts, never joins",
	toolsOffered:   "that tools are offered: a fallback needs them, too",
	schemaAsked:    "that a schema is asked for: a fallback needs it, too",
	invocation:     "parameters of the call: retries allowed, time limit, tools",
	channel:        "the deployment, key or account behind a gateway",
	hidden:         "LiteLLM's record of deployments, retries and fallbacks",
	fallbackIndex:  "which of a chain of fallbacks the span is",
	peerService:    "the name of the callee: the target's address, where none is told otherwise",
	baseURL:        "the target's address, where none is told otherwise",
	deferral:       "that the tool has not been run yet",
	runTags:        "tags: LangChain's retry:attempt:N is the number of the attempt",
	runMetadata:    "metadata: in Dify's, the retries of a node",
	googClient:     "Google's clients: the ID of the call and the number of the attempt",
	upstreamName:   "the upstream cluster that a proxy chose: the target's address",
	retryOwner:     "who repeats the attempts, by its own account",
	outputType:     "the kind of output asked for",
	messageSystem:  "the messaging system",
	messageOp:      "the messaging operation: sent, received, processed or settled",
	destination:    "the queue or topic: a part of what a message wants",
	jobName:        "the job's or task's name: a part of what it wants",
	queueName:      "the queue of a job; its IDs count per queue",
	jobID:          "the job's ID: further runs of it are attempts",
	step:           "the step of a workflow: a part of what a call wants",
	messageID:      "the message's ID: further deliveries of it are attempts",
	dagID:          "the workflow's definition; its runs are named within it",
	dagRun:         "the run of a workflow's definition",
	mapIndex:       "which of the parallel instances of a mapped task it is",
	runID:          "the run of a workflow; the IDs of its activities count per run",
	activityID:     "the activity's ID: further runs of it are attempts",
	dbSystem:       "the database system",
	dbOperation:    "the database operation: a part of what a call wants",
	dbStatement:    "the statement: only its first word and a hash are kept",
	errorType:      "the error's type: outcome and error class",
	errorCode:      "the error's code: error class",
	errorText:      "the error's message: error class, delay asked for; secrets are scrubbed",
	errorProvider:  "the provider that the error came from",
	exceptionType:  "the exception's type: error class",
	exceptionText:  "the exception's message: error class, delay asked for; secrets are scrubbed",
	oneOf:          "of how many spans one was kept: more than one is a sample",
	ruleShare:      "the share that a sampling rule keeps: below one is a sample",
	limitShare:     "the share that a limit of the rate lets through: below one is a sample",
	agentShare:     "the share that the agent asks for: below one is a sample",
	samplerType:    "the kind of sampler: one that limits the rate takes a sample",
	samplerParam:   "the probability of a sampler: below one is a sample",
	percentKept:    "the percentage that a sampler keeps: below 100 is a sample",
	stackText:      "the stack trace: which retry libraries it names, and nothing else of it",
	responseFlags:  "Envoy's response flags: outcome, error class and who refused",
	responseSource: "whether the gateway or its upstream answered: who refused",
}
