// Package langfuse reads observations of Langfuse: a trace of the public API
// or of the download in the UI, lists of the API, and observations in a list
// or a line each, as the export to a blob storage writes them.
// (langfuse/langfuse: the public API's traces and observations,
// packages/shared/src/server/repositories/observations.ts for the export,
// packages/shared/src/server/otel/OtelIngestionProcessor.ts for what stays of
// OpenTelemetry.)
package langfuse

import (
	"io"

	"github.com/retryaudit/retryaudit/ingest/decode"
	"github.com/retryaudit/retryaudit/ingest/record"
)

// decoder reads an observation at a time. Of a trace it keeps what stood
// before its observations.
type decoder struct {
	*decode.JSON
	trace, session string
}

// Read reads observations of Langfuse. The result is valid with an error, too.
// An error is one of emit or of r; all that is wrong with the content is a
// problem.
func Read(r io.Reader, lim decode.Limits, emit func(*record.Span) error) (decode.Result, error) {
	d := &decoder{JSON: decode.NewJSON(r, lim, emit, "a trace or an observation of Langfuse")}
	return d.Records(func() error {
		d.trace, d.session = "", ""
		return d.record(0)
	})
}

// maxNested is how deep an observation may stand in other records: a list
// holds traces, which hold observations.
const maxNested = 2

// observed are the members that tell an observation from a trace.
var observed = []string{"traceId", "trace_id", "startTime", "start_time"}

// record reads a list, a trace or an observation.
func (d *decoder) record(depth int) error {
	var o decode.Object
	holds := false
	complete, err := d.Partly("observation", &o, func(key string) (bool, error) {
		kind := d.Kind()
		switch {
		case depth < maxNested && kind == '[' && (key == "observations" || key == "data"):
			if !holds {
				d.keep(&o.Value)
			}
			holds = true
			return true, d.each(key, depth, o.Line, o.Offset)
		case depth < maxNested && kind == '{' && key == "trace": // of the download in the UI
			return true, d.Members("trace", d.traceMember)
		case holds, key == "output", key == "scores", key == "meta":
			return true, d.Skip()
		case key == "input" && decode.Member(&o.Value, observed...) == nil:
			return true, d.Skip() // that of a trace
		}
		return false, nil
	})
	if err != nil || !complete || holds {
		return err
	}
	return d.observation(&o)
}

// keep notes what a trace says of all its observations.
func (d *decoder) keep(v *record.Value) {
	if id := decode.Text(decode.Member(v, "id")); id != "" {
		d.trace = id
	}
	if id := decode.Text(decode.Member(v, "sessionId", "session_id")); id != "" {
		d.session = id
	}
}

func (d *decoder) traceMember(name []byte) error {
	switch string(name) {
	case "id":
		return d.Str("id", &d.trace)
	case "sessionId":
		return d.Str("sessionId", &d.session)
	}
	return d.Skip()
}

// each reads the records of a list. Lists of traces name their observations by
// ID only.
func (d *decoder) each(what string, depth, line int, offset int64) error {
	told := false
	trace, session := d.trace, d.session
	return d.Each(what, func() error {
		d.trace, d.session = trace, session
		switch kind := d.Kind(); {
		case kind == '{':
			return d.record(depth + 1)
		case kind == '"' && what == "observations":
			if !told {
				d.Result.Known = true
				d.Problem(decode.FaultForeign, line, offset, "trace %q: found only the IDs of its observations; want them whole, as GET /api/public/traces/ID answers", decode.Excerpt(trace))
			}
			told = true
			return d.Skip()
		}
		var o decode.Object
		_, err := d.Object("observation", &o) // reports what it is
		return err
	})
}
