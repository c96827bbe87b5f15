package hf

import "fmt"

var _ = define(Family{Type: "gemma3n_text", Default: "Gemma3nForCausalLM", Classes: map[string]func(*Build){
	"Gemma3nForCausalLM": func(b *Build) { b.languageModel(gemma3nText(b, nil)) },
	"Gemma3nTextModel":   func(b *Build) { b.bareModel(gemma3nText(b, nil)) },
}})

// gemma3nText carries altup_num_inputs streams, of which each layer computes one and corrects the others. merge, where it is
// not nil, puts pictures and sounds into the text first.
func gemma3nText(b *Build, merge func(ids, x Node) Node) Decoder {
	b.divides("hidden_size", "num_attention_heads")
	var ids, inputs Node
	memory := map[string][2]Node{}
	return Decoder{Dim: b.Size("hidden_size"), Tokens: &ids,
		Embedded: func(b *Build, x Node) Node {
			if merge != nil {
				x = merge(ids, x)
			}
			inputs = b.perLayerInputs(ids, x)
			return b.altupStreams(x)
		},
		Layer:     func(b *Build, x Node, i int64) Node { return b.gemma3nLayer(x, i, inputs, memory) },
		FinalNorm: func(b *Build, x Node, name string, dim int64) Node { return b.RMSNorm(b.altupMean(x), name, dim) }}
}

// altupStreams makes the streams of the embedding: it itself, and maps of it.
func (b *Build) altupStreams(x Node) Node {
	dim := b.Size("hidden_size")
	streams := []Node{b.Add("unsqueeze", "", Args{Int("dim", 2)}, x)}
	for i := range b.Size("altup_num_inputs") - 1 {
		y := b.Linear(x, fmt.Sprintf("altup_projections.%d", i), dim, dim, false)
		streams = append(streams, b.Add("unsqueeze", "", Args{Int("dim", 2)}, y))
	}
	return b.Add("concatenate", "", Args{Int("dim", 2)}, streams...)
}

// altupMean maps the streams back and takes their mean.
func (b *Build) altupMean(x Node) Node {
	dim := b.Size("hidden_size")
	streams := []Node{b.stream(x, 0)}
	for i := range b.Size("altup_num_inputs") - 1 {
		streams = append(streams, b.Linear(b.stream(x, i+1), fmt.Sprintf("altup_unembed_projections.%d", i), dim, dim, false))
	}
	return b.Add("mean", "", Args{Int("dim", 1)}, b.Add("stack", "", Args{Int("dim", 1)}, streams...))
}

// stream is one of the streams.
func (b *Build) stream(x Node, i int64) Node {
	return b.Add("select", "", Args{Int("dim", 2), Int("index", i)}, x)
}

func (b *Build) gemma3nLayer(x Node, i int64, inputs Node, memory map[string][2]Node) Node {
	dim, streams, active, altup := b.Size("hidden_size"), b.Size("altup_num_inputs"), b.Int("altup_active_idx"), b.Scope("altup")
	coefs := altup.Linear(altup.altupRoutes(b.stream(x, active), dim, streams), "prediction_coefs", streams, streams*streams, false)
	predicted := altup.Residual(altup.einsum("bsnd,bsmn->bsmd", x, altup.Unflatten(coefs, streams, streams)), x)
	now := b.stream(predicted, active)
	done := b.gemma3nBranches(now, i, dim, memory)
	coefs = altup.Linear(altup.Again().altupRoutes(done, dim, streams), "correction_coefs", streams, streams, false)
	surprise := altup.Add("subtract", "", nil, done, now)
	x = altup.Residual(altup.einsum("bsd,bsn->bsnd", surprise, coefs), predicted)
	first := altup.Add("layerScale", "correct_output_scale", Args{Int("dim", dim)}, b.stream(x, active))
	altup.Tensor("correct_output_scale", dim)
	if !b.Bool("altup_correct_scale") {
		first = b.stream(x, active) // the scale is there and not used
	}
	small := b.Size("hidden_size_per_layer_input")
	y := b.Activation(b.Linear(first, "per_layer_input_gate", dim, small, false), "hidden_activation")
	y = b.Add("multiply", "", nil, y, b.Slice(inputs, i*small, (i+1)*small))
	y = b.RMSNorm(b.Linear(y, "per_layer_projection", small, dim, false), "post_per_layer_input_norm", dim)
	if streams == 1 {
		return x
	}
	rest := b.Add("slice", "", Args{Int("dim", 2), Int("start", 1)}, x)
	rest = b.Residual(rest, b.Add("unsqueeze", "", Args{Int("dim", 2)}, y))
	return b.Add("concatenate", "", Args{Int("dim", 2)}, b.Add("slice", "", Args{Int("dim", 2), Int("end", 1)}, x), rest)
}

// altupRoutes says from one stream how the streams are mixed.
func (b *Build) altupRoutes(x Node, dim, streams int64) Node {
	return b.Add("tanh", "", nil, b.Linear(b.RMSNorm(x, "router_norm", dim), "modality_router", dim, streams, false))
}

// gemma3nBranches are attention, beside it a map of low rank, and the network.
func (b *Build) gemma3nBranches(x Node, i, dim int64, memory map[string][2]Node) Node {
	h := b.RMSNorm(x, "input_layernorm", dim)
	l, rank := b.Scope("laurel"), b.Size("laurel_rank")
	laurel := l.RMSNorm(l.Linear(l.Linear(h, "linear_left", dim, rank, false), "linear_right", rank, dim, false), "post_laurel_norm", dim)
	laurel = l.Residual(h, laurel)
	a := gemmaAttention{kind: "full_attention", head: b.HeadDim(), kv: b.KVHeads(), own: true}
	if b.slides(i, 5) {
		a.kind = "sliding_attention"
	}
	if first := b.Int("num_hidden_layers") - b.Int("num_kv_shared_layers"); first > 0 && i >= first {
		if a.own = false; memory[a.kind] == [2]Node{} {
			fail(CodeContradiction, b.at("num_kv_shared_layers"), "is %d, but none of the layers before has the %s of layer %d", b.Int("num_kv_shared_layers"), a.kind, i)
		}
	}
	y := b.Scope("self_attn").attendKept(h, a, memory)
	x = b.Residual(b.Residual(x, b.RMSNorm(y, "post_attention_layernorm", dim)), laurel)
	g := Gated{Dim: dim, Hidden: b.perLayerSize("intermediate_size", i), Act: b.Str("hidden_activation")}
	y = b.Gated(b.RMSNorm(x, "pre_feedforward_layernorm", dim), "mlp", g)
	return b.Residual(x, b.RMSNorm(y, "post_feedforward_layernorm", dim))
}

// perLayerSize is a size that a key holds once for all layers, or in a list for each.
func (b *Build) perLayerSize(key string, i int64) int64 {
	sizes, ok := b.value(key).([]any)
	if !ok {
		return b.Size(key)
	}
	if layers := b.Int("num_hidden_layers"); int64(len(sizes)) != layers {
		fail(CodeContradiction, b.at(key), "has %d sizes but num_hidden_layers is %d", len(sizes), layers)
	}
	return b.integer(key, sizes[i])
}
