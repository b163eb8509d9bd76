package semconv

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/retryaudit/retryaudit/analyzer/trace"
	"github.com/retryaudit/retryaudit/ingest/record"
)

// coverageFile says of each row of the telemetry reference what reads it, or
// why nothing does: "SECTION NAME = HOW" a line. A name of "*" stands for all
// rows of a section that have no name to read.
const coverageFile = "testdata/coverage.txt"

type covered struct{ section, name, how string }

func readCoverage(t *testing.T) []covered {
	text, err := os.ReadFile(coverageFile)
	if err != nil {
		t.Fatal(err)
	}
	var all []covered
	for i, line := range strings.Split(string(text), "\n") {
		if line == "" || line[0] == '#' {
			continue
		}
		name, how, ok := strings.Cut(line, " = ")
		section, name, ok2 := strings.Cut(name, " ")
		if !ok || !ok2 || how == "" {
			t.Errorf("%s:%d: %q is no \"SECTION NAME = HOW\"", coverageFile, i+1, line)
			continue
		}
		all = append(all, covered{section, name, how})
	}
	return all
}

// TestCoverage holds that what coverage.txt says is read is known to the
// tables, and that what it says is not read is not.
func TestCoverage(t *testing.T) {
	known := map[string]func(string) bool{
		"attribute":       func(name string) bool { _, ok := attributes.runs[name]; return ok },
		"request header":  func(name string) bool { return isHeader(request, name) },
		"response header": func(name string) bool { return isHeader(response, name) },
		"event":           func(name string) bool { _, ok := events[name]; return ok },
		"operation":       isOperation,
		"scope":           isScope,
		"resource":        isResource,
	}
	goldens := map[string]string{}
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if file == coverageFile {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		family := strings.TrimSuffix(filepath.Base(file), ".txt")
		goldens[family] = string(text)
		if _, err := os.Stat(family + ".go"); err != nil {
			t.Errorf("%s: no file of tables has its name: %v", file, err)
		}
	}
	for _, c := range readCoverage(t) {
		how, rest, _ := strings.Cut(c.how, ", ")
		switch family, golden := strings.CutPrefix(how, "golden "); {
		case c.name == "*":
		case golden:
			if goldens[family] == "" {
				t.Errorf("%s %s: no golden file %s", c.section, c.name, family)
			} else if !strings.Contains(goldens[family], literal(c.name)) {
				t.Errorf("%s %s: no block of testdata/%s.txt has it", c.section, c.name, family)
			}
		case how == "none":
			if rest == "" {
				t.Errorf("%s %s: not read, and no reason why", c.section, c.name)
			}
			if run, ok := attributes.runs[c.name]; ok && attributes.entries[run.from].under == "" {
				t.Errorf("%s %s: is said not to be read, and is", c.section, c.name)
			}
		case known[how] == nil:
			t.Errorf("%s %s: %q is no way to read it", c.section, c.name, how)
		case !known[how](c.name):
			t.Errorf("%s %s: no %s of that name", c.section, c.name, how)
		}
	}
}

// literal is what stands before the placeholders of a name.
func literal(name string) string {
	if i := strings.IndexAny(name, "<{*…[N"); i >= 0 {
		name = name[:i]
	}
	if i := strings.IndexByte(name, '/'); i > 0 && strings.Contains(name[:i], ".") {
		name = name[:strings.LastIndexByte(name[:i], '.')+1] // "prefix.one/two/three"
	}
	if i := strings.IndexByte(name, '='); i >= 0 {
		name = name[:i]
	}
	return strings.TrimSpace(name)
}

func isHeader(at place, name string) bool {
	for _, prefix := range at.prefixes() {
		if _, ok := attributes.runs[prefix+name]; ok {
			return true
		}
	}
	return false
}

// isOperation reports whether a value of an operation, or a span name that
// begins with one, is known.
func isOperation(name string) bool {
	first, _, _ := strings.Cut(name, " ")
	_, ok := operations[first]
	return ok || strings.HasPrefix(name, "{")
}

// isScope reports whether a scope, or the end of one in a list of several, is
// known.
func isScope(name string) bool {
	n := New(trace.NewStore(), Key{})
	for _, before := range [...]string{"", "opentelemetry.instrumentation", "@opentelemetry/instrumentation", "io.opentelemetry.apache-httpclient"} {
		if n.scopeLayer(before+name) != trace.LayerUnknown {
			return true
		}
	}
	return false
}

// isResource reports whether a resource attribute names the service or tells
// its processes apart.
func isResource(name string) bool {
	store := trace.NewStore()
	New(store, Key{}).Add(&record.Span{Resource: resource(name, "x")}, 0)
	s := store.Spans[0]
	return s.Service != 0 || s.Instance != 0
}

// TestReferenceIsCovered holds that coverage.txt leaves out no row of the
// telemetry reference, where that lies beside the checkout.
func TestReferenceIsCovered(t *testing.T) {
	text, err := os.ReadFile("../../../shared/reference/attributes.md")
	if err != nil {
		t.Skip("no reference beside the checkout")
	}
	named, whole := map[string]bool{}, map[string]bool{}
	for _, c := range readCoverage(t) {
		named[c.name] = true
		whole[c.section] = whole[c.section] || c.name == "*"
	}
	heading := regexp.MustCompile(`^#+ (\d+(?:\.\d+)?)`)
	quoted := regexp.MustCompile("`([^`]+)`")
	attribute := regexp.MustCompile(`^[a-zA-Z0-9]\S*[._-]\S*$`)
	section := ""
	for i, line := range strings.Split(string(text), "\n") {
		if m := heading.FindStringSubmatch(line); m != nil {
			section = m[1]
		}
		if section == "" || whole[section] || !strings.HasPrefix(line, "| ") {
			continue
		}
		first, _, _ := strings.Cut(line[2:], " | ")
		for _, m := range quoted.FindAllStringSubmatch(first, -1) {
			if attribute.MatchString(m[1]) && !named[m[1]] {
				t.Errorf("attributes.md:%d: %s is not in coverage.txt", i+1, m[1])
			}
		}
	}
}
