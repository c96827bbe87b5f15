package hf

import "strconv"

var _ = define(Family{Type: "gemma4_text", PerLayer: true, Default: "Gemma4ForCausalLM", Classes: map[string]func(*Build){
	"Gemma4ForCausalLM": func(b *Build) { b.languageModel(gemma4Text(b, true)) },
	"Gemma4TextModel":   func(b *Build) { b.bareModel(gemma4Text(b, true)) },
}})

// gemma4 is what the layers of one text model share.
type gemma4 struct {
	ids, inputs Node               // the tokens; what each layer gets of them beside its features
	memory      map[string][2]Node // by kind of layer: the keys and values that later layers without their own use
	own         map[int64]*Config  // what per_layer_config says of single layers
	extras      bool               // the model may have inputs for each layer, and experts; the unified one has neither
}

// gemma4Text is Gemma 3's with larger heads in the layers that see everything, and layers at the end that use the keys and
// values of earlier ones.
func gemma4Text(b *Build, extras bool) Decoder {
	g := &gemma4{memory: map[string][2]Node{}, extras: extras, own: b.gemma4Own()}
	d := Decoder{Dim: b.Size("hidden_size"), Tokens: &g.ids, Layer: func(b *Build, x Node, i int64) Node { return b.gemma4Layer(x, i, g) }}
	if extras && b.Or("hidden_size_per_layer_input", 0) > 0 {
		d.Embedded = func(b *Build, x Node) Node {
			g.inputs = b.perLayerInputs(g.ids, x)
			return x
		}
	}
	return d
}

// perLayerInputs are a few features of every token for each layer: looked up, and mapped from the embedding.
func (b *Build) perLayerInputs(ids, x Node) Node {
	small, layers := b.Size("hidden_size_per_layer_input"), b.Int("num_hidden_layers")
	looked := b.Embedding(ids, "embed_tokens_per_layer", b.Size("vocab_size_per_layer_input"), layers*small)
	mapped := b.Linear(x, "per_layer_model_projection", b.Size("hidden_size"), layers*small, false)
	mapped = b.Add("qkNorm", "per_layer_projection_norm", Args{Int("headDim", small)}, mapped)
	b.Tensor("per_layer_projection_norm.weight", small)
	return b.Add("add", "per_layer_inputs", nil, mapped, looked)
}

func (b *Build) gemma4Layer(x Node, i int64, g *gemma4) Node {
	dim := b.Size("hidden_size")
	y := b.Scope("self_attn").gemma4Attention(b.RMSNorm(x, "input_layernorm", dim), i, g)
	x = b.Residual(x, b.RMSNorm(y, "post_attention_layernorm", dim))
	net := Gated{Dim: dim, Hidden: b.Size("intermediate_size"), Act: b.Str("hidden_activation")}
	if first := b.gemma4FirstShared(); b.Bool("use_double_wide_mlp") && i >= first && first > 0 {
		net.Hidden *= 2
	}
	y = b.Gated(b.RMSNorm(x, "pre_feedforward_layernorm", dim), "mlp", net)
	if g.extras && b.Bool("enable_moe_block") {
		y = b.Residual(b.RMSNorm(y, "post_feedforward_layernorm_1", dim), b.gemma4Experts(x, dim))
	}
	x = b.Residual(x, b.RMSNorm(y, "post_feedforward_layernorm", dim))
	if g.inputs == 0 {
		return x
	}
	small := b.Size("hidden_size_per_layer_input")
	y = b.Activation(b.Linear(x, "per_layer_input_gate", dim, small, false), "hidden_activation")
	y = b.Add("multiply", "", nil, y, b.Slice(g.inputs, i*small, (i+1)*small))
	return b.Residual(x, b.RMSNorm(b.Linear(y, "per_layer_projection", small, dim, false), "post_per_layer_input_norm", dim))
}

// gemma4FirstShared is the first layer without keys and values of its own.
func (b *Build) gemma4FirstShared() int64 {
	return b.Int("num_hidden_layers") - b.Or("num_kv_shared_layers", 0)
}

// gemma4Kind is the attention of a layer; the last one always sees everything.
func (b *Build) gemma4Kind(i int64) string {
	if i == b.Int("num_hidden_layers")-1 || !b.slides(i, 6) {
		return "full_attention"
	}
	return "sliding_attention"
}

// gemma4Own is what per_layer_config says of single layers, nil where there is none.
func (b *Build) gemma4Own() map[int64]*Config {
	if !b.Has("per_layer_config") {
		return nil
	}
	out := map[int64]*Config{}
	for _, key := range sortedKeys(b.inner("per_layer_config").values) {
		own := b.inner("per_layer_config", key)
		i, err := strconv.ParseInt(key, 10, 64)
		if err != nil {
			fail(CodeConfig, own.path, "is not the number of a layer")
		}
		for _, name := range sortedKeys(own.values) {
			if name != "head_dim" && name != "num_key_value_heads" {
				fail(CodeConfig, own.at(name), "is not modelled for a single layer; modelled are head_dim and num_key_value_heads")
			}
		}
		out[i] = own
	}
	return out
}

// gemma4Heads are the sizes of a layer's heads: those that per_layer_config has for it. Without one, heads are larger where
// everything is seen.
func (b *Build) gemma4Heads(i int64, full bool, g *gemma4) (head, kv int64) {
	head, kv = b.HeadDim(), b.KVHeads()
	if own := g.own[i]; own != nil {
		return own.SizeOr("head_dim", head), own.SizeOr("num_key_value_heads", kv)
	}
	if g.own == nil && full {
		head = b.SizeOr("global_head_dim", 512)
		if b.Bool("attention_k_eq_v") {
			kv = b.SizeOr("num_global_key_value_heads", kv)
		}
	}
	return head, kv
}

// gemma4Attention has larger heads where everything is seen, and there, with attention_k_eq_v, one map for keys and values.
func (b *Build) gemma4Attention(x Node, i int64, g *gemma4) Node {
	a := gemmaAttention{kind: b.gemma4Kind(i), bidirectional: b.Is("use_bidirectional_attention", "all")}
	full := a.kind == "full_attention"
	a.head, a.kv = b.gemma4Heads(i, full, g)
	a.oneMap = full && b.Bool("attention_k_eq_v")
	first := b.gemma4FirstShared()
	a.own = i < first || first < 0
	return b.attendKept(x, a, g.memory)
}

// gemmaAttention is attention of Gemma 3n and Gemma 4 in one layer.
type gemmaAttention struct {
	kind                       string // full_attention or sliding_attention
	head, kv                   int64
	own, oneMap, bidirectional bool // own: it has keys and values of its own
}

// attendKept normalises queries, keys and values. A layer without keys and values of its own takes those of the last layer of
// its kind that has some; memory is where they are left.
func (b *Build) attendKept(x Node, a gemmaAttention, memory map[string][2]Node) Node {
	dim, heads, bias, full := b.Size("hidden_size"), b.Size("num_attention_heads"), b.Bool("attention_bias"), a.kind == "full_attention"
	base := b.ropeOf("full_attention", "rope_theta", 1_000_000)
	if !full {
		base = b.ropeOf("sliding_attention", "rope_local_base_freq", 10_000)
	}
	q := b.Rotate(b.gemma4Norm(b.Linear(x, "q_proj", dim, heads*a.head, bias), "q_norm", a.head, true), a.head, base)
	if a.own {
		k := b.Linear(x, "k_proj", dim, a.kv*a.head, bias)
		v := k
		if !a.oneMap {
			v = b.Linear(x, "v_proj", dim, a.kv*a.head, bias)
		}
		k = b.Rotate(b.gemma4Norm(k, "k_norm", a.head, true), a.head, base)
		memory[a.kind] = [2]Node{k, b.gemma4Norm(v, "v_norm", a.head, false)}
	}
	var y Node
	if kept, ok := memory[a.kind]; ok {
		y = b.Core(q, kept[0], kept[1], heads, a.kv, !a.bidirectional)
	} else {
		y = b.Add("attentionCore", "", Args{Int("numHeads", heads)}, q) // without keys: no earlier layer of this kind has any
	}
	if window := b.windowOf(sliding); !full && window > 0 {
		if a.bidirectional {
			window = window/2 + 1
		}
		b.Set(y, "windowSize", Int("", window).Value)
	}
	return b.Linear(y, "o_proj", heads*a.head, dim, bias)
}

func (b *Build) gemma4Norm(x Node, name string, head int64, trained bool) Node {
	args := Args{Int("headDim", head)}
	if !trained {
		args = append(args, Flag("elementwiseAffine", false))
	}
	x = b.Add("qkNorm", name, args, x)
	if trained {
		b.Tensor(name+".weight", head)
	}
	return x
}

// gemma4Experts are experts beside the network; what they see has a norm of its own, and so has what the router sees.
func (b *Build) gemma4Experts(x Node, dim int64) Node {
	count, top, hidden, length := b.Size("num_experts"), b.Size("top_k_experts"), b.Size("moe_intermediate_size"), b.positions()
	r := b.Scope("router")
	routes := r.Add("rmsNorm", "norm", Args{Ints("normalizedShape", dim), Flag("elementwiseAffine", false)}, x)
	routes = r.Add("layerScale", "scale", Args{Int("dim", dim)}, routes)
	r.Tensor("scale", dim)
	routes = r.Add("softmax", "", nil, r.Linear(routes, "proj", dim, count, false))
	h := b.RMSNorm(x, "pre_feedforward_layernorm_2", dim)
	y := b.unfollowed([]Node{h, routes}, "", []int64{length, dim}, b.product(6, length, dim, hidden, top), T("router.per_expert_scale", count),
		T("experts.gate_up_proj", count, 2*hidden, dim), T("experts.down_proj", count, dim, hidden))
	return b.RMSNorm(y, "post_feedforward_layernorm_2", dim)
}
