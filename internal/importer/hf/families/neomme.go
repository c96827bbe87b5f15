package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/build"
	"github.com/modelverifier/verifier/internal/importer/hf/config"
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var _ = family.Define(family.Family{Type: "neomme", Default: "NeoMMEForMaskedLM", PerLayer: true,
	Classes: map[string]func(*Build){
		"NeoMMEForMaskedLM": func(b *Build) {
			x, table, narrow := neoMME(b.Scope("model"))
			dim, rank, tied := b.Size("hidden_size"), b.Size("embedding_rank"), b.Bool("tie_word_embeddings")
			if !tied {
				narrow = b.Param(x, "unembedding_projection.weight", dim, rank)
			}
			b.Output(stack.LMHead(b, nn.Times(b, x, narrow, false), "lm_head", rank, b.Size("vocab_size"), false, table,
				tied))
		},
		"NeoMMEModel": func(b *Build) {
			x, _, _ := neoMME(b)
			b.Output(x)
		},
	}})

// neoPixels is the side of the page whose patches the model reads, where nothing says how many there are.
const neoPixels = 1024

// neoMME reads text and the patches of a page. narrow is the matrix between the width of the tables and of the
// layers, which the head uses the other way round.
func neoMME(b *Build) (x, table, narrow Node) {
	dim, rank, vocab, patch := b.Size("hidden_size"), b.Size("embedding_rank"), b.Size("vocab_size"),
		b.Size("patch_size")
	b.Divides("num_attention_heads", "num_key_value_heads")
	checkWindowsOf(b)
	ids := b.Tokens("input_ids", b.MaxPositions())
	table = b.Embedding(ids, "embed_tokens.word_embeddings", vocab, rank)
	narrow = b.Param(table, "embed_tokens.embedding_projection.weight", dim, rank)
	p, side, pixels := b.Scope("patch_embeddings"), max(neoPixels/patch, 1), build.Product(b, 3, patch, patch)
	image := p.LayerNorm(b.Input("pixel_values", side*side, pixels), "norm", pixels, true)
	image = p.Linear(p.Act(p.Linear(image, "up_proj", pixels, 2*dim, false), "gelu", "hidden_act"), "down_proj", 2*dim,
		dim, true)
	x = neoNorm(b, stack.Scatter(b, nn.Times(b, table, narrow, true), image, dim), "embedding_norm", dim)
	values := b.Embedding(ids, "value_embeddings", vocab, b.Size("num_key_value_heads")*b.Size("head_dim"))
	first, start := x, neoGlobals(b)
	for i := range b.Int("num_hidden_layers") {
		l := b.Scope("layers.%d", i)
		var more []Node
		if i == start[0] || i == start[1] {
			more = []Node{values}
		}
		x = neoLayer(l, x, first, i, more...)
	}
	return neoNorm(b, x, "final_norm", dim), table, narrow
}

// checkWindowsOf refuses what single layers may not change: all but the window, which changes no size.
func checkWindowsOf(b *Build) {
	for _, key := range b.Inner("per_layer_config").Keys() {
		own := b.Inner("per_layer_config", key)
		for _, name := range own.Keys() {
			if name != "sliding_window" {
				config.Fail(config.CodeConfig, own.At(name),
					"is not modelled for a single layer; modelled is sliding_window")
			}
		}
	}
}

func neoKind(b *Build, i int64) string {
	return nn.LayerKind(b, "layer_types", i,
		nn.Either((i+1)%6 == 0 || i == b.Int("num_hidden_layers")-1, nn.FullAttention, nn.SlidingAttention))
}

// neoGlobals are the first and the last layer that see everything: they read a second table of the tokens.
func neoGlobals(b *Build) [2]int64 {
	found := [2]int64{-1, -1}
	for i := range min(b.Int("num_hidden_layers"), build.MaxComponents) {
		if neoKind(b, i) == nn.FullAttention {
			if found[1] = i; found[0] < 0 {
				found[0] = i
			}
		}
	}
	if found[0] < 0 {
		config.Fail(config.CodeConfig, b.At("layer_types"), "needs a layer of %s", nn.FullAttention)
	}
	return found
}

func neoNorm(b *Build, x Node, name string, dim int64) Node {
	return b.Add("rmsNorm", name, Args{build.Ints("normalizedShape", dim), build.Flag("elementwiseAffine", false)}, x)
}

// neoLayer mixes the first vectors into what it reads.
func neoLayer(b *Build, x, first Node, i int64, values ...Node) Node {
	dim := b.Size("hidden_size")
	lambdas := b.Param(x, "lambdas", 2)
	part := func(x Node, i int64) Node {
		l := b.Add("slice", "lambdas", Args{build.Int("dim", 1), build.Int("start", i), build.Int("end", i+1)}, lambdas)
		return b.Add("multiply", "lambdas", nil, x, b.Add("reshape", "lambdas", Args{build.Ints("shape", 1, 1)}, l))
	}
	y := neoNorm(b, b.Residual(part(x, 0), part(first, 1)), "input_layernorm", dim)
	x = b.Residual(x, neoAttend(b.Scope("self_attn"), y, neoKind(b, i), values...))
	y = neoNorm(b, x, "post_attention_layernorm", dim)
	return b.Residual(x, nn.MLP(b.Scope("mlp"), y, "up_proj", "down_proj", dim, b.Size("intermediate_size"),
		b.Bool("mlp_bias"), "hidden_act"))
}

// neoAttend takes out of what each position saw the part that lies along its own value, and gates the rest.
func neoAttend(b *Build, x Node, kind string, values ...Node) Node {
	a := nn.Rotary(b, 10_000).Biased(b.Bool("attention_bias")).Filled()
	share := 1.0
	if kind == nn.FullAttention {
		share, a.Base = 0.25, nn.BaseOf(b, kind, 1_000_000)
	} else {
		a.Base = nn.BaseOf(b, kind, 10_000)
	}
	if own := b.Inner("rope_parameters", kind); own.Has("partial_rotary_factor") {
		share = own.Float("partial_rotary_factor")
	}
	a.Norm, a.RotaryDim = nn.PlainRMS, int64(float64(a.HeadDim)*min(max(share, 0), 1))
	if a.RotaryDim < 4 || a.RotaryDim%4 != 0 {
		config.Fail(config.CodeContradiction, b.At("head_dim"),
			"is %d, of which %d features turn in a layer of %s: they must be a multiple of 4", a.HeadDim, a.RotaryDim,
			kind)
	}
	q, k, v := nn.Project(b, x, a)
	q, k = nn.RotateHeads(b, nn.NormHeads(b, q, a.QNorm, a.Heads, a), a.Heads, a),
		nn.RotateHeads(b, nn.NormHeads(b, k, a.KNorm, a.KV, a), a.KV, a)
	for _, more := range values {
		v = b.Residual(v, more)
	}
	wide, length := a.Heads*a.HeadDim, b.TextLength()
	e := b.Scope("exclusive_self_attention")
	own := e.Add("expand", "", Args{build.Ints("shape", length, a.KV, a.Heads/a.KV, a.HeadDim)},
		e.Add("unsqueeze", "", Args{build.Int("dim", 3)}, e.Unflatten(v, a.KV, a.HeadDim)))
	own = e.Reshape(own, length, a.Heads, a.HeadDim)
	own = e.Add("divide", "", nil, own, e.Add("norm", "", Args{build.Int("dim", -1), build.Flag("keepDim", true)}, own))
	seen := e.Unflatten(b.Core(q, k, v, a.Heads, a.KV, false), a.Heads, a.HeadDim)
	along := e.Add("sum", "", Args{build.Int("dim", -1), build.Flag("keepDim", true)},
		e.Add("multiply", "", nil, seen, own))
	alpha := e.Add("reshape", "alpha", Args{build.Ints("shape", 1, a.Heads, 1)},
		e.Add("tanh", "alpha", nil, e.Param(x, "alpha", a.Heads)))
	seen = e.Add("subtract", "", nil, seen, e.Add("multiply", "", nil, e.Add("multiply", "", nil, along, alpha), own))
	o := b.Scope("output_projection")
	gate := o.Add("sigmoid", "gate_proj", nil, o.Linear(x, "gate_proj", a.Dim, wide, false))
	return o.Linear(o.Add("multiply", "", nil, e.Flat(seen), gate), "o_proj", wide, a.Dim, a.OutBias)
}
