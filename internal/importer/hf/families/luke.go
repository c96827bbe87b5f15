package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/build"
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var _ = family.Define(family.Family{Type: "luke", Default: "LukeForMaskedLM", Classes: map[string]func(*Build){
	"LukeForMaskedLM": func(b *Build) {
		x := luke(b.Scope("luke"))
		stack.BertPool(b.Scope("luke"), x) // is there, and no head reads it
		lukeEntities(b, x)
		b.Output(lukeWords(b, x))
	},
	"LukeModel": func(b *Build) {
		x := luke(b)
		b.Output(x)
		b.Output(stack.BertPool(b, x))
	},
}})

// luke is RoBERTa that can read entities behind the words. It does so only where a call names them; one that gives
// token ids alone leaves all that is there for entities unread: their tables, the projections of the queries from and
// to them, and the head that predicts them.
func luke(b *Build) Node {
	s := Bert{Padded: true, Single: true}
	words := tokens(b, s.longest(b), "embeddings.word_embeddings", b.Size("hidden_size"))
	lukeTables(b.Scope("entity_embeddings"), words)
	s.Attend = func(m *Build, x Node, a nn.Attention) Node {
		if b.Bool("use_entity_aware_attention") {
			for _, name := range []string{"w2e_query", "e2w_query", "e2e_query"} {
				unreadProjection(m.Scope("self"), x, name, a.Dim, a.Dim)
			}
		}
		q, k, v := nn.Project(m, x, a)
		return m.Linear(m.Scope("self").Core(q, k, v, a.Heads, a.Heads, false), a.O, a.Dim, a.Dim, true)
	}
	return s.encode(b, s.embed(b, words))
}

// lukeTables is what embeds entities.
func lukeTables(b *Build, x Node) {
	dim, width := b.Size("hidden_size"), b.Size("entity_emb_size")
	b.Param(x, "entity_embeddings.weight", b.Size("entity_vocab_size"), width)
	if width != dim {
		b.Param(x, "entity_embedding_dense.weight", dim, width)
	}
	b.Param(x, "position_embeddings.weight", b.Size("max_position_embeddings"), dim)
	b.Param(x, "token_type_embeddings.weight", b.Size("type_vocab_size"), dim)
	unreadNorm(b, x, "LayerNorm", dim)
}

// unreadProjection is the tensors of a projection that is there, and that this use of the class leaves alone.
func unreadProjection(b *Build, x Node, name string, in, out int64) {
	b.Param(x, name+".weight", out, in)
	b.Param(x, name+".bias", out)
}

// unreadNorm is those of a norm.
func unreadNorm(b *Build, x Node, name string, dim int64) {
	b.Param(x, name+".weight", dim)
	b.Param(x, name+".bias", dim)
}

// lukeWords is RoBERTa's head, whose weight is never tied, only its bias.
func lukeWords(b *Build, x Node) Node {
	p, dim, vocab := b.Scope("lm_head"), b.Size("hidden_size"), b.Size("vocab_size")
	x = p.LayerNorm(p.Act(p.Linear(x, "dense", dim, dim, true), "gelu", "hidden_act"), "layer_norm", dim, true)
	bias := "bias"
	if !b.Bool("tie_word_embeddings") {
		p.Param(x, "bias", vocab) // is there, and no one reads it
		bias = "decoder.bias"
	}
	n := p.Add("lmHead", "decoder", Args{build.Int("embedDim", dim), build.Int("vocabSize", vocab),
		build.Flag("bias", true)}, x)
	p.Tensor("decoder.weight", vocab, dim)
	p.Tensor(bias, vocab)
	return n
}

// lukeEntities is the head that predicts entities, by their table or by one of its own.
func lukeEntities(b *Build, x Node) {
	p, width, vocab := b.Scope("entity_predictions"), b.Size("entity_emb_size"), b.Size("entity_vocab_size")
	unreadProjection(p, x, "transform.dense", b.Size("hidden_size"), width)
	unreadNorm(p, x, "transform.LayerNorm", width)
	if !b.Bool("tie_word_embeddings") {
		p.Param(x, "decoder.weight", vocab, width)
	}
	p.Param(x, "bias", vocab)
}
