// Package phoenix reads spans of Arize Phoenix and of other tools of
// OpenInference: answers of Phoenix's REST API, the same spans in a list or a
// line each, and data frames that pandas wrote as records, lines or by index.
// (Arize-ai/phoenix src/phoenix/server/api/routers/v1/spans.py; the columns are
// those of get_spans_dataframe.)
package phoenix

import (
	"io"

	"github.com/retryaudit/retryaudit/ingest/decode"
	"github.com/retryaudit/retryaudit/ingest/record"
)

type decoder struct{ *decode.JSON }

// Read reads spans of Phoenix. The result is valid with an error, too. An
// error is one of emit or of r; all that is wrong with the content is a
// problem.
func Read(r io.Reader, lim decode.Limits, emit func(*record.Span) error) (decode.Result, error) {
	d := decoder{decode.NewJSON(r, lim, emit, "a span of Phoenix")}
	return d.Records(func() error { return d.record(0) })
}

// maxNested is how deep a span may stand in other records: an answer holds
// traces, which hold spans.
const maxNested = 2

// wantRows ends the problems of data frames that are not written row by row.
const wantRows = `want to_json(orient="records"), which can be read row by row`

// record reads a span or a record that holds some.
func (d decoder) record(depth int) error {
	var alone decode.Object
	holds, refused := false, false
	complete, err := d.Partly("span", &alone, func(key string) (bool, error) {
		kind := d.Kind()
		switch {
		case refused:
			return true, d.Skip()
		case depth < maxNested && kind == '[' && (key == "data" || key == "spans"):
			holds = true
			return true, d.each(key, depth)
		case depth == 0 && kind == '{' && isID(key): // of orient="index"
			holds = true
			return true, d.record(depth + 1)
		case kind == '{' && isColumn(key), kind == '[' && isColumn(key):
			d.Problem(decode.FaultValue, alone.Line, alone.Offset, "found a data frame written column by column, none of which is read; %s", wantRows)
			refused = true
			return true, d.Skip()
		case holds, key == "rootSpan", key == "schema":
			return true, d.Skip() // next_cursor and what a trace repeats of its spans
		}
		return false, nil
	})
	if err != nil || !complete || holds || refused {
		return err
	}
	return d.span(&alone)
}

// each reads the records of a list.
func (d decoder) each(what string, depth int) error {
	refused := false
	return d.Each(what, func() error {
		switch d.Kind() {
		case '{':
			return d.record(depth + 1)
		case '[':
			if line, offset := d.Begin(); !refused {
				d.Problem(decode.FaultValue, line, offset, "found rows without names (orient=\"split\"), none of which is read; %s", wantRows)
			}
			refused = true
			return d.Skip()
		}
		var o decode.Object
		_, err := d.Object("span", &o) // reports what it is
		return err
	})
}

// isColumn reports whether a column of a data frame never holds an object or
// a list.
func isColumn(name string) bool {
	switch name {
	case "name", "span_kind", "parent_id", "start_time", "end_time", "status_code", "status_message", "context.trace_id", "context.span_id":
		return true
	}
	return false
}

// isID reports whether a name is the ID of a span.
func isID(name string) bool {
	if len(name) != 16 {
		return false
	}
	for i := range len(name) {
		if c := name[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}
