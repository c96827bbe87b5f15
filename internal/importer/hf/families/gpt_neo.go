package families

import (
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/importer/hf/build"
	"github.com/modelverifier/verifier/internal/importer/hf/config"
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
	"github.com/modelverifier/verifier/internal/transformers"
)

var _ = family.Define(family.Family{Type: "gpt_neo", Default: "GPTNeoForCausalLM",
	Classes: stack.NamedClasses("GPTNeoForCausalLM", "GPTNeoModel", gptNeo, stack.GPTHeads("GPTNeo")...)})

// gptNeo has layers that see everything and layers that see a window, in turns.
func gptNeo(b *Build) stack.Decoder {
	b.Divides("hidden_size", "num_heads")
	dim, kinds := b.Size("hidden_size"), neoKinds(b)
	if n := b.Int("num_layers"); int64(len(kinds)) != n {
		config.Fail(config.CodeContradiction, b.At("attention_types"), "describes %d layers but num_layers is %d",
			len(kinds), n)
	}
	return stack.Decoder{Prefix: "transformer", Embed: "wte", Layers: "h", Norm: "ln_f",
		FinalNorm: stack.LastLayerNorm, Count: b.Int("num_layers"),
		Embedded: func(b *Build, x Node) Node { return b.Positions(x, "wpe", b.Size("max_position_embeddings"), dim) },
		Layer: func(b *Build, x Node, i int64) Node {
			b.As(b.Constant(x, "attn.attention.bias", b.Size("max_position_embeddings"),
				b.Size("max_position_embeddings")), transformers.Tensor{Flags: true}) // who sees whom
			a := nn.Attention{Dim: dim, Heads: b.Size("num_heads"), OutBias: true, Causal: true, O: "out_proj"}
			if kinds[i] == "local" {
				a.Window = b.Size("window_size")
			}
			x = b.Residual(x, nn.Attend(b, b.LayerNorm(x, "ln_1", dim, true), "attn.attention", a))
			h := b.LayerNorm(x, "ln_2", dim, true)
			return b.Residual(x, nn.MLP(b.Scope("mlp"), h, "c_fc", "c_proj", dim, b.SizeOr("intermediate_size", 4*dim),
				true, "activation_function"))
		}}
}

// neoKinds writes attention_types out: a list of pairs of kinds and how often they are repeated.
func neoKinds(b *Build) (kinds []string) {
	const key = "attention_types"
	wrong := func() {
		config.Fail(graph.CodeType, b.At(key), "takes pairs of a list of global and local, and a number")
	}
	pairs := b.List(key)
	if !b.Has(key) {
		return repeated(nil, []string{"global", "local"}, 12)
	}
	for _, p := range pairs {
		pair, ok := p.([]any)
		if !ok || len(pair) != 2 {
			wrong()
		}
		names, ok := pair[0].([]any)
		if !ok {
			wrong()
		}
		var one []string
		for _, v := range names {
			name, ok := v.(string)
			if !ok || name != "global" && name != "local" {
				wrong()
			}
			one = append(one, name)
		}
		kinds = repeated(kinds, one, b.Integer(key, pair[1]))
	}
	return kinds
}

// repeated appends the same names often, but no more than a model has layers.
func repeated(kinds, names []string, often int64) []string {
	for range often {
		if len(kinds) > build.MaxComponents || len(names) == 0 {
			break
		}
		kinds = append(kinds, names...)
	}
	return kinds
}
