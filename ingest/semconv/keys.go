package semconv

import (
	"strings"

	"github.com/retryaudit/retryaudit/analyzer/trace"
)

// A keyRow says what an ID names and how the span came by it.
type keyRow struct {
	key   string
	at    place
	on    kinds
	under string
	kind  trace.KeyKind // 0: it is the ID of a call, equal on all its attempts
	dir   trace.Dir     // 0: received by servers and consumers; by others sent if it stands in a request
	// tools and models say that an ID is that of a call only on spans that run
	// a tool, or ask a model: others carry it as a stamp.
	tools, models bool
}

// joinedKeys are fields that only together name a run: BullMQ's job IDs count
// per queue, Temporal's activities and Inngest's steps per run, Airflow's runs
// per DAG. Kafka's offsets are none: they count per cluster, which spans seldom
// name, and two handlers may process one record.
var joinedKeys = []struct {
	fields []field
	on     kinds
	when   func(n *Normalizer) bool // nil: always
}{
	{fields: []field{queueName, jobID}, on: queue},
	{fields: []field{dagID, dagRun, activityID, mapIndex}},
	{fields: []field{dagID, dagRun, activityID}, when: func(n *Normalizer) bool { return n.at[mapIndex] == nil }},
	{fields: []field{runID, activityID}},
}

// maxKey bounds the length of an ID.
const maxKey = 256

// readKeys fills in the IDs of the span.
func (n *Normalizer) readKeys() {
	for _, f := range n.found {
		if f.kind != keyEntry {
			continue
		}
		r := &keys[f.row]
		id := header(f.value)
		if id == "" || len(id) > maxKey {
			continue
		}
		if r.kind == 0 {
			if r.tools && !n.ownsToolCall(id) || r.models && n.span.Flags&trace.ModelAsk == 0 {
				continue
			}
			n.callID(id)
			continue
		}
		if r.kind == trace.MessageKey {
			if id = n.messageID(id); id == "" {
				continue
			}
		}
		kind := r.kind
		if kind == trace.MessageKey && n.at[jobName] != nil {
			kind = trace.JobKey // Celery and Sidekiq keep the ID over all runs of the job
		}
		n.key(kind, n.direction(r.dir, r.at), id)
	}
	for _, j := range joinedKeys {
		if j.on != 0 && j.on&n.kind == 0 || j.when != nil && !j.when(n) {
			continue
		}
		n.buf = n.buf[:0]
		whole := true
		for i, f := range j.fields {
			part := text(n.at[f])
			whole = whole && part != ""
			if i > 0 {
				n.buf = append(n.buf, '/')
			}
			n.buf = append(n.buf, part...)
		}
		if whole && len(n.buf) <= maxKey {
			n.key(trace.JobKey, 0, string(n.buf))
		}
	}
}

// messageID returns the ID of a message by which it may be joined. A number
// counts within one queue or table (BullMQ, Delayed::Job, Que).
func (n *Normalizer) messageID(id string) string {
	for i := 0; i < len(id); i++ {
		if id[i] < '0' || id[i] > '9' {
			return id
		}
	}
	queue := text(n.at[destination])
	if queue == "" || len(queue)+len(id) >= maxKey {
		return ""
	}
	return queue + "/" + id
}

// callID notes the ID of the call that the span is an attempt of.
func (n *Normalizer) callID(id string) {
	if n.facts.CallID == 0 {
		n.facts.CallID = n.store.Sym(id)
		n.factual = true
	}
}

// ownsToolCall reports whether the ID of a tool call names it alone. Some
// models number their calls ("call_0", "functions.get_weather:1"), ADK writes
// "<not specified>", and what a tool had to wait for was not run before.
func (n *Normalizer) ownsToolCall(id string) bool {
	if n.span.Flags&trace.ToolRun == 0 || n.at[deferral] != nil || n.suspended {
		return false
	}
	const random = 9 // letters and digits: Mistral's IDs have no more
	id = strings.ReplaceAll(id, n.toolName(), "")
	letters, figures := 0, 0
	for i := 0; i < len(id); i++ {
		switch c := id[i]; {
		case '0' <= c && c <= '9':
			figures++
		case isLetter(lowerByte(c)):
			letters++
		default:
			letters, figures = 0, 0
		}
		if letters+figures >= random && letters > 0 && figures > 0 {
			return true
		}
	}
	return false
}

// direction returns the direction of a key; 0 is that of the span's kind.
func (n *Normalizer) direction(dir trace.Dir, at place) trace.Dir {
	if dir == 0 && at == request && n.kind&receiver == 0 {
		return trace.Sent
	}
	return dir
}

func (n *Normalizer) key(kind trace.KeyKind, dir trace.Dir, id string) {
	if dir == 0 {
		dir = trace.Received
		if n.kind&sender != 0 {
			dir = trace.Sent
		}
	}
	k := trace.Key{ID: n.store.Sym(id), Kind: kind, Dir: dir}
	for _, had := range n.keys {
		if had == k {
			return
		}
	}
	n.keys = append(n.keys, k)
}

// channelOf returns the deployment behind a gateway.
func (n *Normalizer) channelOf() string {
	if c := header(n.at[channel]); c != "" {
		return c
	}
	if h := text(n.at[hidden]); h != "" && strings.IndexByte(h, '{') >= 0 {
		return jsonField(h, "model_id")
	}
	return ""
}
