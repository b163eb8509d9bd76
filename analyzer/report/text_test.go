package report_test

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/charmbracelet/lipgloss"
	"github.com/google/go-cmp/cmp"

	"github.com/retryaudit/retryaudit/analyzer"
	"github.com/retryaudit/retryaudit/analyzer/report"
)

var update = flag.Bool("update", false, "write the golden files")

// golden compares got with testdata/name.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Errorf("%s (-want +got):\n%s", path, d)
	}
}

// text returns what Text writes.
func text(t *testing.T, r *analyzer.Report, o report.Style) string {
	t.Helper()
	var b strings.Builder
	if err := report.Text(&b, r, o); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestTextGolden(t *testing.T) {
	for name, r := range reports() {
		if name == "hostile" {
			continue // judged by TestTextLines
		}
		for _, width := range []int{60, 80, 120} {
			if name == "many" && width != 80 {
				continue // three files too long to read show no more than one
			}
			golden(t, fmt.Sprintf("%s-%d.golden", name, width), text(t, r, report.Style{Width: width}))
		}
	}
	golden(t, "eighteen-80-color.golden", text(t, eighteenReport(), report.Style{Color: true}))
	golden(t, "blind-80-color.golden", text(t, blindReport(), report.Style{Color: true}))
	golden(t, "eighteen-80-full.golden", text(t, eighteenReport(), report.Style{Full: true}))
}

// Whatever the report holds, lines fit, end without spaces and hold no control
// characters, colour adds nothing but colour, and the report stays as it was.
func TestTextLines(t *testing.T) {
	codes := regexp.MustCompile("\x1b\\[[0-9;]*m")
	for name, r := range reports() {
		for width := 40; width < 150; width += 3 {
			for _, full := range []bool{false, true} {
				got := text(t, r, report.Style{Width: width, Full: full})
				for i, line := range strings.Split(got, "\n") {
					at := fmt.Sprintf("%s at width %d, line %d: %q", name, width, i+1, line)
					if w := lipgloss.Width(line); w > width {
						t.Errorf("%s: %d columns", at, w)
					}
					if strings.TrimRight(line, " \t") != line {
						t.Errorf("%s: trailing space", at)
					}
					if strings.ContainsFunc(line, func(c rune) bool { return c < ' ' || c >= 0x7f && c < 0xa0 || c == 0x202e }) {
						t.Errorf("%s: control character", at)
					}
				}
				colored := text(t, r, report.Style{Width: width, Full: full, Color: true})
				if plain := codes.ReplaceAllString(colored, ""); plain != got {
					t.Errorf("%s at width %d: colour changes the text:\n%s", name, width, cmp.Diff(got, plain))
				}
				if strings.Contains(got, "\n\n\n") {
					t.Errorf("%s at width %d: two blank lines", name, width)
				}
			}
		}
		if d := cmp.Diff(reports()[name], r); d != "" {
			t.Errorf("%s: Text changed the report:\n%s", name, d)
		}
	}
}

// IDs and settings are for copying: no width of ours breaks them.
func TestTextUnbroken(t *testing.T) {
	for width := 40; width < 130; width++ {
		got := text(t, eighteenReport(), report.Style{Width: width})
		for _, want := range []string{"4bf92f3577b34da6a3ce929d0e0e4736", "req-7f3a91", "traces/checkout.jsonl:12", "OpenAI(max_retries=0)",
			"multiplicative-retries", `"api.openai.com"`} {
			if !strings.Contains(got, want) {
				t.Errorf("width %d: %q is broken or missing in\n%s", width, want, got)
			}
		}
	}
}

func TestTextProduct(t *testing.T) {
	got := text(t, eighteenReport(), report.Style{Width: 100})
	if want := "agent 2 × sdk 3 × gateway 3 = 18 upstream attempts for one logical request\n"; !strings.Contains(got, want) {
		t.Errorf("no %q in\n%s", want, got)
	}
	r := eighteenReport()
	r.Findings[0].Attempts = 17
	got = text(t, r, report.Style{Width: 100})
	if want := "  17 upstream attempts for one logical request; at most agent 2, sdk 3, gateway 3\n"; !strings.Contains(got, want) || strings.Contains(got, "=17") {
		t.Errorf("no %q in\n%s", want, got)
	}
}

// A report that judged nothing must not look like one that found nothing.
func TestTextBlindIsNotClean(t *testing.T) {
	clean := cleanReport()
	noCoverage, noSpans, broken := cleanReport(), cleanReport(), problemsReport()
	noCoverage.Coverage, noSpans.Stats.Spans = nil, 0
	if got := text(t, clean, report.Style{}); !strings.Contains(got, "\nNo findings. ") {
		t.Errorf("clean report:\n%s", got)
	}
	for name, r := range map[string]*analyzer.Report{"blind": blindReport(), "no coverage": noCoverage, "no spans": noSpans, "broken": broken, "zero": {}} {
		if got := text(t, r, report.Style{}); strings.Contains(got, "No findings. ") || strings.Contains(got, "No findings.\n") {
			t.Errorf("%s looks clean:\n%s", name, got)
		}
	}
}

// failing is a writer that fails.
type failing struct{}

var errFull = errors.New("disk full")

func (failing) Write([]byte) (int, error) { return 0, errFull }

func TestWriteErrors(t *testing.T) {
	if err := report.Text(failing{}, cleanReport(), report.Style{}); !errors.Is(err, errFull) {
		t.Errorf("Text: %v", err)
	}
	if err := report.JSON(failing{}, cleanReport()); !errors.Is(err, errFull) {
		t.Errorf("JSON: %v", err)
	}
}
