package hf

import (
	"slices"

	"github.com/modelverifier/verifier/internal/graph"
)

var _ = define(Family{Type: "reformer", Default: "ReformerModel", Classes: map[string]func(*Build){
	"ReformerModelWithLMHead": func(b *Build) {
		if !b.Given("is_decoder") {
			fail(graph.CodeMissing, b.at("is_decoder"), "is missing, and ReformerModelWithLMHead takes only true, which is not the default")
		}
		if !b.Bool("is_decoder") {
			fail(CodeContradiction, b.at("is_decoder"), "is false but architectures names ReformerModelWithLMHead, which is a decoder")
		}
		b.reformerHead()
	},
	"ReformerForMaskedLM": func(b *Build) {
		if b.Bool("is_decoder") {
			fail(CodeContradiction, b.at("is_decoder"), "is true but architectures names ReformerForMaskedLM, which is an encoder")
		}
		b.reformerHead()
	},
	"ReformerModel": func(b *Build) { b.Output(b.reformer()) },
}})

// reformerHead is the model and its logits, whose weight is never tied: it is twice as wide as the embedding.
func (b *Build) reformerHead() {
	x := b.Scope("reformer").reformer()
	dim, vocab := 2*b.Size("hidden_size"), b.Size("vocab_size")
	n := b.Add("lmHead", "lm_head", Args{Int("embedDim", dim), Int("vocabSize", vocab), Flag("bias", true)}, x)
	b.Tensor("lm_head.decoder.weight", vocab, dim)
	b.Tensor("lm_head.bias", vocab)
	b.Output(n)
}

// reformer has two streams that are added to in turn, so that training can compute each from the other, and joins them at the end.
func (b *Build) reformer() Node {
	dim := b.Size("hidden_size")
	root := Build{Config: b.Config, state: b.state}
	x := b.Embedding(root.Tokens("input_ids", b.MaxPositions()), "embeddings.word_embeddings", b.Size("vocab_size"), dim)
	x = b.Scope("embeddings").reformerPositions(x, dim)
	kinds := b.Strs("attn_layers")
	left, right := x, x
	for i := range b.Or("num_hidden_layers", int64(len(kinds))) {
		m := b.Scope("encoder.layers.%d", i)
		left = m.Residual(left, m.Scope("attention").reformerAttention(right, dim, b.reformerKind(kinds, i)))
		h := m.LayerNorm(left, "feed_forward.layer_norm", dim, true)
		right = m.Residual(right, m.Scope("feed_forward").MLP(h, "dense.dense", "output.dense", dim, b.Size("feed_forward_size"), true, "hidden_act"))
	}
	return b.LayerNorm(b.beside(left, right), "encoder.layer_norm", 2*dim, true)
}

// reformerKind is the kind of a layer: the one that all have, or that of the list.
func (b *Build) reformerKind(kinds []string, i int64) string {
	for _, kind := range kinds {
		if kind != "local" && kind != "lsh" {
			fail(CodeConfig, b.at("attn_layers"), "has the kind %q but takes local and lsh", kind)
		}
	}
	switch {
	case len(kinds) == 0:
		fail(CodeConfig, b.at("attn_layers"), "is empty but takes local and lsh")
	case !slices.Contains(kinds, "local") || !slices.Contains(kinds, "lsh"):
		return kinds[0]
	case i >= int64(len(kinds)):
		fail(CodeContradiction, b.at("attn_layers"), "has %d entries but num_hidden_layers is %d", len(kinds), b.Int("num_hidden_layers"))
	}
	return kinds[i]
}

// reformerPositions adds a vector to each position: from one table, or from a table for each axis of a grid of positions.
func (b *Build) reformerPositions(x Node, dim int64) Node {
	if !b.Bool("axial_pos_embds") {
		return b.Positions(x, "position_embeddings.embedding", b.Size("max_position_embeddings"), dim)
	}
	grid, dims := b.Ints("axial_pos_shape"), b.Ints("axial_pos_embds_dim")
	if len(grid) != len(dims) {
		fail(CodeContradiction, b.at("axial_pos_shape"), "has %d axes but axial_pos_embds_dim has %d", len(grid), len(dims))
	}
	sum, weights := int64(0), []Tensor{}
	for i, d := range dims {
		shape := make([]int64, len(grid)+1)
		for j := range grid {
			shape[j] = 1
		}
		shape[i], shape[len(grid)] = grid[i], d
		weights = append(weights, T([]string{"weights.0", "weights.1", "weights.2", "weights.3"}[min(i, 3)], shape...))
		sum += d
	}
	if sum != dim || len(grid) > 4 {
		fail(CodeContradiction, b.at("axial_pos_embds_dim"), "the %d sizes add up to %d but hidden_size is %d", len(dims), sum, dim)
	}
	table := b.opaqueOf([]Node{x}, "position_embeddings", []int64{b.product(grid...), dim}, 0, weights...)
	return b.Residual(x, b.Add("slice", "", Args{Int("dim", 1), Int("end", b.positions())}, table))
}

// reformerAttention looks at its own chunk of the text and its neighbours, or, hashed, at the chunks of similar vectors.
func (b *Build) reformerAttention(x Node, dim int64, kind string) Node {
	heads, length := b.Size("num_attention_heads"), b.positions()
	wide, rounds, names := heads*b.Size("attention_head_size"), int64(1), []string{"query", "key", "value"}
	h, m := b.LayerNorm(x, "layer_norm", dim, true), b.Scope("self_attention")
	if kind == "lsh" {
		rounds, names = b.Size("num_hashes"), []string{"query_key", "value"}
	}
	var in []Node
	for _, name := range names {
		in = append(in, m.Linear(h, name, dim, wide, false))
	}
	seen := min(length, b.Size(kind+"_attn_chunk_length")*(1+b.Int(kind+"_num_chunks_before")+b.Int(kind+"_num_chunks_after")))
	y := m.unfollowed(in, "", []int64{length, wide}, b.product(4, rounds, length, max(seen, 0), wide))
	return b.Linear(y, "output.dense", wide, dim, false)
}
