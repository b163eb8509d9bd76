package main

import (
	"regexp"
	"strings"
	"testing"

	"github.com/retryaudit/retryaudit/analyzer"
	"github.com/retryaudit/retryaudit/analyzer/policy"
	"github.com/retryaudit/retryaudit/analyzer/trace"
	"github.com/retryaudit/retryaudit/analyzer/tracetext"
	"github.com/retryaudit/retryaudit/rules"
)

// correction is a line of show that can be added to a policy.
var correction = regexp.MustCompile(`(?m)^ *to correct: (.*)$`)

// apart is what is taken for several calls.
const apart = `
0+9000    web: work                       ok
  10+100    -> up POST /items             503  input=a
  300+100   -> up POST /items             200  input=b
  600+100   -> up POST /rates             200
  900+100   -> up POST /rates             200
0+9000    up: POST /orders                503
0+9000    web: import                     ok
  10+100    -> up POST /things            503
  200+100   -> up POST /things            503
  390+100   -> up POST /things            503
`

// TestCorrections holds that each line that show prints of the recordings, and
// of calls that are taken for several, can be pasted as it is, and that it
// changes what it is about.
func TestCorrections(t *testing.T) {
	scene, err := tracetext.Parse(apart)
	if err != nil {
		t.Fatal(err)
	}
	stores := map[string]*trace.Store{"apart": scene.Store()}
	for path := range recordings(t) {
		stores[path] = load(t, path)
	}
	suite, n, joins := allRules(t), 0, 0
	for path, store := range stores {
		part := suite.Open(store)
		tried := map[string]bool{}
		for _, r := range suite.Requests(part) {
			before := string(drawRequest(r, nil))
			for _, m := range correction.FindAllStringSubmatch(before, -1) {
				if tried[m[1]] {
					continue // of a request like it
				}
				tried[m[1]] = true
				n++
				if strings.Contains(m[1], "retry: true") {
					joins++
				}
				p, err := policy.Read(strings.NewReader("version: 1\n"+m[1]+"\n"), policy.Name, rules.All())
				if err != nil {
					t.Errorf("%s: %s: %v", path, m[1], err)
					continue
				}
				after := string(drawRequest(same(t, suite.With(p.Settings).Requests(part), r), nil))
				if strings.Contains(m[1], "no list") && strings.Contains(after, "or a list: nothing shows that they ask for the same") {
					t.Errorf("%s: %s leaves a doubt in\n%s", path, m[1], after)
				}
				said := strings.Contains(after, "the policy says") || strings.Contains(after, ", NAME")
				if !said || correction.ReplaceAllString(after, "") == correction.ReplaceAllString(before, "") {
					t.Errorf("%s: %s changes nothing of\n%s", path, m[1], before)
				}
			}
		}
	}
	if n < 20 || joins != 2 {
		t.Errorf("tried %d lines, %d of which make one call of several, want 20 at least and 2", n, joins)
	}
}

// same returns the request that has the first trace of another.
func same(t *testing.T, all []*trace.Request, as *trace.Request) *trace.Request {
	t.Helper()
	for _, r := range all {
		if r.Traces[0] == as.Traces[0] {
			return r
		}
	}
	t.Fatalf("no request has the trace %s", as.Traces[0])
	return nil
}

// TestCorrectionsOfOddNames holds that names are quoted where YAML would read
// something else.
func TestCorrectionsOfOddNames(t *testing.T) {
	for _, name := range []string{"plain", "null", "No", "a: b", "- a", "{a}", "#1", "a #b", `a"b\c`, "tab\there", "zwei\nZeilen", "1", "1e3", "*x", "&x", "größe", " a "} {
		var e entry
		e.add("service", name)
		e = append(e, "retry: false")
		p, err := policy.Read(strings.NewReader("version: 1\ncalls: [{"+strings.Join(e, ", ")+"}]"), policy.Name, []analyzer.Rule{})
		if err != nil {
			t.Errorf("%q: %v", name, err)
		} else if got := p.Settings.Calls[0].Service; got != name {
			t.Errorf("%q is read as %q", name, got)
		}
	}
}
