package console

import (
	"io"

	"github.com/retryaudit/retryaudit/ingest/decode"
	"github.com/retryaudit/retryaudit/ingest/record"
)

// jsonDecoder reads JSON objects between other lines.
type jsonDecoder struct {
	*decode.JSON
	sieve  *sieve
	placed int // problems that say where they are in the input, not in what the sieve sent
}

// readJSON hands each object to span, which reports whether it was one of the
// format.
func readJSON(r io.Reader, lim decode.Limits, emit func(*record.Span) error, want string, span func(*decode.Sink, *decode.Object) (bool, error)) (decode.Result, error) {
	d := &jsonDecoder{sieve: &sieve{in: newLines(r)}}
	d.JSON = decode.NewJSON(d.sieve, lim, emit, want, "{")
	_, err := d.Records(func() error {
		var o decode.Object
		ok, err := d.Object("span", &o)
		if err != nil || !ok {
			return err
		}
		d.place()
		d.sieve.forget(o.Offset)
		o.Line, o.Offset = d.sieve.place(o.Line, o.Offset)
		is, err := span(&d.Sink, &o)
		if d.Result.Known = d.Result.Known || is; !is && err == nil {
			d.sieve.foreign.add(o.Line, o.Offset)
		}
		d.placed = len(d.Result.Problems)
		return err
	})
	d.place()
	d.sieve.foreign.report(&d.Result)
	return d.Result, err
}

// place corrects the places of the problems that the reader of JSON found.
func (d *jsonDecoder) place() {
	for ; d.placed < len(d.Result.Problems); d.placed++ {
		p := &d.Result.Problems[d.placed]
		p.Line, p.Offset = d.sieve.place(p.Line, p.Offset)
	}
}

// signal is another signal, and the member by which its objects are known.
type signal struct{ member, name string }

// skipOther counts an object of another signal.
func skipOther(s *decode.Sink, o *decode.Object, signals []signal) bool {
	for _, sig := range signals {
		if decode.Member(&o.Value, sig.member) != nil {
			s.Skipped(sig.name)
			return true
		}
	}
	return false
}

// text is the text of a member; it is empty if there is none.
func text(v *record.Value, path ...string) string { return decode.Text(decode.At(v, path...)) }

// linkIDs reads the IDs of a link and reports whether it leads anywhere.
func linkIDs(d *decode.Sink, o *decode.Object, l *record.Link, traceID, spanID *record.Value) bool {
	okTrace := d.HexID(o, "trace ID of a link", traceID, l.Trace[:])
	okSpan := d.HexID(o, "span ID of a link", spanID, l.ID[:])
	return okTrace && okSpan && !l.Trace.IsZero() && !l.ID.IsZero()
}
