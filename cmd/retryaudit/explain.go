package main

import (
	"cmp"
	"embed"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/retryaudit/retryaudit/analyzer"
	"github.com/retryaudit/retryaudit/analyzer/policy"
	"github.com/retryaudit/retryaudit/analyzer/report"
	"github.com/retryaudit/retryaudit/ingest/semconv"
	"github.com/retryaudit/retryaudit/rules"
)

func (c *command) explain() *cobra.Command {
	return &cobra.Command{
		Use:   "explain RULE|CODE|ATTRIBUTE|LIBRARY|PAGE",
		Short: "Say what a rule flags, what a code or an attribute means, or which setting limits a library's retries",
		Long: `Print the page of a rule: what it flags and why, its options with their
defaults, and a trace that it flags with the finding.

Of a provider's error code, an HTTP status or an exception, print the class it
is put into and whether a retry can help; of a span attribute or a header, what
is read from it; of a client library, a gateway or a queue, the setting that
limits its retries, with its default and where that is written.

There are pages on the policy file (policy) and on what is found and what stays
unseen (coverage), and the JSON Schemas of policy and report.`,
		Example: `  retryaudit explain quota-retried
  retryaudit explain insufficient_quota
  retryaudit explain http.request.resend_count
  retryaudit explain openai-node
  retryaudit explain policy
  retryaudit explain policy.schema.json > policy.schema.json`,
		Args: cobra.ExactArgs(1),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return ruleIDs(), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error {
			page, ok := rules.Page(args[0])
			if !ok {
				page = topic(args[0])
			}
			if page == "" {
				page = explanation(args[0])
			}
			if page == "" {
				return wrongUse(hintFor(args[0]), "%q is no rule, no known error code, no attribute that is read and no known library", args[0])
			}
			_, err := fmt.Fprint(c.Stdout, page)
			return err
		},
	}
}

//go:embed docs/*.md
var docs embed.FS

// topic returns a page that is none of a rule, empty where there is none.
func topic(name string) string {
	switch name {
	case "policy.schema.json":
		return string(policy.Schema(rules.All()))
	case "report.schema.json":
		return string(report.Schema())
	}
	page, err := docs.ReadFile("docs/" + name + ".md")
	if err != nil {
		return ""
	}
	return string(page)
}

// hintFor lists the libraries whose names contain the word, else what rule may
// have been meant.
func hintFor(word string) string {
	var names []string
	for _, k := range analyzer.Knobs() {
		if strings.Contains(strings.ToLower(k.Library), strings.ToLower(word)) {
			names = append(names, k.Library)
		}
	}
	if len(names) > 0 {
		return "known: " + few(names)
	}
	return didYouMean(word, ruleIDs())
}

// explanation says what is made of an error code, an attribute or a library,
// empty where it is none of these.
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
	for _, k := range analyzer.KnobsOf(word) {
		if b.Len() > 0 {
			b.WriteString("\n")
		}
		writeKnob(&b, word, k)
	}
	return b.String()
}

// writeKnob says what is known of the setting that limits a library's retries.
func writeKnob(b *strings.Builder, word string, k analyzer.Knob) {
	fmt.Fprintf(b, "%s as an owner of retries", printable(word))
	if k.Layer != "" {
		fmt.Fprintf(b, " in the layer %s", k.Layer)
	}
	b.WriteString(" is\n")
	for _, l := range [...]struct{ name, text string }{
		{"limited by", k.Setting},
		{"by default", cmp.Or(k.Default, k.Value, "unknown")},
		{"turned off", cmp.Or(k.Off, "unknown how")},
		{"Retry-After", cmp.Or(k.RetryAfter, "unknown")},
		{"source", k.Source},
	} {
		fmt.Fprintf(b, "  %-12s %s\n", l.name, l.text)
	}
}
