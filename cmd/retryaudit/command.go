package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"

	"github.com/retryaudit/retryaudit/analyzer/spell"
)

// The exit statuses. The format of the output never changes them.
const (
	statusFindings = 1 // findings at or above --fail-on
	statusUsage    = 2 // wrong use
	statusInput    = 3 // input unreadable, or nothing to analyse
)

// command is the tool as a value, like exec.Cmd: it touches no stream and no
// environment but its own. Reports go to Stdout, everything else to Stderr.
type command struct {
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Env            []string // as os.Environ returns it
}

// failure is an error that knows its exit status and what to do about it.
type failure struct {
	status int
	err    error  // nil where all has been said already
	hint   string // may be empty
}

func (f *failure) Error() string {
	if f.err == nil {
		return ""
	}
	return f.err.Error()
}

func (f *failure) Unwrap() error { return f.err }

// worse returns the one of two ends of a run that weighs more.
func worse(a, b error) error {
	var f *failure
	if b == nil || a != nil && (!errors.As(a, &f) || f.status >= statusInput) {
		return a
	}
	return b
}

// wrongUse is the failure of a command line that cannot be meant.
func wrongUse(hint, format string, args ...any) *failure {
	return &failure{status: statusUsage, err: fmt.Errorf(format, args...), hint: hint}
}

// Run executes the command line and returns the exit status.
func (c *command) Run(ctx context.Context, args []string) int {
	root := c.root()
	root.SetArgs(args)
	root.SetIn(c.Stdin)
	root.SetOut(c.Stdout)
	root.SetErr(c.Stderr)
	at, err := root.ExecuteContextC(ctx)
	if err == nil {
		return 0
	}
	var f *failure
	if !errors.As(err, &f) {
		// Only cobra makes errors of another type: wrong numbers of arguments.
		f = wrongUse("usage: "+at.UseLine(), "%w", err)
	}
	if f.err != nil {
		c.sayError(f.err, f.hint)
	}
	return f.status
}

// sayError is the terminal's voice for what went wrong: one line, then what to
// do about it.
func (c *command) sayError(err error, hint string) {
	// Names of files and texts of traces are anybody's: they must not steer the
	// terminal.
	fmt.Fprintf(c.Stderr, "retryaudit: error: %s\n", printable(err.Error()))
	if hint != "" {
		fmt.Fprintf(c.Stderr, "retryaudit: hint: %s\n", printable(hint))
	}
}

func (c *command) sayWarning(format string, args ...any) {
	fmt.Fprintf(c.Stderr, "retryaudit: warning: %s\n", printable(fmt.Sprintf(format, args...)))
}

// sayNote says what is as it should be and may surprise.
func (c *command) sayNote(format string, args ...any) {
	fmt.Fprintf(c.Stderr, "retryaudit: note: %s\n", printable(fmt.Sprintf(format, args...)))
}

// getenv returns the last value of an environment variable, as execve leaves
// it, and whether it is set.
func (c *command) getenv(name string) (string, bool) {
	for _, entry := range slices.Backward(c.Env) {
		if value, ok := strings.CutPrefix(entry, name+"="); ok {
			return value, true
		}
	}
	return "", false
}

// isTerminal reports whether a stream is a terminal; what is no file is none.
func isTerminal(stream io.Writer) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

func (c *command) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "retryaudit",
		Short: "Who retried, how often, should they have, and which setting to change",
		Long: `Retryaudit reads OpenTelemetry traces and answers four questions about every
request in them: who retried, how many upstream calls that made, should they
have, and which setting to change.`,
		Example: `  retryaudit analyze traces.jsonl        audit one file
  retryaudit show 4f2a91 traces.jsonl    the attempt tree of one request
  retryaudit explain quota-retried       what a finding means and how to fix it`,
		Version:       buildVersion().Version,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.ArbitraryArgs,
		RunE:          c.needsCommand,
	}
	root.SetFlagErrorFunc(flagError)
	root.AddCommand(c.analyze(), c.show(), c.rules(), c.explain(), c.formats(), c.merge(), c.version())
	root.SetHelpCommand(c.help())
	root.InitDefaultCompletionCmd()
	for _, sub := range root.Commands() {
		if sub.Name() == "completion" { // cobra's own takes any word for a call for help
			sub.Args, sub.RunE = cobra.ArbitraryArgs, c.needsCommand
		}
	}
	return root
}

// needsCommand is what a command does that is nothing without one below it.
func (c *command) needsCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		fmt.Fprint(c.Stderr, strings.TrimSpace(cmd.Long), "\n\n", cmd.UsageString())
		return &failure{status: statusUsage}
	}
	var names []string
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() {
			names = append(names, sub.Name())
		}
	}
	return wrongUse(didYouMean(args[0], names), "unknown command %q", args[0])
}

func (c *command) help() *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Help about any command",
		RunE: func(cmd *cobra.Command, args []string) error {
			about, rest, err := cmd.Root().Find(args)
			if err != nil {
				return err
			}
			if len(rest) > 0 {
				return c.needsCommand(about, rest)
			}
			return about.Help()
		},
	}
}

// flagError names the nearest flag where one is unknown.
func flagError(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	var invalid *pflag.InvalidValueError
	var limit limitError
	if errors.As(err, &limit) {
		errors.As(err, &invalid)
		return wrongUse(limit.Error(), "%q is no value for --limit", invalid.GetValue())
	}
	if errors.As(err, &invalid) {
		return wrongUse(seeHelp(cmd), "%q is no value for --%s", invalid.GetValue(), invalid.GetFlag().Name)
	}
	if errors.As(err, &unknown) && unknown.GetSpecifiedShortnames() == "" {
		var names []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
		hint := seeHelp(cmd)
		if near := spell.Nearest(unknown.GetSpecifiedName(), names); near != "" {
			hint = fmt.Sprintf("did you mean --%s?", near)
		}
		return wrongUse(hint, "unknown flag --%s of %q", unknown.GetSpecifiedName(), cmd.CommandPath())
	}
	return wrongUse(seeHelp(cmd), "%w", err)
}

func seeHelp(cmd *cobra.Command) string { return "see " + cmd.CommandPath() + " --help" }
