package analyzer

const (
	// stainless is the backoff of the SDKs that Stainless generates.
	stainless = "2 retries, 0.5 s doubled up to 8 s, minus up to 25 %"

	afterAlways = "used, however long"
	after60     = "used up to 60 s; a longer one is ignored"
	after120    = "used up to 120 s; a longer one ends the retries"
)

// llmKnobs: clients of model APIs, agent frameworks, coding agents. The
// instrumentations of a client share its row.
var llmKnobs = []Knob{
	// OpenAI
	{Library: "openai-node", Also: []string{"@opentelemetry/instrumentation-openai", "@traceloop/instrumentation-openai", "@arizeai/openinference-instrumentation-openai"},
		Setting: "maxRetries of the OpenAI client", Value: "2", Off: "0", Attempts: 3, Default: stainless, RetryAfter: afterAlways,
		Source: "openai-node src/client.ts (6.49.0)"},
	{Library: "openai-python", Also: []string{"opentelemetry.instrumentation.openai*", "openinference.instrumentation.openai"},
		Setting: "max_retries of the OpenAI client", Value: "2", Off: "0", Attempts: 3, Default: stainless, RetryAfter: after120,
		Source: "openai-python src/openai/_base_client.py, _constants.py (3.3.1)"},
	{Library: "openai-go", Setting: "option.WithMaxRetries of the OpenAI client", Value: "2", Off: "0", Attempts: 3, Default: stainless, RetryAfter: after120,
		Source: "openai-go internal/requestconfig/requestconfig.go (3.99.0)"},
	{Library: "openai-java", Also: []string{"io.opentelemetry.openai-java*"},
		Setting: "maxRetries of the OpenAI client's builder", Value: "2", Off: "0", Attempts: 3, Default: stainless, RetryAfter: afterAlways,
		Source: "openai-java openai-java-core/src/main/kotlin/com/openai/core/ClientOptions.kt, http/RetryingHttpClient.kt (2026-08)"},
	{Library: "openai-ruby", Setting: "max_retries of the OpenAI client", Value: "2", Off: "0", Attempts: 3, Default: stainless, RetryAfter: "used up to 8 s; a longer one is cut to 8 s",
		Source: "openai-ruby lib/openai/client.rb, internal/transport/base_client.rb (0.80.0)"},
	{Library: "openai-dotnet", Also: []string{"OpenAI.*"},
		Setting: "RetryPolicy of OpenAIClientOptions, a ClientRetryPolicy", Value: "3", Off: "maxRetries 0", Attempts: 4, Default: "3 retries of 408, 429, 500, 502, 503 and 504, exponential",
		Source: "openai-dotnet README.md, Automatically retrying errors (2026-08)"},
	{Library: "openai-*", Setting: "the max retries option of the OpenAI client", // a client that is not OpenAI's own
		Source: "unchecked: each such client's README"},
	{Library: "openai-agents", Also: []string{"opentelemetry.instrumentation.openai_agents*", "openinference.instrumentation.openai_agents"},
		Setting: "max_retries of the OpenAI client, or of retry in the agent's ModelSettings", Value: "2", Off: "0", Attempts: 3,
		Default: "2 retries of the OpenAI client; the runner makes none of its own unless told to", RetryAfter: after120,
		Source: "openai-agents-python src/agents/retry.py (2026-08); openai-python src/openai/_constants.py (3.3.1)"},

	// Anthropic
	{Library: "anthropic-sdk-typescript", Also: []string{"com.anthropic.sdk.typescript*", "@traceloop/instrumentation-anthropic", "@arizeai/openinference-instrumentation-anthropic"},
		Setting: "maxRetries of the Anthropic client", Value: "2", Off: "0", Attempts: 3, Default: stainless, RetryAfter: afterAlways,
		Source: "anthropic-sdk-typescript src/client.ts (1.14.0)"},
	{Library: "anthropic-sdk-python", Also: []string{"com.anthropic.sdk.python*", "opentelemetry.instrumentation.anthropic*", "openinference.instrumentation.anthropic"},
		Setting: "max_retries of the Anthropic client", Value: "2", Off: "0", Attempts: 3, Default: stainless, RetryAfter: after60,
		Source: "anthropic-sdk-python src/anthropic/_base_client.py, _constants.py (0.121.0)"},
	{Library: "anthropic-sdk-go", Also: []string{"com.anthropic.sdk.go*"},
		Setting: "option.WithMaxRetries of the Anthropic client", Value: "2", Off: "0", Attempts: 3, Default: stainless, RetryAfter: afterAlways,
		Source: "anthropic-sdk-go internal/requestconfig/requestconfig.go (1.84.0)"},
	{Library: "anthropic-sdk-java", Also: []string{"com.anthropic.sdk.java*"},
		Setting: "maxRetries of the Anthropic client's builder", Value: "2", Off: "0", Attempts: 3, Default: stainless, RetryAfter: afterAlways,
		Source: "anthropic-sdk-java anthropic-java-core/src/main/kotlin/com/anthropic/core/ClientOptions.kt, http/RetryingHttpClient.kt (2.57.0)"},
	{Library: "anthropic-sdk-ruby", Also: []string{"com.anthropic.sdk.ruby*"},
		Setting: "max_retries of the Anthropic client", Value: "2", Off: "0", Attempts: 3,
		Default: "2 retries, the first at once, then 0.5 s times the square of the count up to 8 s, minus up to 25 %", RetryAfter: afterAlways,
		Source: "anthropic-sdk-ruby lib/anthropic/client.rb, internal/transport/base_client.rb (1.65.0)"},
	{Library: "anthropic-sdk*", Also: []string{"com.anthropic.sdk*"},
		Setting: "the max retries option of the Anthropic client", Value: "2", Off: "0", Attempts: 3, Default: stainless,
		Source: "anthropic-sdk-typescript src/client.ts and the other generated clients"},

	// Other model APIs
	{Library: "groq-python", Also: []string{"opentelemetry.instrumentation.groq*", "openinference.instrumentation.groq"},
		Setting: "max_retries of the Groq client", Value: "2", Off: "0", Attempts: 3, Default: stainless, RetryAfter: after60,
		Source: "groq-python src/groq/_base_client.py, _constants.py (1.6.0)"},
	{Library: "groq-typescript", Setting: "maxRetries of the Groq client", Value: "2", Off: "0", Attempts: 3, Default: stainless, RetryAfter: afterAlways,
		Source: "groq-typescript src/client.ts (1.6.0)"},
	{Library: "together-typescript", Also: []string{"@traceloop/instrumentation-together"},
		Setting: "maxRetries of the Together client", Value: "2", Off: "0", Attempts: 3, Default: "2 retries, 1 s doubled up to 10 s, minus up to 25 %", RetryAfter: afterAlways,
		Source: "together-typescript src/client.ts (0.52.0)"},
	{Library: "together-python", Also: []string{"together", "opentelemetry.instrumentation.together*"},
		Setting: "max_retries of the Together client", Off: "0",
		Source: "unchecked: together-py README.md"},
	{Library: "cohere", Also: []string{"opentelemetry.instrumentation.cohere*"},
		Setting: "max_retries in the request options of the Cohere client", Value: "2", Off: "0", Attempts: 3, Default: "2 retries, 1 s doubled up to 60 s, ±10 %", RetryAfter: "used up to 60 s; a longer one is cut to 60 s",
		Source: "cohere-python src/cohere/core/http_client.py (7.0.9)"},
	{Library: "cohere-ai", Also: []string{"@traceloop/instrumentation-cohere"},
		Setting: "maxRetries in the request options of the Cohere client", Value: "2", Off: "0", Attempts: 3, Default: "2 retries, 1 s doubled up to 60 s, ±10 %", RetryAfter: "used up to 60 s; a longer one is cut to 60 s",
		Source: "cohere-ai core/fetcher/requestWithRetries.js (8.1.0)"},
	{Library: "mistralai_sdk_tracer", Also: []string{"mistralai", "opentelemetry.instrumentation.mistralai*", "openinference.instrumentation.mistralai"},
		Setting: "retryConfig or retry_config of the Mistral client", Off: "strategy none", Attempts: 1, Default: "no retries unless a retry config is set",
		Source: "@mistralai/mistralai src/funcs/chatComplete.ts (2.7.0)"},
	{Library: "google-genai", Also: []string{"opentelemetry.instrumentation.google_genai*", "openinference.instrumentation.google_genai", "gcp.vertex.agent"},
		Setting: "http_options.retry_options of the client", Off: "attempts 1", Attempts: 1,
		Default: "no retries without retry options; with them 5 attempts, 1 s doubled up to 60 s, plus up to 1 s",
		Source:  "python-genai google/genai/_api_client.py (2026-08)"},

	// Frameworks
	{Library: "ai", Also: []string{"ai-sdk", "gen_ai"},
		Setting: "maxRetries of generateText, streamText …", Value: "2", Off: "0", Attempts: 3, Default: "2 retries, 2 s doubled, no jitter",
		RetryAfter: "used below 60 s or below its own wait; a longer one is ignored",
		Source:     "ai packages/ai/src/util/retry-with-exponential-backoff.ts (6.0.326)"},
	{Library: "langchainjs", Also: []string{"langchainjs-openai", "@arizeai/openinference-instrumentation-langchain", "@traceloop/instrumentation-langchain", "@opentelemetry/instrumentation-langchain"},
		Setting: "maxRetries of the chat model, or stopAfterAttempt of withRetry around it", Value: "6", Off: "0", Attempts: 7,
		Default: "6 retries of the chat model; withRetry, where added, makes up to 3 runs of it", RetryAfter: "used up to 60 s",
		Source: "@langchain/core src/utils/async_caller.ts, src/runnables/base.ts (1.4.0)"},
	{Library: "langchain", Also: []string{"openinference.instrumentation.langchain", "opentelemetry.instrumentation.langchain", "langsmith*"},
		Setting: "max_retries of the chat model, or stop_after_attempt of with_retry around it", Off: "0",
		Default: "that of the provider's client; with_retry, where added, makes up to 3 runs, exponential with jitter",
		Source:  "langchain libs/core/langchain_core/runnables/base.py"},
	{Library: "langgraph", Setting: "max_attempts in the RetryPolicy of the node", Value: "3", Off: "1", Attempts: 3,
		Default: "3 attempts where a policy is set, 0.5 s doubled up to 128 s, with jitter; no retries without one",
		Source:  "langgraph libs/langgraph/langgraph/types.py (2026-08)"},
	{Library: "langchain4j", Also: []string{"dev.langchain4j*", "io.opentelemetry.langchain4j*"},
		Setting: "maxRetries of the chat model's builder", Value: "2", Off: "0", Attempts: 3, Default: "2 retries, 1 s times 1.5 each, plus up to 20 %", RetryAfter: "not looked at",
		Source: "langchain4j langchain4j-core/src/main/java/dev/langchain4j/internal/RetryUtils.java (2026-08)"},
	{Library: "llama_index", Also: []string{"openinference.instrumentation.llama_index", "opentelemetry.instrumentation.llamaindex*"},
		Setting: "max_retries of the LLM or embedding class", Off: "0",
		Source: "llama_index llama-index-integrations/embeddings/llama-index-embeddings-openai/llama_index/embeddings/openai/base.py"},
	{Library: "spring-ai", Also: []string{"spring.ai*", "org.springframework.ai*"},
		Setting: "spring.ai.retry.max-attempts", Value: "10", Off: "1", Attempts: 10,
		Default:    "10 attempts at 5xx and I/O errors, 4xx (429 too) not at all; 2 s times 5 each up to 3 min",
		RetryAfter: "not looked at",
		Source:     "spring-ai auto-configurations/common/spring-ai-autoconfigure-retry/…/SpringAiRetryProperties.java (2026-08)"},
	{Library: "pydantic-ai", Also: []string{"pydantic_ai*"},
		Setting: "max_retries of the provider's client, or stop of the TenacityTransport around it", Off: "0",
		Default: "that of the provider's client; a TenacityTransport without stop never ends", RetryAfter: "wait_retry_after, where added, uses it up to 300 s",
		Source: "pydantic-ai pydantic_ai_slim/pydantic_ai/retries.py (2026-08)"},

	// Coding agents
	{Library: "claude-code", Also: []string{"claude-cli", "com.anthropic.claude_code*"},
		Setting: "CLAUDE_CODE_MAX_RETRIES", Value: "10", Attempts: 11, Default: "10 retries, exponential", RetryAfter: "used",
		Source: "docs: code.claude.com env-vars, error reference"},
	{Library: "codex", Also: []string{"codex_cli_rs*", "codex_exec*"},
		Setting: "request_max_retries of the model provider, stream_max_retries for a stream that breaks", Value: "4", Off: "0", Attempts: 5,
		Default: "4 retries of a request, up to 5 of a broken stream; doubled waits, ±10 %", RetryAfter: "not looked at by the transport",
		Source: "codex codex-rs/model-provider-info/src/lib.rs, codex-rs/codex-client/src/retry.rs"},
	{Library: "gemini-cli", Also: []string{"geminicli*", "gemini_cli*"},
		Setting: "general.maxAttempts in the settings of Gemini CLI", Value: "10", Off: "1", Attempts: 10, Default: "10 attempts, 5 s doubled up to 30 s, ±30 %",
		Source: "gemini-cli packages/core/src/utils/retry.ts, packages/cli/src/config/settingsSchema.ts (2026-08)"},
}
