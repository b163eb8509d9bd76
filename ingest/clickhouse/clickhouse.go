// Package clickhouse reads rows of the table otel_traces, which the exporter
// of the OpenTelemetry Collector fills in ClickHouse: rows a line (FORMAT
// JSONEachRow), in an answer (FORMAT JSON) or in a list.
// (opentelemetry-collector-contrib exporter/clickhouseexporter, the tables of
// internal/sqltemplates and their JSON form.)
package clickhouse

import (
	"io"

	"github.com/retryaudit/retryaudit/ingest/decode"
	"github.com/retryaudit/retryaudit/ingest/record"
)

type decoder struct{ *decode.JSON }

// Read reads rows of otel_traces. The result is valid with an error, too. An
// error is one of emit or of r; all that is wrong with the content is a
// problem.
func Read(r io.Reader, lim decode.Limits, emit func(*record.Span) error) (decode.Result, error) {
	d := decoder{decode.NewJSON(r, lim, emit, "a row of otel_traces", `{"meta":`, `{"Timestamp":`)}
	return d.Records(d.record)
}

// record reads an answer or a row.
func (d decoder) record() error {
	var alone decode.Object // a row that is not in an answer
	answer := false
	complete, err := d.Partly("row", &alone, func(name string) (bool, error) {
		switch name {
		case "data":
			answer = true
			return true, d.rows()
		case "exception": // of a query that failed while it answered
			answer = true
			return true, d.exception()
		case "meta", "totals", "extremes", "statistics":
			return true, d.Skip()
		}
		if answer {
			return true, d.Skip() // rows, rows_before_limit_at_least
		}
		return false, nil
	})
	if err != nil || !complete || answer {
		return err
	}
	return d.row(&alone)
}

// rows reads the rows of an answer.
func (d decoder) rows() error {
	if d.Kind() == '{' {
		line, offset := d.Begin()
		d.Problem(decode.FaultValue, line, offset, "found the columns of FORMAT JSONColumnsWithMetadata; want rows (FORMAT JSONEachRow or JSON)")
		return d.Skip()
	}
	compact := false
	return d.Each("data", func() error {
		if d.Kind() == '[' {
			if line, offset := d.Begin(); !compact {
				d.Problem(decode.FaultValue, line, offset, "found rows without names (FORMAT JSONCompact), none of which is read; want FORMAT JSONEachRow or JSON")
			}
			compact = true
			return d.Skip()
		}
		var o decode.Object
		ok, err := d.Object("row", &o)
		if err != nil || !ok {
			return err
		}
		return d.row(&o)
	})
}

// exception reports why a query ended.
func (d decoder) exception() error {
	line, offset := d.Begin()
	var v record.Value
	if err := d.Value("exception", &v); err != nil {
		return err
	}
	d.Problem(decode.FaultValue, line, offset, "ClickHouse ended the answer with an error: %q; want all rows", decode.Excerpt(decode.Text(&v)))
	return nil
}

// otherTables tells the exporter's other tables by a column.
var otherTables = []struct{ column, signal string }{
	{"MetricName", "metrics"}, {"Body", "logs"}, {"SeverityText", "logs"},
}

func (d decoder) row(o *decode.Object) error {
	id := decode.Member(&o.Value, "SpanId")
	if decode.Member(&o.Value, "SpanName", "Duration") == nil {
		for _, t := range otherTables {
			if decode.Member(&o.Value, t.column) != nil {
				d.Skipped(t.signal)
				return nil
			}
		}
	}
	switch {
	case id == nil || decode.Member(&o.Value, "TraceId") == nil:
		d.Foreign(o.Line, o.Offset, "TraceId and SpanId")
		return nil
	case id.Type == record.List:
		d.Problem(decode.FaultValue, o.Line, o.Offset, "found columns (FORMAT JSONColumns); want rows (FORMAT JSONEachRow or JSON)")
		return nil
	}
	d.Result.Known = true
	var s record.Span
	if !d.convert(o, &s) {
		return nil
	}
	return d.Span(&s)
}
