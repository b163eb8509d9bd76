package trace

import (
	"cmp"
	"slices"
)

// finish refines classes from further out and finds the logical requests.
func (b *builder) finish() {
	for i := len(b.calls) - 1; i >= 0; i-- {
		for _, a := range b.calls[i].Attempts {
			b.inherit(a)
		}
	}
	for _, c := range b.calls {
		for _, a := range c.Attempts {
			slices.SortStableFunc(a.Calls, func(x, y *Call) int { return cmp.Compare(x.Attempts[0].Start, y.Attempts[0].Start) })
			b.refine(a)
		}
	}
	b.lost()
	b.logical()
}

// lost takes from the attempts that numbers tell of, and of which no span was
// seen, those that a server may be whose client is not in the input: it stands
// beside the numbered ones, or elsewhere.
func (b *builder) lost() {
	free := map[Sym]int32{} // by what they want
	for _, c := range b.calls {
		for _, a := range c.Attempts {
			if len(a.Spans) > 0 && a.Spans[0].Flags.Has(Ghost) && a.Spans[0].Kind == Client {
				free[c.Upstream.Op]++
			}
		}
	}
	for _, c := range b.calls {
		for _, a := range c.Attempts {
			if n := min(a.Count.Min, free[c.Upstream.Op]); len(a.Spans) == 0 && n > 0 {
				a.Count.Min -= n
				free[c.Upstream.Op] -= n
			}
		}
	}
}

// refine hands the class of a failed attempt to the call that failed it, if
// only the outer span tells it: it holds for the last attempt and for those of
// the same status (quota codes over bare 429s).
func (b *builder) refine(a *Attempt) {
	if !a.Failed() || a.Class == UnknownError || a.Class == NoError {
		return
	}
	last := lastOf(a)
	if last == nil || !last.Failed() || a.Status != 0 && last.Status != 0 && a.Status != last.Status {
		return
	}
	all := last.Call.Attempts
	for i := len(all) - 1; i > 0; i-- {
		if all[i].Fallback {
			all = all[i:] // what another provider said is not of this
			break
		}
	}
	for _, x := range all {
		if x != last && (x.Status != last.Status || x.Status == 0) {
			continue
		}
		if x.Failed() && (x.Class == UnknownError || x.ClassConf < a.ClassConf) {
			x.Class, x.Verdict, x.ClassConf, x.Code = a.Class, a.Verdict, a.ClassConf, a.Code
		}
	}
}

// inherit gives a failed attempt that does not say why the class of the call
// that it ended with, if that failed.
func (b *builder) inherit(a *Attempt) {
	if !a.Failed() || a.Class != UnknownError {
		return
	}
	if last := lastOf(a); last != nil && last.Failed() && last.Class != UnknownError {
		a.Class, a.Verdict, a.ClassConf, a.Code = last.Class, last.Verdict, min(last.ClassConf, Likely), last.Code
		a.Status = cmp.Or(a.Status, last.Status)
	}
}

// lastOf returns the attempt, among the last ones of each call, that ended last.
func lastOf(a *Attempt) *Attempt {
	var last *Attempt
	for _, c := range a.Calls {
		if x := c.Attempts[len(c.Attempts)-1]; last == nil || x.End > last.End {
			last = x
		}
	}
	return last
}

// logical sorts the attempts at the last hop into classes: two are of one
// class if, in every attempt on their way up, they came of the same call, by
// what it wants and its index among those. A call that wants what its caller
// wants, the first such of an attempt, changes no class.
func (b *builder) logical() {
	at := map[uint64]int{}
	index := map[uint64]uint64{}
	key := func(class, place uint64, calls []*Call) {
		clear(index)
		first := true
		for _, c := range calls {
			if c.same && first {
				c.key, c.place = class, mix(mix(place, c.Identity), 0)
				first = false
				continue
			}
			index[c.Identity]++
			c.place = mix(mix(place, c.Identity), index[c.Identity])
			c.key = c.place
		}
	}
	key(fnvOffset, fnvOffset, b.r.Roots)
	for _, c := range b.calls {
		for _, a := range c.Attempts {
			if len(a.Calls) > 0 {
				key(c.key, c.place, a.Calls)
				continue
			}
			if !lastHop(a) {
				continue
			}
			i, ok := at[c.key]
			if !ok {
				i = len(b.r.Logical)
				at[c.key] = i
				b.r.Logical = append(b.r.Logical, nil)
			}
			b.r.Logical[i] = append(b.r.Logical[i], a)
		}
	}
	for _, class := range b.r.Logical {
		slices.SortStableFunc(class, func(x, y *Attempt) int { return cmp.Compare(x.Start, y.Start) })
	}
	slices.SortStableFunc(b.r.Logical, func(x, y []*Attempt) int { return cmp.Compare(x[0].Start, y[0].Start) })
}

// lastHop reports whether an attempt without calls reached another service, a
// model or a tool, or stands for hidden ones that did.
func lastHop(a *Attempt) bool {
	if len(a.Spans) == 0 {
		return true
	}
	// The last of those that a span counts is where the hidden ones are.
	reached := len(a.Call.Attempts[0].Spans) == 0 && a.N > 0
	for _, s := range a.Spans {
		if s.Flags.Has(NeverSent) {
			return false
		}
		switch {
		case s.Flags.Has(Ghost):
		case s.Kind == Client, s.Kind == Server, s.Kind == Consumer, s.Flags&(ModelAsk|ToolRun) != 0:
			reached = true
		}
	}
	return reached && !neverLeft(a)
}

// neverLeft reports whether a client gave up within a millisecond, without
// status or server: the request did not reach the last hop.
func neverLeft(a *Attempt) bool {
	for _, s := range a.Spans {
		if s.Kind == Server || s.Status != 0 {
			return false
		}
	}
	last := a.Spans[len(a.Spans)-1]
	return a.Outcome == Cut && last.Kind == Client && last.Duration().Milliseconds() < 1
}

// Sure parts a class of Request.Logical into what is known to be one: the
// attempts of a call that may be a list are apart, and so are those of which it
// is no more than possible that they are this call's and not an equal one's.
func Sure(class []*Attempt) [][]*Attempt {
	var parts [][]*Attempt
	at := map[*Attempt]int{} // by the innermost attempt that may be a thing of its own
	for _, a := range class {
		thing := a
		for thing != nil && !thing.Call.List && !(thing.unsure && thing.Call.Conf == Possible) {
			thing = thing.Call.Parent
		}
		i, ok := at[thing]
		if !ok {
			i = len(parts)
			at[thing] = i
			parts = append(parts, nil)
		}
		parts[i] = append(parts[i], a)
	}
	return parts
}
