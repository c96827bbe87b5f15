package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/build"
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var _ = family.Define(family.Family{Type: "rwkv", Default: "RwkvForCausalLM",
	Classes: stack.NamedClasses("RwkvForCausalLM", "RwkvModel", rwkv)})

// rwkv mixes each position with the one before it, then by a recurrence over decaying sums, then feature by feature.
func rwkv(b *Build) stack.Decoder {
	dim := b.Size("hidden_size")
	return stack.Decoder{Prefix: "rwkv", Embed: "embeddings", Layers: "blocks", Norm: "ln_out", Head: "head",
		FinalNorm: stack.LastLayerNorm,
		Layer: func(b *Build, x Node, i int64) Node {
			if i == 0 {
				x = b.LayerNorm(x, "pre_ln", dim, true)
			}
			x = b.Residual(x, timeMix(b.Scope("attention"), b.LayerNorm(x, "ln1", dim, true), dim,
				b.SizeOr("attention_hidden_size", dim)))
			return b.Residual(x, channelMix(b.Scope("feed_forward"), b.LayerNorm(x, "ln2", dim, true), dim,
				b.SizeOr("intermediate_size", 4*dim)))
		}}
}

// timeMix is one component of the catalogue where it is as wide as the model, else its parts.
func timeMix(b *Build, x Node, dim, wide int64) Node {
	names := []string{"key", "value", "receptance"}
	if wide == dim {
		n := b.Add("rwkvTimeMix", "", Args{build.Int("embedDim", dim)}, x)
		b.Tensor("time_decay", wide)
		b.Tensor("time_first", wide)
		for _, name := range names {
			b.Tensor("time_mix_"+name, 1, 1, dim)
			b.Weights(name, false, wide, dim)
		}
		b.Weights("output", false, dim, wide)
		return n
	}
	var parts []Node
	for _, name := range names {
		parts = append(parts, b.Linear(shifted(b, x, "time_mix_"+name, dim), name, dim, wide, false))
	}
	y := unfollowed(b, parts[:2], "", []int64{b.TextLength(), wide}, 0, build.T("time_decay", wide),
		build.T("time_first", wide))
	y = b.Add("multiply", "", nil, b.Add("sigmoid", "", nil, parts[2]), y)
	return b.Linear(y, "output", wide, dim, false)
}

func channelMix(b *Build, x Node, dim, wide int64) Node {
	y := b.Linear(shifted(b, x, "time_mix_key", dim), "key", dim, wide, false)
	y = b.Linear(b.Add("squaredRelu", "", nil, y), "value", wide, dim, false)
	gate := b.Linear(shifted(b, x, "time_mix_receptance", dim), "receptance", dim, dim, false)
	return b.Add("multiply", "", nil, b.Add("sigmoid", "", nil, gate), y)
}

// shifted mixes each position with the one before it, in shares that are trained for each feature.
func shifted(b *Build, x Node, name string, dim int64) Node {
	before := b.Add("pad", "time_shift", Args{build.Ints("padding", 0, 0, 1, -1)}, x)
	share := b.Add("parameter", name, Args{build.Ints("shape", 1, dim)}, x)
	b.Tensor(name, 1, 1, dim)
	return b.Residual(before, b.Add("multiply", "", nil, b.Add("subtract", "", nil, x, before), share))
}
