package hf

// inHeads is a sequence with its heads ahead of the positions.
func (b *Build) inHeads(x Node, heads, headDim int64) Node {
	return b.Add("permute", "", Args{Ints("dims", 0, 2, 1, 3)}, b.Unflatten(x, heads, headDim))
}

// fromHeads puts the heads side by side again.
func (b *Build) fromHeads(x Node) Node {
	return b.Flat(b.Add("permute", "", Args{Ints("dims", 0, 2, 1, 3)}, x))
}

// times is a product of matrices; turned says that the second one is turned.
func (b *Build) times(x, y Node, turned bool) Node {
	if turned {
		y = b.Add("transpose", "", Args{Int("dim0", -2), Int("dim1", -1)}, y)
	}
	return b.Add("matmul", "", nil, x, y)
}

// weighted is softmax over the last axis.
func (b *Build) weighted(x Node) Node { return b.Add("softmax", "", Args{Int("dim", -1)}, x) }

// headConv is a convolution of each head's values along the positions, which some models add to attention.
func (b *Build) headConv(v Node, name string, a Attention, kernel int64) Node {
	x := b.inHeads(v, a.Heads, a.HeadDim)
	x = b.Add("conv2d", name, Args{Int("inChannels", a.Heads), Int("outChannels", a.Heads), Ints("kernelSize", kernel, 1),
		Ints("padding", kernel/2, 0), Int("groups", a.Heads), Flag("bias", false)}, x)
	b.Tensor(name+".weight", a.Heads, 1, kernel, 1)
	return b.fromHeads(x)
}

// approximated is attention that no type computes: what it is made of is known, and what it costs where flops is not negative.
func (b *Build) approximated(q, k, v Node, length, width, flops int64) Node {
	args := Args{Ints("outShape", length, width), Int("numParams", 0)}
	if flops >= 0 {
		args = append(args, Int("flops", flops))
	}
	return b.Add("customModule", "", args, q, k, v)
}
