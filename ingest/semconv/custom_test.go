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
		Deadlines:   []DeadlineName{{Name: "acme.budget", Unit: time.Second}},
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
