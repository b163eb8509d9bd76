// Registry writes the list of all rules, or begins a new rule.
package main

import (
	"flag"
	"fmt"
	"os"

	"github.com/retryaudit/retryaudit/rules/internal/gen"
)

func main() {
	dir := flag.String("dir", ".", "`folder` of the rules")
	id := flag.String("new", "", "begin the rule with this `ID`: its file and its scenes")
	flag.Parse()
	if err := run(*dir, *id); err != nil {
		fmt.Fprintln(os.Stderr, "registry:", err)
		os.Exit(1)
	}
}

func run(dir, id string) error {
	if id != "" {
		paths, err := gen.New(dir, id)
		for _, path := range paths {
			fmt.Println("wrote", path)
		}
		if err != nil {
			return err
		}
	}
	stale, err := gen.Registry(dir, true)
	for _, path := range stale {
		fmt.Println("wrote", path)
	}
	return err
}
