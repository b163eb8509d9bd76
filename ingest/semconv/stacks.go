package semconv

import (
	"slices"
	"strings"

	"github.com/retryaudit/retryaudit/ingest/record"
)

// A frameRow gives the retry library that a frame of a stack trace is of.
type frameRow struct {
	// mark is how the frame's path begins, from the folder of all packages on,
	// or its qualified name in Java and .NET. It ends where a word does.
	mark string
	name string // as in analyzer's table of settings
	// uses names a library by which this one makes its attempts: the frame
	// tells nothing unless it called that library itself.
	uses string

	word string // the first of mark; mark is the rest of it once it is indexed
}

// stacksFamily: stack traces of failures; exception events have theirs. The frames
// name the part of a library that runs attempts; one that does more
// is not named for its circuit breaker. Clients whose user agent or scope names
// them have no row (the OpenAI and AWS SDKs …), nor has urllib3: its retry.py
// raises the error of a session that makes no retries, too. Queues have one
// where stack traces go beyond the run of a job.
var stacksFamily = family{
	rank: 161,
	rows: []row{
		{key: "exception.stacktrace", to: stackText},
		{key: "error.stack", to: stackText},                        // Datadog
		{key: "error.stack_trace", to: stackText},                  // litellm integrations/_types/open_inference.py
		{key: "litellm.provider.error.stack_trace", to: stackText}, // litellm integrations/otel
	},
	frames: []frameRow{
		{mark: "node_modules/p-retry", name: "p-retry"},                                // p-retry index.js
		{mark: "node_modules/async-retry", name: "async-retry"},                        // async-retry lib/index.js
		{mark: "node_modules/axios-retry", name: "axios-retry"},                        // axios-retry dist/cjs, dist/esm
		{mark: "node_modules/cockatiel/dist/RetryPolicy", name: "cockatiel"},           // cockatiel src/RetryPolicy.ts
		{mark: "node_modules/got", name: "got"},                                        // got source/core
		{mark: "node_modules/ky", name: "ky"},                                          // ky source/core/Ky.ts
		{mark: "node_modules/@langchain/core/dist/utils/p-retry", name: "langchainjs"}, // langchainjs libs/langchain-core/src/utils
		{mark: "node_modules/@langchain/core/dist/utils/async_caller", name: "langchainjs"},
		{mark: "node_modules/@langchain/core/node_modules/p-retry", name: "langchainjs"}, // before 1.0
		{mark: "node_modules/@portkey-ai/gateway", name: "portkey"},                      // Portkey gateway package.json
		{mark: "build/start-server.js", name: "portkey"},                                 // the same: all of it in one file

		{mark: "site-packages/tenacity", name: "tenacity"},                                          // tenacity/__init__.py, asyncio/__init__.py
		{mark: "site-packages/stamina", name: "stamina", uses: "tenacity"},                          // stamina src/stamina/_core.py
		{mark: "site-packages/langchain_core/runnables/retry", name: "langchain", uses: "tenacity"}, // langchain libs/core
		{mark: "site-packages/pydantic_ai/retries", name: "pydantic-ai", uses: "tenacity"},          // pydantic-ai pydantic_ai_slim
		{mark: "site-packages/backoff", name: "backoff"},                                            // backoff/_sync.py, _async.py
		{mark: "site-packages/aiohttp_retry", name: "aiohttp_retry"},                                // aiohttp_retry/client.py
		{mark: "site-packages/google/api_core/retry", name: "google.api_core"},                      // python-api-core retry_unary.py

		{mark: "io.github.resilience4j.retry", name: "resilience4j"},              // resilience4j-retry Retry.java
		{mark: "org.springframework.retry", name: "spring-retry"},                 // spring-retry support/RetryTemplate.java
		{mark: "org.springframework.ai", name: "spring-ai", uses: "spring-retry"}, // spring-ai models call the RetryTemplate
		{mark: "org.springframework.core.retry", name: "spring-core-retry"},       // Spring Framework 7 core/retry/RetryTemplate.java
		{mark: "dev.failsafe", name: "failsafe"},                                  // failsafe core
		{mark: "net.jodah.failsafe", name: "failsafe"},                            // before 3.0
		{mark: "reactor.core.publisher.FluxRetryWhen", name: "reactor-core"},      // reactor-core
		{mark: "reactor.core.publisher.MonoRetryWhen", name: "reactor-core"},      // the same
		{mark: "com.google.api.gax.retrying", name: "gax-java"},                   // gax-java/gax
		{mark: "dev.langchain4j.internal.RetryUtils", name: "langchain4j"},        // langchain4j-core
		{mark: "io.temporal.internal.activity", name: "io.temporal"},              // temporal sdk-java
		{mark: "Polly.Retry", name: "Polly"},                                      // Polly.Core/Retry, Polly/Retry

		{mark: "github.com/cenkalti/backoff", name: "github.com/cenkalti/backoff"},
		{mark: "github.com/avast/retry-go", name: "github.com/avast/retry-go"},
		{mark: "github.com/sethvargo/go-retry", name: "github.com/sethvargo/go-retry"},
		{mark: "github.com/hashicorp/go-retryablehttp", name: "go-retryablehttp"},
		{mark: "github.com/failsafe-go/failsafe-go/retrypolicy", name: "github.com/failsafe-go/failsafe-go"}, // the function: the path has a version within
		{mark: "go.temporal.io/sdk/internal", name: "temporal-sdk-go"},

		{mark: "lib/sidekiq/job_retry", name: "sidekiq"},              // sidekiq lib/sidekiq/job_retry.rb
		{mark: "lib/faraday/retry/middleware", name: "faraday-retry"}, // faraday-retry lib/faraday/retry/middleware.rb
	},
}

// programRows name programs that retry by the end of the path by which their
// process was started: its resource says so, whatever service.name is.
var programRows = []struct{ path, name string }{
	{"/build/start-server.js", "portkey"}, // Portkey gateway package.json, "bin" and "start:node", Dockerfile
}

// Libraries returns the names that trace.Facts.Libraries may hold.
func Libraries() []string {
	var all []string
	for _, r := range frameRows {
		all = append(all, r.name)
	}
	for _, r := range programRows {
		all = append(all, r.name)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// framesByWord finds the rows of frames by the first word of their mark, which
// is left out of them.
var framesByWord = func() map[string][]frameRow {
	all := map[string][]frameRow{}
	for _, r := range frameRows {
		i := strings.IndexByte(r.mark, '/')
		if i < 0 {
			i = strings.IndexByte(r.mark, '.')
		}
		r.word, r.mark = r.mark[:i], r.mark[i:]
		all[r.word] = append(all[r.word], r)
	}
	return all
}()

// Bounds of what is read of a stack trace.
const (
	maxStack     = 64 << 10 // bytes: some 500 frames of Java, where others write 10 to 100
	maxLibraries = 8        // nested in one stack
)

// readStack notes which retry libraries a stack trace names, the innermost
// first. Nothing else of it is kept.
func (n *Normalizer) readStack(text string) {
	if !strings.Contains(text, "\n") {
		return
	}
	if names, within := librariesOf(text[:min(len(text), maxStack)]); len(names) > 0 {
		n.stack, n.within = names, within
	}
}

// readProgram notes the program that a process runs, where it is one that
// retries: its command line names it.
func (n *Normalizer) readProgram(v *record.Value) {
	for _, r := range programRows {
		if strings.HasSuffix(text(v), r.path) {
			n.program = r.name
		}
		for i := range v.List {
			if strings.HasSuffix(text(&v.List[i]), r.path) {
				n.program = r.name
			}
		}
	}
}

// tellStack fills in the facts that name libraries.
func (n *Normalizer) tellStack() {
	if len(n.stack) == 0 && n.at[stackText] != nil {
		n.readStack(text(n.at[stackText]))
	}
	if len(n.stack) == 0 && n.record.Status == record.Error {
		n.readStack(n.record.StatusMessage) // of OpenInference for JavaScript
	}
	if len(n.stack) == 0 && n.program != "" && n.kind&server != 0 {
		n.stack = []string{n.program}
	}
	if len(n.stack) > 0 {
		n.facts.Libraries, n.facts.Within, n.factual = n.store.Sym(strings.Join(n.stack, ",")), n.within, true
	}
}

// librariesOf returns the names of the retry libraries in a stack trace, each
// once, the innermost first, and whether the trace is one that ends where the
// failure was caught: the others go on to where the process or thread began.
func librariesOf(text string) (names []string, within bool) {
	var all, section []*frameRow // nil: a frame of no row
	python, skip := false, false
	end := func() {
		if python {
			// The outermost frame first; the cause before what came of it.
			slices.Reverse(section)
			all = append(append(all, nil), section...)
		} else {
			all = append(append(section, nil), all...)
		}
		section, python = nil, false
	}
	for line := range strings.SplitSeq(text, "\n") {
		bare := strings.TrimLeft(line, " \t|")
		if begins(bare, "Traceback (most recent call last)", "Caused by:", "[cause]:") {
			end()
			skip = false
			continue
		}
		if strings.HasPrefix(bare, "Suppressed:") {
			skip = true // of another failure
		}
		if skip {
			continue
		}
		if row, ok := frameOf(line, bare); ok {
			section = append(section, row)
			python = python || strings.HasPrefix(bare, pythonFrame)
		}
	}
	end()
	names = namesOfFrames(all)
	return names, slices.ContainsFunc(all, func(r *frameRow) bool { return r != nil && r.ends() })
}

// ends reports whether the row is of a language whose stack traces end where
// the failure was caught: Python, .NET.
func (r *frameRow) ends() bool {
	return r.word == "site-packages" || r.word == "Polly"
}

func begins(s string, any ...string) bool {
	return slices.ContainsFunc(any, func(prefix string) bool { return strings.HasPrefix(s, prefix) })
}

const pythonFrame = `File "`

// frameOf returns the row of the frame on a line, nil for none; ok is false
// where the line is no frame. Bare is the line without its indentation.
func frameOf(line, bare string) (row *frameRow, ok bool) {
	if rest, ok := strings.CutPrefix(bare, "at "); ok { // JavaScript, Java, .NET
		if row := qualifiedRow(rest); row != nil {
			return row, true
		}
		return pathRow(rest), true
	}
	if rest, ok := strings.CutPrefix(bare, pythonFrame); ok {
		path, _, _ := strings.Cut(rest, `"`)
		return pathRow(path), true
	}
	if path, _, ok := strings.Cut(line, ".rb:"); ok {
		return pathRow(path), true
	}
	if path, _, ok := strings.Cut(line, ".go:"); ok && line[0] == '\t' {
		return pathRow(path), true
	}
	// The functions of Go stand at the beginning of a line; others need not be
	// known, since the line with the path follows.
	word, rest, _ := strings.Cut(line, "/")
	row = rowOf(word, "/"+rest)
	return row, row != nil
}

// qualifiedRow returns the row of a frame of Java or .NET, whose module and
// loader may stand before it: "app//io.github…".
func qualifiedRow(frame string) *frameRow {
	name, _, _ := strings.Cut(frame, "(")
	name = name[strings.LastIndexByte(name, '/')+1:]
	i := max(0, strings.IndexByte(name, '.'))
	return rowOf(name[:i], name[i:])
}

// pathRow returns the row of a frame that a path names.
func pathRow(frame string) *frameRow {
	if strings.IndexByte(frame, '\\') >= 0 {
		frame = strings.ReplaceAll(frame, `\`, "/")
	}
	for {
		i := strings.IndexByte(frame, '/')
		if i < 0 {
			return nil
		}
		word := frame[:i]
		if word = word[strings.LastIndexAny(word, "( ")+1:]; word == "dist-packages" {
			word = "site-packages" // Debian
		}
		if row := rowOf(word, frame[i:]); row != nil {
			return row
		}
		frame = frame[i+1:]
	}
}

// rowOf returns the row whose mark begins with word and goes on as rest does.
func rowOf(word, rest string) *frameRow {
	rows := framesByWord[word]
	for i := range rows {
		if after, ok := strings.CutPrefix(rest, rows[i].mark); ok && (after == "" || !inWord(after[0])) {
			return &rows[i]
		}
	}
	return nil
}

func inWord(c byte) bool {
	return isLetter(lowerByte(c)) || c >= '0' && c <= '9' || c == '_' || c == '-'
}

// namesOfFrames names the libraries of frames, each once.
func namesOfFrames(frames []*frameRow) []string {
	var names []string
	var inner *frameRow // the frame before: this one called it
	for _, row := range frames {
		switch {
		case row == nil:
		case row.uses == "":
			if inner == nil || inner.name != row.name {
				names = append(names, row.name)
			}
		case inner != nil && inner.name == row.uses:
			names[len(names)-1] = row.name
		}
		inner = row
	}
	// A failure that was raised anew passes the same library again.
	var once []string
	for _, name := range names {
		if !slices.Contains(once, name) && len(once) < maxLibraries {
			once = append(once, name)
		}
	}
	return once
}
