package otlp

// part is a message in a span, a resource or a scope, or one of these.
type part int

const (
	plainPart part = iota // without elements in it
	spanPart
	resourcePart
	scopePart
	eventPart
	linkPart
	keyValuePart
	valuePart
	listPart
	mapPart
	entityPart
)

// field returns what the field of a part is and for how many elements one
// occurrence stands (opentelemetry-proto trace.proto, common.proto).
func (p part) field(number int) (part, int) {
	switch {
	case p == spanPart && number == 9, p == resourcePart && number == 1, p == scopePart && number == 3,
		p == eventPart && number == 3, p == linkPart && number == 4, p == mapPart && number == 1:
		return keyValuePart, 1
	case p == spanPart && number == 11:
		return eventPart, 1
	case p == spanPart && number == 13:
		return linkPart, 1
	case p == keyValuePart && number == 2:
		return valuePart, 0
	case p == valuePart && number == 5:
		return listPart, 0
	case p == valuePart && number == 6:
		return mapPart, 0
	case p == listPart && number == 1:
		return valuePart, 1
	case p == resourcePart && number == 3: // entity_refs
		return entityPart, 1
	case p == entityPart && (number == 3 || number == 4): // the keys of an entity
		return plainPart, 1
	}
	return plainPart, 0
}

// minElement is the size in bytes of an element without content.
const minElement = 2

// maxNesting is how many messages in each other pdata reads.
const maxNesting = 100

// tooMany reports whether b has more than max elements.
func (p part) tooMany(b []byte, max int) bool {
	return len(b)/minElement > max && p.elements(b, max, maxNesting) > max
}

// elements counts the elements in b up to the first beyond max, or to what
// pdata does not read either.
func (p part) elements(b []byte, max, nesting int) int {
	n := 0
	for pos := 0; pos < len(b) && n <= max; {
		f, next, err := nextField(b, pos)
		if err != nil {
			return n
		}
		pos = next
		if f.wire != wireBytes {
			continue
		}
		in, count := p.field(f.number)
		n += count
		if in != plainPart && nesting > 0 {
			n += in.elements(f.body, max-n, nesting-1)
		}
	}
	return n
}
