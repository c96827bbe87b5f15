package graph

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func wire(t *testing.T, text string) *Wiring {
	t.Helper()
	g, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return g.Wire()
}

func TestWiring(t *testing.T) {
	for _, c := range []struct {
		name, in                            string
		order, cyclic, duplicates, dangling []int
	}{
		{"nothing", "", nil, nil, nil, nil},
		{"the end that is reached soonest first", "a: t\nb: t\nc: t\nd: t\na -> d", []int{1, 2, 0, 3}, nil, nil, nil},
		{"right before the first that reads it", "x: t\nu: t\na: t\nb: t\ns: t\nx -> a -> b\nx -> u\nb, u -> s", []int{0, 2, 3, 1, 4}, nil, nil, nil},
		{"inputs from left to right", "x: t\na: t\nb: t\nc: t\ns: t\nx -> a\nx -> b -> c\na, c -> s", []int{0, 1, 2, 3, 4}, nil, nil, nil},
		{"the deeper of two towers first", "y: t\nd: t\nx: t\na: t\nb: t\ns: t\ny -> d\nx -> a -> b\nd, b -> s", []int{2, 3, 4, 0, 1, 5}, nil, nil, nil},
		{"a head where it stands", "x: t\na: t\nb: t\no: t\nh: t\nx -> a -> b -> o\na -> h", []int{0, 1, 4, 2, 3}, nil, nil, nil},
		{"a note is connected to nothing", "x: t\na: t\nb: t\nn: stickyNote\ns: t\nx -> a\nx -> b\na, b -> s\nb -> n -> s", []int{3, 0, 1, 2, 4}, nil, nil, nil},
		{"a list from back to front", "a: t\nb: t\nc: t\nc -> b -> a", []int{2, 1, 0}, nil, nil, nil},
		{"read twice", "a: t\nb: t\na, a -> b", []int{0, 1}, nil, nil, nil},
		{"self loop", "a: t\nb: t\na -> a -> b", nil, []int{0}, nil, nil},
		{"a cycle, before and behind", "a: t\nb: t\nc: t\nd: t\na -> b -> c -> b\nc -> d", []int{0}, []int{1, 2}, nil, nil},
		{"between two cycles", "a: t\nb: t\nm: t\nc: t\nd: t\na -> b -> a\nb -> m -> c -> d -> c", nil, []int{0, 1, 3, 4}, nil, nil},
		{"duplicates are not wired", "a: t\na: t\nb: t\na -> b", []int{1, 0, 2}, nil, []int{1}, nil},
		{"dangling", "a: t\na -> x\ny -> a\na -> a2\nx -> y", []int{0}, nil, nil, []int{0, 1, 2, 3}},
	} {
		w := wire(t, c.in)
		if !slices.Equal(w.Order, c.order) || !slices.Equal(w.Cyclic, c.cyclic) || !slices.Equal(w.Duplicates, c.duplicates) || !slices.Equal(w.Dangling, c.dangling) {
			t.Errorf("%s: order %v, cyclic %v, duplicates %v, dangling %v", c.name, w.Order, w.Cyclic, w.Duplicates, w.Dangling)
		}
	}
}

func TestInputsComeInConnectionOrder(t *testing.T) {
	w := wire(t, "a: t\nb: t\nsum: add\nb, a -> sum\na -> b\nb -> sum")
	if got := w.Inputs(2); !slices.Equal(got, []int32{1, 0, 1}) {
		t.Errorf("inputs %v", got)
	}
	if got := w.InputEdges(2); !slices.Equal(got, []int32{0, 1, 3}) {
		t.Errorf("edges %v", got)
	}
	if got := w.Outputs(1); !slices.Equal(got, []int32{2, 2}) {
		t.Errorf("outputs %v", got)
	}
}

// reach is the transitive closure, found the slow way.
func reach(w *Wiring, n int) [][]bool {
	r := make([][]bool, n)
	for i := range r {
		r[i] = make([]bool, n)
		for _, j := range w.Outputs(i) {
			r[i][j] = true
		}
	}
	for k := range n {
		for i := range n {
			for j := range n {
				r[i][j] = r[i][j] || r[i][k] && r[k][j]
			}
		}
	}
	return r
}

func TestOrderAndCyclesAgreeWithReachability(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := anyGraph(shape{components: 9, cycles: true, broken: true}).Draw(t, "graph")
		w, n := g.Wire(), len(g.Components)
		r := reach(w, n)
		var cyclic, behind []int
		for i := range n {
			if r[i][i] {
				cyclic = append(cyclic, i)
			}
			if r[i][i] || slices.ContainsFunc(sequence(n), func(j int) bool { return r[j][j] && r[j][i] }) {
				behind = append(behind, i)
			}
		}
		if !slices.Equal(w.Cyclic, cyclic) {
			t.Fatalf("cyclic %v, want %v", w.Cyclic, cyclic)
		}
		place := map[int]int{}
		for k, i := range w.Order {
			place[i] = k
		}
		if len(place) != len(w.Order) || len(w.Order)+len(behind) != n {
			t.Fatalf("order %v with %v on or behind cycles", w.Order, behind)
		}
		for _, i := range w.Order {
			for _, j := range w.Inputs(i) {
				if k, ok := place[int(j)]; !ok || k > place[i] {
					t.Fatalf("order %v: %d before its input %d", w.Order, i, j)
				}
			}
		}
	})
}

// inOrder returns the components in the order of execution, each as where it stands in the structure.
func inOrder(g *Graph) (out []uint64) {
	w, s := g.Wire(), StructureOf(g, asSent(g))
	w.Settle(func() *Structure { return s })
	for _, i := range w.Order {
		if !s.isNote(int32(i)) {
			out = append(out, s.full[i])
		}
	}
	return out
}

// TestTheOrderOfExecutionFollowsFromTheStructure holds that neither the list nor ids, names and notes decide what runs when.
func TestTheOrderOfExecutionFollowsFromTheStructure(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := anyGraph(shape{components: 12, cycles: rapid.Bool().Draw(t, "cycles"), notes: true, ties: true}).Draw(t, "graph")
		h := disguise(t, g)
		if a, b := inOrder(g), inOrder(h); !slices.Equal(a, b) {
			t.Fatalf("%x and %x\n%s\n%s", a, b, g.Text(), h.Text())
		}
	})
}

// chain returns a graph of n components in a row, and closes the ring on demand.
func chain(n int, ring bool) *Graph {
	g := &Graph{}
	for i := range n {
		g.Components = append(g.Components, Component{ID: fmt.Sprint("c", i), Type: "linear", Params: []Param{{"outFeatures", IntValue(int64(i % 7))}}})
		if i > 0 {
			g.Connections = append(g.Connections, Connection{From: fmt.Sprint("c", i-1), To: fmt.Sprint("c", i)})
		}
	}
	if ring {
		g.Connections = append(g.Connections, Connection{From: fmt.Sprint("c", n-1), To: "c0"})
	}
	return g
}

// complete returns a graph in which every component feeds every later one, up to a number of connections.
func complete(edges int) *Graph {
	g := &Graph{}
	for j := 0; len(g.Connections) < edges; j++ {
		g.Components = append(g.Components, Component{ID: fmt.Sprint("c", j), Type: "add"})
		for i := 0; i < j && len(g.Connections) < edges; i++ {
			g.Connections = append(g.Connections, Connection{From: fmt.Sprint("c", i), To: fmt.Sprint("c", j)})
		}
	}
	return g
}

func TestLongCyclesAndDenseGraphs(t *testing.T) {
	if w := chain(100_000, true).Wire(); len(w.Cyclic) != 100_000 || len(w.Order) != 0 {
		t.Errorf("%d on the ring", len(w.Cyclic))
	}
	g := complete(20_000)
	slices.Reverse(g.Components)
	if w := g.Wire(); len(w.Order) != len(g.Components) || w.Cyclic != nil {
		t.Errorf("%d of %d ordered", len(w.Order), len(g.Components))
	}
}

func BenchmarkWire(b *testing.B) {
	reversed := chain(2000, false)
	slices.Reverse(reversed.Components)
	for name, g := range map[string]*Graph{"chain": chain(2000, false), "reversed": reversed, "ring": chain(2000, true), "complete": complete(20_000), "long": chain(100_000, false)} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				g.Wire()
			}
		})
	}
}
