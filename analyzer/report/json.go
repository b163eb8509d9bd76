package report

import (
	"encoding/json"
	"io"

	"github.com/retryaudit/retryaudit/analyzer"
)

// JSON writes r as indented JSON, valid by Schema. Lists and maps that r leaves
// nil become [] and {}, so that readers need no null checks.
func JSON(w io.Writer, r *analyzer.Report) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false) // TraceQL is full of & and >, and people copy it from here
	return e.Encode(filled(r))
}

// filled returns a copy of r in which no list or map that JSON shows is nil.
func filled(r *analyzer.Report) *analyzer.Report {
	f := *r
	f.Inputs = list(r.Inputs)
	for i := range f.Inputs {
		f.Inputs[i].Problems = list(f.Inputs[i].Problems)
	}
	f.Stats.HealedByOrdinal = dict(r.Stats.HealedByOrdinal)
	f.Findings = list(r.Findings)
	for i := range f.Findings {
		d := &f.Findings[i]
		d.Owners, d.WaitsMS, d.Exemplars = list(d.Owners), list(d.WaitsMS), list(d.Exemplars)
		for j := range d.Exemplars {
			x := &d.Exemplars[j]
			x.Spans, x.Timeline = list(x.Spans), list(x.Timeline)
			for k := range x.Timeline {
				x.Timeline[k].Path = list(x.Timeline[k].Path)
			}
		}
	}
	f.Incidents = list(r.Incidents)
	for i := range f.Incidents {
		f.Incidents[i].Findings = list(f.Incidents[i].Findings)
	}
	f.Coverage = list(r.Coverage)
	for i := range f.Coverage {
		f.Coverage[i].Needs, f.Coverage[i].Add = list(f.Coverage[i].Needs), list(f.Coverage[i].Add)
	}
	f.UnknownCodes = list(r.UnknownCodes)
	f.Upstreams = list(r.Upstreams)
	for i := range f.Upstreams {
		f.Upstreams[i].AttemptsPerCall = dict(f.Upstreams[i].AttemptsPerCall)
	}
	return &f
}

// list returns a copy of s that is never nil. A copy, because filled writes
// into its elements and the report belongs to the caller.
func list[T any](s []T) []T { return append(make([]T, 0, len(s)), s...) }

// dict returns m, or an empty map for nil.
func dict(m map[string]int64) map[string]int64 {
	if m == nil {
		return map[string]int64{}
	}
	return m
}
