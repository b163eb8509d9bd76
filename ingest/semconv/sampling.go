package semconv

import "strings"

// samplingFamily: what samplers write on the spans that they keep.
var samplingFamily = family{
	rank: 180,
	rows: []row{
		{key: "SampleRate", to: oneOf},                  // Honeycomb: one of so many was kept
		{key: "_dd.rule_psr", to: shareKept},            // Datadog: share that a rule keeps (dd-trace-go ddtrace/tracer)
		{key: "_dd.agent_psr", to: shareKept},           // the same, of the agent
		{key: "sampler.param", to: shareKept},           // Jaeger clients, beside sampler.type
		{key: "microsoft.sample_rate", to: percentKept}, // Azure Monitor (azure-monitor-opentelemetry-exporter)
		{key: "_MS.sampleRate", to: percentKept},        // its old name
	},
}

// ofSample reports whether the span says that a share below one was kept.
func (n *Normalizer) ofSample() bool {
	for _, of := range [...]struct {
		field field
		whole float64
	}{{shareKept, 1}, {percentKept, 100}} {
		if v, ok := number(n.at[of.field]); ok && v > 0 && v < of.whole {
			return true
		}
	}
	v, ok := integer(n.at[oneOf])
	return ok && v > 1 || sampled(n.record.TraceState)
}

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
