package hf

var _ = define(Family{Type: "ernie4_5_moe", Default: "Ernie4_5_MoeForCausalLM", Classes: headed("Ernie4_5_Moe", ernieMoe)})

// ernieMoe has experts in each moe_layer_interval-th layer of a range.
func ernieMoe(b *Build) Decoder {
	return Decoder{Dim: b.Size("hidden_size"), HeadBias: b.Bool("use_bias"), Layer: func(b *Build, x Node, i int64) Node {
		return b.PreNorm(x, b.Size("hidden_size"), b.ernieAttention, func(x Node) Node { return b.ernieNetwork(x, i) })
	}}
}

func (b *Build) ernieNetwork(x Node, i int64) Node {
	last := b.Int("moe_layer_end_index")
	if last == -1 {
		last = b.Int("num_hidden_layers") - 1
	}
	g := b.network(b.Bool("use_bias"))
	if (i+1)%b.Size("moe_layer_interval") != 0 || i < b.Int("moe_layer_start_index") || i > last {
		return b.Gated(x, "mlp", g)
	}
	e := Experts{Dim: g.Dim, Count: b.Size("moe_num_experts"), TopK: b.Size("moe_k"), Hidden: b.Size("moe_intermediate_size"),
		ScoreBias: "gate.moe_statics.e_score_correction_bias", ScoreAxes: []int64{1, b.Size("moe_num_experts")}}
	if b.Int("moe_num_shared_experts") <= 0 {
		return b.Experts(x, "mlp", e)
	}
	g.Hidden = e.Hidden * b.Int("moe_num_shared_experts")
	return b.mixture(x, e, g)
}
