package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/retryaudit/retryaudit/ingest"
)

// limits is the value of --limit: the options of ingest by the names that
// problems give them.
type limits struct{ ingest.Options }

const limitUsage = `raise or lower a bound of the reader, by the NAME that a problem gives:
MaxString (16MiB), MaxDepth (32), MaxMessage (64MiB), MaxElements (262144),
MaxDecompressed (64GiB)`

func addLimits(flags *pflag.FlagSet, to *limits) { flags.Var(to, "limit", limitUsage) }

// Type is what stands behind the flag in its usage.
func (*limits) Type() string { return "NAME=SIZE" }

// String is empty: the defaults stand in the usage.
func (*limits) String() string { return "" }

// limitError says why a value of --limit is none.
type limitError string

func (e limitError) Error() string { return string(e) }

// Set takes NAME=SIZE.
func (l *limits) Set(value string) error {
	name, size, ok := strings.Cut(value, "=")
	if !ok {
		return limitError("want NAME=SIZE, such as MaxMessage=128MiB")
	}
	n, ok := parseSize(size)
	if !ok {
		return limitError(fmt.Sprintf("found %q; want a size such as 64MiB", size))
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

// parseSize reads a whole number with an optional unit of 1024, such as 64MiB.
func parseSize(text string) (n int64, ok bool) {
	digits := strings.TrimRight(text, "KMGTiBkmgtb")
	unit := strings.ToLower(text[len(digits):])
	shift := strings.Index("bkmgt", strings.TrimSuffix(strings.TrimSuffix(unit, "b"), "i"))
	if unit == "b" {
		shift = 0
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || n <= 0 || shift < 0 || n > 1<<(62-10*shift) {
		return 0, false
	}
	return n << (10 * shift), true
}
