package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/retryaudit/retryaudit/analyzer"
)

func (c *command) merge() *cobra.Command {
	var d delivery
	var config policyFlag
	cmd := &cobra.Command{
		Use:   "merge PART...",
		Short: "Make one report of parts written by analyze -o part=FILE",
		Long: `Join parts into one report, which is the same as that of all their inputs read
at once: requests whose spans lie in several parts are joined. Parts can be
merged into a part, too. They must come from the same version and the same policy.`,
		Example: `  retryaudit analyze -o part=a.part traces-a/
  retryaudit analyze -o part=b.part traces-b/
  retryaudit merge a.part b.part
  retryaudit merge -o part=all.part a.part b.part`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := d.check(); err != nil {
				return err
			}
			suite, err := c.suite(&config)
			if err != nil {
				return err
			}
			parts := make([]*analyzer.Part, 0, len(args))
			for _, path := range args {
				data, err := os.ReadFile(path)
				if err != nil {
					return &failure{status: statusInput, err: err}
				}
				part := new(analyzer.Part)
				if err := part.UnmarshalBinary(data); err != nil {
					return &failure{status: statusInput, err: fmt.Errorf("%s: %w", path, err),
						hint: "a part is written by: retryaudit analyze -o part=FILE"}
				}
				if err := suite.Fits(part); err != nil {
					return &failure{status: statusInput, err: fmt.Errorf("%s: %w", path, err), hint: "make all parts and the report with one version and one policy; here it is " + config.name()}
				}
				parts = append(parts, part)
			}
			all, err := suite.Merge(parts...)
			if err != nil {
				return &failure{status: statusInput, err: err}
			}
			return d.deliver(c, suite, all)
		},
	}
	d.addFlags(cmd)
	config.addFlags(cmd.Flags())
	return cmd
}
