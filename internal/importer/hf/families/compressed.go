package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/build"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
)

// compressedAttention is DeepSeek-V4's: all heads share one vector of a position as key and value, and beside those
// of a window they see vectors that stand for many positions each.
func compressedAttention(b *Build, x Node, kind string) Node {
	dim, heads, head, rank, length := b.Size("hidden_size"), b.Size("num_attention_heads"), b.Size("head_dim"),
		b.Size("q_lora_rank"), b.TextLength()
	latent := b.RMSNorm(b.Linear(x, "q_a_proj", dim, rank, false), "q_a_norm", rank)
	q := b.Add("qkNorm", "q_b_norm", Args{build.Int("headDim", head), build.Flag("elementwiseAffine", false)},
		b.Linear(latent, "q_b_proj", rank, heads*head, false))
	q = v4Rotate(b, q, heads, head)
	kv := v4Rotate(b, b.RMSNorm(b.Linear(x, "kv_proj", dim, head, false), "kv_norm", head), 1, head)
	var y Node
	if kind == "sliding_attention" {
		y = b.Core(q, kv, kv, heads, 1, true)
		b.Set(y, "windowSize", build.Int("", b.Size("sliding_window")).Value)
	} else {
		kv, mask := compress(b.Scope("compressor"), x, latent, kv, kind, length)
		y = b.Core(q, kv, kv, heads, 1, false, mask)
	}
	b.Set(y, "sinks", build.Flag("", true).Value)
	b.Tensor("sinks", heads)
	return groupedOut(b, v4Rotate(b, y, heads, head), heads*head, dim)
}

// groupedOut projects each group of heads by a matrix of its own, and all of them to the model's features.
func groupedOut(b *Build, x Node, wide, dim int64) Node {
	groups, rank := b.Size("o_groups"), b.Size("o_lora_rank")
	weight := b.Add("parameter", "o_a_proj.weight", Args{build.Ints("shape", groups, rank, wide/groups)}, x)
	b.Tensor("o_a_proj.weight", groups*rank, wide/groups)
	x = einsum(b, "bsgi,bgoi->bsgo", b.Unflatten(x, groups, wide/groups), weight)
	return b.Linear(b.Flat(x), "o_b_proj", groups*rank, dim, false)
}

// v4Rotate rotates the last features of each head by the position: qk_rope_head_dim of them, or a part of the head.
func v4Rotate(b *Build, x Node, heads, head int64) Node {
	factor := 0.125
	switch {
	case b.Has("partial_rotary_factor"):
		factor = b.Float("partial_rotary_factor")
	case b.Has("qk_rope_head_dim"):
		factor = float64(b.Int("qk_rope_head_dim")) / float64(head)
	}
	rope := int64(float64(head) * factor)
	if rope < 2 || rope > head {
		return x
	}
	return nn.RotateTail(b, x, nn.Latent{Heads: heads, Nope: head - rope, Rope: rope, Query: head, Base: b.RopeBase()})
}

// compress gives the keys of all positions and behind them those that stand for many, with what hides keys from
// queries.
func compress(b *Build, x, latent, kv Node, kind string, length int64) (keys, mask Node) {
	dim, head, rate := b.Size("hidden_size"), b.Size("head_dim"), compressRate(b, kind)
	windows := length / rate
	if kind != "compressed_sparse_attention" {
		short := compressedWindows(b, x, dim, head, head, rate, length)
		mask = b.Constant(x, "block_bias", 1, length, length+windows)
		return behind(b, kv, short, windows), mask
	}
	short := compressedWindows(b, x, dim, 2*head, head, rate, length)
	m, heads, small := b.Scope("indexer"), b.Size("index_n_heads"), b.Size("index_head_dim")
	k := compressedWindows(m, x, dim, 2*small, small, rate, length)
	q := v4Rotate(m, m.Linear(latent, "q_b_proj", b.Size("q_lora_rank"), heads*small, false), heads, small)
	weights := m.Linear(x, "scorer.weights_proj", dim, heads, false)
	scores := m.Add("relu", "", nil, einsum(m, "bshd,btd->bsht", m.Unflatten(q, heads, small), k))
	scores = einsum(m, "bsh,bsht->bst", weights, scores)
	// keeps the index_topk best
	return behind(b, kv, short, windows), m.Opaque(scores, "", []int64{1, length, length + windows}, 0)
}

// behind appends the vectors of windows, of which a short text has none.
func behind(b *Build, kv, short Node, windows int64) Node {
	if windows == 0 {
		return kv
	}
	return b.Join(kv, short)
}

// compressedWindows sums up each window of positions, weighted by a gate. A text shorter than a window has none, and
// what is computed here is not used: then one stands for them.
func compressedWindows(b *Build, x Node, dim, wide, head, rate, length int64) Node {
	kv, gate := b.Linear(x, "kv_proj", dim, wide, false), b.Linear(x, "gate_proj", dim, wide, false)
	short := b.OpaqueOf([]Node{kv, gate}, "", []int64{max(length/rate, 1), head}, build.Product(b, 4, length, wide),
		build.T("position_bias", rate, wide))
	return v4Rotate(b, b.RMSNorm(short, "kv_norm", head), 1, head)
}

// compressRate is how many positions a vector stands for: in compress_rates, under its older name, or the class's own.
func compressRate(b *Build, kind string) int64 {
	old, rate := "compress_rate_hca", int64(128)
	if kind == "compressed_sparse_attention" {
		old, rate = "compress_rate_csa", 4
	}
	if b.Has(old) {
		return b.Size(old)
	}
	if b.Has("compress_rates") {
		return b.Inner("compress_rates").Size(kind)
	}
	return rate
}
