// Package quantity holds exact counts and the only formatting of numbers.
//
// Counts, bytes and FLOPs are int64. A product that does not fit is reported, never wrapped: a wrapped count would be a
// plausible wrong number. The package knows nothing of graphs or components.
package quantity

import (
	"math"
	"math/bits"
)

// Mul returns the product of non-negative counts and whether it fits in an int64.
func Mul(counts ...int64) (int64, bool) {
	product := uint64(1)
	for _, n := range counts {
		if n == 0 {
			return 0, true
		}
		hi, lo := bits.Mul64(product, uint64(n))
		if n < 0 || hi > 0 || lo > math.MaxInt64 {
			return 0, false
		}
		product = lo
	}
	return int64(product), true
}

// Add returns the sum of non-negative counts and whether it fits in an int64.
func Add(counts ...int64) (int64, bool) {
	sum := int64(0)
	for _, n := range counts {
		if n < 0 || sum > math.MaxInt64-n {
			return 0, false
		}
		sum += n
	}
	return sum, true
}
