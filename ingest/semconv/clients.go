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
}

// clientRows: the user agents of the Stainless SDKs ("OpenAI/JS 6.49.0",
// "AsyncOpenAI/Python 1.90.0"; openai-python _base_client.py, openai-node
// src/client.ts, openai-go requestconfig.go) and of the HTTP clients. A longer
// prefix stands before a shorter one.
var clientRows = []clientRow{
	{"openai/js", "openai-node", true},
	{"openai/node", "openai-node", true},
	{"openai/python", "openai-python", true},
	{"asyncopenai/python", "openai-python", true},
	{"azureopenai/js", "openai-node", true},
	{"azureopenai/python", "openai-python", true},
	{"asyncazureopenai/python", "openai-python", true},
	{"openai/go", "openai-go", true},
	{"openai/java", "openai-java", true},
	{"openai/ruby", "openai-ruby", true},
	{"openai/.net", "openai-dotnet", true},
	{"anthropic/js", "anthropic-sdk-typescript", true},
	{"anthropic/python", "anthropic-sdk-python", true},
	{"asyncanthropic/python", "anthropic-sdk-python", true},
	{"anthropicbedrock/", "anthropic-sdk", true},
	{"anthropicvertex/", "anthropic-sdk", true},
	{"anthropic/go", "anthropic-sdk-go", true},
	{"anthropic/java", "anthropic-sdk-java", true},
	{"anthropic/ruby", "anthropic-sdk-ruby", true},
	{"groq/python", "groq-python", true},
	{"groq/js", "groq-typescript", true},
	{"together/python", "together-python", true},
	{"ai-sdk/", "ai-sdk", true},
	{"ai/", "ai-sdk", true},
	{"langchainjs-openai", "langchainjs-openai", true},
	{"google-genai-sdk", "google-genai", false},
	{"aws-sdk-go-v2", "aws-sdk-go-v2", true},
	{"aws-sdk-go", "aws-sdk-go", true},
	{"aws-sdk-js", "aws-sdk-js", true},
	{"aws-sdk-java", "aws-sdk-java", true},
	{"aws-sdk-rust", "aws-sdk-rust", true},
	{"boto3", "boto3", true},
	{"botocore", "botocore", true},
	{"azsdk-", "azure-sdk", true},
	{"axios", "axios", false},
	{"got ", "got", true},
	{"got/", "got", true},
	{"node-fetch", "node-fetch", false},
	{"node", "node-fetch", false}, // the fetch of Node.js itself says "node"
	{"undici", "undici", false},
	{"python-requests", "python-requests", false},
	{"python-httpx", "python-httpx", false},
	{"python-urllib3", "urllib3", false},
	{"python/", "aiohttp", false}, // "Python/3.12 aiohttp/3.9.5"
	{"go-http-client", "Go-http-client", false},
	{"go-retryablehttp", "go-retryablehttp", true},
	{"grpc-go", "grpc-go", false},
	{"grpc-java", "grpc-java", false},
	{"grpc-node", "grpc-node", false},
	{"grpc-python", "grpc-python", false},
	{"okhttp", "okhttp", false},
	{"apache-httpclient", "apache-httpclient", false},
	{"java-http-client", "java-http-client", false},
	{"reactornetty", "reactor-netty", false},
	{"reqwest", "reqwest", false},
	{"curl", "curl", false},
	{"faraday", "faraday", false},
	{"guzzlehttp", "guzzle", false},
	{"litellm", "litellm", true},
	{"claude-cli", "claude-code", true},
	{"codex_cli_rs", "codex", true},
	{"kube-probe", "kube-probe", false},
}

// clientFacts is what a user agent tells.
type clientFacts struct {
	name    trace.Sym
	retries bool
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
	name, retries := "", false
	for _, r := range clientRows {
		if strings.HasPrefix(lower, r.prefix) {
			name, retries = r.name, r.retries
			break
		}
	}
	if name == "" {
		name, _, _ = strings.Cut(lower, " ")
		name, _, _ = strings.Cut(name, "/")
	}
	return remember(n.clients, strings.Clone(ua), clientFacts{n.store.Sym(scrub(name)), retries})
}
