package layout

// maxPartition bounds the work of finding the best cuts; a model of more layers is cut evenly.
const maxPartition = 1 << 24

// partition cuts a row of weights into parts whose heaviest and lightest are as close as they can be, as DeepSpeed does
// (runtime/utils.py partition_balanced; among equals the later cut). It returns how many of the inner items, all but the first and
// last, each part has.
func partition(weights []int64, parts int) []int64 {
	n := len(weights)
	if n <= parts || n*n > maxPartition/parts {
		sizes := even(int64(n), int64(parts))
		return inner(sizes)
	}
	sums := make([]int64, n+1)
	for i, w := range weights {
		sums[i+1] = plus(sums[i], w)
	}
	type cut struct{ heaviest, lightest, at int64 }
	best := make([][]cut, parts+1) // by the number of parts and of items in them
	for j := range best {
		best[j] = make([]cut, n+1)
	}
	for j := 1; j <= parts; j++ {
		for i := j; i <= n; i++ {
			for k := j - 1; k < i; k++ {
				if j == 1 && k > 0 {
					break // the first part starts at the first item
				}
				part := sums[i] - sums[k]
				c := cut{part, part, int64(k)}
				if before := best[j-1][k]; j > 1 {
					c.heaviest, c.lightest = max(before.heaviest, part), min(before.lightest, part)
				}
				if old := best[j][i]; k == j-1 || old.heaviest-old.lightest >= c.heaviest-c.lightest {
					best[j][i] = c
				}
			}
		}
	}
	sizes := make([]int64, parts)
	for j, end := parts, int64(n); j > 0; j-- {
		at := best[j][end].at
		sizes[j-1], end = end-at, at
	}
	return inner(sizes)
}

// inner takes the first item out of the first part that has one, and the last out of the last.
func inner(sizes []int64) []int64 {
	for i := range sizes {
		if sizes[i] > 0 {
			sizes[i]--
			break
		}
	}
	for i := len(sizes) - 1; i >= 0; i-- {
		if sizes[i] > 0 {
			sizes[i]--
			break
		}
	}
	return sizes
}
