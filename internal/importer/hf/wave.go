package hf

import "strconv"

// waveEncoder is the stack of convolutions over the samples of a sound that wav2vec 2.0 has. It returns the number of moments.
func (b *Build) waveEncoder() (x Node, length int64) {
	dims, kernels, strides := b.Ints("conv_dim"), b.Ints("conv_kernel"), b.Ints("conv_stride")
	if len(kernels) != len(dims) || len(strides) != len(dims) || len(dims) == 0 {
		fail(CodeContradiction, b.at("conv_dim"), "has %d entries, conv_kernel %d and conv_stride %d: they must have as many, and one at least", len(dims), len(kernels), len(strides))
	}
	norm := b.Str("feat_extract_norm")
	if norm != "group" && norm != "layer" {
		fail(CodeConfig, b.at("feat_extract_norm"), "is %q but takes group or layer", norm)
	}
	in, length := int64(1), int64(soundSamples)
	x = b.Add("unsqueeze", "", Args{Int("dim", 1)}, b.Input("input_values", length))
	for i, dim := range dims {
		m := b.Scope("conv_layers.%d", i)
		x = m.Conv1d(x, "conv", Convolution{In: in, Out: dim, Kernel: kernels[i], Stride: strides[i], Bias: b.Bool("conv_bias")})
		switch {
		case norm == "layer":
			x = m.Swap(m.LayerNorm(m.Swap(x), "layer_norm", dim, true))
		case i == 0:
			x = m.GroupedNorm(x, "layer_norm", dim, dim)
		}
		x = m.Activation(x, "feat_extract_activation")
		in, length = dim, (length-kernels[i])/max(strides[i], 1)+1
	}
	return b.Swap(x), length
}

// waveProjection maps moments to the width of the layers.
func (b *Build) waveProjection(x Node, in, dim int64) Node {
	return b.Linear(b.LayerNorm(x, "layer_norm", in, true), "projection", in, dim, true)
}

// waveConvPositions tells positions apart by a wide convolution in groups, whose weight is a direction and a length for each
// place of the kernel.
func (b *Build) waveConvPositions(x Node, dim, length int64) Node {
	kernel, groups := b.Size("num_conv_pos_embeddings"), b.Size("num_conv_pos_embedding_groups")
	if dim%groups != 0 {
		fail(CodeContradiction, b.at("num_conv_pos_embedding_groups"), "is %d, which does not divide hidden_size, %d", groups, dim)
	}
	y := b.Opaque(b.Swap(x), "conv", []int64{dim, length}, 0, T("bias", dim), T("parametrizations.weight.original0", 1, 1, kernel),
		T("parametrizations.weight.original1", dim, dim/groups, kernel))
	b.Set(y, "flops", Int("", 2*length*dim*(dim/groups)*kernel).Value)
	return b.Residual(x, b.Swap(b.Activation(y, "feat_extract_activation")))
}

// maskVector is what stands in for masked moments in training; nothing reads it otherwise.
func (b *Build) maskVector(x Node, dim int64) {
	if b.Float("mask_time_prob") > 0 || b.Float("mask_feature_prob") > 0 {
		b.Param(x, "masked_spec_embed", dim)
	}
}

// feedDense is the feed-forward network in the names of wav2vec 2.0.
func (b *Build) feedDense(x Node, name string, dim, hidden int64, act string) Node {
	m := b.Scope("%s", name)
	x = m.Act(m.Linear(x, "intermediate_dense", dim, hidden, true), act, "hidden_act")
	return m.Linear(x, "output_dense", hidden, dim, true)
}

// layerName is the name of a numbered layer.
func layerName(i int64) string { return "layers." + strconv.FormatInt(i, 10) }
