// Catalog writes the catalogue pages of all rules.
package main

import (
	"fmt"
	"os"

	"github.com/retryaudit/retryaudit/rules"
	"github.com/retryaudit/retryaudit/rules/internal/gen"
)

func main() {
	stale, err := gen.Catalog(".", rules.All(), true)
	for _, path := range stale {
		fmt.Println("wrote", path)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "catalog:", err)
		os.Exit(1)
	}
}
