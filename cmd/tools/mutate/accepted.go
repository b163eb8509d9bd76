package main

import (
	"fmt"
	"os"
	"path"
	"slices"
	"strings"
)

// accepted is the list of survivors that may stay. Line numbers are no part of
// it, so that it holds while code moves; equal lines stand for so many equal
// places of one function.
type accepted struct {
	left map[string]int // lines by what they accept, not yet used
}

// readList reads a list; no name is an empty list.
func readList(name string) (*accepted, error) {
	a := &accepted{left: map[string]int{}}
	if name == "" {
		return a, nil
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	before := ""
	for i, line := range strings.Split(strings.TrimSuffix(string(text), "\n"), "\n") {
		key, reason, _ := strings.Cut(line, " // ")
		switch {
		case line == "" || line[0] == '#':
			continue
		case strings.Count(key, ": ") < 3:
			return nil, fmt.Errorf("%s:%d: found %q, wanted FILE: FUNCTION: KIND: CODE // REASON", name, i+1, line)
		case strings.TrimSpace(reason) == "":
			return nil, fmt.Errorf("%s:%d: found no reason, wanted ' // REASON' at the end", name, i+1)
		case line < before:
			return nil, fmt.Errorf("%s:%d: found after %q, wanted the lines sorted", name, i+1, before)
		}
		before = line
		a.left[key]++
	}
	return a, nil
}

// accepts uses up a line for a survivor.
func (a *accepted) accepts(s Site) bool {
	key := fmt.Sprintf("%s: %s: %s: %s", s.File, s.Func, s.Kind, s.Code)
	if a.left[key] == 0 {
		return false
	}
	a.left[key]--
	return true
}

// stale returns the unused lines about files of the folders, sorted.
func (a *accepted) stale(folders []string) []string {
	var lines []string
	for line, n := range a.left {
		file, _, _ := strings.Cut(line, ": ")
		if n > 0 && slices.Contains(folders, path.Dir(file)) {
			lines = append(lines, line)
		}
	}
	slices.Sort(lines)
	return lines
}
