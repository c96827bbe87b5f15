package onnx

import (
	"slices"
	"strings"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/graph"
)

// This file puts multi-head attention back together: projections, heads, attention, projection. It does so only where it
// can follow every element from the projections to the heads and back, and where nothing else reads what lies between.

// factor is a run of elements: how many, and how far apart in what the view looks at.
type factor struct{ size, stride int64 }

// view says where the elements of every axis lie in the tensor that it was made from: the sum over the axes, and over the
// factors of each, of index times stride, from an offset on.
type view struct {
	axes   [][]factor
	offset int64
}

func wholeView(shape []int64) view {
	v := view{}
	own := strides(shape)
	for i, size := range shape {
		v.axes = append(v.axes, []factor{{size, own[i]}})
	}
	return v
}

// tidy drops factors of one element and joins those that follow each other, so that equal views look alike.
func tidy(axis []factor) []factor {
	var out []factor
	for _, f := range axis {
		if f.size == 1 {
			continue
		}
		if n := len(out); n > 0 && out[n-1].stride == f.size*f.stride {
			out[n-1] = factor{out[n-1].size * f.size, f.stride}
			continue
		}
		out = append(out, f)
	}
	return out
}

// reshape groups the factors anew; not ok where an axis would begin inside of one that cannot be split so.
func (v view) reshape(shape []int64) (view, bool) {
	var rest []factor
	for _, axis := range v.axes {
		rest = append(rest, axis...)
	}
	rest = tidy(rest)
	out := view{offset: v.offset}
	for _, size := range shape {
		var axis []factor
		for size > 1 {
			if len(rest) == 0 {
				return out, false
			}
			f := rest[0]
			switch {
			case size%f.size == 0:
				axis, rest, size = append(axis, f), rest[1:], size/f.size
			case f.size%size == 0:
				left := f.size / size
				axis = append(axis, factor{size, left * f.stride})
				rest[0], size = factor{left, f.stride}, 1
			default:
				return out, false
			}
		}
		out.axes = append(out.axes, axis)
	}
	return out, len(rest) == 0
}

// cutAxis takes a range of an axis that is one run.
func (v view) cutAxis(axis int, start, size int64, drop bool) (view, bool) {
	f := tidy(v.axes[axis])
	if len(f) != 1 {
		return v, false
	}
	out := view{slices.Clone(v.axes), v.offset + start*f[0].stride}
	out.axes[axis] = []factor{{size, f[0].stride}}
	if drop {
		out.axes = slices.Delete(out.axes, axis, axis+1)
	}
	return out, true
}

// through applies a component that only moves elements.
func (e *emitter) through(v view, c *component) (view, bool) {
	num := func(name string) int64 {
		for _, p := range c.params {
			if p.Name == name {
				return p.Value.Int()
			}
		}
		return 0
	}
	switch c.typ {
	case "reshape", "flatten":
		return v.reshape(c.shape)
	case "permute":
		out := view{offset: v.offset}
		for _, d := range c.params[0].Value.List()[1:] {
			out.axes = append(out.axes, v.axes[d.Int()-1])
		}
		return out, true
	case "select":
		axis, index := int(num("dim"))-1, num("index")
		if index < 0 {
			return v, false
		}
		return v.cutAxis(axis, index, 1, true)
	case "slice":
		if num("step") > 1 {
			return v, false
		}
		return v.cutAxis(int(num("dim"))-1, num("start"), num("end")-num("start"), false)
	case "split":
		start := int64(0)
		pieces := c.params[0].Value.List()
		for _, p := range pieces[:num("index")] {
			start += p.Int()
		}
		return v.cutAxis(int(num("dim"))-1, start, pieces[num("index")].Int(), false)
	}
	return v, false
}

// maxMoves is the longest way between a projection and its attention; exporters make some ten steps of it.
const maxMoves = 32

// isMove reports whether a component only moves elements.
func isMove(typ string) bool {
	return slices.Contains([]string{"reshape", "flatten", "permute", "select", "slice", "split"}, typ)
}

// projected follows an input of an attention back to the linear layer that it comes from.
type projected struct {
	linear int
	chain  []int // what lies between, and the linear layer
	view   view
}

func (e *emitter) projection(at int) (projected, bool) {
	p := projected{}
	for isMove(e.comps[at].typ) && len(p.chain) < maxMoves {
		p.chain = append(p.chain, at)
		at = e.comps[at].in[0]
	}
	if e.comps[at].typ != "linear" || e.comps[at].isShared() || len(e.comps[at].shape) != 2 {
		return p, false
	}
	p.linear, p.view = at, wholeView(e.comps[at].shape)
	for _, c := range slices.Backward(p.chain) {
		var ok bool
		if p.view, ok = e.through(p.view, &e.comps[c]); !ok {
			return p, false
		}
	}
	p.chain = append(p.chain, at)
	return p, true
}

// inHeads reports whether a projection is seen as (heads, sequence, features), the heads one behind the other from the offset
// on.
func (p projected) inHeads(heads, sequence, features, width int64) bool {
	want := [][]factor{{{heads, features}}, {{sequence, width}}, {{features, 1}}}
	if len(p.view.axes) != 3 {
		return false
	}
	for i := range want {
		if !slices.Equal(tidy(p.view.axes[i]), tidy(want[i])) {
			return false
		}
	}
	return true
}

// attend looks at every attention.
func (e *emitter) attend() {
	readers := make([][]int, len(e.comps))
	for i, c := range e.comps {
		if !c.alive {
			continue
		}
		for _, j := range c.in {
			readers[j] = append(readers[j], i)
		}
	}
	for i := range e.comps {
		if e.comps[i].alive && e.comps[i].typ == attentionType {
			e.multiHead(i, readers)
		}
	}
}

// multiHead turns one attention into the module that it is a part of.
func (e *emitter) multiHead(at int, readers [][]int) {
	s := &e.comps[at]
	shape := s.shape
	causal := len(s.params) == 1 && s.params[0].Name == "causal"
	if len(shape) != 3 || len(s.in) != 3 || len(s.params) > 0 && !causal {
		return
	}
	heads, features := shape[0], shape[2]
	width := heads * features
	out, behind, ok := e.joined(at, readers, shape)
	if !ok || e.comps[out].shape[1] != width || e.comps[out].isShared() {
		return
	}
	inside := map[int]bool{at: true, out: true}
	for _, c := range behind {
		inside[c] = true
	}
	var parts [3]projected
	total := map[int]int64{}
	for i := range parts {
		p, ok := e.projection(s.in[i])
		if !ok || !p.inHeads(heads, e.comps[p.linear].shape[0], features, e.comps[p.linear].shape[1]) || p.view.offset != total[p.linear] {
			return
		}
		total[p.linear] += width
		for _, c := range p.chain {
			inside[c] = true
		}
		parts[i] = p
	}
	for linear, used := range total {
		if used != e.comps[linear].shape[1] || hasBias(&e.comps[linear]) != hasBias(&e.comps[out]) {
			return
		}
	}
	for c := range inside {
		if c != out && slices.ContainsFunc(readers[c], func(r int) bool { return !inside[r] }) {
			return
		}
	}
	e.replace(out, parts, causal, heads, width)
}

func hasBias(c *component) bool {
	return !slices.ContainsFunc(c.params, func(p graph.Param) bool { return p.Name == "bias" && !p.Value.Bool() })
}

// joined follows an attention to the linear layer behind it that reads the heads side by side.
func (e *emitter) joined(at int, readers [][]int, shape []int64) (linear int, chain []int, ok bool) {
	v := wholeView(shape)
	for i := at; len(readers[i]) == 1 && len(chain) < maxMoves; {
		i = readers[i][0]
		c := &e.comps[i]
		if c.typ == "linear" {
			want := [][]factor{{{shape[1], shape[2]}}, {{shape[0], shape[1] * shape[2]}, {shape[2], 1}}}
			ok := len(v.axes) == 2 && slices.Equal(tidy(v.axes[0]), tidy(want[0])) && slices.Equal(tidy(v.axes[1]), tidy(want[1]))
			return i, chain, ok
		}
		if v, ok = e.through(v, c); !ok {
			return 0, nil, false
		}
		chain = append(chain, i)
	}
	return 0, nil, false
}

// replace makes the linear layer behind an attention the whole module. The weights stay as they were counted.
func (e *emitter) replace(out int, parts [3]projected, causal bool, heads, width int64) {
	from, other := e.comps[parts[0].linear].in[0], e.comps[parts[1].linear].in[0]
	if e.comps[parts[2].linear].in[0] != other {
		return
	}
	typ, in := "multiHeadAttention", []int{from}
	switch {
	case causal && from == other:
		typ = "causalAttention"
	case from != other && !causal:
		typ, in = "crossAttention", []int{from, other}
	case causal:
		return
	}
	params := []graph.Param{whole("embedDim", width), whole("numHeads", heads)}
	if typ == "crossAttention" {
		params = append(params, whole("kvDim", e.comps[other].shape[len(e.comps[other].shape)-1]))
	}
	c := e.comps[out]
	if !hasBias(&c) {
		params = append(params, boolean("bias", false))
	}
	t := catalog.Lookup(typ)
	var shapes []catalog.Shape
	for _, i := range in {
		shapes = append(shapes, catalog.Of(e.comps[i].shape...))
	}
	r := t.Evaluate(params, shapes, make([]bool, len(in)))
	count, owned := c.count, c.owned
	seen := map[int]bool{}
	for _, p := range parts {
		if !seen[p.linear] {
			seen[p.linear] = true
			count += e.comps[p.linear].count
			owned += e.comps[p.linear].owned
		}
	}
	if r.Err != nil || r.Count != count || !slices.Equal(r.Out, c.shape) {
		return
	}
	c.typ, c.params, c.in, c.count, c.owned = typ, params, in, count, owned
	if at := strings.LastIndexByte(c.scope, '.'); at > 0 {
		c.scope = c.scope[:at]
	}
	e.comps[out] = c
}

// isShared reports whether the weights of a component are also another's.
func (c *component) isShared() bool { return c.tiedTo >= 0 || c.sameAs >= 0 || c.shared }
