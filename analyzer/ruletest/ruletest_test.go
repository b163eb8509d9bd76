package ruletest

import (
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/retryaudit/retryaudit/analyzer"
)

// again reports each call with more attempts than Allow and one.
type again struct {
	Allow int               `yaml:"allow"`
	Tools map[string]string `yaml:"tools"`
}

func (again) About() analyzer.About {
	return analyzer.About{ID: "again", Title: "a call was retried", Concern: analyzer.When, Severity: analyzer.Error, Since: "0.1"}
}

func (r again) Check(p *analyzer.Pass) {
	for c := range p.Request.Calls() {
		if len(c.Attempts) > r.Allow+1 {
			p.Report(analyzer.Diagnostic{Call: c, Text: fmt.Sprintf("%d attempts", len(c.Attempts))})
		}
	}
}

// crowd reports an upstream with many retries in all.
type crowd struct{}

func (crowd) About() analyzer.About {
	return analyzer.About{ID: "crowd", Title: "many retries", Concern: analyzer.When, Severity: analyzer.Error, Since: "0.1"}
}

func (crowd) Observe(p *analyzer.Pass) {
	for c := range p.Request.Calls() {
		for _, retry := range c.Retries() {
			p.Add(p.Cell(c.Upstream, c.Owner), retry.Start, 0, 1, nil)
		}
	}
}

func (crowd) Judge(_ analyzer.Cell, windows iter.Seq2[int64, *analyzer.Sums], p *analyzer.Judging) {
	n := int64(0)
	for _, s := range windows {
		n += s.Lanes[0]
	}
	if n >= 50 {
		p.Report(analyzer.Conclusion{Text: fmt.Sprintf("%d retries", n)})
	}
}

// moody says something else each time, as a rule with state would.
type moody struct{ asked *int }

func (moody) About() analyzer.About { return again{}.About() }

func (r moody) Check(p *analyzer.Pass) {
	for c := range p.Request.Calls() {
		if len(c.Attempts) > 1 {
			*r.asked++
			p.Report(analyzer.Diagnostic{Call: c, Text: fmt.Sprintf("%d attempts, asked %d times", len(c.Attempts), *r.asked)})
		}
	}
}

const retried = `0+900    web: POST /checkout   502
  10+80    -> payments.Charge  503
  190+80   -> payments.Charge  503
  470+80   -> payments.Charge  503
`

const quiet = "-- ok once --\n0+900 web: POST /checkout 200\n  10+80 -> payments.Charge 200\n"

// bad returns an archive with the scene above and a want at the end of a line.
func bad(line int, want string) string {
	all := strings.Split(retried, "\n")
	if want != "" {
		all[line-1] += "  // want `" + want + "`"
	}
	return "Two lines\nof prose.\n-- bad retried --\n" + strings.Join(all, "\n") + quiet
}

func TestCheck(t *testing.T) {
	for _, tt := range []struct {
		name, archive string
		rule          analyzer.Rule
		want          []string // beginnings of the failures
	}{
		{"a finding that is wanted", bad(3, `^3 attempts$`), again{}, nil},
		{"a finding with its weight", bad(3, `^certain error: 3 attempts$`), again{}, nil},
		{"another weight", bad(3, `likely error: 3 attempts`), again{}, []string{
			"a.txtar:6: bad retried: found [\"certain error: 3 attempts\"] there, wanted `likely error: 3 attempts`",
			`a.txtar:7: bad retried: found "3 attempts" on lines [1 2 3 4], by `,
		}},
		{"coverage", bad(3, "3") + "-- ok ran --\n0+1 web: op 200\n  0+1 -> up.Op 200\nwant coverage -> ran `^$`\n" +
			"-- ok blind --\n0+1 web: op ok layer=app\nwant coverage -> blind `no span asks`\n", again{}, nil},
		{"other coverage", bad(3, "3") + "-- ok ran --\n0+1 web: op 200\n  0+1 -> up.Op 200\nwant coverage -> partial `x`\n" +
			"-- ok blind --\n0+1 web: op ok layer=app\nwant coverage -> blind `too few`\n", again{}, []string{
			"a.txtar:14: ok ran: found coverage ran for the reason \"\", wanted partial `x`",
			"a.txtar:17: ok blind: found coverage blind for the reason \"no span asks anything of another service, a model or a tool\", wanted blind `too few`",
		}},
		{"wanted on another of its lines", bad(2, `3 attempts`), again{}, nil},
		{"wanted with another text", bad(3, `4 attempts`), again{}, []string{
			"a.txtar:6: bad retried: found [\"certain error: 3 attempts\"] there, wanted `4 attempts`",
			`a.txtar:7: bad retried: found "3 attempts" on lines [1 2 3 4], by `,
		}},
		{"a finding without a want", bad(0, "") + "-- bad more --\n" + retried + "0+1 web: op 200 // want `x`\n", again{}, []string{
			"a.txtar:3: bad retried: found no want, wanted one for each finding",
			"a.txtar:7: bad retried: found \"3 attempts\"",
			"a.txtar:16: bad more: found nothing there, wanted `x`",
			"a.txtar:15: bad more: found \"3 attempts\"",
		}},
		{"a want without a finding", bad(3, "3 attempts"), again{Allow: 9}, []string{
			"a.txtar:6: bad retried: found nothing there, wanted `3 attempts`",
		}},
		{"a finding in an ok section", bad(3, "3 attempts") + "-- ok retried --\n" + retried, again{}, []string{
			`a.txtar:15: ok retried: found "3 attempts" on lines [1 2 3 4], by `,
		}},
		{"a want in an ok section", bad(3, "3 attempts") + "-- ok wanted --\n0+1 web: op 200 // want `x`\n", again{}, []string{
			"a.txtar:12: ok wanted: found a want, wanted none in an ok section",
			"a.txtar:12: ok wanted: found nothing there, wanted `x`",
		}},
		{"an edge", "-- bad retried --\n" + retried + "want * -> payments `3`\nwant web -> payments.Charge `3`\nwant web -> * `3`\n" + quiet, again{}, nil},
		{"another edge", "-- bad retried --\n" + retried + "want * -> orders `3`\nwant shop -> * `3`\n" + quiet, again{}, []string{
			"a.txtar:6: bad retried: found nothing there, wanted `3`",
			"a.txtar:7: bad retried: found nothing there, wanted `3`",
			"a.txtar:5: bad retried: found \"3 attempts\"",
		}},
		{"an option", "-- bad retried --\n" + strings.Replace(retried, "470+80   -> payments.Charge  503", "470+80   -> payments.Charge  503 // want `3`", 1) +
			"-- ok allowed --\nset allow=2\n" + retried, again{}, nil},
		{"an unknown option", bad(3, "3 attempts") + "-- ok allowed --\nset alow=2\n" + retried, again{}, []string{
			`a.txtar:11: ok allowed: found "alow", want a known one such as "allow"`,
		}},
		{"an option of another type", bad(3, "3 attempts") + "-- ok allowed --\nset allow=many\n" + retried, again{}, []string{
			`a.txtar:11: ok allowed: found "many" for allow, want a whole number`,
		}},
		{"a broken scene", bad(3, "3 attempts") + "-- ok broken --\n0+1 web: op\n", again{}, []string{
			`a.txtar:11: ok broken: line 1: found no code after the operation`,
		}},
		{"an empty scene", bad(3, "3 attempts") + "-- ok empty --\n# nothing\n", again{}, []string{
			`a.txtar:11: ok empty: found no span, wanted a trace`,
		}},
		{"no ok section", "-- bad retried --\n" + strings.Replace(retried, "502\n", "502 // want `3`\n", 1), crowd{}, []string{
			"a.txtar:2: bad retried: found nothing there, wanted `3`",
			`a.txtar:5: found no section "ok NAME", wanted at least one`,
		}},
		{"another section", bad(3, "3 attempts") + "-- good one --\n" + quiet, again{}, []string{
			`a.txtar:11: good one: found this section, wanted "bad NAME" or "ok NAME"`,
			`a.txtar:12: ok once: found this section twice, wanted it once`,
		}},
		{"a fleet", "-- bad fleet --\ntrace x50 every 1ms\n0+900 job: run 503\n  10+80 -> feed.List 503\n  190+80 -> feed.List 503\nwant * -> feed.List `^50 retries$`\n" +
			"-- ok few --\ntrace x9 every 1ms\n0+900 job: run 503\n  10+80 -> feed.List 503\n  190+80 -> feed.List 503\n", crowd{}, nil},
		{"a fleet without its want", "-- bad fleet --\ntrace x50 every 1ms\n0+900 job: run 503\n  10+80 -> feed.List 503\n  190+80 -> feed.List 503\nwant * -> feed.List `60 retries`\n" +
			quiet, crowd{}, []string{
			"a.txtar:6: bad fleet: found [\"certain error: 50 retries\"] there, wanted `60 retries`",
			"a.txtar:1: bad fleet: found \"50 retries\" on lines [], by ",
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := Check("a.txtar", []byte(tt.archive), tt.rule)
			for i, f := range r.Failures {
				if i >= len(tt.want) || !strings.HasPrefix(f, tt.want[i]) {
					t.Errorf("unwanted failure %s", f)
				}
			}
			if len(r.Failures) < len(tt.want) {
				t.Errorf("found %d failures, wanted %q", len(r.Failures), tt.want)
			}
		})
	}
}

// More than three calls at one edge: a report keeps three, wants see all.
func TestUntrimmed(t *testing.T) {
	var b strings.Builder
	b.WriteString("-- bad many --\n")
	for i := range 6 {
		fmt.Fprintf(&b, "%d+900 web: POST /checkout 200\n  %d+80 -> payments.Charge 503 // want `%d attempts`\n", 1000*i, 1000*i+1, i+2)
		for n := range i + 1 {
			fmt.Fprintf(&b, "  %d+80 -> payments.Charge 503\n", 1000*i+100*n+101)
		}
		b.WriteString("\n")
	}
	for _, f := range Check("a.txtar", []byte(b.String()+quiet), again{}).Failures {
		t.Error(f)
	}
}

// A rule that is no function of the trees is found out.
func TestState(t *testing.T) {
	r := Check("a.txtar", []byte(bad(3, "3 attempts")), moody{new(int)})
	for _, mode := range []string{"shuffled by seed 0", "3 shards of any spans", "3 shards by start", "3 shards of traces",
		"each span twice", "each span in two shards", "assembled by seed 0", "assembled early by seed 0"} {
		if !slices.ContainsFunc(r.Failures, func(f string) bool {
			return strings.HasPrefix(f, "a.txtar:3: bad retried: "+mode+": found another report")
		}) {
			t.Errorf("no failure for %s", mode)
		}
	}
}

func TestCrossed(t *testing.T) {
	one := Check("a.txtar", []byte("-- ok one --\n0+1 web: op ok\n"), again{})
	if one.Crossed != 0 {
		t.Errorf("%d requests of one span crossed a cut", one.Crossed)
	}
	two := Check("a.txtar", []byte("-- ok two --\n0+9 web: op ok\n  1+1 -> pay.Charge ok request=r\n\n1+1 pay: Charge ok request=r\n"), again{})
	if two.Crossed == 0 {
		t.Error("no request of two traces crossed a cut")
	}
}

func TestConfigure(t *testing.T) {
	rule := again{Allow: 1, Tools: map[string]string{"search": "polling"}}
	got, err := configure(rule, map[string]string{"allow": "3", "tools": "{mail: side_effect}"})
	if err != nil {
		t.Fatal(err)
	}
	want := again{Allow: 3, Tools: map[string]string{"search": "polling", "mail": "side_effect"}}
	if diff := cmp.Diff(analyzer.Rule(want), got); diff != "" {
		t.Errorf("configured (-want +got):\n%s", diff)
	}
	if len(rule.Tools) != 1 {
		t.Errorf("the default has become %v", rule.Tools)
	}
	if _, err := configure(crowd{}, map[string]string{"allow": "1"}); err == nil || err.Error() != `found "allow", want nothing: there are no options` {
		t.Errorf("a rule without options: %v", err)
	}
	if _, err := configure(&again{}, map[string]string{"allow": "1"}); err == nil || !strings.Contains(err.Error(), "want a struct value") {
		t.Errorf("a pointer: %v", err)
	}
}

var _ = []analyzer.RequestRule{again{}, moody{}}
var _ analyzer.FleetRule = crowd{}
