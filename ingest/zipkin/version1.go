package zipkin

import (
	"github.com/retryaudit/retryaudit/analyzer/trace"
	"github.com/retryaudit/retryaudit/ingest/decode"
	"github.com/retryaudit/retryaudit/ingest/record"
)

// half is one side of a span of version 1: annotations begin and end it.
type half struct {
	begin, end string
	kind       trace.Kind
	address    string // binary annotation with the other side's endpoint
}

// halves are the core annotations (zipkin-api, zipkinCore.thrift).
var halves = []half{
	{"cs", "cr", trace.Client, "sa"},
	{"sr", "ss", trace.Server, "ca"},
	{"ms", "", trace.Producer, "ma"},
	{"mr", "", trace.Consumer, "ma"},
}

func coreOf(value string) int {
	for i, h := range halves {
		if value == h.begin || value == h.end && h.end != "" {
			return i
		}
	}
	return -1
}

func hasCore(o *decode.Object) bool {
	for _, a := range decode.List(decode.Member(&o.Value, "annotations")) {
		if coreOf(decode.Text(decode.Member(&a, "value"))) >= 0 {
			return true
		}
	}
	return false
}

// version1 hands on a span for each side that has annotated it, or a local
// one.
func (d decoder) version1(o *decode.Object, whole *record.Span) error {
	var sides [4]*record.Span
	var services [4]string
	annotations := decode.List(decode.Member(&o.Value, "annotations"))
	for _, a := range annotations {
		value := decode.Text(decode.Member(&a, "value"))
		i := coreOf(value)
		if i < 0 {
			continue
		}
		if sides[i] == nil {
			s := *whole
			s.Kind, s.Start, s.End = halves[i].kind, 0, 0
			sides[i] = &s
		}
		if name := serviceName(&a, "endpoint"); name != "" {
			services[i] = name
		}
		at := d.TimeOf(o, "time of an annotation", decode.Member(&a, "timestamp"), decode.Microsecond)
		if value == halves[i].begin {
			sides[i].Start = at
		} else {
			sides[i].End = at
		}
	}
	spans := []*record.Span{}
	names := []string{}
	for i, s := range sides {
		if s == nil {
			continue
		}
		// The times of the span itself are those of the side that began it.
		if len(spans) == 0 && s.Start == 0 {
			s.Start = whole.Start
		}
		if s.End == 0 && s.Start == whole.Start {
			s.End = whole.End
		}
		if s.Start == 0 {
			s.Start = s.End
		}
		spans, names = append(spans, s), append(names, services[i])
	}
	if len(spans) == 0 {
		whole.Kind = trace.Internal
		spans, names = append(spans, whole), append(names, "")
	}
	d.annotate(o, spans, names, annotations)
	for i, s := range spans {
		s.Resource = resource(names[i], s.Attrs)
		if err := d.Span(s); err != nil {
			return err
		}
	}
	return nil
}

// annotate files all other annotations at the side whose service made them.
func (d decoder) annotate(o *decode.Object, spans []*record.Span, services []string, annotations []record.Value) {
	sideOf := func(a *record.Value) int {
		name := serviceName(a, "endpoint")
		for i := range services {
			if services[i] == "" && name != "" {
				services[i] = name
			}
			if services[i] == name {
				return i
			}
		}
		return 0
	}
	for _, a := range annotations {
		if coreOf(decode.Text(decode.Member(&a, "value"))) < 0 {
			s := spans[sideOf(&a)]
			s.Events = append(s.Events, d.event(o, &a))
		}
	}
	for _, b := range decode.List(decode.Member(&o.Value, "binaryAnnotations")) {
		key := decode.Text(decode.Member(&b, "key"))
		if other := addressOf(key, spans); other >= 0 {
			spans[other].Attrs = decode.Flatten(spans[other].Attrs, "remoteEndpoint", decode.Member(&b, "endpoint"))
			continue
		}
		value := decode.Member(&b, "value")
		if key == "" || value == nil {
			continue
		}
		i := sideOf(&b)
		if key == "lc" { // the name of a local component; its endpoint is what matters
			continue
		}
		d.tag(o, spans[i], key, *value)
	}
}

// addressOf returns the span of which a binary annotation tells the other
// side, −1 if it tells something else.
func addressOf(key string, spans []*record.Span) int {
	for i, s := range spans {
		for _, h := range halves {
			if h.kind == s.Kind && h.address == key {
				return i
			}
		}
	}
	return -1
}
