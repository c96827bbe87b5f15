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
func Short(n int64) string {
	var buffer [32]byte
	return string(appendScaled(buffer[:0], n, 1000, &counts, ""))
}

// Bytes writes a size in binary units: 44.6 MiB.
func Bytes(n int64) string {
	var buffer [32]byte
	return string(AppendBytes(buffer[:0], n))
}

// BytesApart writes two sizes so that they read differently where they differ: what was judged must not be printed as the limit itself.
func BytesApart(a, b int64) (string, string) {
	first, second := Bytes(a), Bytes(b)
	if a != b && first == second {
		return Grouped(a) + " B", Grouped(b) + " B"
	}
	return first, second
}

// AppendBytes appends what Bytes writes.
func AppendBytes(b []byte, n int64) []byte { return appendScaled(b, n, 1024, &sizes, " ") }

// FLOPs writes a number of floating-point operations: 3.6 GFLOP.
func FLOPs(n int64) string {
	var buffer [32]byte
	return string(appendScaled(buffer[:0], n, 1000, &operations, " "))
}

var (
	counts     = [...]string{"", "K", "M", "B", "T", "P", "E"}
	sizes      = [...]string{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"}
	operations = [...]string{"FLOP", "KFLOP", "MFLOP", "GFLOP", "TFLOP", "PFLOP", "EFLOP"}
)

// appendScaled rounds half up to one decimal with integers alone, so that every machine writes the same digits.
func appendScaled(b []byte, n, base int64, units *[7]string, space string) []byte {
	if n < 0 {
		return appendScaled(append(b, '-'), -max(n, -math.MaxInt64), base, units, space) // the least number has no positive counterpart
	}
	unit, divisor := 0, int64(1)
	for unit < len(units)-1 && n/divisor >= base {
		divisor *= base
		unit++
	}
	if unit == 0 {
		return append(append(strconv.AppendInt(b, n, 10), space...), units[0]...)
	}
	whole, rest := n/divisor, n%divisor
	tenth := (rest/(divisor/base)*10 + base/2) / base // the next lower unit is precise enough for one decimal
	if tenth == 10 {
		whole, tenth = whole+1, 0
	}
	if whole == base && unit < len(units)-1 {
		whole, unit = 1, unit+1
	}
	b = append(strconv.AppendInt(b, whole, 10), '.', byte('0'+tenth))
	return append(append(b, space...), units[unit]...)
}
