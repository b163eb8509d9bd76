package gen

import (
	"bytes"
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
	"golang.org/x/tools/txtar"

	"github.com/retryaudit/retryaudit/analyzer"
	"github.com/retryaudit/retryaudit/analyzer/report"
	"github.com/retryaudit/retryaudit/analyzer/tracetext"
)

// Catalog writes the pages of all rules, whose source is in the folder dir, to
// catalog/ID.md there, and removes pages without a rule. Without write it
// changes nothing. It returns the paths that were stale.
func Catalog(dir string, rules []analyzer.Rule, write bool) (stale []string, err error) {
	sources, err := parse(dir)
	if err != nil {
		return nil, err
	}
	var files []file
	for _, rule := range rules {
		id := rule.About().ID
		i := slices.IndexFunc(sources, func(s source) bool { return s.id == id })
		if i < 0 {
			return nil, fmt.Errorf("no file in %s holds the rule %s", dir, id)
		}
		scene, err := firstBad(filepath.Join(dir, "testdata", id+".txtar"))
		if err != nil {
			return nil, err
		}
		text, err := page(rule, sources[i], scene)
		if err != nil {
			return nil, fmt.Errorf("page of %s: %w", id, err)
		}
		files = append(files, file{filepath.Join("catalog", id+".md"), text})
	}
	return sync(dir, filepath.Join("catalog", "*.md"), files, write)
}

// firstBad returns the first section of an archive of scenes that is to be flagged.
func firstBad(path string) (string, error) {
	archive, err := txtar.ParseFile(path)
	if err != nil {
		return "", err
	}
	for _, section := range archive.Files {
		if kind, _, _ := strings.Cut(section.Name, " "); kind == "bad" {
			return string(section.Data), nil
		}
	}
	return "", fmt.Errorf("%s: no section begins with \"bad\"", path)
}

// page is what `retryaudit explain` prints.
func page(rule analyzer.Rule, s source, scene string) ([]byte, error) {
	about := rule.About()
	var b bytes.Buffer
	fmt.Fprintf(&b, "# %s\n\n%s.\n\n", about.ID, capital(about.Title))
	fmt.Fprintf(&b, "Class %s, severity %s, since %s.\n\n", cmp.Or(string(about.Concern), "none"), about.Severity, about.Since)
	fmt.Fprintf(&b, "%s\n", sections(capital(strings.TrimPrefix(s.doc, s.name+" "))))
	if len(s.options) > 0 {
		options, err := optionsOfRule(rule, s)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&b, "## Options\n\nWith their defaults:\n\n```yaml\n%s```\n\n", options)
	}
	answer, err := answerTo(rule, scene)
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(&b, "## Example\n\nA line is a span: start and length in ms, service and operation, outcome.\nIndentation is parentage, an arrow a client.\n\n")
	fmt.Fprintf(&b, "```\n%s\n```\n\nThe report:\n\n```\n%s\n```\n", plainScene(scene), strings.Trim(answer, "\n"))
	return b.Bytes(), nil
}

// sections makes the headings of a comment those of a page's sections.
func sections(doc string) string { return strings.ReplaceAll(doc, "\n# ", "\n## ") }

// optionsOfRule writes the options as a config would hold them, with their comments.
func optionsOfRule(rule analyzer.Rule, s source) ([]byte, error) {
	var values yaml.Node
	if err := values.Encode(rule); err != nil {
		return nil, err
	}
	// A mapping's content is keys and values by turns.
	for i := 0; i < len(values.Content); i += 2 {
		for _, o := range s.options {
			if o.key == values.Content[i].Value {
				values.Content[i].HeadComment = o.doc
			}
		}
	}
	var b bytes.Buffer
	out := yaml.NewEncoder(&b)
	out.SetIndent(2)
	err := out.Encode(map[string]map[string]*yaml.Node{"rules": {s.id: &values}})
	return b.Bytes(), err
}

// answerTo returns what the tool prints about a scene when only this rule runs.
func answerTo(rule analyzer.Rule, text string) (string, error) {
	scene, err := tracetext.Parse(text)
	if err != nil {
		return "", err
	}
	if len(scene.Options()) > 0 {
		return "", fmt.Errorf("the first bad scene sets options; the page shows the defaults")
	}
	suite, err := analyzer.NewSuite(rule)
	if err != nil {
		return "", err
	}
	store := scene.Store()
	part := suite.Open(store, analyzer.Input{Path: "example", Spans: int64(len(store.Spans))})
	suite.Seal(part)
	r := suite.Report(part)
	if len(r.Findings) == 0 {
		return "", fmt.Errorf("the rule finds nothing in its first bad scene")
	}
	var b strings.Builder
	err = report.Text(&b, r, report.Style{Width: 80})
	return b.String(), err
}

// plainScene leaves the expectations out: they are for the tests.
func plainScene(scene string) string {
	var b strings.Builder
	for line := range strings.Lines(scene) {
		line, _, _ = strings.Cut(line, "// want")
		if !strings.HasPrefix(line, "want ") {
			b.WriteString(strings.TrimRightFunc(line, unicode.IsSpace) + "\n")
		}
	}
	return strings.Trim(b.String(), "\n")
}

// capital begins a sentence.
func capital(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + s[n:]
}
