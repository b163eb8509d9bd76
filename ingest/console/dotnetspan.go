package console

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/retryaudit/retryaudit/ingest/decode"
	"github.com/retryaudit/retryaudit/ingest/record"
)

// dotnetSpan is a span of which some lines have been read.
type dotnetSpan struct {
	record.Span
	sink    *decode.Sink
	section section
	broken  bool // an ID cannot be used
	started bool // the start time has come
	// value is where the next line belongs if it begins nothing new: values
	// are printed with the line feeds in them. It gets these lines at once.
	value *string
	more  []byte
	times []string // of the events
}

// begin says where the lines belong that begin nothing new from here on.
func (s *dotnetSpan) begin(value *string) {
	if s.value != nil && len(s.more) > 0 {
		*s.value += string(s.more)
	}
	s.value, s.more = value, s.more[:0]
}

// goOn adds a line to the value that was begun, if there is one.
func (s *dotnetSpan) goOn(text string) bool {
	if s.value == nil {
		return false
	}
	if len(*s.value)+len(s.more) <= s.sink.MaxString {
		s.more = append(append(s.more, '\n'), text...)
	}
	return true
}

func (s *dotnetSpan) object() *decode.Object {
	return &decode.Object{Line: s.Line, Offset: s.Offset}
}

func str(s string) record.Value { return record.Value{Type: record.String, S: s} }

// field reads a line in the first column.
func (s *dotnetSpan) field(name, value string) {
	s.section = sections[name]
	s.begin(nil)
	v := str(value)
	switch name {
	case "Activity.TraceId":
		s.broken = !s.sink.HexID(s.object(), "trace ID", &v, s.Trace[:]) || s.broken
	case "Activity.SpanId":
		s.broken = !s.sink.HexID(s.object(), "span ID", &v, s.ID[:]) || s.broken
	case "Activity.ParentSpanId":
		s.sink.HexID(s.object(), "parent span ID", &v, s.Parent[:])
	case "Activity.Id", "Activity.ParentId":
		s.w3c(name, value)
	case "Activity.TraceState":
		s.TraceState = value
	case "Activity.ActivitySourceName", "Instrumentation scope (ActivitySource)":
		s.Scope = value
	case "Activity.DisplayName":
		s.Name = value
		s.begin(&s.Name)
	case "Activity.Kind":
		s.Kind = decode.Kind(value)
	case "Activity.StartTime":
		s.started = true
		s.Start = s.sink.TimeOf(s.object(), "start time", &v, decode.Nanosecond)
	case "Activity.Duration":
		s.duration(value)
	default:
		s.status(name, value)
	}
}

// status reads a line about the status, which stands among the tags where it
// was set as one (otel.status_code).
func (s *dotnetSpan) status(name, value string) bool {
	switch strings.TrimPrefix(name, "Activity.") {
	case "StatusCode", "otel.status_code":
		s.Status = decode.Status(value)
		s.begin(nil)
	case "StatusDescription", "otel.status_description":
		s.begin(nil)
		s.StatusMessage = value
		s.begin(&s.StatusMessage)
	default:
		return false
	}
	return true
}

// w3c reads the IDs of 1.0, in the form of a traceparent.
func (s *dotnetSpan) w3c(name, value string) {
	part := strings.Split(value, "-")
	if len(part) != 4 {
		s.sink.Problem(decode.FaultID, s.Line, s.Offset, "%s: found %q; want 00-trace ID-span ID-flags", name, decode.Excerpt(value))
		s.broken = s.broken || name == "Activity.Id"
		return
	}
	traceID, spanID := str(part[1]), str(part[2])
	if name == "Activity.ParentId" {
		s.sink.HexID(s.object(), "parent span ID", &spanID, s.Parent[:])
		return
	}
	okTrace := s.sink.HexID(s.object(), "trace ID", &traceID, s.Trace[:])
	okSpan := s.sink.HexID(s.object(), "span ID", &spanID, s.ID[:])
	s.broken = s.broken || !okTrace || !okSpan
}

// timeSpan is TimeSpan.ToString of .NET: days, hours, minutes, seconds.
var timeSpan = regexp.MustCompile(`^(?:(\d{1,5})\.)?(\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?$`)

func (s *dotnetSpan) duration(value string) {
	m := timeSpan.FindStringSubmatch(value)
	if m == nil {
		s.sink.Problem(decode.FaultValue, s.Line, s.Offset, "duration: found %q; want one like 00:00:00.1234567", decode.Excerpt(value))
		return
	}
	number := func(s string) int64 {
		n, _ := strconv.ParseInt(s, 10, 64) // digits, or none
		return n
	}
	n := ((number(m[1])*24+number(m[2]))*60+number(m[3]))*60 + number(m[4])
	n = n*int64(time.Second) + number((m[5] + "000000000")[:9])
	if s.Start > 0 && n <= math.MaxInt64-s.Start {
		s.End = s.Start + n
	}
}

// tag is a line with a name and a value. A line with white space in the name,
// or with JSON, is taken to go on with the value before.
var tag = regexp.MustCompile(`^(?: {4}| {8})([^\s"'{\[(<]\S*?):(?: (.*))?$`)

var (
	eventLine = regexp.MustCompile(`^    (\S.*|) \[(.*)\]$`)
	linkLine  = regexp.MustCompile(`^    ([0-9a-f]{32}) ([0-9a-f]{16})$`)
)

const schemaURL = "    Schema URL: "

// add reads a line that is none of the fields. It reports whether it is a part
// of the span.
func (s *dotnetSpan) add(text string) bool {
	switch s.section {
	case events:
		if m := eventLine.FindStringSubmatch(text); m != nil {
			s.begin(nil)
			s.Events = append(s.Events, record.Event{Name: m[1]})
			s.times = append(s.times, m[2])
			return true
		}
	case links:
		if m := linkLine.FindStringSubmatch(text); m != nil {
			var l record.Link
			traceID, spanID := str(m[1]), str(m[2])
			s.begin(nil)
			if linkIDs(s.sink, s.object(), &l, &traceID, &spanID) {
				s.Links = append(s.Links, l)
			}
			return true
		}
	case skipped:
		return true
	case scope, resource:
		if strings.HasPrefix(text, schemaURL) {
			return true
		}
	}
	if m := tag.FindStringSubmatch(text); m != nil && s.tag(m[1], m[2], strings.HasPrefix(text, "        ")) {
		return true
	}
	return s.goOn(text)
}

// tag files a name and a value. It reports whether they stand where those of
// the section do.
func (s *dotnetSpan) tag(key, value string, deep bool) bool {
	var to *[]record.Attr
	switch {
	case s.section == tags && !deep:
		if s.status(key, value) {
			return true
		}
		to = &s.Attrs
	case s.section == resource && !deep:
		// Behind the last one there are lines of others, rather than its own.
		s.Resource = append(s.Resource, record.Attr{Key: key, Value: str(value)})
		return true
	case s.section == events && deep && len(s.Events) > 0:
		to = &s.Events[len(s.Events)-1].Attrs
	case s.section == links && deep && len(s.Links) > 0:
		to = &s.Links[len(s.Links)-1].Attrs
	case s.section == scope && !deep:
		switch key {
		case "Name":
			s.Scope = value
		case "Version":
			s.ScopeVersion = value
		}
		return true
	case s.section == scope: // tags of the scope
		return true
	default:
		return false
	}
	s.begin(nil)
	*to = append(*to, record.Attr{Key: key, Value: str(value)})
	s.begin(&(*to)[len(*to)-1].Value.S)
	return true
}

// finish reads what needs the whole span. It reports whether the span can be
// used.
func (s *dotnetSpan) finish() bool {
	s.begin(nil)
	if s.broken {
		return false
	}
	if !s.started { // its IDs may be cut, too
		s.sink.Problem(decode.FaultSyntax, s.Line, s.Offset, "unexpected end of the span that begins here; want its start time and duration; skipped it")
		return false
	}
	for _, text := range []*string{&s.Name, &s.StatusMessage, &s.Scope, &s.ScopeVersion, &s.TraceState} {
		*text = s.sink.Clip(*text, s.Line, s.Offset)
	}
	s.values(s.Attrs)
	s.values(s.Resource)
	for i := range s.Events {
		s.values(s.Events[i].Attrs)
		at, ok := s.eventTime(s.times[i])
		if !ok {
			s.sink.Problem(decode.FaultValue, s.Line, s.Offset, "time of an event: found %q; want a date", decode.Excerpt(s.times[i]))
		}
		s.Events[i].Time = at
	}
	for i := range s.Links {
		s.values(s.Links[i].Attrs)
	}
	return true
}

// values reads the lists, which are printed as JSON; all else stays text.
func (s *dotnetSpan) values(attrs []record.Attr) {
	for i := range attrs {
		v := &attrs[i].Value
		if strings.HasPrefix(v.S, "[") && strings.HasSuffix(v.S, "]") {
			if list, err := decode.Parse(v.S, s.sink.Limits); err == nil && flat(list.List) {
				*v = list
				continue
			}
		}
		v.S = s.sink.Clip(v.S, s.Line, s.Offset)
	}
}

// flat reports whether a list has no lists or objects in it: arrays of .NET
// have none, a text that happens to be JSON may.
func flat(list []record.Value) bool {
	for _, v := range list {
		if v.Type == record.List || v.Type == record.Map {
			return false
		}
	}
	return true
}

// dates are DateTimeOffset.ToString in the cultures of .NET: month first, day
// first and year first, with 12 or 24 hours.
var dates = []string{
	"1/2/2006 3:04:05 PM -07:00", "1/2/2006 15:04:05 -07:00",
	"2/1/2006 3:04:05 PM -07:00", "2/1/2006 15:04:05 -07:00", "2.1.2006 15:04:05 -07:00", "2-1-2006 15:04:05 -07:00",
	"2006/1/2 15:04:05 -07:00", "2006-1-2 15:04:05 -07:00", "2006-1-2 3:04:05 PM -07:00",
}

// eventTime reads the time of an event, in full seconds and the order of the
// culture. Of several readings the one nearest to the span's start holds.
func (s *dotnetSpan) eventTime(text string) (ns int64, ok bool) {
	if at, err := time.Parse(time.RFC3339Nano, text); err == nil && at.Year() >= 1970 && at.Year() < 2262 {
		return at.UnixNano(), true
	}
	text = strings.NewReplacer("\u202f", " ", "\u00a0", " ").Replace(text)
	for _, layout := range dates {
		at, err := time.Parse(layout, text)
		if err != nil || at.Year() < 1970 || at.Year() > 2261 {
			continue
		}
		if n := at.UnixNano(); !ok || away(n, s.Start) < away(ns, s.Start) {
			ns, ok = n, true
		}
	}
	return ns, ok
}

// away is the distance of two times since 1970.
func away(a, b int64) int64 { return max(a-b, b-a) }
