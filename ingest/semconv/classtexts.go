package semconv

import "github.com/retryaudit/retryaudit/analyzer/trace"

// Parts of error texts, in lower case: error-classes sections 3 and 8. A part
// of at most four Latin letters must stand as a word.

// tooLarge: OpenAI, Anthropic, Gemini, Cohere, DashScope, Moonshot.
var tooLargeTexts = []textRow{
	{text: "maximum context length", class: trace.TooLarge},
	{text: "context length", class: trace.TooLarge},
	{text: "context window", class: trace.TooLarge},
	{text: "prompt is too long", class: trace.TooLarge},
	{text: "input is too long", class: trace.TooLarge},
	{text: "too many tokens", class: trace.TooLarge, known: true},
	{text: "input token count", class: trace.TooLarge},
	{text: "range of input length", class: trace.TooLarge},
	{text: "exceeded model token limit", class: trace.TooLarge},
	{text: "too long", class: trace.TooLarge, known: true},
	{text: "request too large", class: trace.TooLarge},
	{text: "larger than max", class: trace.TooLarge}, // gRPC message size
}

// safetyTexts: OpenAI, Azure, DashScope, Volcengine.
var safetyTexts = []textRow{
	{text: "content policy", class: trace.Safety, known: true},
	{text: "content management policy", class: trace.Safety},
	{text: "safety system", class: trace.Safety, known: true},
	{text: "safety", class: trace.Safety, known: true},
	{text: "inappropriate content", class: trace.Safety, known: true},
	{text: "moderation", class: trace.Safety, known: true},
	{text: "flagged", class: trace.Safety, known: true},
	{text: "sensitive", class: trace.Safety, known: true},
	{text: "敏感", class: trace.Safety, known: true},
}

// quotaTexts: OpenAI, Anthropic, DashScope, Zhipu, xAI. Gemini has the
// sentence "exceeded your current quota, please check your plan and billing
// details" for per-minute limits, too.
var quotaTexts = []textRow{
	{text: "exceeded your current quota", class: trace.Quota, except: "google", known: true},
	{text: "insufficient_quota", class: trace.Quota, except: "dashscope", known: true},
	{text: "insufficient balance", class: trace.Quota, known: true},
	{text: "credit balance", class: trace.Quota, known: true},
	{text: "prepayment credits", class: trace.Quota},
	{text: "out of credits", class: trace.Quota, known: true},
	{text: "used all available credits", class: trace.Quota}, // xAI
	{text: "free allocated quota", class: trace.Quota},
	{text: "spend limit", class: trace.Quota, known: true},
	{text: "spending limit", class: trace.Quota, known: true},
	{text: "usage limits", class: trace.Quota, known: true}, // Anthropic, with status 400
	{text: "billing hard limit", class: trace.Quota, known: true},
	{text: "budget limit", class: trace.Quota, known: true},
	{text: "budget has been exceeded", class: trace.Quota}, // litellm
	{text: "quota exhausted", class: trace.Quota, known: true},
	{text: "arrear", class: trace.Quota, known: true},
	{text: "overdue", class: trace.Quota, known: true},
	{text: "欠费", class: trace.Quota, known: true},
	{text: "余额不足", class: trace.Quota, known: true},
	{text: "免费额度", class: trace.Quota, known: true},
}

// dayTexts are limits over windows longer than any request waits.
var dayTexts = []textRow{
	{text: "perday", class: trace.Quota}, // Gemini quotaId
	{text: "per day", class: trace.Quota, known: true},
	{text: "per-day", class: trace.Quota, known: true},
	{text: "per month", class: trace.Quota, known: true},
	{text: "calls / month", class: trace.Quota, known: true}, // Cohere's trial keys
	{text: "per week", class: trace.Quota, known: true},
	{text: "daily", class: trace.Quota, known: true},
	{text: "rpd", class: trace.Quota, known: true},
	{text: "tpd", class: trace.Quota, known: true},
	{text: "ipd", class: trace.Quota, known: true},
	{text: "每日", class: trace.Quota, known: true},
	{text: "limit: 0", class: trace.Quota, provider: "google"}, // no allowance at all
}

var concurrencyTexts = []textRow{
	{text: "in_flight_budget", class: trace.Concurrency}, // OpenRouter
	{text: "concurrency", class: trace.Concurrency, known: true},
	{text: "concurrent", class: trace.Concurrency, known: true},
	{text: "并发", class: trace.Concurrency, known: true},
}

var overloadTexts = []textRow{
	{text: "no deployments available", class: trace.Overload, unsent: true, refuser: "gateway"}, // litellm router cooldown
	{text: "circuit breaker", class: trace.Overload, unsent: true},
	{text: "no healthy upstream", class: trace.Overload, unsent: true, refuser: "gateway"}, // Envoy
	{text: "overloaded", class: trace.Overload, known: true},
	{text: "high demand", class: trace.Overload, known: true},
	{text: "at capacity", class: trace.Overload, known: true},
	{text: "temporarily unable to process", class: trace.Overload, known: true}, // Azure
	{text: "resource exhausted", class: trace.Overload, provider: "google"},
	{text: "saturated", class: trace.Overload},
	{text: "负载", class: trace.Overload, known: true},
	{text: "繁忙", class: trace.Overload, known: true},
}

var rateTexts = []textRow{
	{text: "rate limit", class: trace.RateLimit},
	{text: "rate-limit", class: trace.RateLimit},
	{text: "rate_limit", class: trace.RateLimit},
	{text: "ratelimit", class: trace.RateLimit},
	{text: "too many 429 error responses", class: trace.RateLimit}, // urllib3: the retries are used up
	{text: "too many requests", class: trace.RateLimit},
	{text: "throttl", class: trace.RateLimit},
	{text: "per minute", class: trace.RateLimit, known: true},
	{text: "per-minute", class: trace.RateLimit, known: true},
	{text: "rpm", class: trace.RateLimit, known: true},
	{text: "tpm", class: trace.RateLimit, known: true},
	{text: "请求过于频繁", class: trace.RateLimit, known: true},
	{text: "速率", class: trace.RateLimit, known: true},
}

var authTexts = []textRow{
	{text: "api key not valid", class: trace.Auth}, // Gemini, with status 400
	{text: "api_key_invalid", class: trace.Auth},
	{text: "incorrect api key", class: trace.Auth}, // OpenAI; xAI with status 400
	{text: "invalid api key", class: trace.Auth},
	{text: "invalid x-api-key", class: trace.Auth},
	{text: "unauthorized", class: trace.Auth},
	{text: "unauthenticated", class: trace.Auth},
}

// networkTexts: Go net and context, undici, axios, httpx, aiohttp, libc, the
// JDK. What says timeout stands before what says cancelled: "The operation was
// aborted due to timeout".
var networkTexts = []textRow{
	{text: "connect timeout", class: trace.Timeout, unsent: true},
	{text: "connect timed out", class: trace.Timeout, unsent: true},
	{text: "deadline exceeded", class: trace.Timeout},
	{text: "timed out", class: trace.Timeout},
	{text: "timeout", class: trace.Timeout},
	{text: "time limit", class: trace.Timeout},
	{text: "context canceled", class: trace.Cancelled},
	{text: "request canceled", class: trace.Cancelled},
	{text: "request was aborted", class: trace.Cancelled}, // openai-node APIUserAbortError
	{text: "operation was aborted", class: trace.Cancelled},
	{text: "request aborted", class: trace.Cancelled},
	{text: "rpc cancelled", class: trace.Cancelled},
	{text: "client disconnected", class: trace.Cancelled},
	{text: "connection refused", class: trace.Reset, unsent: true},
	{text: "econnrefused", class: trace.Reset, unsent: true},
	{text: "no such host", class: trace.Reset, unsent: true},
	{text: "enotfound", class: trace.Reset, unsent: true},
	{text: "eai_again", class: trace.Reset, unsent: true},
	{text: "name or service not known", class: trace.Reset, unsent: true},
	{text: "name resolution", class: trace.Reset, unsent: true},
	{text: "no route to host", class: trace.Reset, unsent: true},
	{text: "network is unreachable", class: trace.Reset, unsent: true},
	{text: "x509: ", class: trace.ServerError, verdict: trace.Stop, unsent: true}, // Go
	{text: "certificate verify failed", class: trace.ServerError, verdict: trace.Stop, unsent: true},
	{text: "certificate has expired", class: trace.ServerError, verdict: trace.Stop, unsent: true},
	{text: "signed certificate", class: trace.ServerError, verdict: trace.Stop, unsent: true}, // self-signed, self signed
	{text: "unable to verify the first certificate", class: trace.ServerError, verdict: trace.Stop, unsent: true},
	{text: "certification path", class: trace.ServerError, verdict: trace.Stop, unsent: true}, // the JDK
	{text: "handshake failure", class: trace.Reset, unsent: true},                             // TLS
	{text: "connection reset", class: trace.Reset},
	{text: "econnreset", class: trace.Reset},
	{text: "other side closed", class: trace.Reset},
	{text: "socket hang up", class: trace.Reset},
	{text: "broken pipe", class: trace.Reset},
	{text: "server disconnected", class: trace.Reset},
	{text: "connection closed", class: trace.Reset},
	{text: "closed connection", class: trace.Reset},
	{text: "connection error", class: trace.Reset},
	{text: "incomplete chunked read", class: trace.Reset},
	{text: "premature close", class: trace.Reset},
	{text: "terminated", class: trace.Reset}, // undici: the body broke
	{text: "fetch failed", class: trace.Reset},
	{text: "failed to process successful response", class: trace.Reset}, // vercel/ai: the stream broke
	{text: "eof", class: trace.Reset},
}

// otherTexts name statuses in words.
var otherTexts = []textRow{
	{text: "too many 503 error responses", class: trace.Overload}, // urllib3
	{text: "too many 504 error responses", class: trace.Timeout},
	{text: "too many 502 error responses", class: trace.ServerError},
	{text: "too many 500 error responses", class: trace.ServerError},
	{text: "service unavailable", class: trace.Overload},
	{text: "unavailable", class: trace.Overload},
	{text: "gateway timeout", class: trace.Timeout},
	{text: "bad gateway", class: trace.ServerError},
	{text: "internal server error", class: trace.ServerError},
	{text: "internal error", class: trace.ServerError},
	{text: "server had an error", class: trace.ServerError}, // OpenAI
	{text: "forbidden", class: trace.Permission},
	{text: "permission denied", class: trace.Permission},
	{text: "access denied", class: trace.Permission},
	{text: "model not found", class: trace.NotFound},
	{text: "invalid request", class: trace.Invalid},
	{text: "unsupported parameter", class: trace.Unsupported},
	{text: "cancelled", class: trace.Cancelled},
	{text: "canceled", class: trace.Cancelled},
}

// refinements are what the text may make of a class that a status, a gRPC code
// or an exception class gave: the first part found decides.
var refinements = map[trace.Class][]textRow{
	trace.RateLimit: join(
		[]textRow{
			{text: "request too large", class: trace.TooLarge}, // OpenAI, Groq: more than the limit in one request
			{text: "larger than max", class: trace.TooLarge},   // gRPC message size
			{text: "perminute", class: trace.RateLimit, provider: "google"},
			// one-api controller/relay.go puts it over every 429.
			{text: "当前分组上游负载已饱和", class: trace.RateLimit},
			{text: "error code: 1015", class: trace.RateLimit, unsent: true, refuser: "gateway"}, // Cloudflare
		},
		dayTexts, quotaTexts, concurrencyTexts, overloadTexts,
	),
	trace.Invalid: join(
		[]textRow{{text: "unsupported parameter", class: trace.Unsupported}},
		quotaTexts, tooLargeTexts, authTexts, safetyTexts,
	),
	trace.Permission: join(
		[]textRow{
			{text: "max_tokens", class: trace.TooLarge, provider: "together"},
			{text: "monthly", class: trace.Quota, provider: "xai"},
			{text: "credits", class: trace.Quota, provider: "xai"},
		},
		tooLargeTexts, quotaTexts, safetyTexts, rateTexts,
	),
	trace.Auth:        {{text: "credits", class: trace.Quota, provider: "perplexity"}},
	trace.Quota:       concurrencyTexts,
	trace.Unsupported: nil,
	trace.ServerError: join(tooLargeTexts[:4], overloadTexts),
	trace.Overload: join(overloadTexts[:3], []textRow{
		{text: "upstream connect error", class: trace.Reset}, // Envoy
		{text: "fetch failed", class: trace.ServerError},     // Portkey src/handlers/retryHandler.ts: it could not connect
	}),
	trace.UnknownError: join(tooLargeTexts[:6], dayTexts[:6], quotaTexts, concurrencyTexts[:1], overloadTexts, rateTexts, authTexts, networkTexts, otherTexts, safetyTexts[:3], concurrencyTexts[1:]),
}

// refusers tell who refused: litellm's exceptions name the provider whose
// answer they wrap ("OpenAIException - …", "AzureException RateLimitError -
// …"); its own refusals do not. OpenRouter names the provider that it asked.
var refusers = []textRow{
	{text: "exception - ", refuser: "provider"},
	{text: "azureexception", refuser: "provider"},
	{text: "bedrockexception", refuser: "provider"},
	{text: "vertexaiexception", refuser: "provider"},
	{text: "provider_name", provider: "openrouter", refuser: "provider"},
	{text: "no deployments available", refuser: "gateway"},
	{text: "budget has been exceeded", refuser: "gateway"},
	{text: "exceeded the timeout sent in the request", refuser: "gateway"}, // Portkey src/handlers/retryHandler.ts
}

func join(tables ...[]textRow) []textRow {
	var all []textRow
	for _, t := range tables {
		all = append(all, t...)
	}
	return all
}
