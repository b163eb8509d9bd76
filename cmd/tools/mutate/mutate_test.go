package main

import (
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// survivors is what the tests of testdata/tiny leave alive.
const survivors = `testdata/tiny/tiny.go:8:7: Clamp: > as >=: n > most
testdata/tiny/tiny.go:11:5: Clamp: guard: n < 0
testdata/tiny/tiny.go:11:7: Clamp: < as <=: n < 0
testdata/tiny/tiny.go:19:14: Both: drop &&: b
testdata/tiny/tiny.go:43:46: unused: == as !=: a+"x" == b  (not reached by a test)
`

func TestTiny(t *testing.T) {
	// All are accepted; a line about another package is none of this run's.
	lines := []string{"another/file.go: f: guard: x // of another run"}
	for line := range strings.Lines(survivors) {
		file, rest, _ := strings.Cut(strings.TrimSpace(line), ":")
		_, rest, _ = strings.Cut(rest, ": ")
		rest, _, _ = strings.Cut(rest, "  (")
		lines = append(lines, file+": "+rest+" // not tested")
	}
	for _, test := range []struct {
		name, list, want string
		status           int
	}{
		{"no list", "", survivors + "14 mutants, 9 killed, 5 survivors of which 0 accepted and 1 not reached\n", 1},
		{"all accepted", sorted(lines...), "14 mutants, 9 killed, 5 survivors of which 5 accepted and 1 not reached\n", 0},
		{"killed", sorted(append(lines, "testdata/tiny/tiny.go: Both: drop &&: a // it is tested")...),
			"LIST: no longer survives, delete: testdata/tiny/tiny.go: Both: drop &&: a\n" +
				"14 mutants, 9 killed, 5 survivors of which 5 accepted and 1 not reached\n", 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			path := ""
			if test.list != "" {
				path = filepath.Join(t.TempDir(), "survivors.txt")
				if err := os.WriteFile(path, []byte(test.list), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			var out strings.Builder
			status, err := run(&out, io.Discard, path, 2, []string{"./testdata/tiny"})
			if err != nil {
				t.Fatal(err)
			}
			got := regexp.MustCompile(`, \d+m?\d*s\n$`).ReplaceAllString(out.String(), "\n")
			if path != "" {
				got = strings.ReplaceAll(got, path, "LIST")
			}
			if got != test.want || status != test.status {
				t.Errorf("status %d, want %d, and\n%s\nwant\n%s", status, test.status, got, test.want)
			}
		})
	}
}

// TestOthersTests holds that the tests of a further package count.
func TestOthersTests(t *testing.T) {
	var out strings.Builder
	if _, err := run(&out, io.Discard, "", 2, []string{"testdata/tiny=testdata/user"}); err != nil {
		t.Fatal(err)
	}
	if got := out.String(); strings.Contains(got, "Both") || !strings.Contains(got, "Clamp") {
		t.Errorf("got\n%s\nwant the mutants of Clamp only", got)
	}
}

func TestLists(t *testing.T) {
	for text, want := range map[string]string{
		"a.go: f: guard: x\n":                                  "found no reason",
		"a.go: guard: x // why\n":                              "wanted FILE",
		"b.go: f: guard: x // why\na.go: f: guard: x // why\n": "wanted the lines sorted",
	} {
		path := filepath.Join(t.TempDir(), "list")
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := readList(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

// sorted returns the lines sorted.
func sorted(lines ...string) string {
	lines = slices.Sorted(slices.Values(lines))
	return strings.Join(lines, "\n") + "\n"
}
