package quantity

// Significant rounds a non-negative number half up to so many digits: what an estimate says beyond its error is noise.
func Significant(n int64, digits int) int64 {
	limit := int64(1)
	for range digits {
		limit *= 10
	}
	unit := int64(1)
	for kept := n; kept >= limit; kept /= 10 {
		unit *= 10
	}
	rest := n % unit
	if rest >= unit-rest && unit > 1 {
		return n - rest + unit
	}
	return n - rest
}

// AboutDollars writes an estimate of non-negative micro-dollars with two digits: $9.8, $1,200, $0.0031.
func AboutDollars(micro int64) string {
	if micro == 0 {
		return "$0.00"
	}
	n := Significant(micro, 2)
	if n >= 10_000_000 {
		return "$" + Grouped(n/1_000_000)
	}
	if n >= 1_000_000 {
		return "$" + decimal(n/100_000, 1)
	}
	return "$" + USD(n).String()
}

// AboutDuration writes an estimate of non-negative microseconds with two digits in the largest unit that it fills: 12 h, 1.4 h, 35 ms.
func AboutDuration(micros int64) string {
	units := [...]struct {
		micros int64
		name   string
	}{{86_400_000_000, "d"}, {3_600_000_000, "h"}, {60_000_000, "min"}, {1_000_000, "s"}, {1000, "ms"}, {1, "µs"}}
	for _, u := range units {
		if micros < u.micros {
			continue
		}
		tenths := micros / u.micros * 10
		tenths += (micros%u.micros*10 + u.micros/2) / u.micros
		if tenths = Significant(tenths, 2); tenths < 100 {
			return decimal(tenths, 1) + " " + u.name
		}
		return Grouped(tenths/10) + " " + u.name
	}
	return "0 s"
}

// decimal writes a whole number of tenths, without a zero behind the point.
func decimal(n int64, places int) string { return Decimal{n, places}.String() }
