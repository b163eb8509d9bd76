package report

import "testing"

func TestMoney(t *testing.T) {
	for micros, want := range map[int64]string{
		1: "0.000001", 12: "0.000012", 4_200: "0.0042", 9_999: "0.0100", 10_000: "0.01", 2_600_000: "2.60", 1_234_567_890: "1234.57",
	} {
		if got := money(micros); got != want {
			t.Errorf("%d: %s, want %s", micros, got, want)
		}
	}
}
