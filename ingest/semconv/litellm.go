package semconv

// litellmRows: StandardLoggingPayload of LiteLLM (litellm/types/utils.py), as
// ingest/litellm reads it.
var litellmRows = []row{
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
}
