package hf

// Attention inside blocks of a sequence is attention over one block whose heads are those of all blocks: the blocks lie side by side where
// heads do.

// blocksOf is how many blocks of a size a sequence has, the last of which may be filled up.
func blocksOf(length, size int64) int64 { return (length + size - 1) / size }

// fill adds zeros ahead of a sequence and behind it.
func (b *Build) fill(x Node, ahead, behind int64) Node {
	if ahead == 0 && behind == 0 {
		return x
	}
	return b.Add("pad", "", Args{Ints("padding", 0, 0, ahead, behind)}, x)
}

// abreast puts the blocks of a sequence side by side: (blocks*size, features) becomes (size, blocks*features).
func (b *Build) abreast(x Node, blocks, size int64) Node {
	x = b.Add("unflatten", "", Args{Int("dim", 1), Ints("unflattenedSize", blocks, size)}, x)
	return b.Flat(b.Swap(x))
}

// inRow puts such blocks behind each other again.
func (b *Build) inRow(x Node, blocks, features int64) Node {
	return b.Add("flatten", "", Args{Int("startDim", 1), Int("endDim", 2)}, b.Swap(b.Unflatten(x, blocks, features)))
}

// threefold puts each block between its neighbours, all of them abreast.
func (b *Build) threefold(x Node, blocks, size int64) Node {
	length := blocks * size
	x = b.fill(x, size, size)
	return b.Join(b.abreast(b.Span(x, 0, length), blocks, size), b.abreast(b.Span(x, size, size+length), blocks, size), b.abreast(b.Span(x, 2*size, 2*size+length), blocks, size))
}

// seenByAll repeats a short sequence that every block sees: (positions, features) becomes (positions, blocks*features).
func (b *Build) seenByAll(x Node, positions, blocks, features int64) Node {
	x = b.Add("unsqueeze", "", Args{Int("dim", 2)}, x)
	return b.Flat(b.Add("expand", "", Args{Ints("shape", positions, blocks, features)}, x))
}

// addedToAll repeats numbers for each head, query and key for every block.
func (b *Build) addedToAll(x Node, blocks, heads, queries, keys int64) Node {
	x = b.Add("unsqueeze", "", Args{Int("dim", 1)}, x)
	x = b.Add("expand", "", Args{Ints("shape", blocks, heads, queries, keys)}, x)
	return b.Add("flatten", "", Args{Int("startDim", 1), Int("endDim", 2)}, x)
}

// window is how many positions a layer sees, itself among them: one number for all layers, or one for each.
func (b *Build) window(i, layers int64) int64 {
	const key = "attention_window"
	w := int64(0)
	if _, list := b.value(key).([]any); !list {
		w = b.Int(key)
	} else if windows := b.Ints(key); int64(len(windows)) != layers {
		fail(CodeContradiction, b.at(key), "has %d numbers but the model has %d layers", len(windows), layers)
	} else {
		w = windows[i]
	}
	if w < 1 || w%2 != 0 {
		fail(CodeConfig, b.at(key), "is %d but takes an even number of at least 2", w)
	}
	return w
}

// slidingAttend lets every position see so many on both sides of it. It is computed for blocks of as many positions, of whose scores a band is kept.
// Maps for positions that see everything are there, and unused.
func (b *Build) slidingAttend(x Node, a Attention, length, side int64) Node {
	a = a.filled()
	q, k, v := b.project(x, a)
	for _, name := range []string{a.Q, a.K, a.V} {
		b.Unused(x, name+"_global.weight", a.Dim, a.Dim)
		b.Unused(x, name+"_global.bias", a.Dim)
	}
	blocks := blocksOf(length, side)
	y := b.Core(b.abreast(q, blocks, side), b.threefold(k, blocks, side), b.threefold(v, blocks, side), blocks*a.Heads, blocks*a.Heads, false)
	b.notWay(y, "plain")
	b.way(y, "banded")
	b.attentionWays(y, a)
	return b.inRow(y, blocks, a.Dim)
}
