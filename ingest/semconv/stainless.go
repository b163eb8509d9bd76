package semconv

import "github.com/retryaudit/retryaudit/analyzer/trace"

// stainlessFamily: the SDKs of OpenAI, Anthropic and others that Stainless generates
// ("OpenAI/JS 6.49.0", "AsyncOpenAI/Python 1.90.0"; openai-python
// _base_client.py, openai-node src/client.ts, openai-go requestconfig.go), and
// what their providers answer (error-classes section 7).
var stainlessFamily = family{
	rank: 103,
	counters: []counterRow{
		{key: "x-stainless-retry-count", at: request, meaning: trace.Ordinal, by: byHeader},
	},
	delays: []delayRow{
		{key: "x-should-retry", at: response, unit: verdict},
		{key: "retry-after-ms", at: response, unit: millis}, // OpenAI, Azure: before Retry-After
		// When a limit is full again, which is later than when it lets one more
		// request through: read where nothing above is.
		{key: "x-ratelimit-reset-requests", at: response, unit: full, left: "x-ratelimit-remaining-requests"}, // OpenAI, Groq, Azure
		{key: "x-ratelimit-reset-tokens", at: response, unit: full, left: "x-ratelimit-remaining-tokens"},
		{key: "anthropic-ratelimit-requests-reset", at: response, unit: full, left: "anthropic-ratelimit-requests-remaining"},
		{key: "anthropic-ratelimit-tokens-reset", at: response, unit: full, left: "anthropic-ratelimit-tokens-remaining"},
		{key: "anthropic-ratelimit-input-tokens-reset", at: response, unit: full, left: "anthropic-ratelimit-input-tokens-remaining"},
		{key: "anthropic-ratelimit-output-tokens-reset", at: response, unit: full, left: "anthropic-ratelimit-output-tokens-remaining"},
		{key: "anthropic-priority-input-tokens-reset", at: response, unit: full, left: "anthropic-priority-input-tokens-remaining"},
		{key: "anthropic-priority-output-tokens-reset", at: response, unit: full, left: "anthropic-priority-output-tokens-remaining"},
		{key: "x-ratelimit-remaining-requests", at: response, unit: remaining},
		{key: "x-ratelimit-remaining-tokens", at: response, unit: remaining},
		{key: "anthropic-ratelimit-requests-remaining", at: response, unit: remaining},
		{key: "anthropic-ratelimit-tokens-remaining", at: response, unit: remaining},
		{key: "anthropic-ratelimit-input-tokens-remaining", at: response, unit: remaining},
		{key: "anthropic-ratelimit-output-tokens-remaining", at: response, unit: remaining},
		{key: "anthropic-priority-input-tokens-remaining", at: response, unit: remaining},
		{key: "anthropic-priority-output-tokens-remaining", at: response, unit: remaining},
	},
	deadlines: []deadlineRow{
		{key: "x-stainless-timeout", at: request, unit: deadlineSeconds, scope: trace.AttemptScope},
		{key: "x-stainless-read-timeout", at: request, unit: deadlineSeconds, scope: trace.AttemptScope}, // the same, Python
	},
	clients: []clientRow{
		{prefix: "openai/js", name: "openai-node", retries: true},
		{prefix: "openai/node", name: "openai-node", retries: true},
		{prefix: "openai/python", name: "openai-python", retries: true},
		{prefix: "asyncopenai/python", name: "openai-python", retries: true},
		{prefix: "azureopenai/js", name: "openai-node", retries: true},
		{prefix: "azureopenai/python", name: "openai-python", retries: true},
		{prefix: "asyncazureopenai/python", name: "openai-python", retries: true},
		{prefix: "openai/go", name: "openai-go", retries: true},
		{prefix: "openai/java", name: "openai-java", retries: true},
		{prefix: "openaiclientimpl/java", name: "openai-java", retries: true}, // openai-java ClientOptions.kt
		{prefix: "openaiclientasyncimpl/java", name: "openai-java", retries: true},
		{prefix: "openai/ruby", name: "openai-ruby", retries: true},
		{prefix: "openai::client/ruby", name: "openai-ruby", retries: true}, // openai-ruby base_client.rb
		{prefix: "openai/.net", name: "openai-dotnet", retries: true},
		{prefix: "anthropic/js", name: "anthropic-sdk-typescript", retries: true},
		{prefix: "anthropic/python", name: "anthropic-sdk-python", retries: true},
		{prefix: "asyncanthropic/python", name: "anthropic-sdk-python", retries: true},
		{prefix: "anthropicbedrock/", name: "anthropic-sdk", retries: true},
		{prefix: "anthropicvertex/", name: "anthropic-sdk", retries: true},
		{prefix: "anthropic/go", name: "anthropic-sdk-go", retries: true},
		{prefix: "anthropic/java", name: "anthropic-sdk-java", retries: true},
		{prefix: "anthropicclientimpl/java", name: "anthropic-sdk-java", retries: true},
		{prefix: "anthropicclientasyncimpl/java", name: "anthropic-sdk-java", retries: true},
		{prefix: "anthropic/ruby", name: "anthropic-sdk-ruby", retries: true},
		{prefix: "anthropic::client/ruby", name: "anthropic-sdk-ruby", retries: true},
		{prefix: "groq/python", name: "groq-python", retries: true},
		{prefix: "asyncgroq/python", name: "groq-python", retries: true},
		{prefix: "groq/js", name: "groq-typescript", retries: true},
		{prefix: "together/python", name: "together-python", retries: true},
		{prefix: "asynctogether/python", name: "together-python", retries: true},
		{prefix: "together/js", name: "together-typescript", retries: true},
		{prefix: "cohere-ai", name: "cohere-ai", retries: true},
		{prefix: "cohere", name: "cohere", retries: true},
		{prefix: "stripe/v1", name: "stripe", retries: true},
	},
}
