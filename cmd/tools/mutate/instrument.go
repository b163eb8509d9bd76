package main

import (
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// chooser is the file added to the package: it says which site is wrong.
//
//go:embed chooser.go.txt
var chooser string

// Names that the test binaries read from their environment.
const (
	chosenVar  = "MUTATE_CHOSEN"  // the number of the site that is wrong
	reachedVar = "MUTATE_REACHED" // the file that takes the numbers of the sites reached
)

type listed struct {
	Dir, ImportPath, Export string
	GoFiles                 []string
	DepOnly                 bool
}

// instrument writes the package of a folder with all its sites built in, and
// overlay.json for the go command, into dir.
func instrument(folder, dir string) ([]Site, error) {
	p, exports, err := list(folder)
	if err != nil {
		return nil, err
	}
	fset := token.NewFileSet()
	var files []*ast.File
	var sources [][]byte
	for _, name := range p.GoFiles {
		path := filepath.Join(p.Dir, name)
		source, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		file, err := parser.ParseFile(fset, path, source, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		files, sources = append(files, file), append(sources, source)
	}
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}}
	config := types.Config{Importer: importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) {
		if exports[path] == "" {
			return nil, fmt.Errorf("no export data of %s", path)
		}
		return os.Open(exports[path])
	})}
	if _, err := config.Check(p.ImportPath, fset, files, info); err != nil {
		return nil, err
	}
	find := &finder{fset: fset, info: info, folder: folder}
	overlay := struct{ Replace map[string]string }{map[string]string{}}
	replace := func(name string, text []byte) error {
		path := filepath.Join(dir, name)
		overlay.Replace[filepath.Join(p.Dir, name)] = path
		return os.WriteFile(path, text, 0o644)
	}
	for i, file := range files {
		if ast.IsGenerated(file) {
			continue
		}
		if err := replace(p.GoFiles[i], find.file(file, sources[i])); err != nil {
			return nil, err
		}
	}
	text := strings.NewReplacer("package chooser", "package "+files[0].Name.Name, "SITES", fmt.Sprint(len(find.sites)+1)).Replace(chooser)
	if err := replace("zmutants.go", []byte(text)); err != nil {
		return nil, err
	}
	encoded, err := json.Marshal(overlay)
	if err != nil {
		return nil, err
	}
	return find.sites, os.WriteFile(filepath.Join(dir, "overlay.json"), encoded, 0o644)
}

// list asks the go command for a package and for the export data of what it
// imports.
func list(folder string) (p listed, exports map[string]string, err error) {
	out, err := output(exec.Command("go", "list", "-export", "-deps", "-json=Dir,ImportPath,Export,GoFiles,DepOnly", "./"+folder))
	if err != nil {
		return p, nil, err
	}
	exports = map[string]string{}
	for d := json.NewDecoder(strings.NewReader(out)); ; {
		var l listed
		if err := d.Decode(&l); errors.Is(err, io.EOF) {
			return p, exports, nil
		} else if err != nil {
			return p, nil, err
		}
		exports[l.ImportPath] = l.Export
		if !l.DepOnly {
			p = l
		}
	}
}

// output runs a command; its error holds what it wrote to standard error.
func output(c *exec.Cmd) (string, error) {
	var out, bad strings.Builder
	c.Stdout, c.Stderr = &out, &bad
	if err := c.Run(); err != nil {
		return "", fmt.Errorf("%s: %w\n%s%s", strings.Join(c.Args, " "), err, bad.String(), out.String())
	}
	return out.String(), nil
}
