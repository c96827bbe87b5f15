package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var _ = family.Define(family.Family{Type: "opt", Default: "OPTForCausalLM",
	Classes: stack.NamedClasses("OPTForCausalLM", "OPTModel", opt,
		stack.ScoreHead("OPTForSequenceClassification"), stack.AnswerHead("OPTForQuestionAnswering"))})

// opt has learned positions with two unused rows, and tokens that may be narrower than the layers.
func opt(b *Build) stack.Decoder {
	b.Divides("hidden_size", "num_attention_heads")
	dim := b.Size("hidden_size")
	word := b.SizeOr("word_embed_proj_dim", dim)
	return stack.Decoder{Embed: "decoder.embed_tokens", Layers: "decoder.layers", Norm: "decoder.final_layer_norm",
		Dim: word,
		Embedded: func(b *Build, x Node) Node {
			if word != dim {
				x = b.Linear(x, "decoder.project_in", word, dim, false)
			}
			return b.Positions(x, "decoder.embed_positions", b.Size("max_position_embeddings")+2, dim)
		},
		Layer: func(b *Build, x Node, _ int64) Node { return optLayer(b, x, dim) },
		FinalNorm: func(b *Build, x Node, name string, _ int64) Node {
			if b.Bool("do_layer_norm_before") && !b.Bool("_remove_final_layer_norm") {
				x = optNorm(b, x, name, dim)
			}
			if word != dim {
				x = b.Linear(x, "decoder.project_out", dim, word, false)
			}
			return x
		}}
}

// optLayer has its norms before attention and network, or behind the sums.
func optLayer(b *Build, x Node, dim int64) Node {
	bias, before := b.Bool("enable_bias"), b.Bool("do_layer_norm_before")
	around := func(x Node, name string, part func(x Node) Node) Node {
		if before {
			return b.Residual(x, part(optNorm(b, x, name, dim)))
		}
		return optNorm(b, b.Residual(x, part(x)), name, dim)
	}
	x = around(x, "self_attn_layer_norm", func(x Node) Node {
		return nn.Attend(b, x, "self_attn", nn.Attention{Dim: dim, Heads: b.Size("num_attention_heads"), Bias: bias,
			OutBias: bias, Causal: true, O: "out_proj"})
	})
	return around(x, "final_layer_norm", func(x Node) Node {
		return nn.MLP(b, x, "fc1", "fc2", dim, b.Size("ffn_dim"), bias, "activation_function")
	})
}

func optNorm(b *Build, x Node, name string, dim int64) Node {
	if !b.Bool("layer_norm_elementwise_affine") {
		return nn.PlainNorm(b, x, name, dim)
	}
	return b.LayerNorm(x, name, dim, true)
}
