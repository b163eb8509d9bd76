package semconv

import (
	"strings"
	"testing"
	"time"

	"github.com/retryaudit/retryaudit/analyzer/trace"
)

// TestNames reads what a user's own names hold: as attributes, as captured
// headers in the spellings of instrumentations, before the names of the tables.
func TestNames(t *testing.T) {
	store := trace.NewStore()
	n := New(store, Key{})
	n.Use(Names{
		RequestIDs:  []string{"X-Order"},
		Attempts:    []AttemptName{{Name: "acme.try", First: 1}, {Name: "x-acme-try"}},
		MaxAttempts: []string{"acme.most"},
		Deadlines: []DeadlineName{
			{Name: "acme.budget", Unit: time.Second}, {Name: "acme.until", Unit: time.Millisecond, Point: true},
			{Name: "acme.until_s", Unit: time.Second, Point: true}, {Name: "acme.date", Point: true},
		},
	})
	for _, test := range []struct {
		name, record  string
		attempt, most int32
		received      bool
		deadline      time.Duration
		order         string
		direction     trace.Dir
	}{
		{"attributes", "client POST\n  acme.try = 3\n  acme.most = 4\n  acme.budget = 1.5\n  X-Order = a1", 2, 4, false, 1500 * time.Millisecond, "a1", trace.Sent},
		{"headers", "server POST\n  http.request.header.x-acme-try = [\"2\"]\n  http.request.header.x_order = [\"a2\"]", 2, 0, true, 0, "a2", trace.Received},
		{"a server's own number", "server POST\n  acme.try = 2", 1, 0, false, 0, "", 0},
		{"the first that is listed", "client POST\n  x-acme-try = 7\n  acme.try = 3\n  acme.budget = 2", 2, 0, false, 2 * time.Second, "", 0},
		{"the first that can be read", "client POST\n  acme.try = x\n  x-acme-try = 7", 7, 0, false, 0, "", 0},
		{"no whole number", "client POST\n  acme.try = 2.5\n  acme.most = 3.5", 0, 0, false, 0, "", 0},
		{"before the tables", "client POST\n  acme.try = 2\n  http.request.resend_count = 4", 1, 0, false, 0, "", 0},
		{"below the first", "client POST\n  acme.try = 0\n  http.request.resend_count = 4", 4, 0, false, 0, "", 0},
		{"no numbers", "client POST\n  acme.try = soon\n  acme.most = -1\n  acme.budget = never", 0, 0, false, 0, "", 0},
	} {
		n.Add(parseRecord(t, strings.Split(test.record, "\n")), 0)
		s := &store.Spans[len(store.Spans)-1]
		f := store.FactsOf(s)
		if f == nil {
			f = &trace.Facts{}
		}
		if f.Counter.N != test.attempt || f.Counter.Received != test.received || f.DeclaredMax != test.most || f.Deadline.D != test.deadline {
			t.Errorf("%s: %+v, at most %d, deadline %v", test.name, f.Counter, f.DeclaredMax, f.Deadline.D)
		}
		switch {
		case test.order == "" && len(f.Keys) == 0:
		case len(f.Keys) != 1 || store.Text(f.Keys[0].ID) != test.order || f.Keys[0].Dir != test.direction:
			t.Errorf("%s: keys %+v", test.name, f.Keys)
		}
	}
}

// TestPointsInTime reads deadlines that are points in time, and none that are
// further away than any deadline, which are of another unit.
func TestPointsInTime(t *testing.T) {
	const start = 1767225600 // s since the Unix epoch
	for _, test := range []struct {
		unit  time.Duration
		value string
		want  int64 // ns from the start, 0 none
	}{
		{time.Millisecond, "1767225602500", 2500e6},
		{time.Millisecond, "1767225599000", -1000e6}, // has passed
		{time.Millisecond, "1767225602", 0},          // s
		{time.Second, "1767225602.5", 2500e6},
		{time.Second, "1767225602500", 0}, // ms
		{time.Second, "1e300", 0},
		{time.Second, "NaN", 0},
		{0, "2026-01-01T00:00:02.5Z", 2500e6},
		{0, "2026-01-01T01:00:02.5+01:00", 2500e6},
		{0, "1767225602", 0},
		{0, "2226-01-01T00:00:00Z", 0},
	} {
		store := trace.NewStore()
		n := New(store, Key{})
		n.Use(Names{Deadlines: []DeadlineName{{Name: "until", Unit: test.unit, Point: true}}})
		n.Add(parseRecord(t, []string{"client POST", "  at 1767225600000 1767225601000", "  until = " + test.value}), 0)
		got := int64(0)
		if f := store.FactsOf(&store.Spans[0]); f != nil && f.Deadline.At != 0 {
			got = f.Deadline.At - start*1e9
			if f.Deadline.D != 0 || f.Deadline.Scope != trace.CallScope {
				t.Errorf("%s in %v: %+v", test.value, test.unit, f.Deadline)
			}
		}
		if got != test.want {
			t.Errorf("%s in %v: %d ns from the start, want %d", test.value, test.unit, got, test.want)
		}
	}
}
