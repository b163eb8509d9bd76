package main

import (
	"github.com/spf13/cobra"

	"github.com/retryaudit/retryaudit/ingest"
)

func (c *command) analyze() *cobra.Command {
	var d delivery
	var how reading
	cmd := &cobra.Command{
		Use:   "analyze [FILE|DIR|GLOB|-]...",
		Short: "Audit trace files",
		Long: `Read traces, rebuild who tried what how often, and report what the rules find.

Several files are one input: a request may have its spans in all of them. A
folder stands for the files in it, an archive for its members, - and no argument
for standard input. The format and the compression of each file are found from
its content; retryaudit formats lists what can be read.

Prompts, arguments and queries are hashed when a span is read, with a key of this
run, or of the secret in RETRYAUDIT_HASH_KEY. Parts have no key of their own, as
they are made apart: set the secret wherever they are made.

Text on standard output cuts long lists; in a FILE nothing is cut.

Exit status: 0 done, 1 findings at or above --fail-on, 2 wrong use, 3 an input
was unreadable or held no spans. A file that cannot be read does not keep the
others from being analysed.`,
		Example: `  retryaudit analyze traces.jsonl
  retryaudit analyze /var/lib/otel/traces-*.jsonl.zst
  kubectl exec otelcol -- cat /traces.jsonl | retryaudit analyze
  retryaudit analyze -o text -o json=report.json --fail-on error traces/
  retryaudit analyze -o part=a.part traces-a/    # joined later by: retryaudit merge *.part`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := d.check(); err != nil {
				return err
			}
			suite, err := c.suite(&how.policy)
			if err != nil {
				return err
			}
			if paths, _, _ := ingest.Expand(args); len(paths) > 0 {
				if err := d.spares(paths); err != nil {
					return err
				}
			}
			how.key = c.hashKey(d.makesPart())
			part, unread, err := c.read(cmd.Context(), suite, how, args)
			if err != nil {
				return err
			}
			return worse(d.deliver(c, suite, part), unread)
		},
	}
	d.addFlags(cmd)
	how.addFlags(cmd.Flags())
	return cmd
}
