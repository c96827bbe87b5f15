package hf

var _ = define(Family{Type: "vit", Default: "ViTForImageClassification", Classes: map[string]func(*Build){
	"ViTForImageClassification": func(b *Build) { b.Labels(b.First(b.Scope("vit").vit(1)), "classifier", b.Size("hidden_size")) },
	"ViTModel":                  func(b *Build) { b.Output(b.vitPooler(b.vit(1))) },
}})

// vit is patches of an image behind extra tokens of its own, through pre-norm layers.
func (b *Build) vit(extra int) Node {
	dim := b.Size("hidden_size")
	x := b.vitPatches(Patches{Dim: dim, Tokens: []string{"cls_token", "distillation_token"}[:extra]})
	for i := range b.Int("num_hidden_layers") {
		x = b.Scope("layers.%d", i).vitLayer(x, dim)
	}
	return b.LayerNorm(x, "layernorm", dim, true)
}

func (b *Build) vitLayer(x Node, dim int64) Node {
	y := b.Attend(b.LayerNorm(x, "layernorm_before", dim, true), "attention", Attention{Dim: dim, Heads: b.Size("num_attention_heads"),
		HeadDim: b.HeadDim(), Bias: b.Bool("qkv_bias"), OutBias: true})
	x = b.Residual(x, y)
	y = b.Scope("mlp").MLP(b.LayerNorm(x, "layernorm_after", dim, true), "fc1", "fc2", dim, b.Size("intermediate_size"), true, "hidden_act")
	return b.Residual(x, y)
}

// vitPooler maps the first token once more.
func (b *Build) vitPooler(x Node) Node {
	p, dim := b.Scope("pooler"), b.Size("hidden_size")
	out := b.Or("pooler_output_size", dim)
	if out == 0 {
		out = dim
	}
	return p.Activation(p.Linear(b.First(x), "dense", dim, out, true), "pooler_act")
}

// Patches is how a vision transformer starts.
type Patches struct {
	Dim    int64
	Tokens []string // trained tokens before the patches, the first one in front
	NoRows bool     // there is no table
	NoBias bool     // of the map of patches
}

// vitPatches adds the map of patches, the tokens before them and a trained vector for each position, at "embeddings".
func (b *Build) vitPatches(p Patches) Node {
	e, patch := b.Scope("embeddings"), b.PairOf("patch_size")
	image := b.Pixels()
	x := e.patchMap(image, "patch_embeddings.projection", p.Dim, patch, !p.NoBias)
	for i := len(p.Tokens) - 1; i >= 0; i-- {
		x = e.frontToken(x, p.Tokens[i], p.Dim)
	}
	if p.NoRows {
		return x
	}
	rows := (image.H/patch[0])*(image.W/patch[1]) + int64(len(p.Tokens))
	return e.rows(x, "position_embeddings", rows, p.Dim)
}

// patchMap turns an image into a sequence of patches.
func (b *Build) patchMap(x Image, name string, dim int64, patch Two, bias bool) Node {
	if patch[0] < 1 || patch[1] < 1 {
		fail(CodeConfig, b.at("patch_size"), "is %d by %d but takes integers of at least 1", patch[0], patch[1])
	}
	n := b.Add("patchEmbed", name, Args{Int("inChannels", x.C), sides("patchSize", patch), Int("embedDim", dim), Flag("bias", bias)}, x.Node)
	b.weights(name, bias, dim, x.C, patch[0], patch[1])
	return n
}

// frontToken puts a trained token before a sequence.
func (b *Build) frontToken(x Node, name string, dim int64) Node {
	n := b.Add("classToken", name, Args{Int("embedDim", dim)}, x)
	b.Tensor(name, 1, 1, dim)
	return n
}

// rows adds a trained vector to each position; the table is a bare tensor with an axis for the batch.
func (b *Build) rows(x Node, name string, count, dim int64) Node {
	n := b.Add("learnedPositionalEmbedding", name, Args{Int("maxLen", count), Int("embedDim", dim)}, x)
	b.Tensor(name, 1, count, dim)
	return n
}

// rowsOf is such a table by itself.
func (b *Build) rowsOf(x Node, name string, count, dim int64) Node {
	n := b.Add("parameter", name, Args{Ints("shape", count, dim)}, x)
	b.Tensor(name, 1, count, dim)
	return n
}
