package gen

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// New begins a rule in the folder dir: a file that compiles and scenes that
// pass. It overwrites nothing. It returns the paths that it wrote.
func New(dir, id string) (wrote []string, err error) {
	if !regexp.MustCompile(`^[a-z]+(-[a-z0-9]+)+$`).MatchString(id) {
		return nil, fmt.Errorf("%q is no ID: lower-case words with hyphens between them, such as %q", id, "quota-retried")
	}
	name := ""
	for word := range strings.SplitSeq(id, "-") {
		name += strings.ToUpper(word[:1]) + word[1:]
	}
	for _, f := range []struct{ path, text string }{
		{strings.ReplaceAll(id, "-", "_") + ".go", newRule},
		{filepath.Join("testdata", id+".txtar"), newScenes},
	} {
		path := filepath.Join(dir, f.path)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return wrote, err
		}
		out, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if err != nil {
			return wrote, err
		}
		_, err = strings.NewReplacer("RULE-ID", id, "RuleType", name).WriteString(out, f.text)
		if closeErr := out.Close(); err == nil {
			err = closeErr
		}
		if err != nil {
			return wrote, err
		}
		wrote = append(wrote, path)
	}
	return wrote, nil
}

const newRule = `package rules

import (
	"fmt"

	"github.com/retryaudit/retryaudit/analyzer"
)

// RuleType reports calls with more retries than Allow.
//
// # Why it matters
//
// Say here why that hurts, and who says so [1]: this comment is the rule's page
// in the catalogue.
//
// # How it decides
//
// Say what is compared with what, and from when on it is a defect.
//
// # What it needs
//
// Say which spans and attributes tell, and what the coverage says without them.
//
// # When it stays silent
//
// Say what looks alike and is fine.
//
// # How to fix it
//
// Name the settings of the common libraries, with their defaults.
//
// # Sources
//
//  1. Title: address
type RuleType struct {
	// Allow is how many retries one call may have.
	Allow int64 ` + "`yaml:\"allow\"`" + `
}

// NewRuleType returns the rule with its default options.
func NewRuleType() RuleType { return RuleType{Allow: 1} }

// About identifies the rule.
func (RuleType) About() analyzer.About {
	return analyzer.About{
		ID: "RULE-ID", Title: "a call was retried more than once",
		Concern: analyzer.When, Severity: analyzer.Warning, Since: "0.1",
	}
}

// Check reports each call beyond Allow.
func (r RuleType) Check(p *analyzer.Pass) {
	for call := range p.Request.Calls() {
		if n := call.Retried(); n > r.Allow {
			p.Report(analyzer.Diagnostic{Call: call, Conf: call.Conf, Text: fmt.Sprintf("%d retries of one call", n)})
		}
	}
}
`

const newScenes = `Each section is a trace. In a bad one every finding stands behind the line it
names; in an ok one the rule is silent. There must be one of each.

-- bad three-attempts --
0+900      web: POST /checkout        503
  10+80      -> payments POST /charge 503
  290+80     -> payments POST /charge 503  // want ` + "`2 retries of one call`" + `
  670+80     -> payments POST /charge 503
-- ok two-attempts --
0+400      web: POST /checkout        200
  10+80      -> payments POST /charge 503
  190+80     -> payments POST /charge 200
`
