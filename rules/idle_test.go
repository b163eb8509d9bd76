package rules_test

import (
	"testing"

	"github.com/retryaudit/retryaudit/analyzer"
	"github.com/retryaudit/retryaudit/analyzer/tracetext"
	"github.com/retryaudit/retryaudit/rules"
)

// TestIdleDefaults holds that a documented default is no cap of a library that
// left another failure alone: its retries are off. What no library retries says
// nothing of it.
func TestIdleDefaults(t *testing.T) {
	const job = `0+3000     worker: process mail                  ok   layer=queue kind=consumer job=7 max=3
  10+500     -> api.openai.com POST /v1/chat     200  ask="model generate" agent=openai-node

`
	for _, test := range []struct {
		name, other string
		found       int
	}{
		{"nothing else", "", 1},
		{"a failure left alone", `5000+3000  worker: other                         fail layer=app
  5010+500   -> api.openai.com POST /v1/chat     503  ask="model generate" agent=openai-node
`, 0},
		{"a throttled answer left alone", `5000+3000  worker: other                         fail layer=app
  5010+500   -> api.openai.com POST /v1/chat     429  ask="model generate" agent=openai-node
`, 0},
		{"in another service", `5000+3000  shop: other                           fail layer=app
  5010+500   -> api.openai.com POST /v1/chat     503  ask="model generate" agent=openai-node
`, 1},
		{"what cannot heal", `5000+3000  worker: other                         fail layer=app
  5010+500   -> api.openai.com POST /v1/chat     401  ask="model generate" agent=openai-node
`, 1},
		{"what the server forbids", `5000+3000  worker: other                         fail layer=app
  5010+500   -> api.openai.com POST /v1/chat     503  ask="model generate" agent=openai-node retry_after=never
`, 1},
		{"a success", `5000+3000  worker: other                         ok   layer=app
  5010+500   -> api.openai.com POST /v1/chat     200  ask="model generate" agent=openai-node
`, 1},
		{"retries at work", `5000+3000  worker: other                         ok   layer=app
  5010+500   -> api.openai.com POST /v1/chat     503  ask="model generate" agent=openai-node attempt=0
  6010+500   -> api.openai.com POST /v1/chat     200  ask="model generate" agent=openai-node attempt=1
`, 1},
	} {
		scene, err := tracetext.Parse(job + test.other)
		if err != nil {
			t.Fatal(err)
		}
		suite, err := analyzer.NewSuite(rules.NewLatentAmplification())
		if err != nil {
			t.Fatal(err)
		}
		part := suite.Open(scene.Store())
		suite.Seal(part)
		if n := len(suite.Report(part).Findings); n != test.found {
			t.Errorf("%s: %d findings, want %d", test.name, n, test.found)
		}
	}
}
