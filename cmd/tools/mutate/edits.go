package main

import (
	"bytes"
	"cmp"
	"slices"
)

// edits are changes of a text, recorded from the outermost expression inwards.
type edits struct{ all []edit }

type edit struct {
	at, length int // bytes that the text takes the place of
	text       string
	order      int // of those at one offset
}

// wrap puts text around the bytes from start to before end.
func (e *edits) wrap(start, end int, before, after string) {
	n := len(e.all) + 1
	e.all = append(e.all, edit{at: start, text: before, order: n}, edit{at: end, text: after, order: -n})
}

// replace puts text in the place of bytes.
func (e *edits) replace(at, length int, text string) {
	e.all = append(e.all, edit{at: at, length: length, text: text})
}

// apply returns the changed text. At one offset what was opened last is closed
// first, before anything opens.
func (e *edits) apply(source []byte) []byte {
	slices.SortStableFunc(e.all, func(a, b edit) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.order, b.order))
	})
	var out bytes.Buffer
	at := 0
	for _, c := range e.all {
		out.Write(source[at:c.at])
		out.WriteString(c.text)
		at = c.at + c.length
	}
	out.Write(source[at:])
	return out.Bytes()
}
