package hf

var _ = define(Family{Type: "minimax", Default: "MiniMaxForCausalLM", Classes: headed("MiniMax", layered(miniMax), sequences, tokens, answers)})

// miniMax has experts, and in every second layer lightning attention. What its norms give is what is added to, too.
func miniMax(b *Build, x Node, i int64) Node {
	a := b.rotary(1e6).within(b.Or("sliding_window", 0)).filled()
	x = b.RMSNorm(x, "input_layernorm", a.Dim)
	var attended Node
	if b.kind("layer_types", i, either(i%2 == 0, full, "linear_attention")) == "linear_attention" {
		attended = b.Scope("self_attn").lightning(x, a)
	} else {
		attended = b.Attend(x, "self_attn", a)
	}
	x = b.RMSNorm(b.Residual(x, attended), "post_attention_layernorm", a.Dim)
	return b.Residual(x, b.Experts(x, "mlp", b.routed("num_local_experts", "intermediate_size")))
}

// lightning is attention without a softmax whose scores decay with the distance, block by block, behind a norm and a gate.
func (b *Build) lightning(x Node, a Attention) Node {
	wide, n := a.Heads*a.HeadDim, b.Length(b.MaxPositions())
	y := b.Activation(b.Linear(x, "qkv_proj", a.Dim, 3*wide, false), "hidden_act")
	y = b.Opaque(y, "decay", []int64{n, wide}, n)
	// Within a block each position meets each, and all meet the sum of the blocks before: two products of matrices for either.
	b.Set(y, "flops", Int("", 4*n*wide*(min(n, b.Size("block_size"))+a.HeadDim)).Value)
	y = b.RMSNorm(y, "norm", wide)
	gate := b.Add("sigmoid", "output_gate", nil, b.Linear(x, "output_gate", a.Dim, wide, false))
	return b.Linear(b.Add("multiply", "", nil, gate, y), "out_proj", wide, a.Dim, false)
}
