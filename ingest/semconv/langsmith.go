package semconv

import "github.com/retryaudit/retryaudit/analyzer/trace"

// langsmithFamily: LangSmith's exporter (langsmith-sdk _otel_exporter.py).
var langsmithFamily = family{
	rank: 70,
	rows: []row{
		{key: "langsmith.span.kind", to: spanKind},
		{key: "langsmith.request.streaming", to: streaming},
		{key: "langsmith.trace.session_id", to: session},
		{key: "langsmith.span.tags", to: runTags},
		{key: "langsmith.metadata.ls_provider", to: provider},
		{key: "langsmith.metadata.ls_model_name", to: model},
	},
	events: map[string]eventUse{
		"new_token": chunkEvent,
	},
	scopes: []scopeRow{
		{prefix: "langsmith", layer: trace.SDK},
	},
}
