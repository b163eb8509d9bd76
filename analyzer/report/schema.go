package report

import _ "embed"

//go:embed report.schema.json
var schema string

// Schema returns the JSON Schema (2020-12) of what JSON writes.
func Schema() []byte { return []byte(schema) }
