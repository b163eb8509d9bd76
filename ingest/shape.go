package ingest

import (
	"bytes"
	"io"
	"iter"

	"github.com/go-json-experiment/json/jsontext"
)

// shape is the paths of names that a JSON record has, with dots between names:
// {"data":[{"spans":[]}]} has "data" and "data.spans". Arrays add nothing to a
// path.
type shape map[string]bool

const (
	// maxShape is how many levels of names a shape has:
	// {"trace":{"spans":{ID:{…}}}} is the deepest that a format is told by.
	maxShape = 5
	// maxShapeName is how long a name may be that tells a format.
	maxShapeName = 64
	// maxShapePaths is how many paths a shape has; maxRecords how many records
	// are looked at.
	maxShapePaths = 4096
	maxRecords    = 1 << 13
)

// shapes yields the shape of each record that b holds, as far as b goes, and
// goes on behind what is none.
func shapes(b []byte) iter.Seq[shape] {
	return func(yield func(shape) bool) {
		for range maxRecords {
			s, n, err := shapeOf(b)
			if len(s) > 0 && !yield(s) {
				return
			}
			if err == nil {
				b = b[n:]
				continue
			}
			next := bytes.Index(b[min(n, len(b)):], []byte("\n{"))
			if err == io.EOF || next < 0 {
				return
			}
			b = b[min(n, len(b))+next+1:]
		}
	}
}

// shapeOf returns the shape of the first record of b and its length, or how
// far b could be read.
func shapeOf(b []byte) (s shape, n int, err error) {
	s = shape{}
	dec := jsontext.NewDecoder(bytes.NewBuffer(b), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	var path []string // of each object that is open, the name at hand last
	var prefix []byte
	for {
		// Within an object, names and values take turns.
		kind, length := dec.StackIndex(dec.StackDepth())
		isName := kind == '{' && length%2 == 0
		if dec.PeekKind() == '{' && (len(path) >= maxShape || len(s) >= maxShapePaths || len(path) > 0 && len(path[len(path)-1]) > maxShapeName) {
			err = dec.SkipValue()
		} else {
			var t jsontext.Token
			if t, err = dec.ReadToken(); err == nil {
				switch {
				case t.Kind() == '{':
					path = append(path, "")
				case t.Kind() == '}':
					path = path[:len(path)-1]
				case isName && len(s) < maxShapePaths:
					path[len(path)-1] = t.String()
					prefix = prefix[:0]
					for i, name := range path {
						if i > 0 {
							prefix = append(prefix, '.')
						}
						prefix = append(prefix, name[:min(len(name), maxShapeName+1)]...)
					}
					if !s[string(prefix)] {
						s[string(prefix)] = true
					}
				case isName:
					path[len(path)-1] = ""
				}
			}
		}
		n = int(dec.InputOffset())
		if err != nil || dec.StackDepth() == 0 {
			return s, n, err
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
