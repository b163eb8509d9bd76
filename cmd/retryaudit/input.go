package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"

	"github.com/spf13/pflag"

	"github.com/retryaudit/retryaudit/analyzer"
	"github.com/retryaudit/retryaudit/analyzer/trace"
	"github.com/retryaudit/retryaudit/ingest"
	"github.com/retryaudit/retryaudit/ingest/record"
	"github.com/retryaudit/retryaudit/ingest/semconv"
)

// stdin is the argument that stands for standard input, stdinPath its name in
// reports.
const (
	stdin     = "-"
	stdinPath = "<stdin>"
)

// reading is how inputs are read.
type reading struct {
	limits limits
	key    semconv.Key // of the hashes of private texts
	// requestIDs names attributes and headers that hold the ID of a request.
	requestIDs []string
	policy     policyFlag
}

// addFlags adds the flags of commands that read traces.
func (r *reading) addFlags(flags *pflag.FlagSet) {
	flags.Var(&r.limits, "limit", limitUsage)
	flags.StringArrayVar(&r.requestIDs, "request-id", nil, requestIDUsage)
	r.policy.addFlags(flags)
}

const requestIDUsage = `a further attribute or request header that holds the ID of a request, by its
` + "`NAME`" + `; x-request-id, request.id and others are known; may be given again`

// hashKeyVariable is the environment variable with the secret that keys the
// hashes of private texts.
const hashKeyVariable = "RETRYAUDIT_HASH_KEY"

// hashKey returns the key of the hashes: that of the environment, else one of
// this run. Parts that are made apart need one that is known to all.
func (c *command) hashKey(parts bool) semconv.Key {
	secret, ok := c.getenv(hashKeyVariable)
	if ok && secret != "" || parts {
		return semconv.KeyOf(secret)
	}
	var key semconv.Key
	rand.Read(key[:]) // never fails
	return key
}

// read reads all inputs into one part that is not sealed yet. Inputs that
// could not be read are said at once; unread is then the failure to end with
// when the others have been reported. err is set where nothing was read.
func (c *command) read(ctx context.Context, suite *analyzer.Suite, how reading, args []string) (part *analyzer.Part, unread, err error) {
	if len(args) == 0 {
		if f, ok := c.Stdin.(*os.File); ok && isTerminal(f) {
			return nil, nil, wrongUse("name a file or a folder, or pipe traces into it", "nothing to read")
		}
		args = []string{stdin}
	}
	paths, unread := c.expand(args)
	results := c.readAll(ctx, how, paths)
	if ctx.Err() != nil {
		return nil, nil, &failure{status: statusInput, err: errors.New("interrupted")}
	}
	anySpans := slices.ContainsFunc(results.files, func(r fileResult) bool { return r.input.Spans > 0 })
	inputs := []analyzer.Input{}
	mentioned, hinted := int64(0), false
	for _, r := range results.files {
		switch {
		case r.err == nil:
		case anySpans && (r.otherSignals() || r.foreign && !named(args, r.input.Path)):
			// A folder of the Collector holds metrics and logs, too, and any
			// folder or archive may hold notes: only what is named must be traces.
			if mentioned++; mentioned <= maxMentioned {
				c.sayWarning("%v", r.err)
			}
		default:
			unread = &failure{status: statusInput}
			if r.foreign {
				if mentioned++; mentioned > maxMentioned {
					break
				}
			}
			hint := ""
			if r.foreign && !hinted {
				hint, hinted = knownFormats(), true
			}
			c.sayError(r.err, hint)
		}
		if r.input.Format != "" {
			inputs = append(inputs, r.input)
			if r.input.Spans > 0 { // else its first problem has been said
				c.sayProblems(r.input)
			}
		}
	}
	if more := mentioned - maxMentioned; more > 0 {
		c.sayWarning("%s more without spans", plural(more, "file"))
	}
	if !anySpans {
		return nil, nil, unread
	}
	parts := make([]*analyzer.Part, len(results.stores))
	for i, store := range results.stores {
		parts[i] = suite.Open(store, inputs...)
		inputs = nil // are carried by the first part
	}
	part, err = suite.Merge(parts...)
	return part, unread, err
}

// expand returns the files that the arguments name, each once. What cannot be
// read is said at once and leads to the failure unread.
func (c *command) expand(args []string) (paths []string, unread error) {
	paths, left, failed := ingest.Expand(args)
	for _, err := range left {
		c.sayWarning("%v", err)
	}
	for _, err := range failed {
		c.sayError(err, "")
		unread = &failure{status: statusInput}
	}
	return paths, unread
}

// sayProblems sums up what could not be used of an input.
func (c *command) sayProblems(in analyzer.Input) {
	if len(in.Problems) == 0 {
		return
	}
	first, n := in.Problems[0], int64(0)
	for _, p := range in.Problems {
		n += cmp.Or(p.Count, 1)
	}
	at, place := in.Path, fmt.Sprintf(" (byte %d)", first.Offset)
	if first.Line > 0 {
		at = fmt.Sprintf("%s:%d", in.Path, first.Line)
	}
	more := ""
	if n > 1 {
		more = fmt.Sprintf(" (and %d more)", n-1)
	}
	c.sayWarning("%s: %s%s%s", at, first.Reason, place, more)
}

// maxMentioned is how many files that hold no spans are mentioned one by one.
const maxMentioned = 10

// fileResult is what came of one input; of one that was recognised, the input
// has a format.
type fileResult struct {
	foreign bool // nothing that is known, and not damaged
	input   analyzer.Input
	err     error // why there are no spans, or not all
}

// named reports whether a path is an argument itself, not a file of one.
func named(args []string, path string) bool {
	return slices.ContainsFunc(args, func(arg string) bool {
		return filepath.Clean(arg) == filepath.Clean(path) || arg == stdin && path == stdinPath
	})
}

// otherSignals reports whether a readable input held no span.
func (r *fileResult) otherSignals() bool {
	return r.input.Spans == 0 && len(r.input.Problems) == 0 && len(r.input.Skipped) > 0
}

type readings struct {
	stores []*trace.Store // one a worker
	files  []fileResult   // in the order of the paths, the members of an archive in its order
}

// readAll reads the files in as many workers as there are processors; each
// worker has a store of its own.
func (c *command) readAll(ctx context.Context, how reading, paths []string) readings {
	bar := startProgress(c.Stderr, size(paths))
	defer bar.stop()
	workers := min(len(paths), runtime.GOMAXPROCS(0))
	out := readings{stores: make([]*trace.Store, workers)}
	files := make([][]fileResult, len(paths))
	var wg sync.WaitGroup
	for w := range workers {
		store := trace.NewStore()
		out.stores[w] = store
		wg.Go(func() {
			spans := semconv.New(store, how.key)
			spans.Use(how.names())
			for i := w; i < len(paths); i += workers {
				files[i] = c.readFile(ctx, how.limits.Options, paths[i], store, spans, bar)
			}
		})
	}
	wg.Wait()
	out.files = slices.Concat(files...)
	return out
}

// readFile reads a file, or the members of an archive.
func (c *command) readFile(ctx context.Context, opt ingest.Options, path string, store *trace.Store, spans *semconv.Normalizer, bar *progress) []fileResult {
	in, path, err := c.open(path)
	if err != nil {
		return []fileResult{{err: err}}
	}
	defer in.Close()
	infos := ingest.Read(bar.reader(in), path, opt, func(path string) func(*record.Span) error {
		symbol := store.Sym(path)
		return func(r *record.Span) error {
			spans.Add(r, symbol)
			return ctx.Err()
		}
	})
	results := make([]fileResult, len(infos))
	for i, info := range infos {
		input := analyzer.Input{
			Path: info.Path, Format: info.Format, Compression: info.Compression,
			Spans: info.Spans, Traces: info.Traces, Skipped: info.Skipped,
			Problems: make([]analyzer.Problem, len(info.Problems)),
		}
		for k, p := range info.Problems {
			input.Problems[k] = analyzer.Problem(p)
		}
		results[i] = fileResult{foreign: info.Foreign, input: input, err: info.Err}
	}
	return results
}

// open returns an input and the name it has in reports.
func (c *command) open(path string) (in io.ReadCloser, name string, err error) {
	if path == stdin {
		return io.NopCloser(c.Stdin), stdinPath, nil
	}
	in, err = ingest.Open(path)
	return in, path, err
}

// size is the number of bytes in all files, 0 where it is not known of all.
func size(paths []string) int64 {
	total := int64(0)
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil || !info.Mode().IsRegular() {
			return 0
		}
		total += info.Size()
	}
	return total
}
