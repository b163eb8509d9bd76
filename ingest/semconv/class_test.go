package semconv

import (
	"strings"
	"testing"

	"github.com/retryaudit/retryaudit/analyzer/trace"
	"github.com/retryaudit/retryaudit/ingest/record"
)

// judged returns what the classifier makes of an error text with a status, as
// the exception of an HTTP client span to a host.
func judged(host string, status int, text string) *trace.Span {
	attrs := []record.Attr{
		{Key: "http.request.method", Value: record.Value{Type: record.String, S: "POST"}},
		{Key: "url.full", Value: record.Value{Type: record.String, S: "https://" + host + "/v1/x"}},
	}
	if status != 0 {
		attrs = append(attrs, record.Attr{Key: "http.response.status_code", Value: record.Value{Type: record.Int, I: int64(status)}})
	}
	store := trace.NewStore()
	New(store, Key{}).Add(&record.Span{
		Kind: trace.Client, Name: "POST", Status: record.Error, Attrs: attrs,
		Events: []record.Event{{Name: "exception", Attrs: []record.Attr{
			{Key: "exception.message", Value: record.Value{Type: record.String, S: text}},
		}}},
	}, 0)
	return &store.Spans[0]
}

const (
	openai     = "api.openai.com"
	google     = "generativelanguage.googleapis.com"
	dashscope  = "dashscope.aliyuncs.com"
	zhipu      = "open.bigmodel.cn"
	openrouter = "openrouter.ai"
	bedrock    = "bedrock-runtime.us-east-1.amazonaws.com"
	local      = "127.0.0.1"
)

// TestErrors holds what the traps of providers come to: look-alikes that only
// the text, the code or the provider tells apart.
func TestErrors(t *testing.T) {
	for _, c := range []struct {
		host   string
		status int
		text   string
		class  trace.Class
		verd   trace.Verdict
		conf   trace.Confidence
	}{
		// OpenAI
		{openai, 429, ``, trace.RateLimit, trace.Cap, trace.Likely},
		{openai, 429, `429 You exceeded your current quota, please check your plan and billing details.`, trace.Quota, trace.Stop, trace.Likely},
		{openai, 429, `Error code: 429 - {'error': {'message': 'You exceeded …', 'type': 'insufficient_quota', 'param': None, 'code': 'insufficient_quota'}}`, trace.Quota, trace.Stop, trace.Certain},
		{openai, 429, `{"error":{"code":"rate_limit_exceeded","type":"tokens","message":"Rate limit reached for gpt-4o on tokens per min (TPM): Limit 30000, Used 29000. Please try again in 1.2s."}}`, trace.RateLimit, trace.Cap, trace.Certain},
		{openai, 429, `{"error":{"code":"rate_limit_exceeded","type":"requests","message":"Rate limit reached for gpt-4o on requests per day (RPD): Limit 200"}}`, trace.Quota, trace.Stop, trace.Likely},
		{openai, 429, `{"error":{"code":"rate_limit_exceeded","type":"tokens","message":"Request too large for gpt-4o on tokens per min (TPM): Limit 30000, Requested 40000"}}`, trace.TooLarge, trace.Stop, trace.Likely},
		{openai, 400, `400 {"error":{"code":"context_length_exceeded","message":"…"}}`, trace.TooLarge, trace.Stop, trace.Certain},
		{openai, 400, `This model's maximum context length is 65536 tokens.`, trace.TooLarge, trace.Stop, trace.Likely},
		{openai, 401, `{"error":{"type":"invalid_request_error","code":null,"message":"Incorrect API key provided"}}`, trace.Auth, trace.Stop, trace.Likely},
		{openai, 404, `{"error":{"type":"invalid_request_error","code":null,"message":"gone"}}`, trace.NotFound, trace.Stop, trace.Likely},
		{openai, 503, `{"error":{"type":"server_error","message":"The engine is currently overloaded, please try again later"}}`, trace.Overload, trace.Cap, trace.Likely},
		{openai, 409, ``, trace.Conflict, trace.Undecided, trace.Likely},
		// Groq's per-minute message names its billing page
		{"api.groq.com", 429, `Rate limit reached for model x on tokens per minute (TPM): Limit 6000. Please try again in 8.1s. Need more tokens? Upgrade at https://console.groq.com/settings/billing`, trace.RateLimit, trace.Cap, trace.Certain},
		{"api.groq.com", 429, `Rate limit reached for model x on tokens per day (TPD): Limit 500000. Please try again in 8m1.2s.`, trace.Quota, trace.Stop, trace.Likely},
		// Gemini has one sentence for all limits
		{google, 429, `{"error":{"code":429,"status":"RESOURCE_EXHAUSTED","message":"You exceeded your current quota, please check your plan and billing details.","details":[{"violations":[{"quotaId":"GenerateRequestsPerMinutePerProjectPerModel"}]},{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"46s"}]}}`, trace.RateLimit, trace.Cap, trace.Certain},
		{google, 429, `{"error":{"code":429,"status":"RESOURCE_EXHAUSTED","message":"You exceeded your current quota","details":[{"violations":[{"quotaId":"GenerateRequestsPerDayPerProjectPerModel-FreeTier"}]}]}}`, trace.Quota, trace.Stop, trace.Certain},
		{google, 429, `You exceeded your current quota, please check your plan and billing details.`, trace.RateLimit, trace.Cap, trace.Likely},
		{local, 429, `litellm.RateLimitError: VertexAIException - You exceeded your current quota, please check your plan and billing details.`, trace.RateLimit, trace.Cap, trace.Likely},
		{google, 429, `Quota exceeded for metric: free_tier_requests, limit: 0`, trace.Quota, trace.Stop, trace.Likely},
		{google, 429, `Resource exhausted, please try again later.`, trace.Overload, trace.Cap, trace.Likely},
		{google, 400, `API key not valid. Please pass a valid API key.`, trace.Auth, trace.Stop, trace.Likely},
		{google, 400, `{"error":{"code":400,"status":"INVALID_ARGUMENT","message":"The input token count exceeds the maximum"}}`, trace.TooLarge, trace.Stop, trace.Likely},
		{google, 402, `Your prepayment credits are depleted`, trace.Quota, trace.Stop, trace.Likely},
		// Anthropic
		{"api.anthropic.com", 529, `529 {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"},"request_id":"req_1"}`, trace.Overload, trace.Cap, trace.Certain},
		{"api.anthropic.com", 400, `400 {"type":"error","error":{"type":"invalid_request_error","message":"You have reached your specified API usage limits."}}`, trace.Quota, trace.Stop, trace.Likely},
		{"api.anthropic.com", 400, `400 {"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 210000 tokens > 200000 maximum"}}`, trace.TooLarge, trace.Stop, trace.Likely},
		{"api.anthropic.com", 429, `429 {"type":"error","error":{"type":"rate_limit_error","details":{"error_code":"enforced_spend_limit_reached"}}}`, trace.Quota, trace.Stop, trace.Certain},
		{"api.anthropic.com", 0, `429 {"type":"error","error":{"type":"rate_limit_error","message":"This request would exceed your rate limit"}}`, trace.RateLimit, trace.Cap, trace.Likely},
		// DashScope calls throttling insufficient_quota
		{dashscope, 429, `{"error":{"code":"insufficient_quota","message":"Allocated quota exceeded, please increase your quota limit."}}`, trace.RateLimit, trace.Cap, trace.Certain},
		{dashscope, 429, `{"error":{"code":"insufficient_quota","message":"Free allocated quota exceeded."}}`, trace.Quota, trace.Stop, trace.Certain},
		{dashscope, 403, `{"code":"AllocationQuota.FreeTierOnly","message":"…"}`, trace.Quota, trace.Stop, trace.Certain},
		{dashscope, 429, `{"code":"Throttling.RateQuota","message":"Requests rate limit exceeded"}`, trace.RateLimit, trace.Cap, trace.Certain},
		// Zhipu and MiniMax use the same numbers for other things
		{zhipu, 429, `{"error":{"code":"1113","message":"欠费"}}`, trace.Quota, trace.Stop, trace.Certain},
		{zhipu, 429, `{"error":{"code":"1302","message":"…"}}`, trace.Concurrency, trace.Cap, trace.Certain},
		{"api.minimax.chat", 200, `{"base_resp":{"status_code":1002,"code":1002}}`, trace.RateLimit, trace.Cap, trace.Certain},
		// Moonshot
		{"api.moonshot.cn", 429, `{"error":{"type":"rate_limit_reached_error","message":"max organization concurrency: 1"}}`, trace.Concurrency, trace.Cap, trace.Likely},
		{"api.moonshot.cn", 429, `{"error":{"type":"exceeded_current_quota_error"}}`, trace.Quota, trace.Stop, trace.Certain},
		// OpenRouter: one 402 may be tried again
		{openrouter, 402, `{"error":{"code":402,"metadata":{"limit_source":"openrouter_in_flight_budget"}}}`, trace.Concurrency, trace.Cap, trace.Certain},
		{openrouter, 402, `{"error":{"code":402,"message":"Insufficient credits"}}`, trace.Quota, trace.Stop, trace.Likely},
		{openrouter, 403, `{"error":{"code":403,"message":"Your input was flagged"}}`, trace.Safety, trace.Stop, trace.Likely},
		{openrouter, 403, `Budget limit exceeded`, trace.Quota, trace.Stop, trace.Likely},
		// Together answers 403 to what is too long
		{"api.together.xyz", 403, `Input validation error: inputs tokens + max_new_tokens must be <= 8193, context length exceeded`, trace.TooLarge, trace.Stop, trace.Likely},
		{"api.x.ai", 403, `Your team has used all available credits or reached its monthly spending limit.`, trace.Quota, trace.Stop, trace.Likely},
		// AWS
		{bedrock, 429, `operation error Bedrock Runtime: InvokeModel, https response error StatusCode: 429, RequestID: x, ThrottlingException: Too many requests`, trace.RateLimit, trace.Cap, trace.Likely},
		{bedrock, 429, `An error occurred (ThrottlingException) when calling the InvokeModel operation: Too many tokens per day, please wait`, trace.Quota, trace.Stop, trace.Likely},
		{bedrock, 424, `ModelErrorException: the model failed`, trace.ServerError, trace.Stop, trace.Certain},
		// Gateways
		{local, 0, `litellm.ContentPolicyViolationError: Error code: 400 - {'error': {'code': 'content_policy_violation'}}`, trace.Safety, trace.Stop, trace.Certain},
		{local, 0, `litellm.RateLimitError: No deployments available for selected model`, trace.Overload, trace.Cap, trace.Likely},
		{local, 500, `{"error":{"message":"{\"error\":{\"code\":\"insufficient_quota\"}}","type":"new_api_error"}}`, trace.Quota, trace.Stop, trace.Certain},
		// transport
		{local, 0, `Get "http://a": context deadline exceeded (Client.Timeout exceeded while awaiting headers)`, trace.Timeout, trace.Wait, trace.Likely},
		{local, 0, `The operation was aborted due to timeout`, trace.Timeout, trace.Wait, trace.Likely},
		{local, 0, `This operation was aborted`, trace.Cancelled, trace.Undecided, trace.Likely},
		{local, 0, `read tcp 10.0.0.1:1->10.0.0.2:2: read: connection reset by peer`, trace.Reset, trace.Wait, trace.Likely},
		{local, 0, `unexpected EOF`, trace.Reset, trace.Wait, trace.Likely},
		{local, 0, `geofence`, trace.UnknownError, trace.Undecided, trace.Possible},
		{local, 525, ``, trace.ServerError, trace.Stop, trace.Likely},
	} {
		s := judged(c.host, c.status, c.text)
		if s.Class != c.class || s.Verdict != c.verd || s.ClassConf != c.conf {
			t.Errorf("%s %d %s\n got %s %s %s\nwant %s %s %s", c.host, c.status, c.text,
				s.Class, s.Verdict, s.ClassConf, c.class, c.verd, c.conf)
		}
	}
}

// TestCodes looks at every row of the code tables: an error body with its
// code, under its conditions, gets its class. A row behind another that takes
// its codes would fail.
func TestCodes(t *testing.T) {
	hosts := map[string]string{"": local}
	for _, p := range providerRows {
		hosts[p.family] = strings.TrimPrefix(p.hosts[0], ".")
		if p.hosts[0][0] == '.' {
			hosts[p.family] = "x" + p.hosts[0]
		}
	}
	for _, table := range [][]codeRow{providerCodes, exceptionCodes, transportCodes} {
		for _, r := range table {
			code := strings.Trim(r.code, "*")
			if strings.HasPrefix(r.code, "*") {
				code = "x" + code
			}
			if strings.HasSuffix(r.code, "*") {
				code += "x"
			}
			code = strings.ReplaceAll(code, "*", "x")
			if strings.Contains(code, ".") { // as providers write it
				code = strings.ToUpper(code[:1]) + code[1:]
			}
			status := r.status
			text := `{"error":{"code":"` + code + `","message":"` + r.text + `"}}`
			s := judged(hosts[r.provider], status, text)
			want := r.verdict
			if want == trace.NoVerdict {
				want = trace.VerdictOf(r.class)
			}
			if s.Class != r.class || s.Verdict != want || s.Flags.Has(trace.NeverSent) != r.unsent {
				t.Errorf("%s %s %d %q: got %s %s, want %s %s", r.provider, r.code, r.status, r.text, s.Class, s.Verdict, r.class, want)
			}
		}
	}
}

func TestStatusOfText(t *testing.T) {
	for text, want := range map[string]int{
		"429 You exceeded": 429, "503": 503, "500ms": 0, "4290 requests": 0, "Error code: 401 - {}": 401,
		"https response error StatusCode: 400, RequestID: ": 400, "chunk 5: HTTP 429": 429, "200 OK": 0, "": 0,
	} {
		if got := statusInText(text); got != want {
			t.Errorf("%q: got %d, want %d", text, got, want)
		}
	}
}

func TestLastSegment(t *testing.T) {
	for name, want := range map[string]string{
		"openai.RateLimitError": "RateLimitError", "java.net.UnknownHostException": "UnknownHostException",
		"*http.ResponseError": "ResponseError", "Throttling.RateQuota": "Throttling.RateQuota",
		"System.Net.Http.HttpRequestException": "HttpRequestException", "context.deadlineExceededError": "deadlineExceededError",
		"*github.com/aws/smithy-go.OperationError": "OperationError", "std::io::Error": "Error", "insufficient_quota": "insufficient_quota",
		"com.acme.Client$Timeout": "Timeout", "": "", ".": ".",
	} {
		if got := lastSegment(name); got != want {
			t.Errorf("%q: got %q, want %q", name, got, want)
		}
	}
}
