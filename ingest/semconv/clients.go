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

// clientRows: the user agents of the Stainless SDKs ("OpenAI/JS 6.49.0",
// "AsyncOpenAI/Python 1.90.0"; openai-python _base_client.py, openai-node
// src/client.ts, openai-go requestconfig.go) and of the HTTP clients. A longer
// prefix stands before a shorter one.
var clientRows = []clientRow{
	{"openai/js", "openai-node", true, false},
	{"openai/node", "openai-node", true, false},
	{"openai/python", "openai-python", true, false},
	{"asyncopenai/python", "openai-python", true, false},
	{"azureopenai/js", "openai-node", true, false},
	{"azureopenai/python", "openai-python", true, false},
	{"asyncazureopenai/python", "openai-python", true, false},
	{"openai/go", "openai-go", true, false},
	{"openai/java", "openai-java", true, false},
	{"openaiclientimpl/java", "openai-java", true, false}, // openai-java ClientOptions.kt
	{"openaiclientasyncimpl/java", "openai-java", true, false},
	{"openai/ruby", "openai-ruby", true, false},
	{"openai::client/ruby", "openai-ruby", true, false}, // openai-ruby base_client.rb
	{"openai/.net", "openai-dotnet", true, false},
	{"anthropic/js", "anthropic-sdk-typescript", true, false},
	{"anthropic/python", "anthropic-sdk-python", true, false},
	{"asyncanthropic/python", "anthropic-sdk-python", true, false},
	{"anthropicbedrock/", "anthropic-sdk", true, false},
	{"anthropicvertex/", "anthropic-sdk", true, false},
	{"anthropic/go", "anthropic-sdk-go", true, false},
	{"anthropic/java", "anthropic-sdk-java", true, false},
	{"anthropicclientimpl/java", "anthropic-sdk-java", true, false},
	{"anthropicclientasyncimpl/java", "anthropic-sdk-java", true, false},
	{"anthropic/ruby", "anthropic-sdk-ruby", true, false},
	{"anthropic::client/ruby", "anthropic-sdk-ruby", true, false},
	{"groq/python", "groq-python", true, false},
	{"asyncgroq/python", "groq-python", true, false},
	{"groq/js", "groq-typescript", true, false},
	{"together/python", "together-python", true, false},
	{"asynctogether/python", "together-python", true, false},
	{"together/js", "together-typescript", true, false},
	{"cohere-ai", "cohere-ai", true, false},
	{"cohere", "cohere", true, false},
	{"stripe/v1", "stripe", true, false},
	{"ai-sdk/", "ai-sdk", true, false},
	{"ai/", "ai-sdk", true, false},
	{"langchainjs-openai", "langchainjs-openai", true, true}, // @langchain/openai: maxRetries 0 for the client,
	{"google-genai-sdk", "google-genai", false, false},
	{"aws-sdk-go-v2", "aws-sdk-go-v2", true, false},
	{"aws-sdk-go", "aws-sdk-go", true, false},
	{"aws-sdk-js", "aws-sdk-js", true, false},
	{"aws-sdk-java", "aws-sdk-java", true, false},
	{"aws-sdk-rust", "aws-sdk-rust", true, false},
	{"boto3", "boto3", true, false},
	{"botocore", "botocore", true, false},
	{"azsdk-python-", "azure.core", true, false},
	{"azsdk-net-", "Azure.Core", true, false},
	{"azsdk-js-", "@azure/core-rest-pipeline", true, false},
	{"azsdk-go-", "azcore", true, false},
	{"azsdk-", "azure-sdk", true, false},
	{"axios", "axios", false, false},
	{"got ", "got", true, false},
	{"got/", "got", true, false},
	{"node-fetch", "node-fetch", false, false},
	{"node", "node-fetch", false, false}, // the fetch of Node.js itself says "node"
	{"undici", "undici", false, false},
	{"python-requests", "python-requests", false, false},
	{"python-httpx", "python-httpx", false, false},
	{"python-urllib3", "urllib3", false, false},
	{"python/", "aiohttp", false, false}, // "Python/3.12 aiohttp/3.9.5"
	{"go-http-client", "Go-http-client", false, false},
	{"go-retryablehttp", "go-retryablehttp", true, false},
	{"grpc-go", "grpc-go", false, false},
	{"grpc-java", "grpc-java", false, false},
	{"grpc-node", "grpc-node", false, false},
	{"grpc-python", "grpc-python", false, false},
	{"okhttp", "okhttp", false, false},
	{"apache-httpclient", "apache-httpclient", false, false},
	{"java-http-client", "java-http-client", false, false},
	{"reactornetty", "reactor-netty", false, false},
	{"reqwest", "reqwest", false, false},
	{"curl", "curl", false, false},
	{"faraday", "faraday", false, false},
	{"guzzlehttp", "guzzle", false, false},
	{"litellm", "litellm", true, false},
	{"claude-cli", "claude-code", true, false},
	{"geminicli", "gemini-cli", true, false},
	{"codex_cli_rs", "codex", true, false},
	{"kube-probe", "kube-probe", false, false},
}

// clientFacts is what a user agent tells.
type clientFacts struct {
	name    trace.Sym
	retries bool
	wraps   bool
}

// clientSpanRows: the published convention (design, section 9), by which a
// sender names who repeats its attempts.
var clientSpanRows = []row{
	{key: "retry.owner", to: retryOwner},
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
