package console

import (
	"encoding/base64"
	"io"
	"strconv"

	"github.com/retryaudit/retryaudit/analyzer/trace"
	"github.com/retryaudit/retryaudit/ingest/decode"
	"github.com/retryaudit/retryaudit/ingest/record"
)

// goSignals are the others of opentelemetry-go/exporters: stdoutmetric prints
// metricdata.ResourceMetrics, stdoutlog records with SeverityText.
var goSignals = []signal{{"ScopeMetrics", "metrics"}, {"SeverityText", "logs"}}

// ReadGo reads the JSON of opentelemetry-go/exporters/stdout/stdouttrace: its
// SpanStub a line, over many lines, or in an array. Versions before 1.0 had
// the parent's ID alone and other words for events and status. The result is
// valid with an error, too. An error is one of emit or of r.
func ReadGo(r io.Reader, lim decode.Limits, emit func(*record.Span) error) (decode.Result, error) {
	return readJSON(r, lim, emit, "a span of stdouttrace", goSpan)
}

func goSpan(d *decode.Sink, o *decode.Object) (bool, error) {
	member := func(names ...string) *record.Value { return decode.Member(&o.Value, names...) }
	context := member("SpanContext")
	if decode.Member(context, "TraceID") == nil {
		return skipOther(d, o, goSignals), nil
	}
	s := record.Span{Line: o.Line, Offset: o.Offset, Name: decode.Text(member("Name"))}
	okTrace := d.HexID(o, "trace ID", decode.Member(context, "TraceID"), s.Trace[:])
	okSpan := d.HexID(o, "span ID", decode.Member(context, "SpanID"), s.ID[:])
	if !okTrace || !okSpan {
		return true, nil
	}
	parent := member("ParentSpanID")
	if p := decode.At(&o.Value, "Parent", "SpanID"); p != nil {
		parent = p
	}
	d.HexID(o, "parent span ID", parent, s.Parent[:])
	s.TraceState = text(context, "TraceState")
	s.Kind = goKind(member("SpanKind"))
	s.Start = d.TimeOf(o, "start time", member("StartTime"), decode.Nanosecond)
	s.End = d.TimeOf(o, "end time", member("EndTime"), decode.Nanosecond)
	s.Status, s.StatusMessage = goStatus(&o.Value)
	scope := member("InstrumentationScope", "InstrumentationLibrary")
	s.Scope, s.ScopeVersion = text(scope, "Name"), text(scope, "Version")
	s.Attrs = goAttrs(member("Attributes"))
	s.Resource = goAttrs(member("Resource"))
	for _, e := range decode.List(member("Events", "MessageEvents")) {
		s.Events = append(s.Events, record.Event{
			Name:  text(&e, "Name"),
			Time:  d.TimeOf(o, "time of an event", decode.Member(&e, "Time"), decode.Nanosecond),
			Attrs: goAttrs(decode.Member(&e, "Attributes")),
		})
	}
	for _, v := range decode.List(member("Links")) {
		l := record.Link{Attrs: goAttrs(decode.Member(&v, "Attributes"))}
		if linkIDs(d, o, &l, decode.At(&v, "SpanContext", "TraceID"), decode.At(&v, "SpanContext", "SpanID")) {
			s.Links = append(s.Links, l)
		}
	}
	return true, d.Span(&s)
}

// goKind reads the number, or the name, of a kind. The numbers are those of
// OTLP (opentelemetry-go/trace/span.go, SpanKind).
func goKind(v *record.Value) trace.Kind {
	if n, err := strconv.ParseUint(decode.Text(v), 10, 8); err == nil && n <= uint64(trace.Consumer) {
		return trace.Kind(n)
	}
	return decode.Kind(decode.Text(v))
}

// goStatus reads a status. Its code is a name, or its number among Unset,
// Error and Ok (opentelemetry-go/codes); versions before 0.15 had the code of
// gRPC, where all but 0 are errors.
func goStatus(v *record.Value) (record.Status, string) {
	status := decode.Member(v, "Status")
	if decode.Map(status) == nil {
		code := decode.Member(v, "StatusCode", "Status")
		message := text(v, "StatusMessage")
		if code != nil && code.Type == record.Int && code.I != 0 {
			return record.Error, message
		}
		return decode.Status(decode.Text(code)), message
	}
	switch code := text(status, "Code"); code {
	case "1":
		return record.Error, text(status, "Description")
	case "2":
		return record.OK, text(status, "Description")
	default:
		return decode.Status(code), text(status, "Description")
	}
}

// goAttrs reads a list of attribute.KeyValue.
func goAttrs(v *record.Value) []record.Attr {
	var out []record.Attr
	for _, a := range decode.List(v) {
		if key := decode.Member(&a, "Key"); key != nil {
			value := goValue(decode.Member(&a, "Value"))
			out = decode.Flatten(out, decode.Text(key), &value)
		}
	}
	return out
}

// goValue reads an attribute.Value, which tells its type beside it: JSON
// writes the number 3 for the double 3, and base64 for bytes.
func goValue(v *record.Value) record.Value {
	value := decode.Member(v, "Value")
	if value == nil {
		return record.Value{}
	}
	switch text(v, "Type") {
	case "FLOAT64":
		return double(*value)
	case "FLOAT64SLICE":
		out := record.Value{Type: record.List}
		for _, e := range decode.List(value) {
			out.List = append(out.List, double(e))
		}
		return out
	case "BYTESLICE":
		if b, err := base64.StdEncoding.DecodeString(value.S); err == nil {
			return record.Value{Type: record.Bytes, S: string(b)}
		}
	case "SLICE":
		out := record.Value{Type: record.List}
		for _, e := range decode.List(value) {
			out.List = append(out.List, goValue(&e))
		}
		return out
	case "MAP":
		return record.Value{Type: record.Map, Map: goAttrs(value)}
	}
	return *value
}

func double(v record.Value) record.Value {
	if v.Type == record.Int {
		return record.Value{Type: record.Double, D: float64(v.I)}
	}
	return v
}
