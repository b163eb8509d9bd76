// Package tracetext is a notation for traces that is shorter than any
// explanation of them: one line a span, indentation for parentage.
//
//	# The payment service says 400; the caller asks again.
//	0+900      web: POST /checkout   502
//	  10+80      -> payments.Charge  400
//	  190+80     -> payments.Charge  400  // want `400 retried after 100ms`
//
// # Lines
//
// A line is one of these; an empty line ends a trace and starts the next.
//
//	START+LENGTH  service: operation      CODE attributes  // want `regexp` …
//	START+LENGTH  -> callee.operation     CODE attributes  // want `regexp` …
//	START+LENGTH  service -> callee.op    CODE attributes  // want `regexp` …
//	? any note                 a span that the input lacks: its children name it as parent
//	# any text                 a comment
//	set name=value …           options of the rule under test
//	trace x50 every 1ms        the trace below it 50 times, each 1ms after the one before
//	want OWNER -> UPSTREAM `regexp` …      a finding at an edge; * is any owner or upstream
//
// START and LENGTH are milliseconds with at most six decimals; START counts
// from Epoch for all traces of a scene alike. START~SPREAD+LENGTH delays the
// line, and all lines below it in its trace, by a draw from 0 to SPREAD; spans
// around it end later by as much. Draws are fixed by line and copy: a scene
// always gives the same spans. In a repeated trace %n stands for the number of
// the copy, from 1, in services, operations and all attributes that hold text.
//
// A span's ID is its line number, in all copies; a trace's ID is its ordinal
// in the scene, copies counted. Span.Line is the line number, too.
//
// # Services and operations
//
// "service: operation" is a span of that service. "-> callee.operation" is a
// client span of the service around it; callee is all up to the last dot and
// becomes the address. HTTP is written "-> callee METHOD /path". The form with
// a service before the arrow is for clients that stand alone. Operations with
// quotes, attributes or double spaces in them stand in Go quotes.
//
// # Codes
//
//	100 … 999     an HTTP status, classed by trace.ClassOfStatus; 499 is cut
//	ok, fail      success; failure of which nothing is known
//	timeout       failed: a time limit
//	reset         failed: the connection broke
//	cut           cancelled: its caller left
//	-             nothing said; an HTTP client (layer transport) got no answer
//	              and has failed, others claim neither success nor failure
//
// A client of layer transport without a status gets trace.NoAnswer.
//
// # Attributes
//
// They follow the code as key=value in any order; values with spaces stand in
// Go quotes. What a line is:
//
//	kind=internal|server|client|producer|consumer
//	      by default client after an arrow, consumer for layer=queue, internal
//	      for the layers sdk and up and for a line of the same service as the
//	      line around it (unless that is a client), else server
//	layer=transport|proxy|gateway|sdk|app|tool|queue|workflow|agent|user
//	      by default tool with tool= on a line without arrow, app if internal,
//	      else transport
//	scope=NAME     instrumentation scope; by default the layer's name where layer= is given
//	instance=NAME  the process and its clock; by default that of the line around it
//	               if the service is the same, else the service's name
//	agent=NAME     library that the user agent names
//	address=HOST   by default the callee of an arrow
//	id=LINE        takes the span ID of that line: a copy, or one ID for two spans
//	final stream health longpoll transparent neversent readonly redirected run retries
//	      flags; GET and HEAD are readonly, 301 302 303 307 308 redirected, and
//	      job= on a span that did not send it is a run
//
// What it wants:
//
//	task=generate|embed|…  asks a model: the identity is "model generate" …;
//	                       model=NAME alone means task=generate
//	tool=NAME              runs a tool: the identity is "tool NAME"
//	queue=NAME             the identity is "queue NAME"
//	ask=TEXT               the identity itself; with model= it asks no model
//	                       unless TEXT begins with "model "
//	args=TEXT              arguments beyond it, kept as a hash
//	      the identity by default: "callee.operation" or "METHOD /path" after an
//	      arrow, "service.operation" for a server's operation of one plain word
//	      (what its clients ask for), else the operation
//
// How it ended:
//
//	class=NAME verdict=wait|cap|stop|unknown conf=possible|likely|certain code=TEXT
//	      override what the code gives; class= makes a failure of ok and 200
//	retry_after=2s|never|unusable|until:MS
//	first=MS cancelled=MS  first output, cancellation: from the span's start
//	event=retry:MS|fallback:MS|chunk:MS|cancel:MS
//	refuser=gateway|provider
//	stack=LIST             retry libraries in its stack trace, the innermost first
//	within=LIST            the same, of a trace that ends where the span does
//
// Numbers, limits and sizes:
//
//	attempt=N      ordinal of this attempt, 0 for the first
//	received=N     the same as a server sees it: its sender's ordinal
//	resend=N       the same, redirects and challenges counted
//	total=N        attempts in all
//	max=N          attempts allowed, the first included
//	deadline=2s|at:MS      of the call; attempt_timeout=2s of one attempt
//	tokens=IN/OUT bytes=N chunks=N         tokens=IN/ and tokens=/OUT, too
//	needs=LIST has=LIST    abilities: tools,vision,schema,region
//
// What joins it to others:
//
//	request=ID parent_request=ID message=ID job=ID idempotency=ID
//	      sent by clients and producers, received by others, unless written
//	      sent:ID, received:ID or answered:ID
//	call=ID        equal on all attempts of one call; an invocation key, too
//	link=LINE      a span link to that line
//	session=ID input=TEXT step=NAME model=NAME provider=NAME channel=NAME
//	      never join; input is kept as a hash
package tracetext

import (
	"regexp"
	"time"

	"github.com/retryaudit/retryaudit/analyzer/trace"
)

// Epoch is the time at which scenes begin: 2026-01-01T00:00:00Z, in ns since
// the Unix epoch.
const Epoch int64 = 1767225600 * int64(time.Second)

// Scene is a parsed text. Two texts with equal scenes differ in spacing and
// in the order of attributes only.
type Scene struct {
	Lines []Line // Lines[0] is line 1
}

// Form says what a line is.
type Form uint8

// The forms of a line.
const (
	Blank Form = iota
	Comment
	Set
	Repeat
	Edge
	Ghost
	Span
)

// Line is one line of a scene. Fields of other forms are zero.
type Line struct {
	Form  Form
	Depth int    // of Ghost and Span: the lines around it
	Text  string // of Comment and Ghost

	// Attrs are the options of Set and the attributes of Span, these in the
	// order of the package comment. A flag has no value.
	Attrs []Attr

	Copies int           // of Repeat
	Every  time.Duration // of Repeat

	Owner, Upstream string // of Edge

	Start, Spread, Length time.Duration // of Span
	// Arrow tells a client, written with an arrow, from a line of a service,
	// whose name a client may lack.
	Arrow   bool
	Service string
	Op      string // what stands between service or arrow and the code
	Code    string

	Wants []string // of Span and Edge: regular expressions
}

// Attr is key=value, or a flag.
type Attr struct{ Key, Value string }

// Want is a finding that a scene expects.
type Want struct {
	Line int // where it is written, from 1
	// Edge says that Owner and Upstream name the finding's place; else its
	// place is a span on the line.
	Edge            bool
	Owner, Upstream string // * is any
	Text            *regexp.Regexp
}

// Wants returns what the scene expects, by line.
func (s *Scene) Wants() []Want {
	var wants []Want
	for i := range s.Lines {
		l := &s.Lines[i]
		for _, text := range l.Wants {
			wants = append(wants, Want{Line: i + 1, Edge: l.Form == Edge, Owner: l.Owner, Upstream: l.Upstream,
				Text: regexp.MustCompile(text)})
		}
	}
	return wants
}

// Options returns the options that the scene sets, by name.
func (s *Scene) Options() map[string]string {
	options := map[string]string{}
	for _, l := range s.Lines {
		if l.Form == Set {
			for _, a := range l.Attrs {
				options[a.Key] = a.Value
			}
		}
	}
	return options
}

// Store returns the spans of the scene in their order, copies of a trace one
// after another, in a store of their own. It panics on a scene that Parse
// would not return.
func (s *Scene) Store() *trace.Store {
	p, err := plan(s)
	if err != nil {
		panic("tracetext: " + err.Error())
	}
	store := trace.NewStore()
	for i := range p.traces {
		for n := range p.traces[i].copies {
			if err := p.emit(store, i, n); err != nil {
				panic("tracetext: " + err.Error())
			}
		}
	}
	return store
}
