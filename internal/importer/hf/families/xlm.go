package families

import (
	"fmt"

	"github.com/modelverifier/verifier/internal/importer/hf/config"
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var _ = family.Define(family.Family{Type: "xlm", Default: "XLMWithLMHeadModel", Classes: xlms("XLM", false)})

// xlms are the classes of XLM and FlauBERT.
func xlms(name string, mayNormFirst bool) map[string]func(*Build) {
	e := stack.Encoder{Prefix: "transformer",
		Model: func(b *Build) (Node, Node) { return xlm(b, mayNormFirst && b.Bool("pre_norm")) }, Words: xlmWords,
		Width: "emb_dim"}
	return map[string]func(*Build){
		name + "WithLMHeadModel":            e.BuildWords,
		name + "Model":                      e.BuildBare,
		name + "ForTokenClassification":     func(b *Build) { e.BuildEach(b, "classifier") },
		name + "ForQuestionAnsweringSimple": func(b *Build) { e.BuildEach(b, "qa_outputs") },
	}
}

// xlm is BERT with vectors for languages instead of segments.
func xlm(b *Build, pre bool) (x, table Node) {
	dim, heads := b.Size("emb_dim"), b.Size("n_heads")
	switch {
	case !b.Bool("is_encoder"):
		config.Fail(config.CodeConfig, b.At("is_encoder"), "is false, but only encoders exist")
	case dim%heads != 0:
		config.Fail(config.CodeContradiction, b.At("n_heads"), "is %d, which does not divide emb_dim, %d", heads, dim)
	}
	table = tokens(b, b.MaxPositions(), "embeddings", dim)
	x = b.Positions(table, "position_embeddings", b.Size("max_position_embeddings"), dim)
	if n := b.Int("n_langs"); n > 1 && b.Bool("use_lang_emb") {
		x = nn.Segments(b, x, "lang_embeddings", n, dim)
	}
	x = b.Drop(b.LayerNorm(x, "layer_norm_emb", dim, true), "dropout")
	a := nn.Attention{Dim: dim, Heads: heads, Bias: true, OutBias: true, Causal: b.Bool("causal"), Q: "q_lin",
		K: "k_lin", V: "v_lin", O: "out_lin"}
	for i := range b.Int("n_layers") {
		attend, feed := b.Scope("attentions.%d", i), b.Scope("ffns.%d", i)
		part := func(norm string, part func(x Node) Node) {
			if pre {
				x = b.Residual(x, b.Drop(part(b.LayerNorm(x, norm, dim, true)), "dropout"))
			} else {
				x = b.LayerNorm(b.Residual(x, b.Drop(part(x), "dropout")), norm, dim, true)
			}
		}
		part(fmt.Sprintf("layer_norm1.%d", i), func(x Node) Node { return nn.Attend(attend, x, "", a) })
		part(fmt.Sprintf("layer_norm2.%d", i), func(x Node) Node { return xlmFeed(feed, x, dim) })
	}
	return x, table
}

func xlmFeed(b *Build, x Node, dim int64) Node {
	x = b.Act(b.Linear(x, "lin1", dim, 4*dim, true), nn.Either(b.Bool("gelu_activation"), "gelu", "relu"),
		"gelu_activation")
	return b.Linear(x, "lin2", 4*dim, dim, true)
}

func xlmWords(b *Build, x, table Node) Node {
	if b.Bool("asm") {
		config.Fail(config.CodeConfig, b.At("asm"), "an adaptive softmax is not modelled")
	}
	return stack.LMHead(b, x, "pred_layer.proj", b.Size("emb_dim"), b.Size("vocab_size"), true, table,
		b.Bool("tie_word_embeddings"))
}
