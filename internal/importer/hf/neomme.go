package hf

var _ = define(Family{Type: "neomme", Default: "NeoMMEForMaskedLM", PerLayer: true, Classes: map[string]func(*Build){
	"NeoMMEForMaskedLM": func(b *Build) {
		x, table, narrow := neoMME(b.Scope("model"))
		dim, rank, tied := b.Size("hidden_size"), b.Size("embedding_rank"), b.Bool("tie_word_embeddings")
		if !tied {
			narrow = b.Param(x, "unembedding_projection.weight", dim, rank)
		}
		b.Output(b.LMHead(b.times(x, narrow, false), "lm_head", rank, b.Size("vocab_size"), false, table, tied))
	},
	"NeoMMEModel": func(b *Build) {
		x, _, _ := neoMME(b)
		b.Output(x)
	},
}})

// neoPixels is the side of the page whose patches the model reads, where nothing says how many there are.
const neoPixels = 1024

// neoMME reads text and the patches of a page. narrow is the matrix between the width of the tables and of the layers, which
// the head uses the other way round.
func neoMME(b *Build) (x, table, narrow Node) {
	dim, rank, vocab, patch := b.Size("hidden_size"), b.Size("embedding_rank"), b.Size("vocab_size"), b.Size("patch_size")
	b.divides("num_attention_heads", "num_key_value_heads")
	b.checkWindowsOf()
	ids := b.Tokens("input_ids", b.MaxPositions())
	table = b.Embedding(ids, "embed_tokens.word_embeddings", vocab, rank)
	narrow = b.Param(table, "embed_tokens.embedding_projection.weight", dim, rank)
	p, side, pixels := b.Scope("patch_embeddings"), max(neoPixels/patch, 1), b.product(3, patch, patch)
	image := p.LayerNorm(b.Input("pixel_values", side*side, pixels), "norm", pixels, true)
	image = p.Linear(p.Act(p.Linear(image, "up_proj", pixels, 2*dim, false), "gelu", "hidden_act"), "down_proj", 2*dim, dim, true)
	x = b.plainRMS(b.scatter(b.times(table, narrow, true), image, dim), "embedding_norm", dim)
	values := b.Embedding(ids, "value_embeddings", vocab, b.Size("num_key_value_heads")*b.Size("head_dim"))
	first, start := x, b.neoGlobals()
	for i := range b.Int("num_hidden_layers") {
		l := b.Scope("layers.%d", i)
		var more []Node
		if i == start[0] || i == start[1] {
			more = []Node{values}
		}
		x = l.neoLayer(x, first, i, more...)
	}
	return b.plainRMS(x, "final_norm", dim), table, narrow
}

// checkWindowsOf refuses what single layers may not change: all but the window, which changes no size.
func (b *Build) checkWindowsOf() {
	for _, key := range sortedKeys(b.inner("per_layer_config").values) {
		own := b.inner("per_layer_config", key)
		for _, name := range sortedKeys(own.values) {
			if name != "sliding_window" {
				fail(CodeConfig, own.at(name), "is not modelled for a single layer; modelled is sliding_window")
			}
		}
	}
}

func (b *Build) neoKind(i int64) string {
	return b.kind("layer_types", i, either((i+1)%6 == 0 || i == b.Int("num_hidden_layers")-1, full, sliding))
}

// neoGlobals are the first and the last layer that see everything: they read a second table of the tokens.
func (b *Build) neoGlobals() [2]int64 {
	found := [2]int64{-1, -1}
	for i := range min(b.Int("num_hidden_layers"), maxComponents) {
		if b.neoKind(i) == full {
			if found[1] = i; found[0] < 0 {
				found[0] = i
			}
		}
	}
	if found[0] < 0 {
		fail(CodeConfig, b.at("layer_types"), "needs a layer of %s", full)
	}
	return found
}

func (b *Build) plainRMS(x Node, name string, dim int64) Node {
	return b.Add("rmsNorm", name, Args{Ints("normalizedShape", dim), Flag("elementwiseAffine", false)}, x)
}

// neoLayer mixes the first vectors into what it reads.
func (b *Build) neoLayer(x, first Node, i int64, values ...Node) Node {
	dim := b.Size("hidden_size")
	lambdas := b.Param(x, "lambdas", 2)
	part := func(x Node, i int64) Node {
		l := b.Add("slice", "lambdas", Args{Int("dim", 1), Int("start", i), Int("end", i+1)}, lambdas)
		return b.Add("multiply", "lambdas", nil, x, b.Add("reshape", "lambdas", Args{Ints("shape", 1, 1)}, l))
	}
	y := b.plainRMS(b.Residual(part(x, 0), part(first, 1)), "input_layernorm", dim)
	x = b.Residual(x, b.Scope("self_attn").neoAttend(y, b.neoKind(i), values...))
	y = b.plainRMS(x, "post_attention_layernorm", dim)
	return b.Residual(x, b.Scope("mlp").MLP(y, "up_proj", "down_proj", dim, b.Size("intermediate_size"), b.Bool("mlp_bias"), "hidden_act"))
}

// neoAttend takes out of what each position saw the part that lies along its own value, and gates the rest.
func (b *Build) neoAttend(x Node, kind string, values ...Node) Node {
	a := b.rotary(10_000).biased(b.Bool("attention_bias")).filled()
	share := 1.0
	if kind == full {
		share, a.Base = 0.25, b.baseOf(kind, 1_000_000)
	} else {
		a.Base = b.baseOf(kind, 10_000)
	}
	if own := b.inner("rope_parameters", kind); own.Has("partial_rotary_factor") {
		share = own.Float("partial_rotary_factor")
	}
	a.Norm, a.Turned = PlainRMS, int64(float64(a.HeadDim)*min(max(share, 0), 1))
	if a.Turned < 4 || a.Turned%4 != 0 {
		fail(CodeContradiction, b.at("head_dim"), "is %d, of which %d features turn in a layer of %s: they must be a multiple of 4", a.HeadDim, a.Turned, kind)
	}
	q, k, v := b.project(x, a)
	q, k = b.turn(b.normHeads(q, a.QNorm, a.Heads, a), a.Heads, a), b.turn(b.normHeads(k, a.KNorm, a.KV, a), a.KV, a)
	for _, more := range values {
		v = b.Residual(v, more)
	}
	wide, length := a.Heads*a.HeadDim, b.positions()
	e := b.Scope("exclusive_self_attention")
	own := e.Add("expand", "", Args{Ints("shape", length, a.KV, a.Heads/a.KV, a.HeadDim)}, e.Add("unsqueeze", "", Args{Int("dim", 3)}, e.Unflatten(v, a.KV, a.HeadDim)))
	own = e.Add("reshape", "", Args{Ints("shape", length, a.Heads, a.HeadDim)}, own)
	own = e.Add("divide", "", nil, own, e.Add("norm", "", Args{Int("dim", -1), Flag("keepDim", true)}, own))
	seen := e.Unflatten(b.Core(q, k, v, a.Heads, a.KV, false), a.Heads, a.HeadDim)
	along := e.Add("sum", "", Args{Int("dim", -1), Flag("keepDim", true)}, e.Add("multiply", "", nil, seen, own))
	alpha := e.Add("reshape", "alpha", Args{Ints("shape", 1, a.Heads, 1)}, e.Add("tanh", "alpha", nil, e.Param(x, "alpha", a.Heads)))
	seen = e.Add("subtract", "", nil, seen, e.Add("multiply", "", nil, e.Add("multiply", "", nil, along, alpha), own))
	o := b.Scope("output_projection")
	gate := o.Add("sigmoid", "gate_proj", nil, o.Linear(x, "gate_proj", a.Dim, wide, false))
	return o.Linear(o.Add("multiply", "", nil, e.Flat(seen), gate), "o_proj", wide, a.Dim, a.OutBias)
}
