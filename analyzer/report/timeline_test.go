package report

import "testing"

func TestDuration(t *testing.T) {
	for ms, want := range map[int64]string{0: "0ms", 999: "999ms", 1000: "1s", 1449: "1.4s", 59949: "59.9s", 59950: "1m00s", 125000: "2m05s", 3599999: "1h00m", 3720000: "1h02m", -1500: "-1.5s"} {
		if got := duration(ms); got != want {
			t.Errorf("duration(%d) = %q, want %q", ms, got, want)
		}
	}
}
