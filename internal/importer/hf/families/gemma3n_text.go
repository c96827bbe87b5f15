package families

import (
	"fmt"

	"github.com/modelverifier/verifier/internal/importer/hf/build"
	"github.com/modelverifier/verifier/internal/importer/hf/config"
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var _ = family.Define(family.Family{Type: "gemma3n_text", Default: "Gemma3nForCausalLM",
	Classes: map[string]func(*Build){
		"Gemma3nForCausalLM": func(b *Build) { stack.CausalLM(b, gemma3nText(b, nil)) },
		"Gemma3nTextModel":   func(b *Build) { stack.BareModel(b, gemma3nText(b, nil)) },
	}})

// gemma3nText carries altup_num_inputs streams, of which each layer computes one and corrects the others. merge,
// where it is not nil, puts pictures and sounds into the text first.
func gemma3nText(b *Build, merge func(ids, x Node) Node) stack.Decoder {
	b.Divides("hidden_size", "num_attention_heads")
	var ids, inputs Node
	memory := map[string][2]Node{}
	return stack.Decoder{Dim: b.Size("hidden_size"), Tokens: &ids,
		Embedded: func(b *Build, x Node) Node {
			if merge != nil {
				x = merge(ids, x)
			}
			inputs = perLayerInputs(b, ids, x)
			return altupStreams(b, x)
		},
		Layer:     func(b *Build, x Node, i int64) Node { return gemma3nLayer(b, x, i, inputs, memory) },
		FinalNorm: func(b *Build, x Node, name string, dim int64) Node { return b.RMSNorm(altupMean(b, x), name, dim) }}
}

// altupStreams makes the streams of the embedding: it itself, and projections of it.
func altupStreams(b *Build, x Node) Node {
	dim := b.Size("hidden_size")
	streams := []Node{b.Add("unsqueeze", "", Args{build.Int("dim", 2)}, x)}
	for i := range b.Size("altup_num_inputs") - 1 {
		y := b.Linear(x, fmt.Sprintf("altup_projections.%d", i), dim, dim, false)
		streams = append(streams, b.Add("unsqueeze", "", Args{build.Int("dim", 2)}, y))
	}
	return b.Add("concatenate", "", Args{build.Int("dim", 2)}, streams...)
}

// altupMean projects the streams back and takes their mean.
func altupMean(b *Build, x Node) Node {
	dim := b.Size("hidden_size")
	streams := []Node{stream(b, x, 0)}
	for i := range b.Size("altup_num_inputs") - 1 {
		streams = append(streams, b.Linear(stream(b, x, i+1), fmt.Sprintf("altup_unembed_projections.%d", i), dim, dim,
			false))
	}
	return b.Add("mean", "", Args{build.Int("dim", 1)}, b.Add("stack", "", Args{build.Int("dim", 1)}, streams...))
}

// stream is one of the streams.
func stream(b *Build, x Node, i int64) Node {
	return b.Add("select", "", Args{build.Int("dim", 2), build.Int("index", i)}, x)
}

func gemma3nLayer(b *Build, x Node, i int64, inputs Node, memory map[string][2]Node) Node {
	dim, streams, active, altup := b.Size("hidden_size"), b.Size("altup_num_inputs"), b.Int("altup_active_idx"),
		b.Scope("altup")
	coefs := altup.Linear(altupRoutes(altup, stream(b, x, active), dim, streams), "prediction_coefs", streams,
		streams*streams, false)
	predicted := altup.Residual(einsum(altup, "bsnd,bsmn->bsmd", x, altup.Unflatten(coefs, streams, streams)), x)
	now := stream(b, predicted, active)
	done := gemma3nBranches(b, now, i, dim, memory)
	coefs = altup.Linear(altupRoutes(altup.Again(), done, dim, streams), "correction_coefs", streams, streams, false)
	surprise := altup.Add("subtract", "", nil, done, now)
	x = altup.Residual(einsum(altup, "bsd,bsn->bsnd", surprise, coefs), predicted)
	first := altup.Add("layerScale", "correct_output_scale", Args{build.Int("dim", dim)}, stream(b, x, active))
	altup.Tensor("correct_output_scale", dim)
	if !b.Bool("altup_correct_scale") {
		first = stream(b, x, active) // the scale is there and not used
	}
	small := b.Size("hidden_size_per_layer_input")
	y := b.Activation(b.Linear(first, "per_layer_input_gate", dim, small, false), "hidden_activation")
	y = b.Add("multiply", "", nil, y, b.Slice(inputs, i*small, (i+1)*small))
	y = b.RMSNorm(b.Linear(y, "per_layer_projection", small, dim, false), "post_per_layer_input_norm", dim)
	if streams == 1 {
		return x
	}
	rest := b.Add("slice", "", Args{build.Int("dim", 2), build.Int("start", 1)}, x)
	rest = b.Residual(rest, b.Add("unsqueeze", "", Args{build.Int("dim", 2)}, y))
	return b.Add("concatenate", "", Args{build.Int("dim", 2)},
		b.Add("slice", "", Args{build.Int("dim", 2), build.Int("end", 1)}, x), rest)
}

// altupRoutes says from one stream how the streams are mixed.
func altupRoutes(b *Build, x Node, dim, streams int64) Node {
	return b.Add("tanh", "", nil, b.Linear(b.RMSNorm(x, "router_norm", dim), "modality_router", dim, streams, false))
}

// gemma3nBranches are attention, beside it a projection of low rank, and the network.
func gemma3nBranches(b *Build, x Node, i, dim int64, memory map[string][2]Node) Node {
	h := b.RMSNorm(x, "input_layernorm", dim)
	l, rank := b.Scope("laurel"), b.Size("laurel_rank")
	laurel := l.RMSNorm(l.Linear(l.Linear(h, "linear_left", dim, rank, false), "linear_right", rank, dim, false),
		"post_laurel_norm", dim)
	laurel = l.Residual(h, laurel)
	a := gemmaAttention{kind: "full_attention", head: b.HeadDim(), kv: b.KVHeads(), own: true}
	if nn.Slides(b, i, 5) {
		a.kind = "sliding_attention"
	}
	if first := b.Int("num_hidden_layers") - b.Int("num_kv_shared_layers"); first > 0 && i >= first {
		if a.own = false; memory[a.kind] == [2]Node{} {
			config.Fail(config.CodeContradiction, b.At("num_kv_shared_layers"),
				"is %d, but none of the layers before has the %s of layer %d", b.Int("num_kv_shared_layers"), a.kind, i)
		}
	}
	y := attendKept(b.Scope("self_attn"), h, a, memory)
	x = b.Residual(b.Residual(x, b.RMSNorm(y, "post_attention_layernorm", dim)), laurel)
	g := nn.Gated{Dim: dim, Hidden: perLayerSize(b, "intermediate_size", i), Act: b.Str("hidden_activation")}
	y = nn.GatedMLP(b, b.RMSNorm(x, "pre_feedforward_layernorm", dim), "mlp", g)
	return b.Residual(x, b.RMSNorm(y, "post_feedforward_layernorm", dim))
}

// perLayerSize is a size of the config: one number for all layers, or a list with one for each.
func perLayerSize(b *Build, key string, i int64) int64 {
	sizes, ok := b.Value(key).([]any)
	if !ok {
		return b.Size(key)
	}
	if layers := b.Int("num_hidden_layers"); int64(len(sizes)) != layers {
		config.Fail(config.CodeContradiction, b.At(key), "has %d sizes but num_hidden_layers is %d", len(sizes), layers)
	}
	return b.Integer(key, sizes[i])
}
