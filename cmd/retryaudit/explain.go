package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/retryaudit/retryaudit/rules"
)

func (c *command) explain() *cobra.Command {
	return &cobra.Command{
		Use:   "explain RULE",
		Short: "Say what a rule flags, why, and how to mend it",
		Long: `Print the page of a rule: what it flags and why, its options with their
defaults, and a trace that it flags with the finding.`,
		Example: `  retryaudit explain quota-retried`,
		Args:    cobra.ExactArgs(1),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return ruleIDs(), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error {
			page, ok := rules.Page(args[0])
			if !ok {
				return wrongUse(didYouMean(args[0], ruleIDs()), "unknown rule %q", args[0])
			}
			_, err := fmt.Fprint(c.Stdout, page)
			return err
		},
	}
}
