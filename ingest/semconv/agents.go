package semconv

// agentRows: agent frameworks and coding agents beyond the GenAI conventions.
var agentRows = []row{
	{key: "mcp.method.name", to: operation}, // semantic-conventions-genai MCP
	{key: "langsmith.span.kind", to: spanKind},
	{key: "langsmith.request.streaming", to: streaming},
	{key: "langsmith.trace.session_id", to: session},
	{key: "langsmith.span.tags", to: runTags}, // langsmith-sdk _otel_exporter.py
	{key: "langsmith.metadata.ls_provider", to: provider},
	{key: "langsmith.metadata.ls_model_name", to: model},
	{key: "pydantic_ai.tool.deferral.name", to: deferral}, // pydantic-ai _instrumentation.py
	{key: "agent_name", to: agentName},                    // pydantic-ai models/instrumented.py
	{key: "model_name", to: model, under: "chat "},        // the same
	{key: "all_messages_events", to: input},
	{key: "pydantic_ai.all_messages", to: input},
	{key: "tool_arguments", to: toolArgs},
	{key: "gcp.vertex.agent.llm_request", to: input}, // adk-python telemetry/tracing.py
	{key: "gcp.vertex.agent.tool_call_args", to: toolArgs},
	{key: "gcp.vertex.agent.session_id", to: session},
	{key: "spring.ai.tool.name", to: tool},
	{key: "haystack.component.name", to: step},
	{key: "node.id", to: step, under: "core.app.workflow."}, // dify core/app/workflow/layers
	{key: "dify.node.id", to: step},
	{key: "anthropic.message.stop_reason", to: finish},      // Anthropic SDK native
	{key: "stop_reason", to: finish, under: "claude_code."}, // Claude Code monitoring
	{key: "model", to: model, under: "claude_code."},
	{key: "ttft_ms", to: firstMillis, under: "claude_code."},
	{key: "tool_name", to: tool, under: "claude_code."},
	{key: "input_tokens", to: inTokens, under: "claude_code."},
	{key: "output_tokens", to: outTokens, under: "claude_code."},
	{key: "request.type", to: operation, under: "retry.attempt."}, // bifrost core/bifrost.go
	{key: "request.type", to: operation, under: "llm.call"},
	{key: "request.type", to: operation, under: "fallback."},
	{key: "request.type", to: operation, under: "bifrost"},
	{key: "gen_ai.response.time_to_first_token", to: firstNanos}, // bifrost core/schemas/trace.go
	{key: "conversation.id", to: session},                        // codex otel/src/events
}
