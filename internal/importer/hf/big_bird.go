package hf

import "fmt"

var _ = define(Family{Type: "big_bird", Default: "BigBirdForMaskedLM",
	Classes: Encoder{Prefix: "bert", Model: bigBird, Pool: directPool, Pooled: true, Words: bertWords, Whole: frontClass("")}.
		classes("BigBird", masked, nextOne, sequences, tokens)})

// bigBird is BERT whose attention skips blocks of the scores of long texts, which the graph does not tell apart from full attention but for
// filling the text up to whole blocks, and for how it is written.
func bigBird(b *Build) (x, table Node) {
	s := Bert{Bias: "use_bias"}
	length := b.Length(s.longest(b))
	filled := b.wholeBlocks(length)
	if filled == 0 || b.Bool("is_decoder") {
		return s.model(b)
	}
	s.Attend = func(m *Build, x Node, a Attention) Node { return m.sparseAttend(x, a) }
	return b.encodeFilled(s, filled)
}

// wholeBlocks is the length of a text filled up to whole blocks, 0 where it is too short to skip any, or skipping is not asked for.
func (b *Build) wholeBlocks(length int64) int64 {
	size, drawn := b.SizeOr("block_size", 64), b.Or("num_random_blocks", 3)
	if b.Has("attention_type") && b.Str("attention_type") != "block_sparse" || drawn < 0 || drawn > length || length <= b.product(5+2*drawn, size) {
		return 0
	}
	return blocksOf(length, size) * size
}

// sparseAttend is attention that skips blocks.
func (b *Build) sparseAttend(x Node, a Attention) Node {
	a = a.filled()
	q, k, v := b.project(x, a)
	y := b.Core(q, k, v, a.Heads, a.KV, false)
	b.way(y, fmt.Sprintf("blocks%d/random%d", b.SizeOr("block_size", 64), b.Or("num_random_blocks", 3)))
	return b.Linear(y, a.O, a.Heads*a.HeadDim, a.Dim, a.OutBias)
}
