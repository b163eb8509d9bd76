// Package rules holds the rules, one file each. A rule is a value without
// state whose fields are its options; package ruletest runs its scenes in
// testdata/ID.txtar. The registry and the catalogue are generated.
package rules

import (
	"embed"
	"fmt"
)

//go:generate go run ./internal/gen/registry
//go:generate go run ./internal/gen/catalog

//go:embed catalog/*.md
var catalog embed.FS

// Page returns the catalogue page of a rule in Markdown; false where there is
// no such rule.
func Page(id string) (string, bool) {
	page, err := catalog.ReadFile("catalog/" + id + ".md")
	return string(page), err == nil
}

// A portion is an option from 0 to 1.
type portion struct {
	name  string
	value float64
}

// shares demands of options that they are shares: 20 would be meant as a
// percentage, and silence its rule.
func shares(all ...portion) error {
	for _, s := range all {
		if !(s.value >= 0 && s.value <= 1) {
			return fmt.Errorf("found %v for %s, want a share from 0 to 1", s.value, s.name)
		}
	}
	return nil
}
