package ruletest

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/retryaudit/retryaudit/analyzer"
	"github.com/retryaudit/retryaudit/analyzer/spell"
)

// configure returns the rule with options decoded onto its fields; the rule
// itself stays as it is.
func configure(rule analyzer.Rule, options map[string]string) (analyzer.Rule, error) {
	if len(options) == 0 {
		return rule, nil
	}
	if reflect.TypeOf(rule).Kind() != reflect.Struct {
		return nil, fmt.Errorf("found a rule of type %T, wanted a struct value", rule)
	}
	target := reflect.New(reflect.TypeOf(rule))
	target.Elem().Set(reflect.ValueOf(rule))
	var known []string
	for i := range target.Elem().NumField() {
		field, value := target.Elem().Type().Field(i), target.Elem().Field(i)
		if !field.IsExported() {
			continue
		}
		name, _, _ := strings.Cut(field.Tag.Get("yaml"), ",")
		if name == "" {
			name = strings.ToLower(field.Name)
		}
		known = append(known, name)
		if value.Kind() == reflect.Map && !value.IsNil() {
			// The decoder adds to a map: the default's must not change.
			own := reflect.MakeMap(value.Type())
			for _, k := range value.MapKeys() {
				own.SetMapIndex(k, value.MapIndex(k))
			}
			value.Set(own)
		}
	}
	var doc strings.Builder
	for _, name := range slices.Sorted(maps.Keys(options)) {
		switch {
		case len(known) == 0:
			return nil, fmt.Errorf("found option %q, wanted none: the rule has no options", name)
		case !slices.Contains(known, name):
			return nil, fmt.Errorf("found option %q, wanted a known one such as %q", name, cmp.Or(spell.Nearest(name, known), known[0]))
		}
		doc.WriteString(name + ": " + options[name] + "\n")
	}
	decoder := yaml.NewDecoder(strings.NewReader(doc.String()))
	decoder.KnownFields(true)
	if err := decoder.Decode(target.Interface()); err != nil {
		return nil, fmt.Errorf("options: %w", err)
	}
	configured, ok := target.Elem().Interface().(analyzer.Rule)
	if !ok {
		return nil, fmt.Errorf("found a rule of type %T, wanted its methods on the value", rule)
	}
	return configured, nil
}
