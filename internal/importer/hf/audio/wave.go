package audio

import (
	"strconv"

	"github.com/modelverifier/verifier/internal/importer/hf/build"
	"github.com/modelverifier/verifier/internal/importer/hf/config"
)

// WaveEncoder is the stack of convolutions over the samples of a sound that wav2vec 2.0 has. It returns the number of
// moments.
func WaveEncoder(b *build.Build) (x build.Node, length int64) {
	dims, kernels, strides := b.Ints("conv_dim"), b.Ints("conv_kernel"), b.Ints("conv_stride")
	if len(kernels) != len(dims) || len(strides) != len(dims) || len(dims) == 0 {
		config.Fail(config.CodeContradiction, b.At("conv_dim"),
			"has %d entries, conv_kernel %d and conv_stride %d: they must have as many, and one at least", len(dims),
			len(kernels), len(strides))
	}
	norm := b.Str("feat_extract_norm")
	if norm != "group" && norm != "layer" {
		config.Fail(config.CodeConfig, b.At("feat_extract_norm"), "is %q but takes group or layer", norm)
	}
	in, length := int64(1), int64(SoundSamples)
	x = b.Add("unsqueeze", "", build.Args{build.Int("dim", 1)}, b.Input("input_values", length))
	for i, dim := range dims {
		m := b.Scope("conv_layers.%d", i)
		x = Conv1d(m, x, "conv", Convolution{In: in, Out: dim, Kernel: kernels[i], Stride: strides[i],
			Bias: b.Bool("conv_bias")})
		switch {
		case norm == "layer":
			x = m.Swap(m.LayerNorm(m.Swap(x), "layer_norm", dim, true))
		case i == 0:
			x = GroupedNorm(m, x, "layer_norm", dim, dim)
		}
		x = m.Activation(x, "feat_extract_activation")
		in, length = dim, (length-kernels[i])/max(strides[i], 1)+1
	}
	return b.Swap(x), length
}

// WaveProjection projects moments to the width of the layers.
func WaveProjection(b *build.Build, x build.Node, in, dim int64) build.Node {
	return b.Linear(b.LayerNorm(x, "layer_norm", in, true), "projection", in, dim, true)
}

// WaveConvPositions encodes positions with a grouped convolution of a large kernel, whose weight is a direction and a length
// for each place of the kernel.
func WaveConvPositions(b *build.Build, x build.Node, dim, length int64) build.Node {
	kernel, groups := b.Size("num_conv_pos_embeddings"), b.Size("num_conv_pos_embedding_groups")
	if dim%groups != 0 {
		config.Fail(config.CodeContradiction, b.At("num_conv_pos_embedding_groups"),
			"is %d, which does not divide hidden_size, %d", groups, dim)
	}
	y := b.Opaque(b.Swap(x), "conv", []int64{dim, length}, 0, build.T("bias", dim),
		build.T("parametrizations.weight.original0", 1, 1, kernel),
		build.T("parametrizations.weight.original1", dim, dim/groups, kernel))
	b.Set(y, "flops", build.Int("", 2*length*dim*(dim/groups)*kernel).Value)
	return b.Residual(x, b.Swap(b.Activation(y, "feat_extract_activation")))
}

// MaskVector is what stands in for masked moments in training; nothing reads it otherwise.
func MaskVector(b *build.Build, x build.Node, dim int64) {
	if b.Float("mask_time_prob") > 0 || b.Float("mask_feature_prob") > 0 {
		b.Param(x, "masked_spec_embed", dim)
	}
}

// FeedDense is the feed-forward network in the names of wav2vec 2.0.
func FeedDense(b *build.Build, x build.Node, name string, dim, hidden int64, act string) build.Node {
	m := b.Scope("%s", name)
	x = m.Act(m.Linear(x, "intermediate_dense", dim, hidden, true), act, "hidden_act")
	return m.Linear(x, "output_dense", hidden, dim, true)
}

// LayerName is the name of a numbered layer.
func LayerName(i int64) string { return "layers." + strconv.FormatInt(i, 10) }
