package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/retryaudit/retryaudit/ingest"
)

func (c *command) formats() *cobra.Command {
	return &cobra.Command{
		Use:   "formats",
		Short: "List the formats that can be read and how to export them",
		Long: `List the formats that can be read, with the ID that reports give them and how to
export them from each backend. The format of an input is told by its content,
never by its name.

Each may be packed with gzip, zstd or bzip2, written by the Collector's file
exporter with compression zstd, and stand in tar and zip archives, also in
UTF-16 or behind a byte order mark. A folder stands for all files below it, so
the files of a rotated set are read together.`,
		Args: cobra.ExactArgs(0),
		RunE: func(*cobra.Command, []string) error {
			var b strings.Builder
			for _, f := range ingest.Formats() {
				fmt.Fprintf(&b, "%s (%s)\n", f.Name, f.ID)
				for _, line := range f.Export {
					fmt.Fprintf(&b, "  %s\n", line)
				}
			}
			fmt.Fprint(&b, "Each also packed: gzip, zstd, bzip2, tar, zip.\n")
			_, err := fmt.Fprint(c.Stdout, b.String())
			return err
		},
	}
}

// knownFormats is the hint for input of which nothing was recognised.
func knownFormats() string {
	var names []string
	for _, f := range ingest.Formats() {
		names = append(names, f.Name)
	}
	return "known are " + strings.Join(names, ", ") + "; retryaudit formats tells how to export them"
}
