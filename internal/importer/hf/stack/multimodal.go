package stack

import (
	"github.com/modelverifier/verifier/internal/importer/hf/build"
	"github.com/modelverifier/verifier/internal/importer/hf/config"
)

// Scatter puts the vectors of pictures or sounds in the places of the text that stand for them.
func Scatter(b *build.Build, text, features build.Node, dim int64) build.Node {
	if build.LeaveOut(b, text, features) {
		return text
	}
	return b.OpaqueOf([]build.Node{text, features}, "masked_scatter", []int64{b.TextLength(), dim}, 0)
}

// Multimodal adds a decoder whose input also has embeddings of images or sounds, and its head. The head is tied by the outer config.
func Multimodal(b *build.Build, text *config.Config, d Decoder, prefix, head string) {
	b.Output(MultimodalLogits(b, text, d, prefix, head))
}

// MultimodalLogits is multimodal without the output, which it returns.
func MultimodalLogits(b *build.Build, text *config.Config, d Decoder, prefix, head string) build.Node {
	t := b.With(text)
	x, embedding := Trunk(t, d, prefix)
	d = d.Filled(t)
	if head == "" {
		return x
	}
	return LMHead(b, x, head, d.Dim, t.Size("vocab_size"), d.HeadBias, embedding, b.Bool("tie_word_embeddings"))
}
