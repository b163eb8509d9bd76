package ingest

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"
)

// shape is the paths of names that the objects of a JSON input have, with dots
// between names: {"data":[{"spans":[]}]} has "data" and "data.spans". Arrays
// add nothing to a path.
type shape map[string]bool

// maxShape is how many levels of names a shape has: {"trace":{"spans":{ID:{…}}}}
// is the deepest that a format is told by.
const maxShape = 5

// shapeOf returns the shape of what b begins with, as far as b goes.
func shapeOf(b []byte) shape {
	s := shape{}
	dec := jsontext.NewDecoder(bytes.NewReader(b), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	var path []string // of each object that is open, the name at hand last
	var prefix []byte
	for {
		// Within an object, names and values take turns.
		kind, length := dec.StackIndex(dec.StackDepth())
		isName := kind == '{' && length%2 == 0
		if len(path) >= maxShape && dec.PeekKind() == '{' {
			if dec.SkipValue() != nil {
				return s
			}
			continue
		}
		t, err := dec.ReadToken()
		if err != nil {
			return s
		}
		switch {
		case t.Kind() == '{':
			path = append(path, "")
		case t.Kind() == '}':
			path = path[:len(path)-1]
		case isName:
			path[len(path)-1] = t.String()
			prefix = prefix[:0]
			for i, name := range path {
				if i > 0 {
					prefix = append(prefix, '.')
				}
				prefix = append(prefix, name...)
			}
			if !s[string(prefix)] {
				s[string(prefix)] = true
			}
		}
	}
}

func (s shape) all(paths ...string) bool {
	for _, p := range paths {
		if !s[p] {
			return false
		}
	}
	return true
}

func (s shape) any(paths ...string) bool {
	for _, p := range paths {
		if s[p] {
			return true
		}
	}
	return false
}
