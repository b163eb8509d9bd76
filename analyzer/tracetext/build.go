package tracetext

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/retryaudit/retryaudit/analyzer/trace"
)

// layout is a scene with the surroundings of its lines.
type layout struct {
	scene  *Scene
	traces []block
	nodes  []node // by line, from 0
}

// block is the lines of one trace.
type block struct {
	first, end int // lines from first to before end
	ordinal    int // of its first copy, from 1
	copies     int
	every      time.Duration
	repeated   bool
}

// node is what its surroundings give to a line.
type node struct {
	trace             int // index of the block, −1 for a line of no trace
	parent            int // line around it, −1 none
	around            int // the same, ghosts skipped
	service, instance string
}

// plan finds the surroundings of all lines and checks what they say.
func plan(s *Scene) (*layout, error) {
	p := &layout{scene: s, nodes: make([]node, len(s.Lines))}
	var b block
	var open []int
	ordinal, spans, options := 1, 0, map[string]bool{}
	for i := 0; i <= len(s.Lines); i++ {
		if i == len(s.Lines) || s.Lines[i].Form == Blank {
			if b.repeated && len(open) == 0 {
				return nil, fmt.Errorf("line %d: found no span below trace x%d, wanted the trace to repeat", b.first+1, b.copies)
			}
			if len(open) > 0 {
				b.end, b.ordinal = i, ordinal
				ordinal += b.copies
				p.traces = append(p.traces, b)
			}
			b, open = block{first: i + 1, copies: 1}, open[:0]
			continue
		}
		if i == 0 {
			b = block{copies: 1}
		}
		l := &s.Lines[i]
		p.nodes[i] = node{trace: -1, parent: -1, around: -1}
		switch l.Form {
		case Set:
			for _, a := range l.Attrs {
				if options[a.Key] {
					return nil, fmt.Errorf("line %d: found option %s twice, wanted it once", i+1, a.Key)
				}
				options[a.Key] = true
			}
		case Repeat:
			if len(open) > 0 || b.repeated {
				return nil, fmt.Errorf("line %d: found trace x%d within a trace, wanted an empty line before it", i+1, l.Copies)
			}
			b.first, b.copies, b.every, b.repeated = i, l.Copies, l.Every, true
		case Ghost, Span:
			if l.Depth > len(open) {
				return nil, fmt.Errorf("line %d: found depth %d, wanted at most %d", i+1, l.Depth, len(open))
			}
			open = append(open[:l.Depth], i)
			if spans += b.copies; spans > maxSpans {
				return nil, fmt.Errorf("line %d: found more than %d spans, wanted fewer", i+1, maxSpans)
			}
			if err := p.place(i, open); err != nil {
				return nil, fmt.Errorf("line %d: %w", i+1, err)
			}
		}
	}
	scratch := trace.NewStore()
	for i := range p.traces {
		if err := p.emit(scratch, i, 0); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// place fills the node of the last open line.
func (p *layout) place(i int, open []int) error {
	l, n := &p.scene.Lines[i], &p.nodes[i]
	n.trace, n.service = len(p.traces), l.Service
	if len(open) > 1 {
		n.parent = open[len(open)-2]
		n.around = n.parent
		if p.scene.Lines[n.parent].Form == Ghost {
			n.around = p.nodes[n.parent].around
		}
	}
	if l.Form == Ghost {
		return nil
	}
	if n.service == "" {
		if n.around < 0 {
			return fmt.Errorf("found -> without a service around it, wanted service -> callee.operation")
		}
		n.service = p.nodes[n.around].service
	}
	n.instance = n.service
	if n.around >= 0 && p.nodes[n.around].service == n.service {
		n.instance = p.nodes[n.around].instance
	}
	if text := l.value("instance"); text != "" {
		n.instance = text
	}
	return nil
}

// emit adds copy n, from 0, of a trace to store.
func (p *layout) emit(store *trace.Store, index, n int) error {
	b := &p.traces[index]
	at := make([]int, 0, b.end-b.first) // spans of the open lines, −1 for ghosts
	shift := time.Duration(0)
	// end closes all lines deeper than depth: read left the draws out of their ends.
	end := func(depth int) {
		for _, i := range at[depth:] {
			if i >= 0 {
				store.Spans[i].End += int64(shift)
			}
		}
		at = at[:depth]
	}
	for i := b.first; i < b.end; i++ {
		l := &p.scene.Lines[i]
		if l.Form != Ghost && l.Form != Span {
			continue
		}
		end(l.Depth)
		if l.Form == Ghost {
			at = append(at, -1)
			continue
		}
		shift += draw(i, n, l.Spread)
		r := reader{layout: p, store: store, line: l, node: &p.nodes[i], copy: n}
		r.zero = Epoch + int64(b.every)*int64(n)
		span, facts := r.read(i, int64(shift))
		if r.err != nil {
			return fmt.Errorf("line %d: %w", i+1, r.err)
		}
		at = append(at, len(store.Spans))
		store.Add(span, facts)
	}
	end(0)
	return nil
}

// draw returns a part of spread that depends on line and copy alone, evenly
// spread and in whole microseconds (SplitMix64).
func draw(line, n int, spread time.Duration) time.Duration {
	if spread == 0 {
		return 0
	}
	x := uint64(line)<<32 + uint64(n)
	for range 2 {
		x += 0x9e3779b97f4a7c15
		x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
		x = (x ^ x>>27) * 0x94d049bb133111eb
		x ^= x >> 31
	}
	part := float64(x>>11) / (1 << 53)
	return time.Duration(part * float64(spread)).Truncate(time.Microsecond)
}

func (l *Line) value(key string) string {
	for _, a := range l.Attrs {
		if a.Key == key {
			return a.Value
		}
	}
	return ""
}

func (l *Line) has(key string) bool {
	return slices.ContainsFunc(l.Attrs, func(a Attr) bool { return a.Key == key })
}

// spanID returns the ID of the span on a line, from 0.
func (p *layout) spanID(line int) trace.SpanID {
	n := uint64(line + 1)
	if other, ok := p.lineNamed(p.scene.Lines[line].value("id")); ok {
		n = uint64(other + 1)
	}
	var id trace.SpanID
	binary.BigEndian.PutUint64(id[:], n)
	return id
}

// lineNamed returns the line of a trace, from 0, whose number text is.
func (p *layout) lineNamed(text string) (int, bool) {
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > len(p.nodes) || p.nodes[n-1].trace < 0 {
		return 0, false
	}
	return n - 1, true
}

// traceID returns the ID of copy n of a trace, of the first where it has fewer.
func (p *layout) traceID(index, n int) trace.TraceID {
	b := &p.traces[index]
	if n >= b.copies {
		n = 0
	}
	var id trace.TraceID
	binary.BigEndian.PutUint64(id[8:], uint64(b.ordinal+n))
	return id
}

// reader makes the span of one line; it keeps the first error.
type reader struct {
	*layout
	store *trace.Store
	line  *Line
	node  *node
	copy  int
	zero  int64 // Epoch of the copy
	used  bool  // whether an attribute has been found
	err   error
}

func (r *reader) fail(key, value, wanted string) {
	if r.err == nil {
		r.err = fmt.Errorf("found %s=%s, wanted %s", key, quoteWord(value), wanted)
	}
}

// read returns the span on line i, from 0; its End lacks the shift.
func (r *reader) read(i int, shift int64) (trace.Span, *trace.Facts) {
	l := r.line
	s := trace.Span{
		Trace: r.traceID(r.node.trace, r.copy), ID: r.spanID(i), Line: uint32(i + 1),
		Start:   r.zero + shift + int64(l.Start),
		End:     r.zero + int64(l.Start+l.Length),
		Service: r.sym(r.node.service), Instance: r.sym(r.node.instance),
	}
	if r.node.parent >= 0 {
		s.Parent = r.spanID(r.node.parent)
	}
	if text := l.value("id"); text != "" {
		if _, ok := r.lineNamed(text); !ok {
			r.fail("id", text, "the number of a span's line")
		}
	}
	r.kind(&s)
	r.identity(&s)
	r.outcome(&s)
	r.flags(&s)
	r.text(&s.Scope, "scope")
	r.text(&s.Agent, "agent")
	r.text(&s.Address, "address")
	if text := l.value("args"); text != "" {
		s.ArgsHash = hash(r.fill(text))
	}
	f := trace.NewFacts()
	r.used = false
	r.facts(&s, &f)
	if !r.used {
		return s, nil
	}
	return s, &f
}

// kind sets kind and layer, which depend on each other, and the scope.
func (r *reader) kind(s *trace.Span) {
	l := r.line
	layer := layerNamed(l.value("layer"))
	if text := l.value("layer"); text != "" {
		if layer == trace.LayerUnknown {
			r.fail("layer", text, "a layer from transport to user")
		}
		s.Scope = r.sym(text)
	}
	inside := r.node.around >= 0 && !r.scene.Lines[r.node.around].Arrow && r.nodes[r.node.around].service == r.node.service
	switch text := l.value("kind"); {
	case text == "internal":
		s.Kind = trace.Internal
	case text == "server":
		s.Kind = trace.Server
	case text == "client":
		s.Kind = trace.Client
	case text == "producer":
		s.Kind = trace.Producer
	case text == "consumer":
		s.Kind = trace.Consumer
	case text != "":
		r.fail("kind", text, "internal, server, client, producer or consumer")
	case l.Arrow:
		s.Kind = trace.Client
	case layer == trace.QueueLayer:
		s.Kind = trace.Consumer
	case layer >= trace.SDK, inside:
		s.Kind = trace.Internal
	default:
		s.Kind = trace.Server
	}
	switch {
	case layer != trace.LayerUnknown:
		s.Layer = layer
	case l.has("tool") && !l.Arrow:
		s.Layer = trace.Tool
	case s.Kind == trace.Internal:
		s.Layer = trace.App
	default:
		s.Layer = trace.Transport
	}
}

// modelPrefix begins the identities of spans that ask a model.
const modelPrefix = "model "

// identity sets Op, Ask and Address.
func (r *reader) identity(s *trace.Span) {
	l := r.line
	op := l.Op
	ask := op
	if l.Arrow {
		host, rest, spaced := strings.Cut(op, " ")
		switch {
		case spaced && isHTTP(rest):
			op, ask = rest, rest
		case spaced:
			r.err = fmt.Errorf("found -> %s, wanted callee.operation or callee METHOD /path", op)
		case strings.Contains(op, "."):
			host = op[:strings.LastIndexByte(op, '.')]
		}
		s.Address = r.sym(host)
	} else if s.Kind == trace.Server && !strings.ContainsAny(op, " ./") {
		ask = r.node.service + "." + op
	}
	s.Op = r.sym(op)
	switch {
	case l.has("ask"):
		ask = l.value("ask")
	case l.has("task"):
		ask = modelPrefix + l.value("task")
	case l.has("tool"):
		ask = "tool " + l.value("tool")
	case l.has("queue"):
		ask = "queue " + l.value("queue")
	case l.has("model"):
		ask = modelPrefix + "generate"
	}
	if strings.HasPrefix(ask, modelPrefix) {
		s.Flags |= trace.ModelAsk
	}
	if l.has("tool") {
		s.Flags |= trace.ToolRun
	}
	if verb, _, _ := strings.Cut(op, " "); isHTTP(op) && (verb == "GET" || verb == "HEAD") {
		s.Flags |= trace.ReadOnly
	}
	s.Ask = r.sym(ask)
}

// isHTTP reports whether s is METHOD /path.
func isHTTP(s string) bool {
	method, path, _ := strings.Cut(s, " ")
	return strings.Trim(method, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == "" && method != "" &&
		strings.HasPrefix(path, "/") && !strings.Contains(path, " ")
}

// outcome sets what the code says, then what overrides it.
func (r *reader) outcome(s *trace.Span) {
	l, wire := r.line, r.line.Code
	answerless := s.Kind == trace.Client && s.Layer == trace.Transport
	failed := func(o trace.Outcome, c trace.Class, conf trace.Confidence, code string) {
		s.Outcome, s.Class, s.Verdict, s.ClassConf = o, c, trace.VerdictOf(c), conf
		if code != "" {
			s.Code = r.sym(code)
		}
		if answerless && wire != "fail" {
			s.Flags |= trace.NoAnswer
		}
	}
	switch wire {
	case "-":
		if answerless {
			failed(trace.Failed, trace.UnknownError, trace.Possible, "")
		}
	case "ok":
		s.Outcome, s.ClassConf = trace.OK, trace.Certain
	case "fail":
		failed(trace.Failed, trace.UnknownError, trace.Possible, "")
	case "timeout":
		failed(trace.Failed, trace.Timeout, trace.Certain, wire)
	case "reset":
		failed(trace.Failed, trace.Reset, trace.Certain, wire)
	case "cut":
		failed(trace.Cut, trace.Cancelled, trace.Certain, "cancelled")
	default:
		s.Status = status(wire)
		s.Class, s.Verdict, s.ClassConf = trace.ClassOfStatus(int(s.Status))
		switch {
		case s.Class == trace.NoError:
			s.Outcome = trace.OK
		case s.Class == trace.Cancelled:
			s.Outcome, s.Code = trace.Cut, r.sym(wire)
		default:
			s.Outcome, s.Code = trace.Failed, r.sym(wire)
		}
		if slices.Contains([]string{"301", "302", "303", "307", "308"}, wire) {
			s.Flags |= trace.Redirected
		}
	}
	if text := l.value("class"); text != "" {
		s.Class = classNamed(text)
		s.Verdict, s.ClassConf = trace.VerdictOf(s.Class), trace.Certain
		switch s.Class {
		case trace.NoError:
			r.fail("class", text, "the name of a class such as quota-billing")
		case trace.Cancelled:
			s.Outcome = trace.Cut
		default:
			s.Outcome = trace.Failed
		}
	}
	if text := l.value("verdict"); text != "" {
		switch text {
		case "unknown":
			s.Verdict = trace.Undecided
		case "wait":
			s.Verdict = trace.Wait
		case "cap":
			s.Verdict = trace.Cap
		case "stop":
			s.Verdict = trace.Stop
		default:
			r.fail("verdict", text, "wait, cap, stop or unknown")
		}
	}
	if text := l.value("conf"); text != "" {
		switch text {
		case "possible":
			s.ClassConf = trace.Possible
		case "likely":
			s.ClassConf = trace.Likely
		case "certain":
			s.ClassConf = trace.Certain
		default:
			r.fail("conf", text, "possible, likely or certain")
		}
	}
	r.text(&s.Code, "code")
}

func (r *reader) flags(s *trace.Span) {
	for _, a := range r.line.Attrs {
		switch a.Key {
		case "final":
			s.Flags |= trace.FinalAnswer
		case "stream":
			s.Flags |= trace.Streaming
		case "health":
			s.Flags |= trace.Health
		case "longpoll":
			s.Flags |= trace.LongPoll
		case "transparent":
			s.Flags |= trace.Transparent
		case "neversent":
			s.Flags |= trace.NeverSent
		case "readonly":
			s.Flags |= trace.ReadOnly
		case "redirected":
			s.Flags |= trace.Redirected
		case "run":
			s.Flags |= trace.Job
		case "retries":
			s.Flags |= trace.RetryingAgent
		}
	}
}

// facts reads all that stands in Facts.
func (r *reader) facts(s *trace.Span, f *trace.Facts) {
	l := r.line
	for _, x := range [...]struct {
		key  string
		kind trace.KeyKind
	}{
		{"request", trace.RequestKey}, {"parent_request", trace.ParentKey}, {"message", trace.MessageKey},
		{"job", trace.JobKey}, {"idempotency", trace.IdempotencyKey}, {"call", trace.InvocationKey},
	} {
		for _, a := range l.Attrs {
			if a.Key == x.key {
				r.used = true
				key := r.key(s, x.kind, a.Value)
				f.Keys = append(f.Keys, key)
				if x.kind == trace.JobKey && key.Dir == trace.Received {
					s.Flags |= trace.Job
				}
			}
		}
	}
	r.text(&f.CallID, "call")
	r.counter(f)
	r.retryAfter(f)
	r.deadline(f)
	for _, a := range l.Attrs {
		switch a.Key {
		case "link":
			to, ok := r.lineNamed(a.Value)
			if !ok {
				r.fail("link", a.Value, "the number of a span's line")
				return
			}
			f.Links = append(f.Links, trace.Link{Trace: r.traceID(r.nodes[to].trace, r.copy), ID: r.spanID(to)})
			r.used = true
		case "event":
			f.Events = append(f.Events, r.event(s, a.Value))
			r.used = true
		}
	}
	r.offset(&f.FirstOutput, s.Start, "first")
	r.offset(&f.CancelledAt, s.Start, "cancelled")
	if text := l.value("tokens"); text != "" {
		in, out, both := strings.Cut(text, "/")
		if !both || in == "" && out == "" {
			r.fail("tokens", text, "IN/OUT, IN/ or /OUT")
		}
		f.InTokens, f.OutTokens = r.count("tokens", in), r.count("tokens", out)
		r.used = true
	}
	if text := l.value("bytes"); text != "" {
		f.Bytes, r.used = r.count("bytes", text), true
	}
	if text := l.value("chunks"); text != "" {
		f.Chunks, r.used = r.count("chunks", text), true
	}
	f.Needs, f.Has = r.abilities("needs"), r.abilities("has")
	r.text(&f.Model, "model")
	r.text(&f.Tool, "tool")
	r.text(&f.Step, "step")
	r.text(&f.Session, "session")
	r.text(&f.Channel, "channel")
	r.text(&f.Provider, "provider")
	r.text(&f.Refuser, "refuser")
	if text := l.value("refuser"); text != "" && text != "gateway" && text != "provider" {
		r.fail("refuser", text, "gateway or provider")
	}
	r.text(&f.Libraries, "stack")
	if r.text(&f.Libraries, "within"); l.has("within") {
		f.Within = true
	}
	if text := l.value("input"); text != "" {
		f.InputHash, r.used = hash(r.fill(text)), true
	}
}

func (r *reader) key(s *trace.Span, kind trace.KeyKind, text string) trace.Key {
	dir := trace.Received
	if s.Kind == trace.Client || s.Kind == trace.Producer {
		dir = trace.Sent
	}
	if kind != trace.InvocationKey {
		way, rest, _ := strings.Cut(text, ":")
		switch way {
		case "sent":
			dir, text = trace.Sent, rest
		case "received":
			dir, text = trace.Received, rest
		case "answered":
			dir, text = trace.Answered, rest
		}
		if text == "" {
			r.fail("ID", way+":", way+":ID")
		}
	}
	return trace.Key{ID: r.sym(text), Kind: kind, Dir: dir}
}

func (r *reader) counter(f *trace.Facts) {
	l := r.line
	for _, key := range [...]string{"attempt", "received", "resend", "total"} {
		text := l.value(key)
		if text == "" {
			continue
		}
		if f.Counter.Meaning != 0 {
			r.fail(key, text, "one of attempt, received, resend and total")
		}
		f.Counter.Meaning, f.Counter.N, f.Counter.Source = trace.Ordinal, r.small(key, text), r.sym(key)
		switch key {
		case "received":
			f.Counter.Received = true
		case "resend":
			f.Counter.Resends = true
		case "total":
			f.Counter.Meaning = trace.Total
		}
		r.used = true
	}
	if text := l.value("max"); text != "" {
		f.DeclaredMax, r.used = r.small("max", text), true
	}
}

func (r *reader) retryAfter(f *trace.Facts) {
	text := r.line.value("retry_after")
	if text == "" {
		return
	}
	f.RetryAfter.Source, r.used = r.sym("retry_after"), true
	until, isUntil := strings.CutPrefix(text, "until:")
	switch {
	case text == "never":
		f.RetryAfter.State = trace.Never
	case text == "unusable":
		f.RetryAfter.State = trace.Unusable
	case isUntil:
		f.RetryAfter.State, f.RetryAfter.At = trace.Until, r.moment("retry_after", text, until, r.zero)
	default:
		f.RetryAfter.State, f.RetryAfter.D = trace.For, r.duration("retry_after", text)
	}
}

func (r *reader) deadline(f *trace.Facts) {
	if text := r.line.value("deadline"); text != "" {
		f.Deadline.Scope, f.Deadline.Source, r.used = trace.CallScope, r.sym("deadline"), true
		if at, isAt := strings.CutPrefix(text, "at:"); isAt {
			f.Deadline.At = r.moment("deadline", text, at, r.zero)
		} else {
			f.Deadline.D = r.duration("deadline", text)
		}
	}
	if text := r.line.value("attempt_timeout"); text != "" {
		if f.Deadline.Scope != 0 {
			r.fail("attempt_timeout", text, "a line without a deadline")
		}
		f.Deadline.Scope, f.Deadline.Source, r.used = trace.AttemptScope, r.sym("attempt_timeout"), true
		f.Deadline.D = r.duration("attempt_timeout", text)
	}
}

func (r *reader) event(s *trace.Span, text string) trace.Event {
	name, at, _ := strings.Cut(text, ":")
	e := trace.Event{At: r.moment("event", text, at, s.Start)}
	switch name {
	case "retry":
		e.Kind = trace.RetryEvent
	case "fallback":
		e.Kind = trace.FallbackEvent
	case "chunk":
		e.Kind = trace.FirstChunk
	case "cancel":
		e.Kind = trace.CancelEvent
	default:
		r.fail("event", text, "retry:MS, fallback:MS, chunk:MS or cancel:MS")
	}
	return e
}

func (r *reader) abilities(key string) trace.Ability {
	text := r.line.value(key)
	if text == "" {
		return 0
	}
	r.used = true
	var all trace.Ability
	for name := range strings.SplitSeq(text, ",") {
		switch name {
		case "tools":
			all |= trace.Tools
		case "vision":
			all |= trace.Vision
		case "schema":
			all |= trace.Schema
		case "region":
			all |= trace.Region
		default:
			r.fail(key, text, "a list of tools, vision, schema and region")
		}
	}
	return all
}

// fill puts the number of the copy in the place of %n.
func (r *reader) fill(text string) string {
	if !r.traces[r.node.trace].repeated {
		return text
	}
	return strings.ReplaceAll(text, "%n", strconv.Itoa(r.copy+1))
}

func (r *reader) sym(text string) trace.Sym { return r.store.Sym(r.fill(text)) }

// text sets y to the value of key where the line has it.
func (r *reader) text(y *trace.Sym, key string) {
	if text := r.line.value(key); text != "" {
		*y, r.used = r.sym(text), true
	}
}

// offset sets at to the time that key gives, from start.
func (r *reader) offset(at *int64, start int64, key string) {
	if text := r.line.value(key); text != "" {
		*at, r.used = r.moment(key, text, text, start), true
	}
}

func (r *reader) moment(key, text, ms string, from int64) int64 {
	d, ok := parseMS(ms)
	if !ok {
		r.fail(key, text, "milliseconds")
	}
	return from + int64(d)
}

func (r *reader) duration(key, text string) time.Duration {
	d, err := parseDuration(text)
	if err != nil {
		r.fail(key, text, "a duration such as 1.5s")
	}
	return d
}

// count returns the number that text is, −1 for none.
func (r *reader) count(key, text string) int64 {
	if text == "" {
		return -1
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 {
		r.fail(key, r.line.value(key), "a count")
	}
	return n
}

func (r *reader) small(key, text string) int32 {
	n, err := strconv.ParseInt(text, 10, 32)
	if err != nil || n < 0 {
		r.fail(key, text, "a count")
	}
	return int32(n)
}

func hash(text string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(text))
	return max(1, h.Sum64())
}

func classNamed(name string) trace.Class {
	for c := trace.UnknownError; c <= trace.Unsupported; c++ {
		if c.String() == name {
			return c
		}
	}
	return trace.NoError
}

func layerNamed(name string) trace.Layer {
	for l := trace.Transport; l <= trace.User; l++ {
		if l.String() == name {
			return l
		}
	}
	return trace.LayerUnknown
}
