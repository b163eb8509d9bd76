package semconv

import (
	"strings"

	"github.com/retryaudit/retryaudit/analyzer/trace"
)

// A clientRow gives the name of a client library as its user agent begins.
type clientRow struct {
	prefix string // lower case
	name   string
	// retries says that the library retries by default (attributes.md 4.2).
	retries bool
	// wraps says that the library drives another client and tells it not to
	// retry: numbers in the headers are of that client.
	wraps bool
}

// clientFacts is what a user agent tells.
type clientFacts struct {
	name    trace.Sym
	retries bool
	wraps   bool
}

// declaredOwner returns what a span says of the library that repeats it. A
// word for a layer names no library.
func (n *Normalizer) declaredOwner(name string, agent clientFacts) clientFacts {
	for l := trace.Transport; l <= trace.User; l++ {
		if strings.EqualFold(name, l.String()) {
			return agent
		}
	}
	return clientFacts{name: n.store.Sym(scrub(name)), retries: true}
}

// client returns the canonical name of the library that a user agent names,
// and whether it retries by default.
func (n *Normalizer) client(ua string) clientFacts {
	if ua == "" {
		return clientFacts{}
	}
	if f, ok := n.clients[ua]; ok {
		return f
	}
	lower := strings.ToLower(ua)
	var name string
	var known clientRow
	for _, r := range clientRows {
		if strings.HasPrefix(lower, r.prefix) {
			name, known = r.name, r
			break
		}
	}
	if name == "" {
		name, _, _ = strings.Cut(lower, " ")
		name, _, _ = strings.Cut(name, "/")
	}
	return remember(n.clients, strings.Clone(ua), clientFacts{n.store.Sym(scrub(name)), known.retries, known.wraps})
}
