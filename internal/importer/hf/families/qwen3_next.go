package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/build"
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
	"github.com/modelverifier/verifier/internal/transformers"
)

var _ = family.Define(family.Family{Type: "qwen3_next", Default: "Qwen3NextForCausalLM",
	Classes: stack.HeadedClasses("Qwen3Next", stack.Layered(qwen3Next), stack.SequenceClassification,
		stack.TokenClassification, stack.QuestionAnswering)})

// qwen3Next has the gated delta rule in three layers of four, gated attention in the fourth, and experts in all.
func qwen3Next(b *Build, x Node, i int64) Node {
	return qwenHybrid(b, x, i, func(m *Build, x Node, d delta) Node {
		qkvz := m.Linear(x, "in_proj_qkvz", d.dim, 2*d.key+2*d.value, false)
		ba := m.Linear(x, "in_proj_ba", d.dim, 2*d.heads, false)
		// Queries, keys, values and gates lie beside each other for each head of keys, and are copied to have those
		// of all heads together.
		mixed := nn.Beside(m, m.Slice(qkvz, 0, 2*d.key+d.value))
		gate := nn.Beside(m, m.Slice(qkvz, 2*d.key+d.value, 2*d.key+2*d.value))
		return deltaRule(m, d, mixed, gate, m.Slice(ba, 0, d.heads), m.Slice(ba, d.heads, 2*d.heads))
	}, func(x Node) Node {
		return qwenFeed(b, x, i, "num_experts", func() nn.Experts { return sharedExpert(b, "num_experts") })
	})
}

// sharedExpert is a mixture with one expert that every token visits, scaled by a gate.
func sharedExpert(b *Build, count string) nn.Experts {
	e := nn.Routed(b, count, "moe_intermediate_size")
	e.Shared, e.SharedName, e.SharedGate = b.Size("shared_expert_intermediate_size"), "shared_expert",
		"shared_expert_gate"
	return e
}

// qwenHybrid is a layer of attention or of the delta rule, and a network.
func qwenHybrid(b *Build, x Node, i int64, mix func(m *Build, x Node, d delta) Node, feed func(x Node) Node) Node {
	return nn.PreNorm(b, x, b.Size("hidden_size"), func(x Node) Node {
		kind := nn.PerLayerText(b, "layer_types", i, func(i int64) string {
			return nn.Either((i+1)%b.SizeOr("full_attention_interval", 4) == 0, nn.FullAttention, "linear_attention")
		})
		if nn.Recurrent(kind) {
			return mix(b.Scope("linear_attn"), x, qwenDelta(b))
		}
		a := nn.PartlyRotary(b, nn.Rotary(b, 0).Biased(b.Bool("attention_bias")), "", 0.25, false)
		a.Norm = nn.HeadRMS
		return gatedAttention(b.Scope("self_attn"), x, a.Filled())
	}, feed)
}

// gatedAttention has a query projection of twice the size: the other half is a sigmoid gate on the result. A bias, where
// given, is added to the scores.
func gatedAttention(b *Build, x Node, a nn.Attention, bias ...Node) Node {
	wide, kv := a.Heads*a.HeadDim, a.KV*a.HeadDim
	both := b.Unflatten(b.Linear(x, a.Q, a.Dim, 2*wide, a.Bias), a.Heads, 2*a.HeadDim)
	q, gate := b.Flat(b.Slice(both, 0, a.HeadDim)), b.Flat(b.Slice(both, a.HeadDim, 2*a.HeadDim))
	k, v := b.Linear(x, a.K, a.Dim, kv, a.Bias), b.Linear(x, a.V, a.Dim, kv, a.Bias)
	q, k = nn.NormHeads(b, q, a.QNorm, a.Heads, a), nn.NormHeads(b, k, a.KNorm, a.KV, a)
	if a.Rotary {
		q, k = nn.RotateHeads(b, q, a.Heads, a), nn.RotateHeads(b, k, a.KV, a)
	}
	y := b.Add("multiply", "", nil, b.Core(q, k, v, a.Heads, a.KV, a.Causal, bias...), b.Add("sigmoid", "", nil, gate))
	return b.Linear(y, a.O, wide, a.Dim, a.OutBias)
}

// delta is the gated delta rule: sizes of the model, of all keys, of all values, of one key and one value, and the
// heads of values.
type delta struct {
	dim, key, value, keyHead, valueHead, heads, kernel int64
	// key of the gate's activation: SiLU whatever the config says where empty
	gate string
	// the share by which a matrix is changed goes up to 2
	negative bool
}

func qwenDelta(b *Build) delta {
	d := delta{dim: b.Size("hidden_size"), keyHead: b.Size("linear_key_head_dim"),
		valueHead: b.Size("linear_value_head_dim"),
		heads:     b.Size("linear_num_value_heads"), kernel: b.Size("linear_conv_kernel_dim")}
	d.key, d.value = d.keyHead*b.Size("linear_num_key_heads"), d.valueHead*d.heads
	return d
}

// deltaRule convolves queries, keys and values, and lets each head keep a matrix that forgets and corrects itself.
func deltaRule(b *Build, d delta, mixed, gate, beta, decay Node) Node {
	mixed = b.Activation(nn.CausalConv1d(b, mixed, "conv1d", 2*d.key+d.value, d.kernel, false), "hidden_act")
	y := ruled(b, d, mixed, beta, decay)
	return b.Linear(normAndGate(b, y, gate, "norm", d), "out_proj", d.value, d.dim, false)
}

// normAndGate normalises each head as Llama does, and multiplies with a gate that is activated in 32 bits.
func normAndGate(b *Build, y, gate Node, name string, d delta) Node {
	y = b.Add("qkNorm", name, Args{build.Int("headDim", d.valueHead)}, y)
	b.As(y, transformers.RMSNorm{})
	b.Tensor(name+".weight", d.valueHead)
	gate = nn.MixAct(b, gate, d.gate)
	build.Written(b, gate, func(m *transformers.Activation) { m.Wide = true })
	return b.Add("multiply", "", nil, y, gate)
}

// ruled is the recurrence over queries, keys and values beside each other, and what decides share and fading.
func ruled(b *Build, d delta, in ...Node) Node {
	args := Args{build.Int("numHeads", d.heads), build.Int("headDim", d.keyHead)}
	if d.key != d.heads*d.keyHead {
		args = append(args, build.Int("numKeyHeads", d.key/d.keyHead))
	}
	if d.valueHead != d.keyHead {
		args = append(args, build.Int("valueDim", d.valueHead))
	}
	if d.negative {
		args = append(args, build.Flag("allowNegEigval", true))
	}
	n := b.Add("gatedDeltaRule", "", args, in...)
	b.Tensor("dt_bias", d.heads)
	b.Tensor("A_log", d.heads)
	b.As(n, transformers.DeltaRule{})
	return n
}
