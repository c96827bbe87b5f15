package hf

import "strings"

var _ = define(Family{Type: "deberta-v2", Default: "DebertaV2ForMaskedLM",
	Classes: Encoder{Prefix: "deberta", Model: debertaV2, Words: debertaWords, Whole: debertaClass}.classes("DebertaV2", masked, sequences, tokens, answers)})

// debertaV2 may put far distances into buckets, normalise their vectors, map them with the layer's own maps, and add a
// convolution of the embedding behind the first layer.
func debertaV2(b *Build) (x, table Node) {
	if b.Int("num_hidden_layers") < 1 {
		fail(CodeConfig, b.at("num_hidden_layers"), "is %d but the encoder needs a layer: it returns what its last one gives", b.Int("num_hidden_layers"))
	}
	s, x, table := b.debertaEmbed()
	x = b.Scope("embeddings").drop(x, hiddenDropout)
	span := b.relativeRange()
	if n := b.Or("position_buckets", -1); n > 0 {
		span = n
	}
	relative := b.relativeTable(x, span)
	if b.normsDistances() {
		relative = b.LayerNorm(relative, "encoder.LayerNorm", b.Size("hidden_size"), true)
	}
	s.Attend = func(m *Build, x Node, a Attention) Node {
		a.HeadDim = b.SizeOr("attention_head_size", a.HeadDim)
		y, wide := m.Scope("self"), a.Heads*a.HeadDim
		q, k, v := y.Linear(x, "query_proj", a.Dim, wide, true), y.Linear(x, "key_proj", a.Dim, wide, true), y.Linear(x, "value_proj", a.Dim, wide, true)
		var bias []Node
		if b.Bool("relative_attention") {
			keys, queries := y.distanceMaps(relative, a.Dim, wide)
			bias = y.disentangled(q, k, a, span, keys, queries)
		}
		return m.Linear(y.Core(q, k, v, a.Heads, a.Heads, false, bias...), a.O, a.Dim, a.Dim, true)
	}
	first := x
	s.Layer = func(l *Build, x, memory Node, i int64) Node {
		x = s.layer(l, x, memory, i)
		if i == 0 && b.Or("conv_kernel_size", 0) > 0 {
			x = b.Scope("encoder.conv").debertaConv(first, x)
		}
		return x
	}
	return s.encode(b, x), table
}

// normsDistances says whether the vectors of distances are normalised.
func (b *Build) normsDistances() bool {
	for part := range strings.SplitSeq(strings.ToLower(b.Str("norm_rel_ebd")), "|") {
		if strings.TrimSpace(part) == "layer_norm" {
			return true
		}
	}
	return false
}

// distanceMaps map the vectors of distances to keys and queries.
func (b *Build) distanceMaps(relative Node, dim, wide int64) (keys, queries Node) {
	keys, queries = relative, relative
	shared, m := b.Bool("share_att_key"), b
	key, query := "pos_key_proj", "pos_query_proj"
	if shared {
		key, query, m = "key_proj", "query_proj", b.Again()
	}
	if shared || b.relativeKind("c2p") {
		keys = m.Linear(relative, key, dim, wide, true)
	}
	if shared || b.relativeKind("p2c") {
		queries = m.Linear(relative, query, dim, wide, true)
	}
	return keys, queries
}

func (b *Build) debertaConv(embedded, x Node) Node {
	dim, kernel := b.Size("hidden_size"), b.Size("conv_kernel_size")
	act := "tanh"
	if b.Has("conv_act") {
		act = b.Str("conv_act")
	}
	y := b.convolve(embedded, "conv", dim, dim, kernel, (kernel-1)/2, b.SizeOr("conv_groups", 1), true)
	return b.LayerNorm(b.Residual(x, b.Act(y, act, "conv_act")), "LayerNorm", dim, true)
}

// convolve is a convolution along the positions of a sequence.
func (b *Build) convolve(x Node, name string, in, out, kernel, padding, groups int64, bias bool) Node {
	turn := func(x Node) Node { return b.Add("transpose", name, Args{Int("dim0", 1), Int("dim1", 2)}, x) }
	x = turn(x)
	n := b.Add("conv1d", name, Args{Int("inChannels", in), Int("outChannels", out), Int("kernelSize", kernel), Int("padding", padding), Int("groups", groups), Flag("bias", bias)}, x)
	if groups < 1 || in%groups != 0 || out%groups != 0 {
		fail(CodeContradiction, b.join(name), "%d channels to %d cannot be split into %d groups", in, out, groups)
	}
	b.weights(name, bias, out, in/groups, kernel)
	return turn(n)
}
