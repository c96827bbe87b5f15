package quantity

import (
	"math"
	"strconv"
)

// Grouped writes an exact count with thousands separated by commas: 1,234,567.
func Grouped(n int64) string {
	digits := strconv.FormatInt(n, 10)
	start := 0
	if n < 0 {
		start = 1
	}
	out := make([]byte, 0, len(digits)+len(digits)/3)
	for i := range len(digits) {
		if i > start && (len(digits)-i)%3 == 0 {
			out = append(out, ',')
		}
		out = append(out, digits[i])
	}
	return string(out)
}

// Short writes a count with one decimal and a decimal suffix: 11.7M. Counts below a thousand are written in full.
func Short(n int64) string { return scaled(n, 1000, [...]string{"", "K", "M", "B", "T", "P", "E"}, "") }

// Bytes writes a size in binary units: 44.6 MiB.
func Bytes(n int64) string {
	return scaled(n, 1024, [...]string{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"}, " ")
}

// FLOPs writes a number of floating-point operations: 3.6 GFLOP.
func FLOPs(n int64) string {
	return scaled(n, 1000, [...]string{"FLOP", "KFLOP", "MFLOP", "GFLOP", "TFLOP", "PFLOP", "EFLOP"}, " ")
}

// scaled rounds half up to one decimal with integers alone, so that every machine writes the same digits.
func scaled(n, base int64, units [7]string, space string) string {
	if n < 0 {
		return "-" + scaled(-max(n, -math.MaxInt64), base, units, space) // the least number has no positive counterpart
	}
	unit, divisor := 0, int64(1)
	for unit < len(units)-1 && n/divisor >= base {
		divisor *= base
		unit++
	}
	var buffer [32]byte
	if unit == 0 {
		return string(append(append(strconv.AppendInt(buffer[:0], n, 10), space...), units[0]...))
	}
	whole, rest := n/divisor, n%divisor
	tenth := (rest/(divisor/base)*10 + base/2) / base // the next lower unit is precise enough for one decimal
	if tenth == 10 {
		whole, tenth = whole+1, 0
	}
	if whole == base && unit < len(units)-1 {
		whole, unit = 1, unit+1
	}
	b := append(strconv.AppendInt(buffer[:0], whole, 10), '.', byte('0'+tenth))
	return string(append(append(b, space...), units[unit]...))
}
