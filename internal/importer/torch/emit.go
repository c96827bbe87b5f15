package torch

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/importer/torch/interp"
)

// maxComponents bounds the graph, as the command line does.
const maxComponents = 100_000

// componentItems is what a component costs of the items that a program may have.
const componentItems = 16

// component adds a component behind inputs, without asking what comes out of it.
func (r *reader) component(typ, name string, params []graph.Param, inputs []*Tensor) int {
	if len(r.graph.Components) >= maxComponents {
		r.in.Fault("the model has more than %d components", maxComponents)
	}
	from := make([]int, len(inputs))
	for i, t := range inputs {
		from[i] = r.place(t)
	}
	id := r.unique(name)
	r.in.Spend(componentItems + int64(2*len(id)+len(r.scope()))/16 + 4*int64(len(from)))
	c := graph.Component{ID: id, Type: typ, Name: id, Params: params}
	if r.scope() != "" {
		raw, _ := json.Marshal(r.scope())
		c.Extra = []graph.Member{{Name: "scope", Raw: string(raw)}}
	}
	r.add(c, r.madeAt())
	for _, f := range from {
		r.graph.Connections = append(r.graph.Connections, graph.Connection{From: r.graph.Components[f].ID, To: id})
	}
	return len(r.graph.Components) - 1
}

// misread reports whether the engine would refuse a component whose inputs are whole numbers here and not in the graph, which has no
// component for constants and conversions of them.
func (r *reader) misread(typ string, params []graph.Param, inputs []*Tensor) bool {
	differs := false
	seen := make([]*Tensor, len(inputs))
	for i, t := range inputs {
		c := *t
		c.isInt = t.node >= 0 && t.node < len(r.ints) && r.ints[t.node]
		differs = differs || c.isInt != t.isInt
		seen[i] = &c
	}
	return differs && r.evaluate(typ, params, seen).Err != nil
}

// add appends a component that a line of the source made.
func (r *reader) add(c graph.Component, at interp.Place) {
	r.graph.Components = append(r.graph.Components, c)
	r.lines, r.calls = append(r.lines, at), append(r.calls, r.in.Spot())
	r.ints = append(r.ints, false)
}

// madeAt is the line that makes a component now: that which constructed the layer that is running, else the operation's.
func (r *reader) madeAt() interp.Place {
	if at := r.built[r.scope()]; r.leaf() && at.Line > 0 {
		return at
	}
	return r.in.Place()
}

// unique makes an id of a name in the scope of the module that is running.
func (r *reader) unique(name string) string {
	if s := r.scope(); s != "" && name != "" {
		name = s + "." + name
	} else if name == "" {
		name = s
	}
	if name == "" {
		name = "model"
	}
	n := r.used[name]
	r.used[name]++
	if n == 0 {
		return name
	}
	for {
		id := name + "#" + strconv.Itoa(n+1)
		if r.used[id] == 0 {
			r.used[id]++
			return id
		}
		n++
	}
}

// place returns the component that gives a tensor; a weight or a constant becomes one now.
func (r *reader) place(t *Tensor) int {
	if t.node >= 0 {
		return t.node
	}
	if t.param != nil && t.param.tensor.node >= 0 {
		return t.param.tensor.node
	}
	if len(r.inputs) == 0 {
		r.in.Fault("a constant is used before any input")
	}
	if t.empty() {
		r.in.Fault("a tensor without elements is used, which is not followed")
	}
	params := []graph.Param{{Name: "shape", Value: graph.IntsValue(t.shape...)}}
	name := "constant"
	if t.param == nil || r.strange("parameter", []child{{"", t}}) {
		params = append(params, graph.Param{Name: "trainable", Value: graph.BoolValue(false)})
	}
	if t.param != nil && t.param.name != "" {
		name = t.param.name
	}
	saved := r.scopes
	if t.param != nil && t.param.name != "" {
		r.scopes = nil
	}
	typ := "parameter"
	if t.param != nil && t.param.counted { // by a layer that used it before: a second look at it
		typ, params = "customModule", []graph.Param{param("outShape", t.shape), param("code", "the weight "+name), param("numParams", 0), param("flops", 0)}
		r.customs++
	}
	node := r.component(typ, name, params, []*Tensor{r.inputs[0]})
	r.scopes = saved
	if t.param != nil {
		if !t.param.counted {
			t.param.counted, t.param.owner = true, node
		}
		t.param.tensor.node = node
		return node
	}
	t.node = node
	t.data = nil
	return node
}

// evaluate asks the catalogue what comes out of a component.
func (r *reader) evaluate(typ string, params []graph.Param, inputs []*Tensor) catalog.Result {
	t := catalog.Lookup(typ)
	if t == nil {
		r.in.Fault("the catalogue has no %s", typ)
	}
	r.in.Spend(int64(len(inputs)))
	r.withElements(typ, params, inputs)
	shapes, ints := make([]catalog.Shape, len(inputs)), make([]bool, len(inputs))
	for i, x := range inputs {
		r.measure(x.shape)
		shapes[i], ints[i] = x.shape, x.isInt
	}
	return t.Evaluate(params, shapes, ints)
}

// apply puts a component behind tensors, and returns its result with the layout of the first. Constants stay constants.
func (r *reader) apply(typ, name string, params []graph.Param, inputs ...*Tensor) *Tensor {
	res := r.evaluate(typ, params, inputs)
	seen := res.OutIsInt
	res.OutIsInt = seen || keepsInts[typ] && allInts(inputs)
	constant := true
	for _, t := range inputs {
		constant = constant && t.constant()
	}
	costs := res.FLOPs > 0 && len(r.inputs) > 0 // a product of constants in the forward is computed with every call
	if constant && !costs && res.Err == nil && res.Out != nil {
		return &Tensor{r: r, node: -1, shape: res.Out, isInt: res.OutIsInt, mask: inputs[0].mask && structural[typ], batch: inputs[0].batch, width: promoted(inputs)}
	}
	if res.Err == nil && res.Out != nil && r.misread(typ, params, inputs) {
		out := r.custom(name, res.Out, res.FLOPs, inputs...)
		out.isInt, out.mask = res.OutIsInt, inputs[0].mask && structural[typ]
		return out
	}
	if res.FLOPs > 0 && res.Err == nil && res.Out != nil && !r.unbatched && allJoint(inputs) {
		return r.applyJoint(typ, res, inputs)
	}
	out := inputs[0].clone()
	out.node = r.component(typ, name, params, inputs)
	r.ints[out.node] = seen && r.seenInts(inputs)
	out.shape, out.isInt, out.joint = res.Out, res.OutIsInt, anyJoint(inputs)
	out.mask = inputs[0].mask && structural[typ]
	out.laidOut(typ, inputs)
	out.width = promoted(inputs)
	if res.Err != nil || res.Out == nil {
		message := "does not say what comes out"
		if res.Err != nil {
			message = res.Err.Message
		}
		r.refused = out.node
		r.refuse(out, typ, message)
	}
	return out
}

// structural are the types that move entries and leave them as they are.
var structural = map[string]bool{"reshape": true, "permute": true, "slice": true, "select": true, "unsqueeze": true, "squeeze": true, "expand": true, "repeat": true,
	"flatten": true, "chunk": true, "split": true, "flip": true, "roll": true, "stack": true, "concatenate": true}

// keepsInts are the types whose result is of whole numbers where all inputs are, which the catalogue does not say of all of them.
var keepsInts = map[string]bool{"add": true, "subtract": true, "multiply": true, "maximum": true, "minimum": true, "sum": true, "max": true, "min": true, "neg": true, "abs": true,
	"clamp": true, "cumsum": true}

func allInts(inputs []*Tensor) bool {
	return !slices.ContainsFunc(inputs, func(t *Tensor) bool { return !t.isInt && !t.mask })
}

// seenInts reports whether the engine knows all the inputs that are whole numbers as such.
func (r *reader) seenInts(inputs []*Tensor) bool {
	for _, t := range inputs {
		if t.isInt && !(t.node >= 0 && r.ints[t.node]) {
			return false
		}
	}
	return true
}

// refuse stops where a component does not run. The component is in the graph: the engine says the same about it.
func (r *reader) refuse(t *Tensor, typ, message string) {
	r.last = t
	r.stopped = r.in.Certain() // else the program may never come here, or catch what PyTorch raises
	at := r.in.Spot()
	panic(&interp.Fault{File: at.File, Line: at.Line, Message: fmt.Sprintf("%s does not run: %s", typ, message)})
}

// custom puts a component of declared shape where the catalogue has no type for what happens.
func (r *reader) custom(name string, shape catalog.Shape, flops int64, inputs ...*Tensor) *Tensor {
	constant := true
	for _, t := range inputs {
		constant = constant && t.constant()
	}
	r.measure(shape)
	out := inputs[0].clone()
	out.shape, out.isInt, out.mask, out.joint = shape, false, false, anyJoint(inputs)
	out.width = promoted(inputs)
	if constant {
		return out
	}
	if out.empty() {
		r.in.Fault("%s gives a tensor without elements, which is not followed", name)
	}
	params := []graph.Param{param("outShape", shape), param("code", name), param("numParams", 0), param("flops", flops)}
	out.node = r.component("customModule", name, params, inputs)
	r.customs++
	return out
}

// param makes one parameter of a component.
func param(name string, v any) graph.Param {
	switch x := v.(type) {
	case int:
		return graph.Param{Name: name, Value: graph.IntValue(int64(x))}
	case int64:
		return graph.Param{Name: name, Value: graph.IntValue(x)}
	case float64:
		return graph.Param{Name: name, Value: graph.FloatValue(x)}
	case bool:
		return graph.Param{Name: name, Value: graph.BoolValue(x)}
	case string:
		return graph.Param{Name: name, Value: graph.StringValue(x)}
	case []int64:
		return graph.Param{Name: name, Value: graph.IntsValue(x...)}
	case catalog.Shape:
		return graph.Param{Name: name, Value: graph.IntsValue(x...)}
	}
	panic("torch: a parameter of an unknown kind")
}

// value turns a Python value into a parameter's; None is null.
func (r *reader) value(name string, v interp.Value) graph.Value {
	switch x := v.(type) {
	case nil:
		return graph.Value{}
	case bool:
		return graph.BoolValue(x)
	case int64:
		return graph.IntValue(x)
	case float64:
		return graph.FloatValue(x)
	case string:
		return graph.StringValue(x)
	case *interp.Tuple:
		return r.list(name, x.Items)
	case *interp.List:
		return r.list(name, x.Items)
	case sym:
		return graph.IntValue(x.Count(r.in))
	case *interp.Unknown:
		r.in.Fault("%s is not known: %s", name, x.Reason())
	case *Tensor:
		if len(x.data) == 1 {
			return r.value(name, x.ToNumber(r.in))
		}
	}
	r.in.Fault("%s is a %s", name, interp.TypeName(v))
	return graph.Value{}
}

func (r *reader) list(name string, items []interp.Value) graph.Value {
	out := make([]graph.Value, len(items))
	for i, v := range items {
		out[i] = r.value(name, v)
	}
	return graph.ListValue(out...)
}
