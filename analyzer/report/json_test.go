package report_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/retryaudit/retryaudit/analyzer"
	"github.com/retryaudit/retryaudit/analyzer/report"
	"github.com/retryaudit/retryaudit/analyzer/report/reporttest"
	"github.com/retryaudit/retryaudit/analyzer/trace"
)

// node is the part of a JSON Schema that ours uses.
type node struct {
	Type                 string           `json:"type"`
	Description          string           `json:"description"`
	Ref                  string           `json:"$ref"`
	Defs                 map[string]*node `json:"$defs"`
	Properties           map[string]*node `json:"properties"`
	PatternProperties    map[string]*node `json:"patternProperties"`
	AdditionalProperties *bool            `json:"additionalProperties"`
	Required             []string         `json:"required"`
	Items                *node            `json:"items"`
	Enum                 []string         `json:"enum"`
}

func schema(t *testing.T) *node {
	t.Helper()
	var n node
	if err := json.Unmarshal(report.Schema(), &n); err != nil {
		t.Fatal(err)
	}
	return &n
}

// The schema and the Go type hold the same fields of the same types.
func TestSchemaMatchesType(t *testing.T) {
	root := schema(t)
	seen := map[string]bool{}
	var walk func(path string, n *node, typ reflect.Type)
	walk = func(path string, n *node, typ reflect.Type) {
		if n == nil {
			t.Errorf("%s: not in the schema", path)
			return
		}
		if name, ok := strings.CutPrefix(n.Ref, "#/$defs/"); ok {
			seen[name] = true
			n = root.Defs[name]
		}
		if n.Description == "" && !strings.HasSuffix(path, "[]") { // a list says what it lists
			t.Errorf("%s: no description", path)
		}
		want := map[reflect.Kind]string{reflect.Struct: "object", reflect.Map: "object", reflect.Slice: "array", reflect.String: "string",
			reflect.Int: "integer", reflect.Int64: "integer", reflect.Float64: "number", reflect.Bool: "boolean"}[typ.Kind()]
		if n.Type != want {
			t.Errorf("%s: type %q in the schema, %v in Go", path, n.Type, typ)
			return
		}
		if want == "object" && (n.AdditionalProperties == nil || *n.AdditionalProperties) {
			t.Errorf("%s: allows further properties", path)
		}
		switch typ.Kind() {
		case reflect.Slice:
			walk(path+"[]", n.Items, typ.Elem())
		case reflect.Map:
			for _, v := range n.PatternProperties {
				walk(path+".*", v, typ.Elem())
			}
		case reflect.Struct:
			left := len(n.Properties)
			for f := range typ.Fields() {
				name, option, _ := strings.Cut(f.Tag.Get("json"), ",")
				walk(path+"."+name, n.Properties[name], f.Type)
				if n.Properties[name] != nil {
					left--
				}
				if required := slices.Contains(n.Required, name); required != (option == "") {
					t.Errorf("%s.%s: required is %v", path, name, required)
				}
			}
			if left != 0 {
				t.Errorf("%s: %d fields of the schema are not in Go", path, left)
			}
		}
	}
	walk("report", root, reflect.TypeFor[analyzer.Report]())
	for name := range root.Defs {
		if !seen[name] {
			t.Errorf("$defs/%s is unused", name)
		}
	}
}

// The names in the schema are those that the engine gives.
func TestSchemaEnums(t *testing.T) {
	defs := schema(t).Defs
	check := func(def, field string, want ...string) {
		t.Helper()
		got := slices.Sorted(slices.Values(defs[def].Properties[field].Enum))
		slices.Sort(want)
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s.%s (-want +got):\n%s", def, field, d)
		}
	}
	var layers, knowns []string
	for l := trace.LayerUnknown; l <= trace.User; l++ {
		layers = append(layers, l.String())
	}
	for k := trace.Known(0); k <= trace.Policy; k++ {
		knowns = append(knowns, k.String())
	}
	check("owner", "layer", layers...)
	check("owner", "known", knowns...)
	check("finding", "class", string(analyzer.Who), string(analyzer.If), string(analyzer.When), string(analyzer.How), "")
	check("finding", "severity", analyzer.Info.String(), analyzer.Warning.String(), analyzer.Error.String())
	check("finding", "confidence", trace.Possible.String(), trace.Likely.String(), trace.Certain.String())
	check("coverage", "status", "ran", "partial", "blind", "off")
	check("exemplar_span", "role", "caller", "cause", "retry")
}

func write(t *testing.T, r *analyzer.Report) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := report.JSON(&b, r); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// bare returns a report whose lists have an element each that is empty in turn.
func bare() *analyzer.Report {
	return &analyzer.Report{
		Schema: analyzer.Schema,
		Inputs: []analyzer.Input{{}},
		Findings: []analyzer.Finding{{Rule: "x", Class: "WHO", Severity: "info", Confidence: "possible",
			Owners: []analyzer.Owner{{}}, WaitsMS: []int64{-1}, Exemplars: []analyzer.Exemplar{{Timeline: []analyzer.Tick{{}}}}}},
		Incidents: []analyzer.Incident{{}},
		Coverage:  []analyzer.Coverage{{Status: "blind"}},
		Upstreams: []analyzer.UpstreamRow{{}},
	}
}

// Every report is valid, and reads back as what was written, so that it can be
// rendered later in any other format.
func TestJSONRoundTrip(t *testing.T) {
	for name, r := range reports() {
		if name == "hostile" {
			continue // what is no UTF-8 is replaced, and no engine makes such names and numbers
		}
		first := write(t, r)
		var back analyzer.Report
		if err := json.Unmarshal(first, &back); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(string(first), string(write(t, &back))); d != "" {
			t.Errorf("%s (-first +second):\n%s", name, d)
		}
		reporttest.Validate(t, first)
		if a, b := text(t, r, report.Style{}), text(t, &back, report.Style{}); a != b {
			t.Errorf("%s: text of the saved report differs:\n%s", name, cmp.Diff(a, b))
		}
	}
}

func TestJSON(t *testing.T) {
	for name, r := range map[string]*analyzer.Report{"zero": {Schema: analyzer.Schema}, "bare": bare()} {
		got := write(t, r)
		reporttest.Validate(t, got)
		if bytes.Contains(got, []byte("null")) {
			t.Errorf("%s holds null:\n%s", name, got)
		}
	}
	r := bare()
	write(t, r)
	if d := cmp.Diff(bare(), r); d != "" {
		t.Errorf("JSON changed the report:\n%s", d)
	}
	r.Findings[0].TraceQL = `{ a > 1 && b < 2 }`
	if got := write(t, r); !bytes.Contains(got, []byte(`"{ a > 1 && b < 2 }"`)) {
		t.Errorf("query is escaped in\n%s", got)
	}
}

// The schema refuses what a report must not hold.
func TestValidateRefuses(t *testing.T) {
	good := string(write(t, bare()))
	for _, c := range [][2]string{
		{`"schema": "retryaudit.report/v1"`, `"schema": "retryaudit.report/v2"`},
		{`"severity": "info"`, `"severity": "fatal"`},
		{`"status": "blind"`, `"status": ""`},
		{`"incidents"`, `"incident_list"`},
		{`"spans": 0`, `"spans": -1`},
		{`"attempts_per_call": {}`, `"attempts_per_call": {"0": 1}`},
		{`"line": 0`, `"line": 0, "column": 1`},
		{`"upstreams": [`, `"upstreams": null, "x": [`},
	} {
		bad := strings.Replace(good, c[0], c[1], 1)
		if bad == good {
			t.Errorf("%s is not in the report", c[0])
		} else if reporttest.Check([]byte(bad)) == nil {
			t.Errorf("%s is accepted", c[1])
		}
	}
}
