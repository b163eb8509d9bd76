// Package gen makes what is generated of the rules: the registry zrules.go and
// the pages of the catalogue. It also begins new rules.
//
// The registry is made of the source alone, so that it can be made while the
// package of rules does not compile; the pages need the rules themselves.
package gen

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// source is what the file of a rule says of it.
type source struct {
	id      string
	name    string // of the type
	doc     string // its comment
	options []option
}

// option is a field that a config can set.
type option struct{ key, doc string }

// parse finds the rules in the Go files of a folder, in order of ID: the types
// that have a method About.
func parse(dir string) ([]source, error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	var found []source
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		for _, decl := range file.Decls {
			about, ok := decl.(*ast.FuncDecl)
			if !ok || about.Name.Name != "About" || about.Recv == nil {
				continue
			}
			s, err := parseRule(file, about)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", path, err)
			}
			if want := strings.ReplaceAll(s.id, "-", "_") + ".go"; filepath.Base(path) != want {
				return nil, fmt.Errorf("%s: the file of %s is to be named %s", path, s.id, want)
			}
			found = append(found, s)
		}
	}
	slices.SortFunc(found, func(a, b source) int { return cmp.Compare(a.id, b.id) })
	return found, nil
}

// parseRule reads the rule of file whose method is about.
func parseRule(file *ast.File, about *ast.FuncDecl) (source, error) {
	receiver, ok := about.Recv.List[0].Type.(*ast.Ident)
	if !ok {
		return source{}, fmt.Errorf("the receiver of About is a pointer; a rule is a value")
	}
	s := source{name: receiver.Name, id: idOf(about)}
	if s.id == "" {
		return source{}, fmt.Errorf("%s.About names no ID as a constant text", s.name)
	}
	made := false
	for _, decl := range file.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			made = made || d.Recv == nil && d.Name.Name == "New"+s.name
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				t, ok := spec.(*ast.TypeSpec)
				if !ok || t.Name.Name != s.name {
					continue
				}
				s.doc = cmp.Or(t.Doc.Text(), d.Doc.Text())
				if fields, ok := t.Type.(*ast.StructType); ok {
					s.options = optionsOf(fields)
				}
			}
		}
	}
	if !made {
		return source{}, fmt.Errorf("there is no func New%s", s.name)
	}
	if s.doc == "" {
		return source{}, fmt.Errorf("%s has no comment", s.name)
	}
	return s, nil
}

// idOf finds ID: "…" in the body of a method.
func idOf(about *ast.FuncDecl) (id string) {
	ast.Inspect(about.Body, func(n ast.Node) bool {
		pair, ok := n.(*ast.KeyValueExpr)
		if !ok {
			return true
		}
		key, isName := pair.Key.(*ast.Ident)
		text, isText := pair.Value.(*ast.BasicLit)
		if isName && isText && key.Name == "ID" && text.Kind == token.STRING {
			id, _ = strconv.Unquote(text.Value) // the parser has accepted it
		}
		return true
	})
	return id
}

func optionsOf(fields *ast.StructType) []option {
	var options []option
	for _, field := range fields.Fields.List {
		if field.Tag == nil {
			continue
		}
		tag, _ := strconv.Unquote(field.Tag.Value) // the parser has accepted it
		key, _, _ := strings.Cut(reflect.StructTag(tag).Get("yaml"), ",")
		if key != "" {
			options = append(options, option{key, strings.TrimSpace(field.Doc.Text())})
		}
	}
	return options
}

// file is a generated file; its path is relative to the folder of the rules.
type file struct {
	path    string
	content []byte
}

// sync makes the folder hold the files, and of those that match the pattern
// owned no others. Without write it changes nothing. It returns the paths that
// were stale.
func sync(dir, owned string, files []file, write bool) (stale []string, err error) {
	wanted := make(map[string]bool)
	for _, f := range files {
		path := filepath.Join(dir, f.path)
		wanted[path] = true
		if have, err := os.ReadFile(path); err == nil && string(have) == string(f.content) {
			continue
		}
		stale = append(stale, path)
		if !write {
			continue
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return nil, err
		}
		if err := os.WriteFile(path, f.content, 0o666); err != nil {
			return nil, err
		}
	}
	have, err := filepath.Glob(filepath.Join(dir, owned))
	if err != nil {
		return nil, err
	}
	for _, path := range have {
		if wanted[path] {
			continue
		}
		stale = append(stale, path)
		if write {
			if err := os.Remove(path); err != nil {
				return nil, err
			}
		}
	}
	return stale, nil
}
