package lsp

import (
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// naive is a text with one change made in it: its lines are counted anew, and each position from the start of its line.
func naive(was string, c contentChange) string {
	t := newText(was)
	offset := func(p position) int {
		if p.Line == len(t.lines) {
			return len(was)
		}
		seen := 0
		for i, r := range t.line(p.Line) {
			if seen >= p.Character {
				return t.lines[p.Line] + i
			}
			seen += width(r)
		}
		return t.lines[p.Line] + len(t.line(p.Line))
	}
	return was[:offset(c.Range.Start)] + c.Text + was[offset(c.Range.End):]
}

// TestChangesAreMadeOneBehindTheOther draws changes of a small text, with characters of every width and both ends of lines.
func TestChangesAreMadeOneBehindTheOther(t *testing.T) {
	pieces := []string{"a", "bc", "é", "\u4e2d", "😀", "\n", "\r\n", "\r", " ", ""}
	for seed := range uint64(2000) {
		rng := rand.New(rand.NewPCG(seed, 0))
		draw := func(n int) (out string) {
			for range rng.IntN(n) {
				out += pieces[rng.IntN(len(pieces))]
			}
			return out
		}
		was := newText(draw(20))
		want := was.data
		var changes []contentChange
		for range 1 + rng.IntN(8) {
			lines := len(newText(want).lines)
			at := []position{{rng.IntN(lines + 1), rng.IntN(8)}, {rng.IntN(lines + 1), rng.IntN(8)}}
			slices.SortFunc(at, func(a, b position) int { return 1000*(a.Line-b.Line) + a.Character - b.Character })
			c := contentChange{&span{at[0], at[1]}, draw(4)}
			changes = append(changes, c)
			want = naive(want, c)
		}
		got, err := was.changed(changes)
		if err != nil || got.data != want || !slices.Equal(got.lines, newText(want).lines) {
			t.Fatalf("seed %d: %q with %v is %+v (%v), want %q", seed, was.data, changes, got, err, want)
		}
	}
}

// TestManyChangesCopyTheDocumentOnce has what an editor sends when a name is replaced everywhere.
func TestManyChangesCopyTheDocumentOnce(t *testing.T) {
	for name, c := range map[string]struct {
		line  string
		where func(i int) position
	}{
		"in lines":       {strings.Repeat("x", 99) + "\n", func(i int) position { return position{i, 4} }},
		"in one line":    {strings.Repeat("x", 100), func(i int) position { return position{0, 101 * i} }},
		"from its end":   {strings.Repeat("x", 100), func(i int) position { return position{0, 1_000_000 - 100*i} }},
		"lines of lines": {strings.Repeat("x", 99) + "\n", func(i int) position { return position{10_000 - i, 4} }},
	} {
		was := newText(strings.Repeat(c.line, 10_000))
		var changes []contentChange
		for i := range 2000 {
			changes = append(changes, contentChange{&span{c.where(i), c.where(i)}, "y"})
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		got, err := was.changed(changes)
		runtime.ReadMemStats(&after)
		if err != nil || len(got.data) != len(was.data)+len(changes) {
			t.Fatalf("%s: %v", name, err)
		}
		if took := after.TotalAlloc - before.TotalAlloc; took > 32<<20 {
			t.Errorf("%s: %d MB were allocated for 1 MB of text", name, took>>20)
		}
	}
}

func TestALineIsMeasuredOnce(t *testing.T) {
	text := newText("  é = 1  \nx")
	was := text.written(0)
	if want := (span{position{0, 2}, position{0, 7}}); was != want {
		t.Errorf("the first line is written at %v, want %v", was, want)
	}
	text.data = "another text: nobody looks at it, because the place is known"
	if again := text.written(0); again != was {
		t.Errorf("asked again it is %v", again)
	}
}
