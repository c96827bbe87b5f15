package onnx

import (
	"slices"
	"strings"

	"github.com/modelverifier/verifier/internal/graph"
)

var (
	_ = register("LSTM", operator{shape: recurrentShape, emit: emitRecurrent("lstm", 4), several: true})
	_ = register("GRU", operator{shape: recurrentShape, emit: emitRecurrent("gru", 3), several: true})
	_ = register("RNN", operator{shape: recurrentShape, emit: emitRecurrent("rnn", 1), several: true})
)

// run is what a recurrent operator goes over.
type run struct {
	steps, batch, in, hidden, directions int64
	batchFirst                           bool
}

func runOf(n *node) (run, error) {
	if err := n.need(3); err != nil {
		return run{}, err
	}
	x, r := n.in[0].shape, n.in[2].shape
	if len(x) != 3 || len(r) != 3 || len(n.in[1].shape) != 3 {
		return run{}, n.errorf("its input has shape %v and its weights %v and %v", x, n.in[1].shape, r)
	}
	out := run{steps: x[0], batch: x[1], in: x[2], hidden: r[2], directions: r[0], batchFirst: n.int("layout", 0) != 0}
	if out.batchFirst {
		out.steps, out.batch = x[1], x[0]
	}
	if out.directions > 2 {
		return out, n.errorf("it has weights for %d directions", out.directions)
	}
	return out, nil
}

// batchAxis is the axis of the input that is the batch.
func (r run) batchAxis() int {
	if r.batchFirst {
		return 0
	}
	return 1
}

func recurrentShape(_ *reading, n *node) error {
	r, err := runOf(n)
	if err != nil {
		return err
	}
	all, last := []int64{r.steps, r.directions, r.batch, r.hidden}, []int64{r.directions, r.batch, r.hidden}
	if r.batchFirst {
		all, last = []int64{r.batch, r.steps, r.directions, r.hidden}, []int64{r.batch, r.directions, r.hidden}
	}
	n.set(0, n.in[0].elem, all)
	n.set(1, n.in[0].elem, last)
	n.set(2, n.in[0].elem, last)
	return nil
}

// usual refuses a recurrent operator that does what the modules of torch.nn do not.
func (e *emitter) usual(n *node) error {
	if !n.in[1].konst || !n.in[2].konst || n.input(3) != nil && !n.in[3].konst {
		return refused{"its weights are computed when the model runs"}
	}
	for i := 5; i < len(n.in); i++ {
		v := n.in[i]
		if v != nil && (!v.konst || !e.im.allEqual(v, 0)) {
			return refused{"it starts from a state of its own, or has peepholes"}
		}
	}
	if v := n.input(4); v != nil && !v.konst {
		return refused{"the lengths of its sequences are given when the model runs"}
	}
	if n.attr("clip") != nil || n.int("input_forget", 0) != 0 {
		return refused{"it clips its state, or couples its gates"}
	}
	usual := map[string][]string{"LSTM": {"sigmoid", "tanh", "tanh"}, "GRU": {"sigmoid", "tanh"}}[n.op]
	if a := n.attr("activations"); a != nil && usual != nil {
		for i, name := range a.strings {
			if strings.ToLower(name) != usual[i%len(usual)] {
				return refused{"its activations are " + strings.Join(a.strings, ", ")}
			}
		}
	}
	if n.op == "GRU" && n.int("linear_before_reset", 0) == 0 {
		e.im.note(n, "linear_before_reset is 0: shapes, weights and cost are those of torch.nn.GRU, its values are not")
	}
	return nil
}

// nonlinearity is the activation of a simple recurrent layer.
func nonlinearity(n *node) (string, error) {
	name := "tanh"
	if a := n.attr("activations"); a != nil && len(a.strings) > 0 {
		name = strings.ToLower(a.strings[0])
		for _, other := range a.strings {
			if strings.ToLower(other) != name {
				name = "mixed"
			}
		}
	}
	if name != "tanh" && name != "relu" {
		return "", refused{"its activation is " + name}
	}
	return name, nil
}

func emitRecurrent(typ string, gates int64) func(*emitter, *node) error {
	return func(e *emitter, n *node) error {
		r, err := runOf(n)
		if err != nil {
			return err
		}
		bias := e.vector(n, n.input(3), 0)
		uses := slices.Concat(e.weights(n, n.in[1]), e.weights(n, n.in[2]), bias)
		e.pending = uses
		if err := e.usual(n); err != nil {
			return err
		}
		in, err := e.placed(n.in[0], r.batchAxis())
		if err != nil {
			return err
		}
		params := []graph.Param{whole("inputSize", r.in), whole("hiddenSize", r.hidden)}
		if len(bias) == 0 {
			params = append(params, boolean("bias", false))
		}
		if r.directions == 2 {
			params = append(params, boolean("bidirectional", true))
		}
		if typ == "rnn" {
			name, err := nonlinearity(n)
			if err != nil {
				return err
			}
			params = append(params, word("nonlinearity", name))
		}
		backwards := n.str("direction", "forward") == "reverse"
		if backwards {
			if in, err = e.add(n, "flip", []graph.Param{list("dims", []int64{1})}, nil, in); err != nil {
				return err
			}
		}
		p, err := e.add(n, typ, params, uses, in)
		if err != nil {
			return err
		}
		return e.states(n, r, p, backwards)
	}
}

// states gives the results of a recurrent layer: every step, the last state, and the last cell.
func (e *emitter) states(n *node, r run, p port, backwards bool) error {
	y := p
	var err error
	if backwards {
		if y, err = e.add(n, "flip", []graph.Param{list("dims", []int64{1})}, nil, p); err != nil {
			return err
		}
	}
	lay := layout{2, 1}
	lastLay := layout{1, 1}
	if r.batchFirst {
		lay, lastLay = layout{0, 1}, layout{0, 1}
	}
	if n.out[0] != nil {
		q, err := e.reshaped(n, n.name, y, e.sample(n.out[0].shape, lay))
		if err != nil {
			return err
		}
		if err := e.give(n.out[0], q, lay); err != nil {
			return err
		}
	}
	if len(n.out) > 1 && e.used[n.out[1]] {
		q, err := e.lastState(n, r, p)
		if err != nil {
			return err
		}
		if err := e.give(n.out[1], q, lastLay); err != nil {
			return err
		}
	}
	if len(n.out) > 2 && e.used[n.out[2]] {
		shape := e.sample(n.out[2].shape, lastLay)
		q, err := e.add(n, "customModule", []graph.Param{list("outShape", shape)}, nil, p)
		if err != nil {
			return err
		}
		e.im.note(n, "its last cell is used, which no component gives: it is a customModule with its shape")
		return e.give(n.out[2], q, lastLay)
	}
	return nil
}

// lastState takes the state behind the last step: of a backward direction, that is the first.
func (e *emitter) lastState(n *node, r run, p port) (port, error) {
	step := func(at int64) (port, error) {
		return e.add(n, "slice", []graph.Param{whole("dim", 1), whole("start", at), whole("end", at+1)}, nil, p)
	}
	last, err := step(r.steps - 1)
	if err != nil || r.directions == 1 {
		return last, err
	}
	first, err := step(0)
	if err != nil {
		return first, err
	}
	half := func(of port, from int64) (port, error) {
		return e.add(n, "slice", []graph.Param{whole("dim", 2), whole("start", from), whole("end", from+r.hidden)}, nil, of)
	}
	forward, err := half(last, 0)
	if err != nil {
		return forward, err
	}
	backward, err := half(first, r.hidden)
	if err != nil {
		return backward, err
	}
	return e.add(n, "concatenate", []graph.Param{whole("dim", 1)}, nil, forward, backward)
}
