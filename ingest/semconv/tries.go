package semconv

import "github.com/retryaudit/retryaudit/analyzer/trace"

// tries counts the attempts that the events of a span tell of, where one span
// covers them all.
type tries struct {
	begun  int32 // an event for each attempt
	again  int32 // an event for each attempt after the first
	failed int32 // an event for each attempt that failed
}

// countTries fills in the attempts that events tell of, where no attribute and
// no error text gives their number.
func (n *Normalizer) countTries() {
	t, c := n.tries, &n.facts.Counter
	var total int32
	switch {
	case c.Meaning != 0:
		return
	case t.begun > 0:
		total = t.begun
	case t.again > 0:
		total = t.again + 1
	case t.failed > 0:
		total = t.failed
		if o := n.span.Outcome; o != trace.Failed && o != trace.Cut {
			total++
		}
	default:
		return
	}
	c.Meaning, c.N, c.Source = trace.Total, total, n.store.Sym("events")
	n.factual = true
}
