// Package audio has what families that read sounds share: convolutions over one axis, the encoders of wav2vec 2.0 and
// of Conformer.
package audio

import "github.com/modelverifier/verifier/internal/importer/hf/build"

// Convolution is one over one axis, of a sequence with the channels first.
type Convolution struct {
	In, Out, Kernel         int64
	Stride, Padding, Groups int64 // Stride and Groups 0: 1
	Dilation                int64 // 0: 1
	Bias                    bool
}

// Conv1d adds a convolution over one axis with the tensors of torch.nn.Conv1d.
func Conv1d(b *build.Build, x build.Node, name string, c Convolution) build.Node {
	c.Groups = max(c.Groups, 1)
	n := b.Add("conv1d", name, build.Args{build.Int("inChannels", c.In), build.Int("outChannels", c.Out),
		build.Int("kernelSize", c.Kernel), build.Int("stride", max(c.Stride, 1)),
		build.Int("padding", c.Padding), build.Int("dilation", max(c.Dilation, 1)), build.Int("groups", c.Groups),
		build.Flag("bias", c.Bias)}, x)
	b.Weights(name, c.Bias, c.Out, c.In/c.Groups, c.Kernel)
	return n
}

// Conv2d is a convolution over the two axes of an image, with a square kernel.
func Conv2d(b *build.Build, x build.Node, name string, c Convolution) build.Node {
	c.Groups = max(c.Groups, 1)
	n := b.Add("conv2d", name, build.Args{build.Int("inChannels", c.In), build.Int("outChannels", c.Out),
		build.Int("kernelSize", c.Kernel), build.Int("stride", max(c.Stride, 1)),
		build.Int("padding", c.Padding), build.Int("groups", c.Groups), build.Flag("bias", c.Bias)}, x)
	b.Weights(name, c.Bias, c.Out, c.In/c.Groups, c.Kernel, c.Kernel)
	return n
}

// GroupedNorm normalises groups of channels.
func GroupedNorm(b *build.Build, x build.Node, name string, groups, channels int64) build.Node {
	n := b.Add("groupNorm", name, build.Args{build.Int("numGroups", groups), build.Int("numChannels", channels)}, x)
	b.Weights(name, true, channels)
	return n
}

// SoundSamples is the length of a sound where the model takes any: ten seconds at 16 kHz.
const SoundSamples = 160_000
