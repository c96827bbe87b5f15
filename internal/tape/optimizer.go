package tape

// Optimizer is what an optimizer holds of each trained weight.
type Optimizer struct {
	States int  // tensors like the weight that stay
	Copies int  // tensors like the gradients that it makes of all of them while it works
	Rows   bool // states of a matrix are its rows and columns: Adafactor
	Bytes  bool // states are two bytes an element with a scale for every 256 of them, small tensors aside: bitsandbytes
	Full   bool // states are two of 32 bits, whatever the weight has: bitsandbytes
	Paged  bool // states of large tensors lie in unified memory, which no allocator of PyTorch's has
}

// OptimizerOf is the optimizer with a name. Adam over lists of tensors, which PyTorch uses on a card unless fused is asked for, makes a copy of all
// gradients while it works.
func OptimizerOf(name string) Optimizer {
	switch name {
	case "adamw", "adam":
		return Optimizer{States: 2, Copies: 1}
	case "adamw-fused":
		return Optimizer{States: 2}
	case "sgd":
		return Optimizer{States: 1}
	case "adafactor":
		return Optimizer{Rows: true}
	case "adamw-8bit":
		return Optimizer{Bytes: true}
	case "paged-adamw-8bit":
		return Optimizer{Bytes: true, Paged: true}
	case "paged-adamw":
		return Optimizer{Full: true, Paged: true}
	}
	return Optimizer{}
}

// states makes the optimizer's states, once.
func (r *run) states(o Optimizer) {
	if r.hasStates {
		return
	}
	r.hasStates, r.recorder.on = true, r.recorder.wanted
	for k := range r.tape.stored {
		if s := &r.tape.stored[k]; r.tape.trains(s.id) {
			r.stateOf(s, o)
		}
	}
	r.recorder.on = false
}

// smallestBytes is the smallest tensor that bitsandbytes has 8-bit states for (min_8bit_size), scaled how many elements have a scale together, and
// smallestPaged the smallest tensor whose states it pages (optim/optimizer.py of 0.50: init_state and get_state_buffer).
const (
	smallestBytes = 4096
	scaled        = 256
	smallestPaged = 100_000
)

// stateOf makes the states of one weight.
func (r *run) stateOf(s *stored, o Optimizer) {
	x := &r.tape.tensors[s.id]
	for range o.States {
		r.take(x.bytes, States)
	}
	elems := x.bytes / int64(x.width)
	switch {
	case o.Rows && s.rows > 0:
		r.take(elems/max(1, s.columns)*int64(x.width), States)
		r.take(elems/max(1, s.rows)*int64(x.width), States)
	case o.Rows:
		r.take(x.bytes, States)
	case o.Full, o.Bytes && elems < smallestBytes:
		r.pageable(4*elems, elems, o)
		r.pageable(4*elems, elems, o)
	case o.Bytes:
		r.pageable(elems, elems, o)
		r.pageable(elems, elems, o)
		for range 2 {
			r.take(4*((elems+scaled-1)/scaled), States)
		}
	}
}

// pageable makes a state of so many elements, on the card or in unified memory.
func (r *run) pageable(bytes, elems int64, o Optimizer) {
	if o.Paged && elems >= smallestPaged {
		r.paged += bytes
		return
	}
	r.take(bytes, States)
}

// optimize takes the optimizer's step: its states, its copies of the gradients, and the gradients go.
func (r *run) optimize(o Optimizer) {
	t := r.tape
	r.states(o)
	r.recorder.trace.End()
	r.stack = r.stack[:0]
	for k := range t.stored {
		s := &t.stored[k]
		if r.storages[s.id].grad == 0 {
			continue
		}
		x := &t.tensors[s.id]
		for range o.Copies {
			r.stack = append(r.stack, r.take(x.bytes, Copies))
		}
		if o.Rows { // one after the other: the square of a matrix is put together from its rows and columns, which are summed before
			r.passing(t.g.Card.SumWorkspace(s.rows, s.columns), Copies)
			r.passing(x.bytes, Copies)
		}
	}
	for _, b := range r.stack {
		r.give(b)
	}
	for k := range t.stored {
		s := &r.storages[t.stored[k].id]
		r.drop(s.grad)
		s.grad = 0
	}
}
