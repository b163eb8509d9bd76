package semconv

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/retryaudit/retryaudit/analyzer/trace"
	"github.com/retryaudit/retryaudit/ingest/record"
)

// An errorCase is one line of testdata/tables/errors.txt, lists taken apart.
type errorCase struct {
	line     int
	provider string
	status   int
	signs    map[string]string
	want     string
}

// tableLines returns the lines of a table that are no comments, by number.
func tableLines(t *testing.T, file string) map[int][]string {
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	lines := map[int][]string{}
	for i, line := range strings.Split(string(raw), "\n") {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		signs, want, ok := strings.Cut(line, "→")
		if !ok {
			t.Fatalf("%s:%d: no →", file, i+1)
		}
		var cells []string
		for _, cell := range strings.Split(strings.TrimSuffix(strings.TrimSpace(signs), "|"), "|") {
			cells = append(cells, strings.TrimSpace(cell))
		}
		lines[i+1] = append(cells, strings.TrimSpace(want))
	}
	return lines
}

// parseSigns reads key=word, key="a text" and key='a text'; a word alone is a
// key. A quote within a text is one that no space or end follows.
func parseSigns(s string) map[string]string {
	signs := map[string]string{}
	for s = strings.TrimSpace(s); s != ""; s = strings.TrimSpace(s) {
		end := strings.IndexAny(s, " =")
		if end < 0 {
			signs[s] = ""
			break
		}
		key := s[:end]
		if s[end] == ' ' {
			signs[key], s = "", s[end:]
			continue
		}
		s = s[end+1:]
		if s[0] != '"' && s[0] != '\'' {
			signs[key], s, _ = strings.Cut(s, " ")
			continue
		}
		end = 1
		for ; end < len(s); end++ {
			if s[end] != s[0] {
				continue
			}
			if rest := s[end+1:]; rest == "" || rest[0] == ' ' && nextSign(rest[1:]) {
				break
			}
		}
		signs[key], s = s[1:end], s[min(end+1, len(s)):]
	}
	return signs
}

func nextSign(s string) bool {
	word, _, _ := strings.Cut(s, " ")
	key, _, pair := strings.Cut(word, "=")
	return pair && slices.Contains(signNames, key)
}

var signNames = []string{"code", "type", "status", "message", "json", "exception", "text", "finish", "flags", "grpc", "header", "attr", "stream"}

func readErrorTable(t *testing.T) []errorCase {
	var all []errorCase
	for n, cells := range tableLines(t, "testdata/tables/errors.txt") {
		if len(cells) != 4 {
			t.Fatalf("line %d: %d cells", n, len(cells))
		}
		status, _ := strconv.Atoi(cells[1])
		cases := []errorCase{{n, cells[0], status, parseSigns(cells[2]), cells[3]}}
		for key := range cases[0].signs {
			if !slices.Contains(signNames, key) {
				t.Fatalf("line %d: no sign %q", n, key)
			}
		}
		for _, key := range []string{"code", "type", "exception", "finish"} {
			var apart []errorCase
			for _, c := range cases {
				values := strings.Split(c.signs[key], ", ")
				for _, v := range values {
					one := c
					if len(values) > 1 {
						one.signs = map[string]string{}
						for k, old := range c.signs {
							one.signs[k] = old
						}
						one.signs[key] = v
					}
					apart = append(apart, one)
				}
			}
			cases = apart
		}
		all = append(all, cases...)
	}
	slices.SortStableFunc(all, func(a, b errorCase) int { return a.line - b.line })
	return all
}

// has reports whether the case has one of these signs.
func (c *errorCase) has(keys ...string) bool {
	return slices.ContainsFunc(keys, func(k string) bool { _, ok := c.signs[k]; return ok })
}

// body returns the error body in the shape of the provider.
func (c *errorCase) body() string {
	text := func(s string) string {
		b, _ := json.Marshal(s)
		return strings.NewReplacer(`\u003e`, ">", `\u003c`, "<", `\u0026`, "&").Replace(string(b))
	}
	code, message := c.signs["code"], text(c.signs["message"])
	member := func(list []string, key, value string) []string {
		return append(list, `"`+key+`":`+value)
	}
	var in []string
	nullable := func(key string) string {
		if v := c.signs[key]; v != "" {
			return text(v)
		}
		return "null"
	}
	extra := c.signs["json"]
	switch c.provider {
	case "anthropic":
		in = member(member(in, "type", text(c.signs["type"])), "message", message)
		if extra != "" {
			in = append(in, extra)
		}
		return `{"type":"error","error":{` + strings.Join(in, ",") + `},"request_id":"req_011C"}`
	case "google":
		in = member(in, "code", strconv.Itoa(c.status))
		if code != "" { // the newer codes
			in = member(nil, "code", text(code))
		}
		in = member(in, "message", message)
		if s := c.signs["status"]; s != "" {
			in = member(in, "status", text(s))
		}
	case "openrouter":
		in = member(in, "code", strconv.Itoa(c.status))
		if c.has("stream") {
			in = nil
		}
		if c.has("type") {
			in = member(in, "type", nullable("type"))
		}
		in = member(in, "message", message)
		if code != "" && extra == "" {
			extra = `"metadata":{"reason":` + text(code) + `}`
		} else if code != "" {
			extra = strings.Replace(extra, `{`, `{"reason":`+text(code)+`,`, 1)
		}
	case "bedrock":
		return `{"__type":` + text(code) + `,"message":` + message + `}`
	case "minimax":
		return `{"id":"1","base_resp":{"status_code":` + code + `,"status_msg":` + message + `}}`
	case "tencent":
		return `{"Response":{"Error":{"Code":` + text(code) + `,"Message":` + message + `},"RequestId":"a-b"}}`
	case "baidu1":
		return `{"error_code":` + code + `,"error_msg":` + message + `}`
	case "iflytek":
		return `{"header":{"code":` + code + `,"message":` + message + `,"sid":"s","status":2}}`
	case "cohere":
		return `{"message":` + message + `}`
	case "siliconflow":
		if code != "" {
			return `{"code":` + code + `,"message":` + message + `,"data":null}`
		}
		return `{"message":` + message + `,"data":null}`
	default:
		in = member(in, "message", message)
		in = member(in, "type", nullable("type"))
		in = member(in, "param", "null")
		in = member(in, "code", nullable("code"))
	}
	if extra != "" {
		in = append(in, extra)
	}
	return `{"error":{` + strings.Join(in, ",") + `}}`
}

// python returns a JSON text as Python prints the dict.
func python(s string) string {
	var out strings.Builder
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '"':
			v, end := quoted(s, i)
			q := "'"
			if strings.Contains(v, "'") {
				q = `"`
			}
			out.WriteString(q + v + q)
			i = end - 1
		case strings.HasPrefix(s[i:], "null"):
			out.WriteString("None")
			i += 3
		case s[i] == ':' || s[i] == ',':
			out.WriteString(s[i:i+1] + " ")
		default:
			out.WriteByte(s[i])
		}
	}
	return out.String()
}

// sdkExceptions are the classes of openai-python by status.
var sdkExceptions = map[int]string{
	400: "BadRequestError", 401: "AuthenticationError", 403: "PermissionDeniedError", 404: "NotFoundError",
	409: "ConflictError", 422: "UnprocessableEntityError", 429: "RateLimitError",
}

func sdkException(status int) string {
	switch name, ok := sdkExceptions[status]; {
	case ok:
		return "openai." + name
	case status >= 500:
		return "openai.InternalServerError"
	}
	return "openai.APIStatusError"
}

// modelNames are the values of gen_ai.provider.name.
var modelNames = map[string]string{"google": "gcp.gemini", "azure": "azure.ai.openai", "bedrock": "aws.bedrock", "xai": "x_ai", "baidu1": "baidu", "mistral": "mistral_ai"}

func str(key, value string) record.Attr {
	return record.Attr{Key: key, Value: record.Value{Type: record.String, S: value}}
}

// A carrier is one way in which an error shows up in a span.
type carrier struct {
	name   string
	record *record.Span
}

// carriers builds the records of a case.
func (c *errorCase) carriers() []carrier {
	host := local
	family := c.provider
	if family == "baidu1" {
		family = "baidu"
	}
	for _, p := range providerRows {
		if p.family == family {
			if host = p.hosts[0]; host[0] == '.' {
				host = "x" + host
			}
		}
	}
	statusAttr := func(r *record.Span) {
		if c.status != 0 {
			r.Attrs = append(r.Attrs, record.Attr{Key: "http.response.status_code", Value: record.Value{Type: record.Int, I: int64(c.status)}})
		}
	}
	web := func(status record.Status, attrs ...record.Attr) *record.Span {
		r := &record.Span{Kind: trace.Client, Name: "POST", Status: status, Attrs: append([]record.Attr{
			str("http.request.method", "POST"), str("url.full", "https://"+host+"/v1/x"),
		}, attrs...)}
		statusAttr(r)
		if h := c.signs["header"]; h != "" {
			key, value, _ := strings.Cut(h, ":")
			r.Attrs = append(r.Attrs, str("http.response.header."+key, value))
		}
		return r
	}
	name := family
	if modelNames[c.provider] != "" {
		name = modelNames[c.provider]
	}
	sdk := func(message string, attrs ...record.Attr) *record.Span {
		r := &record.Span{Kind: trace.Client, Name: "chat m", Status: record.Error, StatusMessage: message, Attrs: append([]record.Attr{
			str("gen_ai.operation.name", "chat"),
		}, attrs...)}
		if name != "-" && name != "litellm" && name != "mcp" {
			r.Attrs = append(r.Attrs, str("gen_ai.provider.name", name))
		}
		if h := c.signs["header"]; h != "" {
			key, value, _ := strings.Cut(h, ":")
			r.Attrs = append(r.Attrs, str("http.response.header."+key, value))
		}
		return r
	}
	threw := func(r *record.Span, class, message string) *record.Span {
		e := record.Event{Name: "exception"}
		if class != "" {
			e.Attrs = append(e.Attrs, str("exception.type", class))
		}
		r.Events = append(r.Events, record.Event{Name: e.Name, Attrs: append(e.Attrs, str("exception.message", message))})
		return r
	}
	message := c.signs["text"]
	switch {
	case c.provider == "mcp":
		key, value, _ := strings.Cut(c.signs["attr"], ":")
		r := &record.Span{Kind: trace.Client, Name: "tools/call f", StatusMessage: message, Attrs: []record.Attr{str("mcp.method.name", "tools/call"), str(key, value)}}
		r.Status = record.Error
		statusAttr(r)
		return []carrier{{"mcp", r}}
	case c.has("grpc"):
		rpc := func(key string, attrs ...record.Attr) *record.Span {
			return &record.Span{Kind: trace.Client, Name: "/a.B/C", Status: record.Error, StatusMessage: message,
				Attrs: append(attrs, str("rpc.method", "a.B/C"), str(key, c.signs["grpc"]))}
		}
		return []carrier{
			{"rpc", rpc("rpc.response.status_code")},
			{"old rpc", rpc("rpc.grpc.status_code", str("rpc.system", "grpc"))},
			{"rpc and error.type", rpc("rpc.response.status_code", str("error.type", c.signs["grpc"]))},
		}
	case c.has("flags"):
		return []carrier{{"envoy", web(record.Error, str("response_flags", c.signs["flags"]))}}
	case c.has("attr"):
		key, value, _ := strings.Cut(c.signs["attr"], ":")
		return []carrier{{"attribute", web(record.Error, str(key, value))}}
	case c.has("finish"):
		r := sdk("", record.Attr{Key: "gen_ai.response.finish_reasons", Value: record.Value{Type: record.List, List: []record.Value{{Type: record.String, S: c.signs["finish"]}}}})
		r.Status = record.Unset
		statusAttr(r)
		return []carrier{{"finish reason", r}}
	case c.has("exception"):
		class := c.signs["exception"]
		named := sdk(message, str("error.type", class))
		statusAttr(named)
		thrown := threw(sdk(message), class, message)
		statusAttr(thrown)
		return []carrier{{"exception", thrown}, {"error.type", named}}
	case c.has("text"):
		all := []carrier{{"http", threw(web(record.Error), "", message)}}
		if c.status != 0 {
			r := sdk(message)
			statusAttr(r)
			all = append(all, carrier{"sdk", r})
		}
		return all
	case !c.has("code", "type", "status", "message", "json"): // the status alone
		bare := web(record.Error, str("error.type", strconv.Itoa(c.status)))
		return []carrier{
			{"http", bare},
			{"python", threw(sdk("Error code: "+strconv.Itoa(c.status), str("error.type", sdkException(c.status))), sdkException(c.status), "Error code: "+strconv.Itoa(c.status))},
			{"node", sdk(fmt.Sprintf("%d status code (no body)", c.status), str("error.type", strconv.Itoa(c.status)))},
		}
	}

	body := c.body()
	if c.has("stream") || c.provider == "minimax" || c.provider == "tencent" || c.provider == "baidu1" || c.status == 0 {
		// The answer began well: the client has no error, or one beside its 200.
		all := []carrier{
			{"python stream", threw(sdk(python(body), str("error.type", "openai.APIError")), "openai.APIError", python(body))},
			{"node stream", sdk(body)},
		}
		if c.status != 0 {
			all = append(all, carrier{"http 200", threw(web(record.Error), "", body)})
		}
		return all
	}
	first := c.signs["code"]
	for _, key := range []string{"status", "type"} {
		if first == "" {
			first = c.signs[key]
		}
	}
	if first == "" {
		first = strconv.Itoa(c.status)
	}
	py := fmt.Sprintf("Error code: %d - %s", c.status, python(body))
	node := fmt.Sprintf("%d %s", c.status, body)
	escaped, _ := json.Marshal(body)
	all := []carrier{
		{"http", threw(web(record.Error), "", body)},
		{"python", threw(sdk(py, str("error.type", sdkException(c.status))), sdkException(c.status), py)},
		{"node", sdk(node, str("error.type", first))},
		{"go", sdk(fmt.Sprintf("POST \"https://%s/v1/x\": %d Status %s", host, c.status, body), record.Attr{Key: "http.response.status_code", Value: record.Value{Type: record.Int, I: int64(c.status)}})},
		{"nested", sdk(fmt.Sprintf(`%d {"error":{"message":%s,"type":"upstream_error","param":null,"code":"%d"}}`, c.status, escaped, c.status))},
	}
	if host == local && name != "-" { // a host that no row knows tells no provider
		all = all[1:]
	}
	if c.provider == "bedrock" {
		boto := fmt.Sprintf("An error occurred (%s) when calling the Converse operation: %s", c.signs["code"], c.signs["message"])
		smithy := fmt.Sprintf("operation error Bedrock Runtime: Converse, https response error StatusCode: %d, RequestID: 1-2, %s: %s", c.status, c.signs["code"], c.signs["message"])
		class := "botocore.errorfactory." + c.signs["code"]
		all = append(all,
			carrier{"botocore", threw(sdk(boto, str("error.type", class), str("http.status_code", strconv.Itoa(c.status))), class, boto)},
			carrier{"smithy", sdk(smithy, str("error.type", "*smithy.OperationError"))})
	}
	return all
}

// TestErrorTable holds that every row of error-classes.md comes to its class
// in every place where such an error stands.
func TestErrorTable(t *testing.T) {
	lines := map[int]bool{}
	records, wrong := 0, map[int]bool{}
	for _, c := range readErrorTable(t) {
		lines[c.line] = true
		for _, in := range c.carriers() {
			records++
			store := trace.NewStore()
			New(store, Key{}).Add(in.record, 0)
			s := &store.Spans[0]
			got := fmt.Sprintf("%s %s %s", s.Class, s.Verdict, s.ClassConf)
			if f := store.FactsOf(s); f != nil && f.Refuser != 0 {
				got += " " + store.Text(f.Refuser)
			}
			if s.Flags.Has(trace.NeverSent) {
				got += " unsent"
			}
			want, code, tells := strings.Cut(c.want, " code=")
			if tells && store.Text(s.Code) != code {
				t.Errorf("errors.txt:%d %s: code %q, want %q", c.line, in.name, store.Text(s.Code), code)
				wrong[c.line] = true
			}
			if got != want {
				t.Errorf("errors.txt:%d %s: %s %d %v\n got %s\nwant %s", c.line, in.name, c.provider, c.status, c.signs, got, want)
				wrong[c.line] = true
			}
		}
	}
	t.Logf("%d lines, %d records, %d lines wrong", len(lines), records, len(wrong))
}
