package quantity

import (
	"encoding/json"
	"math"
	"testing"
)

func TestDecimalsAreWrittenWithoutTrailingZeros(t *testing.T) {
	for _, c := range []struct {
		d    Decimal
		want string
	}{
		{USD(0), "0"}, {USD(1), "0.000001"}, {USD(1_950_000), "1.95"}, {USD(-1_950_000), "-1.95"}, {USD(3_000_000), "3"}, {USD(-1), "-0.000001"},
		{GB(1_000_000_000), "1"}, {GB(123_456_789), "0.123"}, {GB(-500_000), "-0.001"}, {Ratio(1, 3, 2), "0.33"}, {Ratio(2, 3, 2), "0.67"},
		{Round(math.NaN(), 2), "0"}, {Round(math.Inf(1), 0), "4611686018427387904"}, {Round(2.5, 0), "3"}, {Round(-2.5, 0), "-3"},
		{Decimal{math.MinInt64, 2}, "-92233720368547758.08"},
	} {
		got, err := json.Marshal(c.d)
		if err != nil || string(got) != c.want {
			t.Errorf("%+v: %s, %v, want %s", c.d, got, err, c.want)
		}
	}
}

func TestDurationsHaveTwoUnits(t *testing.T) {
	for _, c := range []struct {
		sec  float64
		want string
	}{{0, "0 s"}, {0.4, "0 s"}, {59.6, "1 min"}, {1034.003, "17 min 14 s"}, {3600, "1 h"}, {22212.375, "6 h 10 min"}, {90000, "1 d 1 h"}, {1e9, "11,574 d 1 h"}, {-5, "-5 s"}} {
		if got := Duration(Round(c.sec, 3)); got != c.want {
			t.Errorf("%v s: %s, want %s", c.sec, got, c.want)
		}
	}
}
