package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/build"
	"github.com/modelverifier/verifier/internal/importer/hf/config"
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
	"github.com/modelverifier/verifier/internal/transformers"
)

var _ = family.Define(family.Family{Type: "jetmoe", Default: "JetMoeForCausalLM",
	Classes: stack.HeadedClasses("JetMoe", stack.Layered(jetMoE), stack.SequenceClassification)})

// jetMoE has experts in the network and, for queries and the last projection, in attention.
func jetMoE(b *Build, x Node, _ int64) Node {
	dim, count, top := b.Size("hidden_size"), b.Size("num_local_experts"), b.Size("num_experts_per_tok")
	if top > count {
		config.Fail(config.CodeContradiction, b.At("num_experts_per_tok"), "is %d but num_local_experts is %d", top,
			count)
	}
	return nn.PreNorm(b, x, dim,
		func(x Node) Node { return jetAttention(b.Scope("self_attention"), x, dim, count, top) },
		func(x Node) Node {
			y := nn.AddExperts(b, x, "mlp", nn.Experts{Dim: dim, Count: count, TopK: top,
				Hidden: b.Size("intermediate_size"), Router: "router.layer", Run: transformers.Looped,
				List: func(m *Build, e nn.Experts) {
					m.Tensor("input_linear.weight", e.Count, 2*e.Hidden, e.Dim)
					m.Tensor("output_linear.weight", e.Count, e.Dim, e.Hidden)
				}})
			return shift(b.Scope("mlp"), y, "bias", dim)
		})
}

// jetAttention is attention in which each of the chosen experts has its own queries for the same heads of keys and
// values. The positions are gathered for each expert and go back to their places, and keys and values are repeated
// for each, so that no kernel is asked to.
func jetAttention(b *Build, x Node, dim, count, top int64) Node {
	kv, headDim, n := b.Size("num_key_value_heads"), b.Size("kv_channels"), b.Length(b.MaxPositions())
	wide, m, base := kv*headDim, b.Scope("experts"), b.RopeBase()
	q := m.Opaque(repeatedFor(m, x, top), "", []int64{n, top * wide}, n, build.T("router.layer.weight", count, dim),
		build.T("input_linear.weight", count, wide, dim))
	m.Set(q, "flops", build.Int("", 2*n*dim*(count+top*wide)).Value)
	q = m.Opaque(q, "", []int64{n, top * wide}, n) // the sum over the experts keeps what it adds
	both := b.Linear(x, "kv_proj", dim, 2*wide, false)
	k, v := b.Chunk(both, 2, 0), b.Chunk(both, 2, 1)
	k, v = repeatedFor(m, nn.Rotate(b, k, headDim, base), top), repeatedFor(m, v, top)
	y := b.Core(nn.Rotate(b, q, headDim, base), k, v, kv*top, kv*top, true)
	y = m.Opaque(nn.Moved(m, y, "", n, top*wide), "", []int64{n, top * dim}, n,
		build.T("output_linear.weight", count, dim, wide))
	m.Set(y, "flops", build.Int("", 2*n*dim*top*wide).Value)
	y = m.Opaque(m.Opaque(y, "", []int64{n, top * dim}, n), "", []int64{n, dim}, n) // weighted, and summed
	return shift(m, y, "bias", dim)
}

// repeatedFor repeats its input for each expert of a token.
func repeatedFor(b *Build, x Node, count int64) Node {
	all := make([]Node, count)
	for i := range all {
		all[i] = x
	}
	return b.Add("concatenate", "", Args{build.Int("dim", -1)}, all...)
}

// shift adds a trained vector to every position.
func shift(b *Build, x Node, name string, dim int64) Node {
	w := b.Add("parameter", name, Args{build.Ints("shape", 1, dim)}, x)
	b.Tensor(name, dim)
	return b.Add("add", name, nil, x, w)
}
