package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var _ = family.Define(family.Family{Type: "axk2", Default: "AXK2ForCausalLM",
	Classes: stack.HeadedClasses("AXK2", stack.Layered(axk2Layer), stack.SequenceClassification,
		stack.TokenClassification)})

// axk2Layer is that of DeepSeek-V3.2 with gated norms and a gated attention.
func axk2Layer(b *Build, x Node, i int64) Node {
	dim := b.Size("hidden_size")
	sparse := nn.PerLayerText(b, "mlp_layer_types", i, func(i int64) string {
		if i >= b.Or("first_k_dense_replace", 1) && i%b.SizeOr("moe_layer_freq", 1) == 0 {
			return "sparse"
		}
		return "dense"
	}) == "sparse"
	x = b.Residual(x, axk2Attention(b.Scope("self_attn"), gatedNorm(b, x, "input_layernorm", dim)))
	var h Node
	if sparse {
		h = gatedNorm(b, x, "post_attention_layernorm", dim)
	} else {
		h = b.RMSNorm(x, "post_attention_layernorm", dim)
	}
	return b.Residual(x, deepseekNetwork(b, h, sparse, false))
}

// gatedNorm is a norm scaled by a gate of low rank that is computed from its result.
func gatedNorm(b *Build, x Node, name string, dim int64) Node {
	m, rank := b.Scope("%s", name), b.Size("gated_norm_rank")
	y := m.RMSNorm(x, "norm", dim)
	gate := m.Linear(m.Add("silu", "mlp.activation_fn", nil, m.Linear(y, "mlp.fc1", dim, rank, false)), "mlp.fc2",
		rank, dim, false)
	return m.Add("multiply", "", nil, y, m.Add("sigmoid", "", nil, gate))
}

// axk2Attention makes queries and a gate of what the heads give by one projection of the queries' latent vector,
// before and behind its norm.
func axk2Attention(b *Build, x Node) Node {
	l := nn.LatentOf(b)
	if l.Q == 0 {
		b.Missing("q_lora_rank")
	}
	raw := b.Linear(x, "q_a_proj", l.Dim, l.Q, l.Bias)
	latent := b.RMSNorm(raw, "q_a_layernorm", l.Q)
	both := b.Linear(nn.Beside(b, latent, raw), "q_gate_proj", 2*l.Q, l.Heads*(l.Query+l.Value), false)
	both = b.Unflatten(both, l.Heads, l.Query+l.Value)
	q := nn.RotateTail(b, b.Flat(b.Slice(both, 0, l.Query)), l)
	gate := b.Add("sigmoid", "", nil, b.Flat(b.Slice(both, l.Query, l.Query+l.Value)))
	k, v := nn.LatentKeys(b, x, l)
	y := b.Core(q, k, v, l.Heads, l.Heads, true, nn.IndexMask(b, x, latent, l))
	return b.Linear(b.Add("multiply", "", nil, y, gate), "o_proj", l.Heads*l.Value, l.Dim, l.Bias)
}
