package quantity

import "strconv"

// DecimalUp writes a non-negative count of 10^-exponent units with the given number of places (at most exponent), rounded up:
// DecimalUp(4_200_001, 6, 2) is 4.21. What exceeds a limit must not be printed as the limit itself.
func DecimalUp(n int64, exponent, places int) string {
	drop, scale := int64(1), int64(1)
	for range exponent - places {
		drop *= 10
	}
	for range places {
		scale *= 10
	}
	up := n / drop
	if n%drop != 0 {
		up++
	}
	if places == 0 {
		return strconv.FormatInt(up, 10)
	}
	rest := strconv.FormatInt(scale+up%scale, 10) // the leading 1 keeps the zeros behind the point
	return strconv.FormatInt(up/scale, 10) + "." + rest[1:]
}
