package analyzer

import (
	"math"
	"strings"
	"testing"
)

// TestCost holds that what tokens cost is rounded once, and bounded whatever
// the number of tokens.
func TestCost(t *testing.T) {
	s := &Settings{Prices: []Price{
		{Model: "gpt-4o-mini*", Input: 150_000, Output: 600_000}, {Model: "gpt-*", Input: 2_500_000, Output: 10_000_000}, {Model: "dear", Input: 1e12, Output: 1e12},
	}}
	for _, test := range []struct {
		model   string
		in, out int64
		want    int64
	}{
		{"gpt-4o", 1000, 10, 2600},
		{"gpt-4o-mini-2024-07-18", 1000, 10, 156},
		{"gpt-4o-mini", 3, 0, 0},
		{"gpt-4o-mini", 4, 0, 1}, // 0.6
		{"gpt-4o", math.MaxInt64, math.MaxInt64, maxCost},
		{"dear", 1e9, 0, maxCost},
		{"dear", 1000, 0, 1e9},
		{"llama", 1000, 10, 0},
		{"", 1000, 10, 0},
	} {
		if got := s.cost(test.model, test.in, test.out); got != test.want {
			t.Errorf("%q, %d in, %d out: %d, want %d", test.model, test.in, test.out, got, test.want)
		}
	}
}

func TestGlob(t *testing.T) {
	for _, test := range []struct {
		pattern, text string
		want          bool
	}{
		{"", "anything", true}, {"", "", true}, {"a", "", false}, {"*", "", true}, {"?", "", false},
		{"gpt-4*", "gpt-4o", true}, {"gpt-4*", "gpt-3", false}, {"*.example", "bank.example", true}, {"*.example", "bank.example:443", false},
		{"a*b*c", "aXbYbZc", true}, {"a*b*c", "aXbYbZ", false}, {"a?c", "abc", true}, {"a?c", "ac", false}, {"A", "a", false},
		{"GET /a/*", "GET /a/*", true}, {"[ab]", "a", false}, {"**", "a", true},
		{strings.Repeat("*a", 50), strings.Repeat("b", 5000), false},
	} {
		if got := glob(test.pattern, test.text); got != test.want {
			t.Errorf("%q fits %.20q: %v", test.pattern, test.text, got)
		}
	}
}
