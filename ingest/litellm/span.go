package litellm

import (
	"net/url"
	"strconv"
	"strings"

	"github.com/retryaudit/retryaudit/analyzer/trace"
	"github.com/retryaudit/retryaudit/ingest/decode"
	"github.com/retryaudit/retryaudit/ingest/record"
)

// scope is the name under which LiteLLM's own tracer writes (litellm
// integrations/opentelemetry.py); it gives plain names their meaning.
const scope = "litellm"

func text(s string) record.Value { return record.Value{Type: record.String, S: s} }

// payload hands on the span that a payload is: an attempt that the gateway
// made at a provider.
func (d decoder) payload(o *decode.Object, resource []record.Attr) error {
	member := func(names ...string) *record.Value { return decode.Member(&o.Value, names...) }
	callType := decode.Text(member("call_type"))
	if callType == "" || member("startTime") == nil {
		d.Foreign(o.Line, o.Offset, "call_type and startTime")
		return nil
	}
	d.Result.Known = true
	s := record.Span{Line: o.Line, Offset: o.Offset, Kind: trace.Client, Scope: scope, Resource: resource}
	s.Name = strings.TrimSpace(callType + " " + decode.Text(member("model")))
	if len(s.Resource) == 0 {
		s.Resource = []record.Attr{{Key: "service.name", Value: text("litellm")}}
	}
	identify(o, &s)
	s.Start = d.TimeOf(o, "startTime", member("startTime"), decode.Second)
	s.End = d.TimeOf(o, "endTime", member("endTime"), decode.Second)
	switch status := decode.Text(member("status")); status {
	case "success":
		s.Status = record.OK
	case "failure":
		s.Status = record.Error
		s.StatusMessage = decode.Text(member("error_str"))
	case "":
	default:
		d.Problem(decode.FaultValue, o.Line, o.Offset, "status: found %q; want success or failure", decode.Excerpt(status))
	}
	d.attributes(o, &s)
	return d.Span(&s)
}

// identify fills in the IDs. A payload's ID is that of the answer or, of a
// failure, that of the request, which all its attempts share: only with the
// start and the deployment it is the attempt's. Payloads before trace_id are
// alone in their trace.
func identify(o *decode.Object, s *record.Span) {
	member := func(names ...string) string { return decode.Text(decode.Member(&o.Value, names...)) }
	id := member("id", "litellm_call_id")
	if id == "" {
		return
	}
	of := member("trace_id")
	if of == "" {
		of = id
	}
	decode.OpaqueID(of, s.Trace[:])
	decode.OpaqueID(strings.Join([]string{id, member("startTime"), member("endTime"), member("model_id"), member("status")}, "|"), s.ID[:])
}

// plain are the members that become attributes under their own names, with
// dots in place of objects. Messages are only hashed; whose key was used,
// answers and stack traces are left out.
var plain = []string{
	"call_type", "model", "model_group", "model_id", "api_base", "custom_llm_provider", "stream", "cache_hit",
	"prompt_tokens", "completion_tokens", "total_tokens", "request_tags", "messages", "model_parameters",
}

// deep are members of members that become attributes in the same way.
var deep = [][]string{
	{"error_information", "error_code"},
	{"error_information", "error_class"},
	{"error_information", "error_message"},
	{"error_information", "llm_provider"},
	{"hidden_params", "litellm_model_name"},
	{"metadata", "attempted_retries"},
	{"metadata", "max_retries"},
	{"metadata", "attempted_fallbacks"},
}

func (d decoder) attributes(o *decode.Object, s *record.Span) {
	add := func(key string, v *record.Value) {
		if v != nil && (v.Type != record.String || v.S != "") {
			s.Attrs = append(s.Attrs, record.Attr{Key: key, Value: *v})
		}
	}
	for _, name := range plain {
		switch v := decode.Member(&o.Value, name); {
		case name == "model_parameters":
			s.Attrs = decode.Flatten(s.Attrs, name, v)
		case name != "messages" || !redacted(v):
			add(name, v)
		}
	}
	// The name of LiteLLM's own tracer for the ID that a request of the proxy
	// keeps in all its attempts (litellm integrations/otel).
	add("litellm.call_id", decode.Member(&o.Value, "litellm_call_id"))
	for _, path := range deep {
		add(strings.Join(path, "."), decode.At(&o.Value, path...))
	}
	s.Attrs = headers(s.Attrs, &o.Value)
	s.Attrs = previous(s.Attrs, &o.Value)
	s.Attrs = upstream(s.Attrs, decode.Text(decode.Member(&o.Value, "api_base")))
	for _, choice := range decode.List(decode.At(&o.Value, "response", "choices")) {
		add("response.finish_reason", decode.Member(&choice, "finish_reason"))
		break
	}
	// Without a stream the first token is said to have come at the end.
	stream := decode.Member(&o.Value, "stream")
	first := d.TimeOf(o, "completionStartTime", decode.Member(&o.Value, "completionStartTime"), decode.Second)
	if stream != nil && stream.B && first >= s.Start && s.Start != 0 {
		add("time_to_first_token", &record.Value{Type: record.Double, D: float64(first-s.Start) / 1e9})
	}
}

// redacted reports whether messages were taken out (turn_off_message_logging),
// so that all look the same (litellm_core_utils/redact_messages.py).
func redacted(v *record.Value) bool {
	const instead = "redacted-by-litellm"
	if decode.Text(v) == instead {
		return true
	}
	for _, m := range decode.List(v) {
		if decode.Text(decode.Member(&m, "content")) == instead {
			return true
		}
	}
	return false
}

// headers adds the headers of the answer that LiteLLM keeps, with the hyphens
// that it takes from the names of some (StandardLoggingAdditionalHeaders).
func headers(to []record.Attr, v *record.Value) []record.Attr {
	for _, h := range decode.Map(decode.At(v, "hidden_params", "additional_headers")) {
		name := strings.ToLower(strings.ReplaceAll(h.Key, "_", "-"))
		name = strings.TrimPrefix(name, "llm-provider-") // of a header of the provider's
		switch {
		case h.Value.Type == record.Empty:
		case strings.HasPrefix(name, "x-litellm-"):
			to = append(to, record.Attr{Key: "hidden_params.additional_headers." + name, Value: h.Value})
		default:
			to = append(to, record.Attr{Key: "http.response.header." + name, Value: h.Value})
		}
	}
	return to
}

// previous adds what the router notes of the attempts before (Router.log_retry,
// the last few of them). Their other members repeat the request.
func previous(to []record.Attr, v *record.Value) []record.Attr {
	var kinds record.Value
	for _, p := range decode.List(decode.At(v, "metadata", "previous_models")) {
		kinds.Type = record.List
		kinds.List = append(kinds.List, text(decode.Text(decode.Member(&p, "exception_type"))))
	}
	if kinds.Type == record.Empty {
		return to
	}
	return append(to, record.Attr{Key: "metadata.previous_models.exception_type", Value: kinds})
}

// upstream adds the host that was called.
func upstream(to []record.Attr, base string) []record.Attr {
	u, err := url.Parse(base)
	if err != nil || u.Hostname() == "" {
		return to
	}
	to = append(to, record.Attr{Key: "server.address", Value: text(u.Hostname())})
	if port, err := strconv.ParseUint(u.Port(), 10, 16); err == nil {
		to = append(to, record.Attr{Key: "server.port", Value: record.Value{Type: record.Int, I: int64(port)}})
	}
	return to
}
