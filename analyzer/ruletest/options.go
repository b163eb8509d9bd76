package ruletest

import (
	"maps"
	"slices"
	"strings"

	"github.com/retryaudit/retryaudit/analyzer"
	"github.com/retryaudit/retryaudit/analyzer/policy"
)

// configure returns the rule with options, as a policy would give them; the
// rule itself stays as it is.
func configure(rule analyzer.Rule, options map[string]string) (analyzer.Rule, error) {
	var doc strings.Builder
	for _, name := range slices.Sorted(maps.Keys(options)) {
		doc.WriteString(name + ": " + options[name] + "\n")
	}
	return policy.Options(rule, doc.String())
}
