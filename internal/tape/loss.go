package tape

import (
	mathbits "math/bits"

	"github.com/modelverifier/verifier/internal/op"
)

// Loss appends the program of a loss that reads a component's result and targets, so many for a sample; and, of a loss that takes the component's
// last product in, its weights. What it makes counts as logits, but for the gradients of weights that a fused loss has at once.
func (t *Tape) Loss(node int, p *op.Program, targets int64, owners Owners) {
	t.node = -1
	t.ids = zeros(t.ids, len(p.Tensors))
	t.ids[p.In[0]] = t.results[node]
	t.ids[p.In[1]] = t.tensor(tensor{bytes: 8 * targets * t.Batch, width: 8, born: -1, role: op.Arrives})
	t.own(p, owners)
	for k := range p.Steps {
		t.append(&p.Steps[k], p)
		if kept := t.keptBy(&t.steps[len(t.steps)-1]); len(kept) > 1 {
			for _, id := range kept[1:] {
				t.tensors[id].part = Gradients
			}
		}
	}
	t.losses = append(t.losses, t.ids[p.Out])
}

// End keeps the result of a component that no other reads until the model's forward pass ends, as the name that the code has for it does.
func (t *Tape) End(node int) {
	if id := t.results[node]; id >= 0 {
		t.reads(id, int32(len(t.steps)-1))
	}
}

// reach finds what the losses depend on. To nothing else does a gradient come: what autograd saved of it goes with its result when the model's
// forward pass ends. It also takes from all steps what deaths lists anew.
func (t *Tape) reach() {
	t.leads, t.lost = zeros(t.leads, len(t.tensors)), t.lost[:0]
	for _, id := range t.losses {
		t.leads[id] = true
	}
	for k := len(t.steps) - 1; k >= 0; k-- {
		st := &t.steps[k]
		st.frees = 0
		if !t.leads[st.out] {
			if st.unit == 0 && st.saves() {
				t.lost = append(t.lost, int32(k))
			}
			continue
		}
		for bits := st.needs; bits != 0; bits &= bits - 1 {
			t.leads[t.refs[st.in.from+int32(mathbits.TrailingZeros64(bits))]] = true
		}
	}
}

// forget lets go of what was saved and leads to no loss.
func (r *run) forget() {
	for _, k := range r.tape.lost {
		r.releaseSaved(&r.tape.steps[k])
	}
}

// trains reports whether a gradient comes to a weight.
func (t *Tape) trains(id int32) bool {
	return t.tensors[id].role == op.Weight && t.tensors[id].grad && t.leads[id]
}
