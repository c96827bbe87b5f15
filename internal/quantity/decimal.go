package quantity

import "strconv"

// DecimalBeyond writes a non-negative count of 10^-exponent units, rounded to the nearest, with at least so many places and as many
// as it takes to be more than a limit that the count exceeds: what was judged must not be printed as the limit itself.
func DecimalBeyond(n, limit int64, exponent, places int) string {
	for ; ; places++ {
		drop := int64(1)
		for range exponent - places {
			drop *= 10
		}
		rounded := n / drop
		if n%drop >= drop-n%drop && n%drop > 0 {
			rounded++
		}
		if places == exponent || n <= limit || rounded > limit/drop {
			return fixed(rounded, places)
		}
	}
}

// fixed writes a count of 10^-places units.
func fixed(n int64, places int) string {
	if places == 0 {
		return strconv.FormatInt(n, 10)
	}
	scale := int64(1)
	for range places {
		scale *= 10
	}
	rest := strconv.FormatInt(scale+n%scale, 10) // the leading 1 keeps the zeros behind the point
	return strconv.FormatInt(n/scale, 10) + "." + rest[1:]
}
