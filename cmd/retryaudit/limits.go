package main

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/retryaudit/retryaudit/ingest"
)

// limits is the value of --limit: the options of ingest by the names that
// problems give them.
type limits struct{ ingest.Options }

const limitUsage = `raise or lower a bound of the reader, by the NAME that a problem gives:
MaxString (16MiB), MaxDepth (32), MaxMessage (64MiB), MaxElements (262144),
MaxDecompressed (64GiB)`

// Type is what stands behind the flag in its usage.
func (*limits) Type() string { return "NAME=SIZE" }

// String is empty: the defaults stand in the usage.
func (*limits) String() string { return "" }

// limitError says why a value of --limit is none.
type limitError string

func (e limitError) Error() string { return string(e) }

// Set takes NAME=SIZE.
func (l *limits) Set(arg string) error {
	name, value, ok := strings.Cut(arg, "=")
	if !ok {
		return limitError("want NAME=SIZE, such as MaxMessage=128MiB")
	}
	n, ok := parseSize(value)
	if !ok {
		return limitError(fmt.Sprintf("found %q; want a size such as 64MiB", value))
	}
	var names []string
	for _, known := range []struct {
		name string
		set  func()
	}{
		{"MaxString", func() { l.MaxString = int(n) }},
		{"MaxDepth", func() { l.MaxDepth = int(n) }},
		{"MaxMessage", func() { l.MaxMessage = int(n) }},
		{"MaxElements", func() { l.MaxElements = int(n) }},
		{"MaxDecompressed", func() { l.MaxDecompressed = n }},
	} {
		if strings.EqualFold(name, known.name) {
			known.set()
			return nil
		}
		names = append(names, known.name)
	}
	return limitError(didYouMean(name, names))
}

// sizeForm is a whole number with an optional unit of 1024, such as 64MiB.
var sizeForm = regexp.MustCompile(`^(?i)([0-9]+)([kmgt]?)(i?b)?$`)

func parseSize(text string) (n int64, ok bool) {
	m := sizeForm.FindStringSubmatch(text)
	if m == nil || m[2] == "" && strings.EqualFold(m[3], "ib") {
		return 0, false
	}
	shift := 10 * strings.Index(" kmgt", strings.ToLower(m[2]))
	if m[2] == "" {
		shift = 0
	}
	n, err := strconv.ParseInt(m[1], 10, 64)
	if err != nil || n <= 0 || n > 1<<(62-shift) {
		return 0, false
	}
	return n << shift, true
}
