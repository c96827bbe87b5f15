package quantity

import "testing"

func TestEstimatesHaveTwoDigits(t *testing.T) {
	for micro, want := range map[int64]string{0: "$0.00", 1: "$0.000001", 308: "$0.00031", 1_949_999: "$1.9", 9_764_000: "$9.8", 9_960_000: "$10",
		1_234_000_000: "$1,200", 590_400: "$0.59", 14_500_000: "$15"} {
		if got := AboutDollars(micro); got != want {
			t.Errorf("%d is %s, want %s", micro, got, want)
		}
	}
	for micros, want := range map[int64]string{0: "0 s", 7: "7 µs", 35_400: "35 ms", 1_389_000: "1.4 s", 90_000_000: "1.5 min", 43_920_000_000: "12 h",
		5_000_000_000: "1.4 h", 12_345_678_000_000: "140 d", 59_900_000: "60 s"} {
		if got := AboutDuration(micros); got != want {
			t.Errorf("%d is %s, want %s", micros, got, want)
		}
	}
}

func TestSignificantRoundsHalfUp(t *testing.T) {
	for _, c := range [][3]int64{{1234, 2, 1200}, {1250, 2, 1300}, {1249, 2, 1200}, {99, 2, 99}, {995, 2, 1000}, {0, 3, 0}, {1 << 62, 3, 4_610_000_000_000_000_000}} {
		if got := Significant(c[0], int(c[1])); got != c[2] {
			t.Errorf("%d to %d digits is %d, want %d", c[0], c[1], got, c[2])
		}
	}
}
