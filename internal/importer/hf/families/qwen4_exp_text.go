package families

import (
	"fmt"
	"slices"

	"github.com/modelverifier/verifier/internal/importer/hf/build"
	"github.com/modelverifier/verifier/internal/importer/hf/config"
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var _ = family.Define(family.Family{Type: "qwen4_exp_text", Default: "Qwen4ExpForCausalLM",
	Classes: stack.NamedClasses("Qwen4ExpForCausalLM", "Qwen4ExpTextModel", qwen4)})

const (
	recurring   = "linear_attention"
	qwenIndexed = "qwen_sparse_attention"
)

// qwen4 carries hc_count streams of features side by side, which each branch reads mixed and is added to. Its layers
// are the gated delta rule or attention to what an indexer has chosen, and experts; some of the former look up the
// last few tokens in tables.
func qwen4(b *Build) stack.Decoder {
	qwen4Check(b)
	t := ngramTablesOf(b)
	return stack.Decoder{Dim: b.Size("hidden_size"), Tokens: &t.ids,
		Embedded: func(b *Build, x Node) Node {
			return b.Add("repeat", "streams", Args{build.Ints("repeats", 1, b.Size("hc_count"))}, x)
		},
		Layer: func(b *Build, x Node, i int64) Node {
			if sizes := t.of(i); sizes != nil {
				x = b.Residual(x, ngramFeatures(b.Scope("ple"), x, t, sizes))
			}
			x = gatedResidual(b, x, "attn_hyper_connection", func(x Node) Node { return qwen4Mixer(b, x, i) })
			return gatedResidual(b, x, "mlp_hyper_connection",
				func(x Node) Node { return nn.AddExperts(b, x, "mlp", sharedExpert(b, "num_experts")) })
		},
		FinalNorm: func(b *Build, x Node, _ string, _ int64) Node {
			_, y := readStreams(b.Scope("hyper_connection_mixer"), x)
			return y
		}}
}

// qwen4Kind is what mixes the positions in a layer. The older full_attention has an indexer, too.
func qwen4Kind(b *Build, i int64) string {
	kind := nn.PerLayerText(b, "layer_types", i, func(i int64) string {
		return nn.Either((i+1)%b.SizeOr("full_attention_interval", 4) == 0, qwenIndexed, recurring)
	})
	if kind == nn.FullAttention {
		kind = qwenIndexed
	}
	if kind != recurring && kind != qwenIndexed {
		config.Fail(config.CodeConfig, b.At(fmt.Sprintf("layer_types[%d]", i)), "is %q but takes %s, %s or %s", kind,
			recurring, qwenIndexed, nn.FullAttention)
	}
	return kind
}

func qwen4Mixer(b *Build, x Node, i int64) Node {
	if qwen4Kind(b, i) == recurring {
		d := qwenDelta(b)
		if b.Str("output_gate_type") != "" {
			d.gate = "output_gate_type"
		}
		return qwen35Delta(b.Scope("linear_attn"), x, d)
	}
	a := nn.PartlyRotary(b, nn.Rotary(b, 0).Biased(b.Bool("attention_bias")), "", 1, false)
	a.Norm = nn.HeadRMS
	m := b.Scope("self_attn")
	return gatedAttention(m, x, a.Filled(), blockMask(m.Scope("indexer"), x, a))
}

// blockMask is an indexer that scores blocks: small heads of queries meet one key for every indexer_compress_ratio
// positions, the mean of theirs. The positions of the best blocks are seen, and those behind the last whole block.
func blockMask(b *Build, x Node, a nn.Attention) Node {
	heads, dim, ratio, length := b.Size("indexer_n_heads"), b.Size("indexer_head_dim"),
		b.Size("indexer_compress_ratio"), b.TextLength()
	both := b.Linear(x, "index_qk_proj", a.Dim, (heads+b.Size("indexer_kv_heads"))*dim, false)
	turn := func(x Node, name string, heads int64) Node {
		x = b.Add("qkNorm", name, Args{build.Int("headDim", dim)}, x)
		b.Tensor(name+".weight", dim)
		if !a.Rotary {
			return x
		}
		return nn.RotateHead(b, x, heads, dim, nn.Latent{Rope: a.RotaryDim, Base: a.Base})
	}
	q, k := turn(b.Slice(both, 0, heads*dim), "q_layernorm", heads), b.Slice(both, heads*dim, (heads+1)*dim)
	seen := []int64{1, length, length}
	if length < ratio { // there is no whole block, and no key is ever normalised
		return b.OpaqueOf([]Node{q, k}, "", seen, 0, build.T("k_layernorm.weight", dim))
	}
	across := Args{build.Int("dim0", 1), build.Int("dim1", 2)}
	k = b.Add("avgpool1d", "", Args{build.Int("kernelSize", ratio)}, b.Add("transpose", "", across, k))
	k = turn(b.Add("transpose", "", across, k), "k_layernorm", 1)
	scores := b.Add("relu", "", nil, einsum(b, "bshd,btd->bsht", b.Unflatten(q, heads, dim), k))
	// chooses the best, and hides the others
	return b.Opaque(b.Add("sum", "", Args{build.Int("dim", 2)}, scores), "", seen, 0)
}

// gatedResidual lets a branch read one vector out of the streams, and adds what it gives to each of them in its own
// measure.
func gatedResidual(b *Build, x Node, name string, branch func(x Node) Node) Node {
	m, streams := b.Scope("%s", name), b.Size("hc_count")
	normed, read := readStreams(m, x)
	inject := m.Add("sigmoid", "", nil, m.Linear(normed, "block_inject_weight", streams*b.Size("hidden_size"), streams,
		false))
	return m.Residual(x, m.Flat(einsum(m, "bsh,bsd->bshd", inject, branch(read))))
}

// readStreams normalises the streams, and mixes them to one by gates of which a projection through few features
// decides.
func readStreams(b *Build, x Node) (normed, read Node) {
	streams, dim, rank := b.Size("hc_count"), b.Size("hidden_size"), b.Size("hc_lowrank")
	each := normStreams(b, x, "hc_norm")
	normed = b.Flat(each)
	gate := b.Add("silu", "", nil, b.Linear(normed, "input_mix_weight_down", streams*dim, rank, false))
	gate = b.Add("sigmoid", "", nil, b.Linear(gate, "input_mix_weight_up", rank, streams*dim, false))
	return normed, b.Add("mean", "", Args{build.Int("dim", 2)},
		b.Add("multiply", "", nil, b.Unflatten(gate, streams, dim), each))
}

// normStreams divides each stream by its own root mean square, and gives them with an axis of their own.
func normStreams(b *Build, x Node, name string) Node {
	streams, dim := b.Size("hc_count"), b.Size("hidden_size")
	x = b.Add("rmsNorm", name, Args{build.Ints("normalizedShape", dim), build.Flag("elementwiseAffine", false)},
		b.Unflatten(x, streams, dim))
	scale := b.Add("parameter", name+".weight", Args{build.Ints("shape", 1, streams, dim)}, x)
	b.Tensor(name+".weight", streams*dim)
	return b.Add("multiply", name, nil, x, scale)
}

// qwen4Check refuses what the configuration class does.
func qwen4Check(b *Build) {
	if n := b.Int("hc_count"); n < 2 {
		config.Fail(config.CodeConfig, b.At("hc_count"), "is %d but takes an integer of at least 2", n)
	}
	gate := "output_gate_type"
	if b.Str(gate) == "" {
		gate = "hidden_act"
	}
	if act := b.Str(gate); act != "silu" && act != "sigmoid" {
		config.Fail(config.CodeConfig, b.At(gate), "is %q but the gate of the delta rule takes sigmoid or silu", act)
	}
	if k, n := b.Size("num_experts_per_tok"), b.Size("num_experts"); k > n {
		config.Fail(config.CodeContradiction, b.At("num_experts_per_tok"), "is %d but num_experts is %d", k, n)
	}
	attends := qwen4Attends(b)
	if !attends && (!b.Given("use_cache") || b.Bool("use_cache")) {
		b.Note("no layer has attention: with a cache, transformers " +
			"fails to tell how long the text is when this model is called")
	}
	keys := []string{"indexer_n_heads", "indexer_kv_heads", "indexer_head_dim", "indexer_budget",
		"indexer_compress_ratio"}
	if attends || slices.ContainsFunc(keys, b.Has) {
		indexerCheck(b, keys)
	}
}

// qwen4Attends says whether any layer has attention.
func qwen4Attends(b *Build) bool {
	if !b.Has("layer_types") {
		return b.Int("num_hidden_layers") >= b.SizeOr("full_attention_interval", 4)
	}
	kinds := b.Strs("layer_types")
	return slices.Contains(kinds, qwenIndexed) || slices.Contains(kinds, nn.FullAttention)
}

// indexerCheck refuses an indexer that is only partly described, or does not fit the attention.
func indexerCheck(b *Build, keys []string) {
	for _, key := range keys {
		b.Size(key)
	}
	if n := b.Int("indexer_kv_heads"); n != 1 {
		config.Fail(config.CodeConfig, b.At("indexer_kv_heads"), "is %d but takes 1", n)
	}
	b.Divides("indexer_budget", "indexer_compress_ratio")
	if turned, dim := nn.PartlyRotary(b, nn.Rotary(b, 0), "", 1,
		true).RotaryDim, b.Int("indexer_head_dim"); turned > dim {
		config.Fail(config.CodeContradiction, b.At("indexer_head_dim"),
			"is %d but %d features of head_dim turn with the position, by partial_rotary_factor", dim, turned)
	}
}
