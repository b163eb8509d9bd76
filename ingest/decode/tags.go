package decode

import (
	"strings"

	"github.com/retryaudit/retryaudit/ingest/record"
)

// Tag files a tag of a format that has nothing but tags: the names by which
// OpenTelemetry's exporters carry a span's own fields there become these
// fields again (specification, "Mapping to non-OTLP formats"; the older names
// of OpenTracing), all others attributes.
func Tag(s *record.Span, key string, v record.Value) {
	switch key {
	case "span.kind":
		if k := Kind(Text(&v)); k != 0 {
			s.Kind = k
			return
		}
	case "otel.status_code":
		s.Status = Status(Text(&v))
		return
	case "otel.status_description":
		s.StatusMessage = Text(&v)
		return
	case "otel.scope.name", "otel.library.name":
		s.Scope = Text(&v)
		return
	case "otel.scope.version", "otel.library.version":
		s.ScopeVersion = Text(&v)
		return
	case "w3c.tracestate":
		s.TraceState = Text(&v)
		return
	case "internal.span.format":
		return
	case "error":
		// A boolean, its text, or what went wrong.
		if text := Text(&v); !strings.EqualFold(text, "false") && v.Type != record.Empty {
			if s.Status == record.Unset {
				s.Status = record.Error
			}
			if !strings.EqualFold(text, "true") && text != "" {
				break
			}
		}
		return
	}
	s.Attrs = append(s.Attrs, record.Attr{Key: key, Value: v})
}
