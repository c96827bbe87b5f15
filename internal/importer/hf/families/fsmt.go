package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var _ = family.Define(family.Family{Type: "fsmt", Default: "FSMTForConditionalGeneration",
	Classes: map[string]func(*Build){
		"FSMTForConditionalGeneration": func(b *Build) { stack.ConditionalGeneration(b, fsmt(b)) },
	}})

// fsmt has a vocabulary for each language, and its head inside the decoder. Its fixed positions are a weight that
// starts behind the padding's number.
func fsmt(b *Build) stack.Seq2Seq {
	return stack.Seq2Seq{Head: "model.decoder.output_projection", Vocab: "src_vocab_size", Target: "tgt_vocab_size",
		Shared: "encoder.embed_tokens", OwnTables: !stack.Tied(b),
		Positions: func(b *Build, x Node, _ string) Node {
			return b.Positions(x, "embed_positions", b.Size("max_position_embeddings")+b.Or("pad_token_id", 1)+1,
				b.Size("d_model"))
		}}
}
