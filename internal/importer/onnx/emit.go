package onnx

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/graph"
)

// component is one of the graph that is being made. Its inputs are indices of others.
type component struct {
	typ         string
	params      []graph.Param
	in          []int
	name, scope string
	tiedTo      int // the component whose weight it uses, and
	sameAs      int // the one whose module it calls again; -1 for none
	shared      bool
	uses        []use
	alive       bool
	shape       []int64
	count       int64 // its weights, with those that are tied
	owned       int64 // its weights without those
}

// port is a value as it flows between components: without the batch.
type port struct {
	comp  int
	shape []int64 // of one sample
	isInt bool
	layout
}

// emitter makes components of nodes.
type emitter struct {
	im      *reading
	comps   []component
	at      map[*value]*port
	claimed map[string]int // tensors that were counted, and the component that they belong to
	pending []use          // the weights of the node at hand
	views   map[int]port
	tensors map[*tensor]port // parameter components
	used    map[*value]bool
	undo    []func() // takes back what the node at hand claimed
	root    int      // a component that knows the batch: the first input
	sums    sums
	over    error // more was asked for than there is room for
}

// sums are what the components that were made have in all.
type sums struct{ connections, values int }

// room counts a component that is to be made, and refuses it where the graph would be too large.
func (e *emitter) room(params []graph.Param, inputs int) error {
	limits := e.im.opt.Limits
	e.sums.connections += inputs
	for _, p := range params {
		e.sums.values += len(p.Value.List())
	}
	switch {
	case limits.Components > 0 && len(e.comps) > limits.Components:
		return &graph.Error{Code: graph.CodeComponents, Message: fmt.Sprintf("the model has more than %d components", limits.Components), Limit: int64(limits.Components)}
	case limits.Connections > 0 && e.sums.connections > limits.Connections:
		return &graph.Error{Code: graph.CodeConnections, Message: fmt.Sprintf("the model has more than %d connections", limits.Connections), Limit: int64(limits.Connections)}
	case limits.Values > 0 && e.sums.values > limits.Values:
		return &graph.Error{Code: graph.CodeValues, Message: fmt.Sprintf("the lists among the model's parameters have more than %d items", limits.Values), Limit: int64(limits.Values)}
	}
	return nil
}

// refused says why no component type stands for a node; it then becomes a customModule.
type refused struct{ why string }

func (r refused) Error() string { return r.why }

func number(name string, v float64) graph.Param { return graph.Param{Name: name, Value: floatValue(v)} }
func whole(name string, v int64) graph.Param {
	return graph.Param{Name: name, Value: graph.IntValue(v)}
}
func boolean(name string, v bool) graph.Param {
	return graph.Param{Name: name, Value: graph.BoolValue(v)}
}
func word(name, v string) graph.Param { return graph.Param{Name: name, Value: graph.StringValue(v)} }
func list(name string, v []int64) graph.Param {
	return graph.Param{Name: name, Value: graph.IntsValue(v...)}
}

// floatValue writes a whole number without a fraction.
func floatValue(v float64) graph.Value {
	if n := int64(v); float64(n) == v && n > -1<<53 && n < 1<<53 {
		return graph.IntValue(n)
	}
	return graph.FloatValue(v)
}

// shorten gives a number that was stored in 32 bits the shortest decimal that stands for it: 0.1 and not 0.10000000149.
func shorten(v float64) float64 {
	if float64(float32(v)) != v {
		return v
	}
	short, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', -1, 32), 64)
	if err != nil {
		return v
	}
	return short
}

// emit makes the graph, and counts its trained parameters.
func (im *reading) emit() (*graph.Graph, int64, error) {
	e := &emitter{im: im, at: map[*value]*port{}, claimed: map[string]int{}, views: map[int]port{}, tensors: map[*tensor]port{}}
	for _, v := range im.inputs {
		e.input(v)
	}
	nodes := im.live()
	e.used = im.usedBy(nodes)
	for _, n := range nodes {
		if err := e.node(n); err != nil {
			return nil, 0, err
		}
		if e.over != nil {
			return nil, 0, e.over
		}
	}
	var outputs []int
	for _, v := range im.outputs {
		i, err := e.output(v)
		if err != nil {
			return nil, 0, err
		}
		outputs = append(outputs, i)
	}
	e.mark(outputs)
	e.attend()
	g, params, ok := e.finish(outputs)
	if !ok {
		return nil, 0, malformed("", "the model has more parameters than can be counted")
	}
	return g, params, nil
}

// live returns the nodes that an output depends on.
func (im *reading) live() []*node {
	needed := map[*node]bool{}
	var stack []*node
	visit := func(v *value) {
		if v != nil && v.def != nil && !needed[v.def] {
			needed[v.def] = true
			stack = append(stack, v.def)
		}
	}
	for _, v := range im.outputs {
		visit(v)
	}
	for len(stack) > 0 {
		n := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		for _, v := range n.in {
			visit(v)
		}
		for _, v := range n.outer {
			visit(v)
		}
	}
	var out []*node
	for _, n := range im.nodes {
		if needed[n] {
			out = append(out, n)
		}
	}
	return out
}

// usedBy are the values that a node reads or that leave the model.
func (im *reading) usedBy(nodes []*node) map[*value]bool {
	out := map[*value]bool{}
	for _, n := range nodes {
		for _, v := range n.in {
			out[v] = true
		}
		for _, v := range n.outer {
			out[v] = true
		}
	}
	for _, v := range im.outputs {
		out[v] = true
	}
	return out
}

func (e *emitter) input(v *value) {
	p := port{comp: len(e.comps), layout: layout{axis: -1, pre: 1}, isInt: !v.elem.isFloat()}
	if len(v.shape) > 0 {
		p.axis = 0
	}
	p.shape = e.sample(v.shape, p.layout)
	params := []graph.Param{list("shape", p.shape)}
	if p.isInt {
		params = append(params, word("dtype", "int64"))
	} else if v.elem == elemHalf || v.elem == elemBFloat {
		params = append(params, word("dtype", v.elem.String()))
	}
	e.comps = append(e.comps, component{typ: "input", params: params, name: v.name, tiedTo: -1, sameAs: -1, shape: p.shape})
	e.at[v] = &p
}

func (e *emitter) output(v *value) (int, error) {
	if v.konst {
		return 0, malformed("output "+v.name, "it does not depend on any input")
	}
	p := *e.at[v]
	if len(v.shape) > 0 {
		var err error
		if p, err = e.placed(v, 0); err != nil {
			return 0, &graph.Error{Code: action.CodeUnsupported, Path: "output " + v.name, Message: fmt.Sprintf("axis 0 of its shape %v is not the batch of %d: %v", v.shape, e.im.batch, err)}
		}
	}
	e.comps = append(e.comps, component{typ: "output", in: []int{p.comp}, name: v.name, tiedTo: -1, sameAs: -1})
	return len(e.comps) - 1, nil
}

// node makes components of one node.
func (e *emitter) node(n *node) error {
	e.pending, e.undo = nil, e.undo[:0]
	op := operators[n.op]
	why := "no component type stands for " + n.op
	before, sumsBefore := len(e.comps), e.sums
	if _, known := operators[n.op]; !known {
		why = "the operator " + n.op + " is not known"
	}
	switch {
	case n.believed != "":
		why = n.believed
	case op.emit != nil:
		err := e.understood(n, op)
		var r refused
		var u unknownShape
		switch {
		case err == nil:
			return nil
		case errors.As(err, &r):
			why = r.why
		case errors.As(err, &u):
			why = u.why
		default:
			return err
		}
		e.takeBack(before)
		e.sums = sumsBefore
	}
	return e.opaque(n, why)
}

// understood makes components of an operator that the importer knows.
func (e *emitter) understood(n *node, op operator) error {
	if !op.constant && (len(n.in) == 0 || n.in[0] == nil || n.in[0].konst) {
		return refused{"its input is a constant"}
	}
	if n.out[0] == nil && !op.several {
		return refused{"its first result is left out"}
	}
	if err := op.emit(e, n); err != nil {
		return err
	}
	if slices.ContainsFunc(n.out, func(v *value) bool { return v != nil && e.used[v] && e.at[v] == nil }) {
		return refused{"it has results that no component gives"}
	}
	return nil
}

// takeBack forgets the components that were made for a node before it was refused.
func (e *emitter) takeBack(before int) {
	for _, undo := range slices.Backward(e.undo) {
		undo()
	}
	for i := before; i < len(e.comps); i++ {
		delete(e.views, i)
	}
	e.comps = e.comps[:before]
}

// add appends a component whose result and weights the catalogue confirms.
func (e *emitter) add(n *node, typ string, params []graph.Param, uses []use, in ...port) (port, error) {
	t := catalog.Lookup(typ)
	if t == nil {
		return port{}, refused{"the catalogue has no " + typ}
	}
	if err := e.room(params, len(in)); err != nil {
		return port{}, err
	}
	shapes, ints := make([]catalog.Shape, len(in)), make([]bool, len(in))
	c := component{typ: typ, params: params, name: n.label(), scope: e.scope(n, uses), tiedTo: -1, sameAs: -1}
	for i, p := range in {
		shapes[i], ints[i] = catalog.Of(p.shape...), p.isInt
		c.in = append(c.in, p.comp)
	}
	r := t.Evaluate(params, shapes, ints)
	if r.Err != nil {
		return port{}, refused{typ + " refuses it: " + r.Err.Message}
	}
	if r.Out == nil {
		return port{}, refused{typ + " has no known result"}
	}
	want, all, err := e.count(&c, t, uses)
	if err != nil {
		return port{}, err
	}
	if r.Count != all {
		return port{}, refused{fmt.Sprintf("%s would have %d weights, the file has %d", typ, r.Count, all)}
	}
	c.shape, c.count, c.owned, c.uses = r.Out, r.Count, want, uses
	e.claim(uses, len(e.comps))
	e.comps = append(e.comps, c)
	return port{comp: len(e.comps) - 1, shape: r.Out, isInt: r.OutIsInt, layout: layout{axis: -1, pre: 1}}, nil
}

// opaque makes customModules of a node: one for each result, the weights in the first.
func (e *emitter) opaque(n *node, why string) error {
	uses := e.pending
	if uses == nil {
		uses = e.everything(n)
	}
	var in []int // of all of them
	for _, list := range [][]*value{n.in, n.outer} {
		for _, v := range list {
			if v != nil && !v.konst && e.at[v] != nil {
				in = append(in, e.at[v].comp)
			}
		}
	}
	if len(in) == 0 {
		in = append(in, e.origin().comp)
	}
	for _, v := range n.out {
		if v == nil || !e.used[v] {
			continue
		}
		lay, ok := e.guess(v.shape)
		if !ok {
			return &graph.Error{Code: action.CodeUnsupported, Path: n.path(), Message: fmt.Sprintf("%s, and its result %v does not start with the batch of %d", why, v.shape, e.im.batch)}
		}
		shape := e.sample(v.shape, lay)
		params := []graph.Param{list("outShape", shape)}
		if err := e.room(params, len(in)); err != nil {
			return err
		}
		want, _ := e.owed(uses)
		if want > 0 {
			params = append(params, whole("numParams", want))
			e.claim(uses, len(e.comps))
		}
		c := component{typ: "customModule", params: params, in: in, count: want, owned: want, name: n.label(), scope: e.scope(n, uses), tiedTo: -1, sameAs: -1, shape: shape}
		uses = nil
		e.comps = append(e.comps, c)
		e.at[v] = &port{comp: len(e.comps) - 1, shape: shape, layout: lay}
	}
	if why != "" {
		e.im.note(n, "%s: it is a customModule with its shape", why)
	}
	return nil
}

// origin is the first input, from which a component learns the batch.
func (e *emitter) origin() port { return *e.at[e.im.inputs[e.root]] }

// scope is the path of a component's module: that of its weights, else what the node tells.
func (e *emitter) scope(n *node, uses []use) string {
	for _, u := range uses {
		if at := strings.LastIndexByte(u.t.name, '.'); at > 0 && !exporterMade(u.t.name) {
			return u.t.name[:at]
		}
	}
	return n.scope()
}
