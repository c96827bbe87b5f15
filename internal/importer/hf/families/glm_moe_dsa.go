package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/config"
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var _ = family.Define(family.Family{Type: "glm_moe_dsa", Default: "GlmMoeDsaForCausalLM",
	Classes: stack.HeadedClasses("GlmMoeDsa", glmMoeDsa)})

// glmMoeDsa is DeepSeek-V3.2, but a layer may see what an earlier one has chosen.
func glmMoeDsa(b *Build) stack.Decoder {
	mask := Node(-1)
	return stack.Decoder{Dim: b.Size("hidden_size"), Layer: func(b *Build, x Node, i int64) Node {
		own := nn.PerLayerText(b, "indexer_types", i, func(i int64) string { return glmIndexer(b, i) }) != "shared"
		if !own && mask < 0 {
			config.Fail(config.CodeContradiction, b.At("indexer_types"),
				"layer %d shares what an earlier layer has chosen, but none has", i)
		}
		return nn.PreNorm(b, x, b.Size("hidden_size"),
			func(x Node) Node { return nn.AttendIndexed(b, x, own, &mask) },
			func(x Node) Node {
				return deepseekNetwork(b, x, nn.IsSparse(b, i, b.Int("first_k_dense_replace")), false)
			})
	}}
}

// glmIndexer is what the older keys say of a layer.
func glmIndexer(b *Build, i int64) string {
	if b.Has("index_topk_pattern") {
		if letters, ok := b.Value("index_topk_pattern").(string); ok && i < int64(len(letters)) && letters[i] == 'S' {
			return "shared"
		} else if !ok {
			return nn.PerLayerText(b, "index_topk_pattern", i, nil)
		}
		return "full"
	}
	if max(i-b.Or("index_skip_topk_offset", 2)+1, 0)%max(b.Or("index_topk_freq", 1), 1) == 0 {
		return "full"
	}
	return "shared"
}
