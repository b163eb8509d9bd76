package analyzer

import (
	"slices"
	"strings"

	"github.com/retryaudit/retryaudit/analyzer/trace"
)

// maxNested is how many calls around a failure a stack trace is held against,
// inwards and outwards each.
const maxNested = 16

// LibrariesOf returns the retry libraries that stack traces name for the calls
// of a request whose owner neither a user agent nor a scope names.
//
// A stack trace goes through all owners around the failure in its process, or
// through those within the span where it ends with it. So the libraries that
// are known otherwise are taken out, with the owners that they are, and the
// rest goes by the order of nesting: the library nearest to the failure to the
// innermost call. Where the numbers of the two differ, it is not known which is
// whose, unless there is but one call.
func LibrariesOf(r *trace.Request) map[*trace.Call][]string {
	found := map[*trace.Call][]string{}
	newMemo().libraries(r, func(c *trace.Call, name string) {
		if !slices.Contains(found[c], name) {
			found[c] = append(found[c], name)
		}
	}, func(*trace.Call, string) {})
	return found
}

// libraries calls note for each library that a stack trace names for a call, or
// client where it is a client, which may as well have sent what others repeated.
func (m *memo) libraries(r *trace.Request, note, client func(*trace.Call, string)) {
	say := func(c *trace.Call, name string) {
		if k, ok := KnobOf(Owner{Library: name}); ok && k.Apart {
			client(c, name)
		} else {
			note(c, name)
		}
	}
	for c := range r.Calls() {
		for _, a := range c.Attempts {
			for _, s := range a.Spans {
				if f := r.Store.FactsOf(s); f != nil && f.Libraries != 0 {
					m.match(r, a, s, f, say)
				}
			}
		}
	}
}

// match gives the libraries that a span of an attempt names to the calls
// around the failure.
func (m *memo) match(r *trace.Request, a *trace.Attempt, s *trace.Span, f *trace.Facts, note func(*trace.Call, string)) {
	var names []string
	for name := range strings.SplitSeq(r.Text(f.Libraries), ",") {
		if isOf(gatewayKnobs, name) {
			for _, c := range a.Calls {
				if c.Owner.Service == s.Service && c.Owner.Layer == trace.Gateway && repeated(c) && !m.known(r, c) {
					note(c, name)
				}
			}
			continue
		}
		names = append(names, name)
	}
	var unknown []*trace.Call
	for _, c := range around(a, s.Service, f.Within) {
		if k, ok := m.knobOf(r, c.Owner); ok {
			if i := slices.IndexFunc(names, k.names); i >= 0 {
				names = slices.Delete(names, i, i+1)
			}
		} else if repeated(c) && !m.known(r, c) {
			unknown = append(unknown, c)
		}
	}
	for _, queue := range []bool{false, true} {
		calls := slices.DeleteFunc(slices.Clone(unknown), func(c *trace.Call) bool { return runsJobs(c.Owner.Layer) != queue })
		fit := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return isOf(queueKnobs, name) != queue })
		switch {
		case len(calls) == 1:
			for _, name := range fit {
				note(calls[0], name)
			}
		case len(calls) == len(fit):
			for i, c := range calls {
				note(c, fit[i])
			}
		}
	}
}

// around returns the calls that a failure in an attempt passed in one service,
// the innermost first; within the attempt only, or around it, too.
func around(a *trace.Attempt, service trace.Sym, within bool) []*trace.Call {
	var calls []*trace.Call
	for x := a; x != nil && len(calls) < maxNested; {
		var next *trace.Call
		for _, c := range x.Calls {
			if c.Owner.Service == service && c.Attempts[len(c.Attempts)-1].Failed() {
				next = c
			}
		}
		if x = nil; next != nil {
			calls = append(calls, next)
			x = next.Attempts[len(next.Attempts)-1]
		}
	}
	slices.Reverse(calls)
	if within {
		return calls
	}
	for x := a; x != nil && x.Call.Owner.Service == service && len(calls) < 2*maxNested; x = x.Call.Parent {
		calls = append(calls, x.Call)
	}
	return calls
}

// repeated reports whether the owner of a call made a further attempt.
func repeated(c *trace.Call) bool {
	return c.Count() > 1 && (c.Pattern == trace.Retry || c.Pattern == trace.Fallback)
}

func runsJobs(l trace.Layer) bool { return l == trace.QueueLayer || l == trace.WorkflowLayer }

// isOf reports whether a library is of a family: a queue owns the runs of jobs
// and nothing that they do, a gateway what it passes on.
func isOf(family []Knob, library string) bool {
	return slices.ContainsFunc(family, func(k Knob) bool { return k.names(library) })
}

// clients calls note for each client library whose own retries leave the same
// spans as those of a loop around it, for the calls of a request of which
// nothing names the owner.
func (m *memo) clients(r *trace.Request, note func(*trace.Call, string)) {
	for c := range r.Calls() {
		if !repeated(c) || m.known(r, c) {
			continue
		}
		switch c.Owner.Layer {
		case trace.App, trace.Agent, trace.Tool:
		default:
			continue
		}
		for _, y := range senders(c.Attempts[0]) {
			if k, ok := m.knobOf(r, trace.Owner{Library: y}); ok && k.Apart {
				note(c, k.Library)
			}
		}
	}
}

// senders returns what names the library that sent an attempt: the scopes of
// its client spans, and the user agents, also those that the servers behind a
// proxy received, since a proxy passes them on.
func senders(a *trace.Attempt) []trace.Sym {
	var all []trace.Sym
	for _, s := range a.Spans {
		if all = append(all, s.Agent); s.Kind == trace.Client {
			all = append(all, s.Scope)
		}
	}
	for _, c := range a.Calls {
		if c.Owner.Layer == trace.Proxy {
			for _, s := range c.Attempts[0].Spans {
				all = append(all, s.Agent)
			}
		}
	}
	return slices.Compact(all)
}

// known reports whether the library of an owner is known: there is a row for
// it, or a policy or the spans say by themselves who repeats them.
func (m *memo) known(r *trace.Request, c *trace.Call) bool {
	if _, ok := m.knobOf(r, c.Owner); ok || c.Named {
		return true
	}
	return slices.ContainsFunc(c.Attempts[0].Spans, func(s *trace.Span) bool {
		return s.Agent != 0 && s.Agent == c.Owner.Library && s.Flags.Has(trace.RetryingAgent)
	})
}

// owners adds up what names the owners that are not known otherwise.
func (o observer) owners(r *trace.Request) {
	add := func(key string) func(*trace.Call, string) {
		return func(c *trace.Call, name string) {
			o.part.sums(key + ownerKey(ownerOf(r, c.Owner)) + "\x00" + name).Lanes[0]++
		}
	}
	o.memo.libraries(r, add(libraryKey), add(clientKey))
	o.memo.clients(r, add(clientKey))
}

func ownerKey(o Owner) string {
	parts := []string{o.Layer, o.Service, o.Library, o.Operation}
	for i, p := range parts {
		parts[i] = strings.ReplaceAll(p, "\x00", " ")
	}
	return strings.Join(parts, "\x00")
}

// Owners tells of owners what only all requests of a Part tell together.
type Owners struct {
	part               *Part
	libraries, clients map[string][]string // by owner, ascending
}

// Owners returns what the requests judged so far tell of the owners in them.
func (p *Part) Owners() *Owners {
	w := &Owners{part: p, libraries: map[string][]string{}, clients: map[string][]string{}}
	for _, key := range sortedKeys(p.cells) {
		for prefix, to := range map[string]map[string][]string{libraryKey: w.libraries, clientKey: w.clients} {
			if rest, ok := strings.CutPrefix(key, prefix); ok {
				i := strings.LastIndexByte(rest, 0)
				to[rest[:i]] = append(to[rest[:i]], rest[i+1:])
			}
		}
	}
	return w
}

// Resolve fills in the setting of an owner, its default, and how often it left
// a failure alone. An owner that nothing else names gets the library that stack
// traces name; several are all named: "p-retry or async-retry". What is put
// around code has its options there, so that its default is no cap.
func (w *Owners) Resolve(o *Owner) {
	o.Setting = Setting(*o)
	if k, ok := KnobOf(*o); ok {
		if s := w.part.cells[idleKey+o.Service+"\x00"+k.Library]; s != nil {
			o.Idle = s.Lanes[0]
		}
		if o.DeclaredMax == 0 && o.PolicyMax == 0 && o.Idle == 0 {
			o.DefaultMax = int64(k.Attempts)
		}
		return
	}
	key := ownerKey(*o)
	var settings []string
	if names := w.libraries[key]; len(names) > 0 {
		for _, name := range names {
			settings = append(settings, Setting(Owner{Library: name}))
		}
		o.Library, o.Setting = strings.Join(names, " or "), strings.Join(settings, ", or ")
		return
	}
	for _, name := range w.clients[key] {
		k, _ := KnobOf(Owner{Library: name})
		settings = append(settings, k.Setting)
	}
	o.Setting = strings.Join(append(settings, o.Setting), ", or ")
}
