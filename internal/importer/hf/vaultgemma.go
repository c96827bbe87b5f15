package hf

var _ = define(Family{Type: "vaultgemma", Default: "VaultGemmaForCausalLM", Classes: headed("VaultGemma", vaultgemma)})

// vaultgemma is Gemma 2 without the norms behind the branches.
func vaultgemma(b *Build) Decoder {
	b.divides("hidden_size", "num_attention_heads")
	return layered(func(b *Build, x Node, i int64) Node {
		return b.gemmaLayer(x, norms{beforeAttention: "input_layernorm", beforeFeed: "pre_feedforward_layernorm"}, func(a *Attention) {
			if b.slides(i, 2) {
				a.Window = b.windowOf(sliding)
			}
		})
	})(b)
}
