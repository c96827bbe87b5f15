package hf

var _ = define(Family{Type: "diffllama", Default: "DiffLlamaForCausalLM", Classes: headed("DiffLlama", layered(func(b *Build, x Node, _ int64) Node {
	return b.PreNorm(x, b.Size("hidden_size"),
		func(x Node) Node { return b.Scope("self_attn").differential(x, b.rotaryAttention(0)) },
		func(x Node) Node { return b.mlp(x, false) })
}), sequences, tokens, oldAnswers)})

// differential is attention whose second half of heads is subtracted from the first, by a trained factor. Each half of the
// values meets all heads.
func (b *Build) differential(x Node, a Attention) Node {
	a = a.filled()
	if a.KV%2 != 0 {
		fail(CodeContradiction, b.at("num_key_value_heads"), "is %d but must be even: the values are cut into halves by their heads", a.KV)
	}
	q, k, v := b.project(x, a)
	q, k = b.Rotate(q, a.HeadDim, a.Base), b.Rotate(k, a.HeadDim, a.Base)
	var sides []Node
	for i := range int64(2) {
		half := b.Chunk(v, 2, i)
		twice := b.Add("concatenate", "", Args{Int("dim", -1)}, half, half)
		sides = append(sides, b.Unflatten(b.Core(q, k, twice, a.Heads, a.KV, true), a.Heads, a.HeadDim))
	}
	both := b.Add("concatenate", "", Args{Int("dim", -1)}, sides...)
	first := b.Add("chunk", "", Args{Int("chunks", 2), Int("dim", 2), Int("index", 0)}, both)
	second := b.Add("chunk", "", Args{Int("chunks", 2), Int("dim", 2), Int("index", 1)}, both)
	factor := b.Add("subtract", "", nil, b.lambda(x, "1", a.HeadDim), b.lambda(x, "2", a.HeadDim))
	y := b.Add("subtract", "", nil, first, b.Add("multiply", "", nil, second, factor))
	y = b.Add("rmsNorm", "groupnorm", Args{Ints("normalizedShape", 2*a.HeadDim), Flag("elementwiseAffine", false)}, y)
	y = b.Add("flatten", "", Args{Int("startDim", 2)}, y)
	return b.Linear(y, a.O, a.Heads*a.HeadDim, a.Dim, a.OutBias)
}

// lambda is the exponential of the product of two trained vectors.
func (b *Build) lambda(x Node, side string, dim int64) Node {
	var pair []Node
	for _, name := range []string{"lambda_q" + side, "lambda_k" + side} {
		pair = append(pair, b.Add("parameter", name, Args{Ints("shape", 1, 1, dim)}, x))
		b.Tensor(name, dim)
	}
	product := b.Add("multiply", "", nil, pair...)
	return b.Add("exp", "", nil, b.Add("sum", "", Args{Int("dim", -1), Flag("keepDim", true)}, product))
}
