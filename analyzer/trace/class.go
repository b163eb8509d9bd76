package trace

// Class is the kind of an error; zero is no error.
type Class uint8

// The classes of error. Their names and meaning are those of the reference
// table that ingest/semconv encodes.
const (
	NoError       Class = iota
	UnknownError        // failed, and nothing says why
	RateLimit           // per-second or per-minute request or token limit
	Concurrency         // too many requests in flight
	Overload            // the callee's capacity, not the caller's limit
	Quota               // balance, spend cap, plan or a day's allowance used up
	Auth                // key or token missing, wrong or expired
	Permission          // authenticated but not allowed
	Invalid             // malformed or unsupported input
	TooLarge            // prompt, body or output over the limit
	Safety              // content filter, moderation, policy
	NotFound            // model, deployment, endpoint, file
	Timeout             // a time limit, at the callee or at the caller
	Cancelled           // caller or peer cancelled
	ServerError         // unspecified internal fault
	Conflict            // state or lock conflict
	Reset               // connection refused, reset or closed without an answer
	PartialStream       // a stream that broke after output
	Unsupported         // the operation or parameter does not exist at the callee
	classes             // count
)

var classNames = [classes]string{
	"", "unknown", "transient-rate-limit", "concurrency", "overload", "quota-billing", "auth", "permission",
	"invalid-request", "context-size", "safety", "not-found", "timeout", "cancelled", "server-error", "conflict",
	"reset", "partial-stream", "unsupported",
}

// String returns the class's name in reports; no error is empty.
func (c Class) String() string { return classNames[c] }

// Throttled reports whether the class is a limit that time alone lifts.
func (c Class) Throttled() bool { return c == RateLimit || c == Concurrency }

// Verdict says whether another attempt can help.
type Verdict uint8

// The verdicts on a failed attempt; zero means that it did not fail.
const (
	NoVerdict Verdict = iota
	Undecided         // UNKNOWN: nothing says whether a retry can help
	Wait              // transient: may be retried after a pause
	Cap               // throttled or overloaded: within Retry-After and a budget
	Stop              // no retry can help
)

// String returns the verdict's name in reports.
func (v Verdict) String() string {
	return [...]string{"", "UNKNOWN", "WAIT", "CAP", "STOP"}[v]
}

// VerdictOf returns the verdict that a class carries by itself. Where a
// provider's documentation says otherwise, the classifier sets the span's own.
func VerdictOf(c Class) Verdict {
	switch c {
	case NoError:
		return NoVerdict
	case RateLimit, Concurrency, Overload:
		return Cap
	case Quota, Auth, Permission, Invalid, TooLarge, Safety, NotFound, Unsupported:
		return Stop
	case Timeout, ServerError, Reset, PartialStream:
		return Wait
	default: // UnknownError, Cancelled, Conflict: only the caller can tell
		return Undecided
	}
}

// ClassOfStatus returns the class, verdict and confidence that an HTTP status
// has without any word from its body: RFC 9110, RFC 6585 and the statuses that
// providers and proxies invented. Below 400 it is NoError.
func ClassOfStatus(status int) (Class, Verdict, Confidence) {
	class, conf := UnknownError, Likely
	switch {
	case status < 400:
		return NoError, NoVerdict, Certain
	case status == 401, status == 407:
		class = Auth
	case status == 402:
		class = Quota
	case status == 403:
		class = Permission
	case status == 404:
		class = NotFound
	case status == 408, status == 504, status == 524:
		class, conf = Timeout, Certain
	case status == 409, status == 423, status == 449:
		class = Conflict
	case status == 413:
		class, conf = TooLarge, Certain
	case status == 424, status == 425:
		class = ServerError
	case status == 429:
		class = RateLimit
	case status == 446, status == 451:
		class = Safety
	case status == 498, status == 503, status == 529:
		class = Overload
	case status == 499:
		class, conf = Cancelled, Certain
	case status == 501, status == 505:
		class, conf = Unsupported, Certain
	case status < 500:
		class = Invalid
	case status == 525, status == 526: // TLS between Cloudflare and the origin
		return ServerError, Stop, Likely
	case status < 600:
		class = ServerError
	}
	return class, VerdictOf(class), conf
}
