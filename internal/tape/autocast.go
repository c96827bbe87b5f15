package tape

import "github.com/modelverifier/verifier/internal/op"

// autocast casts what a step reads, and returns the width of what it gives. A cast of a weight is made once and kept until the forward pass ends.
func (t *Tape) autocast(policy op.Autocast, in []int32) int64 {
	var to int64
	switch policy {
	case op.Lowers:
		to = 2
	case op.Widens:
		to = 4
	case op.WidensInside:
		return 4
	case op.Follows:
		return int64(t.tensors[in[0]].width)
	default:
		return t.widest(in)
	}
	for k := len(in) - 1; k >= 0; k-- { // arguments are evaluated from the last
		x := &t.tensors[in[k]]
		switch {
		case !x.float || int64(x.width) == to:
		case to == 2 && x.half > 0 && (t.noGrad || t.tensors[x.half-1].grad):
			in[k] = x.half - 1
		default:
			in[k] = t.cast(in[k], to)
		}
	}
	return to
}

// halve casts what a step reads to fp16, also where it has 16 bits: they are bf16.
func (t *Tape) halve(in []int32) {
	for k := len(in) - 1; k >= 0; k-- {
		if x := &t.tensors[in[k]]; x.float && x.width == 2 && x.role != op.Weight {
			in[k] = t.cast(in[k], 2)
		}
	}
	t.autocast(op.Lowers, in)
}

// cast adds a cast, whose backward pass casts the gradient back.
func (t *Tape) cast(from int32, to int64) int32 {
	at := int32(len(t.steps))
	t.reads(from, at)
	x := &t.tensors[from]
	grad, wide, bytes := x.grad && !t.noGrad, x.bytes, x.bytes/int64(x.width)*to
	caches := x.role == op.Weight && x.grad && to == 2
	id := t.tensor(tensor{bytes: bytes, width: uint8(to), float: true, grad: grad, born: at})
	st := step{out: id, in: span{int32(len(t.refs)), int32(len(t.refs) + 1)}, kept: int32(len(t.refs) + 1), node: t.node}
	t.refs = append(t.refs, from)
	if grad {
		st.needs = 1
		st.back = span{int32(len(t.acts)), int32(len(t.acts) + 1)}
		t.acts = append(t.acts, act{kind: op.New, bytes: wide})
	}
	t.steps = append(t.steps, st)
	if !t.peakOnly {
		t.works = append(t.works, t.casts())
	}
	if caches {
		t.tensors[from].half, t.tensors[id].last = id+1, cached
		t.halves = append(t.halves, id)
	}
	return id
}

// backOf is what the backward pass of a step does with memory. A gradient is computed as wide as the result, and cast where its tensor is not.
func (t *Tape) backOf(s *op.Step, st *step) span {
	g, width := &t.g, int64(t.tensors[st.out].width)
	g.Begin(st.needs, t.Batch, width)
	if s.Op.Backward != nil {
		s.Op.Backward(s, g)
	} else {
		for k := range t.read {
			g.New(k)
		}
	}
	out := span{from: int32(len(t.acts))}
	inside := s.Op.Autocast == op.WidensInside
	for i := range g.Actions {
		a := &g.Actions[i]
		x := act{kind: a.Act, in: a.In, bytes: a.Bytes}
		switch a.Act {
		case op.New, op.Viewed, op.Same, op.Hands:
			of := &t.tensors[t.read[a.In]]
			x.bytes = of.bytes
			if cast := int64(of.width) != width && !inside && !s.Op.Cast; cast && a.Act == op.Same {
				x.kind = op.New
			} else if cast && int64(of.width) < width {
				x.first = of.bytes / int64(of.width) * width
			}
		case op.Holds:
			w := width
			if a.DType != op.Float {
				w = t.width(a.DType)
			}
			if x.bytes = upTo(max(a.Elems, 0), w); !a.Shared {
				x.bytes = upTo(x.bytes, t.Batch)
			}
		case op.Passing:
			x.bytes = min(max(x.bytes, 0), mostTotal)
		}
		t.acts = append(t.acts, x)
	}
	out.to = int32(len(t.acts))
	return out
}

// widest is the bytes of the widest float that a step reads.
func (t *Tape) widest(in []int32) int64 {
	width := int64(0)
	for _, id := range in {
		if x := &t.tensors[id]; x.float {
			width = max(width, int64(x.width))
		}
	}
	if width == 0 {
		return t.Precision.Weights
	}
	return width
}
