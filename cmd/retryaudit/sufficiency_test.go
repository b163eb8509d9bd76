package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/retryaudit/retryaudit/analyzer"
	"github.com/retryaudit/retryaudit/analyzer/trace"
	"github.com/retryaudit/retryaudit/ingest/record"
)

// without deletes attributes from spans and their events, by name.
func without(names ...string) func(*record.Span) bool {
	drop := func(all []record.Attr) []record.Attr {
		return slices.DeleteFunc(slices.Clone(all), func(a record.Attr) bool { return slices.Contains(names, a.Key) })
	}
	return func(s *record.Span) bool {
		s.Attrs = drop(s.Attrs)
		s.Events = slices.Clone(s.Events)
		for i := range s.Events {
			s.Events[i].Attrs = drop(s.Events[i].Attrs)
		}
		if slices.Contains(names, "exception.message") {
			s.StatusMessage = "" // which repeats it
		}
		return true
	}
}

// TestSufficiency deletes from recordings what a rule judges by, and demands
// that the coverage names it, with a line that adds it.
func TestSufficiency(t *testing.T) {
	suite := allRules(t)
	everything := func(*record.Span) bool { return true }
	for _, tt := range []struct {
		name, file, rule string
		change           func(*record.Span) bool
		status           string
		need             string // in needs; empty: none
		add              string // in the line beside it
	}{
		{"all there", "openai-sdk-quota-retried.jsonl", "quota-retried", everything, "ran", "", ""},
		{"the provider's code", "openai-sdk-quota-retried.jsonl", "quota-retried",
			without("error.type", "exception.message", "exception.stacktrace", "exception.type"), "blind", "error.type", "insufficient_quota"},
		{"all there", "pretry-retries-401.jsonl", "non-retryable-retried", everything, "ran", "", ""},
		{"status and reason", "pretry-retries-401.jsonl", "non-retryable-retried",
			without("http.response.status_code", "error.type", "exception.message", "exception.stacktrace", "exception.type"), "blind", "error.type", "http.response.status_code"},
		{"the declared cap", "agent-vercel-portkey-outage.jsonl", "latent-amplification",
			without("ai.settings.maxRetries"), "partial", "retry.max_attempts", "retry.max_attempts"},
		{"the HTTP client's spans", "openai-timeouts-retried.jsonl", "multiplicative-retries",
			func(s *record.Span) bool { return s.Kind != trace.Client && s.Kind != trace.Server }, "blind", string(analyzer.CallSpans), ""},
		{"the HTTP client's spans below the SDK's", "agent-vercel-portkey-outage.jsonl", "excessive-attempts",
			func(s *record.Span) bool { return !strings.Contains(s.Scope, "instrumentation-") }, "partial", string(analyzer.InnerSpans), "instrumentation-undici"},
		{"the numbers on one level", "langchain-retries-in-chain-retry.jsonl", "multiplicative-retries",
			everything, "partial", "http.request.resend_count", "retry.attempt"},
		{"what was sampled away", "openai-outage-no-cooldown.pb.zst", "retry-ratio",
			func(s *record.Span) bool { s.TraceState = "vendor=x,ot=rv:1;th:8"; return true }, "partial", string(analyzer.AllRequests), "unsampled"},
		{"a sample of all", "openai-outage-no-cooldown.pb.zst", "excessive-attempts",
			func(s *record.Span) bool { s.TraceState = "ot=th:0"; return true }, "ran", "", ""},
		{"the requests that went well", "openai-outage-no-cooldown.pb.zst", "throttle-ratio",
			everything, "partial", string(analyzer.Healthy), "tail sampler"},
		{"traffic", "pretry-retries-401.jsonl", "retry-ratio", everything, "blind", string(analyzer.Traffic), ""},
	} {
		t.Run(tt.rule+" lacks "+tt.name, func(t *testing.T) {
			r := seal(t, suite, suite.Open(loadChanged(t, "../../testdata/real/"+tt.file, tt.change)))
			i := slices.IndexFunc(r.Coverage, func(c analyzer.Coverage) bool { return c.Rule == tt.rule })
			c := r.Coverage[i]
			if c.Status != tt.status {
				t.Errorf("%s: status %q, want %q: %s", tt.file, c.Status, tt.status, c.Reason)
			}
			at := slices.Index(c.Needs, tt.need)
			switch {
			case tt.need == "" && len(c.Needs) > 0:
				t.Errorf("%s: needs %q, want nothing: %s", tt.file, c.Needs, c.Reason)
			case tt.need != "" && at < 0:
				t.Errorf("%s: needs %q, want %q: %s", tt.file, c.Needs, tt.need, c.Reason)
			case tt.need != "" && !strings.Contains(c.Add[at], tt.add):
				t.Errorf("%s: add %q, want %q in it", tt.file, c.Add[at], tt.add)
			}
		})
	}
}
