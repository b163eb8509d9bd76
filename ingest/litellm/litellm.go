// Package litellm reads the logs of LiteLLM's callbacks, a
// StandardLoggingPayload for each call of a model: in a line each, in lists, or
// as messages of Datadog. (BerriAI/litellm litellm/types/utils.py and
// litellm_core_utils/litellm_logging.py; types/integrations/datadog.py.)
package litellm

import (
	"io"
	"strings"

	"github.com/retryaudit/retryaudit/ingest/decode"
	"github.com/retryaudit/retryaudit/ingest/record"
)

type decoder struct{ *decode.JSON }

// Read reads logs of LiteLLM. The result is valid with an error, too. An error
// is one of emit or of r; all that is wrong with the content is a problem.
func Read(r io.Reader, lim decode.Limits, emit func(*record.Span) error) (decode.Result, error) {
	d := decoder{decode.NewJSON(r, lim, emit, "a StandardLoggingPayload of LiteLLM", `{"id":`)}
	return d.Records(d.record)
}

// unread are members that are large and tell nothing of what is asked here.
var unread = map[string]bool{"model_map_information": true, "guardrail_information": true, "cost_breakdown": true}

// record reads a payload or what Datadog is sent.
func (d decoder) record() error {
	var o decode.Object
	complete, err := d.Partly("payload", &o, func(name string) (bool, error) {
		if unread[name] {
			return true, d.Skip()
		}
		return false, nil
	})
	if err != nil || !complete {
		return err
	}
	if decode.Member(&o.Value, "call_type") == nil {
		if message := decode.Member(&o.Value, "message"); message != nil {
			return d.message(&o, message)
		}
	}
	return d.payload(&o, nil)
}

// message reads a payload that is the message of another log. Server logs of
// LiteLLM (json_logs) have no payload in it.
func (d decoder) message(o *decode.Object, message *record.Value) error {
	inner := decode.Object{Value: *message, Line: o.Line, Offset: o.Offset}
	if strings.HasPrefix(message.S, "{") {
		v, err := decode.Parse(message.S, d.Limits)
		if err != nil && strings.Contains(message.S, `"call_type"`) {
			d.Problem(decode.FaultValue, o.Line, o.Offset, "message: found %q, which does not parse: %v; want a StandardLoggingPayload", decode.Excerpt(message.S), err)
			return nil
		}
		inner.Value = v
	}
	if decode.Member(&inner.Value, "call_type") == nil {
		d.Problem(decode.FaultForeign, o.Line, o.Offset, "found a log line of a server (json_logs), which tells of no call; want what a callback for S3, GCS or Datadog logs, a StandardLoggingPayload")
		return nil
	}
	var resource []record.Attr
	for _, r := range []struct{ member, key string }{{"service", "service.name"}, {"hostname", "host.name"}} {
		if v := decode.Text(decode.Member(&o.Value, r.member)); v != "" {
			resource = append(resource, record.Attr{Key: r.key, Value: text(v)})
		}
	}
	return d.payload(&inner, resource)
}
