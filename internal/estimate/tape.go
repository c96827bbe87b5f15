package estimate

// tape follows the operations of a component's backward pass one after the other: what they make, and what they free of what the
// forward pass kept. It begins with everything kept and with the gradient of the result, neither of which it counts; live is how
// much more there is now, which may be less than nothing, and most how much more there was.
type tape struct {
	live, most int64
	width      int64 // of what products give
	cast       bool  // whether weights and sums have 32 bits and products 16
	again      bool  // whether what is kept was computed again: it is freed where it is used, and not behind that operation
}

func (t *tape) take(bytes int64) {
	t.live += block(bytes)
	t.most = max(t.most, t.live)
}

func (t *tape) free(bytes int64) { t.live -= block(bytes) }

// pass makes something that is gone when the operation ends.
func (t *tape) pass(bytes int64) { t.most = max(t.most, t.live+block(bytes)) }

// swap is an operation that makes a gradient of another.
func (t *tape) swap(to, from int64) {
	t.take(to)
	t.free(from)
}

// sumWidth is the width of what is added up along residual connections, and of weights.
func (t *tape) sumWidth() int64 {
	if t.cast {
		return 4
	}
	return t.width
}

// linear is a map of a matrix, addmm: the gradients of what arrived and of the weight, then the sum of the bias's; the gradient of the
// result is freed with what was kept.
func (t *tape) linear(rows, in, out int64, bias bool, kept, result int64) {
	t.take(times(rows, in, t.width))
	t.take(times(in, out, t.width))
	if t.again {
		t.free(kept)
	}
	if bias {
		t.pass(sumWorkspace(rows, out))
	}
	if !t.again {
		t.free(kept)
	}
	t.free(result)
	t.weight(in, out)
}

// turned is a map of a sequence whose axes were exchanged: a product and a sum of its own with the bias, whose gradient comes first.
func (t *tape) turned(rows, in, out int64, bias bool, kept, result int64) {
	if bias {
		t.pass(sumWorkspace(rows, out))
	}
	t.take(times(in, out, t.width))
	t.take(times(rows, in, t.width))
	t.free(kept)
	t.free(result)
	t.weight(in, out)
}

// weight widens the gradient of a weight under autocast; the copy of the weight is free by then.
func (t *tape) weight(in, out int64) {
	if t.cast {
		t.free(times(in, out, t.width))
		t.swap(times(in, out, 4), times(in, out, t.width))
	}
}

// narrow is the 16-bit copy of a 32-bit gradient that autocast's products read, and its bytes; the 32 bits stay.
func (t *tape) narrow(elems int64) int64 {
	if !t.cast {
		return 0
	}
	t.take(times(elems, t.width))
	return times(elems, t.width)
}

// widen makes 32 bits of a gradient that a product gave.
func (t *tape) widen(elems int64) {
	if t.cast {
		t.swap(times(elems, 4), times(elems, t.width))
	}
}

// norm is a layer normalisation: the gradient of what arrived replaces that of the result. What was turned is put in order first.
func (t *tape) norm(elems, features int64, turned bool) {
	bytes := times(elems, t.sumWidth())
	if turned {
		t.pass(plus(bytes, bytes))
	}
	t.swap(bytes, bytes)
	t.free(bytes) // what was normalised
	t.free(times(elems/max(1, features), 4))
	t.free(times(elems/max(1, features), 4))
}

// drop is dropout, which keeps a byte for each element.
func (t *tape) drop(elems, width int64, replaces bool) {
	t.take(times(elems, width))
	if replaces {
		t.free(times(elems, width))
	}
	t.free(elems)
}
