package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/build"
	"github.com/modelverifier/verifier/internal/importer/hf/config"
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var _ = family.Define(family.Family{Type: "nemotron_h", Default: "NemotronHForCausalLM",
	Classes: stack.NamedClasses("NemotronHForCausalLM", "NemotronHModel", nemotronH)})

// nemotronH has one part in each layer: the mixer of Mamba 2, attention without positions, a plain network, or experts.
func nemotronH(b *Build) stack.Decoder {
	kinds := nemotronKinds(b)
	return stack.Decoder{Embed: "embeddings", Norm: "norm_f", Untied: true, Count: int64(len(kinds)),
		Layer: func(b *Build, x Node, i int64) Node {
			h := b.RMSNorm(x, "norm", b.Size("hidden_size"))
			return b.Residual(x, nemotronPart(b.Scope("mixer"), h, kinds[i]))
		}}
}

// nemotronKinds are the kinds of the layers, from a list or from the older text of one letter each.
func nemotronKinds(b *Build) []string {
	if b.Has("layers_block_type") {
		return namedLayers(b, "layers_block_type")
	}
	if !b.Given("hybrid_override_pattern") {
		return []string{"linear_attention", "moe", "full_attention", "mlp"}
	}
	var kinds []string
	letters := map[rune]string{'M': "linear_attention", 'E': "moe", '*': "full_attention", '-': "mlp"}
	for _, letter := range b.Str("hybrid_override_pattern") {
		if letters[letter] == "" {
			config.Fail(config.CodeConfig, b.At("hybrid_override_pattern"),
				"has the letter %q but takes M, E, * and -", letter)
		}
		kinds = append(kinds, letters[letter])
	}
	if len(kinds) == 0 {
		config.Fail(config.CodeConfig, b.At("hybrid_override_pattern"), "is empty but has a letter for every layer")
	}
	return kinds
}

func nemotronPart(b *Build, x Node, kind string) Node {
	dim := b.Size("hidden_size")
	plain := func(m *Build, x Node, wide int64) Node {
		return nn.MLP(m, x, "up_proj", "down_proj", dim, wide, b.Bool("mlp_bias"), "mlp_hidden_act")
	}
	switch {
	case nn.Recurrent(kind):
		return nn.Mamba2(b, x, "", nemotronMixer(b, dim))
	case kind == "full_attention" || kind == "attention":
		return nn.Attend(b, x, "", nn.Attention{Dim: dim, Heads: b.Size("num_attention_heads"), KV: b.KVHeads(),
			HeadDim: b.HeadDim(), Causal: true})
	case kind == "mlp":
		return plain(b, x, b.Size("intermediate_size"))
	case kind == "moe":
		wide := b.SizeOr("moe_shared_expert_intermediate_size", b.Size("intermediate_size"))
		return b.Residual(nemotronExperts(b, x, dim), plain(b.Scope("shared_experts"), x, wide))
	}
	config.Fail(config.CodeConfig, b.At("layers_block_type"),
		"has the kind %q but takes linear_attention, full_attention, mlp and moe", kind)
	return x
}

// nemotronSize reads a size that has an older name.
func nemotronSize(b *Build, old, key string) int64 { return b.SizeOr(old, b.Size(key)) }

func nemotronMixer(b *Build, dim int64) nn.Mamba2Sizes {
	heads, head, bias := b.Size("mamba_num_heads"), b.Size("mamba_head_dim"), b.Bool("use_bias")
	s := nn.Mamba2Sizes{Dim: dim, Inner: heads * head, Heads: heads, Head: head, State: b.Size("ssm_state_size"),
		Groups: nemotronSize(b, "mamba_n_groups", "n_groups"),
		Kernel: nemotronSize(b, "mamba_d_conv", "conv_kernel"), Bias: bias, OutBias: bias,
		ConvBias: b.Bool("use_conv_bias"), Act: "mamba_hidden_act"}
	if b.Given("mamba_conv_bias") {
		s.ConvBias = b.Bool("mamba_conv_bias")
	}
	return s
}

// nemotronExperts are plain experts, which may work on fewer features than the model has; the router sees all of those.
func nemotronExperts(b *Build, x Node, dim int64) Node {
	e := nn.Routed(b, "n_routed_experts", "moe_intermediate_size")
	e.Plain = true
	if !b.Has("moe_latent_size") {
		return nn.AddExperts(b, x, "", e)
	}
	latent, bias, length := b.Size("moe_latent_size"), b.Bool("mlp_bias"), b.TextLength()
	scores := b.Linear(x, "gate", dim, e.Count, false)
	h := b.Linear(x, "fc1_latent_proj", dim, latent, bias)
	h = unfollowed(b, []Node{h, scores}, "experts", []int64{length, latent},
		build.Product(b, 4, length, e.TopK, latent, e.Hidden),
		build.T("up_proj", e.Count, e.Hidden, latent), build.T("down_proj", e.Count, latent, e.Hidden))
	return b.Linear(h, "fc2_latent_proj", latent, dim, bias)
}
