package policy

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/retryaudit/retryaudit/analyzer"
)

// decoder collects what is wrong with a file.
type decoder struct {
	path  string
	flaws []flaw
	// spoiled are the mappings and lists out of which something of the wrong form
	// was left: what else they lack is not told, as they may have meant it.
	spoiled map[*yaml.Node]bool
}

// flaw is what is wrong with a node; nil is the whole file.
type flaw struct {
	node *yaml.Node
	text string
}

// maxErrors bounds how many errors of a file are told.
const maxErrors = 20

// err returns all errors in order of their lines, nil without.
func (d *decoder) err() error {
	line := func(f flaw) int {
		if f.node == nil {
			return 0
		}
		return f.node.Line
	}
	slices.SortStableFunc(d.flaws, func(a, b flaw) int { return cmp.Compare(line(a), line(b)) })
	var errs []error
	for _, f := range d.flaws[:min(len(d.flaws), maxErrors)] {
		errs = append(errs, d.at(line(f), "%s", f.text))
	}
	if more := len(d.flaws) - maxErrors; more > 0 {
		errs = append(errs, d.at(0, "%d errors more", more))
	}
	return errors.Join(errs...)
}

// at is an error of a line; 0 is the whole file.
func (d *decoder) at(line int, format string, args ...any) error {
	text := fmt.Sprintf(format, args...)
	if line == 0 {
		return fmt.Errorf("%s: %s", d.path, text)
	}
	return fmt.Errorf("%s:%d: %s", d.path, line, text)
}

// syntax is how the library says where a text is no YAML.
var syntax = regexp.MustCompile(`^yaml: (?:line (\d+): )?(.*)`)

// noYAML is the error of a text that is none.
func (d *decoder) noYAML(err error) error {
	m := syntax.FindStringSubmatch(err.Error())
	if m == nil {
		return fmt.Errorf("%s: %w", d.path, err)
	}
	line, _ := strconv.Atoi(m[1])
	return d.at(line, "%s, want YAML", m[2])
}

// fail notes an error at a node, or where that is missing at the one around it.
func (d *decoder) fail(node, around *yaml.Node, format string, args ...any) {
	if node == nil {
		node = around
	}
	if !d.spoiled[node] {
		d.flaws = append(d.flaws, flaw{node, fmt.Sprintf(format, args...)})
	}
}

// decode puts node into the value that into points to, without what is not of
// the type that is wanted there. It returns the node without that, nil where
// nothing is left.
func (d *decoder) decode(node *yaml.Node, into any) *yaml.Node {
	d.flaws = check(node, reflect.TypeOf(into).Elem(), "")
	wrong := map[*yaml.Node]bool{}
	for _, f := range d.flaws {
		wrong[f.node] = true
	}
	if wrong[node] {
		return nil
	}
	d.spoiled = map[*yaml.Node]bool{}
	node = d.sound(node, wrong)
	if err := node.Decode(into); err != nil {
		d.flaws = append(d.flaws, flaw{nil, strings.TrimPrefix(err.Error(), "yaml: ")})
		return nil
	}
	return node
}

// sound returns a copy of a node without what is wrong below it.
func (d *decoder) sound(node *yaml.Node, wrong map[*yaml.Node]bool) *yaml.Node {
	c := *node
	c.Content = nil
	step := 1
	if node.Kind == yaml.MappingNode {
		step = 2 // a name and its value
	}
	for i := 0; i+step <= len(node.Content); i += step {
		entry := node.Content[i : i+step]
		if slices.ContainsFunc(entry, func(n *yaml.Node) bool { return wrong[n] }) {
			d.spoiled[&c] = true
			continue
		}
		for _, n := range entry {
			c.Content = append(c.Content, d.sound(n, wrong))
		}
	}
	return &c
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
		found := fmt.Sprintf("%q", node.Value)
		switch {
		case node.Kind == yaml.MappingNode:
			found = "names with values"
		case node.Kind == yaml.SequenceNode:
			found = "a list"
		case node.Tag == "!!null":
			found = "nothing"
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
		if n := new(int64); node.Decode(n) != nil || *n < 0 {
			return wrong("a whole number from 0 to 9223372036854775807")
		}
	case reflect.Float64:
		if flaws := scalar("a number", "!!int", "!!float"); flaws != nil {
			return flaws
		}
		if n := new(float64); node.Decode(n) != nil || !(*n >= 0 && *n <= math.MaxFloat64) {
			return wrong("a number from 0 up")
		}
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
	seen := map[string]int{} // the line
	for i := 0; i+1 < len(node.Content); i += 2 {
		key, value := node.Content[i], node.Content[i+1]
		switch {
		case key.Kind != yaml.ScalarNode:
			flaws = append(flaws, flaw{key, "found a name that is no text, want one"})
			continue
		case seen[key.Value] > 0:
			flaws = append(flaws, flaw{key, fmt.Sprintf("found %q again, want it once, with what line %d has of it", key.Value, seen[key.Value])})
			continue
		}
		seen[key.Value] = key.Line
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
	if v, ok := configured.(analyzer.Validator); ok {
		if err := v.Validate(); err != nil {
			return nil, []flaw{{options, err.Error()}}
		}
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
