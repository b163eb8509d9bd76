package trace

import (
	"bytes"
	"cmp"
	"slices"
)

// compare orders spans by their whole content and, at the end, by their place
// in the input. Symbols must ascend with their texts (see Canonical).
func (s *Store) compare(a, b *Span) int {
	return cmp.Or(
		s.compareContent(a, b),
		cmp.Compare(a.Input, b.Input), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Offset, b.Offset),
	)
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
		compareCounter(a.Counter, b.Counter),
		cmp.Compare(a.RetryAfter.State, b.RetryAfter.State), cmp.Compare(a.RetryAfter.D, b.RetryAfter.D),
		cmp.Compare(a.RetryAfter.At, b.RetryAfter.At), cmp.Compare(a.RetryAfter.Source, b.RetryAfter.Source),
		cmp.Compare(a.Deadline.Scope, b.Deadline.Scope), cmp.Compare(a.Deadline.D, b.Deadline.D),
		cmp.Compare(a.Deadline.At, b.Deadline.At), cmp.Compare(a.Deadline.Source, b.Deadline.Source),
		cmp.Compare(a.FirstOutput, b.FirstOutput), cmp.Compare(a.CancelledAt, b.CancelledAt),
		cmp.Compare(a.InTokens, b.InTokens), cmp.Compare(a.OutTokens, b.OutTokens),
		cmp.Compare(a.Bytes, b.Bytes), cmp.Compare(a.Chunks, b.Chunks), cmp.Compare(a.DeclaredMax, b.DeclaredMax),
		cmp.Compare(a.Model, b.Model), cmp.Compare(a.Tool, b.Tool), cmp.Compare(a.Step, b.Step),
		cmp.Compare(a.Session, b.Session), cmp.Compare(a.Channel, b.Channel), cmp.Compare(a.Provider, b.Provider),
		cmp.Compare(a.Refuser, b.Refuser), cmp.Compare(a.CallID, b.CallID), cmp.Compare(a.InputHash, b.InputHash),
		cmp.Compare(a.Needs, b.Needs), cmp.Compare(a.Has, b.Has),
	)
}

func compareCounter(a, b Counter) int {
	flag := func(x bool) int {
		if x {
			return 1
		}
		return 0
	}
	return cmp.Or(
		cmp.Compare(a.Meaning, b.Meaning), cmp.Compare(a.N, b.N),
		cmp.Compare(flag(a.Received), flag(b.Received)), cmp.Compare(flag(a.Resends), flag(b.Resends)),
		cmp.Compare(a.Source, b.Source),
	)
}
