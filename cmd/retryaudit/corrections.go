package main

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/retryaudit/retryaudit/analyzer/trace"
)

// corrections writes the lines of a policy that would say otherwise of a call
// than what was concluded, each once in a tree.
func (t *tree) corrections(c *trace.Call, depth int) {
	if c.Reason == "" && len(c.Attempts) == 1 {
		return // nothing like it was asked before
	}
	edge := func(retry bool) string {
		entry := entry{}
		service, caller := t.callerOf(c)
		entry.add("service", service)
		entry.add("caller", caller)
		entry.add("operation", t.r.Text(c.Upstream.Op))
		if len(entry) == 0 {
			return ""
		}
		return "calls: - {" + strings.Join(entry, ", ") + ", retry: " + strconv.FormatBool(retry) + "}"
	}
	switch {
	case len(c.Attempts) > 1 && c.Pattern != trace.Fallback:
		t.correction(depth, "they are not one call", edge(false))
	case c.Pattern == trace.Page || c.Pattern == trace.Poll || c.Pattern == trace.Single:
		t.correction(depth, "it is another attempt of one before", edge(true))
	}
	if len(c.Attempts) > 1 && c.Owner.Known != trace.Declared {
		entry := entry{}
		entry.add("layer", c.Owner.Layer.String())
		entry.add("service", t.r.Text(c.Owner.Service))
		entry.add("library", t.r.Text(c.Owner.Library))
		entry.add("operation", t.r.Text(c.Owner.Op))
		if len(entry) > 0 {
			t.correction(depth, "somebody else made them", "owners: - {"+strings.Join(entry, ", ")+", as: {layer: sdk, library: NAME}}")
		}
	}
}

func (t *tree) correction(depth int, when, line string) {
	if line == "" || t.corrected[line] {
		return
	}
	if t.corrected == nil {
		t.corrected = map[string]bool{}
	}
	t.corrected[line] = true
	t.line(depth, "to correct: %s  # %s", printable(line), when)
}

// callerOf is the service that asked, and its operation, as a policy names them.
func (t *tree) callerOf(c *trace.Call) (service, operation string) {
	if c.Parent != nil && len(c.Parent.Spans) > 0 {
		around := c.Parent.Spans[len(c.Parent.Spans)-1]
		service, operation = t.r.Text(around.Service), t.r.Text(around.Op)
	}
	for _, a := range c.Attempts {
		for _, s := range a.Spans[:min(1, len(a.Spans))] {
			if s.Kind != trace.Server && s.Kind != trace.Consumer {
				return t.r.Text(s.Service), operation
			}
		}
	}
	return service, operation
}

// entry is the inside of a YAML mapping on one line.
type entry []string

// bare are texts that YAML reads as such without quotes.
var bare = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_./-]*$`)

func (e *entry) add(name, value string) {
	switch {
	case value == "":
	case bare.MatchString(value) && !strings.HasSuffix(value, "."):
		*e = append(*e, name+": "+value)
	default:
		*e = append(*e, name+": "+strconv.Quote(value))
	}
}
