package rules

import (
	"fmt"
	"slices"
	"strings"

	"github.com/retryaudit/retryaudit/analyzer"
)

// keepOne says which of several owners should go on retrying, and what is left
// then: the one that the policy names; without, the one closest to the upstream that is known to read Retry-After, else
// the closest that is no proxy, since a proxy knows neither the limit nor what
// a second answer costs. All is how many attempts there are or may be now.
func keepOne(f *analyzer.Finding, all int64) {
	if len(f.Owners) < 2 {
		return
	}
	keep, why := slices.IndexFunc(f.Owners, func(o analyzer.Owner) bool { return o.Keep }), "as the policy says"
	for i := len(f.Owners) - 1; i >= 0 && keep < 0; i-- {
		if k, ok := analyzer.KnobOf(f.Owners[i]); ok && strings.HasPrefix(k.RetryAfter, "used") {
			keep, why = i, "the closest to the upstream that is known to read Retry-After"
		}
	}
	for i := len(f.Owners) - 1; i >= 0 && keep < 0; i-- {
		if f.Owners[i].Layer != "proxy" {
			keep, why = i, "the closest to the upstream; none is known to read Retry-After"
		}
	}
	if keep < 0 {
		keep, why = len(f.Owners)-1, "the closest to the upstream"
	}
	f.Owners[keep].Keep = true
	var stop []string
	for i := range f.Owners {
		if i != keep {
			stop = append(stop, owner(&f.Owners[i]))
		}
	}
	k := &f.Owners[keep]
	most := max(k.Attempts, k.DeclaredMax, k.PolicyMax)
	if most < 2 {
		most = max(most, k.DefaultMax)
	}
	f.Advice = fmt.Sprintf("keep the retries of %s (%s) and turn off those of %s: at most %s of %d would remain",
		owner(k), why, strings.Join(stop, " and "), attempts(most), all)
}

// owner names an owner within its finding.
func owner(o *analyzer.Owner) string {
	layer := o.Layer
	if layer == "" {
		layer = "the unknown caller"
	}
	if o.Service != "" {
		return layer + " in " + o.Service
	}
	return layer
}
