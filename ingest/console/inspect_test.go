package console

import (
	"math"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/retryaudit/retryaudit/ingest/decode"
	"github.com/retryaudit/retryaudit/ingest/record"
)

func inspect(t *testing.T, in string, lim decode.Limits) (record.Value, decode.Result, error) {
	t.Helper()
	sink := decode.NewSink(lim, nil)
	p := &inspected{Sink: &sink, text: in, line: 1}
	var v record.Value
	err := p.value(&v, lim.MaxDepth+1)
	if err == nil && strings.TrimSpace(p.text[p.at:]) != "" {
		err = p.wrong("the end")
	}
	return v, sink.Result, err
}

// TestInspect reads what Node.js 20 printed of one object with all kinds of
// values in it.
func TestInspect(t *testing.T) {
	b, err := os.ReadFile("testdata/inspect.txt")
	if err != nil {
		t.Fatal(err)
	}
	v, result, err := inspect(t, string(b), testLimits)
	if err != nil || len(result.Problems) > 0 {
		t.Fatal(err, result.Problems)
	}
	object := func(attrs ...record.Attr) record.Value { return record.Value{Type: record.Map, Map: attrs} }
	none := record.Value{}
	numbers, texts := list(), list()
	for i := range int64(100) {
		numbers.List = append(numbers.List, num(i*7))
	}
	for _, s := range strings.Fields("str0 str1 str2 str3 str4 str5 str6 str7 str8 str9 str10 str11") {
		texts.List = append(texts.List, str(s))
	}
	x := strings.Repeat("long ", 16)
	want := object(
		attr("resource", object(attr("attributes", object(
			attr("service.name", str("a")), attr("n", num(0)), attr("nan", float(math.NaN())), attr("inf", float(math.Inf(-1))),
			attr("big", record.Value{Type: record.String, S: "12345678901234567890"}), attr("deep", object(attr("a", none))), attr("arr", list(none)),
		)))),
		attr("name", str("x")), attr("q1", str("it's")), attr("q2", str(`it's "q"`)), attr("q3", str("it's \"q\" `b`")),
		attr("nl", str("line1\nline2\n"+x)), attr("esc", str("\x1b[31m\x07\\ \t é 你 \ufffd")),
		attr("u", none), attr("nul", none), attr("f", none), attr("g", none), attr("cl", none), attr("cl2", none), attr("sym", str("Symbol(s)")),
		attr("d", str("1970-01-01T00:00:00.000Z")), attr("bad", str("Invalid Date")),
		attr("long", numbers), attr("longs", texts),
		attr("map", object(attr("a", num(1)), attr("b", object(attr("c", num(2)))))), attr("set", list(num(1), str("a"))),
		attr("empty", object()), attr("emptya", list()), attr("holes", list(num(1), none, num(2))), attr("nullp", object()),
		attr("buf", list(num(97), num(98), num(99))), attr("u8", list(num(0), num(0), num(0))), attr("re", str("/a b/g")), attr("err", none),
		attr("bs", object(attr("a", num(1)), attr("name", str("it's")))), attr("circ", object(attr("x", num(1)), attr("self", none))),
		attr("bool", boolean(true)), attr("a-b", num(1)), attr("http.x", num(2)), attr("$id", num(1)),
		attr("getter", object(attr("a", none), attr("b", none), attr("c", none))), attr("str", none), attr("num", none),
		attr("wm", list(none)), attr("sparse", list(num(1), num(2))),
		attr("thrown", str("Error: boom")), attr("stack", str("Error: can't")), attr("after", list()), attr("last", float(1e21)),
		attr("[Symbol(k)]", num(1)),
	)
	if diff := cmp.Diff(want, v, cmpopts.EquateNaNs()); diff != "" {
		t.Error(diff)
	}
}

func TestInspectBroken(t *testing.T) {
	for in, want := range map[string]string{
		"{ a: 'x":         "a string that ends in its line",
		"{ a: 'x\n' }":    "a string that ends in its line",
		"{ a: 1":          `"}"`,
		"{ a: 1 b: 2 ":    `"}"`,
		"[ 1, { a: 2 ]":   `"}"`,
		"{ a: 'x' + b }":  "a string",
		"{ a: 1 } b":      "the end",
		"{ a: 'x' 'y' }":  `"}" or a comma`,
		"{ 'a\\":          "a string that ends in its line",
		"{ a: '\\u{zz}' ": `"}"`,
	} {
		if _, _, err := inspect(t, in, testLimits); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v; want %q", in, err, want)
		}
	}
}

func TestInspectLimits(t *testing.T) {
	lim := decode.Limits{MaxString: 3, MaxDepth: 3, MaxMessage: 100, MaxElements: 6}
	v, result, err := inspect(t, "{ a: 'abcdef', b: { c: { d: { e: 1 } } } }", lim)
	if err != nil || len(result.Problems) != 2 || v.Map[0].Value.S != "abc" {
		t.Errorf("%+v, %v, %v", v, result.Problems, err)
	}
	if _, _, err = inspect(t, "[ 1, 2, 3, 4, 5, 6 ]", lim); err != errElements {
		t.Errorf("error %v; want %v", err, errElements)
	}
}
