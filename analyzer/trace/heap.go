package trace

// heap keeps its least element first.
type heap[T any] struct {
	all  []T
	less func(a, b T) bool
}

func (h *heap[T]) push(x T) {
	h.all = append(h.all, x)
	for i := len(h.all) - 1; i > 0; {
		up := (i - 1) / 2
		if !h.less(h.all[i], h.all[up]) {
			break
		}
		h.all[i], h.all[up] = h.all[up], h.all[i]
		i = up
	}
}

// pop removes the least element.
func (h *heap[T]) pop() {
	n := len(h.all) - 1
	h.all[0] = h.all[n]
	h.all = h.all[:n]
	for i := 0; ; {
		down := 2*i + 1
		if down+1 < n && h.less(h.all[down+1], h.all[down]) {
			down++
		}
		if down >= n || !h.less(h.all[down], h.all[i]) {
			return
		}
		h.all[i], h.all[down] = h.all[down], h.all[i]
		i = down
	}
}
