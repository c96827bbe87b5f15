package nn

import "github.com/modelverifier/verifier/internal/importer/hf/build"

// Latent are the sizes of DeepSeek's multi-head latent attention.
type Latent struct {
	Dim, Heads, Q, kv, Nope, Rope, Value int64 // q 0: the queries have no latent vector
	Query                                int64 // features of a head of the queries; nope+rope in every model that runs
	Bias, NoRotary                       bool  // NoRotary: the rope features are not rotated by the position
	Base                                 float64
}

// LatentOf reads the sizes of latent attention from the config.
func LatentOf(b *build.Build) Latent {
	l := Latent{Dim: b.Size("hidden_size"), Heads: b.Size("num_attention_heads"), Q: b.SizeOr("q_lora_rank", 0),
		kv:   b.Size("kv_lora_rank"),
		Nope: b.Size("qk_nope_head_dim"), Rope: b.Size("qk_rope_head_dim"), Bias: b.Bool("attention_bias"),
		Base: b.RopeBase()}
	l.Value = b.SizeOr("v_head_dim", l.Dim/l.Heads)
	l.Query = l.Nope + l.Rope
	noteLatent(b, l)
	return l
}

// noteLatent warns of sizes with which transformers builds a model that crashes when it is called. The weights are as
// they are, since these two keys have no part in them.
func noteLatent(b *build.Build, l Latent) {
	if kv := b.KVHeads(); kv != l.Heads {
		b.Note("%s is %d but %s is %d: latent attention has keys for every head, and transformers' own code "+
			"for it fails to repeat them",
			b.At("num_key_value_heads"), kv, b.At("num_attention_heads"), l.Heads)
	}
	if d := b.Or("head_dim", 0); d != 0 && d != l.Rope { // 0 is read as if it was left out
		b.Note("%s is %d but %s is %d: the rotary angles would not fit the features that they turn", b.At("head_dim"),
			d, b.At("qk_rope_head_dim"), l.Rope)
	}
}

// LatentAttention is the attention that kv_lora_rank and the keys beside it describe, at self_attn.
func LatentAttention(b *build.Build, x build.Node) build.Node {
	return AttendLatent(b, x, "self_attn", LatentOf(b))
}

// AttendLatent adds one component where the catalogue has this attention whole, else its parts.
func AttendLatent(b *build.Build, x build.Node, name string, l Latent) build.Node {
	m := b.Scope("%s", name)
	if l.NoRotary || l.Query != l.Nope+l.Rope {
		k, v := LatentKeys(m, x, l)
		y := m.Core(latentQueries(m, queryLatent(m, x, l), l), k, v, l.Heads, l.Heads, true)
		return m.Linear(y, "o_proj", l.Heads*l.Value, l.Dim, l.Bias)
	}
	args := build.Args{build.Int("embedDim", l.Dim), build.Int("numHeads", l.Heads), build.Int("kvLoraRank", l.kv),
		build.Int("qkNopeHeadDim", l.Nope), build.Int("qkRopeHeadDim", l.Rope), build.Int("vHeadDim", l.Value)}
	if l.Q > 0 {
		args = append(args, build.Int("qLoraRank", l.Q))
	}
	n := m.Add("mla", "", append(args, build.Flag("bias", l.Bias)), x)
	if l.Q > 0 {
		m.Weights("q_a_proj", l.Bias, l.Q, l.Dim)
		m.Tensor("q_a_layernorm.weight", l.Q)
		m.Tensor("q_b_proj.weight", l.Heads*l.Query, l.Q)
	} else {
		m.Tensor("q_proj.weight", l.Heads*l.Query, l.Dim)
	}
	m.Weights("kv_a_proj_with_mqa", l.Bias, l.kv+l.Rope, l.Dim)
	m.Tensor("kv_a_layernorm.weight", l.kv)
	m.Tensor("kv_b_proj.weight", l.Heads*(l.Nope+l.Value), l.kv)
	m.Weights("o_proj", l.Bias, l.Dim, l.Heads*l.Value)
	return n
}

// queryLatent is the latent vector of the queries, or the input itself where they have none.
func queryLatent(b *build.Build, x build.Node, l Latent) build.Node {
	if l.Q == 0 {
		return x
	}
	return b.RMSNorm(b.Linear(x, "q_a_proj", l.Dim, l.Q, l.Bias), "q_a_layernorm", l.Q)
}

// latentQueries makes the queries of their latent vector.
func latentQueries(b *build.Build, x build.Node, l Latent) build.Node {
	if l.Q == 0 {
		x = b.Linear(x, "q_proj", l.Dim, l.Heads*l.Query, false)
	} else {
		x = b.Linear(x, "q_b_proj", l.Q, l.Heads*l.Query, false)
	}
	return RotateTail(b, x, l)
}

// RotateTail rotates the last features of each head by the position.
func RotateTail(b *build.Build, x build.Node, l Latent) build.Node {
	if l.NoRotary {
		return x
	}
	x = b.Unflatten(x, l.Heads, l.Query)
	rotated := Rotate(b, b.Flat(b.Slice(x, l.Nope, l.Nope+l.Rope)), l.Rope, l.Base)
	return b.Flat(Beside(b, b.Slice(x, 0, l.Nope), b.Unflatten(rotated, l.Heads, l.Rope)))
}

// LatentKeys makes keys and values: each head has its own of both, but the features that are rotated are the same for
// all.
func LatentKeys(b *build.Build, x build.Node, l Latent) (k, v build.Node) {
	x = b.Linear(x, "kv_a_proj_with_mqa", l.Dim, l.kv+l.Rope, l.Bias)
	common := b.Slice(x, l.kv, l.kv+l.Rope)
	if !l.NoRotary {
		common = Rotate(b, common, l.Rope, l.Base)
	}
	common = b.Add("unsqueeze", "", build.Args{build.Int("dim", 2)}, common)
	common = b.Add("expand", "", build.Args{build.Ints("shape", -1, l.Heads, -1)}, common)
	x = b.RMSNorm(b.Slice(x, 0, l.kv), "kv_a_layernorm", l.kv)
	x = b.Unflatten(b.Linear(x, "kv_b_proj", l.kv, l.Heads*(l.Nope+l.Value), false), l.Heads, l.Nope+l.Value)
	return b.Flat(Beside(b, b.Slice(x, 0, l.Nope), common)), b.Flat(b.Slice(x, l.Nope, l.Nope+l.Value))
}

// Beside joins the last axes.
func Beside(b *build.Build, x ...build.Node) build.Node {
	return b.Add("concatenate", "", build.Args{build.Int("dim", -1)}, x...)
}
