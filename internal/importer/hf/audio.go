package hf

// Convolution is one over one axis, of a sequence with the channels first.
type Convolution struct {
	In, Out, Kernel         int64
	Stride, Padding, Groups int64 // Stride and Groups 0: 1
	Dilation                int64 // 0: 1
	Bias                    bool
}

// Conv1d adds a convolution over one axis with the tensors of torch.nn.Conv1d.
func (b *Build) Conv1d(x Node, name string, c Convolution) Node {
	c.Groups = max(c.Groups, 1)
	n := b.Add("conv1d", name, Args{Int("inChannels", c.In), Int("outChannels", c.Out), Int("kernelSize", c.Kernel), Int("stride", max(c.Stride, 1)),
		Int("padding", c.Padding), Int("dilation", max(c.Dilation, 1)), Int("groups", c.Groups), Flag("bias", c.Bias)}, x)
	b.weights(name, c.Bias, c.Out, c.In/c.Groups, c.Kernel)
	return n
}

// Swap exchanges the two axes of a sequence: channels first becomes features last, and back.
func (b *Build) Swap(x Node) Node {
	return b.Add("transpose", "", Args{Int("dim0", 1), Int("dim1", 2)}, x)
}

// Conv2d is a convolution over the two axes of an image, with a square kernel.
func (b *Build) Conv2d(x Node, name string, c Convolution) Node {
	c.Groups = max(c.Groups, 1)
	n := b.Add("conv2d", name, Args{Int("inChannels", c.In), Int("outChannels", c.Out), Int("kernelSize", c.Kernel), Int("stride", max(c.Stride, 1)),
		Int("padding", c.Padding), Int("groups", c.Groups), Flag("bias", c.Bias)}, x)
	b.weights(name, c.Bias, c.Out, c.In/c.Groups, c.Kernel, c.Kernel)
	return n
}

// Span is a range of positions.
func (b *Build) Span(x Node, start, end int64) Node {
	return b.Add("slice", "", Args{Int("dim", 1), Int("start", start), Int("end", end)}, x)
}

// Join puts sequences behind each other.
func (b *Build) Join(x ...Node) Node { return b.Add("concatenate", "", Args{Int("dim", 1)}, x...) }

// Fixed is a tensor that is computed once and not trained, as a mask. x only tells the batch.
func (b *Build) Fixed(x Node, name string, shape ...int64) Node {
	return b.Add("parameter", name, Args{Ints("shape", shape...), Flag("trainable", false)}, x)
}

// GroupedNorm normalises groups of channels.
func (b *Build) GroupedNorm(x Node, name string, groups, channels int64) Node {
	n := b.Add("groupNorm", name, Args{Int("numGroups", groups), Int("numChannels", channels)}, x)
	b.weights(name, true, channels)
	return n
}

// soundSamples is the length of a sound where the model takes any: ten seconds at 16 kHz.
const soundSamples = 160_000
