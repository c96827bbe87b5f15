package hf

var _ = define(Family{Type: "qwen3_next", Default: "Qwen3NextForCausalLM", Classes: headed("Qwen3Next", layered(qwen3Next), sequences, tokens, answers)})

// qwen3Next has the gated delta rule in three layers of four, gated attention in the fourth, and experts in all.
func qwen3Next(b *Build, x Node, i int64) Node {
	return b.qwenHybrid(x, i, func(m *Build, x Node, d delta) Node {
		qkvz := m.Linear(x, "in_proj_qkvz", d.dim, 2*d.key+2*d.value, false)
		ba := m.Linear(x, "in_proj_ba", d.dim, 2*d.heads, false)
		// Queries, keys, values and gates lie beside each other for each head of keys, and are copied to have those of all heads together.
		mixed := m.beside(m.Slice(qkvz, 0, 2*d.key+d.value))
		gate := m.beside(m.Slice(qkvz, 2*d.key+d.value, 2*d.key+2*d.value))
		return m.deltaRule(d, mixed, gate, m.Slice(ba, 0, d.heads), m.Slice(ba, d.heads, 2*d.heads))
	}, func(x Node) Node {
		return b.qwenFeed(x, i, "num_experts", func() Experts { return b.sharedExpert("num_experts") })
	})
}

// sharedExpert is a mixture with one expert that every token visits, scaled by a gate.
func (b *Build) sharedExpert(count string) Experts {
	e := b.routed(count, "moe_intermediate_size")
	e.Shared, e.SharedName, e.SharedGate = b.Size("shared_expert_intermediate_size"), "shared_expert", "shared_expert_gate"
	return e
}

// qwenHybrid is a layer of attention or of the delta rule, and a network.
func (b *Build) qwenHybrid(x Node, i int64, mix func(m *Build, x Node, d delta) Node, feed func(x Node) Node) Node {
	return b.PreNorm(x, b.Size("hidden_size"), func(x Node) Node {
		kind := b.perLayerText("layer_types", i, func(i int64) string {
			return either((i+1)%b.SizeOr("full_attention_interval", 4) == 0, full, "linear_attention")
		})
		if recurrent(kind) {
			return mix(b.Scope("linear_attn"), x, b.qwenDelta())
		}
		a := b.partly(b.rotary(0).biased(b.Bool("attention_bias")), "", 0.25, false)
		a.Norm = HeadRMS
		return b.Scope("self_attn").gatedAttention(x, a.filled())
	}, feed)
}

// gatedAttention has queries twice as wide: the other half decides how much of each feature passes. A bias, where given, is added
// to the scores.
func (b *Build) gatedAttention(x Node, a Attention, bias ...Node) Node {
	wide, kv := a.Heads*a.HeadDim, a.KV*a.HeadDim
	both := b.Unflatten(b.Linear(x, a.Q, a.Dim, 2*wide, a.Bias), a.Heads, 2*a.HeadDim)
	q, gate := b.Flat(b.Slice(both, 0, a.HeadDim)), b.Flat(b.Slice(both, a.HeadDim, 2*a.HeadDim))
	k, v := b.Linear(x, a.K, a.Dim, kv, a.Bias), b.Linear(x, a.V, a.Dim, kv, a.Bias)
	q, k = b.normHeads(q, a.QNorm, a.Heads, a), b.normHeads(k, a.KNorm, a.KV, a)
	if a.Rotary {
		q, k = b.turn(q, a.Heads, a), b.turn(k, a.KV, a)
	}
	y := b.Add("multiply", "", nil, b.Core(q, k, v, a.Heads, a.KV, a.Causal, bias...), b.Add("sigmoid", "", nil, gate))
	return b.Linear(y, a.O, wide, a.Dim, a.OutBias)
}

// delta is the gated delta rule: sizes of the model, of all keys, of all values, of one key and one value, and the heads of values.
type delta struct {
	dim, key, value, keyHead, valueHead, heads, kernel int64
	gate                                               string // key of the gate's activation: SiLU whatever the config says where empty
}

func (b *Build) qwenDelta() delta {
	d := delta{dim: b.Size("hidden_size"), keyHead: b.Size("linear_key_head_dim"), valueHead: b.Size("linear_value_head_dim"),
		heads: b.Size("linear_num_value_heads"), kernel: b.Size("linear_conv_kernel_dim")}
	d.key, d.value = d.keyHead*b.Size("linear_num_key_heads"), d.valueHead*d.heads
	return d
}

// deltaRule convolves queries, keys and values, and lets each head keep a matrix that forgets and corrects itself.
func (b *Build) deltaRule(d delta, mixed, gate, beta, decay Node) Node {
	length := b.positions()
	mixed = b.Activation(b.convolved(mixed, "conv1d", 2*d.key+d.value, d.kernel, false), "hidden_act")
	y := b.ruled(d, length, mixed, beta, decay)
	return b.Linear(b.normAndGate(y, gate, "norm", d), "out_proj", d.value, d.dim, false)
}

// normAndGate normalises each head as Llama does, and multiplies with a gate that is activated in 32 bits.
func (b *Build) normAndGate(y, gate Node, name string, d delta) Node {
	y = b.Add("qkNorm", name, Args{Int("headDim", d.valueHead)}, y)
	b.notWay(y, "wide")
	b.Tensor(name+".weight", d.valueHead)
	gate = b.mixAct(gate, d.gate)
	b.way(gate, "wide")
	return b.Add("multiply", "", nil, y, gate)
}

// ruled is the recurrence. Each head reads its matrix twice and writes it once, for every position.
func (b *Build) ruled(d delta, length int64, in ...Node) Node {
	n := b.opaqueOf(in, "", []int64{length, d.value}, b.product(6, length, d.heads, d.keyHead, d.valueHead), T("dt_bias", d.heads), T("A_log", d.heads))
	b.way(n, "chunks")
	return n
}
