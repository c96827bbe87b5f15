package layout

import "github.com/modelverifier/verifier/internal/quantity"

// most is where amounts stop growing: far beyond any machine, and a sum of a few of them still fits.
const most = 1 << 58

// times multiplies amounts, none of them negative, and stops at most.
func times(counts ...int64) int64 {
	n, ok := quantity.Mul(counts...)
	if !ok || n > most {
		return most
	}
	return n
}

// plus adds amounts, none of them negative, and stops at most.
func plus(counts ...int64) int64 {
	n, ok := quantity.Add(counts...)
	if !ok || n > most {
		return most
	}
	return n
}

// share is an amount divided among d, rounded up; d is at least 1.
func share(n, d int64) int64 {
	out := n / d
	if n%d != 0 {
		out++
	}
	return out
}

// multiple is the least multiple of d that is not below n; d is at least 1.
func multiple(n, d int64) int64 { return times(share(n, d), d) }
