package semconv

import (
	"strings"

	otel "go.opentelemetry.io/otel/semconv/v1.43.0"

	"github.com/retryaudit/retryaudit/analyzer/trace"
)

// rpcFamily: RPC semantic conventions 1.43, their unreleased and old names
// (model/rpc; .chloggen/3921), gRPC A72 and the AWS SDK's header.
var rpcFamily = family{
	rank: 20,
	rows: []row{
		{key: otel.RPCSystemNameKey, to: rpcSystem},
		{key: "rpc.system", to: rpcSystem},
		{key: "rpc.service", to: rpcService},
		{key: otel.RPCMethodKey, to: rpcMethod},
		{key: "rpc.status_code", to: rpcStatus},
		{key: otel.RPCResponseStatusCodeKey, to: rpcStatus},
		{key: "rpc.grpc.status_code", to: rpcStatus},
		{key: "rpc.connect_rpc.error_code", to: rpcStatus},
		{key: "rpc.jsonrpc.error_code", to: jsonRPCError},
		{key: "transparent-retry", to: transparent},
	},
	events: map[string]eventUse{
		"Inbound message": firstEvent,
	},
	counters: []counterRow{
		{key: "previous-rpc-attempts", on: server, meaning: trace.Ordinal, received: true},     // gRPC A72, Recv spans
		{key: "previous-rpc-attempts", meaning: trace.Ordinal},                                 // gRPC A72, Attempt spans
		{key: "grpc-previous-rpc-attempts", at: request, meaning: trace.Ordinal, by: byHeader}, // gRPC A6
	},
	delays: []delayRow{
		{key: "grpc-retry-pushback-ms", at: response, unit: pushback}, // gRPC A6
	},
	deadlines: []deadlineRow{
		{key: "grpc-timeout", at: request, unit: deadlineGRPC, scope: trace.CallScope}, // gRPC over HTTP/2
	},
	scopes: []scopeRow{
		{prefix: "grpc-go", layer: trace.Transport},
		{prefix: "grpc-java", layer: trace.Transport},
		{prefix: "Grpc.Net.Client", layer: trace.Transport},
	},
	clients: []clientRow{
		{prefix: "grpc-go", name: "grpc-go"},
		{prefix: "grpc-java", name: "grpc-java"},
		{prefix: "grpc-node", name: "grpc-node"},
		{prefix: "grpc-python", name: "grpc-python"},
	},
}

// nativeRPCs are the span names of gRPC's own tracing, "Sent.pkg.Service.Method"
// (gRPC A72): the slash is written as a dot.
var nativeRPCs = []string{"Sent.", "Attempt.", "Recv."}

// modelMethods are RPC methods that ask a model: Bedrock Runtime's operations,
// Vertex AI's PredictionService and GenerativeService.
var modelMethods = map[string]struct {
	task   task
	stream bool
}{
	"InvokeModel":                        {generate, false},
	"InvokeModelWithResponseStream":      {generate, true},
	"InvokeModelWithBidirectionalStream": {generate, true},
	"Converse":                           {generate, false},
	"ConverseStream":                     {generate, true},
	"GenerateContent":                    {generate, false},
	"StreamGenerateContent":              {generate, true},
	"EmbedContent":                       {embed, false},
	"BatchEmbedContents":                 {embed, false},
}

// longPollMethods hold their answer back until there is news: SQS, Temporal.
var longPollMethods = map[string]bool{
	"ReceiveMessage": true, "PollActivityTaskQueue": true, "PollWorkflowTaskQueue": true, "PollNexusTaskQueue": true,
}

// rpcFacts is what the name of a method tells.
type rpcFacts struct {
	ask   trace.Sym
	task  task
	flags trace.Flags
}

type serviceMethod struct{ service, method string }

// rpcName returns service and method of an RPC span, both empty if it is none.
func (n *Normalizer) rpcName() serviceMethod {
	if m := text(n.at[rpcMethod]); m != "" {
		return serviceMethod{text(n.at[rpcService]), m}
	}
	for _, prefix := range nativeRPCs {
		if name, ok := strings.CutPrefix(n.record.Name, prefix); ok {
			return serviceMethod{"", name}
		}
	}
	return serviceMethod{}
}

func (n *Normalizer) rpcFacts(m serviceMethod) rpcFacts {
	if f, ok := n.rpcs[m]; ok {
		return f
	}
	m = serviceMethod{strings.Clone(m.service), strings.Clone(m.method)}
	full := strings.TrimPrefix(m.method, "/")
	i := strings.LastIndexByte(full, '/')
	if i < 0 && m.service == "" { // native: the last dot stands for the slash
		i = strings.LastIndexByte(full, '.')
	}
	service, name := m.service, full
	if i >= 0 {
		service, name = full[:i], full[i+1:]
	}
	if service != "" {
		full = service + "/" + name
	}
	f := rpcFacts{ask: n.store.Sym(scrub(full))}
	if t, ok := modelMethods[name]; ok {
		f.task = t.task
		if t.stream {
			f.flags |= trace.Streaming
		}
	}
	if strings.HasPrefix(service, "grpc.health.v1.") { // gRPC health checking protocol
		f.flags |= trace.Health
	}
	if longPollMethods[name] {
		f.flags |= trace.LongPoll
	}
	if readsByVerb(name) {
		f.flags |= trace.ReadOnly
	}
	return remember(n.rpcs, m, f)
}

// grpcCodes are the names of the gRPC status codes by number, and by the
// spelling of Connect (lower case).
var grpcCodes = [...]string{
	"OK", "CANCELLED", "UNKNOWN", "INVALID_ARGUMENT", "DEADLINE_EXCEEDED", "NOT_FOUND", "ALREADY_EXISTS",
	"PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION", "ABORTED", "OUT_OF_RANGE", "UNIMPLEMENTED",
	"INTERNAL", "UNAVAILABLE", "DATA_LOSS", "UNAUTHENTICATED",
}

// grpcCode returns the name of a gRPC status in any spelling, "" if it is none.
func grpcCode(s string) string {
	if s == "" {
		return ""
	}
	if n, ok := digits(s); ok {
		if n < len(grpcCodes) {
			return grpcCodes[n]
		}
		return ""
	}
	for _, name := range grpcCodes {
		if sameCode(s, name) {
			return name
		}
	}
	if strings.EqualFold(s, "canceled") { // Connect and Go spell it so
		return "CANCELLED"
	}
	return ""
}

// sameCode compares without regard to case and underscores: "DeadlineExceeded"
// (Go), "deadline_exceeded" (Connect) and "DEADLINE_EXCEEDED" are the same.
func sameCode(s, name string) bool {
	i := 0
	for j := 0; j < len(name); j++ {
		if name[j] == '_' {
			if i < len(s) && s[i] == '_' {
				i++
			}
			continue
		}
		if i >= len(s) || lowerByte(s[i]) != lowerByte(name[j]) {
			return false
		}
		i++
	}
	return i == len(s)
}

func lowerByte(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

// digits returns s as a number of at most six digits and nothing else.
func digits(s string) (int, bool) {
	if s == "" || len(s) > 6 {
		return 0, false
	}
	n := 0
	for i := 0; i < len(s); i++ {
		if s[i] < '0' || s[i] > '9' {
			return 0, false
		}
		n = n*10 + int(s[i]-'0')
	}
	return n, true
}

// readVerbs begin the names of methods and tools that only read.
var readVerbs = map[string]bool{
	"get": true, "list": true, "search": true, "read": true, "fetch": true, "find": true, "query": true,
	"lookup": true, "retrieve": true, "describe": true, "count": true, "check": true, "show": true, "view": true,
	"head": true, "watch": true,
}

// readsByVerb reports whether the first word of name is a verb of reading;
// words end at a separator or before a capital.
func readsByVerb(name string) bool {
	end := 0
	for end < len(name) {
		c := name[end]
		lower := 'a' <= c && c <= 'z'
		upper := 'A' <= c && c <= 'Z'
		if !lower && !(upper && end == 0) {
			break
		}
		end++
	}
	return readVerbs[strings.ToLower(name[:end])]
}
