package analyzer

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"math/bits"

	"github.com/retryaudit/retryaudit/analyzer/trace"
)

// Settings is what the people of a system know better than its spans: the
// policy file. The zero value says nothing.
type Settings struct {
	// Owners says of owners, the first that matches in each matter: who keeps
	// its retries, how many attempts it may make, who it really is.
	Owners []OwnerSetting
	// Calls says whether equal calls of a caller are attempts of one.
	Calls []CallSetting
	// Prices are those of models; the first that matches a name holds.
	Prices []Price
	// Currency is that of the prices, such as USD.
	Currency string
	// Names are the attributes that were read beside those that are known: parts
	// that read others do not merge.
	Names string
	// Severities overrides what a rule says of its findings.
	Severities map[string]Grade
}

// OwnerSetting is what is said of the owners that match. An empty pattern
// matches all; * stands for any text in it and ? for any character.
type OwnerSetting struct {
	Layer, Service, Library, Operation string
	// Upstream is the service or address that the owner calls.
	Upstream string

	Keep        bool  // goes on retrying where several do
	MaxAttempts int64 // may make so many attempts of a call; 0 nothing said
	As          OwnerName
}

// OwnerName names who an owner really is; fields left empty stay as they were.
type OwnerName struct {
	Layer            trace.Layer
	Service, Library string
}

// CallSetting is what is said of the calls that match, in patterns as those of
// OwnerSetting: Service and Caller are the service and the operation that
// ask, Operation is what they ask for.
type CallSetting struct {
	Service, Caller, Operation, Upstream string
	// Retry says that such calls, one after another's failure, are attempts of
	// one, or that they never are.
	Retry bool
}

// Price is what a million tokens cost, in millionths of the currency, at most
// 10^12.
type Price struct {
	Model         string // a pattern
	Input, Output int64
}

// With returns the suite under other settings. Parts of suites with different
// settings do not merge.
func (s *Suite) With(set Settings) *Suite {
	out := *s
	out.settings = set
	out.rules, out.off = nil, nil
	for _, r := range s.rules {
		if g, ok := set.Severities[r.About().ID]; ok && g == Off {
			out.off = append(out.off, r.About().ID)
			continue
		}
		out.rules = append(out.rules, r)
	}
	out.id = sha256.Sum256(fmt.Appendf(nil, "%x %+v", s.id, set))
	return &out
}

// about identifies a rule, with the severity that the settings give it.
func (s *Suite) about(r Rule) About {
	a := r.About()
	if g, ok := s.settings.Severities[a.ID]; ok {
		a.Severity, a.fixed = g, true
	}
	return a
}

// options are those of the graph.
func (s *Suite) options() trace.Options {
	var opt trace.Options
	for _, o := range s.settings.Owners {
		if o.As.Layer != 0 || o.As.Service != "" || o.As.Library != "" {
			opt.Owner = s.settings.owner
		}
	}
	if len(s.settings.Calls) > 0 {
		opt.Retry = s.settings.retry
	}
	return opt
}

// owner says who an owner really is.
func (s *Settings) owner(n trace.Names) trace.Names {
	for i := range s.Owners {
		o := &s.Owners[i]
		if (o.As.Layer != 0 || o.As.Service != "" || o.As.Library != "") && o.fits(n) {
			n.Layer = cmp.Or(o.As.Layer, n.Layer)
			n.Service, n.Library = cmp.Or(o.As.Service, n.Service), cmp.Or(o.As.Library, n.Library)
			return n
		}
	}
	return n
}

// retry says whether equal calls are attempts of one; known is false where
// nothing is said.
func (s *Settings) retry(n trace.Names) (retry, known bool) {
	for _, c := range s.Calls {
		if glob(c.Service, n.Service) && glob(c.Caller, n.Caller) && glob(c.Operation, n.Op) && (glob(c.Upstream, n.Address) || glob(c.Upstream, n.Callee)) {
			return c.Retry, true
		}
	}
	return false, false
}

// keeps returns the place of the setting by which an owner is to keep its
// retries, from 0; len(s.Owners) without.
func (s *Settings) keeps(o Owner, up Upstream) int {
	for i := range s.Owners {
		if s.Owners[i].Keep && s.Owners[i].fits(namesOf(o, up)) {
			return i
		}
	}
	return len(s.Owners)
}

// maxAttempts is how many attempts an owner may make, 0 unknown.
func (s *Settings) maxAttempts(o Owner, up Upstream) int64 {
	for i := range s.Owners {
		if n := s.Owners[i].MaxAttempts; n > 0 && s.Owners[i].fits(namesOf(o, up)) {
			return n
		}
	}
	return 0
}

// maxCost bounds what one attempt may cost, in millionths: a thousand million
// of the currency. Token counts come from anybody.
const maxCost = int64(1e15)

// cost is the price of tokens, in millionths of the currency, 0 unknown.
func (s *Settings) cost(model string, in, out int64) int64 {
	for _, p := range s.Prices {
		if !glob(p.Model, model) {
			continue
		}
		// Tokens times the price of a million of them; the products need 128 bits.
		inHigh, inLow := bits.Mul64(uint64(in), uint64(p.Input))
		outHigh, outLow := bits.Mul64(uint64(out), uint64(p.Output))
		low, carry := bits.Add64(inLow, outLow, 0)
		high := inHigh + outHigh + carry // each below 2^62
		if high >= 1e6 {
			return maxCost
		}
		cost, rest := bits.Div64(high, low, 1e6)
		if rest >= 5e5 {
			cost++
		}
		return int64(min(cost, uint64(maxCost)))
	}
	return 0
}

// name names the currency of what a waste cost.
func (s *Settings) name(w *Waste) {
	if w.CostMicros > 0 {
		w.Currency = s.Currency
	}
}

func namesOf(o Owner, up Upstream) trace.Names {
	return trace.Names{
		Layer: trace.LayerOf(o.Layer), Service: o.Service, Library: o.Library, Op: o.Operation, Address: up.Address, Callee: up.Service,
	}
}

func (o *OwnerSetting) fits(n trace.Names) bool {
	return glob(o.Layer, n.Layer.String()) && glob(o.Service, n.Service) && glob(o.Library, n.Library) && glob(o.Operation, n.Op) &&
		(glob(o.Upstream, n.Address) || glob(o.Upstream, n.Callee))
}

// glob reports whether text fits a pattern.
func glob(pattern, text string) bool {
	if pattern == "" {
		return true
	}
	p, t := 0, 0
	star, from := -1, 0 // the last * and where it ends so far
	for t < len(text) {
		switch {
		case p < len(pattern) && pattern[p] == '*':
			star, from = p, t
			p++
		case p < len(pattern) && (pattern[p] == '?' || pattern[p] == text[t]):
			p++
			t++
		case star >= 0:
			from++
			p, t = star+1, from
		default:
			return false
		}
	}
	for p < len(pattern) && pattern[p] == '*' {
		p++
	}
	return p == len(pattern)
}
