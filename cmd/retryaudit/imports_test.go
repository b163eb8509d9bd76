package main

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/retryaudit/retryaudit"

// decoder is what the decoder of a format may import.
var decoder = []string{"analyzer/trace", "ingest/decode", "ingest/record"}

// imports is the table of which package of the module may import which. The
// longest key that a package begins with holds for it. Standard library and
// foreign modules are bound by foreign.
var imports = []struct {
	of  string
	may []string // packages, or folders where they end in /
}{
	{"analyzer/trace", nil},
	{"analyzer", []string{"analyzer/trace"}},
	{"analyzer/assemble", []string{"analyzer/trace"}},
	{"analyzer/spell", nil},
	{"analyzer/tracetext", []string{"analyzer/trace", "analyzer/spell"}},
	{"analyzer/report", []string{"analyzer", "analyzer/trace"}},
	{"analyzer/report/reporttest", []string{"analyzer/report"}},
	{"analyzer/policy", []string{"analyzer", "analyzer/trace", "analyzer/spell"}},
	{"analyzer/simulate", []string{"analyzer", "analyzer/trace"}},
	{"analyzer/ruletest", []string{"analyzer", "analyzer/trace", "analyzer/assemble", "analyzer/policy", "analyzer/tracetext"}},
	{"rules", []string{"analyzer", "analyzer/trace"}},
	{"rules/internal/gen", []string{"analyzer", "analyzer/", "rules", "rules/internal/gen"}},
	{"ingest", []string{"analyzer/trace", "ingest/"}},
	{"ingest/record", []string{"analyzer/trace"}},
	{"ingest/decode", []string{"analyzer/trace", "ingest/record"}},
	{"ingest/decode/decodetest", []string{"ingest/decode", "ingest/record"}},
	{"ingest/otlp", decoder},
	{"ingest/jaeger", decoder},
	{"ingest/zipkin", decoder},
	{"ingest/console", decoder},
	{"ingest/datadog", decoder},
	{"ingest/xray", decoder},
	{"ingest/clickhouse", decoder},
	{"ingest/phoenix", decoder},
	{"ingest/langfuse", decoder},
	{"ingest/litellm", decoder},
	{"ingest/semconv", []string{"analyzer/trace", "ingest/record"}},
	{"ingest/retryauditprocessor", []string{"analyzer", "analyzer/", "rules", "ingest", "ingest/"}},
	{"cmd", []string{"analyzer", "analyzer/", "rules", "ingest", "ingest/"}},
}

// hosts are imported by nobody.
var hosts = []string{"cmd", "ingest/retryauditprocessor"}

// foreign says where what is not of this module may not be imported, or may
// be alone.
var foreign = []struct {
	path      string // and all below
	only, not []string
	why       string
}{
	{path: "go.opentelemetry.io/collector/pdata", only: []string{"ingest/otlp", "ingest/retryauditprocessor"}, why: "decoders yield records"},
	{path: "os", not: []string{"rules"}, why: "a rule reads what its Pass holds"},
	{path: "net", not: []string{"rules"}, why: "a rule reads what its Pass holds"},
	{path: "log", not: []string{"rules"}, why: "a rule speaks by its diagnostics"},
	{path: "math/rand", not: []string{"rules", "analyzer"}, why: "equal spans give equal reports"},
}

type goPackage struct {
	ImportPath string
	Imports    []string
}

func TestImportsPointOneWay(t *testing.T) {
	cmd := exec.Command("go", "list", "-json=ImportPath,Imports", module+"/...")
	cmd.Dir = "../.."
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	packages := json.NewDecoder(strings.NewReader(string(out)))
	n := 0
	for ; ; n++ {
		var p goPackage
		if err := packages.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		checkImports(t, p)
	}
	if n < 10 {
		t.Errorf("go list told of %d packages only", n)
	}
}

func checkImports(t *testing.T, p goPackage) {
	name := strings.TrimPrefix(p.ImportPath, module+"/")
	may, found := mayImport(name)
	if !found {
		t.Errorf("%s: stands in no line of the table", name)
	}
	for _, imported := range p.Imports {
		own, isOwn := strings.CutPrefix(imported, module+"/")
		if !isOwn {
			checkForeign(t, name, imported)
			continue
		}
		allowed := slices.ContainsFunc(may, func(m string) bool {
			return own == m || strings.HasSuffix(m, "/") && strings.HasPrefix(own, m)
		})
		if !allowed || slices.ContainsFunc(hosts, func(host string) bool { return within(own, host) }) {
			t.Errorf("%s imports %s", name, own)
		}
	}
}

func checkForeign(t *testing.T, name, imported string) {
	isStandard := !strings.Contains(strings.SplitN(imported, "/", 2)[0], ".")
	if name == "analyzer/trace" && !isStandard {
		t.Errorf("%s imports %s: it imports the standard library only", name, imported)
	}
	for _, f := range foreign {
		if !within(imported, f.path) {
			continue
		}
		// What runs on developers' machines only may read files and shuffle.
		isTool := within(name, "rules/internal/gen") || within(name, "analyzer/ruletest")
		in := func(folder string) bool { return within(name, folder) && !isTool }
		if f.only != nil && !slices.ContainsFunc(f.only, in) || slices.ContainsFunc(f.not, in) {
			t.Errorf("%s imports %s: %s", name, imported, f.why)
		}
	}
}

// TestNoClock holds that equal spans give equal reports, whenever they are read.
func TestNoClock(t *testing.T) {
	for _, folder := range []string{"analyzer", "rules"} {
		err := filepath.WalkDir(filepath.Join("..", "..", folder), func(path string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			source, err := os.ReadFile(path)
			if strings.Contains(string(source), "time.Now(") {
				t.Errorf("%s reads the clock", path)
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	}
}

// mayImport returns the line of the table that holds for a package.
func mayImport(name string) (may []string, found bool) {
	longest := -1
	for _, line := range imports {
		if within(name, line.of) && len(line.of) > longest {
			longest, may, found = len(line.of), line.may, true
		}
	}
	return may, found
}

// within reports whether a package is the folder or below it.
func within(name, folder string) bool {
	return name == folder || strings.HasPrefix(name, folder+"/")
}
