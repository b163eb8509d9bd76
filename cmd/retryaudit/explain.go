package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/retryaudit/retryaudit/ingest/semconv"
	"github.com/retryaudit/retryaudit/rules"
)

func (c *command) explain() *cobra.Command {
	return &cobra.Command{
		Use:   "explain RULE|CODE|ATTRIBUTE",
		Short: "Say what a rule flags and how to mend it, or what is made of an error code or an attribute",
		Long: `Print the page of a rule: what it flags and why, its options with their
defaults, and a trace that it flags with the finding.

Of a provider's error code, an HTTP status or an exception, print the class it
is put into and whether a retry can help; of a span attribute or a header, what
is read from it.`,
		Example: `  retryaudit explain quota-retried
  retryaudit explain insufficient_quota
  retryaudit explain http.request.resend_count`,
		Args: cobra.ExactArgs(1),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return ruleIDs(), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error {
			page, ok := rules.Page(args[0])
			if !ok {
				page = explanation(args[0])
			}
			if page == "" {
				return wrongUse(didYouMean(args[0], ruleIDs()), "%q is no rule, no known error code and no attribute that is read", args[0])
			}
			_, err := fmt.Fprint(c.Stdout, page)
			return err
		},
	}
}

// explanation says what is made of an error code or an attribute, empty where
// it is neither.
func explanation(word string) string {
	var b strings.Builder
	if lines := semconv.ExplainCode(word); len(lines) > 0 {
		fmt.Fprintf(&b, "%s as an error is\n", printable(word))
		for _, line := range lines {
			fmt.Fprintf(&b, "  %s\n", line)
		}
		b.WriteString(`
WAIT: may be retried after a pause; CAP: within what Retry-After says and a
budget; STOP: no retry can help; UNKNOWN: nothing tells. In brackets, how sure.
What an answer says beside it (a delay, a message, other codes) may tell more.
`)
	}
	if lines := semconv.ExplainAttribute(word); len(lines) > 0 {
		if b.Len() > 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, "%s as an attribute is\n", printable(word))
		for _, line := range lines {
			fmt.Fprintf(&b, "  %s\n", line)
		}
	}
	return b.String()
}
