package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"

	"github.com/retryaudit/retryaudit/analyzer/policy"
	"github.com/retryaudit/retryaudit/rules"
)

// yamlBlock is a piece of a policy on a page.
var yamlBlock = regexp.MustCompile("(?ms)^```yaml\n(.*?)^```")

// TestPolicyExamples holds that each policy on a page, or piece of one, is read
// and fits the schema that is published.
func TestPolicyExamples(t *testing.T) {
	schema := policySchema(t)
	pages := []string{"../../README.md", "../../CONTRIBUTING.md"}
	for _, pattern := range []string{"docs/*.md", "../../rules/catalog/*.md"} {
		found, err := filepath.Glob(pattern)
		if err != nil || len(found) == 0 {
			t.Fatalf("%s: no pages, %v", pattern, err)
		}
		pages = append(pages, found...)
	}
	n := 0
	for _, path := range pages {
		page, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range yamlBlock.FindAllStringSubmatch(string(page), -1) {
			n++
			text := m[1]
			if !strings.Contains(text, "version:") {
				text = "version: 1\n" + text
			}
			if _, err := policy.Read(strings.NewReader(text), path, rules.All()); err != nil {
				t.Error(err)
			}
			if err := fitsSchema(t, schema, text); err != nil {
				t.Errorf("%s: %v in\n%s", path, err, text)
			}
		}
	}
	if n < len(rules.All()) {
		t.Errorf("found %d examples, want that of the policy and one of each rule with options", n)
	}
	for _, text := range []string{"{version: 1, rules: {retry-ratio: {mox: 0.5}}}", "{version: 1, rules: {retry-ration: {}}}"} {
		if fitsSchema(t, schema, text) == nil {
			t.Errorf("the schema takes %s", text)
		}
	}
}

// policySchema returns the schema that explain prints.
func policySchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	stdout, _, status := run(t, "explain", "policy.schema.json")
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(stdout))
	if err != nil || status != 0 {
		t.Fatalf("status %d: %v", status, err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("policy.schema.json", doc); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("policy.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

// fitsSchema validates YAML as an editor does.
func fitsSchema(t *testing.T, schema *jsonschema.Schema, text string) error {
	t.Helper()
	var value any
	if err := yaml.Unmarshal([]byte(text), &value); err != nil {
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
	return schema.Validate(instance)
}
