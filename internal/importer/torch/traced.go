package torch

import (
	"encoding/json"
	"slices"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/infer"
)

// trace is what trace.py prints. Shapes have the batch, which is traceBatch, as axis 0 where there is one.
type trace struct {
	Params  int64         `json:"params"`
	Steps   []step        `json:"steps"`
	Outputs []traceOutput `json:"outputs"`
	Device  string        `json:"device"` // cpu where the meta device could not do it, else ""
	Why     string        `json:"why"`    // the exception of the meta device
}

type step struct {
	Kind       string                     `json:"kind"`
	Target     string                     `json:"target"`
	Path       string                     `json:"path"`
	Scope      string                     `json:"scope"`
	Inputs     []int                      `json:"inputs"`
	Shape      []int64                    `json:"shape"`
	Attributes map[string]json.RawMessage `json:"attributes"`
	Owned      []string                   `json:"owned"`
	Sizes      [][]int64                  `json:"sizes"`
}

type traceOutput struct {
	Step  int     `json:"step"`
	Shape []int64 `json:"shape"`
}

// traceBatch is the batch that trace.py runs with.
const traceBatch = 2

// tracer makes a graph of a trace.
type tracer struct {
	r      *reader // for ids
	steps  []step
	nodes  []int // component of each step, -1 where it has none
	shapes []catalog.Shape
	ints   []bool
	owner  map[string]int
	out    *Model
}

// model makes a graph of a trace.
func (t *trace) model(name string) *Model {
	out := &Model{Status: Full, Params: t.Params}
	x := &tracer{r: &reader{graph: &graph.Graph{Name: name}, used: map[string]int{}}, steps: t.Steps, owner: map[string]int{}, out: out}
	for i := range t.Steps {
		x.step(i)
	}
	for _, o := range t.Outputs {
		if o.Step >= 0 && o.Step < len(x.nodes) && x.nodes[o.Step] >= 0 {
			x.add(x.r.unique("output"), "output", nil, []int{o.Step}, "")
		}
	}
	out.Graph = x.r.graph
	out.Unused = out.Params - x.counted()
	x.r.check(out)
	return out
}

// counted is how many parameters the components have.
func (x *tracer) counted() int64 { return infer.Walk(x.r.graph).Params }

// step makes the component of a step.
func (x *tracer) step(i int) {
	s := &x.steps[i]
	shape := perSample(s.Shape)
	x.nodes, x.shapes, x.ints = append(x.nodes, -1), append(x.shapes, shape), append(x.ints, false)
	inputs := x.known(s.Inputs, i)
	switch s.Kind {
	case "input":
		params := []graph.Param{param("shape", shape)}
		var dtype string
		if json.Unmarshal(s.Attributes["dtype"], &dtype) == nil && dtype != "float32" {
			params = append(params, param("dtype", dtype))
			x.ints[i] = true
		}
		x.nodes[i] = x.add(x.r.unique(s.Target), "input", params, nil, "")
		return
	case "weight":
		x.shapes[i] = s.Shape
		x.nodes[i] = x.add(x.r.unique(s.Target), "parameter", []graph.Param{param("shape", s.Shape)}, x.first(), "")
		x.owner[s.Target] = x.nodes[i]
		return
	}
	if len(inputs) == 0 {
		inputs = x.first()
	}
	if s.Target == "MultiheadAttention" && len(inputs) == 3 && inputs[0] == inputs[1] && inputs[1] == inputs[2] {
		inputs = inputs[:1] // attention of a sequence to itself
	}
	if !x.typed(i, s, inputs, shape) {
		x.custom(i, s, inputs, shape)
	}
	for _, w := range s.Owned {
		if _, taken := x.owner[w]; !taken {
			x.owner[w] = x.nodes[i]
		}
	}
}

// perSample drops the batch of a shape.
func perSample(shape []int64) catalog.Shape {
	if len(shape) > 0 && shape[0] == traceBatch {
		return append(catalog.Of(), shape[1:]...)
	}
	return append(catalog.Of(), shape...)
}

func (x *tracer) known(steps []int, before int) []int {
	var out []int
	for _, s := range steps {
		if s >= 0 && s < before && x.nodes[s] >= 0 {
			out = append(out, s)
		}
	}
	return out
}

// first is the first input, which constants hang on.
func (x *tracer) first() []int {
	for i := range x.nodes {
		if x.nodes[i] >= 0 && x.steps[i].Kind == "input" {
			return []int{i}
		}
	}
	return nil
}

func (x *tracer) add(id, typ string, params []graph.Param, inputs []int, scope string) int {
	g := x.r.graph
	c := graph.Component{ID: id, Type: typ, Name: id, Params: params}
	if scope != "" {
		raw, _ := json.Marshal(scope)
		c.Extra = []graph.Member{{Name: "scope", Raw: string(raw)}}
	}
	g.Components = append(g.Components, c)
	for _, s := range inputs {
		g.Connections = append(g.Connections, graph.Connection{From: g.Components[x.nodes[s]].ID, To: id})
	}
	return len(g.Components) - 1
}

// typed uses a component of the catalogue where its result and its weights are what was recorded.
func (x *tracer) typed(i int, s *step, inputs []int, shape catalog.Shape) bool {
	typ, params := x.translate(s, inputs)
	t := catalog.Lookup(typ)
	if t == nil || len(inputs) > t.Inputs.Max || len(x.unowned(s)) > 0 && len(x.unowned(s)) < len(s.Owned) {
		return false
	}
	in, ints := make([]catalog.Shape, len(inputs)), make([]bool, len(inputs))
	for k, f := range inputs {
		in[k], ints[k] = x.shapes[f], x.ints[f]
	}
	if len(s.Owned) > 0 && len(x.unowned(s)) == 0 {
		first := &x.r.graph.Components[x.owner[s.Owned[0]]]
		switch {
		case first.Type == typ:
			params = append(params, param("sameAs", first.ID))
		case len(s.Owned) == 1 && t.Param("tiedTo") != nil:
			params = append(params, param("tiedTo", first.ID))
		default:
			return false
		}
	}
	res := t.Evaluate(params, in, ints)
	if res.Err != nil || !slices.Equal(res.Out, shape) || res.Count != x.count(s) {
		return false
	}
	x.ints[i] = res.OutIsInt
	x.nodes[i] = x.add(x.name(s, typ), typ, params, inputs, x.scope(s))
	return true
}

func (x *tracer) scope(s *step) string {
	if s.Path != "" {
		return s.Path
	}
	return s.Scope
}

func (x *tracer) name(s *step, typ string) string {
	if s.Path != "" {
		return x.r.unique(s.Path)
	}
	return x.r.unique(join(s.Scope, typ))
}

// count is how many trained parameters the weights of a step have.
func (x *tracer) count(s *step) int64 {
	n := int64(0)
	for _, size := range x.sizes(s) {
		n += product(size)
	}
	return n
}

func (x *tracer) sizes(s *step) [][]int64 {
	if len(s.Sizes) > 0 {
		return s.Sizes
	}
	var shapes [][]int64
	_ = json.Unmarshal(s.Attributes["shapes"], &shapes)
	return shapes
}

// unowned are the weights of a step that no component has yet.
func (x *tracer) unowned(s *step) []string {
	var out []string
	for _, w := range s.Owned {
		if _, taken := x.owner[w]; !taken {
			out = append(out, w)
		}
	}
	return out
}

// custom stands for what the catalogue does not have, or has in another form.
func (x *tracer) custom(i int, s *step, inputs []int, shape catalog.Shape) {
	params := []graph.Param{param("code", s.Target)}
	if !slices.Contains(shape, 0) { // what is empty this time need not be the next
		params = append(params, param("outShape", shape))
	}
	n, sizes := int64(0), x.sizes(s)
	for k, w := range s.Owned {
		if _, taken := x.owner[w]; !taken && k < len(sizes) {
			n += product(sizes[k])
		}
	}
	params = append(params, param("numParams", n))
	x.out.Customs++
	x.nodes[i] = x.add(x.name(s, s.Target), "customModule", params, inputs, x.scope(s))
}
