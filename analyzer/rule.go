// Package analyzer is the engine: rules are values that read the requests of
// package trace and add up what they find in a Part; parts merge, and a sealed
// Part becomes a Report.
package analyzer

import (
	"iter"

	"github.com/retryaudit/retryaudit/analyzer/trace"
)

// Concern is the question that a rule answers about retries.
type Concern string

// The concerns of the taxonomy: who owns retries, if one should retry, when,
// and how.
const (
	Who  Concern = "WHO"
	If   Concern = "IF"
	When Concern = "WHEN"
	How  Concern = "HOW"
)

// About identifies a rule.
type About struct {
	ID       string // the defect's name, kebab-case; never reused
	Title    string // one clause
	Concern  Concern
	Severity Grade  // default
	Since    string // version that brought the rule

	fixed bool // the severity is the user's word
}

// Rule is a value without state. Its exported fields are its options.
type Rule interface{ About() About }

// RequestRule judges one request at a time.
type RequestRule interface {
	Rule
	// Check reports what it finds in p.Request.
	Check(p *Pass)
}

// FleetRule judges sums over many requests.
type FleetRule interface {
	Rule
	// Observe adds to lanes and does nothing else.
	Observe(p *Pass)
	// Judge reads the windows of one cell in order of time.
	Judge(c Cell, windows iter.Seq2[int64, *Sums], p *Judging)
}

// Finisher is a rule that knows more about a finding once all is added up.
type Finisher interface {
	Rule
	// Finish fills in Advice and which owner to keep. It returns false where
	// what other requests showed refutes the finding.
	Finish(f *Finding) bool
}

// Validator is a rule that knows which values of its options it cannot mean.
type Validator interface {
	Rule
	// Validate says what was found and what was wanted, by the option's name.
	Validate() error
}

// Diagnostic is one defect in one request.
type Diagnostic struct {
	// Call is the call that was retried wrongly. Cause and Retry, where set,
	// are the attempt that failed and the one that should not have followed.
	Call         *trace.Call
	Cause, Retry *trace.Attempt
	// Owners names who retried, outermost first; empty means Call.Owner alone.
	Owners []OwnerCount
	// Upstream is what was hit; zero means Call.Upstream.
	Upstream trace.Upstream
	// Ticks are the attempts to draw, nil for those of Call.
	Ticks []*trace.Attempt
	// Level overrides the rule's severity downwards or upwards; Off keeps it.
	Level Grade
	Conf  trace.Confidence
	// Attempts counts what the finding is about, 0 for those of Call.
	Attempts int64
	Latent   int64 // product of the declared caps, 0 unknown
	Wasted   Waste
	// Text is one clause with its numbers.
	Text string
}

// OwnerCount is an owner with the attempts it made per call of the layer above.
type OwnerCount struct {
	Owner       trace.Owner
	Attempts    int64
	DeclaredMax int64
}
