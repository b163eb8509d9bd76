package main

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/retryaudit/retryaudit/ingest/semconv"
	"github.com/retryaudit/retryaudit/rules"
)

// ruleName finds the rules that a cell names: as a link to the page of one, or in
// backticks and marked as planned.
var ruleName = regexp.MustCompile("\\[([a-z-]+)\\]\\(\\.\\./\\.\\./\\.\\./rules/catalog/([a-z-]+)\\.md\\)|`([a-z-]+)` \\(planned\\)")

// inBackticks finds names in backticks.
var inBackticks = regexp.MustCompile("`([^`]+)`")

// TestCoverage holds that docs/coverage.md names rules that exist and, as
// planned, those that do not; that no rule is left out; and that what it asks of
// telemetry is read.
func TestCoverage(t *testing.T) {
	data, err := os.ReadFile("docs/coverage.md")
	if err != nil {
		t.Fatal(err)
	}
	registered := ruleIDs()
	var linked []string
	rows := 0
	for row := range tableRows(string(data)) {
		rows++
		what, which, needs := row[0], row[len(row)-3], row[len(row)-2]
		for _, cell := range row {
			if cell == "" {
				t.Errorf("%q: a cell is empty", what)
			}
		}
		all := ruleName.FindAllStringSubmatch(which, -1)
		for _, m := range all {
			text, page, planned := m[1], m[2], m[3]
			switch {
			case planned != "" && slices.Contains(registered, planned):
				t.Errorf("%q: %s exists, so it is no longer planned: link its page", what, planned)
			case planned == "" && text != page:
				t.Errorf("%q: %s links the page of %s", what, text, page)
			case planned == "" && !slices.Contains(registered, page):
				t.Errorf("%q: there is no rule %s; one to come is `%[2]s` (planned)", what, page)
			}
			linked = append(linked, page)
		}
		if (len(all) == 0) != (which == "none") {
			t.Errorf("%q: names no rule and is not none, or both: %q", what, which)
		}
		if rest := ruleName.ReplaceAllString(which, ""); strings.ContainsAny(rest, "`[]") {
			t.Errorf("%q: a rule is neither linked nor marked as planned in %q", what, which)
		}
		for _, m := range inBackticks.FindAllStringSubmatch(needs, -1) {
			if len(semconv.ExplainAttribute(m[1])) == 0 {
				t.Errorf("%q: nothing reads the attribute %s", what, m[1])
			}
		}
	}
	if rows == 0 {
		t.Error("docs/coverage.md holds no table")
	}
	for _, id := range registered {
		if !slices.Contains(linked, id) {
			t.Errorf("docs/coverage.md names no row that %s covers", id)
		}
		if _, ok := rules.Page(id); !ok {
			t.Errorf("%s has no page", id)
		}
	}
}

// tableRows yields the cells of each row of a page's tables, their headings left out.
func tableRows(page string) func(yield func([]string) bool) {
	return func(yield func([]string) bool) {
		inBody := false
		for line := range strings.Lines(page) {
			line = strings.TrimSpace(line)
			if !strings.HasPrefix(line, "|") {
				inBody = false
				continue
			}
			if strings.HasPrefix(line, "| --- ") {
				inBody = true
				continue
			}
			if !inBody {
				continue
			}
			cells := strings.Split(strings.Trim(line, "|"), "|")
			for i := range cells {
				cells[i] = strings.TrimSpace(cells[i])
			}
			if !yield(cells) {
				return
			}
		}
	}
}
