package semconv

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/retryaudit/retryaudit/analyzer/trace"
	"github.com/retryaudit/retryaudit/ingest/record"
)

// A spelling is one way in which instrumentations write a captured header.
type spelling struct {
	prefix string
	under  bool
	form   func(string) record.Value
}

func plain(s string) record.Value { return record.Value{Type: record.String, S: s} }

func array(s string) record.Value {
	return record.Value{Type: record.List, List: []record.Value{plain(s)}}
}

func inJSON(s string) record.Value {
	if strings.Contains(s, `"`) {
		return plain(s)
	}
	return plain(`["` + s + `"]`)
}

var headerSpellings = []spelling{
	{"http.response.header.", false, array},
	{"http.response.header.", false, plain},
	{"http.response.header.", false, inJSON},
	{"http.response.header.", true, array},
	{"rpc.response.metadata.", false, array},
	{"rpc.grpc.response.metadata.", true, plain},
}

// TestDelayTable holds what every form of a delay comes to, and that the
// spelling of its attribute does not matter.
func TestDelayTable(t *testing.T) {
	end := time.Date(2026, 10, 21, 7, 27, 0, 0, time.UTC).UnixNano()
	lines := tableLines(t, "testdata/tables/delays.txt")
	records := 0
	for line, cells := range lines {
		if len(cells) != 3 {
			t.Fatalf("delays.txt:%d: %d cells", line, len(cells))
		}
		status, err := strconv.Atoi(cells[0])
		if err != nil {
			t.Fatalf("delays.txt:%d: %v", line, err)
		}
		headers, message, _ := strings.Cut(cells[1], "text: ")
		for _, sp := range headerSpellings {
			r := &record.Span{
				Kind: trace.Client, Name: "POST", Start: end - 1e9, End: end, Status: record.Error, StatusMessage: message,
				Attrs: []record.Attr{str("http.request.method", "POST"), {Key: "http.response.status_code", Value: record.Value{Type: record.Int, I: int64(status)}}},
			}
			for _, h := range strings.Split(headers, "; ") {
				key, value, ok := strings.Cut(strings.TrimSpace(h), ": ")
				if !ok {
					continue
				}
				if sp.under {
					key = strings.ReplaceAll(key, "-", "_")
				}
				r.Attrs = append(r.Attrs, record.Attr{Key: sp.prefix + key, Value: sp.form(value)})
			}
			records++
			store := trace.NewStore()
			New(store, Key{}).Add(r, 0)
			if got := asked(store, &store.Spans[0]); got != cells[2] {
				t.Errorf("delays.txt:%d %v: got %q, want %q", line, r.Attrs[2:], got, cells[2])
			}
		}
	}
	t.Logf("%d lines, %d records", len(lines), records)
}

// asked describes what a span's answer said about coming back.
func asked(store *trace.Store, s *trace.Span) string {
	f := store.FactsOf(s)
	if f == nil || f.RetryAfter.State == trace.Absent {
		return ""
	}
	a := f.RetryAfter
	what := map[trace.AskState]string{
		trace.For: "for " + a.D.String(), trace.Until: "until " + time.Unix(0, a.At).UTC().Format(time.RFC3339),
		trace.Never: "never", trace.Unusable: "unusable",
	}[a.State]
	return fmt.Sprintf("%s by %s", what, store.Text(a.Source))
}

// TestDelayTypes holds that numbers and booleans are read as their texts are.
func TestDelayTypes(t *testing.T) {
	for _, c := range []struct {
		key   string
		value record.Value
		want  string
	}{
		{"retry-after", record.Value{Type: record.Int, I: 30}, "for 30s by retry-after"},
		{"retry-after", record.Value{Type: record.Double, D: 1.5}, "for 1.5s by retry-after"},
		{"retry-after", record.Value{Type: record.Int, I: -1}, "unusable by retry-after"},
		{"retry-after", record.Value{Type: record.Double, D: 1e300}, "unusable by retry-after"},
		{"retry-after", plain("[30]"), "for 30s by retry-after"},
		{"retry-after", record.Value{Type: record.List, List: []record.Value{plain("30"), plain("60")}}, "for 30s by retry-after"},
		{"retry-after", record.Value{Type: record.List}, ""},
		{"retry-after", plain(""), ""},
		{"x-should-retry", record.Value{Type: record.Bool}, "never by x-should-retry"},
	} {
		store := trace.NewStore()
		New(store, Key{}).Add(&record.Span{Kind: trace.Client, Attrs: []record.Attr{
			str("http.request.method", "POST"), str("http.response.status_code", "429"), {Key: "http.response.header." + c.key, Value: c.value},
		}}, 0)
		if got := asked(store, &store.Spans[0]); got != c.want {
			t.Errorf("%s %+v: got %q, want %q", c.key, c.value, got, c.want)
		}
	}
}
