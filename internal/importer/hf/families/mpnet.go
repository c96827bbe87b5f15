package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/build"
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var _ = family.Define(family.Family{Type: "mpnet", Default: "MPNetForMaskedLM",
	Classes: stack.Encoder{Prefix: "mpnet", Model: mpnet, Pool: stack.BertPool, Words: stack.RobertaWords,
		Whole: stack.FrontClass("tanh")}.
		Classes("MPNet", stack.MaskedLM, stack.SequenceClassification, stack.TokenClassification,
			stack.QuestionAnswering)})

// mpnet is BERT whose layers share one bias for each distance between two positions.
func mpnet(b *Build) (x, table Node) {
	s := Bert{Pads: true, NoTypes: true, AttnNorm: "LayerNorm"}
	table = tokens(b, s.longest(b), "embeddings.word_embeddings", b.Size("hidden_size"))
	x = s.embed(b, table)
	bias := mpnetBias(b.Scope("encoder"), x, b.Length(s.longest(b)))
	s.Attend = func(m *Build, x Node, a nn.Attention) Node {
		a.Q, a.K, a.V, a.O = "attn.q", "attn.k", "attn.v", "attn.o"
		q, k, v := nn.Project(m, x, a)
		return m.Linear(m.Core(q, k, v, a.Heads, a.Heads, false, bias), a.O, a.Dim, a.Dim, true)
	}
	return s.encode(b, x), table
}

// mpnetBias has 32 buckets, whatever the size of its table: a smaller one is read beyond its end.
func mpnetBias(b *Build, x Node, length int64) Node {
	const name = "relative_attention_bias"
	heads, rows := b.Size("num_attention_heads"), b.Size("relative_attention_num_buckets")
	if last := mpnetBucket(length - 1); rows <= last {
		n := b.Add("parameter", name, Args{build.Ints("shape", rows, heads)}, x)
		b.Tensor(name+".weight", rows, heads)
		n = b.Add("select", name, Args{build.Int("dim", 1), build.Int("index", last)}, n)
		return b.Add("reshape", name, Args{build.Ints("shape", heads, 1, 1)}, n)
	}
	zeros := b.Constant(x, "position_bias", heads, length, length)
	n := b.Add("relativePositionBias", name, Args{build.Int("numHeads", heads), build.Int("numBuckets", rows)}, zeros)
	b.Tensor(name+".weight", rows, heads)
	return n
}

// mpnetBucket is the bucket of a key that many positions behind the query: 16 lie behind it, of which the first 8 are
// for one distance each, and the others begin at 8 times a power of the root of 2.
func mpnetBucket(distance int64) int64 {
	if distance < 8 {
		return 16*min(distance, 1) + distance
	}
	bucket := int64(16 + 7)
	for _, first := range []int64{8, 12, 16, 23, 32, 46, 64, 91} {
		if distance >= first {
			bucket++
		}
	}
	return bucket
}
