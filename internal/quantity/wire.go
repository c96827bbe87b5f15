package quantity

import (
	"math"
	"strconv"
)

// Decimal is a number with a fixed number of places behind the point, kept as a whole number: what is written of it is the
// same on every machine. In JSON it is a number without trailing zeros.
type Decimal struct {
	Unscaled int64
	Places   int
}

// USD returns an amount of micro-dollars in dollars.
func USD(micro int64) Decimal { return Decimal{micro, 6} }

// GB returns a number of bytes in units of 10^9 bytes, rounded to a thousandth.
func GB(bytes int64) Decimal { return Ratio(bytes, 1_000_000_000, 3) }

// Ratio returns a divided by a positive b, rounded half away from zero. A fraction that does not fit is the largest that does.
func Ratio(a, b int64, places int) Decimal { return Round(float64(a)/float64(b), places) }

// Round rounds half away from zero. What is not a number is 0, and what does not fit is the largest that does.
func Round(f float64, places int) Decimal {
	scale := float64(1)
	for range places {
		scale *= 10
	}
	x := math.Round(f * scale)
	switch {
	case math.IsNaN(x):
		return Decimal{0, places}
	case x >= 1<<62:
		return Decimal{1 << 62, places}
	case x <= -(1 << 62):
		return Decimal{-(1 << 62), places}
	}
	return Decimal{int64(x), places}
}

// String writes the number without trailing zeros.
func (d Decimal) String() string {
	var buffer [32]byte
	return string(d.AppendNumber(buffer[:0]))
}

// MarshalJSON writes the number.
func (d Decimal) MarshalJSON() ([]byte, error) { return d.AppendNumber(make([]byte, 0, 24)), nil }

// AppendNumber appends the number as JSON has it.
func (d Decimal) AppendNumber(b []byte) []byte {
	n, places := d.Unscaled, d.Places
	for places > 0 && n%10 == 0 {
		n, places = n/10, places-1
	}
	if places == 0 {
		return strconv.AppendInt(b, n, 10)
	}
	size := uint64(n)
	if n < 0 {
		b, size = append(b, '-'), -size // of the least number, too
	}
	var behind [32]byte // the point and what follows it, from the last digit on
	at := len(behind)
	for range places {
		at--
		behind[at], size = byte('0'+size%10), size/10
	}
	at--
	behind[at] = '.'
	return append(strconv.AppendUint(b, size, 10), behind[at:]...)
}

// Duration writes a number of seconds in the two largest units that it has: 17 min 14 s.
func Duration(sec Decimal) string {
	n := sec.Unscaled
	for range sec.Places {
		n = (n + 5*sign(n)) / 10 // to the nearest, place by place: good enough for a unit that is only shown
	}
	units := [...]struct {
		sec  int64
		name string
	}{{86400, "d"}, {3600, "h"}, {60, "min"}, {1, "s"}}
	for i, u := range units {
		if n < u.sec && u.sec > 1 {
			continue
		}
		text := Grouped(n/u.sec) + " " + u.name
		if i+1 < len(units) {
			if rest := n % u.sec / units[i+1].sec; rest > 0 {
				text += " " + Grouped(rest) + " " + units[i+1].name
			}
		}
		return text
	}
	return "0 s"
}

func sign(n int64) int64 {
	if n < 0 {
		return -1
	}
	return 1
}
