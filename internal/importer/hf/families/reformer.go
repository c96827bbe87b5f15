package families

import (
	"slices"

	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/importer/hf/build"
	"github.com/modelverifier/verifier/internal/importer/hf/config"
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
)

var _ = family.Define(family.Family{Type: "reformer", Default: "ReformerModel", Classes: map[string]func(*Build){
	"ReformerModelWithLMHead": func(b *Build) {
		if !b.Given("is_decoder") {
			config.Fail(graph.CodeMissing, b.At("is_decoder"),
				"is missing, and ReformerModelWithLMHead takes only true, which is not the default")
		}
		if !b.Bool("is_decoder") {
			config.Fail(config.CodeContradiction, b.At("is_decoder"),
				"is false but architectures names ReformerModelWithLMHead, which is a decoder")
		}
		reformerHead(b)
	},
	"ReformerForMaskedLM": func(b *Build) {
		if b.Bool("is_decoder") {
			config.Fail(config.CodeContradiction, b.At("is_decoder"),
				"is true but architectures names ReformerForMaskedLM, which is an encoder")
		}
		reformerHead(b)
	},
	"ReformerModel": func(b *Build) { b.Output(reformer(b)) },
}})

// reformerHead is the model and its logits, whose weight is never tied: it is twice as wide as the embedding.
func reformerHead(b *Build) {
	x := reformer(b.Scope("reformer"))
	dim, vocab := 2*b.Size("hidden_size"), b.Size("vocab_size")
	n := b.Add("lmHead", "lm_head", Args{build.Int("embedDim", dim), build.Int("vocabSize", vocab),
		build.Flag("bias", true)}, x)
	b.Tensor("lm_head.decoder.weight", vocab, dim)
	b.Tensor("lm_head.bias", vocab)
	b.Output(n)
}

// reformer has two streams that are added to in turn, so that training can compute each from the other, and joins
// them at the end.
func reformer(b *Build) Node {
	dim := b.Size("hidden_size")
	root := b.Root()
	x := b.Embedding(root.Tokens("input_ids", b.MaxPositions()), "embeddings.word_embeddings", b.Size("vocab_size"),
		dim)
	x = reformerPositions(b.Scope("embeddings"), x, dim)
	kinds := b.Strs("attn_layers")
	mixed := slices.Contains(kinds, "local") && slices.Contains(kinds, "lsh")
	left, right := x, x
	for i := range b.Or("num_hidden_layers", int64(len(kinds))) {
		m := b.Scope("encoder.layers.%d", i)
		left = m.Residual(left, reformerAttention(m.Scope("attention"), right, dim, reformerKind(b, kinds, mixed, i)))
		h := m.LayerNorm(left, "feed_forward.layer_norm", dim, true)
		right = m.Residual(right, nn.MLP(m.Scope("feed_forward"), h, "dense.dense", "output.dense", dim,
			b.Size("feed_forward_size"), true, "hidden_act"))
	}
	return b.LayerNorm(nn.Beside(b, left, right), "encoder.layer_norm", 2*dim, true)
}

// reformerKind is the kind of a layer: the one that all have, or that of the list, where both kinds are mixed.
func reformerKind(b *Build, kinds []string, mixed bool, i int64) string {
	if i == 0 {
		if at := slices.IndexFunc(kinds, func(kind string) bool { return kind != "local" && kind != "lsh" }); at >= 0 {
			config.Fail(config.CodeConfig, b.At("attn_layers"), "has the kind %q but takes local and lsh", kinds[at])
		}
	}
	switch {
	case len(kinds) == 0:
		config.Fail(config.CodeConfig, b.At("attn_layers"), "is empty but takes local and lsh")
	case !mixed:
		return kinds[0]
	case i >= int64(len(kinds)):
		config.Fail(config.CodeContradiction, b.At("attn_layers"), "has %d entries but num_hidden_layers is %d",
			len(kinds), b.Int("num_hidden_layers"))
	}
	return kinds[i]
}

// reformerPositions adds a vector to each position: from one table, or from a table for each axis of a grid of
// positions.
func reformerPositions(b *Build, x Node, dim int64) Node {
	if !b.Bool("axial_pos_embds") {
		return b.Positions(x, "position_embeddings.embedding", b.Size("max_position_embeddings"), dim)
	}
	grid, dims := b.Ints("axial_pos_shape"), b.Ints("axial_pos_embds_dim")
	if len(grid) != len(dims) {
		config.Fail(config.CodeContradiction, b.At("axial_pos_shape"), "has %d axes but axial_pos_embds_dim has %d",
			len(grid), len(dims))
	}
	sum, weights := int64(0), []build.Tensor{}
	for i, d := range dims {
		shape := make([]int64, len(grid)+1)
		for j := range grid {
			shape[j] = 1
		}
		shape[i], shape[len(grid)] = grid[i], d
		weights = append(weights, build.T([]string{"weights.0", "weights.1", "weights.2", "weights.3"}[min(i, 3)],
			shape...))
		sum += d
	}
	if sum != dim || len(grid) > 4 {
		config.Fail(config.CodeContradiction, b.At("axial_pos_embds_dim"),
			"the %d sizes add up to %d but hidden_size is %d", len(dims), sum, dim)
	}
	table := b.OpaqueOf([]Node{x}, "position_embeddings", []int64{build.Product(b, grid...), dim}, 0, weights...)
	return b.Residual(x, b.Add("slice", "", Args{build.Int("dim", 1), build.Int("end", b.TextLength())}, table))
}

// reformerAttention looks at its own chunk of the text and its neighbours, or, hashed, at the chunks of similar
// vectors. It is no lshAttention: ReformerLayer computes it again in its backward pass and saves nothing of it, which
// a graph cannot say, so that its memory stays open.
func reformerAttention(b *Build, x Node, dim int64, kind string) Node {
	heads, length := b.Size("num_attention_heads"), b.TextLength()
	wide, rounds, names := heads*b.Size("attention_head_size"), int64(1), []string{"query", "key", "value"}
	h, m := b.LayerNorm(x, "layer_norm", dim, true), b.Scope("self_attention")
	if kind == "lsh" {
		rounds, names = b.Size("num_hashes"), []string{"query_key", "value"}
	}
	var in []Node
	for _, name := range names {
		in = append(in, m.Linear(h, name, dim, wide, false))
	}
	chunk := b.Size(kind + "_attn_chunk_length")
	seen := min(length, chunk*(1+b.Int(kind+"_num_chunks_before")+b.Int(kind+"_num_chunks_after")))
	y := unfollowed(m, in, "", []int64{length, wide}, build.Product(b, 4, rounds, length, max(seen, 0), wide))
	return b.Linear(y, "output.dense", wide, dim, false)
}
