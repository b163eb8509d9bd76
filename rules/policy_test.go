package rules_test

import (
	"strings"
	"testing"

	"github.com/retryaudit/retryaudit/analyzer"
	"github.com/retryaudit/retryaudit/analyzer/tracetext"
	"github.com/retryaudit/retryaudit/rules"
)

// The SDK declares three attempts; the gateway made two of more that it may make.
const oneRetried = `
0+3000     agent: invoke_agent support                 ok   layer=agent
  10+2000    agent: generateText                       ok   layer=sdk model=gpt task=generate max=3
    20+1900      -> gateway POST /v1/chat              200  ask="model generate"
      30+1880      gateway: POST /v1/chat              200  ask="model generate" layer=gateway
        40+100       -> provider POST /v1/chat         503  ask="model generate"
        900+100      -> provider POST /v1/chat         200  ask="model generate"
`

// The queue declares three; what the client in it does is its library's default.
const byDefault = `
0+3000     worker: process mail                        ok   layer=queue kind=consumer job=7 max=3
  10+500     -> api.openai.com POST /v1/chat           200  ask="model generate" agent=openai-node
`

// Nothing tells that the application has a loop.
const noLoop = `
0+3000     web: checkout                               ok
  10+900     -> gateway POST /v1/pay                   200
    20+880     gateway: POST /v1/pay                   200  layer=gateway max=3
      40+100     -> bank POST /v1/pay                  200
`

// TestCapsOfThePolicy holds which cap counts: a span's before the policy's,
// that before a default, and what was made where it was more.
func TestCapsOfThePolicy(t *testing.T) {
	capped := func(layer string, n int64) analyzer.OwnerSetting {
		return analyzer.OwnerSetting{Layer: layer, MaxAttempts: n}
	}
	for _, test := range []struct {
		name, scene string
		owners      []analyzer.OwnerSetting
		want        string // beginning of the message; empty: no finding
		caps        [][2]int64
	}{
		{"nothing said", oneRetried, nil, "sdk 3 × gateway 2: 6 ", [][2]int64{{3, 0}, {2, 0}}},
		{"more than it made", oneRetried, []analyzer.OwnerSetting{capped("gateway", 5)}, "sdk 3 × gateway 5 (the policy): 15 ", [][2]int64{{3, 0}, {0, 5}}},
		{"less than it made", oneRetried, []analyzer.OwnerSetting{capped("gateway", 1)}, "sdk 3 × gateway 2: 6 ", [][2]int64{{3, 0}, {2, 0}}},
		{"a span says otherwise", oneRetried, []analyzer.OwnerSetting{capped("sdk", 9)}, "sdk 3 × gateway 2: 6 ", [][2]int64{{3, 0}, {2, 0}}},
		{"another upstream", oneRetried, []analyzer.OwnerSetting{{Layer: "gateway", Upstream: "bank", MaxAttempts: 9}}, "sdk 3 × gateway 2: 6 ", [][2]int64{{3, 0}, {2, 0}}},
		{"a default", byDefault, nil, "queue 3 × sdk 3 (its default): 9 ", [][2]int64{{3, 0}, {0, 0}}},
		{"instead of a default", byDefault, []analyzer.OwnerSetting{capped("sdk", 4)}, "queue 3 × sdk 4 (the policy): 12 ", [][2]int64{{3, 0}, {0, 4}}},
		{"turned off", byDefault, []analyzer.OwnerSetting{capped("sdk", 1)}, "", nil},
		{"no loop", noLoop, nil, "", nil},
		{"a loop that nothing shows", noLoop, []analyzer.OwnerSetting{capped("app", 2)}, "app 2 (the policy) × gateway 3: 6 ", [][2]int64{{0, 2}, {3, 0}}},
	} {
		scene, err := tracetext.Parse(test.scene)
		if err != nil {
			t.Fatal(err)
		}
		suite, err := analyzer.NewSuite(rules.NewLatentAmplification())
		if err != nil {
			t.Fatal(err)
		}
		suite = suite.With(analyzer.Settings{Owners: test.owners})
		part := suite.Open(scene.Store())
		suite.Seal(part)
		found := suite.Report(part).Findings
		if test.want == "" {
			if len(found) > 0 {
				t.Errorf("%s: found %q", test.name, found[0].Message)
			}
			continue
		}
		if len(found) != 1 || len(found[0].Message) < len(test.want) || found[0].Message[:len(test.want)] != test.want {
			t.Errorf("%s: found %+v, want %q", test.name, found, test.want)
			continue
		}
		for i, o := range found[0].Owners {
			if o.DeclaredMax != test.caps[i][0] || o.PolicyMax != test.caps[i][1] {
				t.Errorf("%s: %s declared %d, policy %d, want %v", test.name, o.Layer, o.DeclaredMax, o.PolicyMax, test.caps[i])
			}
		}
	}
}

// Three attempts of the agent, two of the SDK in each.
const multiplied = `
0+9000     agent: invoke_agent sum                     fail layer=agent
  10+2000    agent: chat                               fail layer=sdk model=gpt
    20+900       -> provider POST /v1/chat             503  ask="model generate"
    940+900      -> provider POST /v1/chat             503  ask="model generate"
  2100+2000  agent: chat                               fail layer=sdk model=gpt
    2120+900     -> provider POST /v1/chat             503  ask="model generate"
    3040+900     -> provider POST /v1/chat             503  ask="model generate"
`

// TestKeepOfThePolicy holds that the first setting that fits names the owner
// that keeps its retries, and of two that it fits the inner one.
func TestKeepOfThePolicy(t *testing.T) {
	for _, test := range []struct {
		keep []string // layers, in the order of the file
		want string
	}{
		{nil, "keep the retries of sdk in agent (the closest to the upstream; none is known to read Retry-After)"},
		{[]string{"gateway"}, "keep the retries of sdk in agent (the closest to the upstream; none is known to read Retry-After)"},
		{[]string{"agent"}, "keep the retries of agent in agent (as the policy says)"},
		{[]string{"sdk", "agent"}, "keep the retries of sdk in agent (as the policy says)"},
		{[]string{"agent", "sdk"}, "keep the retries of agent in agent (as the policy says)"},
		{[]string{"*"}, "keep the retries of sdk in agent (as the policy says)"},
	} {
		scene, err := tracetext.Parse(multiplied)
		if err != nil {
			t.Fatal(err)
		}
		suite, err := analyzer.NewSuite(rules.NewMultiplicativeRetries())
		if err != nil {
			t.Fatal(err)
		}
		var set analyzer.Settings
		for _, layer := range test.keep {
			set.Owners = append(set.Owners, analyzer.OwnerSetting{Layer: layer, Keep: true})
		}
		suite = suite.With(set)
		part := suite.Open(scene.Store())
		suite.Seal(part)
		found := suite.Report(part).Findings
		if len(found) != 1 || !strings.HasPrefix(found[0].Advice, test.want) {
			t.Errorf("%v: found %+v, want %q", test.keep, found, test.want)
			continue
		}
		for _, o := range found[0].Owners {
			if o.Keep != strings.HasPrefix(found[0].Advice, "keep the retries of "+o.Layer) {
				t.Errorf("%v: %s keeps: %v", test.keep, o.Layer, o.Keep)
			}
		}
	}
}
