package main

import (
	"fmt"
	"strings"

	"github.com/retryaudit/retryaudit/analyzer/spell"
)

// didYouMean is a hint that names the nearest of the known names, or lists
// them where none is near.
func didYouMean(name string, known []string) string {
	if near := spell.Nearest(name, known); near != "" {
		return fmt.Sprintf("did you mean %q?", near)
	}
	return "known: " + few(known)
}

// few lists the first names.
func few(names []string) string {
	const most = 10
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}
