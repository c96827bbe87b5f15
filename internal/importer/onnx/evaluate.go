package onnx

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/quantity"
)

// scope holds the values that names stand for in a graph or a function. A graph inside a node also sees those around it.
type scope struct {
	values map[string]*value
	outer  *scope
	attrs  map[string]protoAttr // of the call, for a function
	prefix string
	opsets map[string]int64
	depth  int
}

func (s *scope) find(name string) *value {
	for ; s != nil; s = s.outer {
		if v := s.values[name]; v != nil {
			return v
		}
	}
	return nil
}

// evaluate turns the file's graph into nodes with known shapes: constants are computed, functions and decided branches put
// in place.
func (im *reading) evaluate() error {
	g := im.proto.graph
	im.declared = map[string]*protoValue{}
	for _, list := range [][]protoValue{g.infos, g.inputs, g.outputs} {
		for i := range list {
			im.declared[list[i].name] = &list[i]
		}
	}
	im.functions = map[string]*protoFunction{}
	for _, f := range im.proto.functions {
		im.functions[functionKey(f.domain, f.name, f.overload)] = f
	}
	top := &scope{values: map[string]*value{}, opsets: im.proto.opsets}
	if err := im.store(g, top); err != nil {
		return err
	}
	if err := im.declareInputs(g, top); err != nil {
		return err
	}
	if err := im.run(g.nodes, top); err != nil {
		return err
	}
	for i := range g.outputs {
		v := top.find(g.outputs[i].name)
		if v == nil {
			return malformed("output "+g.outputs[i].name, "nothing produces it")
		}
		if !v.shaped {
			return malformed("output "+g.outputs[i].name, "its shape is not known, or it is no tensor")
		}
		im.outputs = append(im.outputs, v)
	}
	if len(im.outputs) == 0 {
		return malformed("", "the graph has no output")
	}
	return nil
}

func functionKey(domain, name, overload string) string {
	return domain + "\x00" + name + "\x00" + overload
}

// store makes constants of the initializers of a graph.
func (im *reading) store(g *protoGraph, s *scope) error {
	for _, t := range g.initializers {
		if s.values[t.name] != nil {
			return malformed("tensor "+t.name, "it is stored twice")
		}
		s.values[t.name] = storedValue(t)
	}
	return nil
}

// declareInputs gives the inputs their shapes. Before version 4 of the format initializers are inputs, too.
func (im *reading) declareInputs(g *protoGraph, s *scope) error {
	im.nameSizes(g)
	first := ""
	for i := range g.inputs {
		in := &g.inputs[i]
		if s.values[in.name] != nil {
			continue
		}
		path := "input " + in.name
		if !in.isTensor {
			return &graph.Error{Code: action.CodeUnsupported, Path: path, Message: "it is no tensor; sequences, maps and optional values are not read"}
		}
		if !in.ranked {
			return malformed(path, "it declares no shape")
		}
		shape, err := im.inputShape(in)
		if err != nil {
			return err
		}
		if len(shape) > 0 {
			switch {
			case first == "":
				first, im.batch = in.name, shape[0]
			case shape[0] != im.batch:
				return malformed(path, "axis 0, the batch, is %d, but %d in input %s", shape[0], im.batch, first)
			}
		}
		v := &value{name: in.name, elem: in.elem, shape: shape, shaped: true}
		s.values[in.name] = v
		im.inputs = append(im.inputs, v)
	}
	if len(im.inputs) == 0 {
		return malformed("", "the graph has no input")
	}
	return nil
}

// nameSizes collects the sizes of named axes: those given, and the length of token sequences.
func (im *reading) nameSizes(g *protoGraph) {
	im.sizes = maps.Clone(im.opt.Sizes)
	if im.sizes == nil {
		im.sizes = map[string]int64{}
	}
	for _, in := range g.inputs {
		if im.opt.SeqLen < 1 || in.elem != elemInt64 && in.elem != elemInt32 || len(in.dims) < 2 || in.dims[1] >= 0 {
			continue
		}
		if _, given := im.sizes[in.params[1]]; !given {
			im.sizes[in.params[1]] = im.opt.SeqLen
		}
	}
}

// inputShape resolves the named axes of an input. A batch without a number is one sample.
func (im *reading) inputShape(in *protoValue) ([]int64, error) {
	shape := slices.Clone(in.dims)
	for i, n := range shape {
		if n < 0 {
			n = im.sizes[in.params[i]]
			if i == 0 {
				n = 1
			}
		}
		if n < 1 {
			what := fmt.Sprintf("axis %d has no size", i)
			if in.params[i] != "" {
				what = fmt.Sprintf("axis %d is only named, %q", i, in.params[i])
			}
			return nil, &graph.Error{Code: action.CodeShape, Path: "input " + in.name, Message: what + "; give its size, or export the model with a fixed one"}
		}
		shape[i] = n
	}
	if _, ok := quantity.Mul(shape...); !ok {
		return nil, malformed("input "+in.name, "its shape %v has more elements than can be counted", shape)
	}
	return shape, nil
}

// run evaluates nodes in an order in which every input is known.
func (im *reading) run(nodes []*protoNode, s *scope) error {
	order, err := sorted(nodes, s)
	if err != nil {
		return err
	}
	for _, p := range order {
		if err := im.src.ctx.Err(); err != nil {
			return err
		}
		if err := im.count(p.weight()); err != nil {
			return err
		}
		if err := im.step(p, s); err != nil {
			return err
		}
	}
	return nil
}

// step evaluates one node.
func (im *reading) step(p *protoNode, s *scope) error {
	n, err := im.resolve(p, s)
	if err != nil {
		return err
	}
	if f := im.functions[functionKey(p.domain, p.op, p.overload)]; f != nil {
		return im.call(f, n, p, s)
	}
	switch n.op {
	case "Constant":
		return im.constant(n)
	case "SplitToSequence", "SequenceAt", "SequenceConstruct", "ConcatFromSequence":
		return im.sequence(n, p, s)
	case "If":
		if done, err := im.branch(n, p, s); done || err != nil {
			return err
		}
	}
	seen := map[*value]bool{}
	for _, a := range n.attrs {
		if a.g == nil {
			continue
		}
		if err := im.capture(s, a.g, n, seen); err != nil {
			return err
		}
	}
	return im.apply(n)
}

// resolve looks up the inputs of a node and makes its results.
func (im *reading) resolve(p *protoNode, s *scope) (*node, error) {
	domain := p.domain
	if domain == "ai.onnx" {
		domain = ""
	}
	n := &node{name: p.name, op: p.op, opset: s.opsets[domain], attrs: p.attrs, scopes: p.scopes}
	if domain != "" {
		n.op = domain + "." + p.op
	}
	if strings.HasSuffix(n.op, "(fused)") { // a name of ours, which no file may use
		n.op = "unknown " + n.op
	}
	for _, name := range p.in {
		if name == "" {
			n.in = append(n.in, nil)
			continue
		}
		v := s.find(name)
		if v == nil {
			return nil, n.errorf("it reads %q, which nothing produces", name)
		}
		if !v.shaped && v.items == nil {
			return nil, n.errorf("it reads %q, whose shape is not known", name)
		}
		n.in = append(n.in, v)
	}
	for _, name := range p.out {
		if name == "" {
			n.out = append(n.out, nil)
			continue
		}
		v := &value{name: s.nested(name), def: n}
		if s.values[name] != nil {
			return nil, n.errorf("it produces %q, which exists already", name)
		}
		s.values[name] = v
		n.out = append(n.out, v)
	}
	if err := im.bind(n, s); err != nil || s.depth == 0 {
		return n, err
	}
	return n, im.walks(n, n.lengths()) // the nodes of a function are read anew for each call
}

// bind replaces attributes that refer to those of the function's call.
func (im *reading) bind(n *node, s *scope) error {
	if !slices.ContainsFunc(n.attrs, func(a protoAttr) bool { return a.ref != "" }) {
		return nil
	}
	if err := im.count(3 * (len(n.attrs) / maxInputs)); err != nil { // for a list of its own
		return err
	}
	out := make([]protoAttr, 0, len(n.attrs))
	for _, a := range n.attrs {
		if a.ref == "" {
			out = append(out, a)
		} else if b, ok := s.attrs[a.ref]; ok { // one that the call leaves out is left out
			b.name = a.name
			out = append(out, b)
		}
	}
	n.attrs = out
	return nil
}

// apply infers the results of an operator, and computes them where they are constants.
func (im *reading) apply(n *node) error {
	op, known := operators[n.op]
	if known && len(n.out) == 0 {
		return n.errorf("it has no result")
	}
	konst := im.isConstant(n)
	var err error
	if known && op.shape != nil {
		err = op.shape(im, n)
	} else {
		err = unknownShape{"the operator is not known"}
	}
	var unknown unknownShape
	if errors.As(err, &unknown) {
		err = im.believe(n, unknown.why)
	}
	if err != nil {
		return err
	}
	for i, v := range n.out {
		if v != nil && !v.shaped { // a result that the operator does not have, or that nobody needs
			if shape, ok := im.declaredShape(im.declared[v.name]); ok {
				n.set(i, im.declared[v.name].elem, shape)
			}
		}
		if v != nil && v.size() < 0 {
			return n.errorf("its result %v has more elements than can be counted", v.shape)
		}
		if v != nil && v.size() == 0 && !konst {
			return n.errorf("its result %v has no elements", v.shape)
		}
	}
	if konst {
		return im.fold(n, op)
	}
	if slices.ContainsFunc(n.in, func(v *value) bool { return v != nil && v.items != nil }) {
		return n.errorf("it reads a list of tensors")
	}
	if n.isSame() && len(n.out) > 0 && n.out[0] != nil {
		n.out[0].origin = n.in[0].source()
	}
	im.nodes = append(im.nodes, n)
	return nil
}

// isConstant reports whether the results of a node depend on no input of the model.
func (im *reading) isConstant(n *node) bool {
	computed := func(v *value) bool { return v != nil && !v.konst }
	switch {
	case n.op == "Shape" || n.op == "Size" || n.op == "ConstantOfShape" || n.op == "ConstantFill" || n.op == "RandomNormal" || n.op == "RandomUniform":
		return true
	case len(n.in) == 0 || slices.ContainsFunc(n.outer, computed) || im.fromNothing(n):
		return false
	case n.op == "CastLike":
		return !computed(n.in[0])
	}
	return !slices.ContainsFunc(n.in, computed)
}

// fromNothing reports whether a layer with weights starts from a literal, such as the zeros before the first step of an
// unrolled recurrent layer. Its result would be a constant, but its weights are those of the layer.
func (im *reading) fromNothing(n *node) bool {
	switch n.op {
	case "MatMul", "Gemm", "Conv":
		return len(n.in) > 1 && n.in[0] != nil && n.in[1] != nil && n.in[0].isLiteral() && n.in[0].elem.isFloat() && n.in[1].konst && !n.in[1].isLiteral()
	}
	return false
}

// believe takes the shapes that the file declares for the results of a node.
func (im *reading) believe(n *node, why string) error {
	n.believed = why
	for i, v := range n.out {
		if v == nil {
			continue
		}
		d := im.declared[v.name]
		shape, ok := im.declaredShape(d)
		if !ok {
			return &graph.Error{Code: action.CodeUnsupported, Path: n.path(), Message: why + ", and the file declares no shape for its result " + v.name}
		}
		n.set(i, d.elem, shape)
	}
	return nil
}

// declaredShape resolves the named axes of a declared shape; the batch is the first.
func (im *reading) declaredShape(d *protoValue) ([]int64, bool) {
	if d == nil || !d.isTensor || !d.ranked {
		return nil, false
	}
	shape := slices.Clone(d.dims)
	for i, n := range shape {
		if n < 0 {
			n = im.sizes[d.params[i]]
			if i == 0 && n == 0 {
				n = im.batch
			}
		}
		if n < 1 {
			return nil, false
		}
		shape[i] = n
	}
	return shape, true
}
