package main

import (
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/retryaudit/retryaudit/rules"
)

func (c *command) rules() *cobra.Command {
	return &cobra.Command{
		Use:   "rules",
		Short: "List the rules",
		Long: `List the rules: ID, class, default severity and what each of them flags. The
class is the question that a rule asks: WHO owns the retries, IF one should
retry, WHEN, and HOW.`,
		Example: `  retryaudit rules
  retryaudit explain multiplicative-retries`,
		Args: cobra.ExactArgs(0),
		RunE: func(*cobra.Command, []string) error {
			w := tabwriter.NewWriter(c.Stdout, 0, 0, 2, ' ', 0)
			for _, rule := range rules.All() {
				about := rule.About()
				fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", about.ID, about.Concern, about.Severity, about.Title)
			}
			return w.Flush()
		},
	}
}

func ruleIDs() []string {
	var ids []string
	for _, rule := range rules.All() {
		ids = append(ids, rule.About().ID)
	}
	return ids
}
