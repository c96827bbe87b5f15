package layout

import (
	"testing"
)

// TestDivisorUpToIsTheLargest compares with a search from the limit down.
func TestDivisorUpToIsTheLargest(t *testing.T) {
	for n := int64(1); n <= 200; n++ {
		for limit := int64(1); limit <= n+2; limit++ {
			want := min(n, limit)
			for n%want != 0 {
				want--
			}
			if got := divisorUpTo(n, limit); got != want {
				t.Fatalf("divisor of %d up to %d: got %d, want %d", n, limit, got, want)
			}
		}
	}
}

// TestALargeNumberOfExpertsIsDividedWithoutCounting offers a size of expert parallelism where both numbers are as large as sizes may be:
// a search from the size down would not end.
func TestALargeNumberOfExpertsIsDividedWithoutCounting(t *testing.T) {
	for _, experts := range []int64{1<<40 + 1, 1 << 40, 1<<40 - 87} {
		c := newPlan(&model{}, Default(), &megatron)
		c.facts.Experts, c.EP = experts, 1<<40-88
		for _, ranks := range []int64{1, 1<<40 - 87, 1 << 40} {
			c.DP = ranks
			p := fixExperts(c)
			if len(p.changes) != 1 {
				t.Fatalf("%d experts on %d ranks: %v is proposed", experts, ranks, p)
			}
			if n := p.changes[0][0].value; n < 1 || n > c.EP || experts%n != 0 || ranks%n != 0 {
				t.Errorf("%d experts on %d ranks: ep %d is proposed", experts, ranks, n)
			}
		}
	}
}
