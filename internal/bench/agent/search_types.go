package agent

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/modelverifier/verifier/internal/bench"
	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/infer"
)

func encoded(ops []op) json.RawMessage {
	data, err := json.Marshal(ops)
	if err != nil {
		return nil // cannot happen: numbers, words and lists of them
	}
	return data
}

func capitalised(s string) string {
	if s == "" {
		return "It does not pass yet"
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// types proposes components of types that are asked for, and takes those away that are not allowed.
func (s *searcher) types(t *try, failed map[string]bool) (out []move) {
	var asked []*bench.Constraint // types that there are too few of
	var barred []string           // types that are not allowed
	for i := range s.task.Constraints {
		c := &s.task.Constraints[i]
		switch {
		case c.Kind == "uses" && !t.grade.Checks[i].Held:
			asked = append(asked, c)
		case c.Kind == "without" && !t.grade.Checks[i].Held:
			barred = append(barred, c.Types...)
		}
	}
	for _, c := range asked {
		for _, typ := range c.Types {
			out = append(out, s.swaps(t, typ, int(c.Min), barred)...)
			out = append(out, s.insertions(t, c, typ)...)
		}
	}
	for _, typ := range barred {
		m := move{because: fmt.Sprintf("%s: every component of type %s is taken out, and what fed it feeds its readers.",
			capitalised(t.why("without")), typ)}
		for _, i := range ofType(t.seen, typ) {
			m.ops = append(m.ops, op{Op: "remove", Component: t.seen.Nodes[i].Component.ID, Join: true})
		}
		out = append(out, m)
	}
	return out
}

func ofType(res *infer.Result, typ string) (out []int) {
	for i := range res.Nodes {
		if t := res.Nodes[i].Type; t != nil && t.ID == typ {
			out = append(out, i)
		}
	}
	return out
}

// swaps gives all components of one type another, under their ids: of those there are as many as are missing, and
// they are not allowed or have two of its parameters.
func (s *searcher) swaps(t *try, typ string, least int, barred []string) (out []move) {
	to := catalog.Lookup(typ)
	if to == nil {
		return nil
	}
	var from []string
	for i := range t.seen.Nodes {
		n := &t.seen.Nodes[i]
		if n.Type == nil || n.Type.ID == typ || s.guarded[n.Component.ID] || slices.Contains(from, n.Type.ID) {
			continue
		}
		same := 0
		for k := range to.Params {
			if _, has := n.Component.Param(to.Params[k].Name); has {
				same++
			}
		}
		if missing := least - len(ofType(t.seen, typ)); len(ofType(t.seen, n.Type.ID)) == missing &&
			(slices.Contains(barred, n.Type.ID) || same >= 2) {
			from = append(from, n.Type.ID)
		}
	}
	for _, old := range from {
		nodes := ofType(t.seen, old)
		for _, given := range s.arguments(t, to, &t.seen.Nodes[nodes[0]]) {
			m := move{because: fmt.Sprintf("%s: type %s in place of %s for %s, with %s and the same ids.",
				capitalised(first(t.why("uses"), t.why("without"))), typ, old, every(len(nodes)), written(given))}
			for _, i := range nodes {
				m.ops = append(m.ops, swapped(&t.seen.Nodes[i], to, given)...)
			}
			out = append(out, m)
		}
	}
	return out
}

// every names all of some components.
func every(n int) string {
	if n == 1 {
		return "the one component"
	}
	return fmt.Sprintf("all %d components", n)
}

func first(words ...string) string {
	for _, w := range words {
		if w != "" {
			return w
		}
	}
	return ""
}

// argument is a parameter with a value.
type argument struct {
	name  string
	value any
}

func written(list []argument) string {
	var words []string
	for _, a := range list {
		words = append(words, fmt.Sprintf("%s %v", a.name, a.value))
	}
	if len(words) == 0 {
		return "its defaults"
	}
	return strings.Join(words, ", ")
}

// swapped changes a component to another type: parameters that both have stay, sizes that it reads are those that
// arrive. What the new type does not have goes first, since it may know the same word for another parameter.
func swapped(n *infer.Node, to *catalog.Type, given []argument) []op {
	drop := op{Op: "change", Component: n.Component.ID, Params: map[string]any{}}
	turn := op{Op: "change", Component: n.Component.ID, Type: to.ID, Params: map[string]any{}}
	for _, p := range n.Component.Params {
		if !slices.ContainsFunc(to.Params, func(q catalog.Param) bool { return q.Name == p.Name }) {
			drop.Params[p.Name] = nil
		}
	}
	for name, v := range sizesRead(n, to) {
		turn.Params[name] = v
	}
	for _, a := range given {
		turn.Params[a.name] = a.value
	}
	if len(drop.Params) == 0 {
		return []op{turn}
	}
	return []op{drop, turn}
}

// sizesRead are the parameters of a type that say a size of what arrives at a component.
func sizesRead(n *infer.Node, to *catalog.Type) map[string]any {
	out := map[string]any{}
	if len(n.In) == 0 {
		return out
	}
	for k := range to.Params {
		p := &to.Params[k]
		if axis, ok := p.Reads.In(len(n.In[0])); ok && p.Default == nil {
			out[p.Name] = n.In[0][axis]
		}
	}
	return out
}

// mostArguments bounds the ways to fill in what a type needs.
const mostArguments = 12

// arguments are the ways to give a type what the old component does not have, from the numbers of the prompt in their
// order.
func (s *searcher) arguments(t *try, to *catalog.Type, old *infer.Node) [][]argument {
	whole, fractions := stated(s.task)
	var needs []string
	for k := range to.Params {
		p := &to.Params[k]
		if _, has := old.Component.Param(p.Name); has && old.Type.ID != to.ID || p.Reads != 0 && p.Default == nil {
			continue
		}
		if p.Required() && p.Kind == catalog.Int {
			needs = append(needs, p.Name)
		} else if p.Kind == catalog.Float && len(fractions) > 0 && p.Name == "p" {
			return [][]argument{{{p.Name, fractions[0]}}}
		}
	}
	if len(needs) == 0 {
		return append(optional(to, whole), nil)
	}
	for _, p := range old.Component.Params {
		if p.Value.Kind() == graph.Int {
			whole = append(whole, p.Value.Int())
		}
	}
	var out [][]argument
	for _, pick := range subsequences(len(whole), len(needs), mostArguments) {
		var list []argument
		for k, at := range pick {
			list = append(list, argument{needs[k], whole[at]})
		}
		out = append(out, list)
	}
	return out
}

// optional are the whole-number parameters with a default, with numbers of the prompt.
func optional(to *catalog.Type, whole []int64) (out [][]argument) {
	for k := range to.Params {
		p := &to.Params[k]
		if p.Kind == catalog.Int && p.Default != nil && p.Reads == 0 {
			for _, v := range whole {
				if len(out) < mostArguments {
					out = append(out, []argument{{p.Name, v}})
				}
			}
		}
	}
	return out
}

// subsequences are the ways to choose k of n positions in their order, those that lie together first.
func subsequences(n, k, most int) (out [][]int) {
	for from := 0; from+k <= n && len(out) < most; from++ {
		var one []int
		for i := range k {
			one = append(one, from+i)
		}
		out = append(out, one)
	}
	for from := 0; k > 1 && from+k < n && len(out) < most; from++ { // with one left out before the last
		var one []int
		for i := range k - 1 {
			one = append(one, from+i)
		}
		out = append(out, append(one, from+k))
	}
	return out
}

// insertions puts a component of a type before the last layer, behind each component of another type of which there
// are as many as are missing, or behind the last one of its own type.
func (s *searcher) insertions(t *try, c *bench.Constraint, typ string) (out []move) {
	to := catalog.Lookup(typ)
	missing := int(c.Min) - len(ofType(t.seen, typ))
	if to == nil || missing < 1 {
		return nil
	}
	var spots [][]int
	if missing == 1 {
		spots = append(spots, beforeLast(t.seen))
		if own := ofType(t.seen, typ); len(own) > 0 {
			spots = append(spots, own[len(own)-1:])
		}
	}
	byType := map[string]int{}
	var order []string
	for i := range t.seen.Nodes {
		if n := &t.seen.Nodes[i]; n.Type != nil {
			if byType[n.Type.ID] == 0 {
				order = append(order, n.Type.ID)
			}
			byType[n.Type.ID]++
		}
	}
	for _, other := range order {
		if byType[other] == missing && other != infer.InputID && other != "output" && other != typ {
			spots = append(spots, ofType(t.seen, other))
		}
	}
	for _, spot := range spots {
		if len(spot) == 0 {
			continue
		}
		for _, given := range s.arguments(t, to, &t.seen.Nodes[spot[0]]) {
			out = append(out, s.inserted(t, to, spot, given))
		}
	}
	return out
}

// beforeLast is what feeds the last component with weights.
func beforeLast(res *infer.Result) []int {
	order := res.Wiring.Order
	for k := len(order) - 1; k >= 0; k-- {
		if i := order[k]; res.Nodes[i].Params > 0 && len(res.Wiring.Inputs(i)) > 0 {
			return []int{int(res.Wiring.Inputs(i)[0])}
		}
	}
	return nil
}

func (s *searcher) inserted(t *try, to *catalog.Type, spot []int, given []argument) move {
	m := move{because: fmt.Sprintf("%s: %s with %s goes behind %s.", capitalised(t.why("uses")), to.ID, written(given),
		t.seen.Nodes[spot[0]].Component.Label())}
	for _, i := range spot {
		from := &t.seen.Nodes[i]
		id := to.ID + "_" + from.Component.ID
		o := op{Op: "add", Component: id, Type: to.ID, From: from.Component.ID, Params: map[string]any{}}
		if from.Type.ID == to.ID {
			for _, p := range from.Component.Params {
				o.Params[p.Name] = raw(p.Value.AppendJSON(nil))
			}
		}
		for name, v := range sizesRead(&infer.Node{In: []catalog.Shape{from.Out}}, to) {
			o.Params[name] = v
		}
		for _, a := range given {
			o.Params[a.name] = a.value
		}
		m.ops = append(m.ops, o)
		for _, j := range t.seen.Wiring.Outputs(i) {
			reader := t.seen.Nodes[j].Component.ID
			m.ops = append(m.ops, op{Op: "disconnect", From: from.Component.ID, To: reader}, op{Op: "connect", From: id,
				To: reader})
		}
	}
	return m
}
