package families

import (
	"strings"

	"github.com/modelverifier/verifier/internal/importer/hf/build"
	"github.com/modelverifier/verifier/internal/importer/hf/config"
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var _ = family.Define(family.Family{Type: "deberta-v2", Default: "DebertaV2ForMaskedLM",
	Classes: stack.Encoder{Prefix: "deberta", Model: debertaV2, Words: debertaWords,
		Whole: debertaClass}.Classes("DebertaV2", stack.MaskedLM, stack.SequenceClassification,
		stack.TokenClassification, stack.QuestionAnswering)})

// debertaV2 may put far distances into buckets, normalise their vectors, project them with the layer's own
// projections, and add a convolution of the embedding behind the first layer.
func debertaV2(b *Build) (x, table Node) {
	if b.Int("num_hidden_layers") < 1 {
		config.Fail(config.CodeConfig, b.At("num_hidden_layers"),
			"is %d but the encoder needs a layer: it returns what its last one gives", b.Int("num_hidden_layers"))
	}
	s, x, table := debertaEmbed(b)
	x = b.Scope("embeddings").Drop(x, hiddenDropout)
	span := relativeRange(b)
	if n := b.Or("position_buckets", -1); n > 0 {
		span = n
	}
	relative := relativeTable(b, x, span)
	if normsDistances(b) {
		relative = b.LayerNorm(relative, "encoder.LayerNorm", b.Size("hidden_size"), true)
	}
	s.Attend = func(m *Build, x Node, a nn.Attention) Node {
		a.HeadDim = b.SizeOr("attention_head_size", a.HeadDim)
		y, wide := m.Scope("self"), a.Heads*a.HeadDim
		q, k, v := y.Linear(x, "query_proj", a.Dim, wide, true), y.Linear(x, "key_proj", a.Dim, wide, true),
			y.Linear(x, "value_proj", a.Dim, wide, true)
		var bias []Node
		if b.Bool("relative_attention") {
			keys, queries := distanceProjections(y, relative, a.Dim, wide)
			bias = disentangled(y, q, k, a, span, keys, queries)
		}
		return m.Linear(y.Core(q, k, v, a.Heads, a.Heads, false, bias...), a.O, a.Dim, a.Dim, true)
	}
	first := x
	s.Layer = func(l *Build, x, memory Node, i int64) Node {
		x = s.layer(l, x, memory, i)
		if i == 0 && b.Or("conv_kernel_size", 0) > 0 {
			x = debertaConv(b.Scope("encoder.conv"), first, x)
		}
		return x
	}
	return s.encode(b, x), table
}

// normsDistances says whether the vectors of distances are normalised.
func normsDistances(b *Build) bool {
	for part := range strings.SplitSeq(strings.ToLower(b.Str("norm_rel_ebd")), "|") {
		if strings.TrimSpace(part) == "layer_norm" {
			return true
		}
	}
	return false
}

// distanceProjections project the vectors of distances to keys and queries.
func distanceProjections(b *Build, relative Node, dim, wide int64) (keys, queries Node) {
	keys, queries = relative, relative
	shared, m := b.Bool("share_att_key"), b
	key, query := "pos_key_proj", "pos_query_proj"
	if shared {
		key, query, m = "key_proj", "query_proj", b.Again()
	}
	if shared || relativeKind(b, "c2p") {
		keys = m.Linear(relative, key, dim, wide, true)
	}
	if shared || relativeKind(b, "p2c") {
		queries = m.Linear(relative, query, dim, wide, true)
	}
	return keys, queries
}

func debertaConv(b *Build, embedded, x Node) Node {
	dim, kernel := b.Size("hidden_size"), b.Size("conv_kernel_size")
	act := "tanh"
	if b.Has("conv_act") {
		act = b.Str("conv_act")
	}
	y := convolve(b, embedded, "conv", dim, dim, kernel, (kernel-1)/2, b.SizeOr("conv_groups", 1), true)
	return b.LayerNorm(b.Residual(x, b.Act(y, act, "conv_act")), "LayerNorm", dim, true)
}

// convolve is a convolution along the positions of a sequence.
func convolve(b *Build, x Node, name string, in, out, kernel, padding, groups int64, bias bool) Node {
	turn := func(x Node) Node {
		return b.Add("transpose", name, Args{build.Int("dim0", 1), build.Int("dim1", 2)}, x)
	}
	x = turn(x)
	n := b.Add("conv1d", name, Args{build.Int("inChannels", in), build.Int("outChannels", out),
		build.Int("kernelSize", kernel), build.Int("padding", padding), build.Int("groups", groups),
		build.Flag("bias", bias)}, x)
	if groups < 1 || in%groups != 0 || out%groups != 0 {
		config.Fail(config.CodeContradiction, b.PathOf(name), "%d channels to %d cannot be split into %d groups", in,
			out, groups)
	}
	b.Weights(name, bias, out, in/groups, kernel)
	return turn(n)
}
