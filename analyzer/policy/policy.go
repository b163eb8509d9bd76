// Package policy reads retryaudit.yaml: what the people of a system know better
// than its spans, and what they ask of them.
//
// A policy is read strictly. What it cannot mean is an error with its line, what
// was found and what was wanted; all errors of a file come at once.
package policy

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/retryaudit/retryaudit/analyzer"
	"github.com/retryaudit/retryaudit/analyzer/spell"
	"github.com/retryaudit/retryaudit/analyzer/trace"
)

// Name is the file in which a policy is looked for.
const Name = "retryaudit.yaml"

// maxSize bounds a policy, in bytes: people write it.
const maxSize = 1 << 20

// Policy is a file that was read without an error.
type Policy struct {
	// Attributes names what holds facts that the tables cannot know.
	Attributes Attributes
	// Settings goes into the suite.
	Settings analyzer.Settings
	// Rules are those given to Read, with their options.
	Rules []analyzer.Rule
}

// Attributes are names of attributes and request headers.
type Attributes struct {
	RequestIDs  []string   `yaml:"request_ids"`  // hold the ID of a request
	Attempts    []Attempt  `yaml:"attempts"`     // number the attempts of a call
	MaxAttempts []string   `yaml:"max_attempts"` // hold how many attempts a call may have
	Deadlines   []Deadline `yaml:"deadlines"`    // hold the time that a call has, or the point in time until which
}

// Attempt is an attribute with the number of an attempt.
type Attempt struct {
	Name  string `yaml:"name"`
	First int64  `yaml:"first"` // the number of the first attempt
}

// Deadline is an attribute with the time that a call has.
type Deadline struct {
	Name string `yaml:"name"`
	Unit Unit   `yaml:"unit"`
}

// Unit is how a deadline is written; empty is ms.
type Unit string

// units are ms and s from the start of the span, and points in time: ms and s
// since the Unix epoch, and a date of RFC 3339.
var units = []Unit{"ms", "s", "epoch_ms", "epoch_s", "date"}

// Duration returns the length of the unit; that of a date is 0.
func (u Unit) Duration() time.Duration {
	switch u {
	case "s", "epoch_s":
		return time.Second
	case "date":
		return 0
	}
	return time.Millisecond
}

// Point reports whether the value is a point in time.
func (u Unit) Point() bool { return u != "" && u != "ms" && u != "s" }

// file is a policy as it is written.
type file struct {
	Version    int                  `yaml:"version"`
	Attributes Attributes           `yaml:"attributes"`
	Owners     []owner              `yaml:"owners"`
	Calls      []call               `yaml:"calls"`
	Prices     prices               `yaml:"prices"`
	Rules      map[string]yaml.Node `yaml:"rules"`
}

type owner struct {
	Layer       string `yaml:"layer"`
	Service     string `yaml:"service"`
	Library     string `yaml:"library"`
	Operation   string `yaml:"operation"`
	Upstream    string `yaml:"upstream"`
	Keep        bool   `yaml:"keep"`
	MaxAttempts int64  `yaml:"max_attempts"`
	As          struct {
		Layer   string `yaml:"layer"`
		Service string `yaml:"service"`
		Library string `yaml:"library"`
	} `yaml:"as"`
}

type call struct {
	Service   string `yaml:"service"`
	Caller    string `yaml:"caller"`
	Operation string `yaml:"operation"`
	Upstream  string `yaml:"upstream"`
	Retry     *bool  `yaml:"retry"`
}

type prices struct {
	Currency string  `yaml:"currency"`
	Models   []price `yaml:"models"`
}

type price struct {
	Model  string  `yaml:"model"`
	Input  float64 `yaml:"input"`
	Output float64 `yaml:"output"`
}

// Read reads a policy; path names it in errors. Rules are all that there are,
// with their default options.
func Read(r io.Reader, path string, rules []analyzer.Rule) (*Policy, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxSize+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	d := &decoder{path: path}
	if len(data) > maxSize {
		return nil, d.at(0, "found more than %d bytes, want a policy that people write", maxSize)
	}
	var doc yaml.Node
	in := yaml.NewDecoder(bytes.NewReader(data))
	if err := in.Decode(&doc); err != nil && !errors.Is(err, io.EOF) {
		return nil, d.noYAML(err)
	}
	if len(doc.Content) == 0 {
		return nil, d.at(1, "found nothing, want version: 1 and what else there is to say")
	}
	var second yaml.Node
	if err := in.Decode(&second); err == nil {
		return nil, d.at(second.Line, "found a second document, want one")
	} else if !errors.Is(err, io.EOF) {
		return nil, d.noYAML(err)
	}
	root := doc.Content[0]
	var f file
	var p *Policy
	if sound := d.decode(root, &f); sound != nil {
		p = d.policy(sound, &f, rules)
	}
	if root.Kind == yaml.MappingNode && child(root, "version") == nil {
		d.flaws = append(d.flaws, flaw{root, "found no version, want version: 1"})
	}
	if err := d.err(); err != nil {
		return nil, err
	}
	return p, nil
}

// policy checks what a file says, and puts it into the words of the analyzer.
func (d *decoder) policy(root *yaml.Node, f *file, rules []analyzer.Rule) *Policy {
	p := &Policy{Attributes: f.Attributes}
	if version := child(root, "version"); version != nil && f.Version != 1 {
		d.fail(version, root, "found version %d, want version: 1", f.Version)
	}
	d.attributes(child(root, "attributes"), &f.Attributes)
	p.Settings.Names = fmt.Sprintf("%+v", f.Attributes)
	for i, o := range f.Owners {
		at := item(child(root, "owners"), i)
		if !strings.ContainsAny(o.Layer, "*?") {
			d.layer(child(at, "layer"), o.Layer)
		}
		d.layer(child(child(at, "as"), "layer"), o.As.Layer)
		set := analyzer.OwnerSetting{
			Layer: o.Layer, Service: o.Service, Library: o.Library, Operation: o.Operation, Upstream: o.Upstream,
			Keep: o.Keep, MaxAttempts: o.MaxAttempts,
		}
		set.As = analyzer.OwnerName{Layer: trace.LayerOf(o.As.Layer), Service: o.As.Service, Library: o.As.Library}
		said := o.Keep || o.MaxAttempts != 0 || o.As.Layer != "" || o.As.Service != "" || o.As.Library != ""
		switch {
		case o.MaxAttempts < 0 || o.MaxAttempts > maxAttempts:
			d.fail(child(at, "max_attempts"), at, "found %d, want how many attempts of a call the owner may make, the first included", o.MaxAttempts)
		case !said:
			d.fail(at, root, "found an owner of which nothing is said, want keep, max_attempts or as")
		}
		p.Settings.Owners = append(p.Settings.Owners, set)
	}
	for i, c := range f.Calls {
		at := item(child(root, "calls"), i)
		if c.Retry == nil {
			d.fail(at, root, "found a call of which nothing is said, want retry: true or retry: false")
			continue
		}
		if c.Service == "" && c.Caller == "" && c.Operation == "" && c.Upstream == "" {
			d.fail(at, root, "found nothing that tells these calls from others, want service, caller, operation or upstream")
		}
		p.Settings.Calls = append(p.Settings.Calls, analyzer.CallSetting{
			Service: c.Service, Caller: c.Caller, Operation: c.Operation, Upstream: c.Upstream, Retry: *c.Retry,
		})
	}
	d.prices(child(root, "prices"), &f.Prices, &p.Settings)
	d.rules(child(root, "rules"), f.Rules, rules, p)
	return p
}

// maxAttempts is more than any owner makes.
const maxAttempts = 1 << 16

func (d *decoder) attributes(at *yaml.Node, a *Attributes) {
	for _, list := range []struct {
		key   string
		names []string
	}{{"request_ids", a.RequestIDs}, {"max_attempts", a.MaxAttempts}} {
		for i, name := range list.names {
			if name == "" {
				d.fail(item(child(at, list.key), i), at, `found "", want the name of an attribute or a request header`)
			}
		}
	}
	for i, n := range a.Attempts {
		entry := item(child(at, "attempts"), i)
		if n.Name == "" {
			d.fail(entry, at, "found no name, want that of an attribute or a request header")
		}
		if n.First != 0 && n.First != 1 {
			d.fail(child(entry, "first"), entry, "found %d, want the number of the first attempt: 0 or 1", n.First)
		}
	}
	for i, n := range a.Deadlines {
		entry := item(child(at, "deadlines"), i)
		if n.Name == "" {
			d.fail(entry, at, "found no name, want that of an attribute or a request header")
		}
		if n.Unit != "" && !slices.Contains(units, n.Unit) {
			d.fail(child(entry, "unit"), entry, "found %q, want ms or s from the span's start, or until epoch_ms, epoch_s or date", n.Unit)
		}
	}
}

// layer checks the name of a layer.
func (d *decoder) layer(at *yaml.Node, name string) {
	if name == "" {
		return
	}
	var names []string
	for l := trace.Transport; l <= trace.User; l++ {
		names = append(names, l.String())
	}
	if !slices.Contains(names, name) {
		d.fail(at, at, "found %q, want %s", name, wanted(name, names))
	}
}

func (d *decoder) prices(at *yaml.Node, in *prices, out *analyzer.Settings) {
	out.Currency = in.Currency
	if len(in.Models) > 0 && in.Currency == "" {
		d.fail(at, at, "found prices without a currency, want currency: USD or another")
	}
	for i, m := range in.Models {
		entry := item(child(at, "models"), i)
		if m.Model == "" {
			d.fail(entry, at, "found a price without a model, want its name; * stands for any text")
		}
		d.price(entry, "input", m.Input)
		d.price(entry, "output", m.Output)
		out.Prices = append(out.Prices, analyzer.Price{Model: m.Model, Input: int64(math.Round(m.Input * 1e6)), Output: int64(math.Round(m.Output * 1e6))})
	}
}

func (d *decoder) price(entry *yaml.Node, key string, n float64) {
	if !(n >= 0 && n <= 1e6) {
		d.fail(child(entry, key), entry, "found %v, want what a million tokens cost", n)
	}
}

// rules configures the rules that are named.
func (d *decoder) rules(at *yaml.Node, options map[string]yaml.Node, all []analyzer.Rule, p *Policy) {
	known := map[string]bool{}
	var ids []string
	for _, rule := range all {
		id := rule.About().ID
		known[id], ids = true, append(ids, id)
		node, ok := options[id]
		if !ok {
			p.Rules = append(p.Rules, rule)
			continue
		}
		if grade := take(&node, "severity"); grade != nil {
			grades := []string{"off", "info", "warning", "error"}
			g := slices.Index(grades, grade.Value)
			if flaws := check(grade, reflect.TypeFor[string](), "severity"); flaws != nil {
				d.flaws = append(d.flaws, flaws...)
			} else if g < 0 {
				d.fail(grade, grade, "found %q, want %s", grade.Value, wanted(grade.Value, grades))
			}
			if p.Settings.Severities == nil {
				p.Settings.Severities = map[string]analyzer.Grade{}
			}
			p.Settings.Severities[id] = analyzer.Grade(max(0, g))
		}
		configured, flaws := configure(rule, &node)
		d.flaws = append(d.flaws, flaws...)
		if configured != nil {
			p.Rules = append(p.Rules, configured)
		}
	}
	if at == nil || at.Kind != yaml.MappingNode {
		return
	}
	for i := 0; i+1 < len(at.Content); i += 2 {
		if key := at.Content[i]; !known[key.Value] {
			d.fail(key, key, "found the rule %q, want %s", key.Value, wanted(key.Value, ids))
		}
	}
}

// take removes a key from a mapping and returns its value, nil without.
func take(node *yaml.Node, key string) *yaml.Node {
	if node.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(node.Content); i += 2 {
		if node.Content[i].Value == key {
			value := node.Content[i+1]
			node.Content = slices.Delete(slices.Clone(node.Content), i, i+2)
			return value
		}
	}
	return nil
}

// wanted names the nearest of the known names, or all.
func wanted(name string, known []string) string {
	if near := spell.Nearest(name, known); near != "" {
		return fmt.Sprintf("a known one such as %q", near)
	}
	return "one of " + strings.Join(known, ", ")
}
