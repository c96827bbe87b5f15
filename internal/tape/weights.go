package tape

import (
	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/op"
)

// own finds the weights of a program, and makes its buffers.
func (t *Tape) own(p *op.Program, owners Owners) {
	for v := range p.Tensors {
		switch x := &p.Tensors[v]; x.Role {
		case op.Weight:
			t.ids[v] = t.weight(owners, x)
		case op.Buffer:
			w := t.width(x.DType)
			t.ids[v] = t.tensor(tensor{bytes: t.bytes(x, w), width: uint8(w), float: x.DType.IsFloat(), role: op.Buffer, born: -1})
		case op.Past:
			t.ids[v] = t.past(x)
		case op.Handed:
			t.ids[v] = t.hand(p.NameOf(op.Value(v)), x)
		}
	}
}

// Idle adds the weights of a component that does not run, so that no gradient is computed for them.
func (t *Tape) Idle(weights []catalog.Weight) {
	for k := range weights {
		w, width := &weights[k], t.Precision.Weights
		add := func(shape ...int64) {
			t.tensor(tensor{bytes: t.bytes(&op.Tensor{Shape: shape, Shared: true}, width), width: uint8(width), role: op.Weight, born: -1})
		}
		each := min(w.Times, mostIdle, max(0, mostIdleOfAll-t.idle))
		t.idle += each
		for range each {
			add(w.Shape...)
		}
		if rest := w.Times - each; rest > 0 {
			add(append([]int64{rest}, w.Shape...)...)
		}
	}
}

// mostIdle is how many weights of one declaration are followed one by one where the component does not run; the others are one tensor.
const mostIdle = 1 << 12

// mostIdleOfAll is how many those of all declarations are.
const mostIdleOfAll = 1 << 15

// weightCopies is more than a type declares weights; those that are declared as several at once are numbered from there.
const weightCopies = 1 << 5

// weight is the tensor of a weight, which components may share.
func (t *Tape) weight(owners Owners, x *op.Tensor) int32 {
	node, index := owners.Own, int(x.Index)+int(x.Copy)*weightCopies
	if index == op.TiedWeight {
		node, index = owners.Tied, 0
	}
	adapter := index >= op.AdapterWeight
	if !adapter && len(t.weights[node]) <= index {
		t.weights[node] = t.widen(t.weights[node], index+1)
	}
	if !adapter && t.weights[node][index] >= 0 {
		if x.Index == op.TiedWeight {
			t.tied = append(t.tied, t.weights[node][index])
		}
		return t.weights[node][index]
	}
	width := t.width(x.DType)
	made := tensor{bytes: t.bytes(x, width), width: uint8(width), float: true, role: op.Weight, born: -1, grad: adapter || !t.frozen(int32(node))}
	if x.Stored != op.InFloats {
		made.bytes, made.width, made.float, made.grad = x.Stored.Bytes(x.Shape), 1, false, false
	}
	id := t.tensor(made)
	if n := len(x.Shape); n > 1 {
		last := &t.stored[len(t.stored)-1]
		last.rows, last.columns = x.Shape[n-2], x.Shape[n-1]
	}
	if !adapter {
		t.weights[node][index] = id
	}
	return id
}

// handed is a tensor that the model makes once and hands to its layers.
type handed struct {
	name string
	id   int32
}

// handing is what one that is handed on is found by.
type handing struct {
	name         string
	bytes, width int64
}

// hand is the tensor with a name and a size, which the model makes before its layers run.
func (t *Tape) hand(name string, x *op.Tensor) int32 {
	w := t.width(x.DType)
	bytes := t.bytes(x, w)
	key := handing{name, bytes, w}
	if id, there := t.handing[key]; there {
		return id
	}
	id := t.tensor(tensor{bytes: bytes, width: uint8(w), float: x.DType.IsFloat(), role: op.Handed, born: -1})
	t.handed = append(t.handed, handed{name, id})
	if t.handing == nil {
		t.handing = map[handing]int32{}
	}
	t.handing[key] = id
	return id
}

// widen makes the list of a component's weights as long as is needed.
func (t *Tape) widen(list []int32, need int) []int32 {
	longer := list
	if cap(list) < need {
		longer = t.owned.Make(max(need, 2*len(list), 4))
	}
	longer = longer[:need]
	for k := copy(longer, list); k < need; k++ {
		longer[k] = -1
	}
	return longer
}
