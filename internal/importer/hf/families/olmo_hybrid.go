package families

import (
	"slices"

	"github.com/modelverifier/verifier/internal/importer/hf/build"
	"github.com/modelverifier/verifier/internal/importer/hf/config"
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var _ = family.Define(family.Family{Type: "olmo_hybrid", Default: "OlmoHybridForCausalLM",
	Classes: stack.HeadedClasses("OlmoHybrid", olmoHybrid)})

// olmoHybrid has the gated delta rule behind a norm in most layers, and OLMo 2's layer, with its norms behind, in
// every fourth.
func olmoHybrid(b *Build) stack.Decoder {
	kinds := olmoKinds(b)
	if !slices.ContainsFunc(kinds, nn.Recurrent) ||
		!slices.ContainsFunc(kinds, func(k string) bool { return !nn.Recurrent(k) }) {
		config.Fail(config.CodeContradiction, b.At("layer_types"),
			"the %d layers of num_hidden_layers need one of linear_attention and one of attention at least", len(kinds))
	}
	return stack.Decoder{Layer: func(b *Build, x Node, i int64) Node {
		feed := func(x Node) Node { return nn.DecoderMLP(b, x, false) }
		if nn.Recurrent(kinds[i]) {
			return nn.PreNorm(b, x, b.Size("hidden_size"),
				func(x Node) Node { return olmoDelta(b.Scope("linear_attn"), x) }, feed)
		}
		a := nn.RotaryAttention(b, 0)
		a.Norm = nn.FullRMS
		if rope := b.Inner("rope_parameters"); rope.Null("rope_theta") {
			a.Rotary = false // an explicit null turns the positions off
		}
		return nn.Sandwich(b, x, nn.SandwichNorms{AfterAttention: "post_attention_layernorm",
			AfterFeed: "post_feedforward_layernorm"},
			func(x Node) Node { return nn.Attend(b, x, "self_attn", a) }, feed)
	}}
}

// olmoKinds are the kinds of the layers. The last of a few that would all be recurrent has attention.
func olmoKinds(b *Build) []string {
	n := b.Int("num_hidden_layers")
	kinds := make([]string, 0, min(max(n, 0), build.MaxComponents))
	for i := range int64(cap(kinds)) {
		kinds = append(kinds, nn.PerLayerText(b, "layer_types", i, func(i int64) string {
			return nn.Either(i%4 == 3 || n < 4 && i == n-1, nn.FullAttention, "linear_attention")
		}))
	}
	return kinds
}

// olmoDelta is the delta rule with one projection for each of its inputs.
func olmoDelta(b *Build, x Node) Node {
	keys := b.SizeOr("linear_num_key_heads", b.Size("num_attention_heads"))
	d := delta{dim: b.Size("hidden_size"), heads: b.SizeOr("linear_num_value_heads", b.Size("num_attention_heads")),
		kernel: b.Size("linear_conv_kernel_dim")}
	d.keyHead = b.SizeOr("linear_key_head_dim", int64(0.75*float64(d.dim)/float64(keys)))
	d.valueHead = b.SizeOr("linear_value_head_dim", 2*d.keyHead)
	d.key, d.value = keys*d.keyHead, d.heads*d.valueHead
	linear := func(name string, out int64) Node { return b.Linear(x, name, d.dim, out, false) }
	mixed := nn.Beside(b, linear("q_proj", d.key), linear("k_proj", d.key), linear("v_proj", d.value))
	mixed = b.Activation(nn.CausalConv1d(b, mixed, "conv1d", 2*d.key+d.value, d.kernel, false), "hidden_act")
	d.negative = b.Bool("linear_allow_neg_eigval")
	decay := linear("a_proj", d.heads)
	y := ruled(b, d, mixed, linear("b_proj", d.heads), decay)
	return b.Linear(normAndGate(b, y, linear("g_proj", d.value), "o_norm", d), "o_proj", d.value, d.dim, false)
}
