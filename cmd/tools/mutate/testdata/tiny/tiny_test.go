package tiny

import "testing"

func TestClamp(t *testing.T) {
	for n, want := range map[int]int{9: 7, 7: 7, 3: 3} {
		if got := Clamp(n); got != want {
			t.Errorf("Clamp(%d) = %d, want %d", n, got, want)
		}
	}
}

func TestBoth(t *testing.T) {
	for _, c := range []struct{ a, b, c, want bool }{{true, true, false, true}, {false, true, false, false}, {true, true, true, false}} {
		if got := Both(c.a, c.b, c.c); got != c.want {
			t.Errorf("Both(%v) = %v", c, got)
		}
	}
}

func TestKind(t *testing.T) {
	if Kind(1, -1) != "zero" || Kind(6, 0) != "near" || Kind(1, 1) != "other" {
		t.Error("wrong kind")
	}
}

func TestCount(t *testing.T) {
	if Count(3) != 3 {
		t.Error("wrong count")
	}
}
