package hf

// compressedAttention is DeepSeek-V4's: all heads share one vector of a position as key and value, and beside those of a
// window they see vectors that stand for many positions each.
func (b *Build) compressedAttention(x Node, kind string) Node {
	dim, heads, head, rank, length := b.Size("hidden_size"), b.Size("num_attention_heads"), b.Size("head_dim"), b.Size("q_lora_rank"), b.positions()
	latent := b.RMSNorm(b.Linear(x, "q_a_proj", dim, rank, false), "q_a_norm", rank)
	q := b.Add("qkNorm", "q_b_norm", Args{Int("headDim", head), Flag("elementwiseAffine", false)}, b.Linear(latent, "q_b_proj", rank, heads*head, false))
	q = b.v4Turn(q, heads, head)
	kv := b.v4Turn(b.RMSNorm(b.Linear(x, "kv_proj", dim, head, false), "kv_norm", head), 1, head)
	var y Node
	if kind == "sliding_attention" {
		y = b.Core(q, kv, kv, heads, 1, true)
		b.Set(y, "windowSize", Int("", b.Size("sliding_window")).Value)
	} else {
		kv, mask := b.Scope("compressor").compress(x, latent, kv, kind, length)
		y = b.Core(q, kv, kv, heads, 1, false, mask)
	}
	b.Set(y, "sinks", Flag("", true).Value)
	b.Tensor("sinks", heads)
	return b.groupedOut(b.v4Turn(y, heads, head), heads*head, dim)
}

// groupedOut maps each group of heads by a matrix of its own, and all of them to the model's features.
func (b *Build) groupedOut(x Node, wide, dim int64) Node {
	groups, rank := b.Size("o_groups"), b.Size("o_lora_rank")
	weight := b.Add("parameter", "o_a_proj.weight", Args{Ints("shape", groups, rank, wide/groups)}, x)
	b.Tensor("o_a_proj.weight", groups*rank, wide/groups)
	x = b.einsum("bsgi,bgoi->bsgo", b.Unflatten(x, groups, wide/groups), weight)
	return b.Linear(b.Flat(x), "o_b_proj", groups*rank, dim, false)
}

// v4Turn turns the last features of each head by the position: qk_rope_head_dim of them, or a part of the head.
func (b *Build) v4Turn(x Node, heads, head int64) Node {
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
	return b.turnTail(x, latent{heads: heads, nope: head - rope, rope: rope, query: head, base: b.RopeBase()})
}

// compress gives the keys of all positions and behind them those that stand for many, with what hides keys from queries.
func (b *Build) compress(x, latent, kv Node, kind string, length int64) (keys, mask Node) {
	dim, head, rate := b.Size("hidden_size"), b.Size("head_dim"), b.compressRate(kind)
	windows := length / rate
	if kind != "compressed_sparse_attention" {
		short := b.windows(x, dim, head, head, rate, length)
		mask = b.Add("parameter", "block_bias", Args{Ints("shape", 1, length, length+windows), Flag("trainable", false)}, x)
		return b.behind(kv, short, windows), mask
	}
	short := b.windows(x, dim, 2*head, head, rate, length)
	m, heads, small := b.Scope("indexer"), b.Size("index_n_heads"), b.Size("index_head_dim")
	k := m.windows(x, dim, 2*small, small, rate, length)
	q := m.v4Turn(m.Linear(latent, "q_b_proj", b.Size("q_lora_rank"), heads*small, false), heads, small)
	weights := m.Linear(x, "scorer.weights_proj", dim, heads, false)
	scores := m.Add("relu", "", nil, m.einsum("bshd,btd->bsht", m.Unflatten(q, heads, small), k))
	scores = m.einsum("bsh,bsht->bst", weights, scores)
	return b.behind(kv, short, windows), m.Opaque(scores, "", []int64{1, length, length + windows}, 0) // keeps the index_topk best
}

// behind appends the vectors of windows, of which a short text has none.
func (b *Build) behind(kv, short Node, windows int64) Node {
	if windows == 0 {
		return kv
	}
	return b.Add("concatenate", "", Args{Int("dim", 1)}, kv, short)
}

// windows sums up each window of positions, weighted by a gate. A text shorter than a window has none, and what is computed
// here is not used: then one stands for them.
func (b *Build) windows(x Node, dim, wide, head, rate, length int64) Node {
	kv, gate := b.Linear(x, "kv_proj", dim, wide, false), b.Linear(x, "gate_proj", dim, wide, false)
	short := b.opaqueOf([]Node{kv, gate}, "", []int64{max(length/rate, 1), head}, b.product(4, length, wide), T("position_bias", rate, wide))
	return b.v4Turn(b.RMSNorm(short, "kv_norm", head), 1, head)
}

// compressRate is how many positions a vector stands for: in compress_rates, under its older name, or the class's own.
func (b *Build) compressRate(kind string) int64 {
	old, rate := "compress_rate_hca", int64(128)
	if kind == "compressed_sparse_attention" {
		old, rate = "compress_rate_csa", 4
	}
	if b.Has(old) {
		return b.Size(old)
	}
	if b.Has("compress_rates") {
		return b.inner("compress_rates").Size(kind)
	}
	return rate
}
