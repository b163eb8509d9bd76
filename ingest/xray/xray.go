// Package xray reads segment documents of AWS X-Ray: the answers of
// BatchGetTraces, documents in a list or a line each, and what SDKs send to the
// daemon, which begins each document with a header of its own. (AWS X-Ray
// developer guide, "Segment documents"; opentelemetry-collector-contrib
// receiver/awsxrayreceiver.)
package xray

import (
	"io"

	"github.com/retryaudit/retryaudit/ingest/decode"
	"github.com/retryaudit/retryaudit/ingest/record"
)

// decoder reads a segment document at a time.
type decoder struct{ *decode.JSON }

// Read reads segment documents; each segment and each subsegment is a span.
// The result is valid with an error, too. An error is one of emit or of r; all
// that is wrong with the content is a problem.
func Read(r io.Reader, lim decode.Limits, emit func(*record.Span) error) (decode.Result, error) {
	d := decoder{decode.NewJSON(r, lim, emit, "a segment of X-Ray")}
	return d.Records(d.record)
}

// record reads an answer, a trace, a document or the daemon's header.
func (d decoder) record() error {
	var o decode.Object
	holds := false
	complete, err := d.Partly("segment", &o, func(key string) (bool, error) {
		switch key {
		case "Traces", "traces":
			holds = true
			return true, d.Each(key, d.trace)
		case "Segments", "segments":
			holds = true
			return true, d.Each(key, d.document)
		}
		if holds { // NextToken and the like
			return true, d.Skip()
		}
		return false, nil
	})
	switch {
	case err != nil || !complete:
		return err
	case holds:
		d.Result.Known = true
		return nil
	}
	return d.found(&o)
}

// trace reads an element of Traces, whose documents ListRetrievedTraces calls
// spans.
func (d decoder) trace() error {
	return d.Members("trace", func(name []byte) error {
		switch key := string(name); key {
		case "Segments", "segments", "Spans":
			return d.Each(key, d.document)
		}
		return d.Skip()
	})
}

// document reads an element of Segments.
func (d decoder) document() error {
	var o decode.Object
	ok, err := d.Object("segment", &o)
	if err != nil || !ok {
		return err
	}
	return d.found(&o)
}

// found reads what an object holds: a segment, as JSON or as text, or the
// daemon's header, which stands before one.
func (d decoder) found(o *decode.Object) error {
	text := decode.Member(&o.Value, "Document", "document")
	switch {
	case text == nil:
	case text.Type == record.Map: // as tools print it
		o.Value = *text
	case text.Type == record.String:
		v, err := decode.Parse(text.S, d.Limits)
		if err != nil || v.Type != record.Map {
			d.Problem(decode.FaultSyntax, o.Line, o.Offset, "document of segment %q: found no JSON object (%v); want one", decode.Excerpt(decode.Text(decode.Member(&o.Value, "Id"))), err)
			return nil
		}
		o.Value = v
	}
	if decode.Member(&o.Value, "id") != nil && decode.Member(&o.Value, "start_time") != nil {
		d.Result.Known = true
		return d.segment(o)
	}
	if decode.Text(decode.Member(&o.Value, "format")) == "json" && decode.Member(&o.Value, "version") != nil {
		d.Result.Known = true
		return nil
	}
	d.Foreign(o.Line, o.Offset, "id and start_time")
	return nil
}
