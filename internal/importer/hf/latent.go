package hf

// latent are the sizes of DeepSeek's multi-head latent attention.
type latent struct {
	dim, heads, q, kv, nope, rope, value int64 // q 0: the queries have no latent vector
	query                                int64 // features of a head of the queries; nope+rope in every model that runs
	bias, unturned                       bool  // unturned: the rope features are not turned by the position
	base                                 float64
}

func (b *Build) latent() latent {
	l := latent{dim: b.Size("hidden_size"), heads: b.Size("num_attention_heads"), q: b.SizeOr("q_lora_rank", 0), kv: b.Size("kv_lora_rank"),
		nope: b.Size("qk_nope_head_dim"), rope: b.Size("qk_rope_head_dim"), bias: b.Bool("attention_bias"), base: b.RopeBase()}
	l.value = b.SizeOr("v_head_dim", l.dim/l.heads)
	l.query = l.nope + l.rope
	b.noteLatent(l)
	return l
}

// noteLatent warns of sizes with which transformers builds a model that crashes when it is called. The weights are as they are,
// since these two keys have no part in them.
func (b *Build) noteLatent(l latent) {
	if kv := b.KVHeads(); kv != l.heads {
		b.Note("%s is %d but %s is %d: latent attention has keys for every head, and transformers' own code for it fails to repeat them",
			b.at("num_key_value_heads"), kv, b.at("num_attention_heads"), l.heads)
	}
	if d := b.Or("head_dim", 0); d != 0 && d != l.rope { // 0 is read as if it was left out
		b.Note("%s is %d but %s is %d: the rotary angles would not fit the features that they turn", b.at("head_dim"), d, b.at("qk_rope_head_dim"), l.rope)
	}
}

// latentAttention is the attention that kv_lora_rank and the keys beside it describe, at self_attn.
func (b *Build) latentAttention(x Node) Node { return b.attendLatent(x, "self_attn", b.latent()) }

// attendLatent adds one component where the catalogue has this attention whole, else its parts.
func (b *Build) attendLatent(x Node, name string, l latent) Node {
	m := b.Scope("%s", name)
	if l.unturned || l.query != l.nope+l.rope {
		k, v := m.latentKeys(x, l)
		y := m.Core(m.latentQueries(m.queryLatent(x, l), l), k, v, l.heads, l.heads, true)
		return m.Linear(y, "o_proj", l.heads*l.value, l.dim, l.bias)
	}
	args := Args{Int("embedDim", l.dim), Int("numHeads", l.heads), Int("kvLoraRank", l.kv), Int("qkNopeHeadDim", l.nope), Int("qkRopeHeadDim", l.rope), Int("vHeadDim", l.value)}
	if l.q > 0 {
		args = append(args, Int("qLoraRank", l.q))
	}
	n := m.Add("mla", "", append(args, Flag("bias", l.bias)), x)
	if l.q > 0 {
		m.weights("q_a_proj", l.bias, l.q, l.dim)
		m.Tensor("q_a_layernorm.weight", l.q)
		m.Tensor("q_b_proj.weight", l.heads*l.query, l.q)
	} else {
		m.Tensor("q_proj.weight", l.heads*l.query, l.dim)
	}
	m.weights("kv_a_proj_with_mqa", l.bias, l.kv+l.rope, l.dim)
	m.Tensor("kv_a_layernorm.weight", l.kv)
	m.Tensor("kv_b_proj.weight", l.heads*(l.nope+l.value), l.kv)
	m.weights("o_proj", l.bias, l.dim, l.heads*l.value)
	return n
}

// queryLatent is the latent vector of the queries, or the input itself where they have none.
func (b *Build) queryLatent(x Node, l latent) Node {
	if l.q == 0 {
		return x
	}
	return b.RMSNorm(b.Linear(x, "q_a_proj", l.dim, l.q, l.bias), "q_a_layernorm", l.q)
}

// latentQueries makes the queries of their latent vector.
func (b *Build) latentQueries(x Node, l latent) Node {
	if l.q == 0 {
		x = b.Linear(x, "q_proj", l.dim, l.heads*l.query, false)
	} else {
		x = b.Linear(x, "q_b_proj", l.q, l.heads*l.query, false)
	}
	return b.turnTail(x, l)
}

// turnTail turns the last features of each head by the position.
func (b *Build) turnTail(x Node, l latent) Node {
	if l.unturned {
		return x
	}
	x = b.Unflatten(x, l.heads, l.query)
	turned := b.Rotate(b.Flat(b.Slice(x, l.nope, l.nope+l.rope)), l.rope, l.base)
	return b.Flat(b.beside(b.Slice(x, 0, l.nope), b.Unflatten(turned, l.heads, l.rope)))
}

// latentKeys makes keys and values: each head has its own of both, but the features that are turned are the same for all.
func (b *Build) latentKeys(x Node, l latent) (k, v Node) {
	x = b.Linear(x, "kv_a_proj_with_mqa", l.dim, l.kv+l.rope, l.bias)
	common := b.Slice(x, l.kv, l.kv+l.rope)
	if !l.unturned {
		common = b.Rotate(common, l.rope, l.base)
	}
	common = b.Add("unsqueeze", "", Args{Int("dim", 2)}, common)
	common = b.Add("expand", "", Args{Ints("shape", -1, l.heads, -1)}, common)
	x = b.RMSNorm(b.Slice(x, 0, l.kv), "kv_a_layernorm", l.kv)
	x = b.Unflatten(b.Linear(x, "kv_b_proj", l.kv, l.heads*(l.nope+l.value), false), l.heads, l.nope+l.value)
	return b.Flat(b.beside(b.Slice(x, 0, l.nope), common)), b.Flat(b.Slice(x, l.nope, l.nope+l.value))
}

// beside joins the last axes.
func (b *Build) beside(x ...Node) Node { return b.Add("concatenate", "", Args{Int("dim", -1)}, x...) }
