package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/build"
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/vision"
)

var _ = family.Define(family.Family{Type: "beit", Default: "BeitForImageClassification",
	Classes: beits("Beit", "beit", Beit{
		Layers: "layers", Shared: "shared_position_bias", Bias: "relative_position_bias",
		Q: "attention.q_proj", K: "attention.k_proj", V: "attention.v_proj", O: "attention.o_proj", Up: "mlp.fc1",
		Down: "mlp.fc2"})})

// Beit is what BEiT and its like call their parts.
type Beit struct {
	Layers, Shared   string // below the model: the layers, and the bias of positions that they share
	Bias, Q, K, V, O string // below a layer
	Up, Down         string
	MustDivide       bool // the heads must divide hidden_size
	Unpooled         bool // the bare model has no pooler
}

func beits(name, prefix string, s Beit) map[string]func(*Build) {
	return map[string]func(*Build){
		name + "ForImageClassification": func(b *Build) {
			vision.Labels(b, beit(b.Scope("%s", prefix), s, true), "classifier", b.Size("hidden_size"))
		},
		name + "Model": func(b *Build) { b.Output(beit(b, s, !s.Unpooled)) },
	}
}

// beit is a vision transformer whose scores have a trained bias for each relative position, and whose branches are
// scaled.
func beit(b *Build, s Beit, pooled bool) Node {
	if s.MustDivide {
		vision.HeadsDivide(b)
	}
	dim := b.Size("hidden_size")
	x := vitPatches(b, Patches{Dim: dim, Tokens: []string{"cls_token"},
		NoRows: !b.Bool("use_absolute_position_embeddings")})
	if b.Bool("use_mask_token") {
		build.Unused(b, x, "embeddings.mask_token", 1, 1, dim)
	}
	var shared []Node
	if b.Bool("use_shared_relative_position_bias") {
		shared = []Node{positionBias(b, x, s.Shared)}
	}
	for i := range b.Int("num_hidden_layers") {
		x = beitLayer(b.Scope("%s.%d", s.Layers, i), x, s, dim, shared)
	}
	if b.Bool("use_mean_pooling") {
		if !pooled {
			return x
		}
		patches := b.Add("slice", "", Args{build.Int("dim", 1), build.Int("start", 1)}, x)
		return b.LayerNorm(b.Mean(patches, "pooler", 1), "pooler.layernorm", dim, true)
	}
	x = b.LayerNorm(x, "layernorm", dim, true)
	if !pooled {
		return x
	}
	return b.First(x)
}

// positionBias looks up a trained number for each head and relative position of two patches; three more are for the
// token.
func positionBias(b *Build, x Node, name string) Node {
	image, patch, heads := b.PairOf("image_size"), b.PairOf("patch_size"), b.Size("num_attention_heads")
	h, w := image[0]/patch[0], image[1]/patch[1]
	return b.Opaque(x, name, []int64{heads, h*w + 1, h*w + 1}, 0,
		build.T("relative_position_bias_table", (2*h-1)*(2*w-1)+3, heads))
}

func beitLayer(b *Build, x Node, s Beit, dim int64, bias []Node) Node {
	heads, head := b.Size("num_attention_heads"), b.HeadDim()
	if b.Bool("use_relative_position_bias") {
		own := positionBias(b, x, s.Bias)
		if len(bias) > 0 {
			own = b.Residual(own, bias[0])
		}
		bias = []Node{own}
	}
	y := b.LayerNorm(x, "layernorm_before", dim, true)
	q, k, v := b.Linear(y, s.Q, dim, heads*head, true), b.Linear(y, s.K, dim, heads*head, false),
		b.Linear(y, s.V, dim, heads*head, true)
	y = b.Linear(b.Core(q, k, v, heads, heads, false, bias...), s.O, heads*head, dim, true)
	scaled := b.Float("layer_scale_init_value") > 0
	if scaled {
		y = vision.Scale(b, y, "lambda_1", dim)
	}
	x = b.Residual(x, y)
	y = nn.MLP(b, b.LayerNorm(x, "layernorm_after", dim, true), s.Up, s.Down, dim, b.Size("intermediate_size"), true,
		"hidden_act")
	if scaled {
		y = vision.Scale(b, y, "lambda_2", dim)
	}
	return b.Residual(x, y)
}
