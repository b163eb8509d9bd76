package trace

import (
	"iter"
	"time"
)

// Owner is who decided to make another attempt.
type Owner struct {
	Layer   Layer
	Service Sym
	Library Sym // what the user agent says, else the instrumentation scope
	Op      Sym
	Known   Known
}

// Upstream is what attempts hit. Absent parts are 0.
type Upstream struct{ Service, Address, Op, Model Sym }

// Range is a count that may be known within bounds only; Min == Max is exact.
type Range struct{ Min, Max int32 }

// Exact returns the range that holds n alone.
func Exact(n int32) Range { return Range{n, n} }

// Pattern says why a call stands beside others that want the same, or what
// its further attempts are.
type Pattern uint8

// The patterns of calls; zero is a call of its own.
const (
	Single    Pattern = iota // one attempt, nothing like it before
	Retry                    // attempts after failures
	Fallback                 // every further attempt went to another model or provider
	Hedge                    // begun before the other had failed
	Poll                     // asked again for news after a success
	Page                     // the next step, page or sample after a success
	Redirect                 // followed a redirect
	Challenge                // answered an authentication challenge
	Split                    // a smaller part of a request that was too large
	Probe                    // a health check
)

var patternNames = [...]string{"single", "retry", "fallback", "hedge", "poll", "next", "redirect", "challenge", "split", "probe"}

// String returns the pattern's name.
func (p Pattern) String() string { return patternNames[p] }

// Request is one thing a user asked for: a connected component of spans.
type Request struct {
	// Key is the root request ID, else the smallest trace ID in hex.
	Key    Sym
	Traces []TraceID // ascending
	// Roots are calls without a caller in the input, in order of start.
	Roots []*Call
	// Logical are the logical upstream requests: per class the attempts at the
	// last hop that want the same thing, in order of start.
	Logical [][]*Attempt
	// Missing counts ghosts: spans that others name as parent and the input lacks.
	Missing int
	// Cut says that a bound forced the request out before it was whole.
	Cut bool
	// Sampled says that a span came from a sample of all requests.
	Sampled bool
	Store   *Store
	Spans   int // number of spans, copies left out

	direct map[Sym]Sym
}

// ServiceAt returns the service to which an address leads straight, in all the
// spans that were built together; 0 where that is unknown.
func (r *Request) ServiceAt(address Sym) Sym { return r.direct[address] }

// Call is one intent of a caller towards a callee.
type Call struct {
	Parent   *Attempt // the attempt that made the call; nil for a root
	Owner    Owner
	Upstream Upstream
	Identity uint64
	Attempts []*Attempt // in order of start
	Pattern  Pattern
	Known    Known
	Conf     Confidence
	// Named says that a policy names the owner's library.
	Named bool
	// Ambiguous says that attempts could not be told from those of equal calls
	// beside it: counts hold, waits do not.
	Ambiguous bool
	// OneLevel says that the waits begin anew among the attempts, as they would
	// if two owners retried on one level of spans, and that nothing tells them
	// apart: the attempts are counted as those of one.
	OneLevel bool
	// List says that the attempts may ask for different things, each once, as a
	// caller does who goes through a list: no count claims that they are one
	// call's.
	List bool
	// DeclaredMax is the number of attempts that a setting seen in the spans
	// allows, 0 unknown.
	DeclaredMax int32
	Deadline    Deadline
	Reason      string // why the call is one, for show

	same  bool   // wants what its caller wants
	key   uint64 // of its logical request, within one Build
	place uint64 // among all calls, the same in each attempt of its caller
}

// Attempt is one try of a call.
type Attempt struct {
	Call *Call
	N    int32 // 0 is the first
	// Count is 1 but for a row of hidden attempts.
	Count Range
	// Spans of the attempt, outermost first (SDK, HTTP client, server); empty
	// when hidden. Ghost spans stand among them.
	Spans      []*Span
	Known      Known
	Start, End int64
	Outcome    Outcome
	Class      Class
	Verdict    Verdict
	ClassConf  Confidence
	Code       Sym // what the class was read from
	Status     uint16
	Asked      Asked
	// FirstOutput is ns since the Unix epoch, 0 unknown.
	FirstOutput int64
	Wait        Idle // before this attempt
	Model       Sym
	Fallback    bool // went to another model or provider than the one before
	Calls       []*Call
	Reason      string // why it is, or is not, a retry, for show

	address Sym  // called, on the path or by all below it
	unsure  bool // one of several possible callers
	from    int  // index of the first span that tells the outcome: after a transport's own resend
}

// Idle is the time between the end of an attempt and the start of the next, on
// one clock.
type Idle struct {
	D     time.Duration
	Known Known // zero: unknown
}

// Failed reports whether the attempt brought its caller no answer.
func (a *Attempt) Failed() bool { return a.Outcome == Failed || a.Outcome == Cut }

// LastHop reports whether the attempt is at the last observed hop.
func (a *Attempt) LastHop() bool { return len(a.Calls) == 0 }

// Retried reports how many attempts of the call followed another at the same
// model and provider: fallbacks are none. Hidden attempts count at their minimum.
func (c *Call) Retried() int64 {
	n := int64(0)
	for i, a := range c.Attempts {
		if i > 0 && !a.Fallback {
			n += int64(a.Count.Min)
		} else {
			n += int64(a.Count.Min) - 1
		}
	}
	return n
}

// Count returns the attempts of the call, hidden ones at their minimum.
func (c *Call) Count() int64 {
	n := int64(0)
	for _, a := range c.Attempts {
		n += int64(a.Count.Min)
	}
	return n
}

// Retries yields each attempt after the first with the one before it.
func (c *Call) Retries() iter.Seq2[*Attempt, *Attempt] {
	return func(yield func(prev, retry *Attempt) bool) {
		for i := 1; i < len(c.Attempts); i++ {
			if !yield(c.Attempts[i-1], c.Attempts[i]) {
				return
			}
		}
	}
}

// Calls yields all calls of the request, callers before the calls they made,
// siblings in order of start.
func (r *Request) Calls() iter.Seq[*Call] {
	return func(yield func(*Call) bool) {
		var todo []*Call
		push := func(calls []*Call) {
			for i := len(calls) - 1; i >= 0; i-- {
				todo = append(todo, calls[i])
			}
		}
		push(r.Roots)
		for len(todo) > 0 {
			c := todo[len(todo)-1]
			todo = todo[:len(todo)-1]
			if !yield(c) {
				return
			}
			for i := len(c.Attempts) - 1; i >= 0; i-- {
				push(c.Attempts[i].Calls)
			}
		}
	}
}

// Text returns what y stands for.
func (r *Request) Text(y Sym) string { return r.Store.Text(y) }
