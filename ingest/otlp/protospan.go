package otlp

import (
	"errors"
	"slices"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/retryaudit/retryaudit/analyzer/trace"
	"github.com/retryaudit/retryaudit/ingest/decode"
	"github.com/retryaudit/retryaudit/ingest/record"
)

// resourceSpans reads the element b at offset base. The message is taken apart
// down to the spans, so that one that is broken does not take the others with
// it and each has its own offset; pdata decodes what is in them. If b is cut,
// its end is reported by the caller.
func (d *protoDecoder) resourceSpans(b []byte, base int64, cut bool) error {
	switch signal := signalOf(b); signal {
	case "spans":
		d.Result.Known = true
	case "":
		// No span, metric or log is in it, unless it is a message in a message,
		// as Tempo's API v2 answers (tempopb TraceByIDResponse.trace).
		if wrapped, err := d.wrapped(b, base, cut); wrapped || err != nil {
			return err
		}
	default:
		d.Skipped(signal)
		return nil
	}
	// The resource may stand behind the spans.
	d.resource = d.resource[:0]
	for pos := 0; pos < len(b); {
		f, next, err := nextField(b, pos)
		if err != nil {
			break // is reported below
		}
		if f.number == 1 && f.wire == wireBytes {
			d.readResource(f.body, base+int64(f.pos))
		}
		pos = next
	}
	return d.fields(b, base, cut, func(f field) error {
		// 1000 was instrumentation_library_spans.
		if f.number != 2 && f.number != 1000 {
			return nil
		}
		return d.scopeSpans(f.body, base+int64(f.pos), cut)
	})
}

// wrapped reads the elements of b if b is a message of them.
func (d *protoDecoder) wrapped(b []byte, base int64, cut bool) (is bool, err error) {
	for pos := 0; pos < len(b); {
		f, next, err := nextField(b, pos)
		if f.number == 1 && f.wire == wireBytes && signalOf(f.body) != "" {
			is = true
			break
		}
		if err != nil {
			break
		}
		pos = next
	}
	if !is {
		return false, nil
	}
	return true, d.fields(b, base, cut, func(f field) error {
		if f.number != 1 || signalOf(f.body) == "" {
			return nil // there is no third level
		}
		return d.resourceSpans(f.body, base+int64(f.pos), f.cut || cut)
	})
}

// fields calls read for each submessage of b.
func (d *protoDecoder) fields(b []byte, base int64, cut bool, read func(field) error) error {
	for pos := 0; pos < len(b); {
		f, next, err := nextField(b, pos)
		if err != nil && !(cut && errors.Is(err, errCut)) {
			d.Problem(decode.FaultSyntax, 0, base+int64(pos), "broken protobuf: %v", err)
			return nil
		}
		if f.wire == wireBytes {
			if err := read(f); err != nil {
				return err
			}
		}
		pos = next
		if err != nil {
			return nil // the caller reports the end
		}
	}
	return nil
}

func (d *protoDecoder) scopeSpans(b []byte, base int64, cut bool) error {
	d.scope, d.version = "", ""
	for pos := 0; pos < len(b); {
		f, next, err := nextField(b, pos)
		if err != nil {
			break
		}
		if f.number == 1 && f.wire == wireBytes {
			d.readScope(f.body, base+int64(f.pos))
		}
		pos = next
	}
	return d.fields(b, base, cut, func(f field) error {
		if f.number != 2 || f.cut {
			return nil
		}
		return d.readSpan(f.body, base+int64(f.pos))
	})
}

func (d *protoDecoder) readResource(b []byte, offset int64) {
	d.wrap = appendHead(d.wrap[:0], 1, sizeHead(len(b))+len(b))
	d.wrap = appendBytes(d.wrap, 1, b)
	traces, ok := d.unmarshal("resource", resourcePart, b, offset)
	if !ok {
		return
	}
	d.resource = d.attrs(d.resource[:0], traces.ResourceSpans().At(0).Resource().Attributes(), d.MaxDepth, offset)
}

func (d *protoDecoder) readScope(b []byte, offset int64) {
	d.wrapInScope(1, b)
	traces, ok := d.unmarshal("scope", scopePart, b, offset)
	if !ok {
		return
	}
	scope := traces.ResourceSpans().At(0).ScopeSpans().At(0).Scope()
	d.scope, d.version = d.text(scope.Name(), offset), d.text(scope.Version(), offset)
}

// wrapInScope makes d.wrap a message with b as the only field of its only
// ScopeSpans.
func (d *protoDecoder) wrapInScope(number int, b []byte) {
	scope := sizeHead(len(b)) + len(b)
	d.wrap = appendHead(d.wrap[:0], 1, sizeHead(scope)+scope)
	d.wrap = appendHead(d.wrap, 2, scope)
	d.wrap = appendBytes(d.wrap, number, b)
}

// unmarshal decodes d.wrap, which holds the part b.
func (d *protoDecoder) unmarshal(what string, p part, b []byte, offset int64) (ptrace.Traces, bool) {
	if p.tooMany(b, d.MaxElements) {
		d.TooManyElements(what, 0, offset)
		return ptrace.Traces{}, false
	}
	traces, err := new(ptrace.ProtoUnmarshaler).UnmarshalTraces(d.wrap)
	if err != nil {
		d.Problem(decode.FaultSyntax, 0, offset, "broken %s: %v; skipped", what, err)
		return traces, false
	}
	return traces, true
}

func (d *protoDecoder) readSpan(b []byte, offset int64) error {
	b, ok := d.soundIDs(b, offset)
	if !ok {
		return nil
	}
	d.wrapInScope(2, b)
	traces, ok := d.unmarshal("span", spanPart, b, offset)
	if !ok {
		return nil
	}
	in := traces.ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(0)
	s := &d.span
	decode.Reset(s)
	s.Offset = offset
	s.Resource, s.Scope, s.ScopeVersion = d.resource, d.scope, d.version
	s.Trace, s.ID, s.Parent = trace.TraceID(in.TraceID()), trace.SpanID(in.SpanID()), trace.SpanID(in.ParentSpanID())
	s.TraceState = d.text(in.TraceState().AsRaw(), offset)
	s.Name = d.text(in.Name(), offset)
	if k := in.Kind(); k >= 0 && int(k) < len(kinds) {
		s.Kind = trace.Kind(k)
	} else {
		d.Problem(decode.FaultValue, 0, offset, "span kind: found %d; want 0 to %d", k, len(kinds)-1)
	}
	if c := in.Status().Code(); c >= 0 && int(c) < len(statuses) {
		s.Status = record.Status(c)
	} else {
		d.Problem(decode.FaultValue, 0, offset, "status code: found %d; want 0 to %d", c, len(statuses)-1)
	}
	s.StatusMessage = d.text(in.Status().Message(), offset)
	s.Start = d.Nanos(uint64(in.StartTimestamp()), 0, offset)
	s.End = d.Nanos(uint64(in.EndTimestamp()), 0, offset)
	s.Attrs = d.attrs(s.Attrs, in.Attributes(), d.MaxDepth, offset)
	for _, event := range in.Events().All() {
		e := decode.NextEvent(s)
		e.Name = d.text(event.Name(), offset)
		e.Time = d.Nanos(uint64(event.Timestamp()), 0, offset)
		e.Attrs = d.attrs(e.Attrs, event.Attributes(), d.MaxDepth, offset)
	}
	for _, link := range in.Links().All() {
		l := decode.NextLink(s)
		l.Trace, l.ID = trace.TraceID(link.TraceID()), trace.SpanID(link.SpanID())
		l.Attrs = d.attrs(l.Attrs, link.Attributes(), d.MaxDepth, offset)
	}
	return d.Sink.Span(s)
}

// soundIDs reports whether the IDs of a span have their length, which pdata
// would refuse without saying where and what. It returns the span without a
// parent's ID that has not.
func (d *protoDecoder) soundIDs(b []byte, offset int64) ([]byte, bool) {
	for pos := 0; pos < len(b); {
		f, next, err := nextField(b, pos)
		if err != nil {
			break // pdata says what is wrong
		}
		what, want := "", 8
		switch f.number {
		case 1:
			what, want = "trace ID", 16
		case 2:
			what = "span ID"
		case 4:
			what = "parent span ID"
		}
		if n := len(f.body); what != "" && n != 0 && n != want {
			d.Problem(decode.FaultID, 0, offset, "%s: found %d bytes; want %d", what, n, want)
			if f.number != 4 {
				return nil, false
			}
			b = slices.Concat(b[:pos], b[next:])
			next = pos
		}
		pos = next
	}
	return b, true
}

func (d *protoDecoder) text(s string, offset int64) string {
	return d.Clip(strings.ToValidUTF8(s, "\uFFFD"), 0, offset)
}

func (d *protoDecoder) attrs(to []record.Attr, from pcommon.Map, depth int, offset int64) []record.Attr {
	for k, v := range from.All() {
		to = append(to, record.Attr{Key: d.text(k, offset), Value: d.value(v, depth, offset)})
	}
	return to
}

func (d *protoDecoder) value(v pcommon.Value, depth int, offset int64) record.Value {
	if depth == 0 {
		d.Problem(decode.FaultDepth, 0, offset, "attribute value of more than %d levels (MaxDepth); left empty", d.MaxDepth)
		return record.Value{}
	}
	switch v.Type() {
	case pcommon.ValueTypeStr:
		return record.Value{Type: record.String, S: d.text(v.Str(), offset)}
	case pcommon.ValueTypeInt:
		return record.Value{Type: record.Int, I: v.Int()}
	case pcommon.ValueTypeDouble:
		return record.Value{Type: record.Double, D: v.Double()}
	case pcommon.ValueTypeBool:
		return record.Value{Type: record.Bool, B: v.Bool()}
	case pcommon.ValueTypeBytes:
		return record.Value{Type: record.Bytes, S: d.Clip(string(v.Bytes().AsRaw()), 0, offset)}
	case pcommon.ValueTypeSlice:
		list := []record.Value(nil)
		for _, e := range v.Slice().All() {
			list = append(list, d.value(e, depth-1, offset))
		}
		return record.Value{Type: record.List, List: list}
	case pcommon.ValueTypeMap:
		return record.Value{Type: record.Map, Map: d.attrs(nil, v.Map(), depth-1, offset)}
	}
	return record.Value{}
}
