package semconv

import "strings"

// samplingFamily: what samplers write on the spans that they keep.
var samplingFamily = family{
	rank: 180,
	rows: []row{
		// Honeycomb: one of so many was kept (husky otlp, getSampleRate). It reads
		// sampleRate, too, which audio has as well: that one is not read here.
		{key: "SampleRate", to: oneOf},
		{key: "_dd.rule_psr", to: ruleShare},   // Datadog (dd-trace-java RuleBasedSampler.java)
		{key: "_dd.limit_psr", to: limitShare}, // the same; beside a rule that keeps all
		{key: "_dd.agent_psr", to: agentShare}, // datadog-agent pkg/trace/sampler
		{key: "sampler.type", to: samplerType}, // jaeger-client-go constants.go
		{key: "sampler.param", to: samplerParam},
		{key: "microsoft.sample_rate", to: percentKept}, // Azure Monitor (azure-monitor-opentelemetry-exporter)
		{key: "_MS.sampleRate", to: percentKept},        // its old name
	},
}

// ofSample reports whether the span says that a share below one was kept. A
// share of 0 is of a rule that keeps none: something else kept this span.
func (n *Normalizer) ofSample() bool {
	below := func(of field, whole float64) bool {
		v, ok := number(n.at[of])
		return ok && v >= 0 && v < whole
	}
	if below(ruleShare, 1) || below(limitShare, 1) || below(agentShare, 1) || below(percentKept, 100) {
		return true
	}
	// Jaeger's: what the parameter means depends on the type, and both words
	// are others', too.
	switch text(n.at[samplerType]) {
	case "ratelimiting":
		return true
	case "probabilistic", "lowerbound":
		if below(samplerParam, 1) {
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
