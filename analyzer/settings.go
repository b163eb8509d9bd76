package analyzer

import "strings"

// settingRow gives what limits the retries of a library: the first row whose
// library is the owner's, or begins it where it ends in "*".
type settingRow struct {
	library string
	setting string
}

// settingRows holds libraries by the name their user agent or instrumentation
// scope gives, with their documented default.
var settingRows = []settingRow{
	{"openai-node", "maxRetries of the OpenAI client (default 2; 0 turns retries off)"},
	{"openai-python", "max_retries of the OpenAI client (default 2; 0 turns retries off)"},
	{"openai-go", "option.WithMaxRetries of the OpenAI client (default 2)"},
	{"openai-*", "the max retries option of the OpenAI client (default 2)"},
	{"@traceloop/instrumentation-openai", "maxRetries of the OpenAI client (default 2; 0 turns retries off)"},
	{"@opentelemetry/instrumentation-openai", "maxRetries of the OpenAI client (default 2; 0 turns retries off)"},
	{"@arizeai/openinference-instrumentation-openai", "maxRetries of the OpenAI client (default 2; 0 turns retries off)"},
	{"opentelemetry.instrumentation.openai*", "max_retries of the OpenAI client (default 2; 0 turns retries off)"},
	{"openinference.instrumentation.openai", "max_retries of the OpenAI client (default 2; 0 turns retries off)"},
	{"anthropic-sdk-typescript", "maxRetries of the Anthropic client (default 2; 0 turns retries off)"},
	{"com.anthropic.sdk.typescript*", "maxRetries of the Anthropic client (default 2; 0 turns retries off)"},
	{"anthropic-sdk-python", "max_retries of the Anthropic client (default 2; 0 turns retries off)"},
	{"com.anthropic.sdk*", "the max retries option of the Anthropic client (default 2)"},
	{"anthropic-sdk*", "the max retries option of the Anthropic client (default 2)"},
	{"opentelemetry.instrumentation.anthropic*", "max_retries of the Anthropic client (default 2; 0 turns retries off)"},
	{"ai", "maxRetries of generateText, streamText … (default 2; 0 turns retries off)"},
	{"ai-sdk", "maxRetries of generateText, streamText … (default 2; 0 turns retries off)"},
	{"gen_ai", "maxRetries of generateText, streamText … (default 2; 0 turns retries off)"},
	{"@arizeai/openinference-instrumentation-langchain", "maxRetries of the chat model (default 6), or stopAfterAttempt of withRetry"},
	{"openinference.instrumentation.langchain", "max_retries of the chat model, or stop_after_attempt of with_retry"},
	{"opentelemetry.instrumentation.langchain", "max_retries of the chat model, or stop_after_attempt of with_retry"},
	{"openinference.instrumentation.llama_index", "max_retries of the LLM or embedding class (default 10 for OpenAI embeddings)"},
	{"litellm", "num_retries of the router or of the model group (default 2)"},
	{"langchainjs-openai", "maxRetries of the chat model (default 6)"},
	{"google-genai", "http_options.retry_options of the client (off by default)"},
	{"aws-sdk-*", "max_attempts or AWS_MAX_ATTEMPTS (default 3, the first included)"},
	{"boto3", "retries.max_attempts of botocore's Config (default 3 in standard mode)"},
	{"botocore", "retries.max_attempts of botocore's Config (default 3 in standard mode)"},
	{"azure-sdk", "retry options of the client (default 3 retries)"},
	{"axios", "retries of axios-retry or of the interceptor around axios"},
	{"got", "retry.limit (default 2)"},
	{"go-retryablehttp", "RetryMax of the client (default 4)"},
	{"undici", "maxRetries of RetryAgent or RetryHandler (default 5)"},
	{"urllib3", "Retry(total=…) of the pool manager"},
	{"grpc-*", "retryPolicy.maxAttempts in the service config (the first included)"},
	{"github.com/traefik/traefik", "attempts of the retry middleware"},
	{"bullmq", "attempts of the job's options"},
	{"opentelemetry.instrumentation.celery", "max_retries of the task (default 3)"},
}

// layerSettings says where to look if the library is unknown but the layer is not.
var layerSettings = map[string]string{
	"agent":    "the retry loop around this call in the agent's own code (p-retry, tenacity, withRetry …)",
	"app":      "the retry loop around this call in the application's own code (p-retry, tenacity, Polly …)",
	"tool":     "the retry loop in the tool's own code",
	"sdk":      "the max retries option of the client library",
	"proxy":    "the proxy's own retries: proxy_next_upstream_tries in nginx, retries and retry-on in HAProxy, retry_policy.num_retries in Envoy",
	"gateway":  "the gateway's own retries: retry.attempts in Portkey, num_retries in LiteLLM",
	"queue":    "the attempts of the job, or the redelivery limit of the queue",
	"workflow": "the retry policy of the step",
}

// Setting says which setting limits the attempts of an owner; it is empty
// where neither library nor layer tell.
func Setting(o Owner) string {
	for _, r := range settingRows {
		if prefix, open := strings.CutSuffix(r.library, "*"); r.library == o.Library || open && strings.HasPrefix(o.Library, prefix) {
			return r.setting
		}
	}
	return layerSettings[o.Layer]
}
