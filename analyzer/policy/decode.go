package policy

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/retryaudit/retryaudit/analyzer"
)

// decoder collects what is wrong with a file.
type decoder struct {
	path string
	errs []error
}

// at is an error of a line; 0 is the whole file.
func (d *decoder) at(line int, format string, args ...any) error {
	text := fmt.Sprintf(format, args...)
	if line == 0 {
		return fmt.Errorf("%s: %s", d.path, text)
	}
	return fmt.Errorf("%s:%d: %s", d.path, line, text)
}

// maxErrors bounds how many errors of a file are told.
const maxErrors = 20

// fail notes an error at a node, or where that is missing at the one around it.
func (d *decoder) fail(node, around *yaml.Node, format string, args ...any) {
	if node == nil {
		node = around
	}
	line := 0
	if node != nil {
		line = node.Line
	}
	if len(d.errs) < maxErrors {
		d.errs = append(d.errs, d.at(line, format, args...))
	}
}

// decode puts node into the value that into points to, if it is all of the
// type that is wanted there.
func (d *decoder) decode(node *yaml.Node, into any) {
	for _, f := range check(node, reflect.TypeOf(into).Elem(), "") {
		d.fail(f.node, node, "%s", f.text)
	}
	if len(d.errs) > 0 {
		return
	}
	if err := node.Decode(into); err != nil {
		d.errs = append(d.errs, fmt.Errorf("%s: %s", d.path, strings.TrimPrefix(err.Error(), "yaml: ")))
	}
}

// flaw is what is wrong with a node.
type flaw struct {
	node *yaml.Node
	text string
}

// nodeType is the type of values whose form is checked elsewhere.
var nodeType = reflect.TypeFor[yaml.Node]()

// check says what keeps a node from being a value of a type. Of names it wants
// the nearest known one; name is that of the node, empty for the whole.
func check(node *yaml.Node, t reflect.Type, name string) []flaw {
	if node.Kind == yaml.AliasNode {
		return []flaw{{node, "found an alias, want the value itself"}}
	}
	of := ""
	if name != "" {
		of = " for " + name
	}
	wrong := func(want string) []flaw {
		found := map[yaml.Kind]string{yaml.MappingNode: "names with values", yaml.SequenceNode: "a list"}[node.Kind]
		if found == "" {
			found = fmt.Sprintf("%q", node.Value)
		}
		return []flaw{{node, fmt.Sprintf("found %s%s, want %s", found, of, want)}}
	}
	scalar := func(want string, tags ...string) []flaw {
		if node.Kind != yaml.ScalarNode || !slices.Contains(tags, node.Tag) {
			return wrong(want)
		}
		return nil
	}
	switch {
	case t == nodeType:
		return nil
	case t.Kind() == reflect.Pointer:
		return check(node, t.Elem(), name)
	}
	switch t.Kind() {
	case reflect.Struct, reflect.Map:
		if node.Kind != yaml.MappingNode {
			return wrong("names with values")
		}
		return checkMapping(node, t)
	case reflect.Slice:
		if node.Kind != yaml.SequenceNode {
			return wrong("a list")
		}
		var flaws []flaw
		for _, n := range node.Content {
			flaws = append(flaws, check(n, t.Elem(), name)...)
		}
		return flaws
	case reflect.Bool:
		return scalar("true or false", "!!bool")
	case reflect.Int, reflect.Int64:
		if flaws := scalar("a whole number", "!!int"); flaws != nil {
			return flaws
		}
		if node.Decode(reflect.New(t).Interface()) != nil {
			return wrong("a whole number that a computer can count to")
		}
	case reflect.Float64:
		return scalar("a number", "!!int", "!!float")
	case reflect.String:
		return scalar("a text", "!!str", "!!int", "!!float", "!!bool", "!!timestamp")
	default:
		return wrong("something that can be read, which a " + t.String() + " cannot")
	}
	return nil
}

func checkMapping(node *yaml.Node, t reflect.Type) []flaw {
	var flaws []flaw
	var known []string
	if t.Kind() == reflect.Struct {
		known = namesOf(t)
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(node.Content); i += 2 {
		key, value := node.Content[i], node.Content[i+1]
		switch {
		case key.Kind != yaml.ScalarNode:
			flaws = append(flaws, flaw{key, "found a name that is no text, want one"})
			continue
		case seen[key.Value]:
			flaws = append(flaws, flaw{key, fmt.Sprintf("found %q again, want it once", key.Value)})
			continue
		}
		seen[key.Value] = true
		if t.Kind() == reflect.Map {
			flaws = append(flaws, check(value, t.Elem(), key.Value)...)
			continue
		}
		at := slices.Index(known, key.Value)
		switch {
		case at < 0 && len(known) == 0:
			flaws = append(flaws, flaw{key, fmt.Sprintf("found %q, want nothing: there are no options", key.Value)})
		case at < 0:
			flaws = append(flaws, flaw{key, fmt.Sprintf("found %q, want %s", key.Value, wanted(key.Value, known))})
		default:
			flaws = append(flaws, check(value, fieldsOf(t)[at].Type, key.Value)...)
		}
	}
	return flaws
}

// fieldsOf returns the fields of a struct that a file may name.
func fieldsOf(t reflect.Type) []reflect.StructField {
	var all []reflect.StructField
	for i := range t.NumField() {
		if f := t.Field(i); f.IsExported() {
			all = append(all, f)
		}
	}
	return all
}

func namesOf(t reflect.Type) []string {
	var names []string
	for _, f := range fieldsOf(t) {
		name, _, _ := strings.Cut(f.Tag.Get("yaml"), ",")
		if name == "" {
			name = strings.ToLower(f.Name)
		}
		names = append(names, name)
	}
	return names
}

// child returns the value of a key, nil without.
func child(node *yaml.Node, key string) *yaml.Node {
	if node == nil || node.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(node.Content); i += 2 {
		if node.Content[i].Value == key {
			return node.Content[i+1]
		}
	}
	return nil
}

// item returns a value of a list, nil without.
func item(node *yaml.Node, i int) *yaml.Node {
	if node == nil || node.Kind != yaml.SequenceNode || i >= len(node.Content) {
		return nil
	}
	return node.Content[i]
}

// configure returns the rule with the options of a mapping in place of its own;
// the rule itself stays as it is.
func configure(rule analyzer.Rule, options *yaml.Node) (analyzer.Rule, []flaw) {
	t := reflect.TypeOf(rule)
	if t.Kind() != reflect.Struct {
		return nil, []flaw{{options, fmt.Sprintf("found a rule of type %T, want a struct value", rule)}}
	}
	if flaws := check(options, t, rule.About().ID); len(flaws) > 0 {
		return nil, flaws
	}
	target := reflect.New(t)
	target.Elem().Set(reflect.ValueOf(rule))
	for i := range t.NumField() {
		if value := target.Elem().Field(i); value.Kind() == reflect.Map && !value.IsNil() {
			// The decoder adds to a map: the default's must not change.
			own := reflect.MakeMap(value.Type())
			for _, k := range value.MapKeys() {
				own.SetMapIndex(k, value.MapIndex(k))
			}
			value.Set(own)
		}
	}
	if err := options.Decode(target.Interface()); err != nil {
		return nil, []flaw{{options, strings.TrimPrefix(err.Error(), "yaml: ")}}
	}
	configured, ok := target.Elem().Interface().(analyzer.Rule)
	if !ok {
		return nil, []flaw{{options, fmt.Sprintf("found a rule of type %T, want its methods on the value", rule)}}
	}
	return configured, nil
}

// Options reads the options of a rule from a text: "max: 3\n".
func Options(rule analyzer.Rule, text string) (analyzer.Rule, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(text), &doc); err != nil {
		return nil, err
	}
	if len(doc.Content) == 0 {
		return rule, nil
	}
	configured, flaws := configure(rule, doc.Content[0])
	var errs []error
	for _, f := range flaws {
		errs = append(errs, errors.New(f.text))
	}
	return configured, errors.Join(errs...)
}
