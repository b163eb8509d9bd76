package report_test

import (
	"fmt"
	"strings"

	"github.com/retryaudit/retryaudit/analyzer"
)

// reports returns the reports that the tests write, by name.
func reports() map[string]*analyzer.Report {
	return map[string]*analyzer.Report{
		"empty":    {Schema: analyzer.Schema, Tool: analyzer.Tool{Name: "retryaudit", Version: "0.1.0"}},
		"clean":    cleanReport(),
		"blind":    blindReport(),
		"eighteen": eighteenReport(),
		"quota":    quotaReport(),
		"many":     manyReport(),
		"problems": problemsReport(),
		"hostile":  hostileReport(),
	}
}

// allRan returns the coverage of rules that could judge everything.
func allRan() []analyzer.Coverage {
	var all []analyzer.Coverage
	for _, rule := range []string{"multiplicative-retries", "excessive-attempts", "non-retryable-retried", "quota-retried",
		"retry-after-ignored", "no-backoff", "no-jitter", "synchronized-wakeups", "deadline-blown", "stream-replayed"} {
		all = append(all, analyzer.Coverage{Rule: rule, Status: "ran"})
	}
	return all
}

func base() *analyzer.Report {
	return &analyzer.Report{
		Schema:   analyzer.Schema,
		Tool:     analyzer.Tool{Name: "retryaudit", Version: "0.1.0"},
		Inputs:   []analyzer.Input{{Path: "traces/checkout.jsonl", Format: "otlp-json", Spans: 46, Traces: 1}},
		Stats:    analyzer.Stats{Spans: 46, Traces: 1, Requests: 1},
		Coverage: allRan(),
	}
}

// cleanReport is a healthy run: 24 model calls, two of them healed by a retry.
func cleanReport() *analyzer.Report {
	r := base()
	r.Stats = analyzer.Stats{Spans: 118, Duplicates: 3, Traces: 6, Requests: 6, Calls: 30, Attempts: 32, Retries: 2, RetryRatio: 0.0625,
		HealedByOrdinal: map[string]int64{"1": 2}, Amplification: analyzer.Amplification{P50: 1, P95: 2, Max: 2},
		Wasted: analyzer.Waste{Attempts: 2, Seconds: 2.41}}
	r.Inputs[0].Spans, r.Inputs[0].Traces = 118, 6
	r.Upstreams = []analyzer.UpstreamRow{{
		Upstream: analyzer.Upstream{Address: "api.openai.com", Operation: "POST /v1/chat/completions"},
		Calls:    24, Attempts: 26, AttemptsPerCall: map[string]int64{"1": 22, "2": 2}, Retries: 2, Throttled: 2, PeakBucket: 3,
	}}
	return r
}

// blindReport has no findings because most of the data is missing.
func blindReport() *analyzer.Report {
	r := cleanReport()
	r.Coverage[4] = analyzer.Coverage{Rule: "retry-after-ignored", Status: "partial", Needs: []string{"http.response.header.retry-after"},
		Reason: "2 of 9 throttled attempts say how long to wait; set OTEL_INSTRUMENTATION_HTTP_CLIENT_CAPTURE_RESPONSE_HEADERS=retry-after"}
	r.Coverage[7] = analyzer.Coverage{Rule: "synchronized-wakeups", Status: "blind", Needs: []string{"retries of at least 3 callers"},
		Reason: "only 1 caller retried"}
	r.Coverage[8] = analyzer.Coverage{Rule: "deadline-blown", Status: "blind", Needs: []string{"retry.deadline_ms", "a timeout on the caller's span"},
		Reason: "no call states a deadline"}
	r.Upstreams[0].LowerBound = true
	return r
}

// eighteenReport is one request with 2 × 3 × 3 attempts at the model.
func eighteenReport() *analyzer.Report {
	r := base()
	var ticks []analyzer.Tick
	at := int64(0)
	for a := range int64(2) {
		for s := range int64(3) {
			for g := range int64(3) {
				t := analyzer.Tick{Status: "503", Failed: true, WaitMS: 500 << g >> 1, DurationMS: 300 + 40*(a+s+g), Path: []int64{a + 1, s + 1, g + 1}}
				switch {
				case a+s+g == 0:
					t.WaitMS = -1
				case s+g == 0:
					t.WaitMS = 4000
				case g == 0:
					t.WaitMS = 1000 << (s - 1)
				}
				if g == 2 && s == 1 {
					t.Status, t.DurationMS = "timeout", 2000
				}
				at += max(0, t.WaitMS)
				t.StartMS = at
				at += t.DurationMS
				ticks = append(ticks, t)
			}
		}
	}
	r.Stats = analyzer.Stats{Spans: 46, Traces: 1, Requests: 1, Calls: 10, Attempts: 27, Retries: 17, RetryRatio: 17. / 27,
		Amplification: analyzer.Amplification{P50: 18, P95: 18, Max: 18}, Wasted: analyzer.Waste{Attempts: 17, Seconds: 31.2, InputTokens: 21420}}
	r.Findings = []analyzer.Finding{{
		Rule: "multiplicative-retries", Class: "WHO", Severity: "error", Confidence: "certain", Fingerprint: "6f1c2a90b7d4e835",
		Message: "3 owners retried the same call, 18 attempts reached the upstream; with one owner it would have been at most 3",
		Owners: []analyzer.Owner{
			{Layer: "agent", Service: "planner", Library: "langgraph", Operation: "invoke_agent researcher", Attempts: 2, DeclaredMax: 2,
				Setting: "RetryPolicy(max_attempts=1) on the node", Known: "structural"},
			{Layer: "sdk", Service: "planner", Library: "openai-python 1.93.0", Operation: "chat gpt-4o", Attempts: 3, DeclaredMax: 3,
				Setting: "OpenAI(max_retries=0)", Known: "declared"},
			{Layer: "gateway", Service: "llm-gateway", Library: "litellm 1.74.0", Operation: "POST /v1/chat/completions", Attempts: 3,
				Setting: "num_retries: 0 under router_settings", Known: "inferred"},
		},
		Upstream: analyzer.Upstream{Address: "api.openai.com", Operation: "POST /v1/chat/completions", Model: "gpt-4o"},
		Attempts: 18, Occurrences: 1, Amplification: analyzer.Factor{Observed: 18},
		Wasted:  analyzer.Waste{Attempts: 17, Seconds: 31.2, InputTokens: 21420},
		TraceQL: `{ span.http.request.resend_count >= 2 && span.server.address = "api.openai.com" } | count() >= 6`,
		Exemplars: []analyzer.Exemplar{{RequestID: "req-7f3a91", TraceID: "4bf92f3577b34da6a3ce929d0e0e4736", Attempts: 18,
			Spans: []analyzer.ExemplarSpan{{SpanID: "00f067aa0ba902b7", TraceID: "4bf92f3577b34da6a3ce929d0e0e4736", Role: "caller"}},
			Input: analyzer.Place{Path: "traces/checkout.jsonl", Line: 12, Offset: 48211}, Timeline: ticks}},
	}}
	r.Upstreams = []analyzer.UpstreamRow{{
		Upstream: analyzer.Upstream{Address: "api.openai.com", Operation: "POST /v1/chat/completions"},
		Calls:    1, Attempts: 18, AttemptsPerCall: map[string]int64{"18": 1}, Retries: 17, PeakBucket: 2,
	}}
	return r
}

// quotaReport is one exhausted quota, asked again by a loop of an application.
func quotaReport() *analyzer.Report {
	r := base()
	r.Stats = analyzer.Stats{Spans: 14, Traces: 2, Requests: 2, Calls: 4, Attempts: 12, Retries: 8, RetryRatio: 8. / 12,
		Amplification: analyzer.Amplification{P50: 5, P95: 5, Max: 5}, Wasted: analyzer.Waste{Attempts: 8, Seconds: 15.5}}
	r.Findings = []analyzer.Finding{{
		Rule: "quota-retried", Class: "IF", Severity: "error", Confidence: "likely", Fingerprint: "91b0c5d2aa3e7f14",
		Message: "4 retries after insufficient_quota; the balance is not refilled by waiting",
		Owners: []analyzer.Owner{{Layer: "app", Service: "summarizer", Library: "tenacity", Operation: "summarize", Attempts: 5,
			Setting: "retry=retry_if_exception(is_transient)", Known: "structural"}},
		Upstream: analyzer.Upstream{Address: "api.openai.com", Operation: "chat", Model: "gpt-4o-mini"},
		Attempts: 5, Occurrences: 2, AskedMS: 20000, WaitsMS: []int64{1000, 2000, 4000, 8000},
		Wasted: analyzer.Waste{Attempts: 8, Seconds: 15.5},
		Exemplars: []analyzer.Exemplar{
			{TraceID: "0af7651916cd43dd8448eb211c80319c", Attempts: 5, Input: analyzer.Place{Path: "traces/checkout.jsonl", Line: 2},
				Timeline: []analyzer.Tick{
					{StartMS: 0, DurationMS: 120, Status: "429", Failed: true, WaitMS: -1, Path: []int64{1}},
					{StartMS: 1120, DurationMS: 98, Status: "429", Failed: true, WaitMS: 1000, Path: []int64{2}},
					{StartMS: 3218, DurationMS: 101, Status: "429", Failed: true, WaitMS: 2000, Path: []int64{3}},
					{StartMS: 7319, DurationMS: 140, Status: "429", Failed: true, WaitMS: -1, Path: []int64{4}},
					{StartMS: 15459, DurationMS: 110, Status: "insufficient_quota", Failed: true, WaitMS: 8000, Path: []int64{5}},
				}},
			{RequestID: "job-1182", TraceID: "b9c7c989f97918e1b9c7c989f97918e1", Attempts: 5, Input: analyzer.Place{Path: "traces/checkout.jsonl", Line: 9}},
		},
	}}
	r.Coverage[7] = analyzer.Coverage{Rule: "synchronized-wakeups", Status: "blind", Needs: []string{"retries of at least 3 callers"}, Reason: "only 2 callers retried"}
	r.UnknownCodes = []analyzer.UnknownCode{{Provider: "openai", Code: "project_frozen", Count: 3}}
	r.Upstreams = []analyzer.UpstreamRow{
		{Upstream: analyzer.Upstream{Address: "api.openai.com", Operation: "chat"}, Calls: 26, Attempts: 60,
			AttemptsPerCall: map[string]int64{"1": 24, "18": 2}, Retries: 34},
		{Upstream: analyzer.Upstream{Service: "vector-store", Operation: "qdrant.Points/Search"}, Calls: 2, Attempts: 2, AttemptsPerCall: map[string]int64{"1": 2}},
	}
	return r
}

// manyReport holds an incident, more findings than are shown and long lists.
func manyReport() *analyzer.Report {
	r := eighteenReport()
	r.Inputs = append(r.Inputs, analyzer.Input{Path: "traces/worker.jsonl.gz", Format: "otlp-json", Compression: "gzip", Spans: 900})
	r.Findings[0].Amplification.Latent = 36
	r.Findings[0].Owners[2].DeclaredMax = 6
	r.Findings[0].Attempts = 17 // one of the gateway's rounds was cut short
	r.Findings[0].Message = "3 owners retried the same call, 17 attempts reached the upstream; with one owner it would have been at most 3"
	r.Findings[0].Incident = "I1"
	rules := []string{"retry-after-ignored", "no-backoff", "no-jitter"}
	for i := range 26 {
		f := analyzer.Finding{
			Rule: rules[i%3], Class: "WHEN", Severity: []string{"error", "warning", "info"}[i/9], Confidence: "likely",
			Fingerprint: fmt.Sprintf("%016x", i), Message: fmt.Sprintf("%d retries came 12ms after a 429", 26-i),
			Owners:   []analyzer.Owner{{Layer: "app", Service: fmt.Sprintf("worker-%d", i), Operation: "fetch", Attempts: int64(27 - i)}},
			Upstream: analyzer.Upstream{Service: "inventory", Operation: "GET /items"}, Attempts: int64(27 - i), Occurrences: 1, Callers: int64(i),
			Exemplars: []analyzer.Exemplar{{RequestID: fmt.Sprintf("r-%d", i), TraceID: fmt.Sprintf("%032x", i+1)}},
		}
		if i == 0 {
			f.Incident, f.WaitsMS, f.Probability = "I1", []int64{-1, 10, 11, 12, 9, 12, 10, 11, 12, 9, 12, 10, 11, 12, 9, 12, 10, 65000}, 0.00021
		}
		r.Findings = append(r.Findings, f)
	}
	r.Incidents = []analyzer.Incident{{ID: "I1", Cause: "num_retries of llm-gateway", Findings: []string{"6f1c2a90b7d4e835", "0000000000000000"}, Retries: 212, Healed: 9}}
	r.Stats.HealedByOrdinal = map[string]int64{"1": 7, "2": 2, "10": 1}
	r.Stats.HiddenAttempts = 4
	sizes := map[string]int64{}
	for i := range 9 {
		sizes[fmt.Sprint(i*3+1)] = int64(1000 - 100*i)
	}
	for i := range 14 {
		r.Upstreams = append(r.Upstreams, analyzer.UpstreamRow{Upstream: analyzer.Upstream{Service: "inventory", Address: fmt.Sprintf("10.0.0.%d:8080", i), Operation: "GET /items"},
			Calls: 5400, Attempts: 59400, AttemptsPerCall: sizes, LowerBound: i == 2})
	}
	for i := range 13 {
		r.UnknownCodes = append(r.UnknownCodes, analyzer.UnknownCode{Provider: "acme", Code: fmt.Sprintf("E%03d", i), Count: 1})
	}
	return r
}

// problemsReport read a broken file and one of other signals.
func problemsReport() *analyzer.Report {
	r := cleanReport()
	r.Inputs[0].Problems = []analyzer.Problem{
		{Line: 4, Offset: 1234, Reason: `unexpected end of JSON: object not closed, wanted "}"`},
		{Line: 9, Offset: 8812, Reason: "span 9f2c: ends 3ms before it starts", Count: 12},
	}
	for i := range 12 {
		r.Inputs[0].Problems = append(r.Inputs[0].Problems, analyzer.Problem{Line: 20 + i, Offset: int64(9000 + i), Reason: "trace ID of 15 bytes, wanted 16", Count: 2})
	}
	r.Inputs = append(r.Inputs, analyzer.Input{Path: "dump.pb.zst", Format: "otlp-proto", Compression: "zstd",
		Problems: []analyzer.Problem{{Offset: 65536, Reason: "message cut short, 812 bytes missing"}},
		Skipped:  map[string]int64{"metrics": 240, "logs": 12}})
	return r
}

// hostileReport holds what traces may hold: escape codes, line breaks, words
// without an end, wide characters, empty names and numbers that contradict.
func hostileReport() *analyzer.Report {
	r := eighteenReport()
	f := &r.Findings[0]
	f.Severity, f.Confidence = "\x1b[31merror", ""
	f.Message = "a\x1b]0;title\x07 b\nc\td \u202egnissim \xff " + strings.Repeat("x", 300)
	f.Owners[0] = analyzer.Owner{Layer: "", Service: "サービス\x1b[2J", Operation: strings.Repeat("操作", 60), Attempts: 1 << 40, Setting: "\r\n"}
	f.Owners[1] = analyzer.Owner{}
	f.Upstream = analyzer.Upstream{Service: strings.Repeat("u", 130), Address: " ", Operation: "\u00a0"}
	f.TraceQL = `{ name = "` + strings.Repeat("two words ", 20) + `" && x = "open }`
	x := &f.Exemplars[0]
	x.RequestID, x.Input = "id with spaces\u2028", analyzer.Place{Path: strings.Repeat("dir/", 50), Offset: 7}
	for i := range x.Timeline {
		t := &x.Timeline[i]
		t.Status = "UNAVAILABLE\x1b[0m: " + strings.Repeat("界", 20)
		t.Path = []int64{1 << 50, 1 << 50, 1 << 50, int64(i)}
		if i%2 == 1 {
			t.StartMS, t.DurationMS, t.WaitMS, t.Path = -1<<50, -5, 1<<52, nil
		}
	}
	r.Upstreams[0].Upstream, r.Upstreams[0].AttemptsPerCall = analyzer.Upstream{}, map[string]int64{"x": 1, "": 2, "-1": 3}
	r.Upstreams = append(r.Upstreams, analyzer.UpstreamRow{Upstream: f.Upstream, Calls: 1 << 60, Attempts: 1 << 61})
	r.Coverage[0] = analyzer.Coverage{Rule: strings.Repeat("r", 90), Status: "odd\x1b[5m"}
	r.UnknownCodes = []analyzer.UnknownCode{{Code: "\x1b[1m" + strings.Repeat("c", 100)}}
	r.Inputs[0].Problems = []analyzer.Problem{{Reason: "bad\x00byte"}}
	r.Inputs[0].Skipped = map[string]int64{"met\x1brics": 1}
	r.Incidents = []analyzer.Incident{{ID: "\x1b", Cause: "\n\n"}}
	return r
}
