package quantity

import (
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/modelverifier/verifier/internal/seed"
)

func TestFormats(t *testing.T) {
	for _, c := range []struct {
		n                            int64
		grouped, short, bytes, flops string
	}{
		{0, "0", "0", "0 B", "0 FLOP"},
		{999, "999", "999", "999 B", "999 FLOP"},
		{1000, "1,000", "1.0K", "1000 B", "1.0 KFLOP"},
		{1024, "1,024", "1.0K", "1.0 KiB", "1.0 KFLOP"},
		{11689512, "11,689,512", "11.7M", "11.1 MiB", "11.7 MFLOP"},
		{999950, "999,950", "1.0M", "976.5 KiB", "1.0 MFLOP"},
		{1048575, "1,048,575", "1.0M", "1.0 MiB", "1.0 MFLOP"},
		{-1500, "-1,500", "-1.5K", "-1.5 KiB", "-1.5 KFLOP"},
		{math.MinInt64, "-9,223,372,036,854,775,808", "-9.2E", "-8.0 EiB", "-9.2 EFLOP"},
		{math.MaxInt64, "9,223,372,036,854,775,807", "9.2E", "8.0 EiB", "9.2 EFLOP"},
	} {
		if g, s, b, f := Grouped(c.n), Short(c.n), Bytes(c.n), FLOPs(c.n); g != c.grouped || s != c.short || b != c.bytes || f != c.flops {
			t.Errorf("%d: %q %q %q %q, want %q %q %q %q", c.n, g, s, b, f, c.grouped, c.short, c.bytes, c.flops)
		}
	}
}

func TestProductsAndSumsAreExactOrRefused(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		counts := rapid.SliceOfN(rapid.Int64Range(0, math.MaxInt64>>rapid.IntRange(0, 62).Draw(t, "shift")), 1, 5).Draw(t, "counts")
		product, sum := big.NewInt(1), big.NewInt(0)
		for _, n := range counts {
			product.Mul(product, big.NewInt(n))
			sum.Add(sum, big.NewInt(n))
		}
		if got, ok := Mul(counts...); ok != product.IsInt64() && product.Sign() != 0 || ok && got != product.Int64() {
			t.Fatalf("product of %v: %d, %v, want %v", counts, got, ok, product)
		}
		if got, ok := Add(counts...); ok != sum.IsInt64() || ok && got != sum.Int64() {
			t.Fatalf("sum of %v: %d, %v, want %v", counts, got, ok, sum)
		}
	})
}

func TestNegativeCountsAreRefused(t *testing.T) {
	if _, ok := Mul(3, -1); ok {
		t.Error("a negative factor passed")
	}
	if _, ok := Add(3, -1); ok {
		t.Error("a negative term passed")
	}
}

func TestDollars(t *testing.T) {
	for micro, want := range map[int64]string{
		0: "$0.0000", 590400: "$0.5904", 49: "$0.0000", 50: "$0.0001", 999_999: "$1.0000", 1_000_000: "$1.00", 1_951_200: "$1.95",
		1_005_000: "$1.01", 1_234_567_890_000: "$1,234,567.89", -2_500_000: "-$2.50", math.MinInt64: "-$9,223,372,036,854.78", math.MaxInt64: "$9,223,372,036,854.78",
	} {
		if got := Dollars(micro); got != want {
			t.Errorf("%d is %s, want %s", micro, got, want)
		}
	}
}

func TestWhatExceedsALimitIsNotWrittenAsTheLimit(t *testing.T) {
	for _, c := range []struct {
		n, limit int64
		want     [2]string
	}{
		{80_000_000_001, 80_000_000_000, [2]string{"80,000,000,001 B", "80,000,000,000 B"}}, {80_300_000_000, 80_000_000_000, [2]string{"74.8 GiB", "74.5 GiB"}},
		{1 << 30, 1 << 20, [2]string{"1.0 GiB", "1.0 MiB"}}, {7, 7, [2]string{"7 B", "7 B"}}, {1, 0, [2]string{"1 B", "0 B"}},
		{math.MaxInt64, math.MaxInt64 - 1, [2]string{"9,223,372,036,854,775,807 B", "9,223,372,036,854,775,806 B"}},
	} {
		if n, limit := BytesApart(c.n, c.limit); n != c.want[0] || limit != c.want[1] {
			t.Errorf("%d beyond %d: %s and %s, want %s", c.n, c.limit, n, limit, c.want)
		}
	}
}
