package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/build"
	"github.com/modelverifier/verifier/internal/importer/hf/config"
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var _ = family.Define(family.Family{Type: "diffllama", Default: "DiffLlamaForCausalLM",
	Classes: stack.HeadedClasses("DiffLlama", stack.Layered(func(b *Build, x Node, _ int64) Node {
		return nn.PreNorm(b, x, b.Size("hidden_size"),
			func(x Node) Node { return differential(b.Scope("self_attn"), x, nn.RotaryAttention(b, 0)) },
			func(x Node) Node { return nn.DecoderMLP(b, x, false) })
	}), stack.SequenceClassification, stack.TokenClassification, stack.OldQuestionAnswering)})

// differential is attention whose second half of heads is subtracted from the first, by a trained factor. Each half
// of the values meets all heads.
func differential(b *Build, x Node, a nn.Attention) Node {
	a = a.Filled()
	if a.KV%2 != 0 {
		config.Fail(config.CodeContradiction, b.At("num_key_value_heads"),
			"is %d but must be even: the values are cut into halves by their heads", a.KV)
	}
	q, k, v := nn.Project(b, x, a)
	q, k = nn.Rotate(b, q, a.HeadDim, a.Base), nn.Rotate(b, k, a.HeadDim, a.Base)
	var sides []Node
	for i := range int64(2) {
		half := b.Chunk(v, 2, i)
		twice := b.Add("concatenate", "", Args{build.Int("dim", -1)}, half, half)
		sides = append(sides, b.Unflatten(b.Core(q, k, twice, a.Heads, a.KV, true), a.Heads, a.HeadDim))
	}
	both := b.Add("concatenate", "", Args{build.Int("dim", -1)}, sides...)
	first := b.Add("chunk", "", Args{build.Int("chunks", 2), build.Int("dim", 2), build.Int("index", 0)}, both)
	second := b.Add("chunk", "", Args{build.Int("chunks", 2), build.Int("dim", 2), build.Int("index", 1)}, both)
	factor := b.Add("subtract", "", nil, lambda(b, x, "1", a.HeadDim), lambda(b, x, "2", a.HeadDim))
	y := b.Add("subtract", "", nil, first, b.Add("multiply", "", nil, second, factor))
	y = b.Add("rmsNorm", "groupnorm", Args{build.Ints("normalizedShape", 2*a.HeadDim),
		build.Flag("elementwiseAffine", false)}, y)
	y = b.Flat(y)
	return b.Linear(y, a.O, a.Heads*a.HeadDim, a.Dim, a.OutBias)
}

// lambda is the exponential of the product of two trained vectors.
func lambda(b *Build, x Node, side string, dim int64) Node {
	var pair []Node
	for _, name := range []string{"lambda_q" + side, "lambda_k" + side} {
		pair = append(pair, b.Add("parameter", name, Args{build.Ints("shape", 1, 1, dim)}, x))
		b.Tensor(name, dim)
	}
	product := b.Add("multiply", "", nil, pair...)
	return b.Add("exp", "", nil, b.Add("sum", "", Args{build.Int("dim", -1), build.Flag("keepDim", true)}, product))
}
