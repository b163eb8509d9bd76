package decode

import (
	"bytes"
	"errors"
	"io"
	"math"
	"slices"
	"strconv"

	"github.com/retryaudit/retryaudit/ingest/record"
)

// Object is one record as its format wrote it. Its Map holds the members in
// their order; a name that stands twice is there twice.
type Object struct {
	record.Value
	Line   int // at which it begins
	Offset int64
}

// Object reads the next value, which is to be an object; what names it in
// problems. ok is false where there is none that can be used, which has been
// reported.
func (d *JSON) Object(what string, o *Object) (ok bool, err error) {
	if k := d.Kind(); k != '{' && k != 0 {
		return false, d.wrongKind(what, "an object")
	}
	*o = Object{}
	ok, err = d.Limited(what, func() error { return d.value(&o.Value, d.MaxDepth+1) })
	o.Line, o.Offset = d.StartLine, d.Start
	return ok && err == nil, err
}

// Partly reads the next value, an object, of which take reads some members: for
// each it says whether it has. All others are kept in o. complete is false
// where the object could not be read to its end, which has been reported.
func (d *JSON) Partly(what string, o *Object, take func(name string) (taken bool, err error)) (complete bool, err error) {
	*o = Object{}
	o.Line, o.Offset = d.Begin()
	o.Type = record.Map
	return d.Limited(what, func() error {
		return d.Members(what, func(name []byte) error {
			a := record.Attr{Key: string(name)} // a copy, as take reads on
			if taken, err := take(a.Key); taken || err != nil {
				return err
			}
			if err := d.Within(what, &a.Value); err != nil {
				return err
			}
			o.Map = append(o.Map, a)
			return nil
		})
	})
}

// Value reads the next value, whatever it is; what names it in problems.
func (d *JSON) Value(what string, v *record.Value) error {
	*v = record.Value{}
	_, err := d.Limited(what, func() error { return d.value(v, d.MaxDepth) })
	return err
}

// Within reads the next value as part of the element that is being read.
func (d *JSON) Within(what string, v *record.Value) error {
	if err := d.Element(what); err != nil {
		return err
	}
	return d.value(v, d.MaxDepth)
}

// value reads a value that may be depth deep. Whole numbers become Int,
// others Double.
func (d *JSON) value(v *record.Value, depth int) error {
	*v = record.Value{}
	if depth == 0 {
		line, offset := d.Begin()
		d.Problem(FaultDepth, line, offset, "value of more than %d levels (MaxDepth); left empty", d.MaxDepth)
		return d.Skip()
	}
	switch d.Kind() {
	case '{':
		v.Type = record.Map
		if err := d.Token(); err != nil {
			return err
		}
		for {
			name, err := d.Name()
			if err != nil || name == nil {
				return err
			}
			if err := d.Element("object"); err != nil {
				return err
			}
			v.Map = append(v.Map, record.Attr{Key: d.names.of(name)})
			if err := d.value(&v.Map[len(v.Map)-1].Value, depth-1); err != nil {
				return err
			}
		}
	case '[':
		v.Type = record.List
		return d.Each("list", func() error {
			if err := d.Element("object"); err != nil {
				return err
			}
			v.List = append(v.List, record.Value{})
			return d.value(&v.List[len(v.List)-1], depth-1)
		})
	case '"':
		v.Type = record.String
		return d.Str("string", &v.S)
	case '0':
		b, _, err := d.scalar("number", "a number")
		if err == nil {
			*v = Number(b)
		}
		return err
	case 't', 'f':
		v.Type = record.Bool
		return d.Boolean("boolean", &v.B)
	}
	return d.Skip() // null, or the error that waits
}

// Number reads a number: one without fraction and exponent becomes an Int if
// 64 bits hold it, others a Double. What is no number is a string, as is a
// whole one that needs the 64th bit: it is an ID.
func Number(b []byte) record.Value {
	if n, err := strconv.ParseInt(string(b), 10, 64); err == nil {
		return record.Value{Type: record.Int, I: n}
	}
	if _, err := strconv.ParseUint(string(b), 10, 64); err == nil {
		// An ID of 64 bits, which a Double would round.
		return record.Value{Type: record.String, S: string(b)}
	}
	if f, err := strconv.ParseFloat(string(b), 64); err == nil && !math.IsInf(f, 0) {
		return record.Value{Type: record.Double, D: f}
	}
	return record.Value{Type: record.String, S: string(b)}
}

// Parse reads JSON that stands in a string. Of what is above the limits of lim
// as much is cut as in any other JSON.
func Parse(s string, lim Limits) (record.Value, error) {
	d := NewJSON(bytes.NewReader([]byte(s)), lim, nil, "JSON")
	var v record.Value
	complete, err := d.Limited("JSON", func() error { return d.value(&v, lim.MaxDepth) })
	if err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return v, err
	}
	if !complete {
		return record.Value{}, errors.New(d.Result.Problems[0].Reason)
	}
	if err := d.Token(); err != io.EOF {
		return v, errors.New("found more behind the value")
	}
	if v.Type == record.Empty && len(d.Result.Problems) > 0 {
		return v, errors.New(d.Result.Problems[0].Reason)
	}
	return v, nil
}

// Member returns the value of the first of the names that v has with a value,
// nil if there is none.
func Member(v *record.Value, names ...string) *record.Value {
	if v == nil || v.Type != record.Map {
		return nil
	}
	for _, name := range names {
		for i := range v.Map {
			if v.Map[i].Key == name && v.Map[i].Value.Type != record.Empty {
				return &v.Map[i].Value
			}
		}
	}
	return nil
}

// At follows the names into objects in objects.
func At(v *record.Value, path ...string) *record.Value {
	for _, name := range path {
		v = Member(v, name)
	}
	return v
}

// Text returns a string as it is and a number or a boolean in decimal; others
// and nil are empty.
func Text(v *record.Value) string {
	if v == nil {
		return ""
	}
	switch v.Type {
	case record.String, record.Bytes:
		return v.S
	case record.Int:
		return strconv.FormatInt(v.I, 10)
	case record.Double:
		return strconv.FormatFloat(v.D, 'f', -1, 64)
	case record.Bool:
		return strconv.FormatBool(v.B)
	}
	return ""
}

// List returns the elements of a list; others and nil have none.
func List(v *record.Value) []record.Value {
	if v == nil || v.Type != record.List {
		return nil
	}
	return v.List
}

// Map returns the members of an object; others and nil have none.
func Map(v *record.Value) []record.Attr {
	if v == nil || v.Type != record.Map {
		return nil
	}
	return v.Map
}

// Has reports whether one of the attributes has the name.
func Has(attrs []record.Attr, key string) bool {
	return slices.ContainsFunc(attrs, func(a record.Attr) bool { return a.Key == key })
}

// maxPath bounds the names that Flatten makes: what lies deeper stays an
// object.
const maxPath = 256

// Flatten appends the values in v, each under the path of names that leads to
// it, with dots between: {"http":{"request":{"method":"GET"}}} becomes
// http.request.method. Lists stay what they are.
func Flatten(to []record.Attr, prefix string, v *record.Value) []record.Attr {
	if v == nil || v.Type == record.Empty {
		return to
	}
	if v.Type != record.Map || len(prefix) > maxPath {
		return append(to, record.Attr{Key: prefix, Value: *v})
	}
	for i := range v.Map {
		key := v.Map[i].Key
		if prefix != "" {
			key = prefix + "." + key
		}
		to = Flatten(to, key, &v.Map[i].Value)
	}
	return to
}
