package families

import (
	"strconv"

	"github.com/modelverifier/verifier/internal/importer/hf/build"
	"github.com/modelverifier/verifier/internal/importer/hf/config"
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var _ = family.Define(family.Family{Type: "gemma4_text", PerLayer: true, Default: "Gemma4ForCausalLM",
	Classes: map[string]func(*Build){
		"Gemma4ForCausalLM": func(b *Build) { stack.CausalLM(b, gemma4Text(b, true)) },
		"Gemma4TextModel":   func(b *Build) { stack.BareModel(b, gemma4Text(b, true)) },
	}})

// gemma4 is what the layers of one text model share.
type gemma4 struct {
	ids, inputs Node               // the tokens; what each layer gets of them beside its features
	memory      map[string][2]Node // by kind of layer: the keys and values that later layers without their own use
	own         map[int64]*Config  // what per_layer_config says of single layers
	extras      bool               // the model may have inputs for each layer, and experts; the unified one has neither
}

// gemma4Text is Gemma 3's with larger heads in the layers that see everything, and layers at the end that use the
// keys and values of earlier ones.
func gemma4Text(b *Build, extras bool) stack.Decoder {
	g := &gemma4{memory: map[string][2]Node{}, extras: extras, own: gemma4Own(b)}
	d := stack.Decoder{Dim: b.Size("hidden_size"), Tokens: &g.ids,
		Layer: func(b *Build, x Node, i int64) Node { return gemma4Layer(b, x, i, g) }}
	if extras && b.Or("hidden_size_per_layer_input", 0) > 0 {
		d.Embedded = func(b *Build, x Node) Node {
			g.inputs = perLayerInputs(b, g.ids, x)
			return x
		}
	}
	return d
}

// perLayerInputs are a few features of every token for each layer: looked up, and projected from the embedding.
func perLayerInputs(b *Build, ids, x Node) Node {
	small, layers := b.Size("hidden_size_per_layer_input"), b.Int("num_hidden_layers")
	looked := b.Embedding(ids, "embed_tokens_per_layer", b.Size("vocab_size_per_layer_input"), layers*small)
	mapped := b.Linear(x, "per_layer_model_projection", b.Size("hidden_size"), layers*small, false)
	mapped = b.Add("qkNorm", "per_layer_projection_norm", Args{build.Int("headDim", small)}, mapped)
	b.Tensor("per_layer_projection_norm.weight", small)
	return b.Add("add", "per_layer_inputs", nil, mapped, looked)
}

func gemma4Layer(b *Build, x Node, i int64, g *gemma4) Node {
	dim := b.Size("hidden_size")
	y := gemma4Attention(b.Scope("self_attn"), b.RMSNorm(x, "input_layernorm", dim), i, g)
	x = b.Residual(x, b.RMSNorm(y, "post_attention_layernorm", dim))
	net := nn.Gated{Dim: dim, Hidden: b.Size("intermediate_size"), Act: b.Str("hidden_activation")}
	if first := gemma4FirstShared(b); b.Bool("use_double_wide_mlp") && i >= first && first > 0 {
		net.Hidden *= 2
	}
	y = nn.GatedMLP(b, b.RMSNorm(x, "pre_feedforward_layernorm", dim), "mlp", net)
	if g.extras && b.Bool("enable_moe_block") {
		y = b.Residual(b.RMSNorm(y, "post_feedforward_layernorm_1", dim), gemma4Experts(b, x, dim))
	}
	x = b.Residual(x, b.RMSNorm(y, "post_feedforward_layernorm", dim))
	if g.inputs == 0 {
		return x
	}
	small := b.Size("hidden_size_per_layer_input")
	y = b.Activation(b.Linear(x, "per_layer_input_gate", dim, small, false), "hidden_activation")
	y = b.Add("multiply", "", nil, y, b.Slice(g.inputs, i*small, (i+1)*small))
	return b.Residual(x, b.RMSNorm(b.Linear(y, "per_layer_projection", small, dim, false), "post_per_layer_input_norm",
		dim))
}

// gemma4FirstShared is the first layer without keys and values of its own.
func gemma4FirstShared(b *Build) int64 {
	return b.Int("num_hidden_layers") - b.Or("num_kv_shared_layers", 0)
}

// gemma4Kind is the attention of a layer; the last one always sees everything.
func gemma4Kind(b *Build, i int64) string {
	if i == b.Int("num_hidden_layers")-1 || !nn.Slides(b, i, 6) {
		return "full_attention"
	}
	return "sliding_attention"
}

// gemma4Own is what per_layer_config says of single layers, nil where there is none.
func gemma4Own(b *Build) map[int64]*Config {
	if !b.Has("per_layer_config") {
		return nil
	}
	out := map[int64]*Config{}
	for _, key := range b.Inner("per_layer_config").Keys() {
		own := b.Inner("per_layer_config", key)
		i, err := strconv.ParseInt(key, 10, 64)
		if err != nil {
			config.Fail(config.CodeConfig, own.Where(), "is not the number of a layer")
		}
		for _, name := range own.Keys() {
			if name != "head_dim" && name != "num_key_value_heads" {
				config.Fail(config.CodeConfig, own.At(name),
					"is not modelled for a single layer; modelled are head_dim and num_key_value_heads")
			}
		}
		out[i] = own
	}
	return out
}

// gemma4Heads are the sizes of a layer's heads: those that per_layer_config has for it. Without one, heads are larger
// where everything is seen.
func gemma4Heads(b *Build, i int64, full bool, g *gemma4) (head, kv int64) {
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

// gemma4Attention has larger heads where everything is seen, and there, with attention_k_eq_v, one projection for
// keys and values.
func gemma4Attention(b *Build, x Node, i int64, g *gemma4) Node {
	a := gemmaAttention{kind: gemma4Kind(b, i), bidirectional: b.Is("use_bidirectional_attention", "all")}
	full := a.kind == "full_attention"
	a.head, a.kv = gemma4Heads(b, i, full, g)
	a.oneMap = full && b.Bool("attention_k_eq_v")
	first := gemma4FirstShared(b)
	a.own = i < first || first < 0
	return attendKept(b, x, a, g.memory)
}

// gemmaAttention is attention of Gemma 3n and Gemma 4 in one layer.
type gemmaAttention struct {
	kind                       string // full_attention or sliding_attention
	head, kv                   int64
	own, oneMap, bidirectional bool // own: it has keys and values of its own
}

// attendKept normalises queries, keys and values. A layer without keys and values of its own takes those of the last
// layer of its kind that has some; memory is where they are left.
func attendKept(b *Build, x Node, a gemmaAttention, memory map[string][2]Node) Node {
	dim, heads, bias, full := b.Size("hidden_size"), b.Size("num_attention_heads"), b.Bool("attention_bias"),
		a.kind == "full_attention"
	base := ropeOf(b, "full_attention", "rope_theta", 1_000_000)
	if !full {
		base = ropeOf(b, "sliding_attention", "rope_local_base_freq", 10_000)
	}
	q := nn.Rotate(b, gemma4Norm(b, b.Linear(x, "q_proj", dim, heads*a.head, bias), "q_norm", a.head, true), a.head,
		base)
	if a.own {
		k := b.Linear(x, "k_proj", dim, a.kv*a.head, bias)
		v := k
		if !a.oneMap {
			v = b.Linear(x, "v_proj", dim, a.kv*a.head, bias)
		}
		k = nn.Rotate(b, gemma4Norm(b, k, "k_norm", a.head, true), a.head, base)
		memory[a.kind] = [2]Node{k, gemma4Norm(b, v, "v_norm", a.head, false)}
	}
	var y Node
	if kept, ok := memory[a.kind]; ok {
		y = b.Core(q, kept[0], kept[1], heads, a.kv, !a.bidirectional)
	} else {
		// without keys: no earlier layer of this kind has any
		y = b.Add("attentionCore", "", Args{build.Int("numHeads", heads)}, q)
	}
	if window := nn.WindowOf(b, nn.SlidingAttention); !full && window > 0 {
		if a.bidirectional {
			window = window/2 + 1
		}
		b.Set(y, "windowSize", build.Int("", window).Value)
	}
	return b.Linear(y, "o_proj", heads*a.head, dim, bias)
}

func gemma4Norm(b *Build, x Node, name string, head int64, trained bool) Node {
	args := Args{build.Int("headDim", head)}
	if !trained {
		args = append(args, build.Flag("elementwiseAffine", false))
	}
	x = b.Add("qkNorm", name, args, x)
	if trained {
		b.Tensor(name+".weight", head)
	}
	return x
}

// gemma4Experts are experts beside the network; what they see has a norm of its own, and so has what the router sees.
func gemma4Experts(b *Build, x Node, dim int64) Node {
	count, top, hidden, length := b.Size("num_experts"), b.Size("top_k_experts"), b.Size("moe_intermediate_size"),
		b.TextLength()
	r := b.Scope("router")
	routes := r.Add("rmsNorm", "norm", Args{build.Ints("normalizedShape", dim),
		build.Flag("elementwiseAffine", false)}, x)
	routes = r.Add("layerScale", "scale", Args{build.Int("dim", dim)}, routes)
	r.Tensor("scale", dim)
	routes = r.Add("softmax", "", nil, r.Linear(routes, "proj", dim, count, false))
	h := b.RMSNorm(x, "pre_feedforward_layernorm_2", dim)
	y := unfollowed(b, []Node{h, routes}, "", []int64{length, dim}, build.Product(b, 6, length, dim, hidden, top),
		build.T("router.per_expert_scale", count),
		build.T("experts.gate_up_proj", count, 2*hidden, dim), build.T("experts.down_proj", count, dim, hidden))
	return b.RMSNorm(y, "post_feedforward_layernorm_2", dim)
}
