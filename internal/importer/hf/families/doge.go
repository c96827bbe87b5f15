package families

import (
	"math"

	"github.com/modelverifier/verifier/internal/importer/hf/build"
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
	"github.com/modelverifier/verifier/internal/transformers"
)

var _ = family.Define(family.Family{Type: "doge", Default: "DogeForCausalLM",
	Classes: stack.HeadedClasses("Doge", stack.Layered(dogeLayer), stack.SequenceClassification)})

// dogeLayer scales what goes round each branch by trained factors.
func dogeLayer(b *Build, x Node, _ int64) Node {
	dim := b.Size("hidden_size")
	around := func(x Node, name string) Node {
		x = b.Add("layerScale", name, Args{build.Int("dim", dim)}, x)
		b.Tensor(name, dim)
		return x
	}
	y := dogeAttention(b.Scope("self_attn"), b.RMSNorm(x, "input_layernorm", dim))
	x = b.Residual(around(x, "input_residual"), y)
	y = dogeNetwork(b, b.RMSNorm(x, "post_attention_layernorm", dim))
	return b.Residual(around(x, "post_attention_residual"), y)
}

// dogeAttention computes from the values, for each head of keys, how much every position counts, and adds it to the
// scores.
func dogeAttention(b *Build, x Node) Node {
	a := nn.RotaryAttention(b, 0).Filled()
	a.Norm = nn.HeadRMS
	q, k, v := nn.Project(b, x, a)
	q, k = nn.NormHeads(b, q, a.QNorm, a.Heads, a), nn.NormHeads(b, k, a.KNorm, a.KV, a)
	q, k = nn.Rotate(b, q, a.HeadDim, a.Base), nn.Rotate(b, k, a.HeadDim, a.Base)
	dt := b.Add("softplus", "", nil, b.Linear(v, "dt_proj", a.KV*a.HeadDim, a.KV, a.Bias))
	dt = b.Add("layerScale", "A", Args{build.Int("dim", a.KV)}, dt)
	b.Tensor("A", a.KV)
	mask := b.Swap(b.Add("exp", "", nil, dt))
	mask = b.Add("unsqueeze", "", Args{build.Int("dim", 2)}, mask) // (heads, 1, keys): the same for every query
	if a.Heads != a.KV {
		mask = b.Add("repeat", "", Args{build.Ints("repeats", a.Heads/a.KV, 1, 1)}, mask)
	}
	y := b.Core(q, k, v, a.Heads, a.KV, true, mask)
	// nothing copies the mask, which lies with the heads last
	if a.Heads == a.KV && b.TextLength() <= b.Size("keep_window_size") {
		build.Written(b, y, func(m *transformers.Attention) { m.Strided = true })
	}
	return b.Linear(y, a.O, a.Heads*a.HeadDim, a.Dim, a.OutBias)
}

// dogeNetwork is a gated network; with is_moe, experts of one hidden feature each are added, found by products of two
// keys.
func dogeNetwork(b *Build, x Node) Node {
	g := nn.DefaultGated(b, b.Bool("mlp_bias"))
	y := nn.GatedMLP(b, x, "mlp", g)
	if !b.Bool("is_moe") {
		return y
	}
	count, top, length, m := b.Size("num_experts"), b.Size("num_experts_per_tok"), b.TextLength(), b.Scope("mlp")
	keys := int64(math.Sqrt(float64(count)))
	experts := m.Opaque(x, "", []int64{length, g.Dim}, length, build.T("router_gate.weight", 2*keys, g.Dim),
		build.T("down_embed.weight", count, g.Dim), build.T("up_embed.weight", count, g.Dim))
	// of the experts only those that a token visits
	m.Set(experts, "flops", build.Int("", build.Product(m, 2, length, g.Dim, 2*keys+2*top)).Value)
	return m.Residual(y, experts)
}
