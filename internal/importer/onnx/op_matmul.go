package onnx

import (
	"slices"
	"strings"

	"github.com/modelverifier/verifier/internal/graph"
)

// fusedLinear is a product with a stored matrix and, as third input, the bias that was added behind it.
const fusedLinear = "Linear (fused)"

var (
	_ = register("MatMul", operator{shape: matmulShape, emit: emitMatMul, constant: true})
	_ = register(fusedLinear, operator{shape: matmulShape, emit: emitMatMul, constant: true})
	_ = register("Gemm", operator{shape: gemmShape, emit: emitGemm, constant: true})
	_ = register("Einsum", operator{shape: einsumShape, emit: emitEinsum, constant: true})
)

func matmulShape(_ *reading, n *node) error {
	if err := n.need(2); err != nil {
		return err
	}
	a, b := n.in[0].shape, n.in[1].shape
	if len(a) == 0 || len(b) == 0 {
		return n.errorf("it multiplies shapes %v and %v", a, b)
	}
	x, y := a, b
	if len(a) == 1 {
		x = []int64{1, a[0]}
	}
	if len(b) == 1 {
		y = []int64{b[0], 1}
	}
	if x[len(x)-1] != y[len(y)-2] {
		return n.errorf("it multiplies shapes %v and %v", a, b)
	}
	out, err := broadcast(n, x[:len(x)-2], y[:len(y)-2])
	if err != nil {
		return err
	}
	out = slices.Clone(out)
	if len(a) > 1 {
		out = append(out, x[len(x)-2])
	}
	if len(b) > 1 {
		out = append(out, y[len(y)-1])
	}
	n.set(0, n.in[0].elem, out)
	return nil
}

// emitMatMul: a product with a stored matrix is a linear layer of the last axis.
func emitMatMul(e *emitter, n *node) error {
	a, b := n.in[0], n.in[1]
	if b.konst && b.rank() == 2 && (!a.konst || a.isLiteral()) {
		return e.linear(n, b.shape[0], b.shape[1], n.input(2))
	}
	if a.rank() < 2 || b.rank() < 2 {
		return refused{"it multiplies vectors of shapes " + shapeText(a.shape) + " and " + shapeText(b.shape)}
	}
	return e.product(n)
}

// linear emits a linear layer with a bias that may be nil.
func (e *emitter) linear(n *node, in, out int64, bias *value) error {
	uses := e.weights(n, n.in[1])
	var shift []use
	if bias != nil {
		shift = e.vector(n, bias, 0)
	}
	e.pending = append(slices.Clone(uses), shift...)
	if n.in[0].konst {
		if err := e.begin(n, n.in[0]); err != nil {
			return err
		}
	}
	p, _, err := e.clear(n.in[0], n.in[0].rank()-1)
	if err != nil {
		return err
	}
	params := []graph.Param{whole("inFeatures", in), whole("outFeatures", out)}
	if len(shift) == 0 {
		params = append(params, boolean("bias", false))
	}
	q, err := e.add(n, "linear", params, e.pending, p)
	if err != nil {
		return err
	}
	return e.give(n.out[0], q, p.layout)
}

// begin makes a component of a literal that a layer starts from.
func (e *emitter) begin(n *node, v *value) error {
	lay, ok := e.guess(v.shape)
	if !ok {
		return refused{"it starts from a constant of shape " + shapeText(v.shape)}
	}
	p, err := e.add(n, "parameter", []graph.Param{list("shape", e.sample(v.shape, lay)), boolean("trainable", false)}, nil, e.origin())
	p.layout = lay
	e.at[v] = &p
	return err
}

// product emits a matrix product of two values, one of which may be a stored tensor.
func (e *emitter) product(n *node) error {
	lay, err := e.meeting(n)
	if err != nil {
		return err
	}
	if rank := n.out[0].rank(); lay.axis >= rank-2 { // the batch is one of the axes that are multiplied
		if e.im.batch != 1 {
			return refused{"it multiplies along the batch"}
		}
		lay = noBatch
	}
	var in []port
	for _, v := range n.in[:2] {
		p, err := e.factor(n, v, lay)
		if err != nil {
			return err
		}
		in = append(in, p)
	}
	p, err := e.add(n, "matmul", nil, nil, in...)
	if err != nil {
		return err
	}
	return e.give(n.out[0], p, lay)
}

// factor is an input of a product with the number of axes of the result.
func (e *emitter) factor(n *node, v *value, lay layout) (port, error) {
	rank := n.out[0].rank()
	shape := append(slices.Repeat([]int64{1}, rank-v.rank()), v.shape...)
	if lay.axis >= 0 {
		if shape[lay.axis] == e.im.batch || shape[lay.axis] == 1 {
			shape = slices.Delete(shape, lay.axis, lay.axis+1)
		} else {
			shape[lay.axis] /= e.im.batch
		}
	}
	if v.konst {
		if v.isLiteral() || !v.elem.isFloat() {
			return e.add(n, "parameter", []graph.Param{list("shape", shape), boolean("trainable", false)}, nil, e.origin())
		}
		uses := e.weights(n, v)
		e.pending = uses
		return e.add(n, "parameter", []graph.Param{list("shape", shape)}, uses, e.origin())
	}
	return e.reshaped(n, n.name, *e.at[v], shape)
}

func gemmShape(_ *reading, n *node) error {
	if err := n.need(2); err != nil {
		return err
	}
	a, b := n.in[0].shape, n.in[1].shape
	if len(a) != 2 || len(b) != 2 {
		return n.errorf("it multiplies shapes %v and %v, which are not matrices", a, b)
	}
	rows, inner := a[0], a[1]
	if n.int("transA", 0) != 0 {
		rows, inner = inner, rows
	}
	k, columns := b[0], b[1]
	if n.int("transB", 0) != 0 {
		k, columns = columns, k
	}
	if inner != k {
		return n.errorf("it multiplies shapes %v and %v", a, b)
	}
	n.set(0, n.in[0].elem, []int64{rows, columns})
	return nil
}

func emitGemm(e *emitter, n *node) error {
	a, b, c := n.in[0], n.in[1], n.input(2)
	switch {
	case a.konst && !a.isLiteral() || !b.konst:
		return refused{"it multiplies by a matrix that is computed when the model runs"}
	case n.int("transA", 0) != 0:
		return refused{"it transposes its input"}
	case n.float("alpha", 1) != 1 || c != nil && n.float("beta", 1) != 1:
		return refused{"it scales its product"}
	case c != nil && (!c.konst || c.size() != n.out[0].shape[1] && c.size() != 1):
		return refused{"what it adds is no bias"}
	}
	return e.linear(n, a.shape[1], n.out[0].shape[1], c)
}

// einsumTerms splits an equation without an ellipsis into its terms.
func einsumTerms(n *node) (in []string, out string, ok bool) {
	equation := strings.ReplaceAll(n.str("equation", ""), " ", "")
	left, right, found := strings.Cut(equation, "->")
	if !found || strings.Contains(equation, ".") {
		return nil, "", false
	}
	in = strings.Split(left, ",")
	return in, right, len(in) == len(n.in)
}

func einsumShape(_ *reading, n *node) error {
	if err := n.need(max(len(n.in), 1)); err != nil {
		return err
	}
	in, right, ok := einsumTerms(n)
	if !ok {
		return unknownShape{"its equation " + n.str("equation", "") + " is not one with named axes and a result"}
	}
	sizes := map[byte]int64{}
	for i, term := range in {
		if len(term) != n.in[i].rank() {
			return n.errorf("its equation %s does not fit %v", n.str("equation", ""), n.in[i].shape)
		}
		for j := range len(term) {
			size := n.in[i].shape[j]
			if old, seen := sizes[term[j]]; seen && old != size && old != 1 && size != 1 {
				return n.errorf("axis %c of its equation is %d and %d", term[j], old, size)
			}
			sizes[term[j]] = max(sizes[term[j]], size)
		}
	}
	var out []int64
	for j := range len(right) {
		size, seen := sizes[right[j]]
		if !seen {
			return n.errorf("its equation gives axis %c, which no input has", right[j])
		}
		out = append(out, size)
	}
	n.set(0, n.in[0].elem, out)
	return nil
}

// emitEinsum writes the equation with the batch as the first letter of every term.
func emitEinsum(e *emitter, n *node) error {
	terms, right, ok := einsumTerms(n)
	if !ok {
		return refused{"its equation is not one with named axes and a result"}
	}
	free := byte(0)
	for c := byte('a'); c <= 'z'; c++ {
		if !strings.ContainsRune(n.str("equation", ""), rune(c)) {
			free = c
			break
		}
	}
	if free == 0 || e.im.batch != 1 {
		return refused{"its equation has no letter left for the batch"}
	}
	var in []port
	for i, v := range n.in {
		var p port
		var err error
		if v.konst {
			e.pending = e.weights(n, v)
			p, err = e.add(n, "parameter", []graph.Param{list("shape", v.shape)}, e.pending, e.origin())
		} else {
			p, err = e.full(v)
		}
		if err != nil {
			return err
		}
		in = append(in, p)
		terms[i] = string(free) + terms[i]
	}
	p, err := e.add(n, "einsum", []graph.Param{word("equation", strings.Join(terms, ",")+"->"+string(free)+right)}, nil, in...)
	if err != nil {
		return err
	}
	return e.give(n.out[0], p, noBatch)
}
