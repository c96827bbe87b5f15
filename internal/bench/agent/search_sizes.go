package agent

import (
	"fmt"
	"slices"
	"strings"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/infer"
	"github.com/modelverifier/verifier/internal/quantity"
	"github.com/modelverifier/verifier/internal/rules"
)

// setting is new values for places.
type setting map[place]int64

// free are the sizes that may change: they reach no input or output, and belong to nothing that is kept.
func (s *searcher) free(t *try) (out []*width) {
	for _, w := range append(axesOf(t.seen).widths(), inner(t.seen)...) {
		kept := slices.ContainsFunc(w.places, func(p place) bool { return s.guarded[p.id] })
		if !kept && !w.ends && w.value > 1 && (s.most == 0 || len(w.places) <= s.most) {
			out = append(out, w)
		}
	}
	return out
}

// targets are numbers of weights to aim at: the middle of what is allowed, and near its ends.
func (s *searcher) targets(t *try, kind string) []int64 {
	low, high := int64(0), int64(0)
	for _, c := range s.task.Constraints {
		if c.Kind == "params" {
			low, high = c.Min, c.Max
		}
	}
	switch {
	case low == 0 && high == 0:
		low, high = t.seen.Params*3/4, t.seen.Params*9/10
	case low == 0:
		low = high / 10 * 9
	case high == 0:
		high = low + low/20
	}
	if kind == "params" {
		return []int64{low + (high-low)/2, low + (high-low)/8, high - (high-low)/8}
	}
	return []int64{low + (high-low)/16, low + (high-low)/2}
}

// sizes proposes other widths, so that the number of weights comes to where the task wants it.
func (s *searcher) sizes(t *try, kind string) (out []move) {
	all := s.free(t)
	if len(all) == 0 {
		return nil
	}
	why := t.why(kind)
	for _, target := range s.targets(t, kind) {
		for _, step := range []int64{8, 4, 2} {
			out = append(out, move{later: func() move { return s.scaled(t, all, step, target, why) }})
		}
	}
	one := s.targets(t, kind)[0]
	for _, w := range all {
		out = append(out, move{later: func() move { return s.set(t, setting{}, w, s.bisect(t, setting{}, w, one), why) }})
	}
	out = append(out, s.traded(t, all, one, why)...)
	for _, w := range all {
		for _, v := range []int64{w.value - w.step, w.value + w.step} {
			out = append(out, move{later: func() move { return s.set(t, setting{}, w, v, why) }})
		}
	}
	return out
}

// traded makes one width smaller or larger and another one such that the number of weights is right again: it moves
// weights to where they cost less.
func (s *searcher) traded(t *try, all []*width, target int64, why string) (out []move) {
	for range min(12, len(all)*(len(all)-1)) {
		a, b := all[s.dice.IntN(len(all))], all[s.dice.IntN(len(all))]
		if a == b {
			continue
		}
		v := max(a.step, a.value*int64(12+s.dice.IntN(9))/16/a.step*a.step)
		first := setting{}
		for _, p := range a.places {
			first[p] = v
		}
		out = append(out, move{later: func() move { return s.set(t, first, b, s.bisect(t, first, b, target), why) }})
	}
	return out
}

// scaled changes all widths by one share, rounded to a step each, so that the number of weights comes nearest to a
// target.
func (s *searcher) scaled(t *try, all []*width, step, target int64, why string) move {
	at := func(share int64) setting {
		out := setting{}
		for _, w := range all {
			to := step
			if w.step > 1 {
				to = w.step
			}
			v := max(1, (w.value*share/1000+to/2)/to) * to
			for _, p := range w.places {
				out[p] = v
			}
		}
		return out
	}
	low, high := int64(20), int64(8000)
	for high-low > 1 {
		if middle := (low + high) / 2; s.weights(t, at(middle)) > target {
			high = middle
		} else {
			low = middle
		}
	}
	to := at(low)
	return s.change(t, to, fmt.Sprintf("%s: every width becomes %d.%d %% of what it is, rounded to multiples of "+
		"%d, which gives %s weights.",
		capitalised(why), low/10, low%10, step, quantity.Grouped(s.weights(t, to))))
}

// bisect is the value of one width with which the number of weights comes nearest to a target from below.
func (s *searcher) bisect(t *try, first setting, w *width, target int64) int64 {
	low, high := int64(1), max(2, 8*w.value/w.step)
	for high-low > 1 {
		middle := (low + high) / 2
		to := setting{}
		for p, v := range first {
			to[p] = v
		}
		for _, p := range w.places {
			to[p] = middle * w.step
		}
		if s.weights(t, to) > target {
			high = middle
		} else {
			low = middle
		}
	}
	return low * w.step
}

// set changes one width, behind other changes.
func (s *searcher) set(t *try, first setting, w *width, v int64, why string) move {
	to := setting{}
	for p, value := range first {
		to[p] = value
	}
	for _, p := range w.places {
		to[p] = v
	}
	others := ""
	if len(w.places) > 1 {
		others = fmt.Sprintf(" and what shares this size (%d parameters)", len(w.places))
	}
	also := ""
	for _, p := range sortedPlaces(first) {
		also = fmt.Sprintf(", and %s of %s becomes %d", p.param, p.id, first[p])
		break
	}
	return s.change(t, to, fmt.Sprintf("%s: %s of %s%s goes from %d to %d%s, which gives %s weights.",
		capitalised(why), w.places[0].param, w.places[0].id, others, w.value, v, also, quantity.Grouped(s.weights(t, to))))
}

// weights counts those of a model with other values.
func (s *searcher) weights(t *try, to setting) int64 { return with(t.seen.Graph, to).Params }

// with walks a model with other values.
func with(g *graph.Graph, to setting) *infer.Result {
	g = g.Clone()
	at := map[string]*graph.Component{}
	for i := range g.Components {
		at[g.Components[i].ID] = &g.Components[i]
	}
	for p, v := range to {
		at[p.id].SetParam(p.param, graph.IntValue(v))
	}
	return infer.Walk(g)
}

// change is a move that sets values, and what certainly has to follow them.
func (s *searcher) change(t *try, to setting, because string) move {
	places := sortedPlaces(to)
	return s.settled(t, places, func(p place) any { return to[p] }, because)
}

func sortedPlaces(to setting) []place {
	out := make([]place, 0, len(to))
	for p := range to {
		out = append(out, p)
	}
	slices.SortFunc(out, func(a, b place) int {
		if c := strings.Compare(a.id, b.id); c != 0 {
			return c
		}
		return strings.Compare(a.param, b.param)
	})
	return out
}

// mostFollowed bounds the fixes that follow a change.
const mostFollowed = 12

// settled is a move that sets places, and follows the fixes of what is refused behind them.
func (s *searcher) settled(t *try, places []place, value func(place) any, because string) move {
	m := move{because: because}
	for _, p := range places {
		if v := value(p); v != any(p.value) {
			m.ops = append(m.ops, op{Op: "change", Component: p.id, Params: map[string]any{p.param: v}})
		}
	}
	own := map[string]bool{}
	for _, o := range m.ops {
		own[o.Component] = true
	}
	for range mostFollowed {
		d, err := t.draft.with(encoded(m.ops))
		if err != nil || len(m.ops) == 0 {
			return m
		}
		g := d.graph.Clone()
		g.Normalize(catalog.Vocabulary)
		found := rules.Run(infer.Walk(g))
		next := slices.IndexFunc(found, func(f rules.Finding) bool {
			return f.Rule.Severity == rules.Block && len(f.Edits) > 0 && !s.guarded[f.Edits[0].Component] &&
				!own[f.Edits[0].Component]
		})
		if next < 0 {
			return m
		}
		for _, e := range found[next].Edits {
			own[e.Component] = true
			if e.Inserts() {
				m.ops = append(m.ops, op{Op: "insert", Component: e.Component, Type: e.Type, From: e.From, To: e.To})
				continue
			}
			m.ops = append(m.ops, op{Op: "change", Component: e.Component,
				Params: map[string]any{e.Param: raw(e.Value.AppendJSON(nil))}})
		}
	}
	return m
}

// heads proposes other numbers of heads, the same in all components of a type.
func (s *searcher) heads(t *try, kind string) (out []move) {
	byType := map[string][]*infer.Node{}
	var order []string
	for i := range t.seen.Nodes {
		n := &t.seen.Nodes[i]
		if _, has := n.Component.Param("numHeads"); n.Type != nil && has && !s.guarded[n.Component.ID] {
			if byType[n.Type.ID] == nil {
				order = append(order, n.Type.ID)
			}
			byType[n.Type.ID] = append(byType[n.Type.ID], n)
		}
	}
	for _, typ := range order {
		nodes := byType[typ]
		heads, _ := nodes[0].Component.Param("numHeads")
		keys, grouped := nodes[0].Component.Param("numKVHeads")
		change := func(name string, v int64, also string, w int64) {
			m := move{because: fmt.Sprintf("%s: %s of %s of type %s becomes %d.", capitalised(t.why(kind)), name,
				every(len(nodes)), typ, v)}
			for _, n := range nodes {
				params := map[string]any{name: v}
				if also != "" {
					params[also] = w
				}
				m.ops = append(m.ops, op{Op: "change", Component: n.Component.ID, Params: params})
			}
			out = append(out, m)
		}
		for k := int64(1); grouped && k <= heads.Int(); k++ {
			if heads.Int()%k == 0 && k != keys.Int() {
				change("numKVHeads", k, "", 0)
			}
		}
		for d := int64(1); kind == "serves" && d <= 8; d++ {
			for _, v := range []int64{heads.Int() - d, heads.Int() + d} {
				if v > 0 && grouped && (v%keys.Int() == 0 || keys.Int() == heads.Int()) {
					change("numHeads", v, "numKVHeads", min(v, keys.Int()))
				} else if v > 0 && grouped {
					change("numHeads", v, "numKVHeads", 1)
				}
			}
		}
	}
	return out
}
