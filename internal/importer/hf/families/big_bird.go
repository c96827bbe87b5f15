package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/build"
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
	"github.com/modelverifier/verifier/internal/transformers"
)

var _ = family.Define(family.Family{Type: "big_bird", Default: "BigBirdForMaskedLM",
	Classes: stack.Encoder{Prefix: "bert", Model: bigBird, Pool: directPool, Pooled: true, Words: stack.BertWords,
		Whole: stack.FrontClass("")}.
		Classes("BigBird", stack.MaskedLM, stack.ForCausalLM, stack.SequenceClassification, stack.TokenClassification)})

// bigBird is BERT whose attention skips blocks of the scores of long texts, which the graph does not tell apart from
// full attention but for filling the text up to whole blocks, and for how it is written.
func bigBird(b *Build) (x, table Node) {
	s := Bert{Bias: "use_bias"}
	length := b.Length(s.longest(b))
	filled := wholeBlocks(b, length)
	if filled == 0 || b.Bool("is_decoder") {
		return s.model(b)
	}
	s.Attend = sparseAttend
	return encodeFilled(b, s, filled)
}

// wholeBlocks is the length of a text filled up to whole blocks, 0 where it is too short to skip any, or skipping is
// not asked for.
func wholeBlocks(b *Build, length int64) int64 {
	size, drawn := b.SizeOr("block_size", 64), b.Or("num_random_blocks", 3)
	if b.Has("attention_type") && b.Str("attention_type") != "block_sparse" || drawn < 0 || drawn > length ||
		length <= build.Product(b, 5+2*drawn, size) {
		return 0
	}
	return nn.BlocksOf(length, size) * size
}

// sparseAttend is attention that skips blocks.
func sparseAttend(b *Build, x Node, a nn.Attention) Node {
	a = a.Filled()
	q, k, v := nn.Project(b, x, a)
	y := b.Core(q, k, v, a.Heads, a.KV, false)
	build.Written(b, y, func(m *transformers.Attention) { m.Sparse = true })
	b.SetSize(y, "blockSize", b.SizeOr("block_size", 64))
	b.SetSize(y, "randomBlocks", b.Or("num_random_blocks", 3))
	return b.Linear(y, a.O, a.Heads*a.HeadDim, a.Dim, a.OutBias)
}
