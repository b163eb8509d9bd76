package semconv

import (
	"strings"

	"github.com/retryaudit/retryaudit/analyzer/trace"
)

// A scopeRow gives the layer of an instrumentation scope.
type scopeRow struct {
	prefix string
	layer  trace.Layer
	whole  bool // the prefix is all of the scope's name
}

// A layerMark is an attribute by which a layer is recognised whose scope is
// missing, or is a name that the user chose.
type layerMark struct {
	key   string
	value string // empty: any
	layer trace.Layer
}

func coversCall(scope string) bool {
	for _, prefix := range callScopes {
		if strings.HasPrefix(scope, prefix) {
			return true
		}
	}
	return false
}

// scopeLayer returns the layer of a scope, LayerUnknown for one of the
// application's own.
func (n *Normalizer) scopeLayer(scope string) trace.Layer {
	if scope == "" {
		return trace.LayerUnknown
	}
	if l, ok := n.scopes[scope]; ok {
		return l
	}
	scope = strings.Clone(scope)
	layer := trace.LayerUnknown
	for _, r := range scopeRows {
		if rest, ok := strings.CutPrefix(scope, r.prefix); ok && endsWord(r.prefix, rest) && (rest == "" || !r.whole) {
			layer = r.layer
			break
		}
	}
	return remember(n.scopes, scope, layer)
}

// endsWord reports whether prefix ends where a word of the scope's name does:
// "ai" is not the beginning of "airtable".
func endsWord(prefix, rest string) bool {
	if rest == "" || !isLetter(lowerByte(prefix[len(prefix)-1])) {
		return true
	}
	return !isLetter(lowerByte(rest[0]))
}
