package ingest

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// stdin is the argument that stands for standard input.
const stdin = "-"

// Open opens a file for reading; "-" is standard input.
func Open(path string) (io.ReadCloser, error) {
	if path == stdin {
		return io.NopCloser(os.Stdin), nil
	}
	return os.Open(path)
}

// Expand returns the files that the arguments name, each once: a file, all
// files below a folder in lexical order, all that match a pattern of
// filepath.Match, or "-". Below a folder, what begins with a dot is left out,
// as shells leave it out. What cannot be used does not keep the rest from
// being used: failed are arguments that name nothing and what cannot be read,
// left what is no file to read, such as a link to a folder, which may lead in
// circles, or a pipe, which may never end.
func Expand(args []string) (paths []string, left, failed []error) {
	e := expander{seen: make(map[string]bool)}
	for _, arg := range args {
		e.argument(arg)
	}
	return e.paths, e.left, e.failed
}

type expander struct {
	paths        []string
	seen         map[string]bool
	left, failed []error
}

func (e *expander) add(path string) {
	if !e.seen[path] {
		e.seen[path] = true
		e.paths = append(e.paths, path)
	}
}

func (e *expander) argument(arg string) {
	if arg == stdin {
		e.add(stdin)
		return
	}
	_, err := os.Stat(arg)
	if err == nil {
		e.below(arg)
		return
	}
	if !errors.Is(err, fs.ErrNotExist) || !strings.ContainsAny(arg, "*?[") {
		e.failed = append(e.failed, err)
		return
	}
	matches, err := filepath.Glob(arg)
	switch {
	case err != nil:
		e.failed = append(e.failed, fmt.Errorf("%s: %w", arg, err))
	case len(matches) == 0:
		e.failed = append(e.failed, fmt.Errorf("%s: matches no file", arg))
	}
	for _, match := range matches {
		e.below(match)
	}
}

// below adds a path, or the files below it if it is a folder.
func (e *expander) below(path string) {
	info, err := os.Stat(path)
	if err != nil {
		e.failed = append(e.failed, err)
		return
	}
	if !info.IsDir() {
		e.add(filepath.Clean(path))
		return
	}
	files, hidden := 0, 0
	// With a separator behind it, a link to a folder is the folder.
	root := strings.TrimSuffix(path, string(filepath.Separator)) + string(filepath.Separator)
	// What cannot be listed is noted, so that the walk has no error.
	_ = filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			e.failed = append(e.failed, err)
		case p != root && strings.HasPrefix(d.Name(), "."):
			hidden++
			if d.IsDir() {
				return fs.SkipDir
			}
		case d.IsDir():
		default:
			files++
			e.file(filepath.Clean(p))
		}
		return nil
	})
	if files == 0 {
		more := ""
		if hidden > 0 {
			more = " but hidden ones"
		}
		e.failed = append(e.failed, fmt.Errorf("%s: no file in this folder%s", path, more))
	}
}

// file adds a file of a folder if it is one to read.
func (e *expander) file(path string) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		e.failed = append(e.failed, err)
	case info.IsDir():
		e.left = append(e.left, fmt.Errorf("%s: a link to a folder is not followed; name it to read it", path))
	case !info.Mode().IsRegular():
		e.left = append(e.left, fmt.Errorf("%s: no regular file; name it to read it", path))
	default:
		e.add(path)
	}
}
