package graph

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// asSent returns the parameters as they stand in the graph.
func asSent(g *Graph) func(int) []Param {
	return func(i int) []Param { return g.Components[i].Params }
}

func fingerprint(g *Graph) string { return g.Fingerprint(asSent(g)) }

// everything is the widest kind of graph that is drawn.
var everything = shape{components: 8, cycles: true, broken: true, notes: true, ties: true}

func parse(t interface{ Fatal(...any) }, text string) *Graph {
	g, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func TestFingerprintNeverChanges(t *testing.T) {
	g := parse(t, `x: input shape=[3,32,32]
		c: conv2d outChannels=16 kernelSize=3 bias=true
		s: add
		h: linear eps=1e-5 opts={"b":1,"a":[2]} tiedTo=c
		x -> c -> s -> h
		x -> s`)
	if got := fingerprint(g); got != "c075efce" {
		t.Errorf("kept fingerprints no longer mean anything: got %s", got)
	}
}

func TestFingerprintIgnoresIdsNamesAndOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := anyGraph(everything).Draw(t, "graph")
		h := disguise(t, g)
		if a, b := fingerprint(g), fingerprint(h); a != b {
			t.Fatalf("%s and %s\n%s\n%s", a, b, g.Text(), h.Text())
		}
	})
}

func TestFingerprintIgnoresNotes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := anyGraph(everything).Draw(t, "graph")
		h := g.Clone()
		h.Components = append(h.Components, Component{ID: "remark", Type: noteType, Params: []Param{{"text", StringValue("x")}}})
		if len(g.Components) > 0 {
			h.Connections = append(h.Connections, Connection{From: "remark", To: g.Components[0].ID}, Connection{From: g.Components[0].ID, To: "remark"})
		}
		if fingerprint(g) != fingerprint(h) {
			t.Fatal("a note changed the fingerprint")
		}
	})
}

func TestFingerprintChangesWithEveryParameter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := anyGraph(everything).Filter(func(g *Graph) bool { return len(g.Components) > 0 }).Draw(t, "graph")
		h := g.Clone()
		c := &h.Components[rapid.IntRange(0, len(h.Components)-1).Draw(t, "component")]
		if c.Type == noteType {
			return
		}
		switch rapid.IntRange(0, 3).Draw(t, "change") {
		case 0:
			c.SetParam("p", FloatValue(7.5))
		case 1:
			c.SetParam("r", StringValue(""))
		case 2:
			c.SetParam("r", ListValue(Value{}))
		case 3:
			c.Type += "x"
		}
		if fingerprint(g) == fingerprint(h) {
			t.Fatalf("nothing changed with\n%s", h.Text())
		}
	})
}

func TestFingerprintChangesWithEveryConnection(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := everything
		s.notes = false
		g := anyGraph(s).Filter(func(g *Graph) bool { return len(g.Connections) > 0 }).Draw(t, "graph")
		without := g.Clone()
		k := rapid.IntRange(0, len(g.Connections)-1).Draw(t, "connection")
		without.Connections = slices.Delete(without.Connections, k, k+1)
		twice := g.Clone()
		twice.Connections = append(twice.Connections, g.Connections[k])
		if a, b, c := fingerprint(without), fingerprint(g), fingerprint(twice); a == b || b == c || a == c {
			t.Fatalf("without, with, twice: %s, %s, %s", a, b, c)
		}
	})
}

// isomorphic compares two graphs the slow way: by trying every match.
func isomorphic(g, h *Graph) bool {
	n := len(g.Components)
	if n != len(h.Components) || len(g.Connections) != len(h.Connections) {
		return false
	}
	a, b, same := g.Wire(), h.Wire(), false
	permute(sequence(n), n, func(match []int) {
		same = same || slices.IndexFunc(sequence(n), func(i int) bool {
			j := match[i]
			inputs := make([]int32, 0, n)
			for _, k := range a.Inputs(i) {
				inputs = append(inputs, int32(match[k]))
			}
			return !slices.Equal(inputs, b.Inputs(j)) || g.Components[i].Type != h.Components[j].Type ||
				!slices.EqualFunc(g.Components[i].Params, h.Components[j].Params, func(p, q Param) bool {
					if refersTo(p.Name) && p.Name == q.Name {
						at := func(g *Graph, id string) int {
							return slices.IndexFunc(g.Components, func(c Component) bool { return c.ID == id })
						}
						return match[at(g, p.Value.Str())] == at(h, q.Value.Str())
					}
					return p.Name == q.Name && p.Value.Equal(q.Value)
				})
		}) < 0
	})
	return same
}

func permute(list []int, n int, visit func([]int)) {
	if n <= 1 {
		visit(list)
		return
	}
	for i := range n {
		list[i], list[n-1] = list[n-1], list[i]
		permute(list, n-1, visit)
		list[i], list[n-1] = list[n-1], list[i]
	}
}

func TestFingerprintsOfSmallGraphsAreEqualExactlyWhenTheGraphsAre(t *testing.T) {
	equal := 0
	rapid.Check(t, func(t *rapid.T) {
		g := anyGraph(shape{components: 5, ties: true}).Draw(t, "graph")
		h := g.Clone()
		change(t, h)
		if rapid.Bool().Draw(t, "twice") {
			change(t, h)
		}
		same := isomorphic(g, h)
		if same {
			equal++
		}
		if got := fingerprint(g) == fingerprint(h); got != same {
			t.Fatalf("equal fingerprints: %v, equal graphs: %v\n%s\n%s", got, same, g.Text(), h.Text())
		}
	})
	if equal == 0 {
		t.Error("no two graphs were equal: the test shows nothing")
	}
}

// change moves one end of a connection, swaps two connections or changes a parameter, and keeps the graph free of cycles
// where its ids rise along the connections.
func change(t *rapid.T, g *Graph) {
	if len(g.Connections) == 0 {
		return
	}
	e := &g.Connections[rapid.IntRange(0, len(g.Connections)-1).Draw(t, "connection")]
	f := &g.Connections[rapid.IntRange(0, len(g.Connections)-1).Draw(t, "other")]
	c := &g.Components[rapid.IntRange(0, len(g.Components)-1).Draw(t, "component")]
	switch rapid.IntRange(0, 4).Draw(t, "what") {
	case 0:
		if c.ID < e.To {
			e.From = c.ID
		}
	case 1:
		if c.ID > e.From {
			e.To = c.ID
		}
	case 2:
		*e, *f = *f, *e
	case 3:
		if e.From < f.To && f.From < e.To {
			e.From, f.From = f.From, e.From
		}
	case 4:
		if len(c.Params) > 0 && !refersTo(c.Params[0].Name) {
			c.Params[0].Value = IntValue(rapid.Int64Range(1, 3).Draw(t, "value"))
		}
	}
}

func TestCopiesOfABranchDifferFromASharedOne(t *testing.T) {
	for _, c := range []struct{ name, shared, copied string }{
		{"one branch, two readers", "x: a\nb: b\nc: c\nd: d\nx -> b -> c\nb -> d", "x: a\nb: b\nb2: b\nc: c\nd: d\nx -> b -> c\nx -> b2 -> d"},
		{"which of two branches", "x: a\nb: b\nb2: b\nc: c\nd: d\ne: e\nf: f\nx -> b -> c\nb -> d\nx -> b2 -> e\nb2 -> f",
			"x: a\nb: b\nb2: b\nc: c\nd: d\ne: e\nf: f\nx -> b -> c\nb -> e\nx -> b2 -> d\nb2 -> f"},
		{"twice from one or once from each", "x: a\nb: b\nb2: b\nc: add\nd: add\nx -> b\nx -> b2\nb, b -> c\nb2, b2 -> d",
			"x: a\nb: b\nb2: b\nc: add\nd: add\nx -> b\nx -> b2\nb, b2 -> c\nb, b2 -> d"},
		{"which of two tables is shared", "x: a\ne: emb\ne2: emb\nh: head tiedTo=e\nx -> e -> h\nx -> e2 -> o\no: out",
			"x: a\ne: emb\ne2: emb\nh: head tiedTo=e2\nx -> e -> h\nx -> e2 -> o\no: out"},
	} {
		if a, b := fingerprint(parse(t, c.shared)), fingerprint(parse(t, c.copied)); a == b {
			t.Errorf("%s: both %s", c.name, a)
		}
	}
}

func TestFingerprintReadsValuesByMeaning(t *testing.T) {
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{"p=1", "p=1.0", true},
		{"p=0", "p=-0.0", true},
		{"p=[1,2]", "p=[1.0,2e0]", true},
		{"p=9007199254740993", "p=9007199254740992.0", false},
		{"p=1", `p="1"`, false},
		{"p=1", "p=true", false},
		{"p=[]", "", false},
		{"p=[[],1]", "p=[[1]]", false},
		{"p=null", "", true},
		{"p=1 q=2", "q=2 p=1", true},
		{"p=1 q=2", "p=2 q=1", false},
		{"p=ab q=c", "p=a q=bc", false},
		{`p={"a":1,"b":[2]}`, `p={"b":[2.0], "\u0061":1}`, true},
		{`p={"a":1,"b":2}`, `p={"a":2,"b":1}`, false},
		{`p=abcdefgh`, `p="abcdefgh\u0000"`, false},
	} {
		a, b := fingerprint(parse(t, "c: t "+c.a)), fingerprint(parse(t, "c: t "+c.b))
		if (a == b) != c.same {
			t.Errorf("%s and %s: %s and %s", c.a, c.b, a, b)
		}
	}
}

func BenchmarkFingerprint(b *testing.B) {
	for _, n := range []int{100, 2000, 100_000} {
		g, err := Decode(realistic(n), "", LocalLimits)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				fingerprint(g)
			}
		})
	}
	for name, g := range map[string]*Graph{"ring": chain(2000, true), "complete": complete(20_000)} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				fingerprint(g)
			}
		})
	}
}
