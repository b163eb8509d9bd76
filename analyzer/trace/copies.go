package trace

import (
	"bytes"
	"cmp"
	"slices"
	"time"
)

// compare orders spans by their whole content and, at the end, by their place
// in the input. Symbols must ascend with their texts (see Canonical).
func (s *Store) compare(a, b *Span) int {
	return cmp.Or(
		s.compareContent(a, b),
		cmp.Compare(a.Input, b.Input), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Offset, b.Offset),
	)
}

// twinSlack is by how much the times of one span may differ between two
// formats: Jaeger and Zipkin cut to microseconds, others to milliseconds.
const twinSlack = int64(time.Millisecond)

// dropTwins removes further records of one span that came in another format,
// which cut its times or lost a part of it. The first in canonical order stays.
func (g *Graph) dropTwins() {
	spans := g.store.Spans
	kept := spans[:0]
	byID := map[SpanID][]int32{} // of the trace at hand
	for i := range spans {
		s := spans[i]
		if i > 0 && s.Trace != kept[len(kept)-1].Trace {
			clear(byID)
		}
		same := byID[s.ID]
		if slices.ContainsFunc(same, func(k int32) bool { return twins(&kept[k], &s) }) {
			g.Duplicates++
			continue
		}
		if len(same) < maxTwins {
			byID[s.ID] = append(same, int32(len(kept)))
		}
		kept = append(kept, s)
	}
	g.store.Spans = kept
}

// maxTwins bounds how many spans of one ID a span is compared with.
const maxTwins = 16

// twins reports whether two records of one ID are one span: the same times,
// as far as formats keep them, and nothing that contradicts.
func twins(a, b *Span) bool {
	within := func(x, y int64) bool { return x-y <= twinSlack && y-x <= twinSlack }
	kind := func(k Kind) bool { return k != Internal && k != KindUnspecified }
	return within(a.Start, b.Start) && within(a.End, b.End) &&
		(a.Kind == b.Kind || !kind(a.Kind) || !kind(b.Kind)) &&
		(a.Service == b.Service || a.Service == 0 || b.Service == 0) &&
		(a.Outcome == b.Outcome || a.Outcome == Unstated || b.Outcome == Unstated) &&
		(a.Parent == b.Parent || a.Parent.IsZero() || b.Parent.IsZero()) &&
		(a.Status == b.Status || a.Status == 0 || b.Status == 0)
}

// compareContent is 0 for copies of one record.
func (s *Store) compareContent(a, b *Span) int {
	if c := cmp.Or(bytes.Compare(a.Trace[:], b.Trace[:]), cmp.Compare(a.Start, b.Start), cmp.Compare(b.End, a.End),
		bytes.Compare(a.ID[:], b.ID[:]), bytes.Compare(a.Parent[:], b.Parent[:])); c != 0 {
		return c
	}
	if c := cmp.Or(
		cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Layer, b.Layer), cmp.Compare(a.Outcome, b.Outcome),
		cmp.Compare(a.Class, b.Class), cmp.Compare(a.Verdict, b.Verdict), cmp.Compare(a.ClassConf, b.ClassConf),
		cmp.Compare(a.Flags, b.Flags), cmp.Compare(a.Status, b.Status), cmp.Compare(a.ArgsHash, b.ArgsHash),
		cmp.Compare(a.Service, b.Service), cmp.Compare(a.Instance, b.Instance), cmp.Compare(a.Scope, b.Scope),
		cmp.Compare(a.Agent, b.Agent), cmp.Compare(a.Op, b.Op), cmp.Compare(a.Ask, b.Ask),
		cmp.Compare(a.Address, b.Address), cmp.Compare(a.Code, b.Code),
	); c != 0 {
		return c
	}
	return compareFacts(s.FactsOf(a), s.FactsOf(b))
}

func compareFacts(a, b *Facts) int {
	switch {
	case a == b:
		return 0
	case a == nil:
		return -1
	case b == nil:
		return 1
	}
	return cmp.Or(
		slices.CompareFunc(a.Keys, b.Keys, func(x, y Key) int {
			return cmp.Or(cmp.Compare(x.Kind, y.Kind), cmp.Compare(x.Dir, y.Dir), cmp.Compare(x.ID, y.ID))
		}),
		slices.CompareFunc(a.Links, b.Links, func(x, y Link) int {
			return cmp.Or(bytes.Compare(x.Trace[:], y.Trace[:]), bytes.Compare(x.ID[:], y.ID[:]))
		}),
		slices.CompareFunc(a.Events, b.Events, func(x, y Event) int {
			return cmp.Or(cmp.Compare(x.At, y.At), cmp.Compare(x.Kind, y.Kind))
		}),
		compareFlag(a.Within, b.Within), compareCounter(a.Counter, b.Counter),
		cmp.Compare(a.RetryAfter.State, b.RetryAfter.State), cmp.Compare(a.RetryAfter.D, b.RetryAfter.D),
		cmp.Compare(a.RetryAfter.At, b.RetryAfter.At), cmp.Compare(a.RetryAfter.Source, b.RetryAfter.Source),
		cmp.Compare(a.Deadline.Scope, b.Deadline.Scope), cmp.Compare(a.Deadline.D, b.Deadline.D),
		cmp.Compare(a.Deadline.At, b.Deadline.At), cmp.Compare(a.Deadline.Source, b.Deadline.Source),
		cmp.Compare(a.FirstOutput, b.FirstOutput), cmp.Compare(a.CancelledAt, b.CancelledAt),
		cmp.Compare(a.InTokens, b.InTokens), cmp.Compare(a.OutTokens, b.OutTokens),
		cmp.Compare(a.Bytes, b.Bytes), cmp.Compare(a.Chunks, b.Chunks), cmp.Compare(a.DeclaredMax, b.DeclaredMax),
		cmp.Compare(a.Model, b.Model), cmp.Compare(a.Tool, b.Tool), cmp.Compare(a.Step, b.Step),
		cmp.Compare(a.Session, b.Session), cmp.Compare(a.Channel, b.Channel), cmp.Compare(a.Provider, b.Provider),
		cmp.Compare(a.Refuser, b.Refuser), cmp.Compare(a.CallID, b.CallID), cmp.Compare(a.Libraries, b.Libraries), cmp.Compare(a.InputHash, b.InputHash),
		cmp.Compare(a.Needs, b.Needs), cmp.Compare(a.Has, b.Has),
	)
}

func compareCounter(a, b Counter) int {
	return cmp.Or(
		cmp.Compare(a.Meaning, b.Meaning), cmp.Compare(a.N, b.N),
		compareFlag(a.Received, b.Received), compareFlag(a.Resends, b.Resends),
		cmp.Compare(a.Source, b.Source),
	)
}

func compareFlag(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}
