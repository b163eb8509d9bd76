package main

import (
	"cmp"
	"regexp"
	"strconv"
	"strings"

	"github.com/retryaudit/retryaudit/analyzer/trace"
)

// corrections writes the lines of a policy that would say otherwise of a call
// than what was concluded, each once in a tree. Calls come in order of start
// below the attempt that made them.
func (t *tree) corrections(c *trace.Call, depth int) {
	switch {
	case c.Known == trace.Policy:
	case len(c.Attempts) > 1 && c.Pattern != trace.Fallback:
		t.correction(depth, "they are not one call", "calls", t.edge(c, false))
		if c.List {
			t.correction(depth, "they are, and no list of things", "calls", t.edge(c, true))
		}
	case t.failedBefore(c):
		t.correction(depth, "it is another attempt of the one that failed before it", "calls", t.edge(c, true))
	}
	if last := c.Attempts[len(c.Attempts)-1]; last.Failed() {
		like := likeCall{c.Parent, c.Identity}
		if end, ok := t.failed[like]; !ok || last.End < end {
			t.failed[like] = last.End
		}
	}
	if len(c.Attempts) == 1 || c.Owner.Known == trace.Declared || c.Owner.Known == trace.Policy {
		return
	}
	var owner entry
	owner.add("layer", c.Owner.Layer.String())
	owner.add("service", t.r.Text(c.Owner.Service))
	owner.add("library", t.r.Text(c.Owner.Library))
	owner.add("operation", t.r.Text(c.Owner.Op))
	if len(owner) > 0 {
		owner = append(owner, "as: {layer: sdk, library: NAME}")
		t.correction(depth, "somebody else made them", "owners", owner)
	}
}

// likeCall is what equal calls of one caller have in common.
type likeCall struct {
	parent   *trace.Attempt
	identity uint64
}

// failedBefore reports whether a call that is taken for one of its own came
// after an equal one had failed, so that a policy can make both one.
func (t *tree) failedBefore(c *trace.Call) bool {
	switch c.Pattern {
	case trace.Single, trace.Page, trace.Poll, trace.Split, trace.Probe:
		end, ok := t.failed[likeCall{c.Parent, c.Identity}]
		return ok && end <= c.Attempts[0].Start
	}
	return false // a redirect or a challenge is answered, whatever anybody says
}

// edge names the calls of a caller as a policy does.
func (t *tree) edge(c *trace.Call, retry bool) entry {
	var e entry
	service, caller := t.callerOf(c)
	e.add("service", service)
	e.add("caller", caller)
	e.add("operation", t.r.Text(c.Upstream.Op))
	if service == "" { // else one of any callee would do
		e.add("upstream", cmp.Or(t.r.Text(c.Upstream.Service), t.r.Text(c.Upstream.Address)))
	}
	if len(e) == 0 {
		return nil
	}
	return append(e, "retry: "+strconv.FormatBool(retry))
}

// correction writes a line that can be added to a policy as it is, or to the
// list under its key if the policy has that.
func (t *tree) correction(depth int, when, key string, e entry) {
	line := "{" + strings.Join(e, ", ") + "}"
	if len(e) == 0 || t.corrected[line] {
		return
	}
	t.corrected[line] = true
	if t.has[key] {
		t.line(depth, "to correct: add to %s: %s  # %s", key, printable(line), when)
		return
	}
	t.line(depth, "to correct: %s: [%s]  # %s", key, printable(line), when)
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

// bare are texts that YAML reads as such without quotes, unless they are words
// for something else.
var (
	bare  = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_./-]*$`)
	words = regexp.MustCompile(`(?i)^(true|false|yes|no|on|off|y|n|null)$`)
)

func (e *entry) add(name, value string) {
	switch {
	case value == "":
	case bare.MatchString(value) && !words.MatchString(value):
		*e = append(*e, name+": "+value)
	default:
		*e = append(*e, name+": "+strconv.Quote(value))
	}
}
