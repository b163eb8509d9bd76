package otlp

import (
	"fmt"
	"io"

	"github.com/retryaudit/retryaudit/ingest/decode"
	"github.com/retryaudit/retryaudit/ingest/record"
)

// jsonDecoder reads OTLP JSON a span at a time.
type jsonDecoder struct {
	*decode.JSON

	span        record.Span
	resource    []record.Attr
	scope       string
	version     string // of the scope
	hasResource bool   // of the current ResourceSpans
	hasScope    bool   // of the current ScopeSpans
	held        []record.Span
	heldFrom    int64 // offset of the first held span
	heldParts   int   // the held spans and their elements
}

// ReadJSON reads OTLP JSON: an object, several of them with or without
// anything between them, or arrays of them. The result is valid with an error,
// too. An error is one of emit or of r; all that is wrong with the content is
// a problem.
func ReadJSON(r io.Reader, lim decode.Limits, emit func(*record.Span) error) (decode.Result, error) {
	d := &jsonDecoder{JSON: decode.NewJSON(r, lim, emit, "an object with resourceSpans", `{"resource`)}
	// What was read before an error is whole; only its resource or scope may
	// be unknown.
	d.Broken = d.release
	return d.Records(d.message)
}

// message reads an ExportTraceServiceRequest, which is a TracesData, too.
func (d *jsonDecoder) message() error {
	line, offset := d.Begin()
	known, err := d.members(true)
	if err == nil && !known {
		d.Foreign(line, offset, "resourceSpans")
	}
	return err
}

// members reads the members of a message and reports whether one is of OTLP,
// or there is none.
// In their answers Tempo puts the message into a member "trace", Jaeger's API
// v3 into "result".
func (d *jsonDecoder) members(outermost bool) (known bool, err error) {
	if err := d.Token(); err != nil {
		return false, err
	}
	known = d.Kind() == '}' // an empty request
	for {
		name, err := d.Name()
		if err != nil || name == nil {
			return known, err
		}
		signal := ""
		switch string(name) {
		case "resourceSpans", "resource_spans", "batches":
			known, d.Result.Known = true, true
			err = d.Each("resourceSpans", d.resourceSpans)
		case "trace", "result":
			if outermost && d.Kind() == '{' {
				var inner bool
				inner, err = d.members(false)
				known = known || inner
			} else {
				err = d.Skip()
			}
		case "resourceMetrics", "resource_metrics":
			signal = "metrics"
		case "resourceLogs", "resource_logs":
			signal = "logs"
		case "resourceProfiles", "resource_profiles":
			signal = "profiles"
		default:
			err = d.Skip()
		}
		if signal != "" {
			known, d.Result.Known = true, true
			err = d.Each(signal, func() error {
				err := d.Skip()
				if err == nil {
					d.Skipped(signal)
				}
				return err
			})
		}
		if err != nil {
			return known, err
		}
	}
}

// resourceSpans reads a ResourceSpans. Where the spans stand before their
// resource they are held until it came.
func (d *jsonDecoder) resourceSpans() error {
	if ok, err := d.Open('{', "resourceSpans"); !ok {
		return err
	}
	d.resource = d.resource[:0]
	d.hasResource = false
	for {
		name, err := d.Name()
		if err != nil {
			return err
		}
		if name == nil {
			return d.release()
		}
		switch string(name) {
		case "resource":
			d.hasResource = true
			err = d.readResource()
		case "scopeSpans", "scope_spans", "instrumentationLibrarySpans", "instrumentation_library_spans":
			err = d.Each("scopeSpans", d.scopeSpans)
		default:
			err = d.Skip()
		}
		if err != nil {
			return err
		}
	}
}

func (d *jsonDecoder) readResource() error {
	complete, err := d.Limited("resource", d.resourceMembers)
	if !complete && err == nil {
		d.resource = d.resource[:0]
	}
	return err
}

func (d *jsonDecoder) resourceMembers() error {
	if ok, err := d.Open('{', "resource"); !ok {
		return err
	}
	for {
		name, err := d.Name()
		if err != nil || name == nil {
			return err
		}
		if string(name) == "attributes" {
			err = d.attributes(&d.resource)
		} else {
			err = d.Skip()
		}
		if err != nil {
			return err
		}
	}
}

func (d *jsonDecoder) scopeSpans() error {
	if ok, err := d.Open('{', "scopeSpans"); !ok {
		return err
	}
	d.scope, d.version = "", ""
	d.hasScope = false
	first := len(d.held)
	for {
		name, err := d.Name()
		if err != nil {
			return err
		}
		if name == nil {
			for i := min(first, len(d.held)); i < len(d.held); i++ {
				d.held[i].Scope, d.held[i].ScopeVersion = d.scope, d.version
			}
			if d.hasResource {
				return d.release()
			}
			return nil
		}
		switch string(name) {
		case "scope", "instrumentationLibrary", "instrumentation_library":
			d.hasScope = true
			err = d.readScope()
		case "spans":
			err = d.Each("spans", d.readSpan)
		default:
			err = d.Skip()
		}
		if err != nil {
			return err
		}
	}
}

func (d *jsonDecoder) readScope() error {
	if ok, err := d.Open('{', "scope"); !ok {
		return err
	}
	for {
		name, err := d.Name()
		if err != nil || name == nil {
			return err
		}
		switch string(name) {
		case "name":
			err = d.Str("scope name", &d.scope)
		case "version":
			err = d.Str("scope version", &d.version)
		default:
			err = d.Skip()
		}
		if err != nil {
			return err
		}
	}
}

// deliver hands the current span on or holds it.
func (d *jsonDecoder) deliver() error {
	if d.hasResource && d.hasScope {
		d.span.Resource = d.resource
		d.span.Scope, d.span.ScopeVersion = d.scope, d.version
		return d.Sink.Span(&d.span)
	}
	if len(d.held) == 0 {
		d.heldFrom = d.span.Offset
	}
	if d.hasScope {
		d.span.Scope, d.span.ScopeVersion = d.scope, d.version
	}
	d.held = append(d.held, d.span)
	d.span = record.Span{} // its slices belong to the held span
	d.heldParts += 1 + d.Elements
	found, most := "", ""
	if n := d.Offset() - d.heldFrom; n > int64(d.MaxMessage) {
		found, most = fmt.Sprintf("%d bytes of spans", n), fmt.Sprintf("%d (MaxMessage)", d.MaxMessage)
	} else if d.heldParts > d.MaxElements {
		found, most = fmt.Sprintf("%d spans, attributes, values, events and links", d.heldParts), fmt.Sprintf("%d (MaxElements)", d.MaxElements)
	}
	if found != "" {
		d.Problem(decode.FaultSize, d.held[0].Line, d.heldFrom, "%s before their resource or scope; want at most %s; read without", found, most)
		d.hasResource, d.hasScope = true, true
		return d.release()
	}
	return nil
}

// release hands on the held spans.
func (d *jsonDecoder) release() error {
	for i := range d.held {
		d.held[i].Resource = d.resource
		if err := d.Sink.Span(&d.held[i]); err != nil {
			return err
		}
	}
	d.held = d.held[:0]
	d.heldParts = 0
	return nil
}
