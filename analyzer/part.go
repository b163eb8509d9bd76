package analyzer

import (
	"bytes"
	"encoding/binary"
	"encoding/gob"
	"errors"
	"fmt"
	"math"

	"github.com/klauspost/compress/zstd"

	"github.com/retryaudit/retryaudit/analyzer/trace"
)

// partVersion opens an encoded part and goes into the hash of a suite: parts
// of other versions do not merge.
const partVersion = "retryaudit.part/v1"

// maxPart bounds what a part may decode to, in bytes: 10 million spans need
// about 2 GiB.
const maxPart = 8 << 30

// Part is a partial result that merges: spans whose request is not proved
// complete, and the sums of those that are. Merging adds integers and keeps
// the worst exemplars in a total order, so order and grouping do not matter.
type Part struct {
	suite  [32]byte
	open   *trace.Store
	inputs []Input
	cells  map[string]*Sums
}

// Inputs returns what was read.
func (p *Part) Inputs() []Input { return p.inputs }

// sums returns the sums of a key, new ones if need be.
func (p *Part) sums(key string) *Sums {
	s := p.cells[key]
	if s == nil {
		s = &Sums{Lanes: map[uint32]int64{}}
		p.cells[key] = s
	}
	return s
}

// Sums are integers by lane and the three worst exemplars.
type Sums struct {
	Lanes map[uint32]int64
	Worst []Case
}

func (s *Sums) add(o *Sums) {
	for lane, n := range o.Lanes {
		s.Lanes[lane] += n
	}
	for _, c := range o.Worst {
		s.keep(c)
	}
}

// wire is a part as gob writes it.
type wire struct {
	Suite  [32]byte
	Texts  []string
	Spans  []byte
	Count  int64
	Facts  []trace.Facts
	Cut    []trace.TraceID
	Inputs []Input
	Cells  map[string]*Sums
}

// MarshalBinary encodes the part.
func (p *Part) MarshalBinary() ([]byte, error) {
	w := wire{
		Suite: p.suite, Texts: p.open.Texts(), Count: int64(len(p.open.Spans)), Facts: p.open.Facts, Cut: p.open.Cut,
		Inputs: p.inputs, Cells: p.cells,
	}
	var err error
	if w.Spans, err = binary.Append(nil, binary.LittleEndian, p.open.Spans); err != nil {
		return nil, err
	}
	var out bytes.Buffer
	out.WriteString(partVersion + "\n")
	z, err := zstd.NewWriter(&out, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedFastest),
		zstd.WithLowerEncoderMem(true), zstd.WithWindowSize(1<<18))
	if err != nil {
		return nil, err
	}
	if err := gob.NewEncoder(z).Encode(&w); err != nil {
		return nil, err
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// UnmarshalBinary decodes what MarshalBinary wrote; the bytes are not trusted.
func (p *Part) UnmarshalBinary(b []byte) error {
	body, ok := bytes.CutPrefix(b, []byte(partVersion+"\n"))
	if !ok {
		return fmt.Errorf("found %q at the start, want a part as written by -o part=FILE (%s)", b[:min(len(b), 20)], partVersion)
	}
	z, err := zstd.NewReader(bytes.NewReader(body), zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxPart))
	if err != nil {
		return err
	}
	defer z.Close()
	var w wire
	if err := gob.NewDecoder(z).Decode(&w); err != nil {
		return fmt.Errorf("part is broken: %w", err)
	}
	size := int64(binary.Size(trace.Span{}))
	if w.Count < 0 || w.Count > math.MaxInt64/size || w.Count*size != int64(len(w.Spans)) {
		return fmt.Errorf("part is broken: %d bytes of spans, want %d of %d bytes", len(w.Spans), w.Count, size)
	}
	spans := make([]trace.Span, w.Count)
	if _, err := binary.Decode(w.Spans, binary.LittleEndian, spans); err != nil {
		return fmt.Errorf("part is broken: %w", err)
	}
	open, err := trace.Restore(w.Texts, spans, w.Facts)
	if err != nil {
		return fmt.Errorf("part is broken: %w", err)
	}
	open.Cut = w.Cut
	for _, s := range w.Cells {
		if s == nil {
			return errors.New("part is broken: a cell without sums")
		}
		if s.Lanes == nil {
			s.Lanes = map[uint32]int64{}
		}
	}
	if w.Cells == nil {
		w.Cells = map[string]*Sums{}
	}
	*p = Part{suite: w.Suite, open: open, inputs: w.Inputs, cells: w.Cells}
	return nil
}
