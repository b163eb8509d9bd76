package semconv

import "github.com/retryaudit/retryaudit/analyzer/trace"

// litellmFamily: StandardLoggingPayload of LiteLLM (litellm/types/utils.py), as
// ingest/litellm reads it.
var litellmFamily = family{
	rank: 110,
	rows: []row{
		{key: "litellm.request.route", to: route}, // litellm integrations/otel
		{key: "litellm.call_type", to: operation}, // litellm integrations/otel
		{key: "litellm.provider.model", to: model},
		{key: "litellm.request.streaming", to: streaming},
		{key: "hidden_params", to: hidden}, // litellm integrations/opentelemetry.py
		{key: "x-litellm-model-id", to: channel, at: response},
		{key: "x-litellm-attempted-fallbacks", to: fallbackIndex, at: response},
		{key: "litellm.provider.error.code", to: errorCode},
		{key: "error.llm_provider", to: errorProvider},
		{key: "litellm.provider.error.llm_provider", to: errorProvider},
		{key: "call_type", to: operation, under: "litellm"},
		{key: "model", to: model, under: "litellm"},
		{key: "custom_llm_provider", to: provider, under: "litellm"},
		{key: "model_id", to: channel, under: "litellm"}, // the deployment
		{key: "prompt_tokens", to: inTokens, under: "litellm"},
		{key: "completion_tokens", to: outTokens, under: "litellm"},
		{key: "messages", to: input, under: "litellm"},
		{key: "model_parameters.tools", to: toolsOffered, under: "litellm"},
		{key: "stream", to: streaming, under: "litellm"},
		{key: "time_to_first_token", to: firstSeconds, under: "litellm"}, // response_time of a stream
		{key: "response.finish_reason", to: finish, under: "litellm"},
		// StandardLoggingPayloadErrorInformation: the HTTP status as a text, the
		// name of LiteLLM's exception, its text, and who refused.
		{key: "error_information.error_code", to: errorCode, under: "litellm"},
		{key: "error_information.error_class", to: errorType, under: "litellm"},
		{key: "error_information.error_message", to: errorText, under: "litellm"},
		{key: "error_information.llm_provider", to: errorProvider, under: "litellm"},
		{key: "metadata.attempted_fallbacks", to: fallbackIndex, under: "litellm"},
		{key: "hidden_params.additional_headers.x-litellm-attempted-fallbacks", to: fallbackIndex, under: "litellm"}, // add_retry_fallback_headers.py
	},
	operations: map[string]meaning{
		// llm.request.type: openllmetry semconv_ai; litellm call types (with and
		// without the a of the asynchronous form).
		"completion":         {task: generate},
		"acompletion":        {task: generate},
		"atext_completion":   {task: generate},
		"responses":          {task: generate},
		"aresponses":         {task: generate},
		"anthropic_messages": {task: generate},
		"agenerate_content":  {task: generate},
		"embedding":          {task: embed},
		"aembedding":         {task: embed},
		"arerank":            {task: rerank},
		"image_generation":   {task: image},
		"aimage_generation":  {task: image},
		"speech":             {task: audio},
		"aspeech":            {task: audio},
		"transcription":      {task: audio},
		"atranscription":     {task: audio},
		"moderation":         {task: moderate},
		"amoderation":        {task: moderate},
	},
	names: []nameRow{
		{"litellm_request", meaning{task: generate}}, // litellm integrations/opentelemetry.py
		{"raw_gen_ai_request", meaning{task: generate}},
	},
	counters: []counterRow{
		{key: "x-litellm-attempted-retries", at: response, meaning: trace.Total, first: -1, by: byTotal}, // litellm add_retry_fallback_headers.py
		// A payload is one attempt, so what the router made before is its number.
		{key: "metadata.attempted_retries", under: "litellm", meaning: trace.Ordinal, by: byTotal},
		{key: "hidden_params.additional_headers.x-litellm-attempted-retries", under: "litellm", meaning: trace.Ordinal, by: byTotal}, // litellm add_retry_fallback_headers.py
		{key: "metadata.max_retries", under: "litellm", limit: retryLimit},
		{key: "hidden_params.additional_headers.x-litellm-max-retries", under: "litellm", limit: retryLimit}, // litellm add_retry_fallback_headers.py
		{key: "x-litellm-max-retries", at: response, limit: retryLimit},                                      // litellm add_retry_fallback_headers.py
	},
	keys: []keyRow{
		{key: "litellm.call_id", models: true}, // litellm integrations/otel
		{key: "x-litellm-call-id", at: response},
	},
	scopes: []scopeRow{
		{prefix: "litellm", layer: trace.Gateway},
	},
	marks: []layerMark{
		{key: "litellm.call_id", layer: trace.Gateway}, // litellm integrations/otel
	},
	clients: []clientRow{
		{prefix: "litellm", name: "litellm", retries: true},
	},
}
