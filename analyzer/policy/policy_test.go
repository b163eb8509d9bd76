package policy_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"iter"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"

	"github.com/retryaudit/retryaudit/analyzer"
	"github.com/retryaudit/retryaudit/analyzer/policy"
)

// caps is a rule with options of every kind.
type caps struct {
	Max    int64             `yaml:"max"`
	Share  float64           `yaml:"share"`
	Strict bool              `yaml:"strict"`
	Tools  map[string]string `yaml:"tools"`
	Codes  []int             `yaml:"codes"`
}

func (caps) About() analyzer.About {
	return analyzer.About{ID: "too-many-caps", Title: "too many", Concern: analyzer.Who, Severity: analyzer.Error, Since: "0.1"}
}

func (caps) Check(*analyzer.Pass) {}

func (c caps) Validate() error {
	if c.Share > 1 {
		return fmt.Errorf("found %v for share, want a share", c.Share)
	}
	return nil
}

// plain is a rule without options.
type plain struct{}

func (plain) About() analyzer.About {
	return analyzer.About{ID: "plain", Title: "plain", Concern: analyzer.If, Severity: analyzer.Info, Since: "0.1"}
}
func (plain) Observe(*analyzer.Pass)                                                   {}
func (plain) Judge(analyzer.Cell, iter.Seq2[int64, *analyzer.Sums], *analyzer.Judging) {}

func rules() []analyzer.Rule {
	return []analyzer.Rule{caps{Max: 3, Tools: map[string]string{"mail": "side_effect"}}, plain{}}
}

func read(text string) (*policy.Policy, error) {
	return policy.Read(strings.NewReader(text), "retryaudit.yaml", rules())
}

// example is the first YAML block of the policy's page.
func example(t testing.TB) string {
	page, err := os.ReadFile("../../cmd/retryaudit/docs/policy.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(page), "```yaml\n")
	text, _, ok := strings.Cut(rest, "```")
	if !ok {
		t.Fatal("no example in the page")
	}
	return text
}

func TestRead(t *testing.T) {
	text := example(t)
	at := strings.Index(text, "\nrules:")
	p, err := read(text[:at] + "\nrules:\n  too-many-caps: {max: 5, tools: {search: polling}, severity: warning}\n")
	if err != nil {
		t.Fatal(err)
	}
	want := policy.Attributes{
		RequestIDs: []string{"x-tenant-request", "acme.request.id"}, Attempts: []policy.Attempt{{Name: "acme.retry", First: 1}},
		MaxAttempts: []string{"acme.retry.max"}, Deadlines: []policy.Deadline{{Name: "acme.budget", Unit: "ms"}},
	}
	if diff := cmp.Diff(want, p.Attributes); diff != "" {
		t.Errorf("attributes (-want +got):\n%s", diff)
	}
	if d := p.Attributes.Deadlines[0].Unit.Duration(); d != time.Millisecond {
		t.Errorf("unit ms is %v", d)
	}
	if diff := cmp.Diff([]analyzer.CallSetting{
		{Service: "importer", Operation: "POST /items"}, {Service: "worker", Caller: "sync", Operation: "PUT /state", Retry: true},
	}, p.Settings.Calls); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]analyzer.Price{{Model: "gpt-4o-mini*", Input: 150000, Output: 600000}, {Model: "gpt-4o*", Input: 2500000, Output: 10000000}}, p.Settings.Prices); diff != "" {
		t.Errorf("prices (-want +got):\n%s", diff)
	}
	if n := len(p.Settings.Owners); n != 3 || !p.Settings.Owners[1].Keep || p.Settings.Owners[0].MaxAttempts != 3 || p.Settings.Owners[2].As.Library != "our-http-retry" {
		t.Errorf("owners: %+v", p.Settings.Owners)
	}
	if got := p.Rules[0].(caps); got.Max != 5 || got.Tools["search"] != "polling" || got.Tools["mail"] != "side_effect" {
		t.Errorf("rule: %+v", got)
	}
	if g := p.Settings.Severities["too-many-caps"]; g != analyzer.Warning {
		t.Errorf("severity: %v", g)
	}
	if again := rules()[0].(caps); len(again.Tools) != 1 {
		t.Errorf("the default has become %v", again)
	}
}

// TestErrors holds that what a file cannot mean is told with its line, what was
// found and what was wanted, all at once.
func TestErrors(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{"empty", "", "retryaudit.yaml:1: found nothing, want version: 1 and what else there is to say"},
		{"no version", "owners: []\n", "retryaudit.yaml:1: found no version, want version: 1"},
		{"another version", "version: 2\n", "retryaudit.yaml:1: found version 2, want version: 1"},
		{"a list", "- 1\n", "retryaudit.yaml:1: found a list, want names with values"},
		{"no YAML", "version: [1\n", "retryaudit.yaml:1: did not find expected ',' or ']', want YAML"},
		{"unknown key", "version: 1\nowner: []\n", `retryaudit.yaml:2: found "owner", want a known one such as "owners"`},
		{"twice", "version: 1\ncalls: []\ncalls: []\n", `retryaudit.yaml:3: found "calls" again, want it once, with what line 2 has of it`},
		{"two documents", "version: 1\n---\nversion: 1\n", "retryaudit.yaml:2: found a second document, want one"},
		{"an alias", "version: 1\nowners: [&a {keep: true}, *a]\n", "retryaudit.yaml:2: found an alias, want the value itself"},
		{"a text for a number", "version: 1\nowners:\n  - {max_attempts: many}\n", `retryaudit.yaml:3: found "many" for max_attempts, want a whole number`},
		{"a huge number", "version: 1\nowners:\n  - {max_attempts: 99999999999999999999}\n", `retryaudit.yaml:3: found "99999999999999999999" for max_attempts, want a whole number`},
		{"several", "version: 1\nowners:\n  - {layer: sdc, keep: true}\n  - {service: a}\ncalls:\n  - {retry: true}\n  - {service: a}\n",
			`retryaudit.yaml:3: found "sdc", want a known one such as "sdk"
retryaudit.yaml:4: found an owner of which nothing is said, want keep, max_attempts or as
retryaudit.yaml:6: found nothing that tells these calls from others, want service, caller, operation or upstream
retryaudit.yaml:7: found a call of which nothing is said, want retry: true or retry: false`},
		{"attributes", "version: 1\nattributes:\n  request_ids: ['']\n  attempts: [{first: 2}]\n  deadlines: [{name: a, unit: min}]\n",
			`retryaudit.yaml:3: found "", want the name of an attribute or a request header
retryaudit.yaml:4: found no name, want that of an attribute or a request header
retryaudit.yaml:4: found 2, want the number of the first attempt: 0 or 1
retryaudit.yaml:5: found "min", want ms or s from the span's start, or until epoch_ms, epoch_s or date`},
		{"prices", "version: 1\nprices:\n  models:\n    - {input: -1}\n    - {input: 1}\n    - {model: a, output: 10000000}\n",
			`retryaudit.yaml:3: found prices without a currency, want currency: USD or another
retryaudit.yaml:4: found "-1" for input, want a number from 0 up
retryaudit.yaml:5: found a price without a model, want its name; * stands for any text
retryaudit.yaml:6: found 1e+07, want what a million tokens cost`},
		{"rules", "version: 1\nrules:\n  to-many-caps: {}\n  too-many-caps: {mox: 1, severity: bad}\n  plain: {max: 1}\n",
			`retryaudit.yaml:3: found the rule "to-many-caps", want a known one such as "too-many-caps"
retryaudit.yaml:4: found "bad", want one of off, info, warning, error
retryaudit.yaml:4: found "mox", want a known one such as "max"
retryaudit.yaml:5: found "max", want nothing: there are no options`},
		{"form and meaning at once", "version: 2\nowners:\n  - {layer: sdc, keep: 7}\n  - 5\n  - {service: a}\nrulez: {}\nprices: {models: [{model: m}]}\n",
			`retryaudit.yaml:1: found version 2, want version: 1
retryaudit.yaml:3: found "7" for keep, want true or false
retryaudit.yaml:3: found "sdc", want a known one such as "sdk"
retryaudit.yaml:4: found "5" for owners, want names with values
retryaudit.yaml:5: found an owner of which nothing is said, want keep, max_attempts or as
retryaudit.yaml:6: found "rulez", want a known one such as "rules"
retryaudit.yaml:7: found prices without a currency, want currency: USD or another`},
		{"nothing", "version: 1\nowners:\nrules:\n  plain:\n", `retryaudit.yaml:2: found nothing for owners, want a list
retryaudit.yaml:4: found nothing for plain, want names with values`},
		{"an alias for a severity", "version: 1\nattributes: {request_ids: [&off x]}\nrules: {plain: {severity: *off}}\n",
			"retryaudit.yaml:3: found an alias, want the value itself"},
		{"no limits", "version: 1\nrules: {too-many-caps: {share: .nan, max: -3}}\n", `retryaudit.yaml:2: found ".nan" for share, want a number from 0 up
retryaudit.yaml:2: found "-3" for max, want a whole number from 0 to 9223372036854775807`},
		{"what a rule cannot mean", "version: 1\nrules: {too-many-caps: {share: 20}}\n", "retryaudit.yaml:2: found 20 for share, want a share"},
		{"a broken second document", "version: 1\n---\n[\n", "retryaudit.yaml:3: did not find expected node content, want YAML"},
		{"rules that are a list", "version: 1\nrules: [plain, {a: b}]\n", "retryaudit.yaml:2: found a list for rules, want names with values"},
		{"many", "version: 1\n" + strings.Repeat("? {a: b}\n", 23), manyErrors()},
		{"too large", "version: 1 #" + strings.Repeat("a", 1<<20), "retryaudit.yaml: found more than 1048576 bytes, want a policy that people write"},
	} {
		_, err := read(test.text)
		if err == nil {
			t.Errorf("%s: no error", test.name)
			continue
		}
		if diff := cmp.Diff(test.want, err.Error()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}

// manyErrors are twenty of 23, and a last line.
func manyErrors() string {
	text := "retryaudit.yaml: 3 errors more"
	for line := 21; line > 1; line-- {
		text = fmt.Sprintf("retryaudit.yaml:%d: found a name that is no text, want one\n", line) + text
	}
	return text
}

// TestSchema holds that the schema knows the keys that are read, and takes the
// example.
func TestSchema(t *testing.T) {
	text := policy.Schema(rules())
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("policy.schema.json", doc); err != nil {
		t.Fatal(err)
	}
	schema, err := compiler.Compile("policy.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		text string
		ok   bool
	}{
		{regexp.MustCompile(`(?s)\nrules:.*`).ReplaceAllString(example(t), "\nrules: {too-many-caps: {max: 5, codes: [1], severity: info}}"), true},
		{"{version: 1}", true},
		{"{version: 2}", false},
		{"{version: 1, owner: []}", false},
		{"{version: 1, calls: [{service: a}]}", false},
		{"{version: 1, calls: [{retry: true}]}", false},
		{"{version: 1, owners: [{service: a}]}", false},
		{"{version: 1, rules: {too-many-caps: {mox: 1}}}", false},
		{"{version: 1, rules: {none: {}}}", false},
		{"{version: 1, rules: {too-many-caps: {max: -1}}}", false},
		{"{version: 1, rules: {too-many-caps: {severity: fatal}}}", false},
		{"{version: 1, owners: [{layer: 's*', keep: true}]}", true},
		{"{version: 1, owners: [{layer: sdc, keep: true}]}", false},
		{"{version: 1, owners: [{keep: false}]}", false},
		{"{version: 1, owners: [{keep: false, max_attempts: 2}]}", true},
		{"{version: 1, owners: [{max_attempts: 0}]}", false},
		{"{version: 1, owners: [{as: {}}]}", false},
		{"{version: 1, owners: [{as: {layer: 's*'}}]}", false},
		{"{version: 1, prices: {models: [{model: a}]}}", false},
		{"{version: 1, prices: {currency: USD, models: [{model: a, input: 1.5}]}}", true},
		{"{version: 1, attributes: {deadlines: [{name: a, unit: date}]}}", true},
		{"{version: 1, attributes: {deadlines: [{name: a, unit: d}]}}", false},
		{"{version: 1, attributes: {attempts: [{first: 1}]}}", false},
	} {
		var value any
		if err := yaml.Unmarshal([]byte(test.text), &value); err != nil {
			t.Fatal(err)
		}
		b, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		instance, err := jsonschema.UnmarshalJSON(bytes.NewReader(b))
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(instance); (err == nil) != test.ok {
			t.Errorf("%s: %v", test.text, err)
		}
		if _, err := read(test.text); (err == nil) != test.ok {
			t.Errorf("%s: read: %v", test.text, err)
		}
	}
	var keys map[string]any
	if err := json.Unmarshal(text, &keys); err != nil {
		t.Fatal(err)
	}
	compareKeys(t, "policy", keys, policy.File)
}

// compareKeys compares the properties of a schema with the fields of a type.
func compareKeys(t *testing.T, at string, schema map[string]any, typ reflect.Type) {
	switch typ.Kind() {
	case reflect.Slice:
		items, ok := schema["items"].(map[string]any)
		if !ok {
			t.Errorf("%s: the schema has no items", at)
			return
		}
		compareKeys(t, at+"[]", items, typ.Elem())
	case reflect.Struct:
		properties, _ := schema["properties"].(map[string]any)
		var want []string
		for i := range typ.NumField() {
			name := typ.Field(i).Tag.Get("yaml")
			want = append(want, name)
			if p, ok := properties[name].(map[string]any); ok {
				compareKeys(t, at+"."+name, p, typ.Field(i).Type)
			}
		}
		var got []string
		for name := range properties {
			got = append(got, name)
		}
		slices.Sort(want)
		slices.Sort(got)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: keys that are read and keys of the schema (-read +schema):\n%s", at, diff)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(example(f))
	f.Add("version: 1\nowners: [&a {keep: true}, *a]\n")
	f.Add("version: 1\nrules: {too-many-caps: {tools: {a: b}, codes: [1, 2]}}\n")
	f.Add("? {a: b}\n: 1\n")
	f.Fuzz(func(t *testing.T, text string) {
		p, err := read(text)
		if (p == nil) == (err == nil) {
			t.Fatalf("policy %v, error %v", p, err)
		}
		again, other := read(text)
		if (err == nil) != (other == nil) || err != nil && err.Error() != other.Error() || !reflect.DeepEqual(p, again) {
			t.Fatalf("read twice: %v, %v", err, other)
		}
	})
}
