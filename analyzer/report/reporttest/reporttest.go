// Package reporttest checks JSON reports in the tests of other packages.
package reporttest

import (
	"bytes"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/retryaudit/retryaudit/analyzer/report"
)

// Validate fails t unless data is one JSON report that is valid by
// report.Schema.
func Validate(t testing.TB, data []byte) {
	t.Helper()
	if err := Check(data); err != nil {
		t.Errorf("report: %v", err)
	}
}

// Check returns what makes data no valid report, nil if it is one.
func Check(data []byte) error {
	const url = "report.schema.json"
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(report.Schema()))
	if err != nil {
		return err
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource(url, doc); err != nil {
		return err
	}
	schema, err := c.Compile(url)
	if err != nil {
		return err
	}
	got, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		return err
	}
	return schema.Validate(got)
}
