package rules_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/retryaudit/retryaudit/analyzer"
	"github.com/retryaudit/retryaudit/rules"
)

// sections are what every page says of its rule, in this order.
var sections = []string{
	"Why it matters", "How it decides", "What it needs", "When it stays silent", "How to fix it", "Sources", "Example",
}

// TestPages holds that each page has its sections, that each of its sources has
// an address and is cited, and that no setting is named otherwise than reports name it.
func TestPages(t *testing.T) {
	for _, rule := range rules.All() {
		id := rule.About().ID
		t.Run(id, func(t *testing.T) {
			page, ok := rules.Page(id)
			if !ok {
				t.Fatal("there is no page")
			}
			text, order := sectionsOf(page)
			order = slices.DeleteFunc(order, func(s string) bool { return s == "Options" })
			if !slices.Equal(order, sections) {
				t.Fatalf("the sections are %q, want %q", order, sections)
			}
			for _, s := range order {
				if len(text[s]) < 40 {
					t.Errorf("%q says next to nothing: %q", s, text[s])
				}
			}
			checkSources(t, page, text["Sources"])
			for _, item := range items(text["How to fix it"]) {
				checkSetting(t, item)
			}
		})
	}
}

// sectionsOf splits a page at its headings.
func sectionsOf(page string) (text map[string]string, order []string) {
	text = map[string]string{}
	for _, part := range strings.Split(page, "\n## ")[1:] {
		name, rest, _ := strings.Cut(part, "\n")
		text[name] = strings.TrimSpace(rest)
		order = append(order, name)
	}
	return text, order
}

// items returns those of a list, each in one line.
func items(section string) []string {
	var all []string
	for line := range strings.Lines(section) {
		item, begins := strings.CutPrefix(line, "  - ")
		switch {
		case begins:
			all = append(all, strings.TrimSpace(item))
		case len(all) > 0 && strings.HasPrefix(line, "    "):
			all[len(all)-1] += " " + strings.TrimSpace(line)
		}
	}
	return all
}

var (
	number = regexp.MustCompile(`(?m)^ *(\d+)\. `)
	cite   = regexp.MustCompile(`\[(\d+)\]`)
)

func checkSources(t *testing.T, page, sources string) {
	at := number.FindAllStringSubmatchIndex(sources, -1)
	listed := map[string]bool{}
	for i, m := range at {
		end := len(sources)
		if i+1 < len(at) {
			end = at[i+1][0]
		}
		n, source := sources[m[2]:m[3]], sources[m[1]:end]
		listed[n] = true
		if !strings.Contains(source, "https://") {
			t.Errorf("source %s has no address: %q", n, source)
		}
		if !strings.Contains(page, "["+n+"]") {
			t.Errorf("source %s is cited nowhere: %q", n, source)
		}
	}
	for _, m := range cite.FindAllStringSubmatch(page, -1) {
		if !listed[m[1]] {
			t.Errorf("[%s] cites no source", m[1])
		}
	}
}

// checkSetting compares an item that begins with the name of a library with
// what reports say of its setting. An item with a source of its own speaks of
// something else.
func checkSetting(t *testing.T, item string) {
	name, says, ok := strings.Cut(item, ": ")
	if !ok || cite.MatchString(item) {
		return
	}
	known := false
	for _, k := range analyzer.Knobs() {
		for _, of := range append([]string{k.Library}, k.Also...) {
			if strings.TrimSuffix(of, "*") != name {
				continue
			}
			known = true
			if k.String() == says {
				return
			}
		}
	}
	if known {
		t.Errorf("reports say otherwise of %s than %q", name, says)
	}
}
