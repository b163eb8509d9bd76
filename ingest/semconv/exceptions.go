package semconv

import (
	"strings"

	otel "go.opentelemetry.io/otel/semconv/v1.43.0"

	"github.com/retryaudit/retryaudit/analyzer/trace"
	"github.com/retryaudit/retryaudit/ingest/record"
)

// exceptionsFamily: exceptions and errors as attributes of the span itself.
var exceptionsFamily = family{
	rank: 160,
	rows: []row{
		{key: otel.ErrorTypeKey, to: errorType},
		{key: "error.code", to: errorCode}, // litellm integrations/_types/open_inference.py
		{key: "error.message", to: errorText},
		{key: otel.ExceptionTypeKey, to: exceptionType},
		{key: otel.ExceptionMessageKey, to: exceptionText},
	},
	events: map[string]eventUse{
		"exception":                         exceptionEvent, // specification trace/exceptions.md
		"rpc.client.call.exception":         exceptionEvent, // semantic-conventions
		"gen_ai.client.operation.exception": exceptionEvent, // semantic-conventions-genai
	},
}

// eventUse says what a span event means.
type eventUse uint8

const (
	exceptionEvent eventUse = iota + 1
	firstEvent              // the first of them is the first output
	chunkEvent              // one of many pieces of output
	inputEvent              // a message of the prompt
	retryEvent
	beginEvent     // an attempt began
	againEvent     // an attempt after the first began
	failedTryEvent // an attempt failed
	cancelEvent
	doneEvent // the run ended well
	failEvent // the run failed, whatever the status
)

// interrupts are exceptions by which a run is put off until a person has
// answered (langgraph libs/langgraph/langgraph/errors.py).
var interrupts = map[string]bool{"GraphInterrupt": true, "NodeInterrupt": true, "GraphBubbleUp": true}

// typeName is the name of a type without its package.
func typeName(s string) string { return s[strings.LastIndexByte(s, '.')+1:] }

// readEvents takes in the events of the record.
func (n *Normalizer) readEvents(all []record.Event) {
	inputs := uint64(0)
	for i := range all {
		e := &all[i]
		switch events[e.Name] {
		case exceptionEvent:
			n.exceptions++
			for j := range e.Attrs {
				switch a := &e.Attrs[j]; a.Key {
				case string(otel.ExceptionTypeKey):
					n.at[exceptionType] = &a.Value
					if interrupts[typeName(text(&a.Value))] {
						n.said, n.suspended = trace.OK, true
					}
				case string(otel.ExceptionMessageKey):
					n.at[exceptionText] = &a.Value
				case string(otel.ExceptionStacktraceKey):
					n.readStack(text(&a.Value))
				}
			}
		case firstEvent:
			n.output(e.Time)
		case chunkEvent:
			n.facts.Chunks = max(0, n.facts.Chunks) + 1
			n.output(e.Time)
		case inputEvent:
			for j := range e.Attrs {
				if a := &e.Attrs[j]; a.Key == "content" || a.Key == "gen_ai.prompt" || a.Key == "gen_ai.event.content" {
					inputs++ // the same two messages the other way round are another prompt
					n.messages += inputs * (n.hash(e.Name) ^ n.hash(text(&a.Value)))
				}
			}
		case retryEvent:
			if isFirst(e) {
				continue
			}
			n.event(trace.RetryEvent, e.Time)
		case beginEvent:
			if n.tries.begun++; n.tries.begun > 1 {
				n.event(trace.RetryEvent, e.Time)
			}
		case againEvent:
			if !strings.HasPrefix(n.record.Scope, "prefect") {
				continue // a word that others use, too
			}
			n.tries.again++
			n.event(trace.RetryEvent, e.Time)
		case failedTryEvent:
			n.tries.failed++
			n.event(trace.RetryEvent, e.Time)
		case cancelEvent:
			n.event(trace.CancelEvent, e.Time)
			if n.facts.CancelledAt == 0 {
				n.facts.CancelledAt = e.Time
			}
		case doneEvent:
			if n.said == trace.Unstated {
				n.said = trace.OK
			}
		case failEvent:
			n.said = trace.Failed
			for j := range e.Attrs {
				if strings.HasSuffix(e.Attrs[j].Key, "reason") {
					n.at[errorText] = &e.Attrs[j].Value
				}
			}
		}
	}
}

// isFirst reports whether an event with a number, counted from 0, is that of a
// first attempt.
func isFirst(e *record.Event) bool {
	for i := range e.Attrs {
		if e.Attrs[i].Key == "attempt" {
			v, ok := integer(&e.Attrs[i].Value)
			return ok && v == 0
		}
	}
	return false
}

// output records that output had been delivered at a time.
func (n *Normalizer) output(at int64) {
	if at > 0 && (n.facts.FirstOutput == 0 || at < n.facts.FirstOutput) {
		n.facts.FirstOutput = at
	}
	n.factual = true
}

func (n *Normalizer) event(kind trace.EventKind, at int64) {
	n.events = append(n.events, trace.Event{Kind: kind, At: at})
}
