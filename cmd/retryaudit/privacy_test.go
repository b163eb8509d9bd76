package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// canaries are texts that no output may hold, by the attribute in which they
// come. Each contains the word "canary", however it is scrubbed.
var canaries = [][2]string{
	{"gen_ai.input.messages", `[{"role":"user","content":"canary-1 my diagnosis"}]`},
	{"gen_ai.prompt.0.content", "canary-2 write to my lawyer"},
	{"gen_ai.completion.0.content", "canary-3 dear lawyer"},
	{"gen_ai.system_instructions", "canary-4 you are a nurse"},
	{"gen_ai.output.messages", `[{"content":"canary-5"}]`},
	{"input.value", "canary-6 what is my balance"},
	{"output.value", "canary-7 it is 7"},
	{"llm.input_messages.0.message.content", "canary-8"},
	{"ai.prompt.messages", `[{"role":"user","content":[{"type":"text","text":"canary-9"}]}]`},
	{"ai.response.text", "canary-10"},
	{"gen_ai.tool.call.arguments", `{"iban":"canary-11"}`},
	{"ai.toolCall.args", `{"iban":"canary-12"}`},
	{"traceloop.entity.input", `{"inputs":"canary-13"}`},
	{"http.request.header.authorization", "Bearer sk-canary14canary14canary14"},
	{"http.request.header.cookie", "session=canary-15"},
	{"http.request.body.content", `{"card":"canary-16"}`},
	{"url.query", "token=canary-17&x=1"},
	{"db.query.text", "SELECT * FROM patients WHERE name = 'canary-18'"},
	{"enduser.id", "canary-19"},
	{"user.email", "canary-20@example.com"},
	{"x.unknown", "canary-21"},
	{"exception.stacktrace", "Error: canary-22\n    at canary (/srv/canary/app.js:1:1)\n    at async pRetry (/canary/node_modules/p-retry/index.js:197:19)"},
	{"error.stack", "Traceback (most recent call last):\n  File \"/canary/site-packages/tenacity/__init__.py\", line 1, in canary\n    canary-23()"},
}

// TestPrivacy feeds private texts through every decoder and finds none in any
// output.
func TestPrivacy(t *testing.T) {
	dir := t.TempDir()
	for _, id := range append([]string{"otlp-json"}, encoderIDs()...) {
		for i, canary := range canaries {
			// One that is kept must not hide behind others that are.
			spans := deniedKey()
			for k := range spans {
				spans[k].attrs = append(spans[k].attrs, canary, [2]string{"gen_ai.operation.name", "chat"}, [2]string{"gen_ai.request.model", "gpt-4o"})
				if spans[k].kind == "CLIENT" {
					spans[k].attrs[1][1] = fmt.Sprintf("http://bank.example/charge?key=canary-url-%d#canary", i)
				}
			}
			path := filepath.Join(dir, "in")
			if err := os.WriteFile(path, encoders[id](t, spans), 0o666); err != nil {
				t.Fatal(err)
			}
			part := filepath.Join(dir, "out.part")
			out, errs, status := run(t, "analyze", "-o", "json", "-o", "part="+part, path)
			text, more, _ := run(t, "analyze", path)
			tree, again, _ := run(t, "show", scenarioTrace, path)
			if status != 0 {
				t.Fatalf("%s: status %d, %s", id, status, errs)
			}
			for name, printed := range map[string]string{"JSON": out, "text": text, "show": tree, "stderr": errs + more + again, "part": unpackedPart(t, part)} {
				if at := strings.Index(strings.ToLower(printed), "canary"); at >= 0 {
					t.Errorf("%s, %s: %s tells %q", id, canary[0], name, printed[max(0, at-40):min(len(printed), at+40)])
				}
			}
		}
	}
}

// unpackedPart is what stands in a part, before it is packed.
func unpackedPart(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	at := bytes.Index(b, []byte("\x28\xb5\x2f\xfd"))
	if at < 0 {
		t.Fatal("no zstd in the part")
	}
	r, err := zstd.NewReader(bytes.NewReader(b[at:]))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	text, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
