package semconv

import (
	"strings"
	"testing"
	"time"

	"github.com/retryaudit/retryaudit/analyzer/trace"
	"github.com/retryaudit/retryaudit/ingest/record"
)

// TestRows holds that no row hides behind an equal one.
func TestRows(t *testing.T) {
	seen := map[row]bool{}
	for _, r := range rows {
		if r.to == none || seen[r] {
			t.Errorf("%s: field %d twice or not at all", r.key, r.to)
		}
		seen[r] = true
	}
	for name, run := range attributes.runs {
		if name == "" || strings.ContainsAny(name, " \t") {
			t.Errorf("%q: no attribute name", name)
		}
		for a := run.from; a < run.to; a++ {
			for b := a + 1; b < run.to; b++ {
				if attributes.entries[a] == attributes.entries[b] {
					t.Errorf("%s: twice in one table", name)
				}
			}
		}
	}
	filled := map[field]bool{}
	for _, r := range rows {
		filled[r.to] = true
	}
	for f := none + 1; f < fields; f++ {
		if !filled[f] {
			t.Errorf("field %d: no row fills it", f)
		}
	}
}

// TestHash holds that hashes are those of every other process and version:
// parts of reports made apart are merged by them.
func TestHash(t *testing.T) {
	n := New(trace.NewStore(), Key{})
	str := func(s string) *record.Value { return &record.Value{Type: record.String, S: s} }
	structured := &record.Value{Type: record.Map, Map: []record.Attr{
		{Key: "b", Value: record.Value{Type: record.List, List: []record.Value{{Type: record.Int, I: 1}, {Type: record.Bool, B: true}}}},
		{Key: "a", Value: *str("x\"y")},
	}}
	for _, c := range []struct {
		value *record.Value
		want  uint64
	}{
		{str(`{"a":"x\"y","b":[1,true]}`), 0x5e6674ceba75bf0b},
		{str("{ \"b\": [1, true],\n \"a\": \"x\\\"y\" }"), 0x5e6674ceba75bf0b},
		{structured, 0x5e6674ceba75bf0b},
		{str(`{"a":1,"a":2}`), 0}, // not canonical, but hashed
		{str("plain"), 0},
	} {
		got := n.hashArgs(c.value)
		if c.want != 0 && got != c.want || got == 0 {
			t.Errorf("%+v: got %#x, want %#x", *c.value, got, c.want)
		}
	}
	if n.hash("") != 0 || n.hash("a") == n.hash("b") {
		t.Error("hash of nothing, or no hash")
	}
	keyed, again := New(trace.NewStore(), KeyOf("secret")), New(trace.NewStore(), KeyOf("secret"))
	if keyed.hash("a") == n.hash("a") || keyed.hash("a") != again.hash("a") {
		t.Error("the key changes nothing, or itself")
	}
}

func TestScrub(t *testing.T) {
	for s, want := range map[string]string{
		"POST /v1/chat":                                        "POST /v1/chat",
		"call sk-abcdefghij0123456789 now":                     "call *** now",
		"Bearer abcdefgh":                                      "Bearer ***",
		"key=abcdef":                                           "key=***",
		"a?api_key=abcdef1&b=1":                                "a?api_key=***&b=1",
		"eyJhbGciOiJIUzI1NiJ9.x":                               "***.x",
		"3f2504e0-4f89-11d3-9a0c-0305e82c3301":                 "3f2504e0-4f89-11d3-9a0c-0305e82c3301",
		"ProvisionedThroughputExceededException":               "ProvisionedThroughputExceededException",
		"Gemini25ProFreeTierRequestsPerDayProject":             "Gemini25ProFreeTierRequestsPerDayProject",
		"/bot123456789:AAHdqTcvCH1vGWJxfSeofSAs0K/sendMessage": "/***:***/sendMessage",
		"token bucket":                                         "token bucket",
		"schlüssel: wort":                                      "schlüssel: wort",
	} {
		if got := scrub(s); got != want {
			t.Errorf("%q: got %q, want %q", s, got, want)
		}
	}
}

func TestStripOrdinal(t *testing.T) {
	for _, c := range []struct {
		name, bare    string
		ordinal, most int32
	}{
		{"retry.attempt.2", "retry.attempt", 1, -1},
		{"attempt 1", "attempt", 0, -1},
		{"attempt 0", "attempt", 0, -1},
		{"Attempt #3 of 5", "Attempt", 2, 5},
		{"call (try 2/3)", "call (try)", 1, 3},
		{"process(retry-1)", "process(retry)", 1, -1},
		{"retry3", "retry", 3, -1},
		{"country 5", "country 5", -1, -1},
		{"attempt 20260101120000", "attempt 20260101120000", -1, -1},
		{"attempts 3", "attempts 3", -1, -1},
		{"Attempt.pkg.Svc.M", "Attempt.pkg.Svc.M", -1, -1},
		{"worker-17", "worker-17", -1, -1},
		{"attempt 2x", "attempt 2x", -1, -1},
		{"", "", -1, -1},
	} {
		bare, ordinal, most := stripOrdinal(c.name)
		if bare != c.bare || ordinal != c.ordinal || most != c.most {
			t.Errorf("%q: got %q %d %d, want %q %d %d", c.name, bare, ordinal, most, c.bare, c.ordinal, c.most)
		}
	}
}

func TestDelay(t *testing.T) {
	when := time.Date(2026, 10, 21, 7, 28, 0, 0, time.UTC).UnixNano()
	for _, c := range []struct {
		s    string
		unit delayUnit
		want trace.Asked
	}{
		{"30", seconds, trace.Asked{State: trace.For, D: 30 * time.Second}},
		{"0", seconds, trace.Asked{State: trace.For}},
		{"1.5", seconds, trace.Asked{State: trace.For, D: 1500 * time.Millisecond}},
		{"6m0s", seconds, trace.Asked{State: trace.For, D: 6 * time.Minute}},
		{"PT1M30S", seconds, trace.Asked{State: trace.For, D: 90 * time.Second}},
		{"Wed, 21 Oct 2026 07:28:00 GMT", seconds, trace.Asked{State: trace.Until, At: when}},
		{"Wednesday, 21-Oct-26 07:28:00 GMT", seconds, trace.Asked{State: trace.Until, At: when}},
		{"2026-10-21T07:28:00Z", seconds, trace.Asked{State: trace.Until, At: when}},
		{"-1", seconds, trace.Asked{State: trace.Unusable}},
		{"1e30", seconds, trace.Asked{State: trace.Unusable}},
		{"NaN", seconds, trace.Asked{State: trace.Unusable}},
		{"soon", seconds, trace.Asked{State: trace.Unusable}},
		{"", seconds, trace.Asked{State: trace.Unusable}},
		{"P1Y", seconds, trace.Asked{State: trace.Unusable}},
		{"1200.5", millis, trace.Asked{State: trace.For, D: 1200500 * time.Microsecond}},
		{"1500", pushback, trace.Asked{State: trace.For, D: 1500 * time.Millisecond}},
		{"-1", pushback, trace.Asked{State: trace.Never}},
		{"x", pushback, trace.Asked{State: trace.Never}},
		{"false", verdict, trace.Asked{State: trace.Never}},
		{"true", verdict, trace.Asked{}},
	} {
		if got := parseDelay(c.s, c.unit); got != c.want {
			t.Errorf("%q: got %+v, want %+v", c.s, got, c.want)
		}
	}
	n := New(trace.NewStore(), Key{})
	for text, want := range map[string]time.Duration{
		"please try again in 1.2s. contact us": 1200 * time.Millisecond,
		"try again in 6m0s":                    6 * time.Minute,
		"try again in 20ms":                    20 * time.Millisecond,
		"please retry in 46.076115687s.":       46076115687,
		"try again in 5 seconds. passed model": 5 * time.Second,
		"retry after 20":                       20 * time.Second,
		`{"retrydelay": "46s"}`:                46 * time.Second,
		"try again in 1h2m":                    62 * time.Minute,
		"try again in 1 minute 30 seconds":     90 * time.Second,
	} {
		if got := n.askedInText(text); got.State != trace.For || got.D != want {
			t.Errorf("%q: got %+v, want %s", text, got, want)
		}
	}
	for _, text := range []string{"try again in a few minutes", "try again in ", "try again later", "try again in 1e99s", "retry in 5 attempts"} {
		if got := n.askedInText(text); got.State != trace.Absent {
			t.Errorf("%q: got %+v, want none", text, got)
		}
	}
}

func TestGRPCTimeout(t *testing.T) {
	for s, want := range map[string]time.Duration{
		"5S": 5 * time.Second, "500m": 500 * time.Millisecond, "1H": time.Hour, "7u": 7 * time.Microsecond,
		"": 0, "S": 0, "x5S": 0, "99999999H": 0, "123456789S": 0,
	} {
		if got := grpcTimeout(s); got != want {
			t.Errorf("%q: got %s, want %s", s, got, want)
		}
	}
}

func TestGRPCCode(t *testing.T) {
	for s, want := range map[string]string{
		"14": "UNAVAILABLE", "UNAVAILABLE": "UNAVAILABLE", "unavailable": "UNAVAILABLE", "DeadlineExceeded": "DEADLINE_EXCEEDED",
		"deadline_exceeded": "DEADLINE_EXCEEDED", "canceled": "CANCELLED", "0": "OK", "17": "", "-1": "", "x": "", "": "",
	} {
		if got := grpcCode(s); got != want {
			t.Errorf("%q: got %q, want %q", s, got, want)
		}
	}
}

func TestAgent(t *testing.T) {
	store := trace.NewStore()
	n := New(store, Key{})
	for ua, want := range map[string]string{
		"OpenAI/JS 6.49.0": "openai-node", "AsyncOpenAI/Python 1.90.0": "openai-python", "Anthropic/JS 1.14.0": "anthropic-sdk-typescript",
		"ai/6.0.326 ai-sdk/provider-utils/4.0.66 runtime/node.js/v20.20.2": "ai-sdk", "axios/1.21.1": "axios", "node": "node-fetch",
		"python-requests/2.32": "python-requests", "Go-http-client/1.1": "Go-http-client", "okhttp/4.12": "okhttp",
		"aws-sdk-go-v2/1.48.0 os/linux": "aws-sdk-go-v2", "MyApp/1.0 (x)": "myapp", "": "",
	} {
		if got := store.Text(n.client(ua).name); got != want {
			t.Errorf("%q: got %q, want %q", ua, got, want)
		}
	}
}

func TestInstance(t *testing.T) {
	for _, c := range []struct {
		resource []record.Attr
		want     string
	}{
		{resource("service.name", "a", "service.instance.id", "i-1", "host.name", "h"), "i-1"},
		{resource("service.name", "a", "host.name", "h", "process.pid", "17"), "a|h|17"},
		{resource("service.name", "a", "k8s.pod.name", "p"), "a|p"},
		{resource("service.name", "a"), "a"},
		{nil, ""},
	} {
		store := trace.NewStore()
		New(store, Key{}).Add(&record.Span{Resource: c.resource}, 0)
		if got := store.Text(store.Spans[0].Instance); got != c.want {
			t.Errorf("%v: got %q, want %q", c.resource, got, c.want)
		}
	}
}

func resource(pairs ...string) []record.Attr {
	var all []record.Attr
	for i := 0; i < len(pairs); i += 2 {
		all = append(all, record.Attr{Key: pairs[i], Value: record.Value{Type: record.String, S: pairs[i+1]}})
	}
	return all
}

// TestForgets holds that a record does not depend on the one before.
func TestForgets(t *testing.T) {
	first := parseRecord(t, strings.Split(benchRecords[1], "\n"))
	second := parseRecord(t, []string{"internal work"})
	store := trace.NewStore()
	n := New(store, Key{})
	n.Add(first, 0)
	n.Add(second, 0)
	if got, want := describe(store, &store.Spans[1]), normalised(second); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestMemory holds that unique strings do not make the memos grow for ever.
func TestMemory(t *testing.T) {
	n := New(trace.NewStore(), Key{})
	for i := range maxMemo + 10 {
		remember(n.clients, strings.Repeat("x", i%7)+time.Duration(i).String(), clientFacts{})
	}
	if len(n.clients) > maxMemo {
		t.Errorf("%d remembered, at most %d wanted", len(n.clients), maxMemo)
	}
}

func FuzzAdd(f *testing.F) {
	f.Add("exception.message", `429 {"error":{"code":"x","message":"try again in 1.2s"}}`, "attempt 2", uint8(3))
	f.Add("url.full", "http://u:p@h:80/a?b#c", "GET /", uint8(2))
	f.Add("http.response.header.retry-after", "PT1M", "x", uint8(3))
	f.Add("hidden_params", `{"model_id": "x`, "litellm_request", uint8(1))
	f.Add("server.address", "[::1]:80", "Sent.a.b", uint8(9))
	f.Add("rpc.method", "/a/b/c", "bot1234567890", uint8(3))
	f.Fuzz(func(t *testing.T, key, value, name string, kind uint8) {
		attrs := []record.Attr{{Key: key, Value: record.Value{Type: record.String, S: value}}}
		for _, k := range []string{"error.message", "gen_ai.tool.call.arguments", "error.type", "url.full", "user_agent.original"} {
			attrs = append(attrs, record.Attr{Key: k, Value: record.Value{Type: record.String, S: value}})
		}
		store := trace.NewStore()
		n := New(store, Key{})
		r := &record.Span{Kind: trace.Kind(kind), Name: name, Scope: value, Status: record.Error, StatusMessage: value, Attrs: attrs}
		n.Add(r, 0)
		n.Add(r, 0)
		a, b := store.Spans[0], store.Spans[1]
		if a.Facts, b.Facts = 0, 0; a != b {
			t.Errorf("the same record twice: %+v and %+v", a, b)
		}
	})
}

// benchRecords are the most frequent records of a trace of agents: an HTTP
// client, its server, the call of an SDK, a tool.
var benchRecords = []string{
	`server POST
  scope @opentelemetry/instrumentation-http
  http.request.method = POST
  url.scheme = http
  url.path = /v1/chat/completions
  server.address = 127.0.0.1
  server.port = 8081
  client.address = 127.0.0.1
  network.peer.address = 127.0.0.1
  network.peer.port = 41116
  network.protocol.version = "1.1"
  user_agent.original = OpenAI/JS 6.49.0
  http.response.status_code = 200`,
	`client POST
  scope @opentelemetry/instrumentation-undici
  status error
  http.request.method = POST
  http.request.method_original = POST
  url.full = http://127.0.0.1:8081/v1/chat/completions
  url.path = /v1/chat/completions
  url.scheme = http
  server.address = 127.0.0.1
  server.port = 8081
  network.peer.address = 127.0.0.1
  network.peer.port = 8081
  network.protocol.version = "1.1"
  user_agent.original = OpenAI/JS 6.49.0
  http.request.header.x-stainless-retry-count = ["0"]
  http.response.status_code = 503
  error.type = "503"`,
	`client chat gpt-4o
  scope @traceloop/instrumentation-openai
  gen_ai.operation.name = chat
  gen_ai.provider.name = openai
  gen_ai.request.model = gpt-4o
  gen_ai.input.messages = [{"role":"user"}]
  gen_ai.response.id = chatcmpl-1
  gen_ai.response.finish_reasons = ["stop"]
  gen_ai.usage.input_tokens = 34
  gen_ai.usage.output_tokens = 12`,
	`internal ai.toolCall
  scope ai
  ai.operationId = ai.toolCall
  ai.toolCall.name = get_weather
  ai.toolCall.args = {"city":"Lyon"}`,
}

func BenchmarkAdd(b *testing.B) {
	var all []*record.Span
	for _, text := range benchRecords {
		r := parseRecord(b, strings.Split(text, "\n"))
		r.Resource = resource("service.name", "agent", "host.name", "h-1", "process.pid", "17", "telemetry.sdk.language", "nodejs")
		all = append(all, r)
	}
	b.ReportAllocs()
	var n *Normalizer
	for i := 0; b.Loop(); i++ {
		if i%(1<<16) == 0 { // a fresh store: growing one measures the store
			n = New(trace.NewStore(), Key{})
		}
		n.Add(all[i%len(all)], 0)
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "spans/s")
}

// TestLongStacks holds that a stack trace is read up to a bound.
func TestLongStacks(t *testing.T) {
	frame := "\n    at async pRetry (file:///srv/node_modules/p-retry/index.js:197:19)"
	long := strings.Repeat("\n    at f (/srv/app.js:1:1)", maxStack/20)
	for text, want := range map[string]int{"Error: no" + frame + long: 1, "Error: no" + long + frame: 0} {
		store := trace.NewStore()
		New(store, Key{}).Add(&record.Span{Name: "x", Start: 1, End: 2, Attrs: []record.Attr{{
			Key: "exception.stacktrace", Value: record.Value{Type: record.String, S: text},
		}}}, 0)
		if got := len(store.Spans) - 1 + int(store.Spans[0].Facts); got != want {
			t.Errorf("%d bytes: %d rows of facts, want %d", len(text), got, want)
		}
	}
}
