package semconv

import (
	"strings"
	"time"

	"github.com/retryaudit/retryaudit/analyzer/trace"
)

// strength says how much a code decides by itself.
type strength uint8

const (
	hard strength = iota // decides
	soft                 // goes before the status; the text may refine it
	weak                 // goes behind the status
)

// A codeRow gives the class of an error code, a provider's error type or an
// exception class. Of the rows of one code the first whose conditions all hold
// is taken; rows without a condition stand last.
type codeRow struct {
	code     string // lower case; "*" at one end stands for anything
	provider string // family; empty: any
	status   int    // HTTP status; 0: any
	text     string // part of the error text, lower case; empty: any
	class    trace.Class
	verdict  trace.Verdict // 0: that of the class
	strength strength
	echo     bool   // made from the status: it adds nothing to one that says the same
	unsent   bool   // the request did not reach the callee
	refuser  string // where the code is one layer's own
}

// A statusRow says what a provider means by a status where that is not what
// trace.ClassOfStatus says of it.
type statusRow struct {
	provider string // family; empty: any
	status   int
	class    trace.Class
	verdict  trace.Verdict // 0: that of the class
	refuser  string        // where the status is one layer's own
}

// An askRow says what a failure is that came with a time to come back.
type askRow struct {
	provider string
	status   int // 0: any
	is       trace.Class
	atLeast  time.Duration
	class    trace.Class
}

// A textRow gives the class of a part of an error text, lower case.
type textRow struct {
	text     string
	class    trace.Class
	verdict  trace.Verdict // 0: that of the class
	provider string
	except   string // a family for which the text means nothing
	// known says that the text is a common word: it counts only where the
	// provider is known (error-classes section 8).
	known   bool
	unsent  bool
	refuser string
}

// judgement is what the classifier makes of a failure.
type judgement struct {
	asked   trace.Asked
	refuser string
	code    trace.Sym
	total   int32 // attempts that the message says were made; 0 unknown
	status  uint16
	class   trace.Class
	verdict trace.Verdict
	conf    trace.Confidence
	unsent  bool
}

// judge classifies a failure; the result depends on e alone.
func (n *Normalizer) judge(e evidence) judgement {
	host, _ := n.address()
	if e.provider = n.familyByHost(host); e.provider == "" {
		e.provider = n.providerName(text(n.at[errorProvider]))
	}
	if e.provider == "" {
		e.provider = n.providerName(text(n.at[provider]))
	}
	e.maker = n.familyByModel(text(n.at[model]))
	j, ok := n.judged[e]
	if !ok {
		e.clone()
		j = remember(n.judged, e, n.classify(e))
	}
	if j.refuser == "" {
		j.refuser = responseSources[text(n.at[responseSource])]
	}
	return n.weighAsked(j, e.provider)
}

// responseSources: apisix plugins/opentelemetry.lua.
var responseSources = map[string]string{"apisix": "gateway", "nginx": "gateway", "upstream": "provider"}

// weighAsked lets the time that the answer asked for refine what no code
// decided.
func (n *Normalizer) weighAsked(j judgement, provider string) judgement {
	asked := n.facts.RetryAfter
	if asked.State == trace.Absent {
		asked = j.asked
	}
	if j.conf == trace.Certain || asked.State != trace.For && asked.State != trace.Until {
		return j
	}
	for _, r := range askRows {
		if r.is != j.class || r.provider != provider || r.status != 0 && r.status != int(j.status) {
			continue
		}
		if r.atLeast > 0 && (asked.State != trace.For || asked.D < r.atLeast) {
			continue
		}
		j.class, j.verdict = r.class, trace.VerdictOf(r.class)
		break
	}
	return j
}

// clone makes the strings of e its own.
func (e *evidence) clone() {
	for _, s := range [...]*string{&e.errorType, &e.code, &e.excType, &e.flags, &e.texts[0], &e.texts[1], &e.texts[2], &e.provider, &e.maker, &e.grpc} {
		*s = strings.Clone(*s)
	}
}

// clue is a code that a span gives, with the row that knows it.
type clue struct {
	code string
	row  *codeRow
}

func (n *Normalizer) classify(e evidence) judgement {
	all := strings.Join(e.texts[:], "\n")
	body := readBody(all)
	lower := strings.ToLower(all)
	if e.status < 400 && body.status != 0 { // none, or a 200 that hides an error
		e.status = body.status
	}
	if e.provider == "" {
		if e.provider = familyByText(lower); e.provider == "" {
			e.provider = e.maker
		}
	}
	j := judgement{status: uint16(e.status), asked: n.askedInText(lower), total: attemptsInText(lower)}

	// The order of error-classes section 1: provider code, structured details,
	// provider type, gRPC code, exception class.
	given := make([]string, 0, 16)
	add := func(code string) {
		if code = lastSegment(code); code != "" {
			given = append(given, code)
		}
	}
	add(e.code)
	for _, c := range body.codes {
		add(c)
	}
	for _, t := range e.texts {
		given = codeWords(given, t)
	}
	add(e.errorType)
	add(e.excType)
	for _, t := range e.texts {
		add(leadingException(t))
		add(awsCode(t))
	}

	var best [weak + 1]clue
	known := ""
	for _, code := range given {
		r := codeRowOf(strings.ToLower(code), &e, lower)
		if r == nil {
			continue
		}
		if known == "" && r.strength != weak && !r.echo {
			known = code
		}
		if best[r.strength].row == nil {
			best[r.strength] = clue{code, r}
		}
	}
	ofStatus, _, _ := trace.ClassOfStatus(e.status)
	if r := best[soft].row; r != nil && r.echo && r.class == ofStatus {
		best[soft].row = nil
	}
	flag, flagged := flagOf(e.flags)

	switch {
	case best[hard].row != nil:
		j.take(best[hard].row, trace.Certain)
		j.code = n.code(best[hard].code)
		if j.refuser == "" {
			j.refuser = refuserInText(lower, &e)
		}
		return j
	case flagged:
		j.class, j.verdict, j.conf, j.unsent = flag.class, flag.verdict, trace.Certain, flag.unsent
		if flag.gateway {
			j.refuser = "gateway"
		}
		if j.verdict == trace.NoVerdict {
			j.verdict = trace.VerdictOf(j.class)
		}
		j.code = n.code(flag.flag)
		return j
	}

	grpc, hasGRPC := grpcRows[e.grpc]
	switch {
	case best[soft].row != nil:
		conf := trace.Likely
		if c := best[soft].row.class; c != trace.RateLimit && (c == ofStatus || hasGRPC && c == grpc.class) {
			conf = trace.Certain
		}
		j.take(best[soft].row, conf)
	case hasGRPC:
		j.take(grpc, trace.Certain)
		if j.class == trace.RateLimit || j.class == trace.UnknownError {
			j.conf = trace.Likely
		}
	case e.status >= 400:
		j.takeStatus(&e)
	case best[weak].row != nil:
		j.take(best[weak].row, trace.Likely)
	default:
		j.class, j.verdict, j.conf = trace.UnknownError, trace.Undecided, trace.Possible
	}

	if r := textRowOf(refinements[j.class], &e, lower); r != nil {
		j.class, j.verdict, j.conf = r.class, r.verdict, trace.Likely
		if j.verdict == trace.NoVerdict {
			j.verdict = trace.VerdictOf(r.class)
		}
		j.unsent = j.unsent || r.unsent
		if r.refuser != "" {
			j.refuser = r.refuser
		}
	}
	if j.refuser == "" {
		j.refuser = refuserInText(lower, &e)
	}
	j.code = n.code(bestCode(known, given, e))
	return j
}

func (j *judgement) take(r *codeRow, conf trace.Confidence) {
	j.class, j.verdict, j.conf, j.unsent, j.refuser = r.class, r.verdict, conf, r.unsent, r.refuser
	if j.verdict == trace.NoVerdict {
		j.verdict = trace.VerdictOf(r.class)
	}
}

// takeStatus takes what the HTTP status means by itself.
func (j *judgement) takeStatus(e *evidence) {
	j.class, j.verdict, j.conf = trace.ClassOfStatus(e.status)
	for _, r := range statusRows {
		if r.status == e.status && (r.provider == "" || r.provider == e.provider) {
			j.class, j.verdict, j.conf, j.refuser = r.class, r.verdict, trace.Likely, r.refuser
			if j.verdict == trace.NoVerdict {
				j.verdict = trace.VerdictOf(r.class)
			}
			return
		}
	}
}

// bestCode returns the most telling code text: the first of which a row knows
// more than its status, the gRPC code, any other code, the status.
func bestCode(known string, given []string, e evidence) string {
	switch {
	case known != "":
		return known
	case e.grpc != "":
		return e.grpc
	}
	for _, code := range given {
		if !bareNames[strings.ToLower(code)] {
			return code
		}
	}
	if e.status > 0 {
		return text3(e.status)
	}
	for _, code := range given {
		if !noNames[strings.ToLower(code)] {
			return code
		}
	}
	return ""
}

// bareNames are exception classes and error types that tell nothing beyond
// the status.
var bareNames = map[string]bool{
	"error": true, "exception": true, "errorstring": true, "wraperror": true, "joinerror": true, "runtimeerror": true,
	"ai_apicallerror": true, "ai_retryerror": true, "apierror": true, "apistatuserror": true, "clienterror": true,
	"axioserror": true, "err_bad_response": true, "err_bad_request": true, "httperror": true, "httpexception": true,
	"typeerror": true, "_other": true, "responseerror": true, "operationerror": true, "tool_error": true,
}

// noNames are those that no report should show either.
var noNames = map[string]bool{"error": true, "exception": true, "_other": true, "errorstring": true, "wraperror": true, "joinerror": true}

func text3(status int) string {
	return string([]byte{byte('0' + status/100%10), byte('0' + status/10%10), byte('0' + status%10)})
}

// code returns the symbol of an error code; what looks like a sentence or like
// a secret is none.
func (n *Normalizer) code(s string) trace.Sym {
	if len(s) > 96 || strings.ContainsAny(s, " \t\r\n{}\"'?@") {
		return 0
	}
	return n.store.Sym(scrub(s))
}

// codeIndex finds the rows of a code.
var codeIndex, codePatterns = indexCodes(providerCodes, exceptionCodes, transportCodes)

func indexCodes(tables ...[]codeRow) (map[string][]*codeRow, []*codeRow) {
	exact := map[string][]*codeRow{}
	var patterns []*codeRow
	for _, t := range tables {
		for i := range t {
			r := &t[i]
			if strings.Contains(r.code, "*") {
				patterns = append(patterns, r)
				continue
			}
			exact[r.code] = append(exact[r.code], r)
		}
	}
	return exact, patterns
}

func codeRowOf(code string, e *evidence, lower string) *codeRow {
	for _, r := range codeIndex[code] {
		if r.fits(e, lower) {
			return r
		}
	}
	for _, r := range codePatterns {
		if r.matches(code) && r.fits(e, lower) {
			return r
		}
	}
	if _, numeric := digits(code); !numeric {
		return grpcRows[grpcCode(code)]
	}
	return nil
}

func (r *codeRow) fits(e *evidence, lower string) bool {
	return (r.provider == "" || r.provider == e.provider) &&
		(r.status == 0 || r.status == e.status) &&
		(r.text == "" || strings.Contains(lower, r.text))
}

// matches compares with a pattern: "*x", "x*" or "*x*".
func (r *codeRow) matches(code string) bool {
	p := r.code
	front, back := strings.HasPrefix(p, "*"), strings.HasSuffix(p, "*")
	p = strings.Trim(p, "*")
	switch {
	case front && back:
		return strings.Contains(code, p)
	case front:
		return strings.HasSuffix(code, p)
	}
	return strings.HasPrefix(code, p)
}

func textRowOf(rows []textRow, e *evidence, lower string) *textRow {
	if lower == "\n\n" {
		return nil
	}
	for i := range rows {
		r := &rows[i]
		if r.fits(e) && containsPart(lower, r.text) {
			return r
		}
	}
	return nil
}

// fits reports whether the text means something here. A family for which it
// does not may stand behind a gateway: its model gives it away.
func (r *textRow) fits(e *evidence) bool {
	switch {
	case r.provider != "":
		return r.provider == e.provider
	case r.except != "" && (r.except == e.provider || r.except == e.maker):
		return false
	}
	return !r.known || e.provider != ""
}

// containsPart reports whether part is in a text; a part of at most four
// letters must be a word.
func containsPart(lower, part string) bool {
	if len(part) > 4 {
		return strings.Contains(lower, part)
	}
	for from := 0; ; {
		i := strings.Index(lower[from:], part)
		if i < 0 {
			return false
		}
		i += from
		end := i + len(part)
		if (i == 0 || !isLetter(lower[i-1])) && (end == len(lower) || !isLetter(lower[end])) {
			return true
		}
		from = end
	}
}

// lastSegment returns the class name of a qualified one: "openai.RateLimitError",
// "java.net.UnknownHostException", "*http.ResponseError", "a::B". A dot within
// a provider's code ("Throttling.RateQuota") stays: it begins with a capital
// and ends in no Exception or Error.
func lastSegment(s string) string {
	if len(s) > 200 || strings.ContainsAny(s, " \n") {
		return ""
	}
	s = strings.TrimLeft(s, "*&")
	if i := strings.LastIndex(s, "::"); i >= 0 {
		s = s[i+2:]
	}
	if i := strings.LastIndexByte(s, '$'); i >= 0 { // a Java inner class
		s = s[i+1:]
	}
	if i := strings.LastIndexByte(s, '/'); i >= 0 { // a Go package path
		s = s[i+1:]
	}
	if i := strings.LastIndexByte(s, '.'); i > 0 && i < len(s)-1 {
		last := s[i+1:]
		capital := 'A' <= s[0] && s[0] <= 'Z'
		if !capital || strings.HasSuffix(last, "Exception") || strings.HasSuffix(last, "Error") {
			return last
		}
	}
	return s
}

// maxCodeWords bounds how far into a text codes are looked for.
const maxCodeWords = 200

// codeWords appends the known codes that stand as words in a text: "Error
// code: 429 - rate_limit_exceeded", "429 rate_limit_error", "UNAVAILABLE: …".
// Only words in one spelling of codes are looked up, not prose.
func codeWords(to []string, t string) []string {
	if len(t) > maxCodeWords {
		t = t[:maxCodeWords]
	}
	for t != "" {
		end := 0
		codeLike := false
		for end < len(t) && (tokenByte(t[end]) && t[end] != '-') {
			codeLike = codeLike || t[end] == '_'
			end++
		}
		if word := t[:end]; end > 3 && (codeLike || word == strings.ToUpper(word)) {
			if _, known := codeIndex[strings.ToLower(word)]; known || grpcRows[word] != nil {
				to = append(to, word)
			}
		}
		t = t[min(end+1, len(t)):]
	}
	return to
}

// leadingException returns the exception class that a message begins with:
// "litellm.RateLimitError: …", "ReadTimeout: ", "ConnectionError('…')".
func leadingException(t string) string {
	i := strings.IndexAny(t, ":(")
	if i <= 0 || i > 80 || strings.ContainsAny(t[:i], " \t\n\"{") {
		return ""
	}
	return t[:i]
}

// awsCode returns the error code that AWS SDKs embed: botocore's "An error
// occurred (X) when calling", smithy-go's "RequestID: …, X: message".
func awsCode(t string) string {
	if _, rest, ok := strings.Cut(t, "An error occurred ("); ok {
		if code, _, ok := strings.Cut(rest, ")"); ok {
			return code
		}
	}
	if i := strings.Index(t, "RequestID: "); i >= 0 {
		if _, rest, ok := strings.Cut(t[i:], ", "); ok {
			rest = strings.TrimPrefix(rest, "api error ")
			return leadingException(rest)
		}
	}
	return ""
}

// body is what an error body within a text says.
type errorBody struct {
	codes  []string
	status int
}

// bodyKeys are the names under which error bodies carry codes, in the order
// of their worth: error-classes section 1.
var bodyKeys = []string{
	"quotavalue", "code", "error_code", "err_code", "status_code", "limit_source", "provider_code", "reason", "quotaid", "quota_limit",
	"__type", "error_type", "type", "status",
}

// emptyValues are values of these names that tell nothing.
var emptyValues = map[string]bool{"": true, "0": true, "error": true, "null": true, "none": true, "nil": true, "true": true, "false": true, "object": true, "upstream_error": true}

// readBody finds JSON objects and Python dicts in an error text and collects
// their codes: `429 {"type":"error","error":{…}}`, `Error code: 401 -
// {'error': {…}}`. It does not mind what is cut off or nested.
func readBody(t string) errorBody {
	var b errorBody
	byKey := make([][]string, len(bodyKeys))
	b.read(byKey, t, 0)
	for _, values := range byKey {
		b.codes = append(b.codes, values...)
	}
	return b
}

// maxBodies is how deep bodies in the messages of bodies are followed: a
// gateway's around a gateway's around a provider's.
const maxBodies = 4

func (b *errorBody) read(byKey [][]string, t string, depth int) {
	i := strings.IndexByte(t, '{')
	if i < 0 || depth == maxBodies {
		return
	}
	t = t[i:]
	if rest := t[skipSpace(t, 1):]; strings.HasPrefix(rest, `\`) { // as a JSON string holds it
		t = strings.NewReplacer(`\\`, `\`, `\"`, `"`, `\'`, `'`).Replace(t)
	}
	for i := 0; i < len(t); {
		if t[i] != '"' && t[i] != '\'' {
			i++
			continue
		}
		key, end := quoted(t, i)
		at := skipSpace(t, end)
		if at >= len(t) || t[at] != ':' {
			i = end
			continue
		}
		at = skipSpace(t, at+1)
		var value string
		if at < len(t) && (t[at] == '"' || t[at] == '\'') {
			value, end = quoted(t, at)
			b.read(byKey, value, depth+1)
		} else {
			end = at
			for end < len(t) && strings.IndexByte(",}] \n\r\t", t[end]) < 0 && t[end] != '{' && t[end] != '[' {
				end++
			}
			value = t[at:end]
		}
		b.take(byKey, strings.ToLower(key), value)
		i = max(end, i+1)
	}
}

func (b *errorBody) take(byKey [][]string, key, value string) {
	for i, k := range bodyKeys {
		if k != key {
			continue
		}
		if key == "quotavalue" { // only that there is no quota at all
			if value == "0" {
				byKey[i] = append(byKey[i], "quotaValue:0")
			}
			return
		}
		if n, ok := digits(value); ok && n >= 400 && n < 600 {
			if b.status == 0 {
				b.status = n
			}
			return
		}
		if len(value) <= 96 && !emptyValues[strings.ToLower(value)] && !strings.ContainsAny(value, " \t\n") {
			byKey[i] = append(byKey[i], value)
		}
		return
	}
}

// quoted reads a string in either kind of quotes that begins at i; end is
// behind its closing quote.
func quoted(t string, i int) (s string, end int) {
	q := t[i]
	for end = i + 1; end < len(t); end++ {
		switch t[end] {
		case '\\':
			end++
		case q:
			return t[i+1 : end], end + 1
		}
	}
	return t[i+1:], len(t)
}

func skipSpace(t string, i int) int {
	for i < len(t) && (t[i] == ' ' || t[i] == '\n' || t[i] == '\r' || t[i] == '\t') {
		i++
	}
	return i
}

// attemptMarks stand around the number of attempts that a library says it
// made in its last error.
var attemptMarks = []struct {
	before, after string
	add           int32 // to what is printed
}{
	{"failed after ", " attempt", 0},                 // vercel/ai retry-with-exponential-backoff.ts
	{"reached maximum retries (", ")", 1},            // dify core/helper/ssrf_proxy.py: the retries
	{"giving up after ", " attempt", 0},              // go-retryablehttp client.go
	{"exceeded maximum number of attempts, ", "", 0}, // aws-sdk-go-v2 aws/retry
}

// attemptsInText returns the number of attempts an error text tells, else 0.
func attemptsInText(lower string) int32 {
	for _, m := range attemptMarks {
		_, rest, ok := strings.Cut(lower, m.before)
		if !ok {
			continue
		}
		number, end := leadingNumber(rest, 0)
		if end > 0 && strings.HasPrefix(rest[end:], m.after) {
			return number + m.add
		}
	}
	return 0
}

// refuserInText tells the gateway's own refusals from those it passed on.
func refuserInText(lower string, e *evidence) string {
	for i := range refusers {
		if r := &refusers[i]; r.fits(e) && strings.Contains(lower, r.text) {
			return r.refuser
		}
	}
	return ""
}
