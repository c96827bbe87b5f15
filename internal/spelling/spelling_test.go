package spelling

import (
	"strings"
	"testing"
)

func TestDistance(t *testing.T) {
	long := strings.Repeat("x", 100)
	for _, c := range []struct {
		a, b        string
		limit, want int
	}{
		{"", "", 3, 0}, {"conv2d", "conv2d", 3, 0}, {"conv2", "conv2d", 3, 1}, {"linaer", "linear", 3, 2}, {"kitten", "sitting", 9, 3},
		{"kitten", "sitting", 3, 3}, {"kitten", "sitting", 2, 2}, {"a", "abcdef", 3, 3}, {long + "a", long + "b", 5, 1}, {"abc", "xyz", 3, 3},
	} {
		if got := Distance(c.a, c.b, c.limit); got != c.want {
			t.Errorf("%q to %q within %d: %d, want %d", c.a, c.b, c.limit, got, c.want)
		}
		if there, back := Distance(c.a, c.b, c.limit), Distance(c.b, c.a, c.limit); there != back {
			t.Errorf("%q and %q: %d there, %d back", c.a, c.b, there, back)
		}
	}
}
