package spelling

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func TestDistance(t *testing.T) {
	long := strings.Repeat("x", 100)
	for _, c := range []struct {
		a, b        string
		limit, want int
	}{
		{"", "", 3, 0}, {"conv2d", "conv2d", 3, 0}, {"conv2", "conv2d", 3, 1}, {"linaer", "linear", 3, 1}, {"chekc", "check", 2, 1}, {"ab", "ba", 1, 1}, {"abcd", "badc", 5, 2}, {"ca", "abc", 9, 3}, {"kitten", "sitting", 9, 3},
		{"kitten", "sitting", 3, 3}, {"kitten", "sitting", 2, 2}, {"a", "abcdef", 3, 3}, {long + "a", long + "b", 5, 1}, {"abc", "xyz", 3, 3},
	} {
		if got := Distance(c.a, c.b, c.limit); got != c.want {
			t.Errorf("%q to %q within %d: %d, want %d", c.a, c.b, c.limit, got, c.want)
		}
		if there, back := Distance(c.a, c.b, c.limit), Distance(c.b, c.a, c.limit); there != back {
			t.Errorf("%q and %q: %d there, %d back", c.a, c.b, there, back)
		}
	}
}

// table is the distance by its definition, of every beginning of one word to every beginning of the other.
func table(a, b string) int {
	d := make([][]int, len(a)+1)
	for i := range d {
		d[i] = make([]int, len(b)+1)
		for j := range d[i] {
			if i == 0 || j == 0 {
				d[i][j] = i + j
				continue
			}
			d[i][j] = min(d[i-1][j], d[i][j-1], d[i-1][j-1]) + 1
			if a[i-1] == b[j-1] {
				d[i][j] = min(d[i][j], d[i-1][j-1])
			}
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				d[i][j] = min(d[i][j], d[i-2][j-2]+1)
			}
		}
	}
	return d[len(a)][len(b)]
}

// TestDistanceIsThatOfTheWholeTable, of all words of up to five of three letters, and of longer ones that are a few edits apart, within
// every limit.
func TestDistanceIsThatOfTheWholeTable(t *testing.T) {
	words := []string{""}
	for from, n := 0, 5; n > 0; n-- {
		for to := len(words); from < to; from++ {
			words = append(words, words[from]+"a", words[from]+"b", words[from]+"c")
		}
	}
	compare := func(a, b string, limits int) {
		want := table(a, b)
		for limit := range limits {
			if got := Distance(a, b, limit); got != min(want, limit) {
				t.Fatalf("%q to %q within %d: %d, want %d", a, b, limit, got, min(want, limit))
			}
		}
	}
	for _, a := range words {
		for _, b := range words {
			compare(a, b, 8)
		}
	}
	rng := rand.New(rand.NewPCG(5, 1))
	for range 2000 {
		a := make([]byte, rng.IntN(100))
		for i := range a {
			a[i] = "abc"[rng.IntN(3)]
		}
		b := slices.Clone(a)
		for range rng.IntN(8) {
			switch i := rng.IntN(len(b) + 1); {
			case i+1 < len(b) && rng.IntN(2) == 0:
				b[i], b[i+1] = b[i+1], b[i]
			case i < len(b) && rng.IntN(2) == 0:
				b = slices.Delete(b, i, i+1)
			default:
				b = slices.Insert(b, i, "abc"[rng.IntN(3)])
			}
		}
		compare(string(a), string(b), 20)
	}
}

// TestWordsOfMegabytesCostTheirLength: the whole table of these would have 16,000,000,000,000 numbers.
func TestWordsOfMegabytesCostTheirLength(t *testing.T) {
	long := strings.Repeat("a", 4_000_000)
	for _, c := range []struct {
		a, b string
		want int
	}{{long + "xyz", long + "uvw", 3}, {long + "xy", long + "xz", 1}, {"x" + long, long + "x", 2}, {long, "bb" + long, 2}} {
		allocated := testing.AllocsPerRun(1, func() {
			if got := Distance(c.a, c.b, 3); got != c.want {
				t.Errorf("%.5s…: %d, want %d", c.a, got, c.want)
			}
		})
		if allocated > 0 {
			t.Errorf("%.5s…: memory was taken %v times", c.a, allocated)
		}
	}
}

func TestNearest(t *testing.T) {
	known := []string{"check", "plan", "rank", "serve-check", "linear-in-mismatch", "resnet18", "resnet34"}
	for word, want := range map[string]string{
		"chekc": "check", "plna": "plan", "PLAN": "plan", "liner-in-mismatch": "linear-in-mismatch", "servecheck": "serve-check", "resnet81": "resnet18", "ResNet-34": "resnet34",
		"": "", "x": "", "entirely": "", "check\x1b[31m": "", strings.Repeat("check", 40): "",
	} {
		if got := Nearest(word, known); got != want {
			t.Errorf("%q is nearest to %q, want %q", word, got, want)
		}
	}
	if got := DidYouMean("chekc", known) + DidYouMean("entirely", known); got != "; did you mean check?" {
		t.Errorf("%q", got)
	}
}

func TestPart(t *testing.T) {
	known := []string{"gpu", "gpus", "batch", "max_memory_gb", "microBatch"}
	for word, want := range map[string]string{"num_gpus": "gpus", "batch_size": "batch", "max_memory": "max_memory_gb", "micro_batch_size": "microBatch", "gp": "", "": "", "columns": ""} {
		if got := Part(word, known); got != want {
			t.Errorf("%q: %q, want %q", word, got, want)
		}
	}
}
