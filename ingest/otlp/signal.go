package otlp

// signalOf says what a field 1 of a message holds: "spans", "metrics", "logs",
// "profiles", or "" where there is none. All have the shape resource, scopes,
// records; they differ in what a record is (opentelemetry-proto trace.proto,
// metrics.proto, logs.proto and profiles.proto).
func signalOf(b []byte) string {
	for pos := 0; pos < len(b); {
		scopes, next, err := nextField(b, pos)
		if (scopes.number == 2 || scopes.number == 1000) && scopes.wire == wireBytes {
			for pos := 0; pos < len(scopes.body); {
				f, next, err := nextField(scopes.body, pos)
				if f.number == 2 && f.wire == wireBytes {
					if s, _ := signalOfRecord(f.body); s != "" {
						return s
					}
				}
				if err != nil {
					break
				}
				pos = next
			}
		}
		if err != nil {
			return ""
		}
		pos = next
	}
	return ""
}

// signalOfRecord decides by fields that are of another wire type, or not
// there, in the others. It is not sure of a span without any of them.
func signalOfRecord(b []byte) (signal string, sure bool) {
	metric := false
	for pos := 0; pos < len(b); {
		f, next, err := nextField(b, pos)
		if err != nil {
			break
		}
		pos = next
		switch {
		case f.number == 1 && f.wire == wireFixed64, // LogRecord.time_unix_nano
			f.number == 2 && f.wire == wireVarint,   // severity_number
			f.number == 8 && f.wire == wireFixed32,  // flags
			f.number == 11 && f.wire == wireFixed64: // observed_time_unix_nano
			return "logs", true
		case f.number == 6 && f.wire == wireVarint, // Span.kind
			f.number == 7 && f.wire == wireFixed64,  // start_time_unix_nano
			f.number == 8 && f.wire == wireFixed64,  // end_time_unix_nano
			f.number == 10 && f.wire == wireVarint,  // dropped_attributes_count
			f.number == 16 && f.wire == wireFixed32: // flags
			return "spans", true
		case f.number == 5 && f.wire == wireBytes, // Metric.gauge, Span.name
			f.number == 7 && f.wire == wireBytes, // Metric.sum
			f.number == 9 && f.wire == wireBytes, // Metric.histogram, Span.attributes
			f.number == 10 && f.wire == wireBytes,
			f.number == 11 && f.wire == wireBytes, // Metric.summary, Span.events
			f.number == 12 && f.wire == wireBytes:
			metric = true
		}
	}
	// A span without kind and times is left with its IDs, which a metric's name
	// and description resemble in length at best.
	ids := hasIDs(b)
	if ids || !metric {
		return "spans", ids
	}
	return "metrics", true
}

// hasIDs reports whether the fields 1 and 2 have the length of a span's IDs
// and are not both text. They may be the last: the Collector writes the fields
// of a message in reverse.
func hasIDs(b []byte) bool {
	var first, second []byte
	for pos := 0; pos < len(b); {
		f, next, err := nextField(b, pos)
		if err != nil {
			break
		}
		pos = next
		switch f.number {
		case 1:
			first = f.body
		case 2:
			second = f.body
		}
	}
	return len(first) == 16 && len(second) == 8 && !(printable(first) && printable(second))
}

func printable(b []byte) bool {
	for _, c := range b {
		if c < ' ' || c > '~' {
			return false
		}
	}
	return true
}
