package analyzer

import (
	"slices"
	"strconv"
	"strings"
)

// A Knob is the setting that limits the retries of one library, with what it
// does unless somebody sets it.
type Knob struct {
	// Library is the name that reports give the owner: of its user agent, of
	// its instrumentation scope, or the beginning of one, which ends in "*".
	Library string
	// Also holds the further names of the same owner.
	Also []string
	// Layer restricts the row to owners of that layer, where one name stands
	// for several owners (a queue client redelivers and retries its own
	// requests) or the library itself does not retry unless told to. Empty: any.
	Layer string

	Setting string // what to change: "maxRetries of the OpenAI client"
	Value   string // the default as one would write it there; empty: none, or unknown
	Off     string // the value that turns retries off; empty: no such value, or unknown

	// Attempts is how many attempts the default allows, the first included; 1
	// means that retries are off. For a policy that must be added first, it is
	// what the added policy allows. Zero: set by the user, without limit,
	// unknown, or not the same everywhere.
	Attempts   int
	Default    string // the default in full; empty: unknown
	RetryAfter string // what happens to Retry-After; empty: unknown
	// Apart says that the library is a client whose own retries leave a span
	// each below the caller's, like those of a loop around it.
	Apart bool
	// Source is "project path/to/file (version or date read)" or "docs: page";
	// "unchecked: …" where nobody has read the page, so that no default is given.
	Source string
}

// knobs holds all rows, by family.
var knobs = slices.Concat(llmKnobs, gatewayKnobs, httpKnobs, cloudKnobs, queueKnobs)

// Knobs returns all rows: LLM clients and frameworks, gateways and proxies,
// HTTP clients and retry libraries, cloud clients, queues and workflow engines.
func Knobs() []Knob { return slices.Clone(knobs) }

// KnobOf returns the row of an owner: the one whose name agrees longest, and
// of two for one name the one for the owner's layer.
func KnobOf(o Owner) (Knob, bool) {
	best, at := 0, -1
	for i := range knobs {
		if n := knobs[i].fit(o); n > best {
			best, at = n, i
		}
	}
	if at < 0 {
		return Knob{}, false
	}
	return knobs[at], true
}

// KnobsOf returns the rows of a library, whatever the layer and the case of its
// name: those whose name agrees longest.
func KnobsOf(library string) []Knob {
	longest := 0
	var found []Knob
	for i := range knobs {
		switch n := knobs[i].fitFold(strings.ToLower(library)); {
		case n == 0 || n < longest:
		case n > longest:
			longest, found = n, []Knob{knobs[i]}
		default:
			found = append(found, knobs[i])
		}
	}
	return found
}

func (k *Knob) fitFold(lower string) int {
	length := nameFit(strings.ToLower(k.Library), lower)
	for _, name := range k.Also {
		length = max(length, nameFit(strings.ToLower(name), lower))
	}
	return length
}

// fit grades how well a row names an owner; zero if it does not.
func (k *Knob) fit(o Owner) int {
	if o.Library == "" || k.Layer != "" && o.Layer != "" && k.Layer != o.Layer {
		return 0
	}
	length := nameFit(k.Library, o.Library)
	for _, name := range k.Also {
		length = max(length, nameFit(name, o.Library))
	}
	switch {
	case length == 0:
		return 0
	case k.Layer == "":
		return 3*length + 1
	case k.Layer == o.Layer:
		return 3*length + 2
	default:
		return 3 * length // the owner's layer is not known
	}
}

// names reports whether the row is that of a library, on whatever layer.
func (k *Knob) names(library string) bool {
	return nameFit(k.Library, library) > 0 || slices.ContainsFunc(k.Also, func(name string) bool { return nameFit(name, library) > 0 })
}

// nameFit grades how much of a library's name a row's name gives; all of it
// counts more than any beginning.
func nameFit(name, library string) int {
	prefix, open := strings.CutSuffix(name, "*")
	switch {
	case !open && name == library:
		return 2*len(name) + 1
	case open && strings.HasPrefix(library, prefix):
		return 2 * len(prefix)
	}
	return 0
}

// String returns the setting as a report says it, with its default in brackets.
func (k Knob) String() string {
	var notes []string
	switch n, err := strconv.Atoi(k.Value); {
	case k.Attempts == 1:
		notes = append(notes, "off by default")
	case k.Value != "" && err == nil && n == k.Attempts:
		notes = append(notes, "default "+k.Value+", the first included")
	case k.Value != "":
		notes = append(notes, "default "+k.Value)
	}
	if k.Off != "" {
		notes = append(notes, k.Off+" turns retries off")
	}
	if len(notes) == 0 {
		return k.Setting
	}
	return k.Setting + " (" + strings.Join(notes, "; ") + ")"
}

// layerSettings says where to look if the library is unknown but the layer is not.
var layerSettings = map[string]string{
	"agent":    "the retry loop around this call in the agent's own code (p-retry, tenacity, withRetry …)",
	"app":      "the retry loop around this call in the application's own code (p-retry, tenacity, Polly …)",
	"tool":     "the retry loop in the tool's own code",
	"sdk":      "the max retries option of the client library",
	"proxy":    "the proxy's own retries: proxy_next_upstream_tries in nginx, retries and retry-on in HAProxy, retry_policy.num_retries in Envoy",
	"gateway":  "the gateway's own retries: retry.attempts in Portkey, num_retries in LiteLLM",
	"queue":    "the attempts of the job, or the redelivery limit of the queue",
	"workflow": "the retry policy of the step",
}

// Setting says which setting limits the attempts of an owner; it is empty
// where neither library nor layer tell.
func Setting(o Owner) string {
	if k, ok := KnobOf(o); ok {
		return k.String()
	}
	return layerSettings[o.Layer]
}
