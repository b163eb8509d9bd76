package ingest

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
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
// filepath.Match, or "-". Below a folder, files and folders whose names begin
// with a dot are left out, as shells leave them out. An argument that names
// nothing is an error.
func Expand(args []string) ([]string, error) {
	out := []string{}
	for _, arg := range args {
		paths, err := expand(arg)
		if err != nil {
			return nil, err
		}
		for _, path := range paths {
			if !slices.Contains(out, path) {
				out = append(out, path)
			}
		}
	}
	return out, nil
}

func expand(arg string) ([]string, error) {
	if arg == stdin {
		return []string{stdin}, nil
	}
	_, err := os.Stat(arg)
	if err == nil {
		return files(arg)
	}
	if !errors.Is(err, fs.ErrNotExist) || !strings.ContainsAny(arg, "*?[") {
		return nil, err
	}
	matches, err := filepath.Glob(arg)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", arg, err)
	}
	if len(matches) == 0 {
		return nil, fmt.Errorf("%s: matches no file", arg)
	}
	out := []string{}
	for _, match := range matches {
		below, err := files(match)
		if err != nil {
			return nil, err
		}
		out = append(out, below...)
	}
	return out, nil
}

// files returns path, or the files below it if it is a folder.
func files(path string) ([]string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return []string{filepath.Clean(path)}, nil
	}
	out := []string{}
	err = filepath.WalkDir(path, func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case p != path && strings.HasPrefix(d.Name(), "."):
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		case d.IsDir():
			return nil
		case d.Type()&fs.ModeSymlink != 0:
			// A link to a folder is not followed: it may lead in circles.
			target, err := os.Stat(p)
			if err != nil {
				return err
			}
			if target.IsDir() {
				return nil
			}
		}
		out = append(out, p)
		return nil
	})
	if err == nil && len(out) == 0 {
		err = fmt.Errorf("%s: no file in this folder", path)
	}
	return out, err
}
