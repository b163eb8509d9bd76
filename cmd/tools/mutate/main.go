// Mutate shows that tests fail when the code is wrong. It flips comparisons,
// drops operands of conditions and guards, one at a time, and runs the tests.
// What no test notices is a survivor: code that could break unseen.
//
//	mutate [-accept FILE] PACKAGE[=TESTS,…]…
//
// PACKAGE is a folder of the module in the working directory. Its own tests run
// first, those of the packages TESTS after them. The package is built once:
// each of its places asks at run time whether it is the one to be wrong.
//
// A survivor takes one line, FILE:LINE:COLUMN: FUNCTION: KIND: CODE. FILE, in
// the form FILE: FUNCTION: KIND: CODE // REASON, sorted, lists those that are
// accepted, since the mutant does the same or its difference does not matter.
// The exit status is 1 for survivors that the list lacks and for lines of it
// without a survivor, 3 where the tests could not run.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

func main() {
	accept := flag.String("accept", "", "the `file` of accepted survivors")
	workers := flag.Int("j", runtime.NumCPU(), "how many tests run at a time")
	flag.Parse()
	status, err := run(os.Stdout, os.Stderr, *accept, *workers, flag.Args())
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutate: error:", err)
		status = 3
	}
	os.Exit(status)
}

func run(out, progress io.Writer, accept string, workers int, args []string) (status int, err error) {
	list, err := readList(accept)
	if err != nil {
		return 3, err
	}
	begun := time.Now()
	var folders []string
	var n counts
	for _, arg := range args {
		folder, others, _ := strings.Cut(arg, "=")
		folder = filepath.ToSlash(filepath.Clean(folder))
		folders = append(folders, folder)
		s, err := test(folder, others, workers, progress)
		if err != nil {
			return 3, err
		}
		n.mutants += len(s.sites)
		for i, site := range s.sites {
			if s.killed[i] {
				continue
			}
			n.survivors++
			note := ""
			if !s.reached(i) {
				n.unreached++
				note = "  (not reached by a test)"
			}
			if list.accepts(site) {
				n.accepted++
				continue
			}
			status = 1
			fmt.Fprintf(out, "%s:%d:%d: %s: %s: %s%s\n", site.File, site.Line, site.Column, site.Func, site.Kind, site.Code, note)
		}
	}
	for _, line := range list.stale(folders) {
		status = 1
		fmt.Fprintf(out, "%s: no longer survives, delete: %s\n", accept, line)
	}
	fmt.Fprintf(out, "%d mutants, %d killed, %d survivors of which %d accepted and %d not reached, %s\n",
		n.mutants, n.mutants-n.survivors, n.survivors, n.accepted, n.unreached, time.Since(begun).Round(time.Second))
	return status, nil
}

type counts struct{ mutants, survivors, accepted, unreached int }

// test runs the tests over all mutants of a folder.
func test(folder, others string, workers int, progress io.Writer) (*session, error) {
	tests := []string{folder}
	if others != "" {
		tests = append(tests, strings.Split(others, ",")...)
	}
	dir, err := os.MkdirTemp("", "mutate")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	sites, err := instrument(folder, dir)
	if err != nil {
		return nil, err
	}
	s := &session{dir: dir, sites: sites, progress: progress}
	if err := s.prepare(tests); err != nil {
		return nil, err
	}
	s.run(workers)
	return s, nil
}
