package semconv

import (
	"strconv"
	"strings"

	otel "go.opentelemetry.io/otel/semconv/v1.43.0"

	"github.com/retryaudit/retryaudit/analyzer/trace"
)

// httpFamily: HTTP semantic conventions 1.43 and, behind each name, what it was
// called from 1.0 on (semantic-conventions schemas; model/http, model/url,
// model/server, model/network).
var httpFamily = family{
	rank: 10,
	rows: []row{
		{key: otel.HTTPRequestMethodKey, to: method},
		{key: "http.method", to: method},
		{key: otel.HTTPResponseStatusCodeKey, to: status},
		{key: "http.status_code", to: status}, // Envoy, Kong: as a string
		{key: otel.HTTPRouteKey, to: route},
		{key: otel.URLTemplateKey, to: route},
		{key: otel.URLFullKey, to: fullURL},
		{key: "http.url", to: fullURL},
		{key: otel.URLPathKey, to: path},
		{key: otel.URLQueryKey, to: query},
		{key: "http.target", to: target},
		{key: otel.ServerAddressKey, to: serverAddress},
		{key: otel.ServerPortKey, to: serverPort},
		// On old server spans net.peer.* meant the client.
		{key: "net.peer.name", to: peerName, on: sender | internal},
		{key: "net.peer.port", to: peerPort, on: sender | internal},
		{key: "net.host.name", to: peerName, on: receiver},
		{key: "net.host.port", to: peerPort, on: receiver},
		{key: "http.server_name", to: peerName, on: receiver},
		{key: "http.host", to: hostHeader},
		{key: otel.NetworkPeerAddressKey, to: networkPeer, on: sender | internal},
		{key: otel.NetworkPeerPortKey, to: networkPort, on: sender | internal},
		{key: "net.sock.peer.addr", to: networkPeer, on: sender | internal},
		{key: "net.sock.peer.port", to: networkPort, on: sender | internal},
		{key: "net.peer.ip", to: networkPeer, on: sender | internal},
		{key: otel.UserAgentOriginalKey, to: userAgent},
		{key: "http.user_agent", to: userAgent},
		{key: "user-agent", to: userAgent, at: request},
		{key: otel.HTTPRequestBodySizeKey, to: bodySize},
		{key: "http.request_content_length", to: bodySize},
		{key: "http.request_content_length_uncompressed", to: bodySize},
		{key: "content-length", to: bodySize, at: request},
		{key: "http.request.body.content", to: bodyText}, // semantic-conventions main, opt-in
	},
	counters: []counterRow{
		{key: "http.request.resend_count", meaning: trace.Ordinal, resends: true, by: byResend}, // semantic-conventions http
		{key: "http.resend_count", meaning: trace.Ordinal, resends: true, by: byResend},         // schemas/1.15.0
		{key: "http.retry_count", meaning: trace.Ordinal, resends: true, by: byResend},          // before
	},
	keys: []keyRow{
		{key: "x-request-id", at: request, kind: trace.RequestKey},
		{key: "x-client-request-id", at: request, kind: trace.RequestKey},
		{key: "x-correlation-id", at: request, kind: trace.RequestKey},
		{key: "x-request-id", at: response, kind: trace.RequestKey, dir: trace.Answered},
		{key: "request-id", at: response, kind: trace.RequestKey, dir: trace.Answered},
		{key: "idempotency-key", at: request, kind: trace.IdempotencyKey},   // IETF draft, Stripe, Stainless SDKs
		{key: "x-idempotency-key", at: request, kind: trace.IdempotencyKey}, //
	},
	delays: []delayRow{
		{key: "retry-after", at: response, unit: seconds},                                            // RFC 9110
		{key: "x-ratelimit-reset", at: response, unit: full, turn: 1, left: "x-ratelimit-remaining"}, // OpenRouter, Moonshot, GitHub
		{key: "ratelimit-reset", at: response, unit: full, turn: 1, left: "ratelimit-remaining"},     // IETF draft, Kong, APISIX
		{key: "ratelimit", at: response, unit: limits},                                               // IETF draft
		{key: "x-ratelimit-remaining", at: response, unit: remaining},
		{key: "ratelimit-remaining", at: response, unit: remaining},
	},
}

// A modelRoute is the end of the path of a request that asks a model, whatever
// stands before it: gateways add prefixes.
type modelRoute struct {
	suffix string
	within string // must stand somewhere before; empty: nothing need
	task   task
	stream bool
}

// task is what a model is asked for; its text is the identity of the request.
type task string

// The tasks of models.
const (
	generate task = "model generate"
	embed    task = "model embed"
	rerank   task = "model rerank"
	image    task = "model image"
	audio    task = "model audio"
	moderate task = "model moderate"
)

// modelRoutes: the API references of the providers.
var modelRoutes = []modelRoute{
	{suffix: "/chat/completions", task: generate}, // OpenAI; Azure: /openai/deployments/X/chat/completions
	{suffix: "/completions", task: generate},
	{suffix: "/v1/responses", task: generate},
	{suffix: "/openai/responses", task: generate}, // Azure
	{suffix: "/v1/messages", task: generate},      // Anthropic
	{suffix: ":generateContent", task: generate},  // Gemini, Vertex
	{suffix: ":streamGenerateContent", task: generate, stream: true},
	{suffix: ":rawPredict", within: "/publishers/", task: generate}, // Claude on Vertex
	{suffix: ":streamRawPredict", within: "/publishers/", task: generate, stream: true},
	{suffix: "/converse", within: "/model/", task: generate}, // Bedrock
	{suffix: "/converse-stream", within: "/model/", task: generate, stream: true},
	{suffix: "/invoke", within: "/model/", task: generate},
	{suffix: "/invoke-with-response-stream", within: "/model/", task: generate, stream: true},
	{suffix: "/api/chat", task: generate}, // Ollama
	{suffix: "/api/generate", task: generate},
	{suffix: "/v1/chat", task: generate}, // Cohere
	{suffix: "/v2/chat", task: generate},
	{suffix: "/generation", within: "/services/aigc/", task: generate}, // DashScope
	{suffix: "/embeddings", task: embed},
	{suffix: "/v1/embed", task: embed}, // Cohere
	{suffix: "/v2/embed", task: embed},
	{suffix: "/api/embed", task: embed}, // Ollama
	{suffix: ":embedContent", task: embed},
	{suffix: ":batchEmbedContents", task: embed},
	{suffix: "/text-embedding", within: "/services/embeddings/", task: embed}, // DashScope
	{suffix: "/rerank", task: rerank},
	{suffix: "/images/generations", task: image},
	{suffix: "/images/edits", task: image},
	{suffix: "/images/variations", task: image},
	{suffix: "/audio/speech", task: audio},
	{suffix: "/audio/transcriptions", task: audio},
	{suffix: "/audio/translations", task: audio},
	{suffix: "/v1/moderations", task: moderate},
}

// modelSegments stand before the model's name in a path: Bedrock, Gemini and
// Vertex, Azure.
var modelSegments = []string{"/model/", "/models/", "/deployments/"}

// A pathEnd is the end of a path that says what the request is for.
type pathEnd struct {
	suffix string
	flag   trace.Flags
}

var pathEnds = []pathEnd{
	{"/healthz", trace.Health}, // Kubernetes
	{"/readyz", trace.Health},
	{"/livez", trace.Health},
	{"/health", trace.Health},
	{"/health/live", trace.Health}, // MicroProfile Health
	{"/health/ready", trace.Health},
	{"/health/liveliness", trace.Health}, // LiteLLM proxy
	{"/health/readiness", trace.Health},
	{"/actuator/health", trace.Health}, // Spring Boot
	{"/-/healthy", trace.Health},       // Prometheus
	{"/-/ready", trace.Health},
	{"/healthcheck", trace.Health},
	{"/health_check", trace.Health},
	{"/getUpdates", trace.LongPoll}, // Telegram Bot API
	{"/longpoll", trace.LongPoll},
	{"/long-poll", trace.LongPoll},
	{"/long_poll", trace.LongPoll},
}

// longPollQueries are query parameters with which a server holds its answer
// back: Kubernetes watches, Consul blocking queries.
var longPollQueries = []string{"watch=true", "watch=1", "index="}

// readMethods: RFC 9110 section 9.2.1 (safe methods) and WebDAV's PROPFIND.
var readMethods = map[string]bool{"GET": true, "HEAD": true, "OPTIONS": true, "TRACE": true, "PROPFIND": true}

// pathFacts is what the path of a request tells.
type pathFacts struct {
	clean string // without secrets
	task  task
	model trace.Sym
	flags trace.Flags
}

func (n *Normalizer) pathFacts(p string) pathFacts {
	if f, ok := n.paths[p]; ok {
		return f
	}
	p = strings.Clone(p)
	f := pathFacts{clean: scrubPath(p)}
	end := strings.TrimSuffix(p, "/")
	for _, r := range modelRoutes {
		if !strings.HasSuffix(end, r.suffix) || !strings.Contains(end, r.within) {
			continue
		}
		f.task = r.task
		if r.stream {
			f.flags |= trace.Streaming
		}
		f.model = n.store.Sym(modelInPath(end))
		break
	}
	for _, e := range pathEnds {
		if strings.HasSuffix(end, e.suffix) {
			f.flags |= e.flag
		}
	}
	return remember(n.paths, p, f)
}

func modelInPath(p string) string {
	for _, s := range modelSegments {
		if i := strings.LastIndex(p, s); i >= 0 {
			name := p[i+len(s):]
			if end := strings.IndexAny(name, "/:"); end >= 0 {
				name = name[:end]
			}
			return name
		}
	}
	return ""
}

// splitURL returns the authority without user and password, the path and the
// query of an absolute or relative URL. The fragment is dropped.
func splitURL(u string) (host, p, q string) {
	if i := strings.IndexByte(u, '#'); i >= 0 {
		u = u[:i]
	}
	if i := strings.IndexByte(u, '?'); i >= 0 {
		u, q = u[:i], u[i+1:]
	}
	i := strings.Index(u, "://")
	if i < 0 {
		return "", u, q
	}
	u = u[i+3:]
	if i = strings.IndexByte(u, '/'); i >= 0 {
		u, p = u[:i], u[i:]
	} else {
		p = "/"
	}
	return u[strings.LastIndexByte(u, '@')+1:], p, q
}

// splitPort parts "host:port"; the port is 0 where there is none.
func splitPort(hostport string) (host string, port int64) {
	i := strings.LastIndexByte(hostport, ':')
	if i < 0 || strings.IndexByte(hostport, ':') != i && hostport[i-1] != ']' {
		return hostport, 0 // no port, or an IPv6 address without brackets
	}
	port, err := strconv.ParseInt(hostport[i+1:], 10, 32)
	if err != nil {
		return hostport, 0
	}
	return hostport[:i], port
}

// addresses are the pairs of attributes that name the callee, best first.
var addresses = []struct{ host, port field }{
	{serverAddress, serverPort},
	{peerName, peerPort},
	{fullURL, none},
	{hostHeader, none},
	{upstreamName, none},
	{proxyPeer, none},
	{baseURL, none},
	{peerService, none},
	{networkPeer, networkPort},
	{networkPeer, peerPort},
}

// address returns host and port of the callee, the port 0 where it is unknown
// or the scheme's own.
func (n *Normalizer) address() (host string, port int64) {
	for _, a := range addresses {
		s := text(n.at[a.host])
		if s == "" {
			continue
		}
		switch a.host {
		case fullURL, baseURL:
			s, _, _ = splitURL(s)
		case upstreamName:
			s = clusterHost(s)
		}
		host, port = splitPort(s)
		if p, ok := integer(n.at[a.port]); ok && port == 0 {
			port = p
		}
		if host != "" && (port != 0 || a.port != networkPort) {
			break
		}
	}
	if port == 0 && host != "" {
		if u := text(n.at[fullURL]); u != "" {
			u, _, _ = splitURL(u)
			if h, p := splitPort(u); h == host {
				port = p
			}
		}
	}
	if port == 80 || port == 443 || port < 0 {
		port = 0
	}
	return host, port
}

type hostPort struct {
	host string
	port int64
}

func (n *Normalizer) addressSym() trace.Sym {
	var a hostPort
	if a.host, a.port = n.address(); a.host == "" {
		return 0
	}
	if y, ok := n.addresses[a]; ok {
		return y
	}
	a.host = strings.Clone(a.host)
	s := a.host
	if a.port != 0 {
		if strings.IndexByte(s, ':') >= 0 && s[0] != '[' {
			s = "[" + s + "]"
		}
		s += ":" + strconv.FormatInt(a.port, 10)
	}
	return remember(n.addresses, a, n.store.Sym(scrub(s)))
}

// requestPath returns the path of an HTTP span and its query.
func (n *Normalizer) requestPath() (p, q string) {
	p, q = text(n.at[path]), text(n.at[query])
	if p == "" {
		if t := text(n.at[target]); t != "" {
			_, p, q = splitURL(t)
		}
	}
	if u := text(n.at[fullURL]); u != "" && (p == "" || q == "") {
		_, up, uq := splitURL(u)
		if p == "" {
			p = up
		}
		if q == "" {
			q = uq
		}
	}
	return p, strings.TrimPrefix(q, "?")
}

// kindOf returns the kind of the record's span. One that says not what it is,
// and tells of a request to a whole URL and of its answer, is a client: so are
// the spans of fetch in some frameworks and what converters make of other
// formats. Handlers in a server tell of a route, or of a path alone.
func (n *Normalizer) kindOf() trace.Kind {
	kind := min(n.record.Kind, trace.Consumer)
	if kind > trace.Internal {
		return kind
	}
	verb, target, answer := false, false, false
	for i := range n.record.Attrs {
		a := &n.record.Attrs[i]
		switch a.Key {
		case "http.request.method", "http.method":
			verb = true
		case "url.full", "http.url":
			target = strings.Contains(text(&a.Value), "://")
		case "http.response.status_code", "http.status_code", "error.type":
			answer = true
		case "http.route":
			return kind
		}
	}
	if verb && target && answer {
		return trace.Client
	}
	return kind
}

// isHTTP reports whether the span tells of one HTTP request.
func (n *Normalizer) isHTTP() bool {
	return n.at[method] != nil || n.at[fullURL] != nil && n.kind&(client|server) != 0
}

type verbPath struct{ verb, path string }

// httpAsk fills in what an HTTP span wants. ask is false where the span has a
// better identity already.
func (n *Normalizer) httpAsk(ask bool) {
	p, q := n.requestPath()
	verb := text(n.at[method])
	f := n.pathFacts(p)
	n.span.Flags |= f.flags
	if readMethods[verb] {
		n.span.Flags |= trace.ReadOnly
	}
	for _, s := range longPollQueries {
		if q != "" && strings.Contains(q, s) {
			n.span.Flags |= trace.LongPoll
		}
	}
	if f.task == "" {
		if r := text(n.at[route]); r != "" {
			f = n.pathFacts(r)
			f.model = 0
			n.span.Flags |= f.flags
		}
	}
	asks := f.task != "" && !readMethods[verb]
	if asks {
		if n.model == 0 {
			n.model = f.model
		}
		if n.span.Layer == trace.LayerUnknown {
			n.span.Layer = trace.Transport
		}
	} else if q != "" {
		n.span.ArgsHash = n.hash(q)
	}
	if !ask {
		return
	}
	if asks {
		n.asksModel(f.task)
		return
	}
	key := verbPath{verb, p}
	if r := text(n.at[route]); r != "" {
		if key.path, _, _ = strings.Cut(r, "?"); key.path != p && p != "" {
			n.span.ArgsHash = n.hash(p + "?" + q) // what the template stands for
		}
	}
	y, ok := n.verbPaths[key]
	if !ok {
		key = verbPath{strings.Clone(key.verb), strings.Clone(key.path)}
		y = remember(n.verbPaths, key, n.store.Sym(strings.TrimSpace(key.verb+" "+scrubPath(key.path))))
	}
	n.span.Ask = y
}
