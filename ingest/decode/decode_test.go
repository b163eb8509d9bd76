package decode

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/retryaudit/retryaudit/analyzer/trace"
	"github.com/retryaudit/retryaudit/ingest/record"
)

var limits = Limits{MaxString: 1 << 8, MaxDepth: 8, MaxMessage: 1 << 12, MaxElements: 32}

func str(s string) record.Value     { return record.Value{Type: record.String, S: s} }
func integer(n int64) record.Value  { return record.Value{Type: record.Int, I: n} }
func double(f float64) record.Value { return record.Value{Type: record.Double, D: f} }

// objects reads all records of in as objects.
func objects(t *testing.T, in string) ([]Object, []Problem) {
	t.Helper()
	d := NewJSON(strings.NewReader(in), limits, nil, "an object")
	var all []Object
	result, err := d.Records(func() error {
		var o Object
		ok, err := d.Object("object", &o)
		if ok {
			all = append(all, o)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all, result.Problems
}

func TestObject(t *testing.T) {
	all, problems := objects(t, ` {"a":1,"b":-2.5,"c":"x\n","d":[true,null,{}],"e":{"f":18446744073709551616},"a":1e3}`)
	want := []Object{{Line: 1, Offset: 1, Value: record.Value{Type: record.Map, Map: []record.Attr{
		{Key: "a", Value: integer(1)}, {Key: "b", Value: double(-2.5)}, {Key: "c", Value: str("x\n")},
		{Key: "d", Value: record.Value{Type: record.List, List: []record.Value{{Type: record.Bool, B: true}, {}, {Type: record.Map}}}},
		{Key: "e", Value: record.Value{Type: record.Map, Map: []record.Attr{{Key: "f", Value: double(18446744073709551616)}}}},
		{Key: "a", Value: double(1000)},
	}}}}
	if diff := cmp.Diff(want, all); diff != "" || len(problems) > 0 {
		t.Errorf("%s, problems %+v", diff, problems)
	}
}

func TestObjectLimits(t *testing.T) {
	good := "\n" + `{"ok":1}`
	for name, test := range map[string]struct {
		in, problem string
		objects     int
	}{
		"too many":     {`{"a":[` + strings.Repeat("1,", 40) + `1]}` + good, "object of more than 32 attributes", 1},
		"too deep":     {`{"a":` + strings.Repeat("[", 9) + strings.Repeat("]", 9) + `}` + good, "value of more than 8 levels (MaxDepth); left empty", 2},
		"long string":  {`{"a":"` + strings.Repeat("x", 300) + `"}` + good, "string of 300 bytes; cut at 256 (MaxString)", 2},
		"too large":    {`{"a":"` + strings.Repeat("x", 200_000) + `"}` + good, "of more than 4096 bytes (MaxMessage)", 1},
		"too far away": {`{"a":` + strings.Repeat(" ", 5000) + `1,"b":2}` + good, "object of more than 4096 bytes (MaxMessage)", 1},
	} {
		t.Run(name, func(t *testing.T) {
			all, problems := objects(t, test.in)
			if len(all) != test.objects || len(problems) != 1 || !strings.Contains(problems[0].Reason, test.problem) {
				t.Errorf("%d objects, problems %+v; want %d and %q", len(all), problems, test.objects, test.problem)
			}
		})
	}
}

func TestParse(t *testing.T) {
	for in, ok := range map[string]bool{
		`{"a":[1]}`: true, `7`: true, ` "x" `: true,
		``: false, `{`: false, `{"a":1}}`: false, `{} {}`: false, `{"a":1} /x`: false, `nonsense`: false,
		`[` + strings.Repeat("1,", 40) + `1]`: false,
	} {
		if v, err := Parse(in, limits); (err == nil) != ok {
			t.Errorf("Parse(%q) = %+v, %v", in, v, err)
		}
	}
}

func TestIDs(t *testing.T) {
	sink := NewSink(limits, nil)
	for in, want := range map[string]string{
		"": "0000000000000000", "2a": "000000000000002a", "0x2A": "000000000000002a", "00112233445566ff": "00112233445566ff",
		"00112233445566ff0": "", "xyz": "", "-1": "",
	} {
		var id trace.SpanID
		v := str(in)
		if ok := sink.HexID(&Object{}, "ID", &v, id[:]); ok != (want != "") || ok && id.String() != want {
			t.Errorf("HexID(%q) = %s, %t; want %q", in, id, ok, want)
		}
	}
	for in, want := range map[string]string{
		"": "0000000000000000", "0": "0000000000000000", "18446744073709551615": "ffffffffffffffff", "18446744073709551616": "", "1a": "", "-1": "",
	} {
		var id trace.SpanID
		v := str(in)
		if ok := sink.DecimalID(&Object{}, "ID", &v, id[:]); ok != (want != "") || ok && id.String() != want {
			t.Errorf("DecimalID(%q) = %s, %t; want %q", in, id, ok, want)
		}
	}
	var a, b trace.TraceID
	OpaqueID("5b8efff7-9803-8103-d269-b633813fc60c", a[:])
	OpaqueID("5b8efff798038103d269b633813fc60c", b[:])
	if a != b || a.IsZero() {
		t.Errorf("a UUID is %s with and %s without dashes", a, b)
	}
	OpaqueID("request 1", a[:])
	OpaqueID("request 2", b[:])
	if a == b || a.IsZero() {
		t.Errorf("two texts have the ID %s", a)
	}
}

func TestTimes(t *testing.T) {
	const at = 1772445600123456789
	for _, test := range []struct {
		in   record.Value
		unit time.Duration
		want int64 // −1: a problem
	}{
		{integer(at), time.Nanosecond, at},
		{integer(at / 1000), time.Microsecond, at - 789},
		{str("1772445600123456"), time.Microsecond, at - 789},
		{double(1772445600.123456), time.Second, at - 789},
		{double(1772445600123.456), time.Millisecond, at - 789},
		{double(1772445601.75), time.Second, 1772445601750000000},
		{str("2026-03-02T10:00:00.123456789Z"), time.Second, at},
		{str("2026-03-02T12:00:00.123456789+02:00"), time.Second, at},
		{str("2026-03-02T10:00:00.123456789"), time.Second, at},
		{str("2026-03-02 10:00:00.123456789"), time.Second, at},
		{str("2026-03-02 10:00:00.123456789 +0000 UTC"), time.Second, at},
		{str("0001-01-01T00:00:00Z"), time.Second, 0},
		{record.Value{}, time.Second, 0},
		{str(""), time.Second, 0},
		{str("soon"), time.Second, -1},
		{integer(-1), time.Second, -1},
		{integer(at), time.Second, -1}, // beyond 64 bits
		{record.Value{Type: record.Bool, B: true}, time.Second, -1},
	} {
		sink := NewSink(limits, nil)
		got := sink.TimeOf(&Object{}, "time", &test.in, test.unit)
		if want := max(0, test.want); got != want || (len(sink.Result.Problems) > 0) != (test.want < 0) {
			t.Errorf("%+v in %s = %d, problems %+v; want %d", test.in, test.unit, got, sink.Result.Problems, test.want)
		}
	}
}

func TestFlatten(t *testing.T) {
	v, err := Parse(`{"http":{"request":{"method":"GET"},"empty":{}},"list":[1],"none":null}`, limits)
	if err != nil {
		t.Fatal(err)
	}
	want := []record.Attr{
		{Key: "x.http.request.method", Value: str("GET")},
		{Key: "x.list", Value: record.Value{Type: record.List, List: []record.Value{integer(1)}}},
	}
	if diff := cmp.Diff(want, Flatten(nil, "x", &v)); diff != "" {
		t.Error(diff)
	}
}

func TestMany(t *testing.T) {
	_, problems := objects(t, "["+strings.Repeat("7,", 99)+"7]")
	if len(problems) != MaxSingle+1 || problems[MaxSingle].Count != 100-MaxSingle || problems[MaxSingle].Reason != "more values of another kind" {
		t.Errorf("%d problems, the last %+v; want the rest of 100 in one", len(problems), problems[len(problems)-1])
	}
}

// FuzzJSON holds that a value is read as it was written, and that reading ends.
func FuzzJSON(f *testing.F) {
	for _, s := range []string{`{"a":[1,2.5,"x",null,true,{"b":{}}]}`, `[[{"a":1}],{"b":2}]`, "\x00{}\n7\n{", `{"a":1}{"b":`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		read := func(r io.Reader) ([]Object, Result) {
			d := NewJSON(r, limits, nil, "an object")
			var all []Object
			result, err := d.Records(func() error {
				var o Object
				ok, err := d.Object("object", &o)
				if ok {
					all = append(all, o)
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			return all, result
		}
		first, result := read(bytes.NewReader(in))
		again, second := read(io.MultiReader(bytes.NewReader(in[:len(in)/2]), bytes.NewReader(in[len(in)/2:])))
		if diff := cmp.Diff(first, again) + cmp.Diff(result, second); diff != "" {
			t.Error(diff)
		}
	})
}
