package agent

import (
	"slices"
	"strings"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/infer"
)

// place is a parameter of a component.
type place struct {
	id, param string
	value     int64
}

// width is a size that several parameters share: who writes an axis and who reads it.
type width struct {
	value  int64
	step   int64 // it must be a multiple of it: attention divides it among its heads
	places []place
	ends   bool // it reaches an input or an output of the model
}

// sets joins axes and parameters that must have the same size.
type sets []int

func (s sets) find(i int) int {
	for s[i] != i {
		s[i] = s[s[i]]
		i = s[i]
	}
	return i
}

func (s sets) join(a, b int) { s[s.find(a)] = s.find(b) }

// axes numbers the axes of every result, and the parameters behind them.
type axes struct {
	res    *infer.Result
	axis   []int // the first of a node
	param  []int
	joined sets
}

func axesOf(res *infer.Result) *axes {
	a := &axes{res: res}
	n := 0
	for i := range res.Nodes {
		a.axis = append(a.axis, n)
		n += len(res.Nodes[i].Out)
	}
	for i := range res.Nodes {
		a.param = append(a.param, n)
		n += len(res.Nodes[i].Args)
	}
	a.joined = make(sets, n)
	for i := range a.joined {
		a.joined[i] = i
	}
	for i := range res.Nodes {
		a.connect(i)
	}
	return a
}

// connect joins what a component reads with what it writes, where the sizes are the same.
func (a *axes) connect(i int) {
	n := &a.res.Nodes[i]
	if n.Type == nil || n.State != infer.Legal {
		return
	}
	written := map[int]bool{}
	inputs := a.res.Wiring.Inputs(i)
	for k := range n.Type.Params {
		p := &n.Type.Params[k]
		if k >= len(n.Args) || n.Args[k].Kind() != graph.Int {
			continue
		}
		v := n.Args[k].Int()
		if axis, ok := p.Writes.In(len(n.Out)); ok && n.Out[axis] == v {
			a.joined.join(a.param[i]+k, a.axis[i]+axis)
			written[axis] = true
		}
		if len(inputs) == 0 || len(n.In) == 0 {
			continue
		}
		axis, ok := p.Reads.In(len(n.In[0]))
		if !ok {
			axis, ok = normAxis(n, p)
		}
		if ok && axis < len(n.In[0]) && n.In[0][axis] == v && len(a.res.Nodes[inputs[0]].Out) == len(n.In[0]) {
			a.joined.join(a.param[i]+k, a.axis[inputs[0]]+axis)
		}
	}
	a.pass(i, written)
}

// normAxis is the axis that a normalisation over one size is for.
func normAxis(n *infer.Node, p *catalog.Param) (int, bool) {
	if p.Name == "normalizedShape" {
		return len(n.In[0]) - 1, true
	}
	return 0, p.Name == "numFeatures" || p.Name == "numChannels"
}

// pass joins the axes that a component hands on.
func (a *axes) pass(i int, written map[int]bool) {
	n := &a.res.Nodes[i]
	for _, j := range a.res.Wiring.Inputs(i) {
		from := &a.res.Nodes[j]
		switch {
		case len(from.Out) == len(n.Out):
			for axis := range n.Out {
				if !written[axis] && from.Out[axis] == n.Out[axis] {
					a.joined.join(a.axis[i]+axis, a.axis[j]+axis)
				}
			}
		case len(n.Out) == 1 && len(from.Out) > 1 && !written[0]:
			if last := len(from.Out) - 1; from.Out[last] == n.Out[0] {
				a.joined.join(a.axis[i], a.axis[j]+last)
			} else if from.Out[0] == n.Out[0] {
				a.joined.join(a.axis[i], a.axis[j])
			}
		}
	}
}

// widths are the sizes of a model that parameters decide, in the order of the components.
func (a *axes) widths() (out []*width) {
	ends, byRoot := map[int]bool{}, map[int]*width{}
	for i := range a.res.Nodes {
		n := &a.res.Nodes[i]
		if n.Component.Type == infer.InputID || n.Component.Type == "output" {
			for axis := range n.Out {
				ends[a.joined.find(a.axis[i]+axis)] = true
			}
		}
	}
	for i := range a.res.Nodes {
		n := &a.res.Nodes[i]
		for k := range n.Args {
			root := a.joined.find(a.param[i] + k)
			if n.Args[k].Kind() != graph.Int || !a.shared(i, k, root) {
				continue
			}
			w := byRoot[root]
			if w == nil {
				w = &width{value: n.Args[k].Int(), step: 1, ends: ends[root]}
				byRoot[root] = w
				out = append(out, w)
			}
			if n.Args[k].Int() == w.value {
				w.places = append(w.places, place{n.Component.ID, n.Type.Params[k].Name, w.value})
			}
			if heads := headsOf(n); heads > 1 {
				w.step = max(w.step, heads)
			}
		}
	}
	return out
}

// shared reports whether a parameter belongs to an axis.
func (a *axes) shared(i, k, root int) bool {
	p := &a.res.Nodes[i].Type.Params[k]
	return root != a.param[i]+k || p.Writes != 0 || p.Reads != 0
}

// headsOf is by how much the width of an attention must be divisible, 0 where it says how wide its heads are.
func headsOf(n *infer.Node) int64 {
	heads := int64(0)
	for k := range n.Type.Params {
		name, v := n.Type.Params[k].Name, n.Args[k]
		if v.Kind() != graph.Int {
			continue
		}
		if name == "numHeads" {
			heads = v.Int()
		}
		if _, given := n.Component.Param("headDim"); given && name == "headDim" {
			return 0
		}
	}
	if n.Type.ID == "ropeAttention" {
		heads *= 2 // rotary positions turn pairs of features
	}
	return heads
}

// inner are the sizes inside of components that no axis shows, by type, parameter and value: the width of
// feed-forward networks and experts.
func inner(res *infer.Result) (out []*width) {
	byKey := map[string]*width{}
	for i := range res.Nodes {
		n := &res.Nodes[i]
		if n.Type == nil {
			continue
		}
		for k := range n.Args {
			p := &n.Type.Params[k]
			v, given := n.Component.Param(p.Name)
			if !given || v.Kind() != graph.Int || p.Reads != 0 || p.Writes != 0 || !slices.Contains(insides,
				strings.ToLower(p.Name)) {
				continue
			}
			key := n.Type.ID + " " + p.Name + " " + v.Brief()
			if byKey[key] == nil {
				byKey[key] = &width{value: v.Int(), step: 1}
				out = append(out, byKey[key])
			}
			byKey[key].places = append(byKey[key].places, place{n.Component.ID, p.Name, v.Int()})
		}
	}
	return out
}

var insides = []string{"ffdim", "intermediatesize", "expertdim", "hiddensize", "hiddendim", "dimfeedforward", "mlpdim"}

// widthOf is the size of the last axis at a component.
func widthOf(res *infer.Result, node int) *width {
	a := axesOf(res)
	n := &res.Nodes[node]
	if len(n.Out) == 0 {
		return nil
	}
	root := a.joined.find(a.axis[node] + len(n.Out) - 1)
	w := &width{step: 1}
	for i := range res.Nodes {
		for k := range res.Nodes[i].Args {
			if a.joined.find(a.param[i]+k) == root {
				w.places = append(w.places, place{res.Nodes[i].Component.ID, res.Nodes[i].Type.Params[k].Name,
					res.Nodes[i].Args[k].Int()})
			}
		}
	}
	if len(w.places) == 0 {
		return nil
	}
	return w
}
