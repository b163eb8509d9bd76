package rules_test

import (
	"testing"

	"github.com/retryaudit/retryaudit/rules"
	"github.com/retryaudit/retryaudit/rules/internal/gen"
)

func TestGenerated(t *testing.T) {
	registry, err := gen.Registry(".", false)
	if err != nil {
		t.Fatal(err)
	}
	pages, err := gen.Catalog(".", rules.All(), false)
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range append(registry, pages...) {
		t.Errorf("%s is stale: run make generate", path)
	}
}
