package analyzer

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

func TestKnobsSayWhatToChangeAndWhoSaysSo(t *testing.T) {
	for _, k := range Knobs() {
		if k.Library == "" || k.Setting == "" || k.Source == "" {
			t.Errorf("%q: setting %q, source %q", k.Library, k.Setting, k.Source)
		}
		if strings.HasPrefix(k.Source, "unchecked") && (k.Attempts != 0 || k.Value != "" || k.Default != "") {
			t.Errorf("%s: a default without a source", k.Library)
		}
		if layerSettings[k.Layer] == "" && k.Layer != "" {
			t.Errorf("%s: no layer is named %q", k.Library, k.Layer)
		}
		if line := k.String(); len([]rune(line)) > 150 {
			t.Errorf("%s: too long for a report line: %s", k.Library, line)
		}
		for _, text := range []string{k.Setting, k.Value, k.Off, k.Default, k.RetryAfter, k.Source} {
			if strings.ContainsAny(text, "\n\t\u2014") || strings.TrimSpace(text) != text || strings.HasSuffix(text, ".") {
				t.Errorf("%s: %q", k.Library, text)
			}
		}
	}
}

// Every name of every row must lead to that row.
func TestKnobsAreReachable(t *testing.T) {
	seen := map[[2]string]string{}
	for _, k := range Knobs() {
		for _, name := range append([]string{k.Library}, k.Also...) {
			if at := [2]string{name, k.Layer}; seen[at] != "" {
				t.Errorf("%q stands in the rows %s and %s", name, seen[at], k.Library)
			} else {
				seen[at] = k.Library
			}
			library := name
			if prefix, open := strings.CutSuffix(name, "*"); open {
				library = prefix + "~"
			}
			if got, ok := KnobOf(Owner{Library: library, Layer: k.Layer}); !ok || got.Library != k.Library || got.Layer != k.Layer {
				t.Errorf("%q of layer %q leads to the row %q, not to %q", name, k.Layer, got.Library, k.Library)
			}
		}
	}
}

var (
	attemptsCounted = regexp.MustCompile(`(\d+) attempts?\b`)
	retriesCounted  = regexp.MustCompile(`(\d+) retr(?:y|ies)\b`)
)

// The number of attempts, the value of the setting and the words must agree.
func TestKnobsAgreeWithThemselves(t *testing.T) {
	for _, k := range Knobs() {
		if strings.Contains(k.Setting, "default ") {
			t.Errorf("%s: the default stands in the setting: %s", k.Library, k.Setting)
		}
		value, err := strconv.Atoi(k.Value)
		switch {
		case k.Attempts == 0:
			if err == nil {
				t.Errorf("%s: the setting is %d, but the attempts are not known", k.Library, value)
			}
			continue
		case k.Default == "":
			t.Errorf("%s: %d attempts without a word on the default", k.Library, k.Attempts)
		case k.Value == "":
			if k.Attempts > 1 {
				t.Errorf("%s: %d attempts without a value of the setting", k.Library, k.Attempts)
			}
		case err != nil || value != k.Attempts && value != k.Attempts-1:
			t.Errorf("%s: the setting %q does not give %d attempts", k.Library, k.Value, k.Attempts)
		}
		if k.Attempts == 1 {
			continue // the text tells what a policy allows once it is there
		}
		n, counted := 0, false
		if m := retriesCounted.FindStringSubmatchIndex(k.Default); m != nil {
			n, counted = atoi(t, k.Default[m[2]:m[3]])+1, true
		}
		if m := attemptsCounted.FindStringSubmatchIndex(k.Default); m != nil && !counted {
			n, counted = atoi(t, k.Default[m[2]:m[3]]), true
		}
		if !counted || n != k.Attempts {
			t.Errorf("%s: %d attempts, but the text says: %s", k.Library, k.Attempts, k.Default)
		}
	}
}

func atoi(t *testing.T, s string) int {
	t.Helper()
	n, err := strconv.Atoi(s)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestKnobsAreACopy(t *testing.T) {
	a := Knobs()
	a[0].Setting = "changed"
	if Knobs()[0].Setting == "changed" {
		t.Error("a caller can change the table")
	}
	families := []string{"openai-node", "litellm", "got", "grpc-*", "opentelemetry.instrumentation.celery"}
	at := -1
	for _, first := range families {
		i := slices.IndexFunc(a, func(k Knob) bool { return k.Library == first })
		if i <= at {
			t.Errorf("%s is at %d, not after %d", first, i, at)
		}
		at = i
	}
}

func TestSetting(t *testing.T) {
	for _, c := range []struct{ layer, library, want string }{
		{"sdk", "openai-node", "maxRetries of the OpenAI client (default 2; 0 turns retries off)"},
		{"", "openai-node", "maxRetries of the OpenAI client (default 2; 0 turns retries off)"},
		{"sdk", "@traceloop/instrumentation-openai", "maxRetries of the OpenAI client (default 2; 0 turns retries off)"},
		{"sdk", "openai-python", "max_retries of the OpenAI client (default 2; 0 turns retries off)"},
		{"sdk", "opentelemetry.instrumentation.openai_v2", "max_retries of the OpenAI client (default 2; 0 turns retries off)"},
		{"sdk", "opentelemetry.instrumentation.openai.v1", "max_retries of the OpenAI client (default 2; 0 turns retries off)"},
		{"sdk", "openai-dotnet", "RetryPolicy of OpenAIClientOptions, a ClientRetryPolicy (default 3; maxRetries 0 turns retries off)"},
		{"sdk", "openai-rust", "the max retries option of the OpenAI client"},
		{"sdk", "openinference.instrumentation.openai_agents", "max_retries of the OpenAI client, or of retry in the agent's ModelSettings (default 2; 0 turns retries off)"},
		{"sdk", "anthropic-sdk-typescript", "maxRetries of the Anthropic client (default 2; 0 turns retries off)"},
		{"sdk", "com.anthropic.sdk.python.bedrock", "max_retries of the Anthropic client (default 2; 0 turns retries off)"},
		{"sdk", "com.anthropic.sdk.go", "option.WithMaxRetries of the Anthropic client (default 2; 0 turns retries off)"},
		{"sdk", "com.anthropic.sdk.cli", "the max retries option of the Anthropic client (default 2; 0 turns retries off)"},
		{"sdk", "ai", "maxRetries of generateText, streamText … (default 2; 0 turns retries off)"},
		{"sdk", "airtable", "the max retries option of the client library"},
		{"sdk", "langchainjs-openai", "maxRetries of the chat model, or stopAfterAttempt of withRetry around it (default 6; 0 turns retries off)"},
		{"sdk", "google-genai", "http_options.retry_options of the client (off by default; attempts 1 turns retries off)"},
		{"gateway", "litellm", "num_retries of the router or of the model group (default 2; 0 turns retries off)"},
		{"sdk", "litellm", "num_retries of completion, or of the router around it (0 turns retries off)"},
		{"gateway", "portkey", "retry.attempts of the Portkey config (off by default; 0 turns retries off)"},
		{"gateway", "@opentelemetry/instrumentation-http", "the gateway's own retries: retry.attempts in Portkey, num_retries in LiteLLM"},
		{"proxy", "", layerSettings["proxy"]},
		{"proxy", "nginx", "proxy_next_upstream_tries (default 0, no limit; proxy_next_upstream off turns retries off)"},
		{"proxy", "haproxy", "retries of the backend, with retry-on for what is retried (default 3; 0 turns retries off)"},
		{"proxy", "github.com/traefik/traefik", "attempts of the retry middleware"},
		{"proxy", "kong-internal", "retries of the Kong service (default 5; 0 turns retries off)"},
		{"sdk", "botocore", "total_max_attempts in retries of botocore's Config, or AWS_MAX_ATTEMPTS (default 5, the first included; 1 turns retries off)"},
		{"queue", "opentelemetry.instrumentation.boto3sqs", "maxReceiveCount in the redrive policy of the SQS queue"},
		{"queue", "@opentelemetry/instrumentation-aws-sdk", "maxReceiveCount in the redrive policy of the SQS queue"},
		{"sdk", "@opentelemetry/instrumentation-aws-sdk", "maxAttempts of the client, or AWS_MAX_ATTEMPTS (default 3, the first included; 1 turns retries off)"},
		{"sdk", "Azure.AI.OpenAI", "Retry.MaxRetries of the client's options (default 3; 0 turns retries off)"},
		{"queue", "Azure.Messaging.ServiceBus", "MaxDeliveryCount of the Service Bus queue or subscription"},
		{"queue", "OpenTelemetry::Instrumentation::Sidekiq", "sidekiq_options retry of the job (default 25; false turns retries off)"},
		{"workflow", "temporal-sdk-go", "MaximumAttempts in the activity's RetryPolicy (default unlimited; 1 turns retries off)"},
		{"workflow", "airflow", "retries of the task, or default_task_retries (off by default; 0 turns retries off)"},
		{"sdk", "python-httpx", "retries of the HTTPTransport (off by default; 0 turns retries off)"},
		{"app", "python-httpx", layerSettings["app"]},
		{"agent", "agent-runtime", layerSettings["agent"]},
		{"tool", "", layerSettings["tool"]},
		{"", "", ""},
		{"user", "", ""},
		{"", "agent-runtime", ""},
	} {
		if got := Setting(Owner{Layer: c.layer, Library: c.library}); got != c.want {
			t.Errorf("%s %s:\n got %s\nwant %s", cmp.Or(c.layer, "any layer"), c.library, got, c.want)
		}
	}
}

// The libraries that retry by default when a user agent names them
// (ingest/semconv/clients.go) all have a row.
func TestRetryingClientsHaveAKnob(t *testing.T) {
	for _, library := range strings.Fields(`openai-node openai-python openai-go openai-java openai-ruby openai-dotnet
		anthropic-sdk anthropic-sdk-typescript anthropic-sdk-python anthropic-sdk-go anthropic-sdk-java anthropic-sdk-ruby
		groq-python groq-typescript together-python ai-sdk langchainjs-openai aws-sdk-go-v2 aws-sdk-go aws-sdk-js aws-sdk-java
		aws-sdk-rust boto3 botocore azure-sdk got go-retryablehttp litellm claude-code codex`) {
		if k, ok := KnobOf(Owner{Layer: "sdk", Library: library}); !ok || k.Attempts == 1 {
			t.Errorf("%s: %v", library, k)
		}
	}
}
