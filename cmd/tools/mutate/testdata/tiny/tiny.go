// Package tiny has a mutant of each kind. Its tests look away from some.
package tiny

const most = 3 + 4 // a constant stays as it is

// Clamp returns n, at most most and at least 0.
func Clamp(n int) int {
	if n > most { // as >=: the same
		return most
	}
	if n < 0 { // never tested below 0
		return 0
	}
	return n
}

// Both reports whether exactly the first two hold.
func Both(a, b, c bool) bool {
	return a && b && !c
}

// Kind names a sum.
func Kind(a, b int) string {
	switch {
	case a+b == 0:
		return "zero"
	}
	switch a {
	case most - 1, most + 1:
		return "near"
	}
	return "other"
}

// Count counts down.
func Count(n int) (steps int) {
	for ; n != 0; n = n - 1 { // the other way it takes for ever
		steps++
	}
	return steps
}

func unused(a, b string) bool { return a+"x" == b }
