package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/build"
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var _ = family.Define(family.Family{Type: "minimax", Default: "MiniMaxForCausalLM",
	Classes: stack.HeadedClasses("MiniMax", stack.Layered(miniMax), stack.SequenceClassification,
		stack.TokenClassification, stack.QuestionAnswering)})

// miniMax has experts, and in every second layer lightning attention. What its norms give is what is added to, too.
func miniMax(b *Build, x Node, i int64) Node {
	a := nn.Rotary(b, 1e6).Within(b.Or("sliding_window", 0)).Filled()
	x = b.RMSNorm(x, "input_layernorm", a.Dim)
	var attended Node
	if nn.LayerKind(b, "layer_types", i, nn.Either(i%2 == 0, nn.FullAttention,
		"linear_attention")) == "linear_attention" {
		attended = lightning(b.Scope("self_attn"), x, a)
	} else {
		attended = nn.Attend(b, x, "self_attn", a)
	}
	x = b.RMSNorm(b.Residual(x, attended), "post_attention_layernorm", a.Dim)
	return b.Residual(x, nn.AddExperts(b, x, "mlp", nn.Routed(b, "num_local_experts", "intermediate_size")))
}

// lightning is attention without a softmax whose scores decay with the distance, block by block, behind a norm and a
// gate.
func lightning(b *Build, x Node, a nn.Attention) Node {
	wide, n := a.Heads*a.HeadDim, b.Length(b.MaxPositions())
	y := b.Activation(b.Linear(x, "qkv_proj", a.Dim, 3*wide, false), "hidden_act")
	y = b.Opaque(y, "decay", []int64{n, wide}, n)
	// Within a block each position meets each, and all meet the sum of the blocks before: two products of matrices
	// for either.
	b.Set(y, "flops", build.Int("", 4*n*wide*(min(n, b.Size("block_size"))+a.HeadDim)).Value)
	y = b.RMSNorm(y, "norm", wide)
	gate := b.Add("sigmoid", "output_gate", nil, b.Linear(x, "output_gate", a.Dim, wide, false))
	return b.Linear(b.Add("multiply", "", nil, gate, y), "out_proj", wide, a.Dim, false)
}
