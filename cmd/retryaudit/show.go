package main

import (
	"cmp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/retryaudit/retryaudit/analyzer/trace"
)

func (c *command) show() *cobra.Command {
	var how reading
	cmd := &cobra.Command{
		Use:   "show REQUEST [FILE|DIR|GLOB|-]...",
		Short: "Print the attempt tree of one request",
		Long: `Print one request as it was rebuilt: every call with who decided to repeat it
and why it is taken for one call, every attempt with its outcome, the wait
before it and how it is known, and at the end the logical upstream requests
with their attempts.

REQUEST is a request ID or a trace ID, or the beginning of one that no other
has. The findings of analyze name both.

How an edge is known: declared, an ID, a number or a parent says so;
structural, the shape of the tree admits nothing else; inferred, times and
likeness say so; policy, the policy file does. Times are those of each span's own clock, in UTC.

Behind "to correct" stands the line of a policy that would say otherwise: that
attempts are not one call, that a call is another's attempt, or that somebody
else made them, whose name goes in place of NAME. Paste it into retryaudit.yaml,
below "version: 1"; "add to" says that the policy has a list of that name already.`,
		Example: `  retryaudit show 4f2a91 traces.jsonl
  retryaudit show order-7781 traces/
  cat traces.jsonl | retryaudit show 4f2a91`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			suite, err := c.suite(&how.policy)
			if err != nil {
				return err
			}
			how.key = c.hashKey(false)
			part, unread, err := c.read(cmd.Context(), suite, how, args[1:])
			if err != nil {
				return err
			}
			request, err := find(suite.Requests(part), args[0])
			if err != nil {
				return err
			}
			if _, err := c.Stdout.Write(drawRequest(request, how.policy.has())); err != nil {
				return &failure{status: statusInput, err: err}
			}
			return unread
		},
	}
	how.addFlags(cmd.Flags())
	return cmd
}

// carries reports whether a span of the request has the request ID.
func carries(r *trace.Request, id string) bool {
	for c := range r.Calls() {
		for _, a := range c.Attempts {
			for _, s := range a.Spans {
				f := r.Store.FactsOf(s)
				if f != nil && slices.ContainsFunc(f.Keys, func(k trace.Key) bool { return k.Kind == trace.RequestKey && r.Text(k.ID) == id }) {
					return true
				}
			}
		}
	}
	return false
}

// find returns the request that name stands for: its key, one of its trace
// IDs, a beginning of either that fits no other request, or a request ID that
// one of its spans has.
func find(requests []*trace.Request, name string) (*trace.Request, error) {
	hex := strings.ToLower(name)
	var keys []string
	var near []*trace.Request
	for _, r := range requests {
		key := r.Text(r.Key)
		keys = append(keys, key)
		begins := strings.HasPrefix(key, name)
		for _, id := range r.Traces {
			if key == name || id.String() == hex {
				return r, nil
			}
			begins = begins || strings.HasPrefix(id.String(), hex)
		}
		if begins {
			near = append(near, r)
		}
	}
	switch len(near) {
	case 0:
		for _, r := range requests {
			if carries(r, name) {
				return r, nil
			}
		}
		return nil, wrongUse(didYouMean(name, keys), "no request %q in the input", name)
	case 1:
		return near[0], nil
	}
	keys = keys[:0]
	for _, r := range near {
		keys = append(keys, cmp.Or(r.Text(r.Key), r.Traces[0].String()))
	}
	return nil, wrongUse("give more of one of them: "+few(keys), "%q is the beginning of %s", name, plural(int64(len(near)), "request"))
}
