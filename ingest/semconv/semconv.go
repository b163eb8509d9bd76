// Package semconv reads the meaning of records: attribute names of all
// conventions, libraries and ages become the fields of trace.Span and
// trace.Facts. It is the only package that knows attribute names.
//
// What an attribute means is a row of a table, one file to a family; what an
// error means is a row of the tables in class*.go. Prompts, completions, tool
// arguments and bodies are hashed and not kept; what is kept is scrubbed of
// secrets.
package semconv

import (
	"cmp"
	"encoding/binary"
	"strings"

	"github.com/retryaudit/retryaudit/analyzer/trace"
	"github.com/retryaudit/retryaudit/ingest/record"
)

// A Normalizer reads the meaning of records into a store. It is not safe for
// concurrent use, and what it makes of a record does not depend on the records
// before it.
type Normalizer struct {
	store *trace.Store

	// Of the record at hand.
	record     *record.Span
	span       trace.Span
	facts      trace.Facts
	factual    bool // facts tells something
	kind       kinds
	at         [fields]*record.Value
	rank       [fields]uint16 // of the row that filled at, from 1
	found      []found
	keys       []trace.Key
	links      []trace.Link
	events     []trace.Event
	model      trace.Sym // asked for
	messages   uint64    // hash of messages with an attribute each
	exceptions int
	stack      []string      // retry libraries that stack traces name
	within     bool          // that trace ends where the span does
	program    string        // that retries, as its command line names it
	tries      tries         // that events tell of
	layer      trace.Layer   // that a mark tells
	said       trace.Outcome // by an explicit attribute or event
	saidClass  trace.Class
	flagged    bool // by a response flag of Envoy
	suspended  bool // the run goes on in another
	guessed    bool // the delay is that of a limit of which nothing says that it was spent

	// What strings mean, remembered within bounds.
	instances map[instanceKey]trace.Sym
	scopes    map[string]trace.Layer
	clients   map[string]clientFacts
	providers map[string]string
	hosts     map[string]string
	models    map[string]string
	paths     map[string]pathFacts
	verbPaths map[verbPath]trace.Sym
	addresses map[hostPort]trace.Sym
	rpcs      map[serviceMethod]rpcFacts
	names     map[string]nameFacts
	judged    map[evidence]judgement

	custom map[string][]customRow // that the user gave
	told   []customFact           // of the record at hand, under such names
	k0, k1 uint64                 // of the hashes
	text   []byte
	buf    []byte

	// Blocks from which the slices of facts are cut.
	keyBlock   []trace.Key
	linkBlock  []trace.Link
	eventBlock []trace.Event
}

// New returns a Normalizer that adds to store and hashes private texts with
// the key.
func New(store *trace.Store, key Key) *Normalizer {
	return &Normalizer{
		store:     store,
		instances: map[instanceKey]trace.Sym{},
		scopes:    map[string]trace.Layer{},
		clients:   map[string]clientFacts{},
		providers: map[string]string{},
		hosts:     map[string]string{},
		models:    map[string]string{},
		paths:     map[string]pathFacts{},
		verbPaths: map[verbPath]trace.Sym{},
		addresses: map[hostPort]trace.Sym{},
		rpcs:      map[serviceMethod]rpcFacts{},
		names:     map[string]nameFacts{},
		judged:    map[evidence]judgement{},
		k0:        binary.LittleEndian.Uint64(key[:8]),
		k1:        binary.LittleEndian.Uint64(key[8:]),
	}
}

// maxMemo is how many strings of a kind are remembered. It is above the routes
// and names of a large system; unique strings make it start anew.
const maxMemo = 1 << 14

// remember notes v under k, which must be a copy of the record's strings.
func remember[K comparable, V any](memo map[K]V, k K, v V) V {
	if len(memo) >= maxMemo {
		clear(memo)
	}
	memo[k] = v
	return v
}

// Add normalises one record, read from the input at path, into the store.
func (n *Normalizer) Add(r *record.Span, path trace.Sym) {
	n.reset(r)
	s := &n.span
	*s = trace.Span{
		Trace: r.Trace, ID: r.ID, Parent: r.Parent, Start: r.Start, End: r.End,
		Offset: r.Offset, Line: uint32(max(0, r.Line)), Input: path,
		Kind: n.span.Kind, Scope: n.store.Sym(r.Scope), Op: n.nameFacts(r.Name).op,
	}
	n.readResource(r.Resource)
	n.read(r.Attrs)
	n.readEvents(r.Events)
	for i := range r.Links {
		n.links = append(n.links, trace.Link{Trace: r.Links[i].Trace, ID: r.Links[i].ID})
	}
	// A time that is missing, or before the start, has been reported; the other
	// one stands for both, so that no wait is the difference to 1970.
	if s.Start == 0 {
		s.Start = s.End
	}
	s.End = max(s.Start, s.End)
	s.Address = n.addressSym()
	agent := n.client(header(n.at[userAgent]))
	if n.kind&receiver == 0 && n.at[retryOwner] != nil {
		agent = n.declaredOwner(text(n.at[retryOwner]), agent)
	}
	if s.Agent = agent.name; agent.retries {
		s.Flags |= trace.RetryingAgent
	}
	if agent.wraps {
		s.Flags |= trace.WrappingAgent
	}
	if n.ofSample() {
		s.Flags |= trace.Sampled
	}
	n.want()
	n.tell()
	n.tellStack()
	n.count()
	n.readKeys()
	n.readDelays()
	n.readDeadlines()
	n.readCustom()
	n.decide()
	n.countTries()
	n.finish()
}

func (n *Normalizer) reset(r *record.Span) {
	n.record = r
	n.span.Kind = n.kindOf()
	n.kind = 1 << n.span.Kind
	n.facts, n.factual = trace.NewFacts(), false
	n.at, n.rank = [fields]*record.Value{}, [fields]uint16{}
	n.found, n.keys, n.links, n.events = n.found[:0], n.keys[:0], n.links[:0], n.events[:0]
	n.model, n.messages, n.exceptions = 0, 0, 0
	n.told = n.told[:0]
	n.stack, n.within, n.program = nil, false, ""
	n.layer, n.tries = trace.LayerUnknown, tries{}
	n.said, n.saidClass, n.flagged, n.guessed, n.suspended = trace.Unstated, trace.NoError, false, false, false
}

// read files the attributes under their fields and tables, in one pass.
func (n *Normalizer) read(all []record.Attr) {
	for i := range all {
		a := &all[i]
		if a.Value.Type == record.Empty || a.Value.Type == record.String && a.Value.S == "" {
			continue
		}
		for _, row := range n.custom[a.Key] {
			n.told = append(n.told, customFact{row, a.Key, &a.Value})
		}
		run, ok := attributes.runs[a.Key]
		if !ok {
			n.indexed(a)
			continue
		}
		for j := run.from; j < run.to; j++ {
			e := &attributes.entries[j]
			if e.on != 0 && e.on&n.kind == 0 {
				continue
			}
			if e.under != "" && !strings.HasPrefix(n.record.Scope, e.under) && !strings.HasPrefix(n.record.Name, e.under) {
				continue
			}
			switch e.kind {
			case fieldEntry:
				if n.rank[e.to] == 0 || e.row+1 < n.rank[e.to] {
					n.rank[e.to], n.at[e.to] = e.row+1, &a.Value
				}
			case layerEntry:
				if m := &marks[e.row]; n.layer == trace.LayerUnknown && (m.value == "" || m.value == text(&a.Value)) {
					n.layer = m.layer
				}
			case outcomeEntry:
				if o := &outcomes[e.row]; strings.EqualFold(text(&a.Value), o.value) {
					n.said, n.saidClass = o.is, o.class
				}
			default:
				n.found = append(n.found, found{value: &a.Value, name: a.Key, row: e.row, kind: e.kind})
			}
		}
	}
	if v := n.at[responseFlags]; v != nil {
		_, n.flagged = flagOf(text(v))
	}
}

type instanceKey struct {
	service, instance, host, pid string
	number                       int64
}

// readResource fills in service and instance.
func (n *Normalizer) readResource(all []record.Attr) {
	var k instanceKey
	var pod string
	for i := range all {
		v := &all[i].Value
		switch all[i].Key {
		case "service.name":
			k.service = text(v)
		case "service.instance.id":
			k.instance = text(v)
		case "host.name":
			k.host = text(v)
		case "k8s.pod.name":
			pod = text(v)
		case "telemetry.sdk.name":
			// Bifrost names its scope after the service (plugins/otel/converter.go).
			if text(v) == "bifrost" {
				n.layer = trace.Gateway
			}
		case "process.command", "process.command_args":
			n.readProgram(v)
		case "process.pid":
			if v.Type == record.Int {
				k.number = v.I
			} else {
				k.pid = text(v)
			}
		}
	}
	if k.host == "" {
		k.host = pod
	}
	n.span.Service = n.store.Sym(k.service)
	if y, ok := n.instances[k]; ok {
		n.span.Instance = y
		return
	}
	k = instanceKey{strings.Clone(k.service), strings.Clone(k.instance), strings.Clone(k.host), strings.Clone(k.pid), k.number}
	name := k.instance
	if name == "" {
		name = k.service
		if k.host != "" {
			name += "|" + k.host
		}
		if k.number != 0 {
			name += "|" + text(&record.Value{Type: record.Int, I: k.number})
		} else if k.pid != "" {
			name += "|" + k.pid
		}
	}
	n.span.Instance = remember(n.instances, k, n.store.Sym(name))
}

// want fills in what the span wants: Ask, Layer and the flags that go with
// them. What is nearest to the user's intent names it: a tool, an agent or a
// model before the request that carries it.
func (n *Normalizer) want() {
	s := &n.span
	m := n.meaning()
	s.Layer = m.layer
	if m.stream || isTrue(n.at[streaming]) {
		s.Flags |= trace.Streaming
	}
	http := n.isHTTP()
	rpc := n.rpcName()
	switch {
	case m.tool && n.toolName() == mergedTools:
		s.Layer = trace.Agent // stands for the tool spans beside it
	case m.tool:
		s.Layer = trace.Tool
		s.Flags |= trace.ToolRun
		name := n.toolName()
		s.Ask = n.ask("tool ", name)
		if readsByVerb(name) {
			s.Flags |= trace.ReadOnly
		}
	case m.agent:
		s.Layer = trace.Agent
		s.Ask = n.ask("agent ", n.agentOf())
	case m.task != "":
		n.asksModel(m.task)
	case n.messageAsk():
	case rpc.method != "":
		f := n.rpcFacts(rpc)
		s.Ask = f.ask
		s.Flags |= f.flags
		if f.task != "" {
			n.asksModel(f.task)
		}
	case n.databaseAsk():
	}
	if s.Layer == trace.LayerUnknown {
		s.Layer = cmp.Or(n.scopeLayer(n.record.Scope), n.layer)
	}
	if http {
		n.httpAsk(s.Ask == 0)
	}
	if s.Ask == 0 {
		s.Ask = n.nameFacts(n.record.Name).bare
	}
	if isTrue(n.at[transparent]) {
		s.Flags |= trace.Transparent
	}
	if n.kind&client != 0 && (rpc.method != "" || coversCall(n.record.Scope)) {
		s.Flags |= trace.WholeCall
	}
	if n.at[responseFlags] != nil {
		s.Layer = trace.Proxy
	}
	if s.Layer == trace.LayerUnknown {
		s.Layer = n.defaultLayer(http, rpc.method != "")
	}
	if s.Layer == trace.WorkflowLayer && n.kind&internal != 0 && n.runsStep() {
		s.Flags |= trace.Job
	}
}

// runsStep reports whether a span of a workflow engine is a run of a step. One
// that asks a model or runs a tool is a hop already.
func (n *Normalizer) runsStep() bool {
	if n.at[step] != nil || n.tries.again > 0 {
		return true
	}
	return n.span.Flags&(trace.ModelAsk|trace.ToolRun) == 0 && n.difyNode() != ""
}

// difyNode returns the node that a span of Dify's unified trace is of.
func (n *Normalizer) difyNode() string {
	m := text(n.at[runMetadata])
	if m == "" || jsonField(m, "dify.span.kind") == "" {
		return ""
	}
	return jsonField(m, "node_id")
}

// defaultLayer is the layer of a span whose scope no row knows.
func (n *Normalizer) defaultLayer(http, rpc bool) trace.Layer {
	switch {
	case n.span.Flags&trace.ModelAsk != 0 && !http && !rpc:
		return trace.SDK
	case http && n.kind&internal == 0, rpc && n.kind&internal == 0:
		return trace.Transport
	case n.kind&queue != 0, n.at[dbSystem] != nil:
		return trace.Transport
	}
	return trace.App
}

// mergedTools is what the spans of Google's ADK are of that repeat several
// tool calls in one (adk-python telemetry/tracing.py).
const mergedTools = "(merged tools)"

func (n *Normalizer) toolName() string {
	if name := text(n.at[tool]); name != "" {
		return name
	}
	name := n.record.Name
	for _, prefix := range [...]string{"execute_tool ", "tools/call ", "anthropic.tool_use ", "ai.toolCall "} {
		name = strings.TrimPrefix(name, prefix)
	}
	if name == "(merged)" {
		return mergedTools
	}
	return name
}

func (n *Normalizer) agentOf() string {
	if name := text(n.at[agentName]); name != "" {
		return name
	}
	name := n.record.Name
	for _, prefix := range [...]string{"invoke_agent ", "agent_run "} {
		name = strings.TrimPrefix(name, prefix)
	}
	return name
}

// tell fills in the facts that have a field each.
func (n *Normalizer) tell() {
	s, f := &n.span, &n.facts
	set := func(to *trace.Sym, v string) {
		if v != "" {
			*to, n.factual = n.store.Sym(v), true
		}
	}
	if s.Flags&trace.ToolRun != 0 {
		set(&f.Tool, n.toolName())
		if v := n.at[toolArgs]; v != nil {
			s.ArgsHash = n.hashArgs(v)
		}
	}
	set(&f.Model, text(n.at[model]))
	if f.Model == 0 && n.model != 0 {
		f.Model, n.factual = n.model, true
	}
	set(&f.Provider, n.providerName(text(n.at[provider])))
	set(&f.Step, cmp.Or(text(n.at[step]), n.difyNode()))
	set(&f.Session, text(n.at[session]))
	set(&f.Channel, n.channelOf())
	count := func(to *int64, from field) {
		if v, ok := integer(n.at[from]); ok && v >= 0 {
			*to, n.factual = v, true
		}
	}
	count(&f.InTokens, inTokens)
	count(&f.OutTokens, outTokens)
	count(&f.Bytes, bodySize)
	switch {
	case n.at[input] != nil:
		f.InputHash = n.hashText(n.at[input])
	case n.messages != 0:
		f.InputHash = n.messages
	case n.at[bodyText] != nil:
		f.InputHash = n.hashText(n.at[bodyText])
	}
	n.factual = n.factual || f.InputHash != 0
	if f.Needs = n.needs(); f.Needs != 0 {
		n.factual = true
	}
	if i, ok := integer(n.at[fallbackIndex]); !ok {
		fallbacks, _ := digits(jsonField(text(n.at[hidden]), "x-litellm-attempted-fallbacks"))
		if fallbacks > 0 {
			n.event(trace.FallbackEvent, s.Start)
		}
	} else if i > 0 {
		n.event(trace.FallbackEvent, s.Start)
	}
	for _, u := range firstUnits {
		if v, ok := number(n.at[u.from]); ok && v >= 0 && v*u.ns < float64(maxDelay) && s.Start > 0 {
			n.output(s.Start + int64(v*u.ns))
			s.Flags |= trace.Streaming
			break
		}
	}
	if f.Chunks > 0 {
		s.Flags |= trace.Streaming
	}
}

// firstUnits are the units of the time until the first output, in ns.
var firstUnits = []struct {
	from field
	ns   float64
}{{firstSeconds, 1e9}, {firstMillis, 1e6}, {firstNanos, 1}}

// finish hands the span over to the store.
func (n *Normalizer) finish() {
	if len(n.keys)+len(n.links)+len(n.events) > 0 {
		n.factual = true
		n.facts.Keys = cut(&n.keyBlock, n.keys)
		n.facts.Links = cut(&n.linkBlock, n.links)
		n.facts.Events = cut(&n.eventBlock, n.events)
	}
	if !n.factual {
		n.store.Add(n.span, nil)
		return
	}
	n.store.Add(n.span, &n.facts)
}

// cut copies what to a block of its own kind, so that small slices do not cost
// an allocation each.
func cut[T any](block *[]T, what []T) []T {
	if len(what) == 0 {
		return nil
	}
	if cap(*block)-len(*block) < len(what) {
		*block = make([]T, 0, max(1024, len(what)))
	}
	from := len(*block)
	*block = append(*block, what...)
	return (*block)[from:len(*block):len(*block)]
}
