package semconv

import (
	"cmp"
	"maps"
	"slices"
)

//go:generate go run ./internal/families

// A family is what one convention, library, gateway or engine writes: all that
// this package knows of it, row by row, with the source of each. A new system
// is a file with a family in it, a golden record in testdata, and a recording
// from which both were taken; go generate adds it to the list.
type family struct {
	// rank orders families whose rows fill one field: of a span that carries
	// both, the lower rank is read. Conventions stand first, then
	// instrumentations, older names, gateways, queues and engines.
	rank int

	rows      []row        // attributes and headers that fill a field
	counters  []counterRow // numbers and limits of attempts
	keys      []keyRow     // IDs
	delays    []delayRow   // when to come back
	deadlines []deadlineRow
	outcomes  []outcomeRow // words that say how a span ended

	operations map[string]meaning  // values of operation
	spanKinds  map[string]meaning  // values of spanKind
	names      []nameRow           // beginnings of span names
	jobs       []string            // beginnings of the names of jobs and steps
	events     map[string]eventUse // span events by name

	scopes     []scopeRow  // instrumentation scopes
	wholeCalls []string    // scopes, by prefix, whose client spans cover all attempts of a call
	marks      []layerMark // attributes that tell a layer
	clients    []clientRow // user agents
	frames     []frameRow  // of stack traces, by retry library
}

// The tables of all families, in the order in which they are believed. That
// depends on ranks and on the rows themselves, never on the list of families.
var (
	rows      = ranked(func(f *family) []row { return f.rows }, nil)
	counters  = rankedCounters()
	keys      = ranked(func(f *family) []keyRow { return f.keys }, nil)
	outcomes  = ranked(func(f *family) []outcomeRow { return f.outcomes }, nil)
	delays    = rankedDelays()
	deadlines = rankedDeadlines()
	marks     = ranked(func(f *family) []layerMark { return f.marks }, nil)

	// Of prefixes the longest that fits is meant.
	scopeRows  = rankedScopes()
	clientRows = rankedClients()
	nameRows   = rankedNames()
	jobNames   = ranked(func(f *family) []string { return f.jobs }, func(a, b *string) int { return longer(*a, *b) })
	frameRows  = ranked(func(f *family) []frameRow { return f.frames }, nil)
	callScopes = ranked(func(f *family) []string { return f.wholeCalls }, nil)

	operations = united(func(f *family) map[string]meaning { return f.operations })
	spanKinds  = united(func(f *family) map[string]meaning { return f.spanKinds })
	events     = united(func(f *family) map[string]eventUse { return f.events })
)

func rankedCounters() []counterRow {
	return ranked(func(f *family) []counterRow { return f.counters }, func(a, b *counterRow) int {
		return cmp.Or(cmp.Compare(a.by, b.by), cmp.Compare(a.breadth(), b.breadth()))
	})
}

func rankedDelays() []delayRow {
	return ranked(func(f *family) []delayRow { return f.delays }, func(a, b *delayRow) int {
		return cmp.Or(cmp.Compare(a.unit, b.unit), cmp.Compare(a.turn, b.turn))
	})
}

func rankedDeadlines() []deadlineRow {
	return ranked(func(f *family) []deadlineRow { return f.deadlines }, func(a, b *deadlineRow) int { return cmp.Compare(a.scope, b.scope) })
}

func rankedScopes() []scopeRow {
	return ranked(func(f *family) []scopeRow { return f.scopes }, func(a, b *scopeRow) int { return longer(a.prefix, b.prefix) })
}

func rankedClients() []clientRow {
	return ranked(func(f *family) []clientRow { return f.clients }, func(a, b *clientRow) int { return longer(a.prefix, b.prefix) })
}

func rankedNames() []nameRow {
	return ranked(func(f *family) []nameRow { return f.names }, func(a, b *nameRow) int { return longer(a.prefix, b.prefix) })
}

func longer(a, b string) int { return cmp.Compare(len(b), len(a)) }

// ranked returns a table of all families: by compare, else by rank, else as the
// family has it.
func ranked[R any](of func(*family) []R, compare func(a, b *R) int) []R {
	byRank := slices.Clone(families)
	slices.SortStableFunc(byRank, func(a, b family) int { return cmp.Compare(a.rank, b.rank) })
	var all []R
	for i := range byRank {
		all = append(all, of(&byRank[i])...)
	}
	if compare != nil {
		slices.SortStableFunc(all, func(a, b R) int { return compare(&a, &b) })
	}
	return all
}

// united returns the words of all families; no two have the same.
func united[V any](of func(*family) map[string]V) map[string]V {
	all := map[string]V{}
	for i := range families {
		maps.Copy(all, of(&families[i]))
	}
	return all
}
