package nn

import "github.com/modelverifier/verifier/internal/importer/hf/build"

// InHeads is a sequence with its heads ahead of the positions.
func InHeads(b *build.Build, x build.Node, heads, headDim int64) build.Node {
	return b.Add("permute", "", build.Args{build.Ints("dims", 0, 2, 1, 3)}, b.Unflatten(x, heads, headDim))
}

// FromHeads puts the heads side by side again.
func FromHeads(b *build.Build, x build.Node) build.Node {
	return b.Flat(b.Add("permute", "", build.Args{build.Ints("dims", 0, 2, 1, 3)}, x))
}

// Times is a product of matrices; transposed says that the second one is.
func Times(b *build.Build, x, y build.Node, transposed bool) build.Node {
	if transposed {
		y = b.Add("transpose", "", build.Args{build.Int("dim0", -2), build.Int("dim1", -1)}, y)
	}
	return b.Add("matmul", "", nil, x, y)
}

// Weighted is softmax over the last axis.
func Weighted(b *build.Build, x build.Node) build.Node {
	return b.Add("softmax", "", build.Args{build.Int("dim", -1)}, x)
}

// HeadConv is a convolution of each head's values along the positions, which some models add to attention.
func HeadConv(b *build.Build, v build.Node, name string, a Attention, kernel int64) build.Node {
	x := InHeads(b, v, a.Heads, a.HeadDim)
	x = b.Add("conv2d", name, build.Args{build.Int("inChannels", a.Heads), build.Int("outChannels", a.Heads),
		build.Ints("kernelSize", kernel, 1),
		build.Ints("padding", kernel/2, 0), build.Int("groups", a.Heads), build.Flag("bias", false)}, x)
	b.Tensor(name+".weight", a.Heads, 1, kernel, 1)
	return FromHeads(b, x)
}

// Approximated is attention that no type computes: what it is made of is known, and what it costs where flops is not
// negative.
func Approximated(b *build.Build, q, k, v build.Node, length, width, flops int64) build.Node {
	args := build.Args{build.Ints("outShape", length, width), build.Int("numParams", 0)}
	if flops >= 0 {
		args = append(args, build.Int("flops", flops))
	}
	return b.Add("customModule", "", args, q, k, v)
}
