package allocator

// lostBytes is what a tensor from smallBytes to directBytes gains in the mean, unless its size is a multiple of smallBytes: which pieces are free
// depends on all that came before. From measured runs.
const lostBytes = 96 << 10

// Mean is what counts as allocated for a tensor in the mean, wherever it lies.
func Mean(bytes int64) int64 {
	n := rounded(bytes)
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
