package tracetext

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/retryaudit/retryaudit/analyzer/trace"
)

// parse fails the test on a scene that is none.
func parse(t *testing.T, text string) *Scene {
	t.Helper()
	s, err := Parse(text)
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	return s
}

// last returns the store, the last span and its facts, if it has any.
func last(t *testing.T, text string) (*trace.Store, *trace.Span, *trace.Facts) {
	t.Helper()
	store := parse(t, text).Store()
	span := &store.Spans[len(store.Spans)-1]
	return store, span, store.FactsOf(span)
}

func TestStore(t *testing.T) {
	const text = `# The payment service says 400.
0+900      web: POST /checkout      502
  10.5+80    -> payments.Charge     400
    20+60      payments: Charge     400
  190+80     -> payments.Charge     ok   // want ` + "`twice` `after 99.5ms`" + `

5+1  batch -> feeds.eu.List  - instance=b-1
`
	scene := parse(t, text)
	store := scene.Store()
	ms := func(x float64) int64 { return Epoch + int64(x*1e6) }
	id := func(n byte) trace.SpanID { return trace.SpanID{7: n} }
	type row struct {
		Trace                                    byte
		ID, Parent                               trace.SpanID
		Start, End                               int64
		Line                                     uint32
		Kind                                     trace.Kind
		Layer                                    trace.Layer
		Service, Instance, Op, Ask, Address, Err string
		Status                                   uint16
		Outcome                                  trace.Outcome
		Class                                    trace.Class
		Flags                                    trace.Flags
	}
	want := []row{
		{1, id(2), id(0), ms(0), ms(900), 2, trace.Server, trace.Transport, "web", "web", "POST /checkout", "POST /checkout", "", "502", 502, trace.Failed, trace.ServerError, 0},
		{1, id(3), id(2), ms(10.5), ms(90.5), 3, trace.Client, trace.Transport, "web", "web", "payments.Charge", "payments.Charge", "payments", "400", 400, trace.Failed, trace.Invalid, 0},
		{1, id(4), id(3), ms(20), ms(80), 4, trace.Server, trace.Transport, "payments", "payments", "Charge", "payments.Charge", "", "400", 400, trace.Failed, trace.Invalid, 0},
		{1, id(5), id(2), ms(190), ms(270), 5, trace.Client, trace.Transport, "web", "web", "payments.Charge", "payments.Charge", "payments", "", 0, trace.OK, trace.NoError, 0},
		{2, id(7), id(0), ms(5), ms(6), 7, trace.Client, trace.Transport, "batch", "b-1", "feeds.eu.List", "feeds.eu.List", "feeds.eu", "", 0, trace.Failed, trace.UnknownError, trace.NoAnswer},
	}
	var got []row
	for _, s := range store.Spans {
		got = append(got, row{s.Trace[15], s.ID, s.Parent, s.Start, s.End, s.Line, s.Kind, s.Layer,
			store.Text(s.Service), store.Text(s.Instance), store.Text(s.Op), store.Text(s.Ask), store.Text(s.Address), store.Text(s.Code),
			s.Status, s.Outcome, s.Class, s.Flags})
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("spans (-want +got):\n%s", diff)
	}
	if len(store.Facts) != 1 {
		t.Errorf("found %d rows of facts, wanted none", len(store.Facts)-1)
	}
	var wants []string
	for _, w := range scene.Wants() {
		wants = append(wants, fmt.Sprint(w.Line, w.Edge, w.Text))
	}
	if diff := cmp.Diff([]string{"5 false twice", "5 false after 99.5ms"}, wants); diff != "" {
		t.Errorf("wants (-want +got):\n%s", diff)
	}
}

func TestEpoch(t *testing.T) {
	if at := time.Unix(0, Epoch).UTC().Format(time.RFC3339); at != "2026-01-01T00:00:00Z" {
		t.Errorf("Epoch is %s", at)
	}
}

func TestKinds(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"0+1 web: op ok", "2 transport web.op"},
		{"0+9 web: op ok\n  1+1 web: step ok", "1 app step"},
		{"0+9 web: op ok\n  ? lost\n    1+1 web: step ok", "1 app step"},
		{"0+9 web: op ok\n  1+1 db: read ok", "2 transport db.read"},
		{"0+9 web: op ok\n  1+3 -> web.op ok\n    2+1 web: op ok", "2 transport web.op"},
		{"0+9 web: op ok layer=agent", "1 agent op"},
		{"0+9 web: op ok layer=gateway", "2 gateway web.op"},
		{"0+9 jobs: mail ok layer=queue", "5 queue mail"},
		{"0+9 jobs: mail ok kind=producer layer=queue", "4 queue mail"},
		{"0+9 web: a.b ok", "2 transport a.b"},
		{"0+9 web: a/b ok", "2 transport a/b"},
		{"0+9 web -> cache ok", "3 transport cache"},
		{"0+9 web -> a.b.example POST /v1/x ok", "3 transport POST /v1/x"},
		{"0+9 web: chat ok layer=sdk model=m", "1 sdk model generate"},
		{"0+9 web: chat ok layer=sdk model=m ask=invoke_agent", "1 sdk invoke_agent"},
		{"0+9 web: chat ok layer=sdk task=embed", "1 sdk model embed"},
		{"0+9 web: op ok layer=agent\n  1+2 web: run ok tool=search", "1 tool tool search"},
		{"0+9 jobs: mail ok layer=queue queue=mails", "5 queue queue mails"},
		{"0+9 web: op ok\n  1+2 -> tools.run ok tool=search", "3 transport tool search"},
	} {
		store, s, _ := last(t, tt.text)
		if got := fmt.Sprintf("%d %s %s", s.Kind, s.Layer, store.Text(s.Ask)); got != tt.want {
			t.Errorf("%s\nis %q, wanted %q", tt.text, got, tt.want)
		}
	}
}

func TestCodes(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"200", "OK 0  certain 200 "},
		{"ok", "OK 0  certain 0 "},
		{"fail", "Failed unknown UNKNOWN possible 0 "},
		{"-", "Failed unknown UNKNOWN possible 0  noanswer"},
		{"- layer=sdk", "Unstated 0   0 "},
		{"timeout", "Failed timeout WAIT certain 0 timeout noanswer"},
		{"reset", "Failed reset WAIT certain 0 reset noanswer"},
		{"reset layer=sdk", "Failed reset WAIT certain 0 reset"},
		{"cut", "Cut cancelled UNKNOWN certain 0 cancelled noanswer"},
		{"499", "Cut cancelled UNKNOWN certain 499 499"},
		{"429", "Failed transient-rate-limit CAP likely 429 429"},
		{"429 class=quota-billing code=insufficient_quota", "Failed quota-billing STOP certain 429 insufficient_quota"},
		{"200 class=overload conf=likely", "Failed overload CAP likely 200 "},
		{"200 class=cancelled", "Cut cancelled UNKNOWN certain 200 "},
		{"500 verdict=stop", "Failed server-error STOP likely 500 500"},
		{"500 verdict=unknown", "Failed server-error UNKNOWN likely 500 500"},
		{"500 verdict=wait conf=possible", "Failed server-error WAIT possible 500 500"},
		{"500 verdict=cap conf=certain", "Failed server-error CAP certain 500 500"},
		{"307", "OK 0  certain 307  redirected"},
		{"304", "OK 0  certain 304 "},
	} {
		store, s, _ := last(t, "0+9 web -> api.get "+tt.text)
		outcome := [...]string{"Unstated", "OK", "Failed", "Cut"}[s.Outcome]
		class := s.Class.String()
		if s.Class == trace.NoError {
			class = "0"
		}
		got := fmt.Sprintf("%s %s %s %s %d %s", outcome, class, s.Verdict, s.ClassConf, s.Status, store.Text(s.Code))
		if s.Flags.Has(trace.NoAnswer) {
			got += " noanswer"
		}
		if s.Flags.Has(trace.Redirected) {
			got += " redirected"
		}
		if got != tt.want {
			t.Errorf("%s\nis     %q\nwanted %q", tt.text, got, tt.want)
		}
	}
}

func TestFacts(t *testing.T) {
	const ms = int64(time.Millisecond)
	for _, tt := range []struct {
		attrs string
		want  func(store *trace.Store, f *trace.Facts)
	}{
		{"attempt=2 max=5", func(st *trace.Store, f *trace.Facts) {
			f.Counter = trace.Counter{Meaning: trace.Ordinal, N: 2, Source: st.Sym("attempt")}
			f.DeclaredMax = 5
		}},
		{"received=1", func(st *trace.Store, f *trace.Facts) {
			f.Counter = trace.Counter{Meaning: trace.Ordinal, N: 1, Received: true, Source: st.Sym("received")}
		}},
		{"resend=3", func(st *trace.Store, f *trace.Facts) {
			f.Counter = trace.Counter{Meaning: trace.Ordinal, N: 3, Resends: true, Source: st.Sym("resend")}
		}},
		{"total=4", func(st *trace.Store, f *trace.Facts) {
			f.Counter = trace.Counter{Meaning: trace.Total, N: 4, Source: st.Sym("total")}
		}},
		{"max=3", func(_ *trace.Store, f *trace.Facts) { f.DeclaredMax = 3 }},
		{"retry_after=2s", func(st *trace.Store, f *trace.Facts) {
			f.RetryAfter = trace.Asked{State: trace.For, D: 2 * time.Second, Source: st.Sym("retry_after")}
		}},
		{"retry_after=0s", func(st *trace.Store, f *trace.Facts) {
			f.RetryAfter = trace.Asked{State: trace.For, Source: st.Sym("retry_after")}
		}},
		{"retry_after=never", func(st *trace.Store, f *trace.Facts) {
			f.RetryAfter = trace.Asked{State: trace.Never, Source: st.Sym("retry_after")}
		}},
		{"retry_after=unusable", func(st *trace.Store, f *trace.Facts) {
			f.RetryAfter = trace.Asked{State: trace.Unusable, Source: st.Sym("retry_after")}
		}},
		{"retry_after=until:2500", func(st *trace.Store, f *trace.Facts) {
			f.RetryAfter = trace.Asked{State: trace.Until, At: Epoch + 2500*ms, Source: st.Sym("retry_after")}
		}},
		{"deadline=2s", func(st *trace.Store, f *trace.Facts) {
			f.Deadline = trace.Deadline{Scope: trace.CallScope, D: 2 * time.Second, Source: st.Sym("deadline")}
		}},
		{"deadline=at:700", func(st *trace.Store, f *trace.Facts) {
			f.Deadline = trace.Deadline{Scope: trace.CallScope, At: Epoch + 700*ms, Source: st.Sym("deadline")}
		}},
		{"attempt_timeout=1s", func(st *trace.Store, f *trace.Facts) {
			f.Deadline = trace.Deadline{Scope: trace.AttemptScope, D: time.Second, Source: st.Sym("attempt_timeout")}
		}},
		{"request=R request=answered:Q", func(st *trace.Store, f *trace.Facts) {
			f.Keys = []trace.Key{{ID: st.Sym("R"), Kind: trace.RequestKey, Dir: trace.Sent}, {ID: st.Sym("Q"), Kind: trace.RequestKey, Dir: trace.Answered}}
		}},
		{"parent_request=received:R message=M job=J idempotency=I", func(st *trace.Store, f *trace.Facts) {
			f.Keys = []trace.Key{{ID: st.Sym("R"), Kind: trace.ParentKey, Dir: trace.Received}, {ID: st.Sym("M"), Kind: trace.MessageKey, Dir: trace.Sent},
				{ID: st.Sym("J"), Kind: trace.JobKey, Dir: trace.Sent}, {ID: st.Sym("I"), Kind: trace.IdempotencyKey, Dir: trace.Sent}}
		}},
		{"call=C", func(st *trace.Store, f *trace.Facts) {
			f.CallID = st.Sym("C")
			f.Keys = []trace.Key{{ID: st.Sym("C"), Kind: trace.InvocationKey, Dir: trace.Sent}}
		}},
		{"link=1", func(_ *trace.Store, f *trace.Facts) {
			f.Links = []trace.Link{{Trace: trace.TraceID{15: 1}, ID: trace.SpanID{7: 1}}}
		}},
		{"tokens=10/20 bytes=30 chunks=4", func(_ *trace.Store, f *trace.Facts) {
			f.InTokens, f.OutTokens, f.Bytes, f.Chunks = 10, 20, 30, 4
		}},
		{"tokens=10/", func(_ *trace.Store, f *trace.Facts) { f.InTokens = 10 }},
		{"tokens=/0", func(_ *trace.Store, f *trace.Facts) { f.OutTokens = 0 }},
		{"first=12.5 cancelled=40", func(_ *trace.Store, f *trace.Facts) {
			f.FirstOutput, f.CancelledAt = Epoch+7*ms+12_500_000, Epoch+47*ms
		}},
		{"event=retry:5 event=chunk:6", func(_ *trace.Store, f *trace.Facts) {
			f.Events = []trace.Event{{At: Epoch + 12*ms, Kind: trace.RetryEvent}, {At: Epoch + 13*ms, Kind: trace.FirstChunk}}
		}},
		{"event=fallback:0 event=cancel:1", func(_ *trace.Store, f *trace.Facts) {
			f.Events = []trace.Event{{At: Epoch + 7*ms, Kind: trace.FallbackEvent}, {At: Epoch + 8*ms, Kind: trace.CancelEvent}}
		}},
		{"needs=tools,schema has=vision,region", func(_ *trace.Store, f *trace.Facts) {
			f.Needs, f.Has = trace.Tools|trace.Schema, trace.Vision|trace.Region
		}},
		{"stack=got,p-retry", func(st *trace.Store, f *trace.Facts) {
			f.Libraries = st.Sym("got,p-retry")
		}},
		{"within=tenacity", func(st *trace.Store, f *trace.Facts) { f.Libraries, f.Within = st.Sym("tenacity"), true }},
		{"model=m session=s step=p provider=v channel=c refuser=gateway tool=x", func(st *trace.Store, f *trace.Facts) {
			f.Model, f.Session, f.Step, f.Provider = st.Sym("m"), st.Sym("s"), st.Sym("p"), st.Sym("v")
			f.Channel, f.Refuser, f.Tool = st.Sym("c"), st.Sym("gateway"), st.Sym("x")
		}},
		{`input="a prompt"`, func(_ *trace.Store, f *trace.Facts) { f.InputHash = hash("a prompt") }},
	} {
		store, _, got := last(t, "0+9 other: op ok\n\n7+9 web -> api.get 503 "+tt.attrs)
		want := trace.NewFacts()
		tt.want(store, &want)
		if got == nil {
			t.Errorf("%s: no facts", tt.attrs)
		} else if diff := cmp.Diff(want, *got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.attrs, diff)
		}
	}
}

func TestSpanAttributes(t *testing.T) {
	store, s, f := last(t, "0+9 web -> api POST /x 200 agent=openai-python scope=httpx address=host:443 instance=w-1 kind=internal layer=sdk "+
		"ask=q args=a id=1 final stream health longpoll transparent neversent readonly redirected run")
	if f != nil {
		t.Errorf("found facts %v, wanted none", f)
	}
	all := trace.FinalAnswer | trace.Streaming | trace.Health | trace.LongPoll | trace.Transparent | trace.NeverSent | trace.ReadOnly | trace.Redirected | trace.Job
	got := fmt.Sprint(store.Text(s.Agent), store.Text(s.Scope), store.Text(s.Address), store.Text(s.Instance), s.Kind, s.Layer, store.Text(s.Ask), s.ArgsHash == hash("a"), s.Flags == all)
	want := fmt.Sprint("openai-python", "httpx", "host:443", "w-1", trace.Internal, trace.SDK, "q", true, true)
	if got != want {
		t.Errorf("is     %q\nwanted %q", got, want)
	}
	for _, tt := range []struct {
		text string
		want trace.Flags
	}{
		{"0+1 web: GET /x 200", trace.ReadOnly},
		{"0+1 web: chat ok model=m", trace.ModelAsk},
		{"0+1 web: chat ok model=m ask=invoke_agent", 0},
		{"0+1 web: POST /v1/chat ok ask=\"model generate\"", trace.ModelAsk},
		{"0+1 web: run ok tool=t", trace.ToolRun},
		{"0+1 web: run ok job=J", trace.Job},
		{"0+1 web: run ok job=sent:J", 0},
		{"0+1 web -> q.put ok job=J", 0},
	} {
		if _, s, _ := last(t, tt.text); s.Flags != tt.want {
			t.Errorf("%s: flags %b, wanted %b", tt.text, s.Flags, tt.want)
		}
	}
	store, s, _ = last(t, "0+9 web: op ok instance=w-1 layer=agent\n  ?\n    1+1 -> x.y ok")
	if got := store.Text(s.Service) + " " + store.Text(s.Instance) + " " + store.Text(s.Scope) + s.Parent.String(); got != "web w-1 0000000000000002" {
		t.Errorf("below a ghost: %q", got)
	}
}

func TestRepeat(t *testing.T) {
	scene := parse(t, `set allow=1 tools="[a, b]"
0+5 seed: op ok

trace x3 every 2ms
0+100      job%n: run  503  instance=i%n request=r%n
  10+20      -> feed.List  503
  40~10+20   -> feed.List  503 link=2
want * -> feed.List `+"`3 of 3`"+`
`)
	store := scene.Store()
	if len(store.Spans) != 10 {
		t.Fatalf("found %d spans, wanted 10", len(store.Spans))
	}
	waits := map[int64]bool{}
	for n := range 3 {
		root, first, second := store.Spans[1+3*n], store.Spans[2+3*n], store.Spans[3+3*n]
		if root.Trace[15] != byte(2+n) || root.ID != (trace.SpanID{7: 5}) || second.Parent != root.ID {
			t.Errorf("copy %d: trace %s, span %s", n, root.Trace, root.ID)
		}
		from := Epoch + int64(n)*2e6
		if root.Start != from || first.Start != from+10e6 || first.End != from+30e6 {
			t.Errorf("copy %d: starts at %d, its first attempt at %d until %d", n, root.Start-Epoch, first.Start-Epoch, first.End-Epoch)
		}
		wait := second.Start - first.End
		if wait < 10e6 || wait > 20e6 || second.Duration() != 20*time.Millisecond || root.End-from != 100e6+wait-10e6 {
			t.Errorf("copy %d: wait %d, second attempt %s, root %s", n, wait, second.Duration(), root.Duration())
		}
		waits[wait] = true
		for _, y := range []trace.Sym{root.Service, first.Service, root.Instance, second.Instance, store.FactsOf(&root).Keys[0].ID} {
			if text := store.Text(y); !strings.HasSuffix(text, fmt.Sprint(n+1)) {
				t.Errorf("copy %d: found %q", n, text)
			}
		}
		if link := store.FactsOf(&second).Links[0]; link.Trace != (trace.TraceID{15: 1}) || link.ID != (trace.SpanID{7: 2}) {
			t.Errorf("copy %d: link %v", n, link)
		}
	}
	if len(waits) != 3 {
		t.Errorf("found %d different waits, wanted 3", len(waits))
	}
	if diff := cmp.Diff(map[string]string{"allow": "1", "tools": "[a, b]"}, scene.Options()); diff != "" {
		t.Errorf("options (-want +got):\n%s", diff)
	}
	w := scene.Wants()[0]
	if !w.Edge || w.Owner != "*" || w.Upstream != "feed.List" || w.Text.String() != "3 of 3" {
		t.Errorf("want %+v", w)
	}
	if diff := cmp.Diff(store.Spans, scene.Store().Spans); diff != "" {
		t.Errorf("the second store differs:\n%s", diff)
	}
}

// Draws must fill their range evenly, or the jitter of scenes is none.
func TestDraw(t *testing.T) {
	var tenths [10]int
	for n := range 10000 {
		tenths[int(draw(3, n, time.Second)/(100*time.Millisecond))]++
	}
	for i, n := range tenths {
		if n < 900 || n > 1100 {
			t.Errorf("tenth %d has %d of 10000 draws", i, n)
		}
	}
}

func TestFormat(t *testing.T) {
	const loose = `#  a note
set  allow=1   other="a b"
0+900 web: POST /checkout 502 // want ` + "`a`   `b`" + `
     10.50+80 -> payments.Charge 400   stream job=J class=overload kind=client
     ?
         20+1   "web:"   ok
`
	if _, err := Parse(loose); err == nil {
		t.Error("a quoted service was accepted")
	}
	text := strings.Replace(loose, `"web:"   ok`, `web: "a  b" ok`, 1) + "\n\ntrace x2 every 1500us\n-1~2.25+3 a -> \"x // y.z\" - ask=\"\" \n"
	if _, err := Parse(text); err == nil {
		t.Error("an empty value was accepted")
	}
	text = strings.Replace(text, ` ask=""`, ` ask="\"q\""`, 1) + "want  web  ->  a   b `c`"
	text = strings.Replace(text, `"x // y.z"`, `x.y=z`, 1)
	const want = `#  a note
set allow=1 other="a b"
0+900    web: POST /checkout   502  // want ` + "`a` `b`" + `
  10.5+80  -> payments.Charge  400 kind=client class=overload job=J stream
  ?
    20+1     web: "a  b"       ok


trace x2 every 1.5ms
-1~2.25+3  a -> x.y=z  - ask="\"q\""
want web -> a b ` + "`c`" + `
`
	got := parse(t, text).Format()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Format (-want +got):\n%s", diff)
	}
}

func TestErrors(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"0+1 web: op 40", `line 1: found no code after the operation, wanted an HTTP status or one of ok, fail, timeout, reset, cut, -`},
		{"0+1 web: op ok\n0-1 web: op ok", `line 2: found "0-1", wanted START+LENGTH or START~SPREAD+LENGTH in ms`},
		{"0+-1 web: op ok", `line 1: found "0+-1", wanted START+LENGTH or START~SPREAD+LENGTH in ms`},
		{"0~0+1 web: op ok", `line 1: found "0~0+1", wanted START+LENGTH or START~SPREAD+LENGTH in ms`},
		{"1.+1 web: op ok", `line 1: found "1.+1", wanted START+LENGTH or START~SPREAD+LENGTH in ms`},
		{"99999999999+1 web: op ok", `line 1: found "99999999999+1", wanted START+LENGTH or START~SPREAD+LENGTH in ms`},
		{"0+1 op ok", `line 1: found no service after the times, wanted service: operation or -> callee.operation`},
		{"0+1 -> x.y ok", `line 1: found -> without a service around it, wanted service -> callee.operation`},
		{"0+1 web: ok", `line 1: found no operation before the code, wanted one`},
		{"0+1 web -> a b ok", `line 1: found -> a b, wanted callee.operation or callee METHOD /path`},
		{"0+1 web: op ok resnd=1", `line 1: found attribute "resnd", wanted a known one such as "resend"`},
		{"0+1 web: op ok strem", `line 1: found "strem" after the code, wanted key=value or a flag such as "stream"`},
		{"0+1 web: op ok resend=", `line 1: found resend without a value, wanted resend=value`},
		{"0+1 web: op ok call=1 call=2", `line 1: found call twice, wanted it once`},
		{"0+1 web: op resend=1 ok", `line 1: found "resend=1" before the code, wanted attributes after it; quote an operation that looks like one`},
		{"0+1 web: op ok resend=x", `line 1: found resend=x, wanted a count`},
		{"0+1 web: op ok resend=1 attempt=1", `line 1: found resend=1, wanted one of attempt, received, resend and total`},
		{"0+1 web: op ok kind=remote", `line 1: found kind=remote, wanted internal, server, client, producer or consumer`},
		{"0+1 web: op ok layer=lib", `line 1: found layer=lib, wanted a layer from transport to user`},
		{"0+1 web: op ok class=bad", `line 1: found class=bad, wanted the name of a class such as quota-billing`},
		{"0+1 web: op ok verdict=go", `line 1: found verdict=go, wanted wait, cap, stop or unknown`},
		{"0+1 web: op ok conf=sure", `line 1: found conf=sure, wanted possible, likely or certain`},
		{"0+1 web: op ok retry_after=2", `line 1: found retry_after=2, wanted a duration such as 1.5s`},
		{"0+1 web: op ok retry_after=until:x", `line 1: found retry_after=until:x, wanted milliseconds`},
		{"0+1 web: op ok deadline=1s attempt_timeout=1s", `line 1: found attempt_timeout=1s, wanted a line without a deadline`},
		{"0+1 web: op ok tokens=5", `line 1: found tokens=5, wanted IN/OUT, IN/ or /OUT`},
		{"0+1 web: op ok tokens=a/5", `line 1: found tokens=a/5, wanted a count`},
		{"0+1 web: op ok needs=x", `line 1: found needs=x, wanted a list of tools, vision, schema and region`},
		{"0+1 web: op ok event=x:1", `line 1: found event=x:1, wanted retry:MS, fallback:MS, chunk:MS or cancel:MS`},
		{"0+1 web: op ok refuser=me", `line 1: found refuser=me, wanted gateway or provider`},
		{"0+1 web: op ok request=sent:", `line 1: found ID=sent:, wanted sent:ID`},
		{"0+1 web: op ok link=2", `line 1: found link=2, wanted the number of a span's line`},
		{"0+1 web: op ok id=x", `line 1: found id=x, wanted the number of a span's line`},
		{"0+1 web: op ok // wnat `x`", "line 1: found // without want, wanted // want `regexp`; comments begin a line with #"},
		{"0+1 web: op ok // want", `line 1: found nothing after want, wanted a regexp in backquotes`},
		{"0+1 web: op ok // want x", `line 1: found "x" after want, wanted a regexp in backquotes`},
		{"0+1 web: op ok // want `x", "line 1: found \"`x\", wanted a closing backquote"},
		{"0+1 web: op ok // want `(`", "line 1: found want `(`, wanted a regexp: error parsing regexp: missing closing ): `(`"},
		{`0+1 web: "op ok`, `line 1: found "\"op ok", wanted a string in Go quotes`},
		{`0+1 web: "op"x ok`, `line 1: found "x ok" after a closing quote, wanted a blank`},
		{"  0+1 web: op ok", `line 1: found an indented line, wanted the first line of a trace at column 0`},
		{"0+1 a: op ok\n    0+1 b: op ok\n  0+1 c: op ok", `line 3: found indentation by 2, wanted that of a line above`},
		{"0+1 a: op ok\n\t0+1 b: op ok", `line 2: found a tab, wanted indentation by blanks`},
		{"set", `line 1: found nothing after set, wanted name=value`},
		{"set a", `line 1: found "a", wanted name=value`},
		{"set a=1\nset a=2", `line 2: found option a twice, wanted it once`},
		{"trace 50", `line 1: found another text after trace, wanted xN or xN every DURATION, N from 1 to 10000`},
		{"trace x50 each 1ms", `line 1: found another text after trace, wanted xN or xN every DURATION, N from 1 to 10000`},
		{"trace x50 every 1", `line 1: found "1", wanted a duration such as 1.5s`},
		{"trace x50\n\n0+1 a: op ok", `line 1: found no span below trace x50, wanted the trace to repeat`},
		{"0+1 a: op ok\ntrace x50", `line 2: found trace x50 within a trace, wanted an empty line before it`},
		{"trace x9999\n" + strings.Repeat("0+1 a: op ok\n", 11), `line 12: found more than 100000 spans, wanted fewer`},
		{"want a b `c`", "line 1: found another text after want, wanted OWNER -> UPSTREAM `regexp`"},
	} {
		_, err := Parse(tt.text)
		if err == nil {
			t.Errorf("%q was accepted", tt.text)
		} else if err.Error() != tt.want {
			t.Errorf("%q:\nsaid   %s\nwanted %s", tt.text, err, tt.want)
		}
	}
}

// The manual must know every word that Parse knows.
func TestManual(t *testing.T) {
	b, err := os.ReadFile("scene.go")
	if err != nil {
		t.Fatal(err)
	}
	manual, _, _ := strings.Cut(string(b), "package tracetext\n")
	for _, key := range attributes {
		if !strings.Contains(manual, key+"=") {
			t.Errorf("%s= is not in the package comment", key)
		}
	}
	for _, word := range append(flags[:], codeWords[:]...) {
		if !strings.Contains(manual, word) {
			t.Errorf("%s is not in the package comment", word)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("# c\nset a=1\n0+900 web: POST /x 502\n  10.5+80 -> p.C 400 resend=1 stream // want `x` `y`\n  ?\n    1~2+3 a -> b GET /x - ask=\"a b\"\n\ntrace x3 every 1ms\n0+1 j%n: \"a  b\" ok link=3 request=answered:r%n\nwant * -> a.b `c`\n")
	f.Add("0+9 web: chat 429 model=m task=embed retry_after=until:5 deadline=at:7 tokens=1/2 id=1 event=chunk:3\n")
	f.Add("\n\n? x\n  0+1 a: b=c // d ok")
	archives, err := filepath.Glob("../../rules/testdata/*.txtar")
	if err != nil {
		f.Fatal(err)
	}
	for _, path := range archives {
		archive, err := txtar.ParseFile(path)
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range archive.Files {
			f.Add(string(file.Data))
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := Parse(text)
		if err != nil {
			return
		}
		again := s.Format()
		s2, err := Parse(again)
		if err != nil {
			t.Fatalf("%v in\n%s\nwritten for\n%s", err, again, text)
		}
		if diff := cmp.Diff(s, s2); diff != "" {
			t.Fatalf("the scene changed (-want +got):\n%s\n%q\n%q", diff, text, again)
		}
		if third := s2.Format(); third != again {
			t.Fatalf("Format of its own output:\n%s\nis\n%s", again, third)
		}
		s.Wants()
		if store := s.Store(); len(store.Spans) > maxSpans {
			t.Fatalf("%d spans", len(store.Spans))
		}
	})
}
