package semconv

import (
	"cmp"
	"math"
	"slices"
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
	// Deadlines hold the time that a call has.
	Deadlines []DeadlineName
}

// AttemptName is an attribute with the number of an attempt; First is that of
// the first.
type AttemptName struct {
	Name  string
	First int64
}

// DeadlineName is an attribute with the time that a call has: in Units from its
// span's start, or with Point until a point in time, in Units since the Unix
// epoch, or without a Unit as a date of RFC 3339.
type DeadlineName struct {
	Name  string
	Unit  time.Duration
	Point bool
}

// customRow is what a name of the user's holds; rank is its place among all.
type customRow struct {
	rank     int
	at       place
	id, most bool
	attempt  *AttemptName
	deadline *DeadlineName
}

// Use makes the normaliser read the user's own names, too.
func (n *Normalizer) Use(names Names) { n.custom = rowsOf(names) }

// rowsOf returns the attributes that may stand for the names.
func rowsOf(names Names) map[string][]customRow {
	all, rank := map[string][]customRow{}, 0
	add := func(name string, r customRow) {
		rank++
		r.rank = rank
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

// readCustom notes what the user's names say, over what the tables read. Of
// several names of one meaning the first that is listed holds.
func (n *Normalizer) readCustom() {
	if len(n.told) > 1 {
		slices.SortStableFunc(n.told, func(a, b customFact) int { return cmp.Compare(a.rank, b.rank) })
	}
	var attempt, most, deadline bool // read
	for i := range n.told {
		c := &n.told[i]
		switch {
		case c.id:
			if id := header(c.value); id != "" && len(id) <= maxKey {
				n.key(trace.RequestKey, n.direction(0, c.at), id)
			}
		case c.attempt != nil && !attempt:
			attempt = n.customAttempt(c)
		case c.most && !most:
			if v, ok := integer(c.value); ok && v >= 1 && v < maxAttempts {
				n.facts.DeclaredMax, n.factual, most = int32(v), true, true
			}
		case c.deadline != nil && !deadline:
			deadline = n.customDeadline(c)
		}
	}
}

// customAttempt reads the number of an attempt. As in the tables, one that stands
// in the header of a request which a server got counts its caller's attempts,
// one that stands on a span by itself its own.
func (n *Normalizer) customAttempt(c *customFact) bool {
	v, ok := integer(c.value)
	if !ok || v < c.attempt.First || v >= maxAttempts {
		return false
	}
	n.ordinal(int32(v-c.attempt.First), c.name)
	n.facts.Counter.Resends, n.facts.Counter.Received = false, c.at == request && n.kind == server
	return true
}

// customDeadline reads the time that a call has.
func (n *Normalizer) customDeadline(c *customFact) bool {
	d := trace.Deadline{Scope: trace.CallScope}
	unit := c.deadline.Unit
	v, isNumber := number(c.value)
	switch {
	case c.deadline.Point && unit == 0:
		if t, err := time.Parse(time.RFC3339, header(c.value)); err == nil {
			d.At = t.UnixNano()
		}
	case !isNumber || v <= 0:
	case !c.deadline.Point && v <= maxDelay.Seconds()*float64(time.Second/unit):
		d.D = time.Duration(v * float64(unit))
	case c.deadline.Point && v < math.MaxInt64/float64(unit):
		whole := math.Trunc(v) // a fraction of it would be lost in a float of nanoseconds
		d.At = int64(whole)*int64(unit) + int64((v-whole)*float64(unit))
	}
	// A point further away is one in another unit.
	if away := d.At - n.span.Start; d.At != 0 && (away > int64(maxDelay) || away < -int64(maxDelay)) {
		d.At = 0
	}
	if d.D == 0 && d.At == 0 {
		return false
	}
	d.Source = n.store.Sym(c.name)
	n.facts.Deadline, n.factual = d, true
	return true
}
