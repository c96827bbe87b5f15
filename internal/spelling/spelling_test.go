package spelling

import (
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
