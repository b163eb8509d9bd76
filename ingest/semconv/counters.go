package semconv

import (
	"strings"

	"github.com/retryaudit/retryaudit/analyzer/trace"
	"github.com/retryaudit/retryaudit/ingest/record"
)

// A counterRow says what the number under a name counts: attributes.md 0.1.
type counterRow struct {
	key     string
	at      place
	on      kinds
	under   string
	meaning trace.Meaning // 0: the number is only a limit
	// first is the number of the first attempt, for a total the number that
	// stands for none made: retries count from 0 where attempts count from 1.
	first   int32
	resends bool // counts redirects and challenges, too
	// received says that a server got the number from its caller; that a
	// request header holds it says the same.
	received bool
	limit    limitOf
	// by is who says so: of a span with several counters the one with the lower
	// value is believed.
	by saidBy
}

// saidBy orders counters by how near to the attempts they are.
type saidBy uint8

const (
	bySelf   saidBy = iota // what a layer says of its own attempts
	byHeader               // headers, from the callee's side outwards
	byResend               // of a transport
	byTotal                // over all attempts
)

// breadth ranks rows of one name: what is said of some scopes or kinds goes
// before what is said of all.
func (r *counterRow) breadth() int {
	switch {
	case r.under != "":
		return 0
	case r.on != 0:
		return 1
	}
	return 2
}

// limitOf says what a number limits.
type limitOf uint8

const (
	attemptLimit limitOf = iota + 1 // the number of attempts
	retryLimit                      // the number of retries, one less
)

// maxAttempts is more than any real counter shows.
const maxAttempts = 1 << 20

// count fills in the counter of the span and its limit.
func (n *Normalizer) count() {
	c := &n.facts.Counter
	best := len(counters)
	for _, f := range n.found {
		if f.kind != counterEntry {
			continue
		}
		r := &counters[f.row]
		v, ok := integer(f.value)
		if !ok || v > maxAttempts {
			continue
		}
		if r.limit != 0 {
			if r.limit == retryLimit {
				v++
			}
			if v > 0 {
				n.limit(int32(v))
			}
			continue
		}
		number := int32(v) - r.first
		if r.meaning == trace.Total && number < 1 || v < 0 {
			continue
		}
		if int(f.row) < best {
			best = int(f.row)
			c.Meaning, c.N, c.Resends = r.meaning, max(0, number), r.resends
			c.Received = (r.at == request || r.received) && n.kind == server
			c.Source = n.store.Sym(f.name)
			n.factual = true
		}
	}
	if v := n.at[amzRequest]; v != nil {
		n.countAmz(header(v), best == len(counters))
	}
	n.countGoogle(header(n.at[googClient]), best == len(counters))
	n.countRun(best == len(counters))
	if v := jsonValue(jsonField(text(n.at[hidden]), "x-litellm-attempted-retries")); v != nil && best == len(counters) {
		if retries, ok := integer(v); ok && retries >= 0 && retries < maxAttempts {
			c.Meaning, c.N, c.Source = trace.Total, int32(retries)+1, n.store.Sym("hidden_params")
			n.factual = true
		}
	}
	if most, ok := integer(jsonValue(jsonField(text(n.at[invocation]), "max_retries"))); ok && most >= 0 && most < maxAttempts {
		n.limit(int32(most) + 1)
	}
	if best == len(counters) && c.Meaning == 0 {
		if f := n.nameFacts(n.record.Name); f.n >= 0 {
			c.Meaning, c.N = trace.Ordinal, f.n
			c.Source = n.store.Sym("span name")
			n.factual = true
			if f.max > 0 {
				n.limit(f.max)
			}
		}
	}
}

// countGoogle reads "gl-go/1.26 gccl/1.2 gccl-invocation-id/ID
// gccl-attempt-count/2" (google-cloud-go storage/invoke.go, google-cloud-php):
// attempts count from 1, the ID is that of the call.
func (n *Normalizer) countGoogle(s string, free bool) {
	for part := range strings.FieldsSeq(s) {
		if id, ok := strings.CutPrefix(part, "gccl-invocation-id/"); ok && id != "" && len(id) <= maxKey {
			n.callID(id)
		}
		if count, ok := strings.CutPrefix(part, "gccl-attempt-count/"); ok && free {
			if number, ok := digits(count); ok && number > 0 {
				n.ordinal(int32(number)-1, "x-goog-api-client")
			}
		}
	}
}

// countRun reads what frameworks write into tags and metadata of a run.
func (n *Normalizer) countRun(free bool) {
	if !free {
		return
	}
	// LangChain's withRetry tags attempts after the first with their number
	// from 1 (langchain-core runnables/retry.py, runnables/base.ts).
	if number, ok := retryTag(n.at[runTags]); ok {
		n.ordinal(number-1, "tags")
	}
	// A node of Dify that was repeated (dify core/ops/unified_trace): the key
	// alone might be anybody's.
	if m := text(n.at[runMetadata]); jsonField(m, "dify.span.kind") != "" {
		if retries, ok := digits(jsonField(m, "retry_count")); ok && retries > 0 {
			c := &n.facts.Counter
			c.Meaning, c.N, c.Source = trace.Total, int32(retries)+1, n.store.Sym("metadata")
			n.factual = true
		}
	}
}

// ordinal notes the number of the attempt, from 0.
func (n *Normalizer) ordinal(number int32, source string) {
	c := &n.facts.Counter
	c.Meaning, c.N, c.Received = trace.Ordinal, number, n.kind == server
	c.Source = n.store.Sym(source)
	n.factual = true
}

// retryTag returns the N of a tag "retry:attempt:N" in a list, the list as JSON
// or a text with commas.
func retryTag(v *record.Value) (number int32, ok bool) {
	const mark = "retry:attempt:"
	if v == nil {
		return 0, false
	}
	if v.Type == record.List {
		for i := range v.List {
			if number, ok = retryTag(&v.List[i]); ok {
				return number, true
			}
		}
		return 0, false
	}
	s := text(v)
	i := strings.Index(s, mark)
	if i < 0 || i > 0 && strings.IndexByte(`", `, s[i-1]) < 0 {
		return 0, false
	}
	number, end := leadingNumber(s, i+len(mark))
	return number, number > 1 && (end == len(s) || strings.IndexByte(`", ]`, s[end]) >= 0)
}

// limit notes how many attempts are allowed.
func (n *Normalizer) limit(most int32) {
	n.facts.DeclaredMax = max(n.facts.DeclaredMax, most)
	n.factual = true
}

// countAmz reads "attempt=2; max=3; ttl=20260822T101500Z" (aws-sdk-go-v2
// aws/retry/middleware.go): attempts count from 1.
func (n *Normalizer) countAmz(s string, free bool) {
	for s != "" {
		var part string
		part, s, _ = strings.Cut(s, ";")
		key, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		switch key {
		case "attempt":
			if number, ok := digits(value); ok && number > 0 && free {
				c := &n.facts.Counter
				c.Meaning, c.N, c.Received = trace.Ordinal, int32(number)-1, n.kind == server
				c.Source = n.store.Sym("amz-sdk-request")
				n.factual = true
			}
		case "max":
			if most, ok := digits(value); ok && most > 0 {
				n.limit(int32(most))
			}
		case "ttl":
			n.deadlineAt(value, "amz-sdk-request")
		}
	}
}
