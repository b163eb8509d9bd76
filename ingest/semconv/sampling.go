package semconv

import "strings"

// sampled reports whether a W3C trace state says that the trace is one of a
// sample: the member "ot" with a threshold "th" other than 0, which keeps all
// (OpenTelemetry: TraceState, Probability Sampling, Threshold).
func sampled(state string) bool {
	for member := range strings.SplitSeq(state, ",") {
		value, ok := strings.CutPrefix(strings.TrimSpace(member), "ot=")
		if !ok {
			continue
		}
		for field := range strings.SplitSeq(value, ";") {
			if th, ok := strings.CutPrefix(field, "th:"); ok {
				return strings.Trim(th, "0") != ""
			}
		}
	}
	return false
}
