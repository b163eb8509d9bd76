package main

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/collector/pdata/ptrace"
)

// sent is a span of a scenario, to be written in any format.
type sent struct {
	service, scope string
	id, parent     string // 16 hex digits
	name           string
	kind           string // INTERNAL, SERVER, CLIENT
	start, end     int64  // ms after the first
	failed         bool
	attrs          [][2]string // numbers are those that look like one
}

const (
	scenarioTrace = "5b8efff798038103d269b633813fc60c"
	scenarioStart = 1767225600000 // ms
)

func (s sent) from() int64 { return (scenarioStart + s.start) * 1e6 }
func (s sent) to() int64   { return (scenarioStart + s.end) * 1e6 }

func (s sent) date(ns int64) string {
	return time.Unix(0, ns).UTC().Format("2006-01-02T15:04:05.000000000Z")
}

// value is what an attribute is where a format has types.
func value(text string) any {
	if n, err := strconv.Atoi(text); err == nil {
		return n
	}
	return text
}

func (s sent) values() map[string]any {
	out := map[string]any{}
	for _, a := range s.attrs {
		out[a[0]] = value(a[1])
	}
	return out
}

func (s sent) texts() map[string]string {
	out := map[string]string{}
	for _, a := range s.attrs {
		out[a[0]] = a[1]
	}
	return out
}

func (s sent) status(unset, failed string) string {
	if s.failed {
		return failed
	}
	return unset
}

func (s sent) kindNumber(internal int) int {
	return internal + slices.Index([]string{"INTERNAL", "SERVER", "CLIENT"}, s.kind)
}

type obj = map[string]any

// encoders write the spans of a scenario in the formats, by their IDs.
var encoders = map[string]func(t testing.TB, spans []sent) []byte{
	"otlp-json": otlpJSON,
	"otlp-proto": func(t testing.TB, spans []sent) []byte {
		all := ptrace.NewTraces()
		for line := range bytes.Lines(otlpJSON(t, spans)) {
			one, err := new(ptrace.JSONUnmarshaler).UnmarshalTraces(line)
			if err != nil {
				t.Fatal(err)
			}
			one.ResourceSpans().MoveAndAppendTo(all.ResourceSpans())
		}
		b, err := new(ptrace.ProtoMarshaler).MarshalTraces(all)
		if err != nil {
			t.Fatal(err)
		}
		return b
	},
	"jaeger-json": func(t testing.TB, spans []sent) []byte {
		processes := obj{}
		var list []obj
		for _, s := range spans {
			processes["p-"+s.service] = obj{"serviceName": s.service, "tags": []obj{}}
			tags := []obj{{"key": "span.kind", "type": "string", "value": strings.ToLower(s.kind)}, {"key": "otel.scope.name", "type": "string", "value": s.scope}}
			if s.failed {
				tags = append(tags, obj{"key": "error", "type": "bool", "value": true})
			}
			for k, v := range s.values() {
				tags = append(tags, obj{"key": k, "value": v})
			}
			refs := []obj{}
			if s.parent != "" {
				refs = append(refs, obj{"refType": "CHILD_OF", "traceID": scenarioTrace, "spanID": s.parent})
			}
			list = append(list, obj{"traceID": scenarioTrace, "spanID": s.id, "operationName": s.name, "references": refs,
				"startTime": s.from() / 1000, "duration": (s.to() - s.from()) / 1000, "tags": tags, "logs": []obj{}, "processID": "p-" + s.service})
		}
		return whole(t, obj{"data": []obj{{"traceID": scenarioTrace, "spans": list, "processes": processes}}})
	},
	"zipkin-json": func(t testing.TB, spans []sent) []byte {
		var list []obj
		for _, s := range spans {
			tags := s.texts()
			tags["otel.scope.name"] = s.scope
			if s.failed {
				tags["error"] = "true"
			}
			o := obj{"traceId": scenarioTrace, "id": s.id, "name": s.name, "timestamp": s.from() / 1000, "duration": (s.to() - s.from()) / 1000,
				"localEndpoint": obj{"serviceName": s.service}, "tags": tags}
			if s.kind != "INTERNAL" {
				o["kind"] = s.kind
			}
			if s.parent != "" {
				o["parentId"] = s.parent
			}
			list = append(list, o)
		}
		return whole(t, list)
	},
	"otel-go-console": func(t testing.TB, spans []sent) []byte {
		return lines(t, spans, func(s sent) any {
			attrs := func(of map[string]any) []obj {
				var out []obj
				for k, v := range of {
					kind := "STRING"
					if _, ok := v.(int); ok {
						kind = "INT64"
					}
					out = append(out, obj{"Key": k, "Value": obj{"Type": kind, "Value": v}})
				}
				return out
			}
			return obj{"Name": s.name, "SpanContext": obj{"TraceID": scenarioTrace, "SpanID": s.id}, "Parent": obj{"TraceID": scenarioTrace, "SpanID": s.parent},
				"SpanKind": s.kindNumber(1), "StartTime": s.date(s.from()), "EndTime": s.date(s.to()), "Attributes": attrs(s.values()),
				"Status": obj{"Code": s.status("Unset", "Error")}, "Resource": attrs(obj{"service.name": s.service}), "InstrumentationScope": obj{"Name": s.scope}}
		})
	},
	"otel-python-console": func(t testing.TB, spans []sent) []byte {
		var b bytes.Buffer
		b.WriteString("INFO: Started server process [7]\n")
		for _, s := range spans {
			// The exporter does not tell the scope.
			var parent any
			if s.parent != "" {
				parent = "0x" + s.parent
			}
			o := obj{"name": s.name, "context": obj{"trace_id": "0x" + scenarioTrace, "span_id": "0x" + s.id, "trace_state": "[]"}, "kind": "SpanKind." + s.kind, "parent_id": parent,
				"start_time": s.date(s.from()), "end_time": s.date(s.to()), "status": obj{"status_code": s.status("UNSET", "ERROR")}, "attributes": s.values(), "events": []obj{}, "links": []obj{},
				"resource": obj{"attributes": obj{"service.name": s.service}, "schema_url": ""}}
			text, err := json.MarshalIndent(o, "", "    ")
			if err != nil {
				t.Fatal(err)
			}
			b.Write(append(text, '\n'))
		}
		return b.Bytes()
	},
	"otel-js-console": func(_ testing.TB, spans []sent) []byte {
		var b bytes.Buffer
		quote := func(s string) string { // util.inspect joins the lines of a text by "+"
			s = strings.ReplaceAll(s, "'", `\'`)
			return "'" + strings.ReplaceAll(s, "\n", `\n' +`+"\n      '") + "'"
		}
		for _, s := range spans {
			fmt.Fprintf(&b, "{\n  resource: {\n    attributes: { 'service.name': %s }\n  },\n  instrumentationScope: { name: %s, version: undefined, schemaUrl: undefined },\n", quote(s.service), quote(s.scope))
			fmt.Fprintf(&b, "  traceId: %s,\n  parentSpanContext: ", quote(scenarioTrace))
			if s.parent == "" {
				b.WriteString("undefined,\n")
			} else {
				fmt.Fprintf(&b, "{\n    traceId: %s,\n    spanId: %s,\n    traceFlags: 1,\n    traceState: undefined\n  },\n", quote(scenarioTrace), quote(s.parent))
			}
			fmt.Fprintf(&b, "  traceState: undefined,\n  name: %s,\n  id: %s,\n  kind: %d,\n  timestamp: %d,\n  duration: %d,\n  attributes: {\n", quote(s.name), quote(s.id), s.kindNumber(0), s.from()/1000, (s.to()-s.from())/1000)
			for k, v := range s.values() {
				if n, ok := v.(int); ok {
					fmt.Fprintf(&b, "    %s: %d,\n", quote(k), n)
				} else {
					fmt.Fprintf(&b, "    %s: %s,\n", quote(k), quote(v.(string)))
				}
			}
			fmt.Fprintf(&b, "  },\n  status: { code: %s },\n  events: [],\n  links: []\n}\n", s.status("0", "2"))
		}
		return b.Bytes()
	},
	"otel-dotnet-console": func(_ testing.TB, spans []sent) []byte {
		var b bytes.Buffer
		for _, s := range spans {
			fmt.Fprintf(&b, "Activity.TraceId:            %s\nActivity.SpanId:             %s\nActivity.TraceFlags:         Recorded\n", scenarioTrace, s.id)
			if s.parent != "" {
				fmt.Fprintf(&b, "Activity.ParentSpanId:       %s\n", s.parent)
			}
			kind := s.kind[:1] + strings.ToLower(s.kind[1:])
			length := time.Duration(s.to() - s.from())
			fmt.Fprintf(&b, "Activity.DisplayName:        %s\nActivity.Kind:               %s\nActivity.StartTime:          %s\nActivity.Duration:           00:00:%02d.%07d\nActivity.Tags:\n",
				s.name, kind, time.Unix(0, s.from()).UTC().Format("2006-01-02T15:04:05.0000000Z"), length/time.Second, (length%time.Second)/100)
			for _, a := range s.attrs {
				fmt.Fprintf(&b, "    %s: %s\n", a[0], a[1])
			}
			if s.failed {
				b.WriteString("StatusCode: Error\n")
			}
			fmt.Fprintf(&b, "Instrumentation scope (ActivitySource):\n    Name: %s\nResource associated with Activity:\n    service.name: %s\n\n", s.scope, s.service)
		}
		return b.Bytes()
	},
	"datadog-json": func(t testing.TB, spans []sent) []byte {
		var list []obj
		for _, s := range spans {
			meta := s.texts()
			meta["span.kind"], meta["component"] = strings.ToLower(s.kind), s.scope
			low := decimal(scenarioTrace)
			list = append(list, obj{"trace_id": json.Number(low), "span_id": json.Number(decimal(s.id)), "parent_id": json.Number(decimal(s.parent)),
				"service": s.service, "name": "op", "resource": s.name, "type": "", "start": s.from(), "duration": s.to() - s.from(), "error": json.Number(s.status("0", "1")), "meta": meta})
		}
		return whole(t, [][]obj{list})
	},
	"xray-json": func(t testing.TB, spans []sent) []byte {
		return lines(t, spans, func(s sent) any {
			o := obj{"id": s.id, "trace_id": "1-" + scenarioTrace[:8] + "-" + scenarioTrace[8:], "name": s.service, "start_time": float64(s.from()) / 1e9, "end_time": float64(s.to()) / 1e9,
				"annotations": s.values()}
			if s.parent != "" {
				o["parent_id"] = s.parent
			}
			switch s.kind {
			case "SERVER":
				o["http"] = obj{}
			case "CLIENT":
				o["namespace"] = "remote"
			}
			if s.failed {
				o["fault"] = true
			}
			return o
		})
	},
	"clickhouse-json": func(t testing.TB, spans []sent) []byte {
		return lines(t, spans, func(s sent) any {
			return obj{"Timestamp": time.Unix(0, s.from()).UTC().Format("2006-01-02 15:04:05.000000000"), "TraceId": scenarioTrace, "SpanId": s.id, "ParentSpanId": s.parent, "TraceState": "",
				"SpanName": s.name, "SpanKind": s.kind[:1] + strings.ToLower(s.kind[1:]), "ServiceName": s.service, "ResourceAttributes": obj{"service.name": s.service},
				"ScopeName": s.scope, "ScopeVersion": "", "SpanAttributes": s.texts(), "Duration": strconv.FormatInt(s.to()-s.from(), 10), "StatusCode": s.status("Unset", "Error"), "StatusMessage": "",
				"Events.Timestamp": []string{}, "Events.Name": []string{}, "Events.Attributes": []obj{}, "Links.TraceId": []string{}, "Links.SpanId": []string{}}
		})
	},
}

func otlpJSON(t testing.TB, spans []sent) []byte {
	return lines(t, spans, func(s sent) any {
		attrs := func(of map[string]any) []obj {
			var out []obj
			for k, v := range of {
				if n, ok := v.(int); ok {
					out = append(out, obj{"key": k, "value": obj{"intValue": strconv.Itoa(n)}})
				} else {
					out = append(out, obj{"key": k, "value": obj{"stringValue": v}})
				}
			}
			return out
		}
		return obj{"resourceSpans": []obj{{
			"resource": obj{"attributes": attrs(obj{"service.name": s.service})},
			"scopeSpans": []obj{{"scope": obj{"name": s.scope}, "spans": []obj{{
				"traceId": scenarioTrace, "spanId": s.id, "parentSpanId": s.parent, "name": s.name, "kind": s.kindNumber(1),
				"startTimeUnixNano": strconv.FormatInt(s.from(), 10), "endTimeUnixNano": strconv.FormatInt(s.to(), 10),
				"attributes": attrs(s.values()), "status": obj{"code": s.status("", "STATUS_CODE_ERROR")},
			}}}},
		}}}
	})
}

// lines writes a line of JSON for each span.
func lines(t testing.TB, spans []sent, of func(sent) any) []byte {
	t.Helper()
	var b bytes.Buffer
	for _, s := range spans {
		b.Write(append(whole(t, of(s)), '\n'))
	}
	return b.Bytes()
}

func whole(t testing.TB, v any) []byte {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// decimal is an ID of hex digits as Datadog writes it.
func decimal(id string) string {
	if id == "" {
		return "0"
	}
	b, _ := hex.DecodeString(id)
	return strconv.FormatUint(binary.BigEndian.Uint64(b[len(b)-8:]), 10)
}
