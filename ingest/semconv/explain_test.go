package semconv

import (
	"slices"
	"strings"
	"testing"
)

func TestExplainCode(t *testing.T) {
	tests := map[string][]string{
		"insufficient_quota": {"quota-billing, STOP (certain)", "at dashscope: transient-rate-limit, CAP (certain)"},
		"429":                {"transient-rate-limit, CAP (likely)"},
		"401":                {"auth, STOP (likely)"},
		"overloaded_error":   {"overload, CAP"},
		"RateLimitError":     {"transient-rate-limit, CAP (likely)"},
		"1113":               {"at zhipu: quota-billing, STOP"},
		"no_such_code_ever":  nil,
	}
	for code, want := range tests {
		got := ExplainCode(code)
		for _, w := range want {
			if !slices.ContainsFunc(got, func(line string) bool { return strings.HasPrefix(line, w) }) {
				t.Errorf("%s: %q; want a line with %q", code, got, w)
			}
		}
		if want == nil && len(got) > 0 {
			t.Errorf("%s: %q; want nothing", code, got)
		}
	}
}

func TestExplainAttribute(t *testing.T) {
	tests := map[string]string{
		"http.response.status_code":        "the HTTP status: outcome and error class",
		"http.request.resend_count":        "the number of the attempt, 0 for the first; redirects and challenges are counted, too",
		"try_count":                        "the number of the attempt, 1 for the first",
		"retry_attempts":                   "the retries made within the span, one less than its attempts",
		"retry-after":                      "as a response header: the delay that an answer asks for",
		"Retry-After":                      "as a response header: the delay that an answer asks for",
		"http.response.header.retry-after": "the delay that an answer asks for",
		"x-request-id":                     "as a request header: a request ID: joins spans across traces",
		"celery.state":                     `"retry" says that the span failed`,
		"retry.deadline_ms":                "the deadline of the call, all attempts together",
		"gen_ai.input.messages":            "the prompt: only a hash is kept",
		"no.such.attribute":                "",
	}
	for name, want := range tests {
		got := ExplainAttribute(name)
		if want == "" && len(got) > 0 || want != "" && !slices.Contains(got, want) {
			t.Errorf("%s: %q; want %q", name, got, want)
		}
	}
}

// TestAllIsExplained holds that no row is without words.
func TestAllIsExplained(t *testing.T) {
	for name := range attributes.runs {
		lines := ExplainAttribute(name)
		if len(lines) == 0 || slices.ContainsFunc(lines, func(l string) bool {
			return l == "" || strings.Contains(l, "says that the span ,") || strings.HasSuffix(l, " ")
		}) {
			t.Errorf("%s: %q", name, lines)
		}
	}
}
