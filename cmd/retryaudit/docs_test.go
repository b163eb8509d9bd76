package main

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/retryaudit/retryaudit/rules"
)

// TestReadme holds that the outputs in the README are the tool's own: in a
// console block each line that begins with "$ retryaudit" is run, in the
// folder of the README, and what follows must be what it prints. Its table of
// the rules must be that of the registry.
func TestReadme(t *testing.T) {
	t.Chdir("../..")
	const path = "README.md"
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text := string(data)
	fresh, n := refresh(t, text)
	if n == 0 {
		t.Errorf("%s shows no output", path)
	}
	fresh = withRules(t, fresh)
	if fresh == text {
		return
	}
	if !*update {
		t.Fatalf("%s shows other outputs or rules than the tool's (go test -update mends it), which are\n%s", path, fresh)
	}
	if err := os.WriteFile(path, []byte(fresh), 0o666); err != nil {
		t.Fatal(err)
	}
}

// refresh returns a page with the outputs that the tool gives now, and their
// number.
func refresh(t *testing.T, page string) (fresh string, outputs int) {
	var b strings.Builder
	inBlock, inOutput := false, false
	for line := range strings.Lines(page) {
		command, isCommand := strings.CutPrefix(strings.TrimSpace(line), "$ ")
		switch {
		case strings.HasPrefix(line, "```"):
			inBlock, inOutput = strings.HasPrefix(line, "```console"), false
		case inBlock && isCommand:
			args, ours := strings.CutPrefix(command, "retryaudit ")
			inOutput = ours
			if ours {
				b.WriteString(line)
				b.WriteString(outputOf(t, strings.Fields(args)))
				outputs++
				continue
			}
		case inOutput:
			continue
		}
		b.WriteString(line)
	}
	return b.String(), outputs
}

// withRules returns a page whose table of the rules is that of the registry.
func withRules(t *testing.T, page string) string {
	const begin, end = "<!-- rules: written by go test ./cmd/retryaudit -update -->\n", "<!-- end of rules -->\n"
	before, rest, ok := strings.Cut(page, begin)
	_, after, closed := strings.Cut(rest, end)
	if !ok || !closed {
		t.Fatalf("the page has no place for the rules")
	}
	var b strings.Builder
	b.WriteString("| rule | asks | by default | reports that |\n| --- | --- | --- | --- |\n")
	for _, rule := range rules.All() {
		about := rule.About()
		fmt.Fprintf(&b, "| [%s](rules/catalog/%[1]s.md) | %s | %s | %s |\n", about.ID, about.Concern, about.Severity, about.Title)
	}
	return before + begin + b.String() + end + after
}

// outputOf runs a command line as on a terminal of 80 columns without colours.
// The version that a test's binary has is left out.
func outputOf(t *testing.T, args []string) string {
	var out, errors bytes.Buffer
	c := command{Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errors}
	c.Run(t.Context(), args)
	if errors.Len() > 0 {
		t.Errorf("retryaudit %q says %s", args, errors.String())
	}
	return strings.Replace(out.String(), "retryaudit "+buildVersion().Version, "retryaudit", 1)
}
