package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/retryaudit/retryaudit/analyzer"
)

// run runs a command line and returns what it printed.
func run(t testing.TB, args ...string) (stdout, stderr string, status int) {
	t.Helper()
	var out, errs bytes.Buffer
	c := command{Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs}
	status = c.Run(context.Background(), args)
	return out.String(), errs.String(), status
}

// deniedKey is a gateway that asks a bank three times with a wrong key.
func deniedKey() []sent {
	spans := []sent{{service: "billing", scope: "web", id: "00000000000000a1", name: "POST /pay", kind: "SERVER", end: 900, failed: true,
		attrs: [][2]string{{"http.request.method", "POST"}, {"http.route", "/pay"}, {"http.response.status_code", "502"}}}}
	for i, at := range []int64{10, 290, 670} {
		spans = append(spans, sent{service: "billing", scope: "http", id: fmt.Sprintf("00000000000000b%d", i), parent: "00000000000000a1", name: "POST", kind: "CLIENT", start: at, end: at + 80, failed: true,
			attrs: [][2]string{{"http.request.method", "POST"}, {"url.full", "http://bank.example/charge"}, {"server.address", "bank.example"}, {"http.response.status_code", "401"}}})
	}
	return spans
}

// gist is what of a report does not depend on the format: findings without
// what carries the path, and what the upstreams saw.
func gist(t testing.TB, text string) string {
	t.Helper()
	var r analyzer.Report
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		t.Fatal(err, text)
	}
	var b strings.Builder
	for _, f := range r.Findings {
		fmt.Fprintf(&b, "%s %s %s: %s\n", f.Rule, f.Severity, f.Confidence, f.Message)
		for _, o := range f.Owners {
			fmt.Fprintf(&b, "  owner %s %s %s, %d attempts\n", o.Layer, o.Service, o.Operation, o.Attempts)
		}
		fmt.Fprintf(&b, "  waits %v, upstream %+v\n", f.WaitsMS, f.Upstream)
	}
	for _, u := range r.Upstreams {
		fmt.Fprintf(&b, "%+v %v\n", u.Upstream, u.AttemptsPerCall)
	}
	fmt.Fprintf(&b, "%d spans, %d traces, %d attempts\n", r.Stats.Spans, r.Stats.Traces, r.Stats.Attempts)
	return b.String()
}

// TestFormatsAgree writes one scenario in every format and demands the same
// findings of all.
func TestFormatsAgree(t *testing.T) {
	dir := t.TempDir()
	want := ""
	for _, id := range append([]string{"otlp-json"}, encoderIDs()...) {
		path := filepath.Join(dir, "in")
		if err := os.WriteFile(path, encoders[id](t, deniedKey()), 0o666); err != nil {
			t.Fatal(err)
		}
		out, errs, status := run(t, "analyze", "-o", "json", path)
		if status != 0 || !strings.Contains(out, fmt.Sprintf("%q", id)) {
			t.Errorf("%s: status %d, %s%s", id, status, errs, out)
			continue
		}
		got := gist(t, out)
		if id == "xray-json" { // a segment has the name of its service
			got = strings.Replace(got, "billing billing", "billing POST /pay", 1)
		}
		if want == "" {
			want = got
		}
		if got != want || !strings.Contains(got, "non-retryable-retried") {
			t.Errorf("%s gives\n%s; want\n%s", id, got, want)
		}
	}
}

func encoderIDs() []string {
	var ids []string
	for id := range encoders {
		ids = append(ids, id)
	}
	return ids
}
