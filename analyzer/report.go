package analyzer

import "github.com/retryaudit/retryaudit/analyzer/trace"

// Schema names the version of the JSON report.
const Schema = "retryaudit.report/v1"

// Report is the result of an audit: the contract that all writers read and
// that JSON carries unchanged. Lists are never nil, so that JSON has [].
type Report struct {
	Schema       string        `json:"schema"`
	Tool         Tool          `json:"tool"`
	Inputs       []Input       `json:"inputs"`
	Stats        Stats         `json:"stats"`
	Findings     []Finding     `json:"findings"`
	Incidents    []Incident    `json:"incidents"`
	Coverage     []Coverage    `json:"coverage"`
	UnknownCodes []UnknownCode `json:"unknown_codes"`
	Upstreams    []UpstreamRow `json:"upstreams"`
}

// Tool names what made the report.
type Tool struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// Input is one file or stream that was read.
type Input struct {
	Path        string `json:"path"`
	Format      string `json:"format"`      // "otlp-json", "otlp-proto"; empty where nothing was recognised
	Compression string `json:"compression"` // "", "gzip", "zstd" or "zstd-framed"
	Spans       int64  `json:"spans"`
	Traces      int64  `json:"traces"`
	// Skipped counts records of other signals by name: "metrics", "logs".
	Skipped  map[string]int64 `json:"skipped,omitempty"`
	Problems []Problem        `json:"problems"`
}

// Problem is something in an input that could not be used.
type Problem struct {
	Line   int    `json:"line"`   // from 1; 0 where the format has no lines
	Offset int64  `json:"offset"` // in bytes, of the decompressed input
	Reason string `json:"reason"` // what was found and what was wanted
	// Count is the number of problems this one stands for; 0 means 1.
	Count int64 `json:"count,omitempty"`
	// Foreign says that no record was lost: something else stood between them,
	// such as a line of a log.
	Foreign bool `json:"foreign,omitempty"`
}

// Stats sums up what was read and rebuilt.
type Stats struct {
	Spans          int64 `json:"spans"`
	Duplicates     int64 `json:"duplicates"`
	Traces         int64 `json:"traces"`
	Requests       int64 `json:"requests"`
	FailedRequests int64 `json:"failed_requests"` // in which at least one attempt failed
	// SampledRequests hold a span that is marked as one of a sample, so that
	// shares and sums are estimates.
	SampledRequests int64 `json:"sampled_requests"`
	Calls           int64 `json:"calls"`
	Attempts        int64 `json:"attempts"`
	Retries         int64 `json:"retries"`
	HiddenAttempts  int64 `json:"hidden_attempts"`
	// RetryRatio is Retries / Attempts, 0 without attempts.
	RetryRatio float64 `json:"retry_ratio"`
	// HealedByOrdinal counts the calls that succeeded at their n-th retry.
	HealedByOrdinal map[string]int64 `json:"healed_by_ordinal"`
	Amplification   Amplification    `json:"amplification"`
	Wasted          Waste            `json:"wasted"`
}

// Amplification is the distribution of attempts per logical upstream request.
type Amplification struct {
	P50 int64 `json:"p50"`
	P95 int64 `json:"p95"`
	Max int64 `json:"max"`
}

// Waste is what attempts cost that brought nothing.
type Waste struct {
	Attempts     int64   `json:"attempts"`
	Seconds      float64 `json:"seconds"`
	InputTokens  int64   `json:"input_tokens"`
	OutputTokens int64   `json:"output_tokens"`
	// CostMicros is what the tokens cost by the policy's prices, in millionths of
	// the Currency; 0 is unknown. An integer, so that sums do not depend on order.
	CostMicros int64  `json:"cost_micros"`
	Currency   string `json:"currency"` // of the cost, empty without
}

// Finding is one defect at one edge: a rule, its owners and the upstream.
type Finding struct {
	Rule        string   `json:"rule"`
	Class       string   `json:"class"`      // WHO, IF, WHEN or HOW
	Severity    string   `json:"severity"`   // error, warning or info
	Confidence  string   `json:"confidence"` // certain, likely or possible
	Fingerprint string   `json:"fingerprint"`
	Incident    string   `json:"incident"`
	Message     string   `json:"message"`
	Advice      string   `json:"advice"` // what to do, one clause; empty where the rule's page says it all
	Owners      []Owner  `json:"owners"` // outermost first
	Upstream    Upstream `json:"upstream"`
	// Attempts of the worst call behind the finding, the first included.
	Attempts    int64 `json:"attempts"`
	Occurrences int64 `json:"occurrences"` // calls or logical requests that show the defect
	Callers     int64 `json:"callers"`
	// Amplification compares what was observed with what the declared caps allow.
	Amplification Factor     `json:"amplification"`
	Probability   float64    `json:"probability"`
	WaitsMS       []int64    `json:"waits_ms"` // of the worst call, in order; −1 unknown
	AskedMS       int64      `json:"asked_ms"`
	Wasted        Waste      `json:"wasted"`
	TraceQL       string     `json:"traceql"`
	Exemplars     []Exemplar `json:"exemplars"` // the worst three
}

// Factor is attempts per logical request.
type Factor struct {
	Observed int64 `json:"observed"`
	Latent   int64 `json:"latent"` // product of the declared caps, 0 unknown
}

// Owner is who decided to retry.
type Owner struct {
	Layer       string `json:"layer"`
	Service     string `json:"service"`
	Library     string `json:"library"`
	Operation   string `json:"operation"`
	Attempts    int64  `json:"attempts"`     // per call of the layer above, the most seen
	DeclaredMax int64  `json:"declared_max"` // 0 unknown
	PolicyMax   int64  `json:"policy_max"`   // what the policy lets it make where no span declares a cap, 0 unknown
	DefaultMax  int64  `json:"default_max"`  // documented default of the library where neither is known, 0 unknown
	Idle        int64  `json:"idle"`         // failures that a retry might have healed and the owner's library left alone
	Keep        bool   `json:"keep"`         // the one of several owners whose retries should stay
	Setting     string `json:"setting"`      // what to change, empty where the library is unknown
	Known       string `json:"known"`
}

// Upstream is what the attempts hit. Absent parts are empty.
type Upstream struct {
	Service   string `json:"service"`
	Address   string `json:"address"`
	Operation string `json:"operation"`
	Model     string `json:"model"`
}

// Exemplar is one request that shows a finding.
type Exemplar struct {
	RequestID string         `json:"request_id"`
	TraceID   string         `json:"trace_id"`
	Attempts  int64          `json:"attempts"`
	Spans     []ExemplarSpan `json:"spans"`
	Input     Place          `json:"input"`
	// Timeline is the attempts in order of start, for drawing.
	Timeline []Tick `json:"timeline"`
}

// ExemplarSpan names a span and its part in the finding: "caller", "cause" or "retry".
type ExemplarSpan struct {
	SpanID  string `json:"span_id"`
	TraceID string `json:"trace_id"`
	Role    string `json:"role"`
}

// Place is a position in an input.
type Place struct {
	Path   string `json:"path"`
	Line   int    `json:"line"`
	Offset int64  `json:"offset"`
}

// Tick is one attempt at the last hop. StartMS counts from the first attempt
// in the list; ticks of different processes are placed by their own clocks.
type Tick struct {
	StartMS    int64  `json:"start_ms"`
	DurationMS int64  `json:"duration_ms"`
	Status     string `json:"status"` // "503", "timeout", "ok", …
	Failed     bool   `json:"failed"`
	// WaitMS is the idle time before the attempt on its owner's clock, −1 unknown.
	WaitMS int64 `json:"wait_ms"`
	// Path is the attempt number at each owner, outermost first, from 1.
	Path []int64 `json:"path"`
}

// Incident folds findings that share a cause.
type Incident struct {
	ID       string   `json:"id"`
	Cause    string   `json:"cause"`
	Findings []string `json:"findings"`
	Retries  int64    `json:"retries"`
	Healed   int64    `json:"healed"`
}

// Coverage says whether a rule could judge the data: "ran", "partial" or "blind";
// "off" where the policy did not let it.
type Coverage struct {
	Rule   string   `json:"rule"`
	Status string   `json:"status"`
	Needs  []string `json:"needs"` // what was missing: attributes by name, else what stands for them
	Add    []string `json:"add"`   // for each, the instrumentation or configuration that adds it; "" unknown
	Reason string   `json:"reason"`
}

// UnknownCode is an error code that the classifier does not know.
type UnknownCode struct {
	Provider string `json:"provider"`
	Code     string `json:"code"`
	Count    int64  `json:"count"`
}

// UpstreamRow is one last-hop service or address with its operation.
type UpstreamRow struct {
	Upstream Upstream `json:"upstream"`
	// Calls counts logical upstream requests, AttemptsPerCall their sizes.
	Calls           int64            `json:"calls"`
	Attempts        int64            `json:"attempts"`
	AttemptsPerCall map[string]int64 `json:"attempts_per_call"`
	Retries         int64            `json:"retries"`
	Throttled       int64            `json:"throttled"`
	Stopped         int64            `json:"stopped"` // attempts that ended in a STOP verdict
	// PeakBucket is the most attempts that began within one second.
	PeakBucket int64 `json:"peak_bucket"`
	// LowerBound says that attempts beyond may be hidden.
	LowerBound bool `json:"lower_bound"`
}

// Grade orders severities; zero is off.
type Grade uint8

// The severities of a finding.
const (
	Off Grade = iota
	Info
	Warning
	Error
)

// String returns the severity's name in reports.
func (g Grade) String() string { return [...]string{"off", "info", "warning", "error"}[g] }

// Confidence is how sure a finding is.
type Confidence = trace.Confidence
