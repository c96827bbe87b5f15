package quantity

import "strconv"

// Dollars writes an amount of micro-dollars with two decimals, or with four where it is below a dollar: $1.95, $0.5904.
func Dollars(micro int64) string {
	if micro < 0 {
		if micro == -micro { // the one number without a positive counterpart
			micro++
		}
		return "-" + Dollars(-micro)
	}
	unit, decimals := int64(10_000), 2
	if micro < 1_000_000 {
		unit, decimals = 100, 4
	}
	scaled := micro / unit
	if micro%unit*2 >= unit {
		scaled++
	}
	per := int64(100)
	if decimals == 4 {
		per = 10_000
	}
	digits := strconv.FormatInt(scaled%per, 10)
	for len(digits) < decimals {
		digits = "0" + digits
	}
	return "$" + Grouped(scaled/per) + "." + digits
}
