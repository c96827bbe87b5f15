package graph

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func diff(a, b *Graph) Delta {
	return Diff(StructureOf(a, asSent(a)), StructureOf(b, asSent(b)), func(out []Param, g *Graph, i int) []Param {
		return append(out, g.Components[i].Params...)
	})
}

// describe prints a difference in ids.
func describe(a, b *Graph, d Delta) string {
	var out []string
	for _, i := range d.Removed {
		out = append(out, "-"+a.Components[i].ID)
	}
	for _, j := range d.Added {
		out = append(out, "+"+b.Components[j].ID)
	}
	for _, c := range d.Changed {
		s := "~" + a.Components[c.Before].ID
		if id := b.Components[c.After].ID; id != a.Components[c.Before].ID {
			s += "=" + id
		}
		if c.Type != (TypeChange{}) {
			s += fmt.Sprintf("(%s>%s)", c.Type.Before, c.Type.After)
		}
		for _, p := range c.Params {
			s += fmt.Sprintf("[%s:%v>%v]", p.Name, p.Before, p.After)
		}
		out = append(out, s)
	}
	for _, p := range d.Rewired {
		out = append(out, "@"+b.Components[p.After].ID)
	}
	return strings.Join(out, " ")
}

func TestDiff(t *testing.T) {
	const net = "x: input\na: conv k=3\nb: relu\nc: conv k=3\nd: relu\ne: linear n=10\ny: output\n"
	const wires = "x -> a -> b -> c -> d -> e -> y"
	for _, c := range []struct {
		name, before, after, want string
		downstream                int
	}{
		{"nothing", net + wires, net + wires, "", 0},
		{"a parameter", net + wires, strings.Replace(net, "c: conv k=3", "c: conv k=5", 1) + wires, "~c[k:3>5]", 3},
		{"a parameter more and one less", net + wires, strings.Replace(net, "c: conv k=3", "c: conv s=5", 1) + wires, "~c[k:3>null][s:null>5]", 3},
		{"the same number", net + wires, strings.Replace(net, "k=3", "k=3.0 s=null", 1) + wires, "", 0},
		{"a component more", net + wires, net + "n: norm\nx -> a -> b -> c -> n -> d -> e -> y", "+n @d", 2},
		{"a component less", net + wires, strings.Replace(net, "b: relu\n", "", 1) + "x -> a -> c -> d -> e -> y", "-b @c", 3},
		{"the first of equal neighbours less", "x: i\na: r\nb: r\nc: r\ny: o\nx -> a -> b -> c -> y", "x: i\nb: r\nc: r\ny: o\nx -> b -> c -> y", "-a @b", 2},
		{"a type under the same id", net + wires, strings.Replace(net, "b: relu", "b: gelu", 1) + wires, "~b(relu>gelu)", 4},
		{"another type and another id", net + wires, "x: input\na: conv k=3\ng: gelu\nc: conv k=3\nd: relu\ne: linear n=10\ny: output\nx -> a -> g -> c -> d -> e -> y", "-b +g @c", 3},
		{"other inputs", "x: i\ny: i\ns: sub\no: o\nx, y -> s -> o", "x: i\ny: i\ns: sub\no: o\ny, x -> s -> o", "", 0},
		{"other inputs that differ", "x: i\ny: j\ns: sub\no: o\nx, y -> s -> o", "x: i\ny: j\ns: sub\no: o\ny, x -> s -> o", "@s", 1},
		{"a skip more", net + wires, net + wires + "\na -> d", "@d", 2},
		{"renamed and one parameter", net + wires, "1: input\n2: conv k=3\n3: relu\n4: conv k=7\n5: relu\n6: linear n=10\n7: output\n1 -> 2 -> 3 -> 4 -> 5 -> 6 -> 7", "~c=4[k:3>7]", 3},
		{"numbered anew with one more", "n0: i\nn1: a\nn2: b\nn3: a\nn4: b\nn5: o\nn0 -> n1 -> n2 -> n3 -> n4 -> n5",
			"n0: i\nn1: z\nn2: a\nn3: b\nn4: a\nn5: b\nn6: o\nn0 -> n1 -> n2 -> n3 -> n4 -> n5 -> n6", "+n1 @n2", 4},
		{"a block more in a row of blocks that differ, numbered anew",
			"n0: i\nn1: a p=1\nn2: a p=2\nn3: a p=3\nn4: a p=4\nn5: o\nn0 -> n1 -> n2 -> n3 -> n4 -> n5",
			"n0: i\nn1: a p=1\nn2: a p=9\nn3: a p=2\nn4: a p=3\nn5: a p=4\nn6: o\nn0 -> n1 -> n2 -> n3 -> n4 -> n5 -> n6", "+n2 @n3", 3},
		{"a name keeps a component whose id and parameters changed", `x: i` + "\n" + `1 "q": p a=1` + "\n" + `2 "k": p a=2`, `x: i` + "\n" + `3 "k": p a=5` + "\n" + `4 "q": p a=6`,
			"~2=3[a:2>5] ~1=4[a:1>6]", 0},
		{"a dangling connection more", "x: i\ny: o\nx -> y", "x: i\ny: o\nx -> y\nx -> gone", "@x", 1},
		{"a dangling connection into a component", "x: i\ny: o\nx -> y", "x: i\ny: o\nx -> y\ngone -> y", "@y", 0},
		{"a tie that follows its component", "e: emb\nh: head tiedTo=e\ne -> h", "f: emb\nh: head tiedTo=f\nf -> h", "", 0},
		{"another tie", "e: emb n=1\nf: emb n=2\nh: head tiedTo=e\ne -> f -> h", "e: emb n=1\nf: emb n=2\nh: head tiedTo=f\ne -> f -> h", `~h[tiedTo:"e">"f"]`, 0},
		{"a note", net + wires, net + wires + "\nn: stickyNote text=hm\nn -> a", "", 0},
		{"everything", "x: i", "", "-x", 0},
		{"out of nothing", "", "x: i", "+x", 0},
	} {
		a, b := parse(t, c.before), parse(t, c.after)
		d := diff(a, b)
		if got := describe(a, b, d); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
		if got := d.Downstream(b); got != c.downstream {
			t.Errorf("%s: %d downstream, want %d", c.name, got, c.downstream)
		}
	}
}

func TestDiffAgainstItselfIsEmpty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := anyGraph(everything).Draw(t, "graph")
		if d := diff(g, g); !d.Empty() || d.Downstream(g) != 0 {
			t.Fatal(describe(g, g, d))
		}
		h := disguise(t, g)
		if d := diff(g, h); !d.Empty() {
			t.Fatalf("%s\n%s\n%s", describe(g, h, d), g.Text(), h.Text())
		}
	})
}

func TestDiffIsEmptyExactlyWhenFingerprintsAreEqual(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := anyGraph(shape{components: 7, ties: true}).Draw(t, "graph")
		h := disguise(t, g)
		for range rapid.IntRange(0, 3).Draw(t, "changes") {
			change(t, h)
		}
		d := diff(g, h)
		if same := fingerprint(g) == fingerprint(h); d.Empty() != same {
			t.Fatalf("%q, equal fingerprints: %v\n%s\n%s", describe(g, h, d), same, g.Text(), h.Text())
		}
	})
}

func TestDiffIsSound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g, h := anyGraph(everything).Draw(t, "before"), anyGraph(everything).Draw(t, "after")
		if rapid.Bool().Draw(t, "related") {
			h = disguise(t, g)
			change(t, h)
		}
		d := diff(g, h)
		if again := diff(g, h); describe(g, h, d) != describe(g, h, again) {
			t.Fatalf("%s, then %s", describe(g, h, d), describe(g, h, again))
		}
		matched := map[int]bool{}
		for i, j := range d.Match {
			if note := g.Components[i].Type == noteType; (j < 0 && !note) != slices.Contains(d.Removed, i) || note && j >= 0 {
				t.Fatalf("%d is matched with %d, removed are %v", i, j, d.Removed)
			}
			if j >= 0 && matched[j] {
				t.Fatalf("%d is matched twice", j)
			}
			matched[j] = true
		}
		for j := range h.Components {
			if note := h.Components[j].Type == noteType; (!matched[j] && !note) != slices.Contains(d.Added, j) {
				t.Fatalf("%d is added or not: %v", j, d.Added)
			}
		}
		for _, c := range d.Changed {
			if d.Match[c.Before] != c.After || len(c.Params) == 0 && c.Type == (TypeChange{}) {
				t.Fatalf("%v is no change", c)
			}
		}
	})
}

func TestOneEditIsOneDifference(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := shape{components: 8, cycles: rapid.Bool().Draw(t, "cycles")}
		g := anyGraph(s).Filter(func(g *Graph) bool { return len(g.Components) > 0 }).Draw(t, "graph")
		h := g.Clone()
		k := rapid.IntRange(0, len(h.Components)-1).Draw(t, "component")
		h.Components[k].SetParam("p", IntValue(9))
		if d := diff(g, h); len(d.Changed) != 1 || len(d.Added)+len(d.Removed)+len(d.Rewired) > 0 {
			t.Fatalf("%s\n%s", describe(g, h, d), g.Text())
		}
	})
}

// towers returns n components: rows of equal blocks with skips, as in a real network.
func towers(n int) *Graph {
	g := &Graph{}
	add := func(typ string, p int64, inputs ...int) int {
		i := len(g.Components)
		g.Components = append(g.Components, Component{ID: fmt.Sprint("n", i), Type: typ, Name: fmt.Sprint(typ, i), Params: []Param{{"p", IntValue(p)}, {"q", IntValue(1)}}})
		for _, j := range inputs {
			g.Connections = append(g.Connections, Connection{From: fmt.Sprint("n", j), To: fmt.Sprint("n", i)})
		}
		return i
	}
	last := add("input", 0)
	for len(g.Components) < n {
		a := add("norm", 1, last)
		b := add("attention", 2, a)
		c := add("mlp", 3, b)
		last = add("add", 0, last, c)
	}
	return g
}

func pairsToCompare(n int) map[string][2]*Graph {
	g := towers(n)
	edited, shifted, rewired, star := g.Clone(), g.Clone(), g.Clone(), &Graph{}
	edited.Components[n/2].SetParam("p", IntValue(77))
	shifted.Components = slices.Insert(shifted.Components, n/2, Component{ID: "new", Type: "norm"})
	for i := range shifted.Components { // numbered anew, and fed by position: what an importer does
		shifted.Components[i].ID, shifted.Components[i].Name = fmt.Sprint("n", i), ""
	}
	rewired.Connections = slices.Delete(rewired.Connections, n/2, n/2+1)
	for i := range n {
		star.Components = append(star.Components, Component{ID: fmt.Sprint("n", i), Type: "relu"})
		star.Connections = append(star.Connections, Connection{From: "n0", To: fmt.Sprint("n", i)})
	}
	other := star.Clone()
	for i := range other.Components {
		other.Components[i].ID = fmt.Sprint("m", i)
		other.Connections[i] = Connection{From: "m0", To: fmt.Sprint("m", i)}
	}
	other.Components = other.Components[:n-1]
	return map[string][2]*Graph{"same": {g, g.Clone()}, "edited": {g, edited}, "shifted": {g, shifted}, "rewired": {g, rewired},
		"star": {star, other}, "strangers": {g, chain(n, false)}, "rings": {chain(n, true), chain(n, true)}}
}

func BenchmarkDiff(b *testing.B) {
	for _, n := range []int{2000, 100_000} {
		for name, pair := range pairsToCompare(n) {
			b.Run(fmt.Sprint(n, name), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					d := diff(pair[0], pair[1])
					d.Downstream(pair[1])
				}
			})
		}
	}
}
