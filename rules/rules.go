// Package rules holds the rules, one file each. A rule is a value without
// state whose fields are its options; package ruletest runs its scenes in
// testdata/ID.txtar. The registry and the catalogue are generated.
package rules

import "embed"

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
