package semconv

import (
	"go.opentelemetry.io/otel/attribute"

	"github.com/retryaudit/retryaudit/analyzer/trace"
	"github.com/retryaudit/retryaudit/ingest/record"
)

// A field is one meaning that attributes can have. Where a span carries
// several attributes of one meaning, the row that stands first is read and the
// others are not: old names never count beside new ones.
type field uint8

// The fields, by the file that holds their rows.
const (
	none field = iota
	// http.go
	method
	status
	route
	fullURL
	path
	query
	target
	serverAddress
	serverPort
	peerName
	peerService
	peerPort
	hostHeader
	proxyPeer
	networkPeer
	networkPort
	userAgent
	bodySize
	bodyText
	// rpc.go
	rpcSystem
	rpcService
	rpcMethod
	rpcStatus
	jsonRPCError
	transparent
	amzRequest
	googClient
	// genai.go and the instrumentations
	operation
	spanKind
	model
	provider
	agentName
	tool
	toolArgs
	input
	inTokens
	outTokens
	finish
	answerID
	streaming
	firstSeconds
	firstMillis
	firstNanos
	session
	toolsOffered
	schemaAsked
	invocation
	channel
	hidden
	fallbackIndex
	outputType
	baseURL
	deferral
	runTags
	runMetadata
	// messaging.go, database.go
	messageSystem
	messageOp
	destination
	jobName
	queueName
	jobID
	step
	messageID
	runID
	dagID
	dagRun
	mapIndex
	activityID
	dbSystem
	dbOperation
	dbStatement
	// exceptions.go, gateways.go
	errorType
	errorCode
	errorText
	errorProvider
	exceptionType
	exceptionText
	stackText
	responseFlags
	responseSource
	upstreamName
	retryOwner
	// sampling.go
	oneOf
	ruleShare
	limitShare
	agentShare
	samplerType
	samplerParam
	percentKept
	fields // count
)

// kinds is a set of span kinds; the zero set stands for all.
type kinds uint8

const (
	internal = kinds(1<<trace.Internal | 1<<trace.KindUnspecified)
	server   = kinds(1 << trace.Server)
	client   = kinds(1 << trace.Client)
	sender   = kinds(1<<trace.Client | 1<<trace.Producer)
	receiver = kinds(1<<trace.Server | 1<<trace.Consumer)
	queue    = kinds(1<<trace.Producer | 1<<trace.Consumer)
)

// place says where a name stands: it is an attribute's own, or that of a
// captured header or RPC metadatum.
type place uint8

const (
	attr place = iota
	request
	response
)

// prefixes are the attribute name prefixes of captured headers and metadata
// (HTTP and RPC conventions, old and new; AI SDK 3–6 for ai.request.headers).
func (p place) prefixes() []string {
	switch p {
	case request:
		return []string{
			"http.request.header.", "rpc.request.metadata.", "rpc.grpc.request.metadata.",
			"rpc.connect_rpc.request.metadata.", "ai.request.headers.",
		}
	case response:
		return []string{
			"http.response.header.", "rpc.response.metadata.", "rpc.grpc.response.metadata.",
			"rpc.connect_rpc.response.metadata.",
		}
	default:
		return []string{""}
	}
}

// A row says which field an attribute fills.
type row struct {
	key attribute.Key
	to  field
	at  place
	on  kinds
	// under is a prefix of the scope or of the span name without which the
	// name means something else; empty: it is unambiguous.
	under string
}

// entryKind says which table an entry points into.
type entryKind uint8

const (
	fieldEntry entryKind = iota
	counterEntry
	keyEntry
	delayEntry
	deadlineEntry
	outcomeEntry
	layerEntry
)

// An entry is a row of any table under one attribute name. Entries of one name
// stand together, in the order of their tables.
type entry struct {
	under string
	row   uint16 // of its table; the rank among the rows of one field
	to    field
	kind  entryKind
	on    kinds
}

// run is a stretch of entries.
type run struct{ from, to uint16 }

type directory struct {
	runs    map[string]run
	entries []entry
}

// attributes finds the rows of an attribute name.
var attributes = newDirectory()

func newDirectory() *directory {
	byName := map[string][]entry{}
	var order []string
	add := func(key string, at place, e entry) {
		for _, prefix := range at.prefixes() {
			for _, name := range spellings(key, at) {
				name = prefix + name
				if byName[name] == nil {
					order = append(order, name)
				}
				byName[name] = append(byName[name], e)
			}
		}
	}
	for i, r := range rows {
		add(string(r.key), r.at, entry{kind: fieldEntry, row: uint16(i), to: r.to, on: r.on, under: r.under})
	}
	for i, r := range counters {
		add(r.key, r.at, entry{kind: counterEntry, row: uint16(i), on: r.on, under: r.under})
	}
	for i, r := range keys {
		add(r.key, r.at, entry{kind: keyEntry, row: uint16(i), on: r.on, under: r.under})
	}
	for i, r := range delays {
		add(r.key, r.at, entry{kind: delayEntry, row: uint16(i)})
	}
	for i, r := range deadlines {
		add(r.key, r.at, entry{kind: deadlineEntry, row: uint16(i)})
	}
	for i, r := range outcomes {
		add(r.key, attr, entry{kind: outcomeEntry, row: uint16(i), under: r.under})
	}
	for i, r := range marks {
		add(r.key, attr, entry{kind: layerEntry, row: uint16(i)})
	}
	d := &directory{runs: make(map[string]run, len(order))}
	for _, name := range order {
		from := len(d.entries)
		d.entries = append(d.entries, byName[name]...)
		d.runs[name] = run{uint16(from), uint16(len(d.entries))}
	}
	return d
}

// spellings are the forms of a header's name: Python's instrumentations write
// an underscore for each hyphen (opentelemetry-util-http).
func spellings(key string, at place) []string {
	if at == attr {
		return []string{key}
	}
	under := []byte(key)
	for i, c := range under {
		if c == '-' {
			under[i] = '_'
		}
	}
	if string(under) == key {
		return []string{key}
	}
	return []string{key, string(under)}
}

// found is an attribute that an entry of a table other than rows fits.
type found struct {
	value *record.Value
	name  string
	row   uint16
	kind  entryKind
}
