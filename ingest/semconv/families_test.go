package semconv

import (
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// filesOf returns the family that each file declares, by file.
func filesOf(t *testing.T) map[string]string {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	declared := regexp.MustCompile(`(?m)^var (\w+)Family = family\{`)
	all := map[string]string{}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range declared.FindAllSubmatch(text, -1) {
			if all[file] != "" {
				t.Errorf("%s: two families, want one a file", file)
			}
			all[file] = string(m[1])
		}
	}
	return all
}

// TestFamilies holds that every family is listed, has the name of its file, and
// has golden records.
func TestFamilies(t *testing.T) {
	list, err := os.ReadFile("zfamilies.go")
	if err != nil {
		t.Fatal(err)
	}
	declared := filesOf(t)
	for file, name := range declared {
		if file != name+".go" {
			t.Errorf("%s: declares %sFamily, want a file %s.go", file, name, name)
		}
		if !strings.Contains(string(list), "\t"+name+"Family,\n") {
			t.Errorf("zfamilies.go lacks %sFamily: run make generate", name)
		}
		if info, err := os.Stat("testdata/" + name + ".txt"); err != nil || info.Size() == 0 {
			t.Errorf("%s: no golden records in testdata/%s.txt", file, name)
		}
	}
	if n := strings.Count(string(list), "Family,\n"); n != len(declared) {
		t.Errorf("zfamilies.go lists %d families of %d: run make generate", n, len(declared))
	}
}

// TestRanks holds that where rows of two families fill one field, their ranks
// say which is read, and that no word means two things.
func TestRanks(t *testing.T) {
	ranks := map[int]bool{}
	fields := map[field]map[int]int{} // by rank, the number of families
	for i := range families {
		f := &families[i]
		own := map[field]bool{}
		for _, r := range f.rows {
			own[r.to] = true
		}
		for to := range own {
			if fields[to] == nil {
				fields[to] = map[int]int{}
			}
			if fields[to][f.rank]++; fields[to][f.rank] > 1 {
				t.Errorf("two families of rank %d fill one field (%d), want ranks that say which is read", f.rank, to)
			}
		}
		ranks[f.rank] = true
	}
	if len(ranks) < 2 {
		t.Error("the families have no ranks")
	}
	count := 0
	for i := range families {
		count += len(families[i].operations) + len(families[i].spanKinds) + len(families[i].events)
	}
	if n := len(operations) + len(spanKinds) + len(events); n != count {
		t.Errorf("%d words of %d: some belong to two families", n, count)
	}
}

// TestOrder holds that the order of the list means nothing.
func TestOrder(t *testing.T) {
	was := slices.Clone(families)
	defer func() { families = was }()
	before := [][]string{names(rows), names(counters), names(delays), names(deadlines), names(scopeRows), names(clientRows), names(nameRows)}
	slices.Reverse(families)
	after := [][]string{
		names(ranked(func(f *family) []row { return f.rows }, nil)), names(rankedCounters()), names(rankedDelays()), names(rankedDeadlines()),
		names(rankedScopes()), names(rankedClients()), names(rankedNames()),
	}
	for i := range before {
		if !slices.Equal(before[i], after[i]) {
			t.Errorf("table %d depends on the order of the families", i)
		}
	}
}

// names writes the rows of a table as texts.
func names[R any](table []R) []string {
	var all []string
	for i := range table {
		b, _ := json.Marshal(identify(table[i]))
		all = append(all, string(b))
	}
	return all
}

func identify(r any) any {
	switch r := r.(type) {
	case row:
		return []any{r.key, r.to, r.at, r.on, r.under}
	case counterRow:
		return []any{r.key, r.at, r.on, r.under, r.meaning, r.by}
	case delayRow:
		return []any{r.key, r.unit}
	case deadlineRow:
		return []any{r.key, r.scope}
	case scopeRow:
		return r.prefix
	case clientRow:
		return r.prefix
	case nameRow:
		return r.prefix
	}
	return nil
}

// TestNewSystem adds a system as the documentation says, by one file, and runs
// its golden test.
func TestNewSystem(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles the package again")
	}
	dir := t.TempDir()
	list, err := os.ReadFile("zfamilies.go")
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{
		"madeup.go": `package semconv

import "github.com/retryaudit/retryaudit/analyzer/trace"

// madeupFamily: a gateway that nobody has.
var madeupFamily = family{
	rank:     999,
	rows:     []row{{key: "madeup.model", to: model}},
	counters: []counterRow{{key: "madeup.try", meaning: trace.Ordinal, first: 1}},
	keys:     []keyRow{{key: "x-madeup-id", at: request, kind: trace.RequestKey}},
	outcomes: []outcomeRow{{key: "madeup.result", value: "lost", is: trace.Failed, class: trace.Timeout}},
	delays:   []delayRow{{key: "x-madeup-wait", at: response, unit: seconds}},
	scopes:   []scopeRow{{prefix: "madeup", layer: trace.Gateway}},
	events:   map[string]eventUse{"madeup.first": firstEvent},
}
`,
		"madeup_test.go": `package semconv

import (
	"strings"
	"testing"

	"github.com/retryaudit/retryaudit/analyzer/trace"
)

func TestMadeUp(t *testing.T) {
	got := normalised(parseRecord(t, strings.Split(` + "`" + `client ask
  scope madeup/1
  madeup.model = m1
  madeup.try = 3
  madeup.result = lost
  http.request.header.x-madeup-id = ["r1"]
  http.response.header.x-madeup-wait = ["2"]` + "`" + `, "\n")))
	for _, want := range []string{"gateway failed timeout", "counter=ordinal 2 by madeup.try", "request-key=sent:r1", "asked=for 2s", ` + "`model=\"m1\"`" + `} {
		if !strings.Contains(got, want) {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	_ = trace.Gateway
}
`,
		"zfamilies.go": strings.Replace(string(list), "\tmcpFamily,\n", "\tmadeupFamily,\n\tmcpFamily,\n", 1),
	}
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	replace := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(files[name]), 0o644); err != nil {
			t.Fatal(err)
		}
		replace[filepath.Join(here, name)] = path
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(path, overlay, 0o644); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("go", "test", "-overlay", path, "-run", "^TestMadeUp$", ".").CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
