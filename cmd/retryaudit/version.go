package main

import (
	"encoding/json"
	"fmt"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// build is what is known of the binary. Unknown fields are empty.
type build struct {
	Name     string `json:"name"`
	Version  string `json:"version"`
	Commit   string `json:"commit"`
	Time     string `json:"time"` // of the commit
	Modified bool   `json:"modified"`
	Go       string `json:"go"`
}

// buildVersion reads what the Go linker recorded in the binary.
func buildVersion() build {
	b := build{Name: "retryaudit", Version: "(devel)"}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	b.Go = info.GoVersion
	if info.Main.Version != "" {
		b.Version = info.Main.Version
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Commit = s.Value
		case "vcs.time":
			b.Time = s.Value
		case "vcs.modified":
			b.Modified = s.Value == "true"
		}
	}
	return b
}

func (c *command) version() *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version and the commit it was built from",
		Example: `  retryaudit version
  retryaudit version -o json`,
		Args: cobra.ExactArgs(0),
		RunE: func(*cobra.Command, []string) error {
			b := buildVersion()
			switch format {
			case formatJSON:
				return json.NewEncoder(c.Stdout).Encode(b)
			case formatText:
			default:
				return wrongUse(didYouMean(format, []string{formatText, formatJSON}), "unknown format %q of --output", format)
			}
			fmt.Fprintf(c.Stdout, "retryaudit %s\n", b.Version)
			if b.Commit != "" {
				modified := ""
				if b.Modified {
					modified = ", modified"
				}
				fmt.Fprintf(c.Stdout, "commit %s of %s%s\n", b.Commit, b.Time, modified)
			}
			fmt.Fprintf(c.Stdout, "built with %s\n", b.Go)
			return nil
		},
	}
	cmd.Flags().StringVarP(&format, "output", "o", formatText, "`FORMAT`: text or json")
	return cmd
}
