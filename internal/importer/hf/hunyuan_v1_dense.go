package hf

var (
	_ = define(Family{Type: "hunyuan_v1_dense", Default: "HunYuanDenseV1ForCausalLM", Classes: headed("HunYuanDenseV1", layered(hunyuanDense), sequences)})
	_ = define(Family{Type: "hunyuan_v1_moe", Default: "HunYuanMoEV1ForCausalLM", Classes: headed("HunYuanMoEV1", layered(hunyuanMoE), sequences)})
)

// hunyuanDense is qwen3 with other names.
func hunyuanDense(b *Build, x Node, _ int64) Node { return b.windowed(x, b.hunyuanAttention()) }

// hunyuanMoE has experts as wide as the network that every token visits.
func hunyuanMoE(b *Build, x Node, i int64) Node {
	a := b.hunyuanAttention()
	return b.PreNorm(x, a.Dim,
		func(x Node) Node { return b.Attend(x, "self_attn", a) },
		func(x Node) Node {
			wide := b.Size("intermediate_size")
			return b.Experts(x, "mlp", Experts{Dim: a.Dim, Count: b.each("num_experts", i), TopK: b.each("moe_topk", i), Hidden: wide,
				Router: "gate.wg", Shared: wide, SharedName: "shared_mlp"})
		})
}

func (b *Build) hunyuanAttention() Attention {
	a := b.rotary(0).biased(b.Bool("attention_bias"))
	a.HeadDim = b.Size("head_dim") // the class derives none
	a.Norm, a.QNorm, a.KNorm = HeadRMS, "query_layernorm", "key_layernorm"
	return a
}

// each is a number for all layers, or the entry of one.
func (b *Build) each(key string, i int64) int64 {
	if _, ok := b.value(key).([]any); !ok {
		return b.Size(key)
	}
	all := b.Ints(key)
	if int64(len(all)) <= i {
		fail(CodeContradiction, b.at(key), "has %d entries but num_hidden_layers is %d", len(all), b.Int("num_hidden_layers"))
	}
	return all[i]
}
