package estimate

import "math/bits"

// most is where amounts stop growing. It is far beyond any machine, and a sum of a few of them still fits in an int64.
const most = 1 << 58

// times multiplies, and stops at most. A negative count stands for a size that is not known, and gives 0.
func times(a, b int64, more ...int64) int64 {
	product := multiply(a, b)
	for _, n := range more {
		product = multiply(product, n)
	}
	return product
}

// plus adds, and stops at most. Negative counts are left out.
func plus(a, b int64, more ...int64) int64 {
	sum := add(a, b)
	for _, n := range more {
		sum = add(sum, n)
	}
	return sum
}

// multiply and add take two, as nearly every call does, without a list.
func multiply(a, b int64) int64 {
	hi, lo := bits.Mul64(uint64(max(a, 0)), uint64(max(b, 0)))
	if hi > 0 {
		return most
	}
	return int64(min(lo, most))
}

func add(a, b int64) int64 { return min(min(max(a, 0), most)+min(max(b, 0), most), most) }

// How PyTorch's allocator rounds (CUDACachingAllocator.cpp): every tensor to blockBytes. One above smallBytes is cut from a
// larger piece, one above directBytes gets a segment of its own, a multiple of roundBytes; what would be left of a piece goes
// with the tensor where it is not more than smallBytes, and counts as allocated.
const (
	blockBytes  = 512
	smallBytes  = 1 << 20
	directBytes = 10 << 20
	roundBytes  = 2 << 20
	// lostBytes is what a tensor from smallBytes to directBytes gains so in the mean, unless its size is a multiple of
	// smallBytes: which pieces are free depends on all that came before. From the shared and the drawn rows.
	lostBytes = 96 << 10
)

// block is what the allocator counts for a tensor.
func block(n int64) int64 {
	n = (n + blockBytes - 1) / blockBytes * blockBytes
	switch {
	case n <= smallBytes || n%smallBytes == 0 && n < directBytes:
	case n < directBytes:
		return n + lostBytes
	default:
		if up := (n + roundBytes - 1) / roundBytes * roundBytes; up-n <= smallBytes {
			return up
		}
	}
	return n
}

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
