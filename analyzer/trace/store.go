package trace

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Sym is an interned string of one Store; 0 is the empty string.
type Sym uint32

// Store holds spans and what they refer to. The zero Store is not ready for
// use: see NewStore. A Store is not safe for concurrent use.
type Store struct {
	Spans []Span
	// Facts holds the rows that Span.Facts points to; row 0 is unused.
	Facts []Facts
	// Cut names traces that a bound forced out before they were whole.
	Cut   []TraceID
	texts []string
	index map[string]Sym
}

// NewStore returns an empty store.
func NewStore() *Store {
	return &Store{Facts: make([]Facts, 1), texts: []string{""}, index: map[string]Sym{"": 0}}
}

// Sym returns the symbol of text, a new one if need be. The text is copied.
func (s *Store) Sym(text string) Sym {
	if y, ok := s.index[text]; ok {
		return y
	}
	y := Sym(len(s.texts))
	text = strings.Clone(text)
	s.texts = append(s.texts, text)
	s.index[text] = y
	return y
}

// Text returns what y stands for.
func (s *Store) Text(y Sym) string { return s.texts[y] }

// Texts returns all interned strings by symbol; it must not be changed.
func (s *Store) Texts() []string { return s.texts }

// Add appends a span; f, unless nil, becomes its row of facts.
func (s *Store) Add(span Span, f *Facts) {
	span.Facts = 0
	if f != nil {
		span.Facts = uint32(len(s.Facts))
		s.Facts = append(s.Facts, *f)
	}
	s.Spans = append(s.Spans, span)
}

// FactsOf returns the facts of a span, nil if it has none.
func (s *Store) FactsOf(span *Span) *Facts {
	if span.Facts == 0 {
		return nil
	}
	return &s.Facts[span.Facts]
}

// Merge appends all spans of o, whose symbols are translated.
func (s *Store) Merge(o *Store) {
	to := make([]Sym, len(o.texts))
	for i, text := range o.texts {
		to[i] = s.Sym(text)
	}
	s.append(o, to)
}

// Canonical returns the same spans in a total order of their content, with
// symbols that ascend with their texts: equal sets of spans give equal stores,
// in whatever order they were added.
func (s *Store) Canonical() *Store {
	used := make([]bool, len(s.texts))
	mark := func(y *Sym) { used[*y] = true }
	for i := range s.Spans {
		s.Spans[i].symbols(mark)
	}
	for i := range s.Facts {
		s.Facts[i].symbols(mark)
	}
	order := make([]Sym, 0, len(s.texts))
	for y := 1; y < len(s.texts); y++ {
		if used[y] {
			order = append(order, Sym(y))
		}
	}
	slices.SortFunc(order, func(a, b Sym) int { return strings.Compare(s.texts[a], s.texts[b]) })
	out := NewStore()
	to := make([]Sym, len(s.texts))
	for _, y := range order {
		to[y] = out.Sym(s.texts[y])
	}
	out.Spans = make([]Span, 0, len(s.Spans))
	out.Facts = make([]Facts, 1, len(s.Facts))
	out.append(s, to)
	slices.SortFunc(out.Spans, func(a, b Span) int { return out.compare(&a, &b) })
	slices.SortFunc(out.Cut, func(a, b TraceID) int { return bytes.Compare(a[:], b[:]) })
	out.Cut = slices.Compact(out.Cut)
	return out
}

func (s *Store) append(o *Store, to []Sym) {
	s.Cut = append(s.Cut, o.Cut...)
	translate := func(y *Sym) { *y = to[*y] }
	for i := range o.Spans {
		span := o.Spans[i]
		span.symbols(translate)
		if f := o.FactsOf(&o.Spans[i]); f != nil {
			row := f.clone()
			row.symbols(translate)
			s.Add(span, &row)
			continue
		}
		s.Add(span, nil)
	}
}

// symbols calls f for each symbol of the span.
func (p *Span) symbols(f func(*Sym)) {
	for _, y := range [...]*Sym{&p.Input, &p.Service, &p.Instance, &p.Scope, &p.Agent, &p.Op, &p.Ask, &p.Address, &p.Code} {
		f(y)
	}
}

// symbols calls f for each symbol of the facts.
func (p *Facts) symbols(f func(*Sym)) {
	for i := range p.Keys {
		f(&p.Keys[i].ID)
	}
	for _, y := range [...]*Sym{
		&p.Counter.Source, &p.RetryAfter.Source, &p.Deadline.Source,
		&p.Model, &p.Tool, &p.Step, &p.Session, &p.Channel, &p.Provider, &p.Refuser, &p.CallID, &p.Libraries,
	} {
		f(y)
	}
}

func (p *Facts) clone() Facts {
	c := *p
	c.Keys, c.Links, c.Events = slices.Clone(p.Keys), slices.Clone(p.Links), slices.Clone(p.Events)
	return c
}

// Restore returns a store of decoded parts. It fails where a number points
// outside of its table or names no known value.
func Restore(texts []string, spans []Span, facts []Facts) (*Store, error) {
	if len(texts) == 0 || texts[0] != "" || len(facts) == 0 {
		return nil, errors.New("a table lacks its first row")
	}
	s := &Store{Spans: spans, Facts: facts, texts: texts, index: make(map[string]Sym, len(texts))}
	for i, text := range texts {
		if _, ok := s.index[text]; ok {
			return nil, fmt.Errorf("text %q stands twice in its table", text)
		}
		s.index[text] = Sym(i)
	}
	bad := false
	check := func(y *Sym) { bad = bad || int(*y) >= len(texts) }
	for i := range spans {
		p := &spans[i]
		p.symbols(check)
		bad = bad || int(p.Facts) >= len(facts) || p.Class >= classes || p.Verdict > Stop || p.Outcome > Cut ||
			p.ClassConf > Certain || p.Layer > User || p.Kind > Consumer
	}
	for i := range facts {
		facts[i].symbols(check)
	}
	if bad {
		return nil, errors.New("a span points outside of its tables")
	}
	return s, nil
}

// Take appends one span of o, with its facts; its symbols are translated.
func (s *Store) Take(o *Store, span *Span) {
	translate := func(y *Sym) { *y = s.Sym(o.texts[*y]) }
	c := *span
	c.symbols(translate)
	if f := o.FactsOf(span); f != nil {
		row := f.clone()
		row.symbols(translate)
		s.Add(c, &row)
		return
	}
	s.Add(c, nil)
}
