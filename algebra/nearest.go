package algebra

import (
	"fmt"
	"iter"
)

// Nearest is the one of names that is spelt most like name, the first of several;
// "" if none is near.
func Nearest(name string, names iter.Seq[string]) string {
	best, at := maxDistance(name)+1, ""
	for n := range names {
		if d := distance(name, n, best); d < best {
			best, at = d, n
		}
	}
	return at
}

// MaybeMeant is the hint of an error about a name that is not there; "" if none of
// names is near.
func MaybeMeant(name string, names iter.Seq[string]) string {
	if at := Nearest(name, names); at != "" {
		return fmt.Sprintf("Perhaps you meant %q.", at)
	}
	return ""
}

// maxDistance is how many letters a name may be off: half of them, three at most.
func maxDistance(name string) int { return min(3, len([]rune(name))/2) }

// distance is the number of letters to insert, delete or replace (Levenshtein);
// most where it is that or more and the lengths say so.
func distance(a, b string, most int) int {
	x, y := []rune(a), []rune(b)
	if max(len(x)-len(y), len(y)-len(x)) >= most {
		return most
	}
	row := make([]int, len(y)+1)
	for j := range row {
		row[j] = j
	}
	for i := range x {
		diag := row[0]
		row[0] = i + 1
		for j := range y {
			d := diag
			if x[i] != y[j] {
				d++
			}
			diag = row[j+1]
			row[j+1] = min(d, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(y)]
}
