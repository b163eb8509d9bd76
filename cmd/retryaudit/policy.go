package main

import (
	"errors"
	"io/fs"
	"os"

	"github.com/spf13/pflag"

	"github.com/retryaudit/retryaudit/analyzer"
	"github.com/retryaudit/retryaudit/analyzer/policy"
	"github.com/retryaudit/retryaudit/ingest/semconv"
	"github.com/retryaudit/retryaudit/rules"
)

// policyFlag names the policy of a run.
type policyFlag struct {
	flags *pflag.FlagSet
	path  string
	file  *policy.Policy // nil without
}

// noPolicy is the value of --config that leaves the policy out.
const noPolicy = "none"

func (p *policyFlag) addFlags(flags *pflag.FlagSet) {
	p.flags = flags
	flags.StringVar(&p.path, "config", policy.Name, "read the policy in `FILE`, the default if there is one; "+noPolicy+" for no policy")
}

// suite returns the suite of all rules, as the policy configures them.
func (c *command) suite(p *policyFlag) (*analyzer.Suite, error) {
	if p.path == noPolicy || p.path == "" {
		return analyzer.NewSuite(rules.All()...)
	}
	given := p.flags.Changed("config")
	f, err := os.Open(p.path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && !given:
		return analyzer.NewSuite(rules.All()...)
	case err != nil:
		return nil, &failure{status: statusUsage, err: err}
	}
	defer f.Close()
	if p.file, err = policy.Read(f, p.path, rules.All()); err != nil {
		if all, ok := err.(interface{ Unwrap() []error }); ok {
			errs := all.Unwrap()
			for _, each := range errs[:len(errs)-1] {
				c.sayError(each, "")
			}
			err = errs[len(errs)-1]
		}
		return nil, &failure{status: statusUsage, err: err, hint: "retryaudit explain policy says what a policy may hold"}
	}
	if !given {
		c.sayNote("the policy is %s", p.path)
	}
	suite, err := analyzer.NewSuite(p.file.Rules...)
	if err != nil {
		return nil, err
	}
	return suite.With(p.file.Settings), nil
}

// name says which policy there is.
func (p *policyFlag) name() string {
	if p.file == nil {
		return "none"
	}
	return p.path
}

// has returns the keys that the policy has of those that show corrects by.
func (p *policyFlag) has() map[string]bool {
	if p.file == nil {
		return nil
	}
	return map[string]bool{"owners": len(p.file.Settings.Owners) > 0, "calls": len(p.file.Settings.Calls) > 0}
}

// names are those that the flags and the policy give.
func (r *reading) names() semconv.Names {
	names := semconv.Names{RequestIDs: r.requestIDs}
	if r.policy.file == nil {
		return names
	}
	a := &r.policy.file.Attributes
	names.RequestIDs = append(names.RequestIDs[:len(names.RequestIDs):len(names.RequestIDs)], a.RequestIDs...)
	names.MaxAttempts = a.MaxAttempts
	for _, n := range a.Attempts {
		names.Attempts = append(names.Attempts, semconv.AttemptName(n))
	}
	for _, n := range a.Deadlines {
		names.Deadlines = append(names.Deadlines, semconv.DeadlineName{Name: n.Name, Unit: n.Unit.Duration(), Point: n.Unit.Point()})
	}
	return names
}
