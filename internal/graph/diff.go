package graph

import (
	"slices"
	"strings"
)

// Delta is the structural difference of two graphs, in indices of their components. Every list is in the order of the graph
// that its indices belong to; pairs are in the order of the later one.
type Delta struct {
	Added   []int    // in after, without counterpart
	Removed []int    // in before, without counterpart
	Changed []Change // matched, with another type or other parameters
	Rewired []Pair   // matched, with other inputs or the same ones in another order
	Match   []int    // for every component of before its counterpart in after, or -1
}

// Pair is a component of before and its counterpart in after.
type Pair struct{ Before, After int }

// Change is a component that kept its place and became another one.
type Change struct {
	Before, After int
	Type          TypeChange    // empty where the type is the same
	Params        []ParamChange // by name
}

// TypeChange is a type before and after.
type TypeChange struct{ Before, After string }

// ParamChange is a parameter before and after; null where it was or is left out.
type ParamChange struct {
	Name          string
	Before, After Value
}

// Empty reports whether the graphs have the same structure.
func (d Delta) Empty() bool {
	return len(d.Added) == 0 && len(d.Removed) == 0 && len(d.Changed) == 0 && len(d.Rewired) == 0
}

// Diff compares two graphs. args appends the parameters that their structures were made with.
//
// Components are matched by what they are and where they stand, by their ids, names and neighbours; see matchStructures. A
// graph has no difference from itself under other ids, names or in another order. A type that changes is one component
// removed and one added, except where only the id is left to go by. Sticky notes are never compared.
func Diff(a, b *Structure, args func(out []Param, g *Graph, i int) []Param) Delta {
	before, after := a.graph, b.graph
	m := matchStructures(a, b)
	d := Delta{Match: make([]int, len(before.Components))}
	for i := range before.Components {
		d.Match[i] = int(m.to[i])
		if m.to[i] == free && !a.isNote(int32(i)) {
			d.Removed = append(d.Removed, i)
		}
	}
	changed, rewired := m.changed(), m.rewired()
	for j := range after.Components {
		i := m.from[j]
		if i == free {
			if !b.isNote(int32(j)) {
				d.Added = append(d.Added, j)
			}
			continue
		}
		if changed[j] {
			d.Changed = append(d.Changed, m.change(pair{i, int32(j)}, args))
		}
		if rewired[j] {
			d.Rewired = append(d.Rewired, Pair{int(i), j})
		}
	}
	return d
}

// changed marks the components of b whose counterpart has another type or other parameters, or shares its modules with others.
func (m *match) changed() []bool {
	out := make([]bool, len(m.b.graph.Components))
	for _, p := range m.pairs {
		if int(p.b) < len(out) {
			out[p.b] = m.a.label[p.a] != m.b.label[p.b] || !m.sameTie(p)
		}
	}
	m.regrouped(func(j int32) { out[j] = true })
	return out
}

// sameTie reports whether both are tied to the same component, or neither is to any.
func (m *match) sameTie(p pair) bool {
	return slices.EqualFunc(m.a.tiesOf(p.a), m.b.tiesOf(p.b), func(x, y int32) bool { return m.to[x] == y })
}

// rewired marks the components of b whose inputs are not the counterparts of the inputs before. What changed at a stand-in
// counts for the components behind it: those that share its id, or those that feed an id which no component has.
func (m *match) rewired() []bool {
	out := make([]bool, len(m.b.graph.Components))
	for _, p := range m.pairs {
		if m.sameInputs(p) {
			continue
		}
		if int(p.b) < len(out) {
			out[p.b] = true
			continue
		}
		m.blame(out, p.a, p.b)
	}
	for i := int32(len(m.a.graph.Components)); int(i) < m.a.nodes; i++ {
		if m.to[i] == free {
			m.blame(out, i, free)
		}
	}
	for j := int32(len(out)); int(j) < m.b.nodes; j++ {
		if m.from[j] == free {
			m.blame(out, free, j)
		}
	}
	return out
}

func (m *match) sameInputs(p pair) bool {
	return slices.EqualFunc(m.a.in.nodes(p.a), m.b.in.nodes(p.b), func(x, y int32) bool { return m.to[x] == y })
}

// blame marks the components behind a stand-in of a, of b or of both.
func (m *match) blame(out []bool, i, j int32) {
	if i != free {
		for _, k := range m.a.behind(i) {
			if to := m.to[k]; to != free && int(to) < len(out) {
				out[to] = true
			}
		}
	}
	if j != free {
		for _, k := range m.b.behind(j) {
			if int(k) < len(out) && m.from[k] != free {
				out[k] = true
			}
		}
	}
}

func (s *Structure) behind(standIn int32) []int32 {
	if shared := s.standIns[int(standIn)-len(s.graph.Components)].shared; shared != nil {
		return shared
	}
	return s.in.nodes(standIn)
}

// cost is how much a match says has changed.
type cost struct{ moved, changed int }

func (c cost) all() int { return c.moved + c.changed }

func (m *match) cost() (c cost) {
	for i, to := range m.to {
		if to == free && !m.a.isNote(int32(i)) {
			c.moved++
		}
	}
	for j, from := range m.from {
		if from == free && !m.b.isNote(int32(j)) {
			c.moved++
		}
	}
	changed, rewired := m.changed(), m.rewired()
	for j := range changed {
		if changed[j] {
			c.changed++
		}
		if rewired[j] {
			c.moved++
		}
	}
	return c
}

// change compares the types and parameters of two components.
func (m *match) change(p pair, args func(out []Param, g *Graph, i int) []Param) Change {
	x, y := &m.a.graph.Components[p.a], &m.b.graph.Components[p.b]
	c := Change{Before: int(p.a), After: int(p.b)}
	differ := m.differ[:0]
	m.was, m.is = byName(args(m.was[:0], m.a.graph, c.Before)), byName(args(m.is[:0], m.b.graph, c.After))
	was, is := m.was, m.is
	if x.Type != y.Type {
		c.Type = TypeChange{x.Type, y.Type}
	}
	for len(was) > 0 || len(is) > 0 {
		switch {
		case len(is) == 0 || len(was) > 0 && was[0].Name < is[0].Name:
			differ, was = append(differ, ParamChange{was[0].Name, was[0].Value, Value{}}), was[1:]
		case len(was) == 0 || is[0].Name < was[0].Name:
			differ, is = append(differ, ParamChange{is[0].Name, Value{}, is[0].Value}), is[1:]
		default:
			if !m.sameValue(was[0], is[0]) {
				differ = append(differ, ParamChange{was[0].Name, was[0].Value, is[0].Value})
			}
			was, is = was[1:], is[1:]
		}
	}
	if m.a.label[p.a] == m.b.label[p.b] && m.sameTie(p) { // so the modules changed, and nothing else
		differ = append(differ[:0], ParamChange{ScopeParam, scopeValue(x), scopeValue(y)})
	}
	if m.differ = differ; len(differ) > 0 {
		c.Params = slices.Clone(differ)
	}
	return c
}

func scopeValue(c *Component) Value {
	if s := c.Scope(); s != "" {
		return StringValue(s)
	}
	return Value{}
}

// byName sorts parameters and leaves out those that are null.
func byName(params []Param) []Param {
	params = slices.DeleteFunc(params, func(p Param) bool { return p.Value.Kind() == Null })
	slices.SortStableFunc(params, func(p, q Param) int { return strings.Compare(p.Name, q.Name) })
	return params
}

// sameValue compares as the fingerprint does: equal numbers are equal, and a tie is the component that it names.
func (m *match) sameValue(was, is Param) bool {
	if refersTo(was.Name) && was.Value.Kind() == String && is.Value.Kind() == String {
		x, y := m.a.nodeOf(was.Value.Str()), m.b.nodeOf(is.Value.Str())
		return x < 0 && y < 0 || x >= 0 && y >= 0 && m.to[x] == y
	}
	return was.Value.hash() == is.Value.hash()
}

// Downstream counts the components of after that lie downstream of a changed, added or rewired one and are none themselves.
func (d Delta) Downstream(after *Graph) int {
	w := after.Wire()
	seen, queue := make([]bool, len(after.Components)), make([]int, 0, len(after.Components))
	visit := func(i int) {
		if !seen[i] {
			seen[i], queue = true, append(queue, i)
		}
	}
	for _, i := range d.Added {
		visit(i)
	}
	for _, c := range d.Changed {
		visit(c.After)
	}
	for _, p := range d.Rewired {
		visit(p.After)
	}
	count := -len(queue)
	for k := 0; k < len(queue); k++ { //nolint:intrange // visit makes the queue longer
		for _, j := range w.Outputs(queue[k]) {
			if after.Components[j].Type != noteType {
				visit(int(j))
			}
		}
	}
	return count + len(queue)
}
