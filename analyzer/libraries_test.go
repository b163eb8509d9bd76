package analyzer_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/retryaudit/retryaudit/analyzer"
	"github.com/retryaudit/retryaudit/analyzer/trace"
)

// TestOwnersAreNamedByStacks resolves the owners that made further attempts.
// The parts of a scene, each with traces of its own, are merged in every order.
func TestOwnersAreNamedByStacks(t *testing.T) {
	tests := []struct {
		name  string
		parts []string
		want  []string
	}{
		{"the caller's span names the library below it", []string{`
0+3000      app: charge              fail stack=p-retry
  10+100      -> up GET /a           503
  300+100     -> up GET /a           503
  900+100     -> up GET /a           503
`}, []string{"app 3: p-retry"}},
		{"so does the span of an attempt, which is below the loop", []string{`
0+3000      app: charge              fail
  10+100      -> up GET /a           503 stack=resilience4j
  300+100     -> up GET /a           503 stack=resilience4j
`}, []string{"app 2: resilience4j"}},
		{"unless the stack trace ends with that span", []string{`
0+3000      app: charge              fail
  10+100      -> up GET /a           503 within=tenacity
  300+100     -> up GET /a           503 within=tenacity
`}, []string{"app 2: "}},
		{"one that ends with the caller's span names what is below", []string{`
0+9000      app: charge              fail
  10+2000     app: step pay          fail ask="tool pay" within=tenacity
    20+100      -> up GET /a         503
    300+100     -> up GET /a         503
    900+100     -> up GET /a         503
  3010+2000   app: step pay          fail ask="tool pay" within=tenacity
    3020+100    -> up GET /a         503
    3300+100    -> up GET /a         503
    3900+100    -> up GET /a         503
`}, []string{"app 2: ", "app 3: tenacity"}},
		{"a client is no proof", []string{`
0+3000      app: charge              fail stack=got
  10+100      -> up GET /a           503
  300+100     -> up GET /a           503
`}, []string{"app 2: "}},
		{"a client within what repeats it", []string{`
0+3000      app: charge              fail stack=got,p-retry
  10+100      -> up GET /a           503
  300+100     -> up GET /a           503
`}, []string{"app 2: p-retry"}},
		{"nobody repeated the call", []string{`
0+3000      app: charge              fail stack=p-retry
  10+100      -> up GET /a           503
`}, nil},
		{"nearest to the failure, nearest to the wire", []string{`
0+9000      app: charge              fail stack=backoff,tenacity
  10+2000     app: step pay          fail ask="tool pay"
    20+100      -> up GET /a         503
    300+100     -> up GET /a         503
    900+100     -> up GET /a         503
  3010+2000   app: step pay          fail ask="tool pay"
    3020+100    -> up GET /a         503
    3300+100    -> up GET /a         503
    3900+100    -> up GET /a         503
`}, []string{"app 2: tenacity", "app 3: backoff"}},
		{"one library and two loops: whose it is nobody knows", []string{`
0+9000      app: charge              fail stack=tenacity
  10+2000     app: step pay          fail ask="tool pay"
    20+100      -> up GET /a         503
    300+100     -> up GET /a         503
  3010+2000   app: step pay          fail ask="tool pay"
    3020+100    -> up GET /a         503
    3300+100    -> up GET /a         503
`}, []string{"app 2: ", "app 2: "}},
		{"what is known otherwise takes its own library", []string{`
0+9000      app: ask                 fail layer=agent stack=langchainjs,p-retry
  10+2000     app: generateText      fail layer=sdk model=gpt task=generate
    20+100      -> up POST /v1       503 agent=langchainjs-openai attempt=0 ask="model generate"
    300+100     -> up POST /v1       503 agent=langchainjs-openai attempt=1 ask="model generate"
  3010+2000   app: generateText      fail layer=sdk model=gpt task=generate
    3020+100    -> up POST /v1       503 agent=langchainjs-openai attempt=0 ask="model generate"
    3300+100    -> up POST /v1       503 agent=langchainjs-openai attempt=1 ask="model generate"
`}, []string{"agent 2: p-retry", "sdk 2: langchainjs-openai"}},
		{"spans that say who repeats them are believed", []string{`
0+3000      app: charge              fail stack=p-retry
  10+100      -> up GET /a           503 agent=our-retry retries attempt=0
  300+100     -> up GET /a           503 agent=our-retry retries attempt=1
`}, []string{"sdk 2: our-retry"}},
		{"requests disagree", []string{`
0+3000      app: charge              fail stack=p-retry
  10+100      -> up GET /a           503
  300+100     -> up GET /a           503
`, `
0+3000      app: charge              fail stack=async-retry
  10+100      -> up GET /a           503
  300+100     -> up GET /a           503
`, `
0+3000      app: charge              fail stack=p-retry
  10+100      -> up GET /a           503
  300+100     -> up GET /a           503
`}, []string{"app 2: async-retry or p-retry"}},
		{"one request names it for those that healed, another operation does not", []string{`
0+3000      app: charge              fail stack=p-retry
  10+100      -> up GET /a           503
  300+100     -> up GET /a           503
`, `
0+3000      app: charge              ok
  10+100      -> up GET /a           503
  300+100     -> up GET /a           200

10000+3000  app: refund              ok
  10010+100   -> up GET /b           503
  10300+100   -> up GET /b           200
`}, []string{"app 2: ", "app 2: p-retry"}},
		{"a queue owns the runs of a job, not what a run repeats", []string{`
0+900       worker: process pay      fail layer=queue job=7 stack=sidekiq
  20+100      -> up GET /a           503
  300+100     -> up GET /a           503
  600+100     -> up GET /a           503

5000+900    worker: process pay      fail layer=queue job=7 stack=sidekiq
  5020+100    -> up GET /a           503
  5300+100    -> up GET /a           503
  5600+100    -> up GET /a           503
`}, []string{"app 3: queue", "queue 2: sidekiq"}},
		{"a stack trace ends with the process", []string{`
0+3000      app: charge              fail stack=p-retry
  10+2000     -> shop POST /pay      500
    20+1900     shop: POST /pay      500
      30+100      -> up GET /a       503
      300+100     -> up GET /a       503
`}, []string{"app 2: "}},
		{"the program of a gateway", []string{`
0+3000      gate: POST /v1           200 stack=portkey ask="model generate"
  10+100      -> up POST /v1         503 ask="model generate"
  300+100     -> up POST /v1         200 ask="model generate"
`}, []string{"gateway 2: portkey"}},
		{"what passes nothing on is no gateway", []string{`
0+3000      shop: POST /pay          200 stack=portkey
  10+100      -> up POST /v1         503
  300+100     -> up POST /v1         200
`}, []string{"app 2: "}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := suite(t)
			for turn := range len(tt.parts) {
				order := append(slices.Clone(tt.parts[turn:]), tt.parts[:turn]...)
				if got := ownersOf(t, s, order...); !slices.Equal(got, tt.want) {
					t.Errorf("-want +got:\n%s", cmp.Diff(tt.want, got))
				}
			}
		})
	}
}

// ownersOf seals the parts apart, merges them, and returns the owners that
// repeated a call.
func ownersOf(t *testing.T, s *analyzer.Suite, texts ...string) []string {
	t.Helper()
	most := map[analyzer.Owner]int64{}
	var parts []*analyzer.Part
	for i, text := range texts {
		st := store(t, strings.TrimLeft(text, "\n"))
		for j := range st.Spans {
			st.Spans[j].Trace[0] = byte(i)
		}
		for r := range trace.Build(st, trace.Options{}).Requests() {
			for c := range r.Calls() {
				if c.Count() > 1 {
					o := analyzer.Owner{Layer: c.Owner.Layer.String(), Service: r.Text(c.Owner.Service), Library: r.Text(c.Owner.Library), Operation: r.Text(c.Owner.Op)}
					most[o] = max(most[o], c.Count())
				}
			}
		}
		p := s.Open(st)
		s.Seal(p)
		parts = append(parts, p)
	}
	all, err := s.Merge(parts...)
	if err != nil {
		t.Fatal(err)
	}
	owners := all.Owners()
	var got []string
	for o, n := range most {
		owners.Resolve(&o)
		got = append(got, fmt.Sprintf("%s %d: %s", o.Layer, n, o.Library))
	}
	slices.Sort(got)
	return got
}

// TestPolicyNamesOwners takes the word of a policy before that of a stack trace.
func TestPolicyNamesOwners(t *testing.T) {
	const scene = `0+3000      app: charge              fail stack=p-retry
  10+100      -> up GET /a           503
  300+100     -> up GET /a           503
  700+100     -> up GET /a           503
`
	for library, want := range map[string]string{"our-retry": "our-retry", "": "p-retry"} {
		really := analyzer.OwnerSetting{Service: "app"}
		really.As.Layer, really.As.Library = trace.App, library
		s := suite(t, share{}).With(analyzer.Settings{Owners: []analyzer.OwnerSetting{really}})
		p := s.Open(store(t, scene))
		s.Seal(p)
		if got := s.Report(p).Findings[0].Owners[0].Library; got != want {
			t.Errorf("as %q: %q, want %q", library, got, want)
		}
	}
}

// TestClientsThatMayRetryApart names both settings where a client's own
// retries would have left the same spans as a loop around it.
func TestClientsThatMayRetryApart(t *testing.T) {
	const scope = "go.opentelemetry.io/contrib/instrumentation/google.golang.org/grpc/otelgrpc"
	tests := map[string]string{
		"scope=" + scope: "retryPolicy.maxAttempts in the gRPC service config, which counts the first, or the retry loop",
		"agent=axios":    "retries of axios-retry, or the interceptor around axios, or the retry loop",
		"stack=got":      "retry.limit of got, or the retry loop",
		"agent=curl":     "the retry loop",
		"":               "the retry loop",
	}
	for what, want := range tests {
		s := suite(t)
		p := s.Open(store(t, strings.ReplaceAll(`0+3000      app: charge   fail
  10+100      -> up.Do  503 @
  300+100     -> up.Do  503 @
`, "@", what)))
		s.Seal(p)
		o := analyzer.Owner{Layer: "app", Service: "app", Operation: "charge"}
		if p.Owners().Resolve(&o); !strings.HasPrefix(o.Setting, want) || o.Library != "" {
			t.Errorf("%s: library %q, setting %q", what, o.Library, o.Setting)
		}
	}
}
