package hf

var _ = define(Family{Type: "glm_moe_dsa", Default: "GlmMoeDsaForCausalLM", Classes: headed("GlmMoeDsa", glmMoeDsa)})

// glmMoeDsa is DeepSeek-V3.2, but a layer may see what an earlier one has chosen.
func glmMoeDsa(b *Build) Decoder {
	mask := Node(-1)
	return Decoder{Dim: b.Size("hidden_size"), Layer: func(b *Build, x Node, i int64) Node {
		own := b.perLayerText("indexer_types", i, b.glmIndexer) != "shared"
		if !own && mask < 0 {
			fail(CodeContradiction, b.at("indexer_types"), "layer %d shares what an earlier layer has chosen, but none has", i)
		}
		return b.PreNorm(x, b.Size("hidden_size"),
			func(x Node) Node { return b.attendIndexed(x, own, &mask) },
			func(x Node) Node { return b.deepseekNetwork(x, b.sparse(i, b.Int("first_k_dense_replace")), false) })
	}}
}

// glmIndexer is what the older keys say of a layer.
func (b *Build) glmIndexer(i int64) string {
	if b.Has("index_topk_pattern") {
		if letters, ok := b.value("index_topk_pattern").(string); ok && i < int64(len(letters)) && letters[i] == 'S' {
			return "shared"
		} else if !ok {
			return b.perLayerText("index_topk_pattern", i, nil)
		}
		return "full"
	}
	if max(i-b.Or("index_skip_topk_offset", 2)+1, 0)%max(b.Or("index_topk_freq", 1), 1) == 0 {
		return "full"
	}
	return "shared"
}
