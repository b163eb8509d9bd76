package semconv

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/retryaudit/retryaudit/analyzer/trace"
	"github.com/retryaudit/retryaudit/ingest/record"
)

var update = flag.Bool("update", false, "write what came out into testdata")

// TestGolden normalises the records of testdata/FAMILY.txt. A record is
//
//	KIND NAME                 # a comment
//	  scope NAME
//	  status ok|error MESSAGE
//	  at START END            in ms
//	  KEY = VALUE             as JSON, else a string
//	  resource KEY = VALUE
//	  event MS NAME
//	    KEY = VALUE
//	  link
//
// and ends with lines that begin with "→": what became of it.
func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("testdata: %d files, %v", len(files), err)
	}
	for _, file := range files {
		if file == coverageFile {
			continue
		}
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var out strings.Builder
			for _, block := range strings.Split(strings.TrimSpace(string(text)), "\n\n") {
				var lines []string
				for _, line := range strings.Split(block, "\n") {
					if !strings.HasPrefix(line, "→") {
						lines = append(lines, line)
					}
				}
				if len(lines) > 0 {
					out.WriteString(strings.Join(lines, "\n") + "\n")
					if !comment(lines) {
						out.WriteString(normalised(parseRecord(t, lines)))
					}
					out.WriteString("\n")
				}
			}
			got := strings.TrimSuffix(out.String(), "\n")
			if got == string(text) {
				return
			}
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			gotLines, wantLines := strings.Split(got, "\n"), strings.Split(string(text), "\n")
			for i := range max(len(gotLines), len(wantLines)) {
				g, w := lineAt(gotLines, i), lineAt(wantLines, i)
				if g != w {
					t.Fatalf("%s:%d:\n got %s\nwant %s", file, i+1, g, w)
				}
			}
		})
	}
}

func comment(lines []string) bool {
	return !slices.ContainsFunc(lines, func(line string) bool { return !strings.HasPrefix(line, "#") })
}

func lineAt(lines []string, i int) string {
	if i < len(lines) {
		return lines[i]
	}
	return "(end)"
}

var kindNames = []string{"unspecified", "internal", "server", "client", "producer", "consumer"}

func parseRecord(t testing.TB, lines []string) *record.Span {
	r := &record.Span{Start: 1e9, End: 2e9}
	var event *record.Event
	for _, line := range lines {
		if strings.HasPrefix(line, "#") {
			continue
		}
		deep := strings.HasPrefix(line, "    ")
		line = strings.TrimSpace(line)
		word, rest, _ := strings.Cut(line, " ")
		key, value, pair := strings.Cut(line, " = ")
		switch {
		case slices.Contains(kindNames, word):
			r.Kind, r.Name = trace.Kind(slices.Index(kindNames, word)), rest
		case word == "scope":
			r.Scope = rest
		case word == "status":
			code, message, _ := strings.Cut(rest, " ")
			r.Status = map[string]record.Status{"ok": record.OK, "error": record.Error}[code]
			if r.StatusMessage = message; strings.HasPrefix(message, `"`) {
				r.StatusMessage, _ = strconv.Unquote(message)
			}
		case word == "at":
			if _, err := fmt.Sscan(rest, &r.Start, &r.End); err != nil {
				t.Fatalf("%q: %v", line, err)
			}
			r.Start, r.End = r.Start*1e6, r.End*1e6
		case word == "event":
			at, name, _ := strings.Cut(rest, " ")
			ms, err := strconv.ParseInt(at, 10, 64)
			if err != nil {
				t.Fatalf("%q: %v", line, err)
			}
			r.Events = append(r.Events, record.Event{Name: name, Time: ms * 1e6})
			event = &r.Events[len(r.Events)-1]
		case word == "link":
			r.Links = append(r.Links, record.Link{Trace: trace.TraceID{1}, ID: trace.SpanID{2}})
		case pair && word == "resource":
			r.Resource = append(r.Resource, record.Attr{Key: strings.TrimPrefix(key, "resource "), Value: parseValue(value)})
		case pair && deep && event != nil:
			event.Attrs = append(event.Attrs, record.Attr{Key: key, Value: parseValue(value)})
		case pair:
			r.Attrs = append(r.Attrs, record.Attr{Key: key, Value: parseValue(value)})
		default:
			t.Fatalf("%q: not understood", line)
		}
	}
	return r
}

func parseValue(s string) record.Value {
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		return record.Value{Type: record.Int, I: n}
	}
	if f, err := strconv.ParseFloat(s, 64); err == nil {
		return record.Value{Type: record.Double, D: f}
	}
	var list []json.RawMessage
	if json.Unmarshal([]byte(s), &list) == nil && list != nil {
		v := record.Value{Type: record.List}
		for _, e := range list {
			v.List = append(v.List, parseValue(string(e)))
		}
		return v
	}
	var q string
	if json.Unmarshal([]byte(s), &q) == nil {
		return record.Value{Type: record.String, S: q}
	}
	if s == "true" || s == "false" {
		return record.Value{Type: record.Bool, B: s == "true"}
	}
	return record.Value{Type: record.String, S: s}
}

// normalised returns the lines of what becomes of a record.
func normalised(r *record.Span) string {
	store := trace.NewStore()
	New(store, Key{}).Add(r, 0)
	return describe(store, &store.Spans[0])
}

var flagNames = []string{
	"ghost", "model", "tool", "job", "streaming", "transparent", "health", "long-poll", "never-sent", "final", "read-only",
	"redirected", "no-answer", "retrying-agent", "whole-call", "sampled", "wrapping-agent",
}

var outcomeNames = []string{"unstated", "ok", "failed", "cut"}

// describe writes a span and its facts; what is not known is left out. Hashes
// are written as "set" since their values are TestHash's.
func describe(store *trace.Store, s *trace.Span) string {
	var b strings.Builder
	field := func(name, value string) {
		if value != "" {
			fmt.Fprintf(&b, " %s=%s", name, value)
		}
	}
	sym := func(name string, y trace.Sym) {
		if y != 0 {
			field(name, strconv.Quote(store.Text(y)))
		}
	}
	fmt.Fprintf(&b, "→ %q %s %s", store.Text(s.Ask), s.Layer, outcomeNames[s.Outcome])
	if s.Class != trace.NoError {
		fmt.Fprintf(&b, " %s %s %s", s.Class, s.Verdict, s.ClassConf)
	}
	if s.Status != 0 {
		field("status", strconv.Itoa(int(s.Status)))
	}
	sym("code", s.Code)
	for i, name := range flagNames {
		if s.Flags&(1<<i) != 0 {
			b.WriteString(" +" + name)
		}
	}
	b.WriteString("\n")
	var head = b.String()
	b.Reset()
	sym("address", s.Address)
	sym("agent", s.Agent)
	if s.Instance != s.Service {
		sym("instance", s.Instance)
	}
	if store.Text(s.Op) != store.Text(s.Ask) {
		sym("op", s.Op)
	}
	if s.ArgsHash != 0 {
		field("args", "set")
	}
	if f := store.FactsOf(s); f != nil {
		describeFacts(field, sym, store, f)
	}
	if b.Len() == 0 {
		return head
	}
	return head + "→ " + b.String()[1:] + "\n"
}

func describeFacts(field func(string, string), sym func(string, trace.Sym), store *trace.Store, f *trace.Facts) {
	kinds := []string{"", "request", "parent", "message", "job", "invocation", "idempotency"}
	dirs := []string{"", "sent", "received", "answered"}
	for _, k := range f.Keys {
		field(kinds[k.Kind]+"-key", dirs[k.Dir]+":"+store.Text(k.ID))
	}
	sym("call", f.CallID)
	if len(f.Links) > 0 {
		field("links", strconv.Itoa(len(f.Links)))
	}
	if c := f.Counter; c.Meaning != 0 {
		text := []string{"", "ordinal", "total"}[c.Meaning] + " " + strconv.Itoa(int(c.N))
		if c.Received {
			text += " received"
		}
		if c.Resends {
			text += " resends"
		}
		field("counter", fmt.Sprintf("%s by %s", text, store.Text(c.Source)))
	}
	if f.DeclaredMax != 0 {
		field("max", strconv.Itoa(int(f.DeclaredMax)))
	}
	if a := f.RetryAfter; a.State != trace.Absent {
		text := []string{"", "for " + a.D.String(), fmt.Sprintf("until %d", a.At/1e9), "never", "unusable"}[a.State]
		field("asked", text+" by "+store.Text(a.Source))
	}
	if d := f.Deadline; d.Scope != 0 {
		text := []string{"", "call", "attempt"}[d.Scope]
		if d.At != 0 {
			text += fmt.Sprintf(" at %d", d.At/1e9)
		} else {
			text += " " + d.D.String()
		}
		field("deadline", text+" by "+store.Text(d.Source))
	}
	for _, at := range []struct {
		name string
		ns   int64
	}{{"first-output", f.FirstOutput}, {"cancelled-at", f.CancelledAt}} {
		if at.ns != 0 {
			field(at.name, fmt.Sprintf("%dms", at.ns/1e6))
		}
	}
	for _, n := range []struct {
		name string
		n    int64
	}{{"in", f.InTokens}, {"out", f.OutTokens}, {"bytes", f.Bytes}, {"chunks", f.Chunks}} {
		if n.n >= 0 {
			field(n.name, strconv.FormatInt(n.n, 10))
		}
	}
	sym("model", f.Model)
	sym("tool", f.Tool)
	sym("step", f.Step)
	sym("session", f.Session)
	sym("channel", f.Channel)
	sym("provider", f.Provider)
	sym("refuser", f.Refuser)
	if f.InputHash != 0 {
		field("input", "set")
	}
	if f.Within {
		sym("libraries-within", f.Libraries)
	} else {
		sym("libraries", f.Libraries)
	}
	for i, name := range []string{"tools", "vision", "schema", "region"} {
		if f.Needs&(1<<i) != 0 {
			field("needs", name)
		}
	}
	for _, e := range f.Events {
		field("event", []string{"", "retry", "fallback", "first-chunk", "cancel"}[e.Kind])
	}
}
