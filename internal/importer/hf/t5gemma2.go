package hf

import "math"

var _ = define(Family{Type: "t5gemma2", Default: "T5Gemma2ForConditionalGeneration", Classes: map[string]func(*Build){"T5Gemma2ForConditionalGeneration": t5Gemma2}})

// t5Gemma2 reads an image in the encoder's text, and its decoder looks at itself and at the encoder with one attention.
func t5Gemma2(b *Build) {
	whole, d := b.Part(encoder, "t5gemma2_encoder", ""), b.Part(decoder, "t5gemma2_decoder", "")
	text, vision := whole.Part("text_config", "t5gemma2_text", ""), whole.Part("vision_config", "siglip_vision_model", "")
	for _, key := range []string{"hidden_size", "vocab_size"} {
		if mine, theirs := text.Size(key), d.Size(key); mine != theirs {
			fail(CodeContradiction, text.at(key), "is %d but that of the decoder is %d", mine, theirs)
		}
	}
	m := b.Scope("model")
	e := m.Scope("encoder.text_model").With(text)
	dim, length := text.Size("hidden_size"), b.Length(e.MaxPositions())
	words, table := e.t5Gemma2Words(b.Input("input_ids", length), length)
	if image, seen := m.Scope(encoder).With(whole).t5Gemma2See(vision, dim); seen {
		words = e.scatter(words, image, dim)
	}
	memory := e.t5GemmaStack(words, func(m *Build, x Node, i int64) Node {
		x = m.between(x, "self_attn_layernorm", func(x Node) Node { return m.Attend(x, "self_attn", m.t5Gemma2Attention(i)) })
		return m.t5GemmaFeed(x)
	})
	o := m.Scope(decoder).With(d)
	place := o
	if b.tied() {
		place = e.Again()
	}
	own := b.Length(o.MaxPositions())
	x, head := place.t5Gemma2Words(b.Input("decoder_input_ids", own), own)
	x = o.t5GemmaStack(x, func(m *Build, x Node, i int64) Node {
		x = m.between(x, "self_attn_layernorm", func(x Node) Node { return m.Scope("self_attn").merged(x, memory, m.t5Gemma2Attention(i), own, length) })
		return m.t5GemmaFeed(x)
	})
	if b.tied() {
		head = table
	}
	b.Output(b.LMHead(x, "lm_head.out_proj", dim, d.Size("vocab_size"), false, head, b.tied()))
}

// t5Gemma2Words embeds a text. The token behind an image has a vector of its own.
func (b *Build) t5Gemma2Words(tokens Node, length int64) (x, table Node) {
	dim := b.Size("hidden_size")
	table = b.Embedding(tokens, "embed_tokens", b.Size("vocab_size"), dim)
	end := b.Param(tokens, "embed_tokens.eoi_embedding", dim)
	return b.Add("customModule", "embed_tokens", Args{Ints("outShape", length, dim), Int("numParams", 0), Int("flops", 0)}, table, end), table
}

func (b *Build) t5Gemma2Attention(i int64) Attention {
	a := b.t5GemmaAttention()
	a.Norm, a.Base = HeadRMS, 1_000_000
	kind := "full_attention"
	if b.t5GemmaSlides(i, b.SizeOr("sliding_window_pattern", 6)) {
		a.Base, kind = 10_000, "sliding_attention"
	}
	if all, ok := b.value("rope_parameters").(map[string]any); ok {
		if own, ok := all[kind].(map[string]any); ok {
			if c := (&Config{values: own, path: b.at("rope_parameters." + kind)}); c.Has("rope_theta") {
				a.Base = c.Float("rope_theta")
			}
		}
	}
	return a
}

// merged is attention to a sequence itself and, through the same maps, to another.
func (b *Build) merged(x, memory Node, a Attention, own, other int64) Node {
	a = a.filled()
	q, k, v := b.project(x, a)
	q, k = b.normHeads(q, a.QNorm, a.Heads, a), b.normHeads(k, a.KNorm, a.KV, a)
	q, k = b.Rotate(q, a.HeadDim, a.Base), b.Rotate(k, a.HeadDim, a.Base)
	again := b.Again()
	k2, v2 := again.Linear(memory, a.K, a.Dim, a.KV*a.HeadDim, a.Bias), again.Linear(memory, a.V, a.Dim, a.KV*a.HeadDim, a.Bias)
	k2 = again.normHeads(k2, a.KNorm, a.KV, a)
	mask := b.Fixed(x, "mask", 1, own, own+other)
	y := b.Core(q, b.Join(k, k2), b.Join(v, v2), a.Heads, a.KV, false, mask)
	return b.Linear(y, a.O, a.Heads*a.HeadDim, a.Dim, a.OutBias)
}

// t5Gemma2See is SigLIP and a map of its averaged patches to words. An image that has too few patches for the words that are
// asked for, as with the defaults, is never seen: such a model reads text only.
func (b *Build) t5Gemma2See(vision *Config, out int64) (words Node, seen bool) {
	v := b.Scope("vision_tower").With(vision)
	dim, side := v.Size("hidden_size"), v.Size("image_size")/v.Size("patch_size")
	x := v.siglipTower(b.pixels(vision))
	p, pool := b.Scope("multi_modal_projector"), side/max(int64(math.Sqrt(float64(b.Size("mm_tokens_per_image")))), 1)
	if seen = pool > 0; seen {
		x = p.Add("reshape", "", Args{Ints("shape", dim, side, side)}, p.Swap(x))
		x = p.Add("avgPool2d", "avg_pool", Args{Int("kernelSize", pool), Int("stride", pool)}, x)
		x = p.Swap(p.Add("flatten", "", Args{Int("startDim", 2), Int("endDim", 3)}, x))
	}
	x = p.RMSNorm(x, "mm_soft_emb_norm", dim)
	return p.Add("matmul", "", nil, x, p.Param(x, "mm_input_projection_weight", dim, out)), seen
}
