package main

import (
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

var update = flag.Bool("update", false, "rewrite the outputs in testdata/script, README.md and docs")

// sample is the recording that ships with the source.
const sample = "../../testdata/real/agent-vercel-portkey-outage.jsonl"

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"retryaudit": main})
}

// TestScript runs testdata/script: each file there shows one side of the tool.
// In its folder stand outage.jsonl, the recording that ships with the source,
// and the files at the script's end.
func TestScript(t *testing.T) {
	recording, err := filepath.Abs(sample)
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			// The race detector sleeps a second at each exit by default.
			env.Setenv("GORACE", "atexit_sleep_ms=0")
			return os.Symlink(recording, filepath.Join(env.WorkDir, "outage.jsonl"))
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exits": exits, "paste": paste},
	})
}

// exits runs a program that must end with a status: exits 3 retryaudit analyze nope
func exits(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) < 2 {
		ts.Fatalf("usage: exits STATUS program [args...]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	err = ts.Exec(args[1], args[2:]...)
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		got = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("exit status %d, want %d", got, want)
	}
}

// paste makes a policy of the first line that show printed to correct something
// and that contains a text: paste 'calls: ' retryaudit.yaml
func paste(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: paste TEXT FILE")
	}
	for _, m := range correction.FindAllStringSubmatch(ts.ReadFile("stdout"), -1) {
		if strings.Contains(m[1], args[0]) {
			ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte("version: 1\n"+m[1]+"\n"), 0o666))
			return
		}
	}
	ts.Fatalf("no line to correct something has %q", args[0])
}
