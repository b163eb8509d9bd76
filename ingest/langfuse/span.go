package langfuse

import (
	"strings"

	"github.com/retryaudit/retryaudit/ingest/decode"
	"github.com/retryaudit/retryaudit/ingest/record"
)

// observation hands on the span that an object is.
func (d *decoder) observation(o *decode.Object) error {
	member := func(names ...string) *record.Value { return decode.Member(&o.Value, names...) }
	trace := decode.Text(member("traceId", "trace_id"))
	if trace == "" && member(observed...) != nil {
		trace = d.trace
	}
	id := decode.Text(member("id"))
	// Scores have an ID and a traceId, too.
	if trace == "" || id == "" || member("startTime", "start_time", "type") == nil {
		d.Foreign(o.Line, o.Offset, "observations, or an ID, a traceId and a startTime")
		return nil
	}
	d.Result.Known = true
	s := record.Span{Line: o.Line, Offset: o.Offset, Name: decode.Text(member("name"))}
	decode.OpaqueID(trace, s.Trace[:])
	decode.OpaqueID(id, s.ID[:])
	// The trace itself is no observation, under either of its IDs
	// (packages/shared, events table: "t-" and the trace ID).
	if parent := decode.Text(member("parentObservationId", "parent_observation_id")); strings.TrimPrefix(parent, "t-") != trace {
		decode.OpaqueID(parent, s.Parent[:])
	}
	s.Start = d.TimeOf(o, "startTime", member("startTime", "start_time"), decode.Millisecond)
	s.End = d.TimeOf(o, "endTime", member("endTime", "end_time"), decode.Millisecond)
	kind := strings.ToLower(decode.Text(member("type")))
	if s.End == 0 && kind == "event" { // a point in time
		s.End = s.Start
	}
	level := decode.Text(member("level"))
	if level == "ERROR" {
		s.Status = record.Error
	}
	s.StatusMessage = decode.Text(member("statusMessage", "status_message"))
	d.metadata(o, &s, member("metadata"))
	d.attributes(o, &s, kind, level)
	return d.Span(&s)
}

// named are the members that have an attribute of Langfuse's own SDKs
// (packages/shared/src/server/otel/attributes.ts).
var named = []struct {
	members []string
	key     string
}{
	{[]string{"model", "providedModelName", "provided_model_name"}, "langfuse.observation.model.name"},
	{[]string{"modelParameters", "model_parameters"}, "langfuse.observation.model.parameters"},
	{[]string{"input"}, "langfuse.observation.input"},
	{[]string{"completionStartTime", "completion_start_time"}, "langfuse.observation.completion_start_time"},
	{[]string{"promptName", "prompt_name"}, "langfuse.observation.prompt.name"},
	{[]string{"promptVersion", "prompt_version"}, "langfuse.observation.prompt.version"},
	{[]string{"environment"}, "langfuse.environment"},
	{[]string{"version"}, "langfuse.version"},
	{[]string{"sessionId", "session_id"}, "session.id"},
}

// attributes adds what Langfuse says of an observation under the names that
// its SDKs give it.
func (d *decoder) attributes(o *decode.Object, s *record.Span, kind, level string) {
	add := func(key string, v *record.Value) {
		if v == nil || v.Type == record.String && v.S == "" {
			return
		}
		for i := range s.Attrs {
			if s.Attrs[i].Key == key {
				return
			}
		}
		s.Attrs = append(s.Attrs, record.Attr{Key: key, Value: *v})
	}
	add("langfuse.observation.type", &record.Value{Type: record.String, S: kind})
	add("langfuse.observation.level", &record.Value{Type: record.String, S: level})
	for _, n := range named {
		v := decode.Member(&o.Value, n.members...)
		if v != nil && n.key == "langfuse.observation.model.parameters" {
			s.Attrs = decode.Flatten(s.Attrs, n.key, v)
		} else {
			add(n.key, v)
		}
	}
	add("session.id", &record.Value{Type: record.String, S: d.session})
	all := usage(&o.Value)
	for _, u := range all[:min(len(all), maxUsage)] {
		add("langfuse.observation.usage_details."+u.Key, &u.Value)
	}
	first := d.TimeOf(o, "completionStartTime", decode.Member(&o.Value, "completionStartTime", "completion_start_time"), decode.Millisecond)
	if first != 0 && s.Start != 0 && first >= s.Start {
		// The API's own number, in seconds; exports may have it in ms.
		add("langfuse.observation.time_to_first_token", &record.Value{Type: record.Double, D: float64(first-s.Start) / 1e9})
	}
}

// maxUsage is how many kinds of tokens an observation may name: providers have
// a dozen.
const maxUsage = 64

// oldUsage are the names of the numbers of tokens before usageDetails.
var oldUsage = []struct{ member, key string }{
	{"promptTokens", "input"}, {"completionTokens", "output"}, {"totalTokens", "total"},
}

// usage returns the numbers of tokens by the names in usageDetails.
func usage(v *record.Value) []record.Attr {
	if all := decode.Map(decode.Member(v, "usageDetails", "usage_details")); len(all) > 0 {
		return all
	}
	var out []record.Attr
	for _, name := range []string{"input", "output", "total"} {
		if n := decode.At(v, "usage", name); n != nil {
			out = append(out, record.Attr{Key: name, Value: *n})
		}
	}
	for _, at := range []*record.Value{decode.Member(v, "usage"), v} {
		for _, u := range oldUsage {
			if n := decode.Member(at, u.member); n != nil {
				out = append(out, record.Attr{Key: u.key, Value: *n})
			}
		}
	}
	return out
}

// metadata adds what Langfuse keeps of a span of OpenTelemetry: its attributes
// but for prompts and answers, its resource and its scope, each as an object,
// as the text of one, or with its path in the name.
func (d *decoder) metadata(o *decode.Object, s *record.Span, v *record.Value) {
	if v == nil {
		return
	}
	whole := d.parsed(o, *v)
	if whole.Type != record.Map {
		s.Attrs = decode.Flatten(s.Attrs, "langfuse.observation.metadata", &whole)
		return
	}
	var all []record.Attr
	for _, m := range decode.Map(&whole) {
		part := m.Value
		if isOriginal(m.Key) {
			part = d.parsed(o, part)
		}
		all = decode.Flatten(all, m.Key, &part)
	}
	for _, a := range all {
		switch before, rest, _ := strings.Cut(a.Key, "."); {
		case before == "attributes" && rest != "":
			s.Attrs = append(s.Attrs, record.Attr{Key: rest, Value: a.Value})
		case before == "resourceAttributes" && rest != "":
			s.Resource = append(s.Resource, record.Attr{Key: rest, Value: a.Value})
		case a.Key == "scope.name":
			s.Scope = decode.Text(&a.Value)
		case a.Key == "scope.version":
			s.ScopeVersion = decode.Text(&a.Value)
		default:
			s.Attrs = append(s.Attrs, record.Attr{Key: "langfuse.observation.metadata." + a.Key, Value: a.Value})
		}
	}
}

func isOriginal(name string) bool {
	return name == "attributes" || name == "resourceAttributes" || name == "scope"
}

// parsed returns the object that a text is, and all else as it is.
func (d *decoder) parsed(o *decode.Object, v record.Value) record.Value {
	if v.Type != record.String || !strings.HasPrefix(v.S, "{") {
		return v
	}
	out, err := decode.Parse(v.S, d.Limits)
	if err != nil {
		d.Problem(decode.FaultValue, o.Line, o.Offset, "metadata: found %q, which does not parse: %v; want an object", decode.Excerpt(v.S), err)
		return record.Value{}
	}
	return out
}
