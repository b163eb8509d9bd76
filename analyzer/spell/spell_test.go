package spell

import "testing"

func TestNearest(t *testing.T) {
	known := []string{"analyze", "explain", "merge", "rules"}
	for name, want := range map[string]string{
		"analize": "analyze", "expalin": "explain", "rule": "rules", "mergee": "merge", "xyzzy": "", "": "", "analyze": "analyze",
	} {
		if got := Nearest(name, known); got != want {
			t.Errorf("Nearest(%q) = %q, want %q", name, got, want)
		}
	}
}
