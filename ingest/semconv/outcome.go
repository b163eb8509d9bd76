package semconv

import (
	"strings"

	"github.com/retryaudit/retryaudit/analyzer/trace"
	"github.com/retryaudit/retryaudit/ingest/record"
)

// An outcomeRow is an attribute that says outright how the span ended.
type outcomeRow struct {
	key   string
	value string // in lower case
	is    trace.Outcome
	class trace.Class // of a failure, where the value tells
	under string
}

// decide fills in Status, Outcome, Class, Verdict, ClassConf and Code, in the
// order of the design's section 4: explicit attributes, HTTP or RPC status,
// body code, span status.
func (n *Normalizer) decide() {
	s, r := &n.span, n.record
	e := n.evidence()
	s.Status = uint16(e.status)
	http := n.isHTTP() && n.at[rpcSystem] == nil

	outcome := n.said
	var finishClass trace.Class
	if v := n.at[finish]; v != nil {
		f := finishReasons[header(v)]
		finishClass = f.class
		if f.final {
			s.Flags |= trace.FinalAnswer
		}
	}
	told := e.errorType != "" || e.code != ""
	switch {
	case outcome != trace.Unstated:
	case finishClass != trace.NoError:
		outcome = trace.Failed
	case n.flagged:
		outcome = trace.Failed
	case e.status >= 400:
		outcome = trace.Failed
	case e.status > 0:
		outcome = trace.OK
		// A 200 may hide a failure: an error beside it, a gRPC code (Envoy writes
		// both), or an exception on a span that ended in error.
		if told || r.Status == record.Error && (n.exceptions > 0 || r.StatusMessage != "") || e.grpc != "" && e.grpc != "OK" {
			outcome = trace.Failed
		}
		if e.status >= 300 && e.status < 400 && e.status != 304 {
			s.Flags |= trace.Redirected
		}
	case e.grpc == "OK":
		outcome = trace.OK
		if r.Status == record.Error {
			outcome = trace.Failed
		}
	case e.grpc != "":
		outcome = trace.Failed
	case told:
		outcome = trace.Failed
	case r.Status == record.OK:
		outcome = trace.OK
	case r.Status == record.Error:
		outcome = trace.Failed
	case n.at[answerID] != nil, n.at[finish] != nil, n.facts.OutTokens > 0:
		outcome = trace.OK // the model answered
	case http && n.kind == client:
		outcome = trace.Failed
	}
	if http && n.kind == client && e.status == 0 && r.Status != record.OK && outcome != trace.OK {
		s.Flags |= trace.NoAnswer
	}
	s.Outcome = outcome
	if outcome == trace.OK || outcome == trace.Unstated {
		return
	}

	j := n.judge(e)
	switch {
	case n.saidClass != trace.NoError:
		j.class, j.verdict, j.conf = n.saidClass, trace.VerdictOf(n.saidClass), trace.Certain
	case finishClass > trace.UnknownError:
		j.class, j.verdict, j.conf = finishClass, trace.VerdictOf(finishClass), trace.Certain
	}
	n.conclude(j)
}

// conclude writes what the classifier found.
func (n *Normalizer) conclude(j judgement) {
	s := &n.span
	if j.class == trace.Reset && n.delivered() {
		j.class, j.verdict = trace.PartialStream, trace.VerdictOf(trace.PartialStream)
	}
	if j.class == trace.Cancelled {
		s.Outcome = trace.Cut
	}
	if j.unsent && n.sends() {
		s.Flags |= trace.NeverSent
	}
	s.Class, s.Verdict, s.ClassConf = j.class, j.verdict, j.conf
	s.Code = j.code
	if s.Status == 0 {
		s.Status = j.status
	}
	if j.refuser != "" {
		n.facts.Refuser = n.store.Sym(j.refuser)
		n.factual = true
	}
	if had := n.facts.RetryAfter.State; had == trace.Absent && j.asked.State != trace.Absent || had == trace.Unusable && j.asked.State > trace.Absent && j.asked.State != trace.Unusable {
		n.facts.RetryAfter = j.asked
		n.factual = true
	}
	if s.Class == trace.RateLimit && s.ClassConf < trace.Certain && !n.guessed {
		switch n.facts.RetryAfter.State {
		case trace.For, trace.Until:
			s.ClassConf = trace.Certain
		}
	}
	if j.total > 0 && n.facts.Counter.Meaning == 0 {
		n.facts.Counter.Meaning, n.facts.Counter.N = trace.Total, j.total
		n.facts.Counter.Source = n.store.Sym("error message")
		n.factual = true
	}
}

// sends reports whether the span is of what sends requests. An agent, a tool
// or a job whose cause of failure is a refused connection has run itself.
func (n *Normalizer) sends() bool {
	switch n.span.Layer {
	case trace.Proxy, trace.Gateway:
		return true
	case trace.SDK, trace.Transport:
		return n.kind&receiver == 0
	}
	return n.kind&sender != 0
}

// delivered reports whether part of an answer had come.
func (n *Normalizer) delivered() bool {
	return n.facts.FirstOutput != 0 || n.facts.OutTokens > 0 || n.facts.Chunks > 0
}

// evidence is all that a span says about its error.
type evidence struct {
	provider  string // family
	maker     string // family of the model
	errorType string // error.type, unless it is a status
	code      string // error.code and its like
	excType   string
	grpc      string // name of the gRPC code
	flags     string // Envoy's response flags
	texts     [3]string
	status    int
}

// maxErrorText bounds how much of an error text is read.
const maxErrorText = 8 << 10

func (n *Normalizer) evidence() evidence {
	r := n.record
	var e evidence
	if v, ok := integer(n.at[status]); ok && v >= 100 && v < 1000 {
		e.status = int(v)
	}
	e.grpc = grpcCode(text(n.at[rpcStatus]))
	if t := text(n.at[errorType]); t != "" {
		if code, ok := digits(t); ok && code >= 100 && code < 1000 {
			if e.status == 0 && n.at[rpcStatus] == nil {
				e.status = code
			}
		} else {
			e.errorType = t
		}
	}
	e.code = text(n.at[errorCode])
	if code, ok := digits(e.code); ok {
		// litellm writes the HTTP status here; Zhipu's and MiniMax's codes have
		// four digits.
		if code >= 400 && code < 600 && e.status == 0 {
			e.status = code
		}
		if code == 0 || code == e.status {
			e.code = ""
		}
	}
	if e.grpc == "" && n.at[jsonRPCError] != nil {
		e.code = text(n.at[jsonRPCError])
	}
	e.flags = text(n.at[responseFlags])
	if e.flags == "-" {
		e.flags = ""
	}
	// An exception counts only beside another sign of failure: many are caught.
	if n.exceptions > 0 || n.at[exceptionText] != nil {
		e.excType = n.exceptionType(&e)
		e.texts[0] = clip(text(n.at[exceptionText]))
	}
	e.texts[1] = clip(text(n.at[errorText]))
	if r.StatusMessage != e.texts[0] {
		e.texts[2] = clip(r.StatusMessage)
	}
	if e.status == 0 && (r.Status == record.Error || n.said == trace.Failed) && (n.span.Flags&trace.ModelAsk != 0 || n.span.Layer != trace.Transport) {
		for _, t := range e.texts {
			if e.status = statusInText(t); e.status != 0 {
				break
			}
		}
	}
	return e
}

// exceptionType returns the name of the exception's type. The JavaScript SDK
// writes error.code in its place where there is one: the number of a gRPC code,
// an HTTP status, or a code of somebody else's that says nothing here.
func (n *Normalizer) exceptionType(e *evidence) string {
	t := text(n.at[exceptionType])
	code, ok := digits(t)
	if !ok {
		return t
	}
	switch {
	case n.record.Status != record.Error: // it may have been caught
	case code >= 400 && code < 600 && e.status == 0:
		e.status = code
	case e.grpc == "" && (n.at[rpcSystem] != nil || strings.Contains(text(n.at[exceptionText]), grpcCode(t)+":")):
		e.grpc = grpcCode(t)
	}
	return ""
}

func clip(s string) string {
	if len(s) > maxErrorText {
		return s[:maxErrorText]
	}
	return s
}

// statusMarks stand before an HTTP status in an error text: openai-python
// ("Error code: 401 - "), smithy-go ("StatusCode: 400"), and others.
var statusMarks = []string{"Error code: ", "StatusCode: ", "status code: ", "status code ", "HTTP ", "status: "}

// statusInText returns the HTTP status of 400 and above that an error text
// begins with ("429 You exceeded …", openai-node) or names after a mark.
func statusInText(t string) int {
	if s := leadingStatus(t); s != 0 {
		return s
	}
	for _, m := range statusMarks {
		if i := strings.Index(t, m); i >= 0 {
			if s := leadingStatus(t[i+len(m):]); s != 0 {
				return s
			}
		}
	}
	return 0
}

func leadingStatus(t string) int {
	if len(t) < 3 || len(t) > 3 && (t[3] == '.' || t[3] >= '0' && t[3] <= '9' || isLetter(lowerByte(t[3]))) {
		return 0
	}
	if s, ok := digits(t[:3]); ok && s >= 400 && s < 600 {
		return s
	}
	return 0
}
