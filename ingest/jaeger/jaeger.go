// Package jaeger reads the JSON of Jaeger: what its UI downloads and its query
// service answers ({"data": [trace, …]}), a trace, a span as it stands in
// Elasticsearch, or a line each of them.
package jaeger

import (
	"io"

	"github.com/retryaudit/retryaudit/ingest/decode"
	"github.com/retryaudit/retryaudit/ingest/record"
)

// decoder reads a trace at a time. Its spans are held until the processes that
// they name have come, as these stand behind them.
type decoder struct {
	*decode.JSON
	processes map[string][]record.Attr // of the current trace, as a resource
	held      []heldSpan
	heldFrom  int64 // offset of the first held span
	elements  int   // of the held spans
	loose     bool  // the spans of this trace were too many to be held
}

type heldSpan struct {
	record.Span
	process string
}

// minElement is what a tag takes in JSON at least, bytes, by which the tags
// that are held are bounded as their text is.
const minElement = 32

// Read reads Jaeger JSON. The result is valid with an error, too. An error is
// one of emit or of r; all that is wrong with the content is a problem.
func Read(r io.Reader, lim decode.Limits, emit func(*record.Span) error) (decode.Result, error) {
	d := &decoder{JSON: decode.NewJSON(r, lim, emit, "a trace of Jaeger", `{"data":`)}
	d.Broken = d.release
	return d.Records(d.record)
}

// record reads an answer of the query service, a trace or a span.
func (d *decoder) record() error {
	line, offset := d.Begin()
	d.processes, d.loose = nil, false
	alone := decode.Object{Line: line, Offset: offset} // a span that is not in a trace
	alone.Type = record.Map
	known := false
	complete, err := d.Limited("record", func() error {
		return d.Members("record", func(name []byte) error {
			is, err := d.member(name)
			if known = known || is; is || err != nil {
				d.Result.Known = d.Result.Known || is
				return err
			}
			if known { // total, errors and the like
				return d.Skip()
			}
			a := record.Attr{Key: string(name)}
			if err := d.Within("span", &a.Value); err != nil {
				return err
			}
			alone.Map = append(alone.Map, a)
			return nil
		})
	})
	if err != nil {
		return err
	}
	if complete && !known && decode.Member(&alone.Value, "spanID") != nil && decode.Member(&alone.Value, "operationName", "startTime") != nil {
		known = true
		d.hold(&alone)
	}
	if complete && !known {
		d.Foreign(line, offset, "spans")
	}
	d.Result.Known = d.Result.Known || known
	return d.release()
}

// member reads a member of a record that holds traces or spans, if it is one.
func (d *decoder) member(name []byte) (is bool, err error) {
	switch string(name) {
	case "data":
		if d.Kind() == '{' {
			return true, d.trace()
		}
		return true, d.Each("data", d.trace)
	case "errors":
		return true, d.errors()
	case "spans":
		return true, d.Each("spans", d.span)
	case "processes":
		return true, d.readProcesses()
	case "_source": // of a document in Elasticsearch
		return true, d.span()
	}
	return false, nil
}

// trace reads an element of data.
func (d *decoder) trace() error {
	d.processes, d.loose = nil, false
	err := d.Members("trace", func(name []byte) error {
		switch string(name) {
		case "spans":
			return d.Each("spans", d.span)
		case "processes":
			return d.readProcesses()
		}
		return d.Skip()
	})
	if err != nil {
		return err
	}
	return d.release()
}

// errors reports what the query service could not do.
func (d *decoder) errors() error {
	line, offset := d.Begin()
	var v record.Value
	if err := d.Value("errors", &v); err != nil {
		return err
	}
	for _, e := range decode.List(&v) {
		d.Problem(decode.FaultValue, line, offset, "Jaeger answered with an error: %s %q; want traces",
			decode.Text(decode.Member(&e, "code")), decode.Excerpt(decode.Text(decode.Member(&e, "msg"))))
	}
	return nil
}

// readProcesses reads who made the spans of a trace.
func (d *decoder) readProcesses() error {
	var v record.Value
	if err := d.Value("processes", &v); err != nil {
		return err
	}
	d.processes = make(map[string][]record.Attr)
	for i := range decode.Map(&v) {
		d.processes[v.Map[i].Key] = resource(&v.Map[i].Value)
	}
	return nil
}

func resource(process *record.Value) []record.Attr {
	out := []record.Attr{{Key: "service.name", Value: text(decode.Text(decode.Member(process, "serviceName")))}}
	return append(out, tags(process)...)
}

func text(s string) record.Value { return record.Value{Type: record.String, S: s} }

// tags returns the tags of a span, a process or a log; Elasticsearch may hold
// them in an object with @ for the dots.
func tags(v *record.Value) []record.Attr {
	out := []record.Attr{}
	for _, list := range []string{"tags", "fields"} {
		for _, tag := range decode.List(decode.Member(v, list)) {
			value := decode.Member(&tag, "value")
			if key := decode.Text(decode.Member(&tag, "key")); key != "" && value != nil {
				out = append(out, record.Attr{Key: key, Value: typed(decode.Text(decode.Member(&tag, "type")), *value)})
			}
		}
	}
	for _, a := range decode.Map(decode.Member(v, "tag")) {
		out = append(out, record.Attr{Key: dots.Replace(a.Key), Value: a.Value})
	}
	return out
}

func (d *decoder) span() error {
	d.Result.Known = true
	var o decode.Object
	ok, err := d.Object("span", &o)
	if err != nil || !ok {
		return err
	}
	if d.hold(&o); d.loose {
		return d.release()
	}
	n := d.Offset() - d.heldFrom
	if n > int64(d.MaxMessage) || d.elements > d.MaxMessage/minElement {
		d.Problem(decode.FaultSize, d.held[0].Line, d.heldFrom, "%d bytes of spans before the processes they name; want at most %d (MaxMessage); read with the process for their service", n, d.MaxMessage)
		d.loose = true
		return d.release()
	}
	return nil
}

// hold converts a span and holds it.
func (d *decoder) hold(o *decode.Object) {
	if len(d.held) == 0 {
		d.heldFrom, d.elements = o.Offset, 0
	}
	h := heldSpan{process: decode.Text(decode.Member(&o.Value, "processID"))}
	if !d.convert(o, &h.Span) {
		return
	}
	if p := decode.Member(&o.Value, "process"); p != nil {
		h.Resource = resource(p)
	}
	d.elements += 1 + d.Elements
	d.held = append(d.held, h)
}

// release hands on the held spans.
func (d *decoder) release() error {
	for i := range d.held {
		h := &d.held[i]
		if r, ok := d.processes[h.process]; ok {
			h.Resource = r
		} else if h.Resource == nil && h.process != "" {
			if !d.loose {
				d.Problem(decode.FaultValue, h.Line, h.Offset, "span %s: process %q is missing; read with it for the service", h.ID, decode.Excerpt(h.process))
			}
			h.Resource = []record.Attr{{Key: "service.name", Value: text(h.process)}}
		}
		if err := d.Span(&h.Span); err != nil {
			return err
		}
	}
	d.held = d.held[:0]
	return nil
}
