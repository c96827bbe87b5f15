package families

import (
	"math"

	"github.com/modelverifier/verifier/internal/importer/hf/build"
	"github.com/modelverifier/verifier/internal/importer/hf/config"
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
	"github.com/modelverifier/verifier/internal/importer/hf/vision"
)

var _ = family.Define(family.Family{Type: "t5gemma2", Default: "T5Gemma2ForConditionalGeneration",
	Classes: map[string]func(*Build){"T5Gemma2ForConditionalGeneration": t5Gemma2}})

// t5Gemma2 reads an image in the encoder's text, and its decoder looks at itself and at the encoder with one attention.
func t5Gemma2(b *Build) {
	whole, d := b.Part(stack.EncoderPath, "t5gemma2_encoder", ""), b.Part(stack.DecoderPath, "t5gemma2_decoder", "")
	text, visionConfig := whole.Part("text_config", "t5gemma2_text", ""),
		whole.Part("vision_config", "siglip_vision_model", "")
	for _, key := range []string{"hidden_size", "vocab_size"} {
		if mine, theirs := text.Size(key), d.Size(key); mine != theirs {
			config.Fail(config.CodeContradiction, text.At(key), "is %d but that of the decoder is %d", mine, theirs)
		}
	}
	m := b.Scope("model")
	e := m.Scope("encoder.text_model").With(text)
	dim, length := text.Size("hidden_size"), b.Length(e.MaxPositions())
	words, table := t5Gemma2Words(e, b.Input("input_ids", length), length)
	if image, seen := t5Gemma2See(m.Scope(stack.EncoderPath).With(whole), visionConfig, dim); seen {
		words = stack.Scatter(e, words, image, dim)
	}
	memory := t5GemmaStack(e, words, func(m *Build, x Node, i int64) Node {
		x = between(m, x, "self_attn_layernorm",
			func(x Node) Node { return nn.Attend(m, x, "self_attn", t5Gemma2Attention(m, i)) })
		return t5GemmaFeed(m, x)
	})
	o := m.Scope(stack.DecoderPath).With(d)
	place := o
	if stack.Tied(b) {
		place = e.Again()
	}
	own := b.Length(o.MaxPositions())
	x, head := t5Gemma2Words(place, b.Input("decoder_input_ids", own), own)
	x = t5GemmaStack(o, x, func(m *Build, x Node, i int64) Node {
		x = between(m, x, "self_attn_layernorm", func(x Node) Node {
			return merged(m.Scope("self_attn"), x, memory, t5Gemma2Attention(m, i), own, length)
		})
		return t5GemmaFeed(m, x)
	})
	if stack.Tied(b) {
		head = table
	}
	b.Output(stack.LMHead(b, x, "lm_head.out_proj", dim, d.Size("vocab_size"), false, head, stack.Tied(b)))
}

// t5Gemma2Words embeds a text. The token behind an image has a vector of its own.
func t5Gemma2Words(b *Build, tokens Node, length int64) (x, table Node) {
	dim := b.Size("hidden_size")
	table = b.Embedding(tokens, "embed_tokens", b.Size("vocab_size"), dim)
	end := b.Param(tokens, "embed_tokens.eoi_embedding", dim)
	return b.Add("customModule", "embed_tokens",
		Args{build.Ints("outShape", length, dim), build.Int("numParams", 0), build.Int("flops", 0)}, table, end), table
}

func t5Gemma2Attention(b *Build, i int64) nn.Attention {
	a := t5GemmaAttention(b)
	a.Norm, a.Base = nn.HeadRMS, 1_000_000
	kind := "full_attention"
	if t5GemmaSlides(b, i, b.SizeOr("sliding_window_pattern", 6)) {
		a.Base, kind = 10_000, "sliding_attention"
	}
	if all, ok := b.Value("rope_parameters").(map[string]any); ok {
		if own, ok := all[kind].(map[string]any); ok {
			if c := config.Object(own, b.At("rope_parameters."+kind)); c.Has("rope_theta") {
				a.Base = c.Float("rope_theta")
			}
		}
	}
	return a
}

// merged is attention to a sequence itself and, through the same projections, to another.
func merged(b *Build, x, memory Node, a nn.Attention, own, other int64) Node {
	a = a.Filled()
	q, k, v := nn.Project(b, x, a)
	q, k = nn.NormHeads(b, q, a.QNorm, a.Heads, a), nn.NormHeads(b, k, a.KNorm, a.KV, a)
	q, k = nn.Rotate(b, q, a.HeadDim, a.Base), nn.Rotate(b, k, a.HeadDim, a.Base)
	again := b.Again()
	k2, v2 := again.Linear(memory, a.K, a.Dim, a.KV*a.HeadDim, a.Bias),
		again.Linear(memory, a.V, a.Dim, a.KV*a.HeadDim, a.Bias)
	k2 = nn.NormHeads(again, k2, a.KNorm, a.KV, a)
	mask := b.Constant(x, "mask", 1, own, own+other)
	y := b.Core(q, b.Join(k, k2), b.Join(v, v2), a.Heads, a.KV, false, mask)
	return b.Linear(y, a.O, a.Heads*a.HeadDim, a.Dim, a.OutBias)
}

// t5Gemma2See is SigLIP and a projection of its averaged patches to words. An image that has too few patches for the
// words that are asked for, as with the defaults, is never seen: such a model reads text only.
func t5Gemma2See(b *Build, visionConfig *Config, out int64) (words Node, seen bool) {
	v := b.Scope("vision_tower").With(visionConfig)
	dim, side := v.Size("hidden_size"), v.Size("image_size")/v.Size("patch_size")
	x := vision.SiglipTower(v, vision.TowerPixels(b, visionConfig))
	p, pool := b.Scope("multi_modal_projector"), side/max(int64(math.Sqrt(float64(b.Size("mm_tokens_per_image")))), 1)
	if seen = pool > 0; seen {
		x = p.Add("reshape", "", Args{build.Ints("shape", dim, side, side)}, p.Swap(x))
		x = p.Add("avgPool2d", "avg_pool", Args{build.Int("kernelSize", pool), build.Int("stride", pool)}, x)
		x = p.Swap(p.Add("flatten", "", Args{build.Int("startDim", 2), build.Int("endDim", 3)}, x))
	}
	x = p.RMSNorm(x, "mm_soft_emb_norm", dim)
	return p.Add("matmul", "", nil, x, p.Param(x, "mm_input_projection_weight", dim, out)), seen
}
