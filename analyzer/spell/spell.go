// Package spell finds the name that somebody meant.
package spell

// Nearest returns the known name that name most likely is a slip of, empty
// where none is near: more than half of it wrong is another name. Of equally
// near names it is the first.
func Nearest(name string, known []string) string {
	best, least := "", len(name)/2+1
	for _, k := range known {
		if d := distance(name, k); d < least {
			best, least = k, d
		}
	}
	return best
}

// distance is the number of bytes to insert, delete or replace that turns a
// into b (Levenshtein).
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replaced := diagonal
			if a[i] != b[j] {
				replaced++
			}
			diagonal = row[j+1]
			row[j+1] = min(replaced, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
