package gen

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/retryaudit/retryaudit/analyzer"
)

// lateRule is the rule of the fixture, as it would be compiled.
type lateRule struct {
	Allow int    `yaml:"allow"`
	Name  string `yaml:"name"`
}

func (lateRule) About() analyzer.About {
	return analyzer.About{ID: "late-rule", Title: "comes late", Concern: analyzer.When, Severity: analyzer.Info, Since: "0.1"}
}

func (lateRule) Check(p *analyzer.Pass) {
	for call := range p.Request.Calls() {
		if call.Retried() > 0 {
			p.Report(analyzer.Diagnostic{Call: call, Text: "retried"})
		}
	}
}

const fixture = `
-- late_rule.go --
package rules

// LateRule reports what comes late.
//
// # Why
//
// And so on.
type LateRule struct {
	// Allow is how many.
	Allow int ` + "`yaml:\"allow\"`" + `
	Name  string ` + "`yaml:\"name\"`" + `
	hidden bool
}

func NewLateRule() LateRule { return LateRule{Allow: 2} }

func (LateRule) About() analyzer.About {
	return analyzer.About{ID: "late-rule", Title: "comes late"}
}
-- early_rule.go --
package rules

type (
	// EarlyRule reports what comes early.
	EarlyRule struct{}
)

func NewEarlyRule() EarlyRule { return EarlyRule{} }

func (EarlyRule) About() analyzer.About { return analyzer.About{ID: "early-rule"} }
-- helpers.go --
package rules

type edge struct{}
-- early_rule_test.go --
package rules

not Go
`

// folder writes an archive into a folder of its own.
func folder(t *testing.T, archive string) string {
	t.Helper()
	dir := t.TempDir()
	for _, f := range txtar.Parse([]byte(archive)).Files {
		write(t, filepath.Join(dir, f.Name), string(f.Data))
	}
	return dir
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestRegistry(t *testing.T) {
	dir := folder(t, fixture)
	list := filepath.Join(dir, "zrules.go")
	stale, err := Registry(dir, false)
	if err != nil || !slices.Equal(stale, []string{list}) {
		t.Fatalf("before: stale %q, %v", stale, err)
	}
	if _, err := os.Stat(list); !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("a check wrote the file (%v)", err)
	}
	if _, err := Registry(dir, true); err != nil {
		t.Fatal(err)
	}
	const want = "\treturn []analyzer.Rule{\n\t\tNewEarlyRule(),\n\t\tNewLateRule(),\n\t}\n"
	if got := read(t, list); !strings.Contains(got, want) {
		t.Errorf("got\n%s\nwant in it\n%s", got, want)
	}
	if stale, err := Registry(dir, false); err != nil || len(stale) > 0 {
		t.Errorf("after: stale %q, %v", stale, err)
	}
}

func TestRegistryRefuses(t *testing.T) {
	for _, test := range []struct{ name, path, text, want string }{
		{"file name", "other.go",
			"package rules\n// A b.\ntype A struct{}\nfunc NewA() A { return A{} }\nfunc (A) About() About { return About{ID: \"a-b\"} }\n",
			"is to be named a_b.go"},
		{"no constructor", "a_b.go",
			"package rules\n// A b.\ntype A struct{}\nfunc (A) About() About { return About{ID: \"a-b\"} }\n",
			"there is no func NewA"},
		{"no comment", "a_b.go",
			"package rules\ntype A struct{}\nfunc NewA() A { return A{} }\nfunc (A) About() About { return About{ID: \"a-b\"} }\n",
			"A has no comment"},
		{"no ID", "a_b.go",
			"package rules\n// A b.\ntype A struct{}\nfunc NewA() A { return A{} }\nfunc (A) About() About { return about }\n",
			"names no ID"},
		{"pointer", "a_b.go",
			"package rules\n// A b.\ntype A struct{}\nfunc NewA() *A { return nil }\nfunc (*A) About() About { return About{ID: \"a-b\"} }\n",
			"a rule is a value"},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			write(t, filepath.Join(dir, test.path), test.text)
			if _, err := Registry(dir, true); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %q in it", err, test.want)
			}
		})
	}
}

const scenes = `
-- ok quiet --
0+10 web: GET / 200
-- bad loud --
0+900      web: POST /checkout          503
  10+80      -> payments POST /charge   503  // want ` + "`retried`" + `
  290+80     -> payments POST /charge   503
`

func TestCatalog(t *testing.T) {
	dir := folder(t, fixture)
	write(t, filepath.Join(dir, "testdata", "late-rule.txtar"), scenes)
	old := filepath.Join(dir, "catalog", "gone-rule.md")
	write(t, old, "a rule that is no more")
	loaded := []analyzer.Rule{lateRule{Allow: 2}}
	stale, err := Catalog(dir, loaded, true)
	if want := []string{filepath.Join(dir, "catalog", "late-rule.md"), old}; err != nil || !slices.Equal(stale, want) {
		t.Fatalf("stale %q, %v, want %q", stale, err, want)
	}
	if _, err := os.Stat(old); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the page of a rule that is no more was kept (%v)", err)
	}
	got := read(t, filepath.Join(dir, "catalog", "late-rule.md"))
	for _, want := range []string{
		"# late-rule\n\nComes late.\n\nClass WHEN, severity info, since 0.1.\n\nReports what comes late.\n\n## Why\n\nAnd so on.\n",
		"rules:\n  late-rule:\n    # Allow is how many.\n    allow: 2\n    name: \"\"\n",
		"  290+80     -> payments POST /charge   503\n```",
		"INFO late-rule",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the page lacks\n%s\nit is\n%s", want, got)
		}
	}
	if strings.Contains(got, "// want") {
		t.Errorf("the page shows what tests expect:\n%s", got)
	}
	if stale, err := Catalog(dir, loaded, false); err != nil || len(stale) > 0 {
		t.Errorf("after: stale %q, %v", stale, err)
	}
}

func TestCatalogRefuses(t *testing.T) {
	for _, test := range []struct{ name, scenes, want string }{
		{"no bad scene", "-- ok quiet --\n0+10 web: GET / 200\n", "no section begins"},
		{"silent rule", "-- bad quiet --\n0+10 web: GET / 200\n", "finds nothing"},
		{"options", "-- bad loud --\nset allow=1\n0+10 web: GET / 200\n", "sets options"},
		{"no scene", "-- bad loud --\n0+10\n", "page of late-rule"},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := folder(t, fixture)
			write(t, filepath.Join(dir, "testdata", "late-rule.txtar"), test.scenes)
			if _, err := Catalog(dir, []analyzer.Rule{lateRule{}}, true); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %q in it", err, test.want)
			}
		})
	}
}

// TestNew builds a rule that was just begun as if it stood among the others.
func TestNew(t *testing.T) {
	dir := t.TempDir()
	wrote, err := New(dir, "begun-just-now")
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{filepath.Join(dir, "begun_just_now.go"), filepath.Join(dir, "testdata", "begun-just-now.txtar")}; !slices.Equal(wrote, want) {
		t.Errorf("wrote %q, want %q", wrote, want)
	}
	if _, err := Registry(dir, true); err != nil {
		t.Fatal(err)
	}
	rules, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	overlay, err := json.Marshal(map[string]map[string]string{"Replace": {filepath.Join(rules, "begun_just_now.go"): wrote[0]}})
	if err != nil {
		t.Fatal(err)
	}
	at := filepath.Join(dir, "overlay.json")
	write(t, at, string(overlay))
	if out, err := exec.Command("go", "build", "-overlay", at, rules).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	if _, err := New(dir, "begun-just-now"); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a second New: got %v, want that the file exists", err)
	}
	for _, id := range []string{"", "one", "Two-Words", "two_words", "two-", "../two-words"} {
		if _, err := New(dir, id); err == nil {
			t.Errorf("New took the ID %q", id)
		}
	}
}
