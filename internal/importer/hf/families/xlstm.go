package families

import (
	"math"

	"github.com/modelverifier/verifier/internal/importer/hf/build"
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
	"github.com/modelverifier/verifier/internal/transformers"
)

var _ = family.Define(family.Family{Type: "xlstm", Default: "xLSTMForCausalLM", Classes: map[string]func(*Build){
	"xLSTMForCausalLM": func(b *Build) {
		x, _ := stack.Trunk(b, xlstm(b), "backbone")
		b.Output(stack.LMHead(b, x, "lm_head", b.Size("hidden_size"), b.Size("vocab_size"), false, 0, false)) // never tied
	},
	"xLSTMModel": func(b *Build) { stack.BareModel(b, xlstm(b)) },
}})

// xlstm has a recurrence whose state is a matrix in every head, and a gated network.
func xlstm(b *Build) stack.Decoder {
	dim := b.Size("hidden_size")
	if matrixWidths(b); b.Bool("use_cache") &&
		roundUp(float64(dim)*b.Float("qk_dim_factor"), 64) != int64(float64(dim)*b.Float("qk_dim_factor")) {
		b.Note("transformers keeps a state of keys rounded up to a multiple of 64: with a cache " +
			"this model fails when it is called")
	}
	return stack.Decoder{Embed: "embeddings", Layers: "blocks", Norm: "out_norm", Dim: b.SizeOr("embedding_dim", dim),
		Count:     b.Or("num_blocks", b.Int("num_hidden_layers")),
		FinalNorm: func(b *Build, x Node, name string, _ int64) Node { return b.RMSNorm(x, name, dim) },
		Layer: func(b *Build, x Node, _ int64) Node {
			x = b.Residual(x, matrixLSTM(b.Scope("mlstm_layer"), shiftedNorm(b, x, "norm_mlstm", dim), dim))
			wide := roundUp(float64(dim)*b.Float("ffn_proj_factor"), float64(b.Size("ffn_round_up_to_multiple_of")))
			g := nn.Gated{Dim: dim, Hidden: wide, Bias: b.Bool("use_bias"), Act: "silu", Gate: "proj_up_gate",
				Up: "proj_up", Down: "proj_down"}
			if b.Is("weight_mode", "fused") {
				g.Fused = "proj_up_gate_z"
			}
			return b.Residual(x, nn.GatedMLP(b, shiftedNorm(b, x, "norm_ffn", dim), "ffn", g))
		}}
}

// roundUp is the next multiple of a step, as Python divides and rounds.
func roundUp(x, step float64) int64 { return int64(math.Floor((x+step-1)/step) * step) }

// matrixWidths are the widths of keys and values.
func matrixWidths(b *Build) (keys, values int64) {
	dim := float64(b.Size("hidden_size"))
	return int64(dim * b.Float("qk_dim_factor")), int64(dim * b.Float("v_dim_factor"))
}

// shiftedNorm is an RMS norm that may have a bias.
func shiftedNorm(b *Build, x Node, name string, dim int64) Node {
	return maybeShift(b, b.RMSNorm(x, name, dim), name+".bias", dim)
}

// maybeShift adds a trained vector where use_bias says so.
func maybeShift(b *Build, x Node, name string, dim int64) Node {
	if !b.Bool("use_bias") {
		return x
	}
	return shift(b, x, name, dim)
}

// matrixLSTM is the mLSTM: gates for input and forgetting in each head, and one for every feature of the result.
func matrixLSTM(b *Build, x Node, dim int64) Node {
	keys, values := matrixWidths(b)
	heads, bias, length := b.Size("num_heads"), b.Bool("use_bias"), b.TextLength()
	var q, k, v, gate Node
	var gates []Node
	if b.Is("weight_mode", "fused") {
		all := b.Linear(x, "qkv_opreact", dim, 2*keys+2*values, bias)
		q, k, v, gate = b.Slice(all, 0, keys), b.Slice(all, keys, 2*keys), b.Slice(all, 2*keys, 2*keys+values),
			b.Slice(all, 2*keys+values, 2*keys+2*values)
		gates = []Node{b.Linear(x, "ifgate_preact", dim, 2*heads, true)}
	} else {
		q, k, v = b.Linear(x, "q", dim, keys, bias), b.Linear(x, "k", dim, keys, bias),
			b.Linear(x, "v", dim, values, bias)
		gate = b.Linear(x, "ogate_preact", dim, values, bias)
		gates = []Node{b.Linear(x, "igate_preact", dim, heads, true), b.Linear(x, "fgate_preact", dim, heads, true)}
	}
	// Each head writes its matrix and reads it once, for every position.
	y := b.OpaqueOf(append([]Node{q, k, v}, gates...), "mlstm_backend", []int64{length, values},
		build.Product(b, 4, length, heads, keys/heads, values/heads))
	b.As(y, transformers.MatrixMemory{})
	b.SetSize(y, "chunkSize", b.Or("chunk_size", 64))
	y = nn.PlainNorm(b, b.Unflatten(y, heads, values/heads), "multihead_norm", values/heads)
	b.As(y, transformers.LayerNorm{Steps: true, Plain: true})
	y = b.Flat(y)
	wide := heads * (values / heads)
	weight := b.Add("parameter", "multihead_norm.weight", Args{build.Ints("shape", 1, wide)}, x)
	b.Tensor("multihead_norm.weight", wide)
	y = maybeShift(b, b.Add("multiply", "", nil, y, weight), "multihead_norm.bias", wide)
	return b.Linear(b.Add("multiply", "", nil, b.Add("sigmoid", "", nil, gate), y), "out_proj", values, dim, bias)
}
