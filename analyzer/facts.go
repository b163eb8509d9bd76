package analyzer

// Fact names something that a rule needs from the data, as the report shows it.
type Fact string

// The facts that rules need.
const (
	InnerSpans    Fact = "a span for each attempt below the client library's"
	OwnersApart   Fact = "numbers that tell owners on one level of spans apart"
	SameAsk       Fact = "what tells attempts of one call from a list of calls"
	FailureReason Fact = "the reason of a failure"
	ProviderCode  Fact = "the provider's own code of a 429"
	Caps          Fact = "the most attempts that an owner may make"
	AllRequests   Fact = "all requests, not a sample of them"
	Healthy       Fact = "requests without a failure beside the failed ones"
	CallSpans     Fact = "client, server, model or tool spans"
	Traffic       Fact = "enough attempts at one upstream"
)

// A Remedy says what adds a fact to the data.
type Remedy struct {
	// Attribute is what spans lack, by its OpenTelemetry name; empty where
	// whole spans are missing.
	Attribute string
	// Line is the instrumentation or configuration that adds it.
	Line string
}

// remedies: the attributes of the OpenTelemetry semantic conventions 1.40, of
// this tool's published convention, and the variables of OpenTelemetry's Java
// and Python instrumentations that capture headers.
var remedies = map[Fact]Remedy{
	InnerSpans: {Line: "turn on the instrumentation of the HTTP client beside that of the library " +
		"(@opentelemetry/instrumentation-undici, opentelemetry-instrumentation-httpx, otelhttp)"},
	OwnersApart: {Attribute: "http.request.resend_count", Line: "capture the header in which the library numbers its attempts " +
		"(OTEL_INSTRUMENTATION_HTTP_CLIENT_CAPTURE_REQUEST_HEADERS=x-stainless-retry-count), or set retry.owner and retry.attempt (0 is the first) in the retry loop"},
	SameAsk: {Attribute: "retry.attempt", Line: "set retry.attempt (0 is the first) on each attempt in the retry loop, or record what is asked, which is kept as a hash only " +
		"(OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=true, url.full, an idempotency key)"},
	FailureReason: {Attribute: "error.type", Line: "set error.type, or http.response.status_code where there was an answer, on the client span of each failed attempt, or record the exception on it"},
	ProviderCode: {Attribute: "error.type", Line: "set error.type to the code in the body of the answer (insufficient_quota, rate_limit_exceeded …), " +
		"or record the client library's exception, whose text holds it"},
	Caps:        {Attribute: "retry.max_attempts", Line: "set retry.max_attempts on the span around the attempts, the first included"},
	AllRequests: {Line: "export the traces of a period unsampled, or sample by trace ID with the same share for failed and successful ones"},
	Healthy:     {Line: "export the successful traces of the same period, too: a tail sampler that keeps errors alone hides what the ratio is a ratio of"},
}

// biases reports whether the lack of the fact makes numbers lean to one side
// rather than unknowable.
func (f Fact) biases() bool { return f == AllRequests || f == Healthy }

// Remedy returns what adds the fact; it is zero where nothing is known to.
func (f Fact) Remedy() Remedy { return remedies[f] }
