package main

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/retryaudit/retryaudit/analyzer"
	"github.com/retryaudit/retryaudit/analyzer/report"
	"github.com/retryaudit/retryaudit/analyzer/trace"
)

// The formats of --output.
const (
	formatText = "text"
	formatJSON = "json"
	formatPart = "part"
)

func formats() []string { return []string{formatText, formatJSON, formatPart} }

// output is one thing to write; without a file it goes to standard output.
type output struct{ format, file string }

// delivery is what the commands that end in a report have in common: where the
// report goes, how it looks, and which exit status it leads to.
type delivery struct {
	specs   []string // values of --output as given
	failOn  string
	strict  bool
	width   int
	color   string
	outputs []output
	limit   analyzer.Grade // of failOn; Off is never
}

func (d *delivery) addFlags(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringArrayVarP(&d.specs, "output", "o", nil,
		"write `FORMAT[=FILE]`, to standard output without FILE; repeatable; text, json or part (default text)")
	flags.StringVar(&d.failOn, "fail-on", "never",
		"exit 1 on likely or certain findings of `SEVERITY` or above: error, warning, info or never")
	flags.BoolVar(&d.strict, "strict", false, "exit 3 if any record of the input could not be read")
	flags.IntVar(&d.width, "width", 0, "wrap the text report at `COLUMNS` (default $COLUMNS, else the terminal's width, else 80)")
	flags.StringVar(&d.color, "color", "auto", "colour the text report `WHEN`: auto, always or never; auto is on a terminal unless NO_COLOR is set")
	for flag, values := range map[string][]string{
		"output":  formats(),
		"fail-on": severities(),
		"color":   colors(),
	} {
		if err := cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoSpace)); err != nil {
			panic(err) // the flag is defined above
		}
	}
}

func severities() []string { return []string{"error", "warning", "info", "never"} }
func colors() []string     { return []string{"auto", "always", "never"} }

// check reads the flags' values before any input is touched.
func (d *delivery) check() error {
	switch d.failOn {
	case "never":
		d.limit = analyzer.Off
	case "info":
		d.limit = analyzer.Info
	case "warning":
		d.limit = analyzer.Warning
	case "error":
		d.limit = analyzer.Error
	default:
		return wrongUse(didYouMean(d.failOn, severities()), "unknown severity %q of --fail-on", d.failOn)
	}
	if !slices.Contains(colors(), d.color) {
		return wrongUse(didYouMean(d.color, colors()), "unknown value %q of --color", d.color)
	}
	if d.width < 0 {
		return wrongUse("a width is a number of columns, 0 for the terminal's own", "negative --width %d", d.width)
	}
	specs := d.specs
	if len(specs) == 0 {
		specs = []string{formatText}
	}
	taken := make(map[string]string) // file, or empty for standard output, to the spec that writes there
	for _, spec := range specs {
		o, err := parseOutput(spec)
		if err != nil {
			return err
		}
		if other, ok := taken[o.file]; ok {
			return wrongUse(fmt.Sprintf("give one of them a file of its own, such as -o %s=FILE", o.format),
				"-o %s and -o %s go to the same place", other, spec)
		}
		taken[o.file] = spec
		d.outputs = append(d.outputs, o)
	}
	return nil
}

func parseOutput(spec string) (output, error) {
	format, file, hasFile := strings.Cut(spec, "=")
	switch {
	case !slices.Contains(formats(), format):
		return output{}, wrongUse(didYouMean(format, formats()), "unknown format %q of --output", format)
	case hasFile && file == "":
		return output{}, wrongUse(fmt.Sprintf("-o %s=FILE writes to FILE, -o %s to standard output", format, format), "-o %s names no file", spec)
	case format == formatPart && !hasFile:
		return output{}, wrongUse("-o part=FILE", "a part is binary and needs a file")
	case hasFile:
		// Found out now, not after an hour of reading.
		if info, err := os.Stat(filepath.Dir(file)); err != nil {
			return output{}, wrongUse("", "-o %s: %w", spec, err)
		} else if !info.IsDir() {
			return output{}, wrongUse("", "-o %s: %s is not a folder", spec, filepath.Dir(file))
		}
	}
	return output{format, file}, nil
}

// deliver writes the outputs of a part that is not sealed yet, and returns the
// failure that its findings or its unread records lead to.
func (d *delivery) deliver(c *command, suite *analyzer.Suite, part *analyzer.Part) error {
	// A part is written before it is sealed: its open requests may have their
	// other half in another part.
	for _, o := range d.outputs {
		if o.format != formatPart {
			continue
		}
		data, err := part.MarshalBinary()
		if err != nil {
			return fmt.Errorf("encode the part: %w", err)
		}
		if err := c.write(o, data); err != nil {
			return err
		}
	}
	if !d.needsReport() {
		return nil
	}
	suite.Seal(part)
	r := suite.Report(part)
	r.Tool = analyzer.Tool{Name: "retryaudit", Version: buildVersion().Version}
	for _, o := range d.outputs {
		if o.format == formatPart {
			continue
		}
		var b bytes.Buffer
		var err error
		if o.format == formatJSON {
			err = report.JSON(&b, r)
		} else {
			err = report.Text(&b, r, d.style(c, o))
		}
		if err != nil {
			return fmt.Errorf("format %s: %w", o.format, err)
		}
		if err := c.write(o, b.Bytes()); err != nil {
			return err
		}
	}
	return d.judge(c, r)
}

// makesPart reports whether a part is written.
func (d *delivery) makesPart() bool {
	return slices.ContainsFunc(d.outputs, func(o output) bool { return o.format == formatPart })
}

// needsReport reports whether more than parts is asked for.
func (d *delivery) needsReport() bool {
	return d.limit != analyzer.Off || d.strict ||
		slices.ContainsFunc(d.outputs, func(o output) bool { return o.format != formatPart })
}

// write writes one output.
func (c *command) write(o output, data []byte) error {
	if o.file == "" {
		if _, err := c.Stdout.Write(data); err != nil {
			return &failure{status: statusInput, err: fmt.Errorf("write the report: %w", err)}
		}
		return nil
	}
	if err := os.WriteFile(o.file, data, 0o666); err != nil {
		return &failure{status: statusInput, err: fmt.Errorf("write the report: %w", err)}
	}
	return nil
}

// style is how the text looks at the place where it goes.
func (d *delivery) style(c *command, o output) report.Style {
	var to io.Writer = c.Stdout
	if o.file != "" {
		to = nil // a file is no terminal
	}
	// A file has room for everything.
	style := report.Style{Width: d.width, Color: d.color == "always", Full: o.file != ""}
	if columns, ok := c.getenv("COLUMNS"); ok && style.Width == 0 {
		style.Width, _ = strconv.Atoi(columns) // what is no number is as good as unset
	}
	if isTerminal(to) {
		if style.Width <= 0 {
			style.Width, _, _ = term.GetSize(int(to.(*os.File).Fd()))
		}
		if d.color == "auto" {
			noColor, _ := c.getenv("NO_COLOR") // no-color.org: set and not empty
			kind, _ := c.getenv("TERM")
			style.Color = noColor == "" && kind != "dumb"
		}
	}
	if style.Width <= 0 {
		style.Width = 80
	}
	style.Width = min(style.Width, maxWidth)
	return style
}

// judge turns what the report holds into the exit status. Unread input weighs
// more than findings: nobody knows what it would have said.
func (d *delivery) judge(c *command, r *analyzer.Report) error {
	if n := problems(r.Inputs); d.strict && n > 0 {
		return &failure{status: statusInput, err: fmt.Errorf("%s not readable (--strict)", plural(n, "record"))}
	}
	if d.limit == analyzer.Off {
		return nil
	}
	over := int64(0)
	for _, f := range r.Findings {
		if grade(f.Severity) >= d.limit && f.Confidence != trace.Possible.String() {
			over++
		}
	}
	if over == 0 {
		return nil
	}
	fmt.Fprintf(c.Stderr, "retryaudit: %s at or above %q (--fail-on)\n", plural(over, "finding"), d.failOn)
	return &failure{status: statusFindings}
}

func grade(severity string) analyzer.Grade {
	for g := analyzer.Error; g > analyzer.Off; g-- {
		if g.String() == severity {
			return g
		}
	}
	return analyzer.Off
}

// problems counts the records that could not be used; what only stands between
// records is none.
func problems(inputs []analyzer.Input) int64 {
	n := int64(0)
	for _, in := range inputs {
		for _, p := range in.Problems {
			if !p.Foreign {
				n += cmp.Or(p.Count, 1)
			}
		}
	}
	return n
}

// spares demands that no output is one of the inputs, which it would overwrite.
func (d *delivery) spares(paths []string) error {
	for _, o := range d.outputs {
		to, err := os.Stat(o.file)
		if o.file == "" || err != nil || !to.Mode().IsRegular() {
			continue
		}
		for _, path := range paths {
			if from, err := os.Stat(path); err == nil && os.SameFile(from, to) {
				return wrongUse("write to another file", "-o %s=%s would overwrite an input", o.format, o.file)
			}
		}
	}
	return nil
}

// maxWidth is the widest text: what is wider only costs time.
const maxWidth = 1000

// plural writes a count with its noun.
func plural(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
