package nn

import (
	"github.com/modelverifier/verifier/internal/importer/hf/build"
	"github.com/modelverifier/verifier/internal/transformers"
)

// IndexMask adds DeepSeek's indexer: small heads of their own score every earlier position, and only the index_topk
// best are seen. It gives what is added to the scores of the attention, the same for all heads. The latent is that of
// the queries.
func IndexMask(b *build.Build, x, latent build.Node, l Latent) build.Node {
	m, heads, dim, length := b.Scope("indexer"), b.Size("index_n_heads"), b.Size("index_head_dim"), b.TextLength()
	q := RotateHead(m, m.Linear(latent, "wq_b", l.Q, heads*dim, false), heads, dim, l)
	k := m.LayerNorm(m.Linear(x, "wk", l.Dim, dim, false), "k_norm", dim, true)
	k = RotateHead(m, k, 1, dim, l)
	weights := m.Linear(x, "weights_proj", l.Dim, heads, false)
	scores := m.Add("einsum", "", build.Args{build.Text("equation", "bshd,btd->bsht")}, m.Unflatten(q, heads, dim), k)
	m.As(scores, transformers.Spread{})
	scores = m.Add("einsum", "", build.Args{build.Text("equation", "bsh,bsht->bst")}, weights,
		m.Add("relu", "", nil, scores))
	return m.Detach(m.Opaque(scores, "", []int64{1, length, length}, 0)) // chooses the best, and hides the others
}

// RotateHead rotates the first features of each head by the position.
func RotateHead(b *build.Build, x build.Node, heads, dim int64, l Latent) build.Node {
	if l.Rope >= dim {
		return Rotate(b, x, l.Rope, l.Base) // beyond the head the model cannot run, which the component says
	}
	x = b.Unflatten(x, heads, dim)
	rotated := Rotate(b, b.Flat(b.Slice(x, 0, l.Rope)), l.Rope, l.Base)
	return b.Flat(Beside(b, b.Unflatten(rotated, heads, l.Rope), b.Slice(x, l.Rope, dim)))
}

// AttendIndexed is latent attention to what an indexer has chosen. Where mask is not nil it is used, or set by the
// first layer that has an indexer.
func AttendIndexed(b *build.Build, x build.Node, own bool, mask *build.Node) build.Node {
	l, m := LatentOf(b), b.Scope("self_attn")
	if l.Q == 0 {
		b.Missing("q_lora_rank")
	}
	latent := queryLatent(m, x, l)
	q := latentQueries(m, latent, l)
	k, v := LatentKeys(m, x, l)
	if own {
		*mask = IndexMask(m, x, latent, l)
	}
	y := m.Core(q, k, v, l.Heads, l.Heads, true, *mask)
	return m.Linear(y, "o_proj", l.Heads*l.Value, l.Dim, l.Bias)
}
