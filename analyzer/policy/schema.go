package policy

import (
	_ "embed"
	"encoding/json"
	"reflect"

	"github.com/retryaudit/retryaudit/analyzer"
)

//go:embed policy.schema.json
var base []byte

// Schema returns the JSON Schema (2020-12) of a policy, with the options of the
// rules.
func Schema(rules []analyzer.Rule) []byte {
	var schema map[string]any
	if err := json.Unmarshal(base, &schema); err != nil {
		panic(err) // a test reads it
	}
	options := schema["properties"].(map[string]any)["rules"].(map[string]any)
	options["additionalProperties"] = false
	all := options["properties"].(map[string]any)
	for _, rule := range rules {
		t := reflect.TypeOf(rule)
		options := map[string]any{"severity": map[string]any{"enum": []string{"off", "info", "warning", "error"}, "default": rule.About().Severity.String()}}
		for i, name := range namesOf(t) {
			option := typeOf(fieldsOf(t)[i].Type)
			option["default"] = reflect.ValueOf(rule).FieldByIndex(fieldsOf(t)[i].Index).Interface()
			options[name] = option
		}
		all[rule.About().ID] = map[string]any{
			"description": rule.About().Title, "type": "object", "additionalProperties": false, "properties": options,
		}
	}
	out, err := json.MarshalIndent(schema, "", "  ")
	if err != nil {
		panic(err) // options are numbers, texts, lists and maps of these
	}
	return append(out, '\n')
}

// typeOf is the schema of an option's type.
func typeOf(t reflect.Type) map[string]any {
	switch t.Kind() {
	case reflect.Bool:
		return map[string]any{"type": "boolean"}
	case reflect.Int, reflect.Int64:
		return map[string]any{"type": "integer", "minimum": 0}
	case reflect.Float64:
		return map[string]any{"type": "number", "minimum": 0}
	case reflect.Slice:
		return map[string]any{"type": "array", "items": typeOf(t.Elem())}
	case reflect.Map:
		return map[string]any{"type": "object", "additionalProperties": typeOf(t.Elem())}
	default:
		return map[string]any{"type": "string"}
	}
}
