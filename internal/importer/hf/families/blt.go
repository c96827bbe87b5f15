package families

import (
	"cmp"

	"github.com/modelverifier/verifier/internal/importer/hf/build"
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var _ = family.Define(family.Family{Type: "blt", Default: "BltForCausalLM", Classes: map[string]func(*Build){
	"BltForCausalLM": func(b *Build) { blt(b, "model", true) },
	"BltModel":       func(b *Build) { blt(b, "", false) },
}})

// blt reads bytes: a small model tells where patches end, a local encoder sums each patch up, a global transformer
// works on the patches, and a local decoder turns them into bytes again. How many patches there are depends on the
// text: the graph has them patch_size bytes long.
func blt(b *Build, prefix string, head bool) {
	m, enc, dec, glob := b.Scope("%s", prefix), b.Sub("encoder_config", ""), b.Sub("decoder_config", ""),
		b.Sub("global_config", "")
	dim, out, vocab := enc.Size("hidden_size"), dec.Size("hidden_size"), b.Size("vocab_size")
	ids := b.Tokens("input_ids", b.MaxPositions())
	bytes := b.Length(b.MaxPositions())
	patches := max(1, bytes/b.SizeOr("patch_size", 1))
	tied := head && b.Bool("tie_word_embeddings")
	e := m.Scope("local_encoder")
	rows, width := enc.Size("vocab_size"), dim
	if tied {
		rows, width = vocab, out // the encoder then has the table of the head
	}
	embedding := e.Embedding(ids, "embed_tokens", rows, width)
	x := bltHashes(m, embedding, ids, dim)
	cut := x
	if b.Bool("patch_in_forward") {
		cut = bltPatcher(m.Scope("patcher").With(b.Sub("patcher_config", "")), ids)
	}
	x, p := bltEncoder(e.With(enc), x, cut, patches)

	g := m.Scope("global_transformer").With(glob)
	p = g.Reshape(p, patches, -1)
	if all := dim * b.Size("cross_attn_k"); all != glob.Size("hidden_size") {
		p = g.Linear(p, "token_embedding_projection", all, glob.Size("hidden_size"), false)
	}
	for i := range glob.Int("num_hidden_layers") {
		p = bltLayer(g.Scope("layers.%d", i), p)
	}
	x = bltDecoder(m.Scope("local_decoder").With(dec), x, p)
	if head {
		x = stack.LMHead(b, x, "lm_head", out, vocab, false, embedding, tied)
	}
	b.Output(x)
}

// bltHashes adds vectors for the hashes of the groups of bytes that end at each byte.
func bltHashes(b *Build, x, ids Node, dim int64) Node {
	groups := int64(len(b.List("encoder_hash_byte_group_size")))
	if groups == 0 {
		groups = 6 // of 3 to 8 bytes
	}
	groups *= b.Size("encoder_hash_byte_group_nb_functions")
	all := []Node{x}
	for m, i := b, int64(0); i < groups; i++ {
		all = append(all, m.Embedding(ids, "encoder_hash_tok_embedding",
			b.Size("encoder_hash_byte_group_vocab")*groups, dim))
		m = b.Again()
	}
	return b.Add("add", "encoder_hash_tok_embedding", nil, all...)
}

// bltWidth is intermediate_size, or eight thirds of hidden_size.
func bltWidth(b *Build) int64 {
	if n := b.Or("intermediate_size", 0); n != 0 {
		return n
	}
	return 8 * b.Size("hidden_size") / 3
}

func bltHeads(b *Build) nn.Attention {
	dim, heads := b.Size("hidden_size"), b.Size("num_attention_heads")
	kv := b.Or("num_key_value_heads", 0)
	if kv == 0 {
		kv = heads
	}
	return nn.Attention{Dim: dim, Heads: heads, KV: kv, HeadDim: dim / heads, Rotary: true, Causal: true,
		Base: nn.BaseOf(b, "", 500_000)}
}

func bltLayer(b *Build, x Node) Node {
	a := bltHeads(b)
	return nn.PreNorm(b, x, a.Dim,
		func(x Node) Node { return nn.Attend(b, x, "self_attn", a) },
		func(x Node) Node {
			return nn.GatedMLP(b, x, "mlp", nn.Gated{Dim: a.Dim, Hidden: bltWidth(b),
				Act: cmp.Or(b.Str("hidden_act"), "silu")})
		})
}

// bltPatcher predicts the next byte; a patch ends where that is hard.
func bltPatcher(b *Build, ids Node) Node {
	dim, vocab := b.Size("hidden_size"), b.Size("vocab_size")
	x := b.Embedding(ids, "embed_tokens", vocab, dim)
	for i := range b.Int("num_hidden_layers") {
		x = bltLayer(b.Scope("layers.%d", i), x)
	}
	return stack.LMHead(b, b.RMSNorm(x, "norm", dim), "lm_head", dim, vocab, false, 0, false)
}

// bltEncoder gives the bytes and the patches, each of which is cross_attn_k vectors that attend to the bytes.
func bltEncoder(b *Build, x, cut Node, patches int64) (Node, Node) {
	dim, k, all, count := b.Size("hidden_size"), b.Size("cross_attn_k"), b.Bool("cross_attn_all_layers"),
		b.Size("num_hidden_layers")
	p, again := Node(0), b
	for i := range count {
		x = bltLayer(b.Scope("layers.%d", i), x)
		if i != count-1 && !all {
			continue
		}
		p = b.Add("customModule", "patch_reduce",
			Args{build.Ints("outShape", patches, dim), build.Int("numParams", 0), build.Int("flops", 0)}, x, cut)
		p = again.Linear(p, "patch_embedding_projection", dim, dim*k, false)
		again = b.Again()
		p = b.Reshape(p, patches*k, dim)
		place := i
		if !all {
			place = 0
		}
		p = b.Residual(p, bltCross(b.Scope("cross_attn_layers.%d", place), p, x))
	}
	return x, p
}

func bltDecoder(b *Build, x, p Node) Node {
	dim, k, all := b.Size("hidden_size"), b.Size("cross_attn_k"), b.Bool("cross_attn_all_layers")
	p = b.Linear(p, "patch_embedding_projection", b.Size("hidden_size_global"), dim*k, false)
	p = b.Reshape(p, -1, dim)
	for i := range b.Int("num_hidden_layers") {
		if i == 0 || all {
			x = b.Residual(x, bltCross(b.Scope("cross_attn_layers.%d", i), x, p))
		}
		x = bltLayer(b.Scope("layers.%d", i), x)
	}
	return b.RMSNorm(x, "norm", dim)
}

// bltCross is attention to a memory, with norms before its projections and a residual around.
func bltCross(b *Build, x, memory Node) Node {
	a := bltHeads(b)
	a.Rotary, a.Memory, a.MemoryDim = false, b.RMSNorm(memory, "k_norm", a.Dim), a.Dim
	return b.Residual(nn.Attend(b, b.RMSNorm(x, "q_norm", a.Dim), "", a), x)
}
