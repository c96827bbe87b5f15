package fix

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// costSeveral is less than that of all others: where any of several values would do, no other change is more certain.
const costSeveral = -20

// divisors are the values that divide what a number of heads or groups has to divide. Several of them would do.
func (x *fault) divisors() {
	if !x.divides() {
		return
	}
	var found map[int64][]int64
	x.integers(3, func(s step, node any, n int64) {
		if !slices.Contains(x.numbers, n) || n < 2 {
			return
		}
		for i, v := range once(&found, n, func() []int64 { return dividing(n, x.numbers) }) {
			x.offer(costSeveral, func() candidate {
				c := s.replace(node, strconv.FormatInt(v, 10), costSeveral)
				c.several, c.order = true, i
				return c
			})
		}
	})
}

// divides reports whether a finding is about a number that does not divide another.
func (x *want) divides() bool {
	return strings.Contains(x.message, "divisible") || strings.Contains(x.message, "no multiple of") || strings.Contains(x.finding.Detail, "divisible") || strings.Contains(x.finding.Detail, "divide")
}

// dividing lists the divisors of larger numbers, the nearest to n first.
func dividing(n int64, of []int64) []int64 {
	var out []int64
	for _, m := range of {
		for v := int64(1); m > n && v <= m && v <= 4096; v++ {
			if m%v == 0 && v != n && !slices.Contains(out, v) {
				out = append(out, v)
			}
		}
	}
	slices.SortStableFunc(out, func(a, b int64) int { return cmp.Compare(max(a-n, n-a), max(b-n, n-b)) })
	return out[:min(len(out), 16)]
}
