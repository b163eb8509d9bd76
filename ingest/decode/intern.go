package decode

import "hash/maphash"

const (
	internSlots = 1 << 12
	internMax   = 128 // bytes; longer strings seldom repeat
)

// interner gives equal strings the same memory. A slot holds the last string
// that fell on it, so it never grows.
type interner struct {
	seed  maphash.Seed
	slots [internSlots]string
}

func newInterner() *interner { return &interner{seed: maphash.MakeSeed()} }

func (t *interner) of(b []byte) string {
	if len(b) == 0 {
		return ""
	}
	if len(b) > internMax {
		return string(b)
	}
	slot := &t.slots[maphash.Bytes(t.seed, b)%internSlots]
	if *slot != string(b) {
		*slot = string(b)
	}
	return *slot
}
