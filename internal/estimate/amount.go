package estimate

import "math/bits"

// most is where amounts stop growing. It is far beyond any machine, and a sum of a few of them still fits in an int64.
const most = 1 << 58

// times multiplies, and stops at most. A negative count stands for a size that is not known, and gives 0.
func times(counts ...int64) int64 {
	product, over := uint64(1), false
	for _, n := range counts {
		if n <= 0 {
			return 0
		}
		hi, lo := bits.Mul64(product, uint64(n))
		product = lo
		if hi > 0 || lo > most {
			product, over = 1, true
		}
	}
	if over {
		return most
	}
	return int64(product)
}

// plus adds, and stops at most. Negative counts are left out.
func plus(counts ...int64) int64 {
	sum := int64(0)
	for _, n := range counts {
		sum = min(sum+min(max(n, 0), most), most)
	}
	return sum
}

// blockBytes is what PyTorch's allocator rounds every tensor up to (kMinBlockSize of CUDACachingAllocator.cpp).
const blockBytes = 512

func block(n int64) int64 { return (n + blockBytes - 1) / blockBytes * blockBytes }

// scale is a*b/c, rounded to the nearest, for non-negative a and b and a positive c.
func scale(a, b, c int64) int64 {
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	lo, carry := bits.Add64(lo, uint64(c)/2, 0)
	hi += carry
	if hi >= uint64(c) {
		return most
	}
	q, _ := bits.Div64(hi, lo, uint64(c))
	return int64(min(q, most))
}
