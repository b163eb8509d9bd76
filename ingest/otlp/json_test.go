package otlp

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/retryaudit/retryaudit/analyzer/trace"
	"github.com/retryaudit/retryaudit/ingest/decode"
	"github.com/retryaudit/retryaudit/ingest/record"
)

const (
	traceHex = "5b8efff798038103d269b633813fc60c"
	spanHex  = "eee19b7ec3c1b174"
)

var (
	traceID = trace.TraceID{0x5b, 0x8e, 0xff, 0xf7, 0x98, 0x03, 0x81, 0x03, 0xd2, 0x69, 0xb6, 0x33, 0x81, 0x3f, 0xc6, 0x0c}
	spanID  = trace.SpanID{0xee, 0xe1, 0x9b, 0x7e, 0xc3, 0xc1, 0xb1, 0x74}
)

// object is a message of one span with the members.
func object(members string) string {
	return `{"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"demo"}}]},` +
		`"scopeSpans":[{"scope":{"name":"lib","version":"1"},"spans":[{` + members + `}]}]}]}`
}

// ids are the members without which a span is not used.
const ids = `"traceId":"` + traceHex + `","spanId":"` + spanHex + `"`

func numbered(i int) string {
	return object(fmt.Sprintf(`"traceId":%q,"spanId":"%016x","startTimeUnixNano":"1772445600000000000","endTimeUnixNano":"1772445600000000002"`, traceHex, i+1))
}

func TestJSONMembers(t *testing.T) {
	attr := func(v record.Value) record.Span { return record.Span{Attrs: []record.Attr{{Key: "k", Value: v}}} }
	value := func(v string) string { return `"attributes":[{"key":"k","value":` + v + `}]` }
	tests := map[string]struct {
		in      string
		want    record.Span
		problem string
	}{
		"words":              {`"kind":"SPAN_KIND_CLIENT","status":{"code":"STATUS_CODE_ERROR","message":"m"}`, record.Span{Kind: trace.Client, Status: record.Error, StatusMessage: "m"}, ""},
		"short words":        {`"kind":"Client","status":{"code":"ERROR"}`, record.Span{Kind: trace.Client, Status: record.Error}, ""},
		"numbers":            {`"kind":5,"status":{"code":1}`, record.Span{Kind: trace.Consumer, Status: record.OK}, ""},
		"numbers in strings": {`"kind":"2"`, record.Span{Kind: trace.Server}, ""},
		"unknown kind":       {`"kind":77`, record.Span{}, `span kind: found "77"`},
		"nulls":              {`"kind":null,"name":null,"attributes":null,"events":null,"links":null,"status":null,"parentSpanId":null,"startTimeUnixNano":null`, record.Span{}, ""},
		"times as numbers":   {`"startTimeUnixNano":1544712660000000001,"endTimeUnixNano":1544712661000000003`, record.Span{Start: 1544712660000000001, End: 1544712661000000003}, ""},
		"times with exponent": {`"startTimeUnixNano":1.5e18,"endTimeUnixNano":"1.5e18"`,
			record.Span{Start: 15e17, End: 15e17}, ""},
		"empty time":      {`"startTimeUnixNano":""`, record.Span{}, ""},
		"time of no use":  {`"startTimeUnixNano":"soon"`, record.Span{}, `start time: found "soon"; want ns`},
		"time too great":  {`"startTimeUnixNano":18446744073709551615`, record.Span{}, "2262"},
		"ends early":      {`"startTimeUnixNano":1772445600005000000,"endTimeUnixNano":1772445600002000000`, record.Span{Start: 1772445600005000000, End: 1772445600002000000}, "span " + spanHex + ": ends 3ms before it starts"},
		"zero parent":     {`"parentSpanId":"0000000000000000"`, record.Span{}, ""},
		"empty parent":    {`"parentSpanId":""`, record.Span{}, ""},
		"short parent":    {`"parentSpanId":"0"`, record.Span{}, `parent span ID: found "0" of 1 characters; want 16 hex digits`},
		"parent half hex": {`"parentSpanId":"eee19b7ec3c1b1zz"`, record.Span{}, `parent span ID: found "eee19b7ec3c1b1zz"`},
		"snake case":      {`"parent_span_id":"EEE19B7EC3C1B174","trace_state":"a=b","start_time_unix_nano":"1","end_time_unix_nano":2`, record.Span{Parent: spanID, TraceState: "a=b", Start: 1, End: 2}, ""},
		"base64 parent":   {`"parentSpanId":"7uGbfsPBsXQ="`, record.Span{Parent: spanID}, ""},
		"escapes":         {`"n\u0061me":"a\n\u00e9\ud83d\ude00"`, record.Span{Name: "a\né😀"}, ""},
		"invalid UTF-8":   {"\"name\":\"a\xffb\"", record.Span{Name: "a\uFFFDb"}, ""},
		"duplicate names": {`"name":"a","name":"b"`, record.Span{Name: "b"}, ""},
		"unknown members": {`"flags":1,"droppedLinksCount":0,"x":{"y":[1,{"z":null}]}`, record.Span{}, ""},
		"name a number":   {`"name":7`, record.Span{}, "span name: found a number; want a string"},
		"events not a list": {`"events":{"a":1}`, record.Span{},
			"events: found an object; want an array"},
		"event": {`"events":[{"name":"exception","timeUnixNano":"7","attributes":[{"key":"k","value":{"boolValue":true}}]},{}]`,
			record.Span{Events: []record.Event{{Name: "exception", Time: 7, Attrs: []record.Attr{{Key: "k", Value: record.Value{Type: record.Bool, B: true}}}}, {}}}, ""},
		"link": {`"links":[{` + ids + `,"attributes":[{"key":"k","value":{}}]}]`,
			record.Span{Links: []record.Link{{Trace: traceID, ID: spanID, Attrs: []record.Attr{{Key: "k"}}}}}, ""},
		"broken link":    {`"links":[{"traceId":"12"}]`, record.Span{}, `trace ID of a link: found "12" of 2 characters; want 32 hex digits`},
		"int string":     {value(`{"intValue":"9007199254740993"}`), attr(record.Value{Type: record.Int, I: 9007199254740993}), ""},
		"int number":     {value(`{"intValue":9007199254740993}`), attr(record.Value{Type: record.Int, I: 9007199254740993}), ""},
		"int negative":   {value(`{"int_value":-7}`), attr(record.Value{Type: record.Int, I: -7}), ""},
		"int with point": {value(`{"intValue":5.0}`), attr(record.Value{Type: record.Int, I: 5}), ""},
		"int least":      {value(`{"intValue":"-9223372036854775808"}`), attr(record.Value{Type: record.Int, I: math.MinInt64}), ""},
		"int of no use":  {value(`{"intValue":5.5}`), attr(record.Value{Type: record.Int}), `intValue: found "5.5"; want an integer`},
		"int too great":  {value(`{"intValue":"9223372036854775808"}`), attr(record.Value{Type: record.Int}), "want an integer of 64 bits"},
		"double whole":   {value(`{"doubleValue":3}`), attr(record.Value{Type: record.Double, D: 3}), ""},
		"double string":  {value(`{"double_value":"-Infinity"}`), attr(record.Value{Type: record.Double, D: math.Inf(-1)}), ""},
		"double NaN":     {value(`{"doubleValue":"NaN"}`), attr(record.Value{Type: record.Double, D: math.NaN()}), ""},
		"double of no use": {value(`{"doubleValue":"x"}`), attr(record.Value{Type: record.Double}),
			`doubleValue: found "x"; want a number`},
		"bool":         {value(`{"boolValue":false}`), attr(record.Value{Type: record.Bool}), ""},
		"bool as text": {value(`{"boolValue":"true"}`), attr(record.Value{Type: record.Bool}), "boolValue: found a string; want a boolean"},
		"bytes":        {value(`{"bytesValue":"AP8="}`), attr(record.Value{Type: record.Bytes, S: "\x00\xff"}), ""},
		"bytes broken": {value(`{"bytesValue":"*"}`), attr(record.Value{Type: record.Bytes}), `bytesValue: found "*"; want base64`},
		"null value":   {value(`{"stringValue":null}`), attr(record.Value{}), ""},
		"empty string": {value(`{"stringValue":""}`), attr(record.Value{Type: record.String}), ""},
		"list": {value(`{"arrayValue":{"values":[{"stringValue":"a"},{"arrayValue":{}},{"intValue":"1"}]}}`),
			attr(record.Value{Type: record.List, List: []record.Value{{Type: record.String, S: "a"}, {Type: record.List}, {Type: record.Int, I: 1}}}), ""},
		"map": {value(`{"kvlist_value":{"values":[{"key":"x","value":{"stringValue":"y"}}]}}`),
			attr(record.Value{Type: record.Map, Map: []record.Attr{{Key: "x", Value: record.Value{Type: record.String, S: "y"}}}}), ""},
		"bare value": {value(`"x"`), attr(record.Value{}), "attribute value: found a string; want an object"},
		"too deep": {value(strings.Repeat(`{"arrayValue":{"values":[`, 9) + strings.Repeat(`]}}`, 9)),
			attr(nested(8)), "attribute value of more than 8 levels (MaxDepth)"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			in := object(ids + "," + test.in)
			spans, result := readJSON(t, in, testLimits)
			if len(spans) != 1 {
				t.Fatalf("%d spans, problems %+v; want one", len(spans), result.Problems)
			}
			want := test.want
			want.Trace, want.ID, want.Scope, want.ScopeVersion = traceID, spanID, "lib", "1"
			want.Resource = []record.Attr{{Key: "service.name", Value: record.Value{Type: record.String, S: "demo"}}}
			want.Line, want.Offset = 1, int64(strings.Index(in, `{"traceId"`))
			if diff := cmp.Diff(want, spans[0], cmpopts.EquateEmpty(), cmpopts.EquateNaNs()); diff != "" {
				t.Error(diff)
			}
			if test.problem == "" && len(result.Problems) > 0 || test.problem != "" && len(result.Problems) != 1 {
				t.Fatalf("problems %+v; want %q", result.Problems, test.problem)
			}
			if test.problem != "" && !strings.Contains(result.Problems[0].Reason, test.problem) {
				t.Errorf("problem %q; want %q", result.Problems[0].Reason, test.problem)
			}
		})
	}
}

// nested is n lists within each other, the innermost with an empty value.
func nested(n int) record.Value {
	v := record.Value{}
	for range n {
		v = record.Value{Type: record.List, List: []record.Value{v}}
	}
	return v
}

func TestJSONContainers(t *testing.T) {
	a, b, c := numbered(1), numbered(2), numbered(3)
	pretty := strings.NewReplacer("{", "{\n  ", "[", "[\n  ", ",", ",\n  ").Replace(a)
	nuls := strings.Repeat("\x00", 70000)
	const bom = "\ufeff"
	tests := map[string]struct {
		in       string
		spans    int
		problems []decode.Problem
	}{
		"object":         {a, 1, nil},
		"white space":    {"\n \r\n" + a + "\n\n", 1, nil},
		"byte order":     {"\xef\xbb\xbf" + a, 1, nil},
		"lines":          {a + "\n" + b + "\r\n\r\n" + c, 3, nil},
		"concatenated":   {a + b + c, 3, nil},
		"array":          {"[" + a + "," + b + "]", 2, nil},
		"array in lines": {"[\n" + a + ",\n" + b + "\n]\n" + c, 3, nil},
		"pretty":         {pretty + "\n" + pretty, 2, nil},
		"Tempo answer":   {`{"trace":` + a + `,"metrics":{"x":1}}`, 1, nil},
		"empty array":    {"[]", 0, nil},
		"snake case": {`{"resource_spans":[{"scope_spans":[{"spans":[{` + ids + `}]}]}]}`, 1,
			nil},
		"Tempo 2":  {`{"trace":` + numbered(0) + `,"metrics":{}}`, 1, nil},
		"Jaeger 3": {`{"result":` + numbered(0) + `}` + "\n" + `{"result":` + numbered(1) + `}`, 2, nil},
		"batches":  {`{"batches":[{"instrumentationLibrarySpans":[{"instrumentationLibrary":{},"spans":[{` + ids + `}]}]}]}`, 1, nil},
		"other JSON between": {a + "\n{\"level\":\"info\"}\n" + b, 2,
			[]decode.Problem{{Line: 2, Offset: int64(len(a)) + 1, Reason: "an object without resourceSpans"}}},
		"number between": {a + "\n17\n" + b, 2, []decode.Problem{{Line: 2, Offset: int64(len(a)) + 1, Reason: "found a number; want an object with resourceSpans"}}},
		"cut at the end": {a + "\n" + b[:len(b)-20], 1, []decode.Problem{{Line: 2, Offset: int64(len(a)) + 1, Reason: "unexpected end"}}},
		"cut in a string": {a[:len(a)-30] + "\n" + b + "\n" + c, 2,
			[]decode.Problem{{Line: 1, Reason: "unexpected end of the line"}}},
		"cut in a string, CRLF": {a[:len(a)-30] + "\r\n" + b, 1,
			[]decode.Problem{{Line: 1, Reason: "unexpected end of the line"}}},
		"NUL in a string": {strings.Replace(a, "demo", "de\x00mo", 1) + "\n" + b, 1, []decode.Problem{{Line: 1, Reason: "invalid character '\\x00'"}}},
		"NUL first":       {nuls + a + "\n" + b, 2, []decode.Problem{{Line: 1, Reason: "found 70000 NUL bytes between records"}}},
		"NUL before a record": {a + "\n" + nuls + b + "\n" + c, 3,
			[]decode.Problem{{Line: 2, Offset: int64(len(a)) + 1, Reason: "found 70000 NUL bytes between records"}}},
		"NUL behind a record": {a + nuls + "\n" + b + nuls, 2,
			[]decode.Problem{{Line: 1, Reason: "NUL bytes"}, {Line: 2, Reason: "NUL bytes"}}},
		"NUL in an array": {"[" + a + ",\x00" + b + "]\n" + c, 3, []decode.Problem{{Line: 1, Reason: "found 1 NUL bytes"}}},
		"NUL between a cut record and one": {a[:len(a)-30] + nuls + b + "\n" + c, 2,
			[]decode.Problem{{Line: 1, Reason: "unexpected end of a record"}}},
		"NUL in place of a half": {a[:100] + nuls + a[200:] + "\n" + b, 1, []decode.Problem{{Line: 1, Reason: "broken JSON"}}},
		"byte order, later":      {bom + a + "\n" + bom + b + "\n" + bom + c, 3, nil},
		"byte order behind a cut": {a[:len(a)-30] + "\n" + bom + b, 1,
			[]decode.Problem{{Line: 1, Reason: "unexpected end of the line"}}},
		"separators": {"\x1e" + a + "\n\x1e" + pretty + "\n\x1e" + c + "\n", 3, nil},
		"separator behind a cut": {"\x1e" + a[:len(a)-30] + "\x1e" + pretty + "\n\x1e" + a[:strings.Index(a, `"spanId"`)] + "\n\x1e" + c + "\n", 2,
			[]decode.Problem{{Line: 1, Reason: "unexpected end of a record"}, {Line: 2 + strings.Count(pretty, "\n"), Reason: "unexpected end of a record"}}},
		"empty requests": {"{}\n" + a + "\n{ }\n{\"trace\":{}}\n" + b, 2, nil},
		"cut between values": {a[:strings.Index(a, `"spanId"`)] + "\n" + b + "\n" + c, 2,
			[]decode.Problem{{Line: 1, Reason: "unexpected end of a record: the next one begins"}}},
		"cut between values in an array": {"[\n" + a + ",\n" + a[:strings.Index(a, `"spanId"`)] + "\n" + b + ",\n" + c + "\n]", 3,
			[]decode.Problem{{Line: 3, Reason: "unexpected end of a record: the next one begins"}}},
		"broken in the middle": {a + "\n" + strings.Replace(b, `:[`, `::[`, 1) + "\n" + c, 2,
			[]decode.Problem{{Line: 2, Offset: int64(len(a)) + 1 + int64(strings.Index(b, ":[")) + 1, Reason: "broken JSON"}}},
		"broken in an array": {"[\n" + a + ",\n" + strings.Replace(b, `:[`, `::[`, 1) + ",\n" + c + ",\n" + a + "\n]", 3,
			[]decode.Problem{{Line: 3, Reason: "broken JSON"}}},
		"broken in an array, two in a line": {"[\n" + strings.Replace(b, `:[`, `::[`, 1) + ",\n" + c + "," + a + "\n]\n", 2,
			[]decode.Problem{{Line: 2, Reason: "broken JSON"}}},
		"log lines between": {"starting\n" + a + "\n2026-01-01 done\n" + b, 2,
			[]decode.Problem{{Line: 1, Reason: "broken JSON"}, {Line: 3, Reason: "found a number; want an object"}}},
		"spans not a list": {`{"resourceSpans":[{"scopeSpans":[{"spans":7}]}]}`, 0, []decode.Problem{{Line: 1, Reason: "spans: found a number; want an array"}}},
		"element null":     {`{"resourceSpans":[null,{"scopeSpans":[null,{"spans":[null,{` + ids + `}]}]}]}`, 1, nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			spans, result := readJSON(t, test.in, testLimits)
			if len(spans) != test.spans || result.Spans != int64(test.spans) {
				t.Errorf("%d spans, counted %d; want %d", len(spans), result.Spans, test.spans)
			}
			wantProblems(t, result.Problems, test.problems)
			for _, s := range spans {
				if rest := test.in[s.Offset:]; !strings.HasPrefix(rest, "{") || !strings.Contains(rest[:min(len(rest), 60)], `"traceId"`) {
					t.Errorf("offset %d is at %.20q; want a span", s.Offset, rest)
				}
				if line := 1 + strings.Count(test.in[:s.Offset], "\n"); s.Line != line {
					t.Errorf("line %d at offset %d; want %d", s.Line, s.Offset, line)
				}
			}
		})
	}
}

func TestJSONBadIDs(t *testing.T) {
	tests := map[string]string{
		`"spanId":"` + spanHex + `"`:   `span "": trace ID is missing or zero`,
		`"traceId":"` + traceHex + `"`: `span "": span ID is missing or zero`,
		`"traceId":"00000000000000000000000000000000","spanId":"` + spanHex + `"`: "trace ID is missing or zero",
		`"traceId":"5b8efff798038103","spanId":"` + spanHex + `"`:                 `trace ID: found "5b8efff798038103" of 16 characters; want 32 hex digits`,
		`"traceId":"` + traceHex + `","spanId":"zzz19b7ec3c1b174"`:                `span ID: found "zzz19b7ec3c1b174" of 16 characters; want 16 hex digits`,
	}
	for in, want := range tests {
		spans, result := readJSON(t, object(in)+"\n"+numbered(1), testLimits)
		if len(spans) != 1 || result.Spans != 1 {
			t.Errorf("%s: %d spans; want the good one", in, len(spans))
		}
		wantProblems(t, result.Problems, []decode.Problem{{Line: 1, Reason: want}})
	}
}

func TestJSONResourceAfterSpans(t *testing.T) {
	in := `{"resourceSpans":[{"scopeSpans":[{"spans":[{` + ids + `},{` + ids + `}],"scope":{"name":"lib"}},{"scope":{"name":"other"},"spans":[{` + ids + `}]}],` +
		`"resource":{"attributes":[{"key":"k","value":{"intValue":1}}]}},{"scopeSpans":[{"spans":[{` + ids + `}]}]}]}`
	spans, result := readJSON(t, in, testLimits)
	wantProblems(t, result.Problems, nil)
	if len(spans) != 4 {
		t.Fatalf("%d spans; want 4", len(spans))
	}
	for i, scope := range []string{"lib", "lib", "other", ""} {
		attrs := 1
		if i == 3 {
			attrs = 0
		}
		if s := spans[i]; s.Scope != scope || len(s.Resource) != attrs {
			t.Errorf("span %d: scope %q, resource %v; want %q, %d attributes", i, s.Scope, s.Resource, scope, attrs)
		}
	}
}

func TestJSONLimits(t *testing.T) {
	long := strings.Repeat("é", 600)
	tests := map[string]struct {
		in    string
		spans int
		want  string
	}{
		"string":                  {object(ids + `,"name":"` + long + `"`), 2, "string of 1200 bytes; cut at 101 (MaxString)"},
		"token":                   {object(ids + `,"name":"` + strings.Repeat("x", 1<<17) + `"`), 1, "JSON value of more than 5000 bytes (MaxMessage)"},
		"span":                    {object(ids + strings.Repeat(`,"name":"`+strings.Repeat("x", 90)+`"`, 100)), 1, "span of more than 5000 bytes (MaxMessage)"},
		"attributes":              {object(ids + `,"attributes":[` + strings.Repeat(`{"key":"k"},`, 1000) + `{}]`), 1, "attributes of more than 5000 bytes (MaxMessage)"},
		"list":                    {object(ids + `,"attributes":[{"value":{"arrayValue":{"values":[` + strings.Repeat(`{},`, 3000) + `{}]}}}]`), 1, "attributes of more than 5000 bytes (MaxMessage)"},
		"spans before a resource": {`{"resourceSpans":[{"scopeSpans":[{"spans":[` + strings.Repeat(`{`+ids+`},`, 99) + `{` + ids + `}]}],"resource":{}}]}`, 101, "of spans before their resource or scope; want at most 5000 (MaxMessage)"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			lim := decode.Limits{MaxString: 101, MaxDepth: 4, MaxMessage: 5000, MaxElements: 1 << 18}
			spans, result := readJSON(t, test.in+"\n"+numbered(1), lim)
			if len(spans) != test.spans {
				t.Errorf("%d spans; want %d", len(spans), test.spans)
			}
			wantProblems(t, result.Problems, []decode.Problem{{Line: 1, Reason: test.want}})
		})
	}
}

func TestJSONProblemsGrouped(t *testing.T) {
	const n = 100
	in := strings.Repeat(object(`"traceId":"`+traceHex+`"`)+"\n", n) + strings.Repeat("{\"x\":1}\n", 3)
	_, result := readJSON(t, in, testLimits)
	want := make([]decode.Problem, 0, decode.MaxSingle+4)
	for i := range decode.MaxSingle {
		want = append(want, decode.Problem{Line: i + 1, Reason: "span ID is missing"})
	}
	want = append(want, decode.Problem{Line: decode.MaxSingle + 1, Reason: "more spans with a wrong ID", Count: n - decode.MaxSingle})
	for i := range 3 {
		want = append(want, decode.Problem{Line: n + i + 1, Reason: "an object without"})
	}
	wantProblems(t, result.Problems, want)
}

func TestJSONErrors(t *testing.T) {
	failure := errors.New("disk on fire")
	in := io.MultiReader(strings.NewReader(numbered(1)+"\n"+numbered(2)[:100]), failingReader{failure})
	spans := 0
	result, err := ReadJSON(in, testLimits, func(*record.Span) error { spans++; return nil })
	if !errors.Is(err, failure) || spans != 1 {
		t.Errorf("%d spans, error %v; want 1, %v", spans, err, failure)
	}
	wantProblems(t, result.Problems, []decode.Problem{{Line: 2, Reason: "disk on fire"}})

	stop := errors.New("enough")
	result, err = ReadJSON(strings.NewReader(numbered(1)+numbered(2)), testLimits, func(*record.Span) error { return stop })
	if err != stop || result.Spans != 1 || len(result.Problems) != 0 {
		t.Errorf("%+v, error %v; want one span and %v", result, err, stop)
	}
}

// TestTimes holds that each span with odd times is said.
func TestTimes(t *testing.T) {
	for members, want := range map[string]string{
		`"endTimeUnixNano":"5"`:                                                             "has no start time",
		`"startTimeUnixNano":"1772445600000000000"`:                                         "has no end time",
		`"startTimeUnixNano":"0","endTimeUnixNano":"0"`:                                     "has no start time",
		`"startTimeUnixNano":"1772445600002000000","endTimeUnixNano":"1772445600000000001"`: "ends 1.999999ms before it starts",
		`"startTimeUnixNano":"1772445600000000000","endTimeUnixNano":"1772445600000000000"`: "",
		`"startTimeUnixNano":"1.5e18","endTimeUnixNano":"1.5e18"`:                           "",
		`"startTimeUnixNano":"1772445600000","endTimeUnixNano":"1772445600001"`:             "found 1970-01-01T00:29:32Z for its start time; want one of this century",
		`"startTimeUnixNano":"today","endTimeUnixNano":"5000000"`:                           `found "today"`,
	} {
		result, err := ReadJSON(strings.NewReader(object(ids+","+members)), testLimits, func(*record.Span) error { return nil })
		if err != nil || result.Spans != 1 || (want == "") != (len(result.Problems) == 0) || want != "" && !strings.Contains(result.Problems[0].Reason, want) {
			t.Errorf("%s: %+v, %v; want a span and %q", members, result, err, want)
		}
	}
}

type failingReader struct{ err error }

func (r failingReader) Read([]byte) (int, error) { return 0, r.err }

// TestJSONStreams reads an object that is far larger than what may be held.
func TestJSONStreams(t *testing.T) {
	const n = 50_000
	span := `{` + ids + `,"startTimeUnixNano":"1772445600000000000","endTimeUnixNano":"1772445600000000001","name":"` + strings.Repeat("x", 1000) + `"}`
	parts := []io.Reader{strings.NewReader(`{"resourceSpans":[{"resource":{},"scopeSpans":[{"scope":{},"spans":[` + span)}
	for range n - 1 {
		parts = append(parts, strings.NewReader(","+span))
	}
	parts = append(parts, strings.NewReader(`]}]}]}`))
	lim := decode.Limits{MaxString: 1 << 20, MaxDepth: 16, MaxMessage: 1 << 16, MaxElements: 1 << 18}
	result, err := ReadJSON(io.MultiReader(parts...), lim, func(*record.Span) error { return nil })
	if err != nil || result.Spans != n || len(result.Problems) != 0 {
		t.Errorf("%+v, %v; want %d spans", result, err, n)
	}
}
