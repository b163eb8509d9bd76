package rules_test

import (
	"testing"

	"github.com/retryaudit/retryaudit/analyzer/ruletest"
	"github.com/retryaudit/retryaudit/rules"
)

// TestRules runs the scenes of every rule in every mode.
func TestRules(t *testing.T) {
	crossed := 0
	for _, rule := range rules.All() {
		id := rule.About().ID
		t.Run(id, func(t *testing.T) {
			crossed += ruletest.Run(t, "testdata/"+id+".txtar", rule).Crossed
		})
	}
	if crossed == 0 {
		t.Error("no request was cut: the shards prove nothing")
	}
}
