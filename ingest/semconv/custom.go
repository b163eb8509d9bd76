package semconv

import (
	"strings"
	"time"

	"github.com/retryaudit/retryaudit/analyzer/trace"
	"github.com/retryaudit/retryaudit/ingest/record"
)

// Names are attributes and request headers that a user says hold what the
// tables cannot know. They go before the tables.
type Names struct {
	// RequestIDs hold the ID of a request, beside those of the table.
	RequestIDs []string
	// Attempts number the attempts of a call, as Attempt says.
	Attempts []AttemptName
	// MaxAttempts hold how many attempts a call may have, the first included.
	MaxAttempts []string
	// Deadlines hold the time that a call has from its span's start.
	Deadlines []DeadlineName
}

// AttemptName is an attribute with the number of an attempt; First is that of
// the first.
type AttemptName struct {
	Name  string
	First int64
}

// DeadlineName is an attribute with the time that a call has, in units of Unit.
type DeadlineName struct {
	Name string
	Unit time.Duration
}

// customRow is what a name of the user's holds.
type customRow struct {
	at       place
	id, most bool
	attempt  *AttemptName
	deadline *DeadlineName
}

// Use makes the normaliser read the user's own names, too.
func (n *Normalizer) Use(names Names) { n.custom = rowsOf(names) }

// rowsOf returns the attributes that may stand for the names.
func rowsOf(names Names) map[string][]customRow {
	all := map[string][]customRow{}
	add := func(name string, r customRow) {
		all[name] = append(all[name], r)
		r.at = request
		for _, prefix := range request.prefixes() {
			for _, header := range spellings(strings.ToLower(name), request) {
				all[prefix+header] = append(all[prefix+header], r)
			}
		}
	}
	for _, name := range names.RequestIDs {
		add(name, customRow{id: true})
	}
	for i := range names.Attempts {
		add(names.Attempts[i].Name, customRow{attempt: &names.Attempts[i]})
	}
	for _, name := range names.MaxAttempts {
		add(name, customRow{most: true})
	}
	for i := range names.Deadlines {
		add(names.Deadlines[i].Name, customRow{deadline: &names.Deadlines[i]})
	}
	return all
}

// customFact is an attribute whose name the user gave.
type customFact struct {
	customRow
	name  string
	value *record.Value
}

// readCustom notes what the user's names say, over what the tables read.
func (n *Normalizer) readCustom() {
	for _, c := range n.told {
		if c.id {
			if id := header(c.value); id != "" && len(id) <= maxKey {
				n.key(trace.RequestKey, n.direction(0, c.at), id)
			}
			continue
		}
		v, ok := number(c.value)
		switch {
		case !ok || v < 0:
		case c.attempt != nil && v >= float64(c.attempt.First) && v < maxAttempts:
			n.ordinal(int32(v)-int32(c.attempt.First), c.name)
			n.facts.Counter.Resends = false
		case c.most && v >= 1 && v < maxAttempts:
			n.facts.DeclaredMax, n.factual = int32(v), true
		case c.deadline != nil && v > 0 && v <= float64(maxDelay/c.deadline.Unit):
			n.facts.Deadline = trace.Deadline{
				Scope: trace.CallScope, D: time.Duration(v * float64(c.deadline.Unit)), Source: n.store.Sym(c.name),
			}
			n.factual = true
		}
	}
}
