// Package datadog reads traces of Datadog: lists of traces as tracers send
// them and agents dump them, a trace as its UI downloads it, answers of the
// Spans API, and spans in a list or a line each. (DataDog/datadog-agent
// pkg/trace/api: /v0.4/traces; datadog-api-client SpansAttributes.)
package datadog

import (
	"io"
	"strconv"

	"github.com/retryaudit/retryaudit/ingest/decode"
	"github.com/retryaudit/retryaudit/ingest/record"
)

type decoder struct{ *decode.JSON }

// Read reads spans of Datadog. The result is valid with an error, too. An
// error is one of emit or of r; all that is wrong with the content is a
// problem.
func Read(r io.Reader, lim decode.Limits, emit func(*record.Span) error) (decode.Result, error) {
	d := decoder{decode.NewJSON(r, lim, emit, "a span of Datadog")}
	return d.Records(func() error { return d.record(0) })
}

// maxNested is how deep spans may stand in other records: {"trace":{"spans":…}}.
const maxNested = 2

// record reads a span or an object that holds some.
func (d decoder) record(depth int) error {
	var o decode.Object
	holds := false
	complete, err := d.Partly("span", &o, func(key string) (bool, error) {
		kind := d.Kind()
		switch {
		case depth < maxNested && kind == '{' && (key == "trace" || key == "orchestrated"):
			holds = true
			return true, d.record(depth + 1)
		case depth < maxNested && kind == '{' && key == "spans": // by their IDs
			holds = true
			return true, d.Members("spans", func([]byte) error { return d.span() })
		case depth < maxNested && kind == '[' && (key == "spans" || key == "data" || key == "traces"):
			holds = true
			return true, d.Each(key, d.element)
		case holds:
			return true, d.Skip() // root_id, links and meta of an answer
		}
		return false, nil
	})
	if err != nil || !complete || holds {
		d.Result.Known = d.Result.Known || holds && err == nil
		return err
	}
	if depth > 0 {
		return nil // a trace without spans
	}
	return d.found(&o)
}

// element reads a span, or a trace that is a list of them.
func (d decoder) element() error {
	if d.Kind() == '[' {
		return d.Each("trace", d.span)
	}
	return d.span()
}

func (d decoder) span() error {
	var o decode.Object
	ok, err := d.Object("span", &o)
	if err != nil || !ok {
		return err
	}
	return d.found(&o)
}

// found hands on the span that an object is. The Spans API puts it into a
// member "attributes".
func (d decoder) found(o *decode.Object) error {
	if inner := decode.Member(&o.Value, "attributes"); inner != nil && decode.Member(inner, "span_id") != nil {
		o.Value = *inner
	}
	if decode.Member(&o.Value, "trace_id") == nil || decode.Member(&o.Value, "span_id") == nil {
		d.Foreign(o.Line, o.Offset, "trace_id and span_id")
		return nil
	}
	d.Result.Known = true
	s := record.Span{Line: o.Line, Offset: o.Offset}
	okTrace := d.id(o, "trace ID", "trace_id", s.Trace[:])
	okSpan := d.id(o, "span ID", "span_id", s.ID[:])
	d.id(o, "parent ID", "parent_id", s.Parent[:])
	if !okTrace || !okSpan {
		return nil
	}
	d.fill(o, &s)
	return d.Span(&s)
}

// id reads an ID of 64 bits as a decimal number. Of a trace ID of 128 bits in
// hex the lower half counts, as tracers give the upper one with the first span
// of a trace only (_dd.p.tid).
func (d decoder) id(o *decode.Object, what, name string, to []byte) bool {
	v := decode.Member(&o.Value, name)
	const hex128 = 32
	text := decode.Text(v)
	if len(text) != hex128 {
		if _, err := strconv.ParseUint(text, 10, 64); err == nil || len(text) != hex128/2 {
			return d.DecimalID(o, what, v, to)
		}
		return d.HexID(o, what, v, to) // of a span that was made with OpenTelemetry
	}
	low := record.Value{Type: record.String, S: text[hex128/2:]}
	return d.HexID(o, what, &low, to)
}
