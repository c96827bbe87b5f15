package graph

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// chainOf is components in a row, each with the module that it is a part of.
func chainOf(scopes []string) *Graph {
	g := &Graph{}
	for i, s := range scopes {
		c := Component{ID: fmt.Sprintf("c%d", i), Type: "a"}
		if s != "" {
			c.Extra = []Member{{"scope", quote(s)}}
		}
		g.Components = append(g.Components, c)
		if i > 0 {
			g.Connections = append(g.Connections, Connection{From: g.Components[i-1].ID, To: c.ID})
		}
	}
	return g
}

// grouping says who shares which modules: every module as the numbers of its components, and whether it is numbered.
func grouping(scopes []string) string {
	members := map[string]string{}
	for i, s := range scopes {
		for m := range Modules(s) {
			members[m] += fmt.Sprint(i, ",")
		}
	}
	var b strings.Builder
	for _, s := range scopes {
		for m := range Modules(s) {
			fmt.Fprint(&b, members[m], IsNumbered(m), " ")
		}
		b.WriteString("\n")
	}
	return b.String()
}

var anyScope = rapid.SampledFrom([]string{"", "m", "m.layers.0", "m.layers.0.mlp", "m.layers.1", "m.layers.1.mlp", "n.blocks.a", "n.blocks.7"})

// TestScopesCountByTheirGrouping holds that who shares which modules is in the fingerprint and in the difference, and how modules are called is not.
func TestScopesCountByTheirGrouping(t *testing.T) {
	same := 0
	rapid.Check(t, func(t *rapid.T) {
		was := rapid.SliceOfN(anyScope, 1, 6).Draw(t, "scopes")
		is := append([]string(nil), was...)
		for range rapid.IntRange(0, 2).Draw(t, "changes") {
			is[rapid.IntRange(0, len(is)-1).Draw(t, "component")] = anyScope.Draw(t, "scope")
		}
		if rapid.Bool().Draw(t, "renamed") {
			for i := range is {
				is[i] = strings.NewReplacer("m", "module", "0", "13", "1", "4", "a", "b").Replace(is[i])
			}
		}
		g, h := chainOf(was), chainOf(is)
		h.Components = rapid.Permutation(h.Components).Draw(t, "order")
		equal := grouping(was) == grouping(is)
		if equal {
			same++
		}
		if got := fingerprint(g) == fingerprint(h); got != equal {
			t.Fatalf("equal fingerprints: %v\n%s\n%s", got, g.Text(), h.Text())
		}
		d := diff(g, h)
		if d.Empty() != equal {
			t.Fatalf("%s\n%s\n%s", describe(g, h, d), g.Text(), h.Text())
		}
		for _, c := range d.Changed {
			if len(c.Params) != 1 || c.Params[0].Name != ScopeParam {
				t.Fatalf("%+v", c)
			}
		}
	})
	if same == 0 {
		t.Error("no two were equal: the test shows nothing")
	}
}

func TestScopesOfOtherKindsAreNone(t *testing.T) {
	for raw, want := range map[string]string{`"a.b"`: "a.b", `"\u0061.1"`: "a.1", `7`: "", `null`: "", `["a"]`: "", `""`: "", `"\ud800"`: ""} {
		c := Component{Extra: []Member{{"scope", raw}}}
		if got := c.Scope(); got != want {
			t.Errorf("%s: %q, want %q", raw, got, want)
		}
	}
}
