package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/build"
	"github.com/modelverifier/verifier/internal/importer/hf/config"
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var (
	_ = family.Define(family.Family{Type: "mamba", Default: "MambaForCausalLM",
		Classes: stack.NamedClasses("MambaForCausalLM", "MambaModel", mamba)})
	_ = family.Define(family.Family{Type: "falcon_mamba", Default: "FalconMambaForCausalLM",
		Classes: stack.NamedClasses("FalconMambaForCausalLM", "FalconMambaModel", falconMamba)})
	_ = family.Define(family.Family{Type: "mamba2", Default: "Mamba2ForCausalLM",
		Classes: stack.NamedClasses("Mamba2ForCausalLM", "Mamba2Model", mamba2)})
)

// backbone is a model of nothing but mixers, each behind a norm.
func backbone(mix func(b *Build, x Node) Node) stack.Decoder {
	return stack.Decoder{Prefix: "backbone", Embed: "embeddings", Norm: "norm_f",
		Layer: func(b *Build, x Node, _ int64) Node {
			return b.Residual(x, mix(b, b.RMSNorm(x, "norm", b.Size("hidden_size"))))
		}}
}

// mamba has selective mixers. intermediate_size, where it is given, stands for expand.
func mamba(*Build) stack.Decoder {
	return backbone(func(b *Build, x Node) Node { return nn.Mamba(b, x, "mixer", selective(b)) })
}

// falconMamba also normalises the steps and the matrices of the state, without weights.
func falconMamba(*Build) stack.Decoder {
	return backbone(func(b *Build, x Node) Node {
		s := selective(b)
		s.Norm = func(m *Build, x Node, name string, dim int64) Node {
			return m.Add("rmsNorm", name, Args{build.Ints("normalizedShape", dim),
				build.Flag("elementwiseAffine", false)}, x)
		}
		return nn.Mamba(b, x, "mixer", s)
	})
}

func selective(b *Build) nn.MambaSizes {
	inner := b.SizeOr("intermediate_size", nn.Expanded(b, "hidden_size", "expand"))
	return nn.MambaSizes{Dim: b.Size("hidden_size"), Inner: inner, State: b.Size("state_size"),
		Rank: nn.RankOf(b, "time_step_rank"), Kernel: b.Size("conv_kernel"),
		Bias: b.Bool("use_bias"), ConvBias: b.Bool("use_conv_bias"), Act: "hidden_act"}
}

// mamba2 has structured mixers.
func mamba2(b *Build) stack.Decoder {
	dim, inner := b.Size("hidden_size"), nn.Expanded(b, "hidden_size", "expand")
	heads, head := b.Size("num_heads"), b.Size("head_dim")
	if inner != heads*head {
		config.Fail(config.CodeContradiction, b.At("num_heads"),
			"num_heads * head_dim is %d but hidden_size * expand is %d", heads*head, inner)
	}
	return backbone(func(b *Build, x Node) Node {
		bias := b.Bool("use_bias")
		return nn.Mamba2(b, x, "mixer", nn.Mamba2Sizes{Dim: dim, Inner: inner, Heads: heads, Head: head,
			State: b.Size("state_size"), Groups: b.Size("n_groups"),
			Kernel: b.Size("conv_kernel"), Bias: bias, OutBias: bias, ConvBias: b.Bool("use_conv_bias"),
			Act: "hidden_act"})
	})
}
