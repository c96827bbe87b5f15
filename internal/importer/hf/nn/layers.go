package nn

import "github.com/modelverifier/verifier/internal/importer/hf/build"

// PreNorm is the layer of most decoders: attention and a feed-forward network, each behind a norm and added to what
// came in.
func PreNorm(b *build.Build, x build.Node, dim int64, attend, feed func(x build.Node) build.Node) build.Node {
	x = b.Residual(x, attend(b.RMSNorm(x, "input_layernorm", dim)))
	return b.Residual(x, feed(b.RMSNorm(x, "post_attention_layernorm", dim)))
}

// Conv1D is the linear layer of GPT-2, whose weight is stored the other way round.
func Conv1D(b *build.Build, x build.Node, name string, in, out int64) build.Node {
	n := b.Add("linear", name, build.Args{build.Int("inFeatures", in), build.Int("outFeatures", out),
		build.Flag("bias", true)}, x)
	b.Tensor(name+".weight", in, out)
	b.Tensor(name+".bias", out)
	return n
}

// Segments adds a trained vector for the segment of each position.
func Segments(b *build.Build, x build.Node, name string, count, dim int64) build.Node {
	n := b.Add("segmentEmbedding", name, build.Args{build.Int("numSegments", count), build.Int("embedDim", dim)}, x)
	b.Tensor(name+".weight", count, dim)
	return n
}

// PlainNorm is a layer norm without weights.
func PlainNorm(b *build.Build, x build.Node, name string, dim int64) build.Node {
	return b.Add("layerNorm", name, build.Args{build.Ints("normalizedShape", dim),
		build.Flag("elementwiseAffine", false)}, x)
}
