package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var _ = family.Define(family.Family{Type: "eurobert", Default: "EuroBertForMaskedLM", Classes: map[string]func(*Build){
	"EuroBertForMaskedLM": func(b *Build) { stack.CausalLM(b, euroBert(b)) },
	"EuroBertModel":       func(b *Build) { stack.BareModel(b, euroBert(b)) },
}})

// euroBert is Llama whose positions see those behind them, too.
func euroBert(b *Build) stack.Decoder {
	evenHeads(b)
	return stack.Decoder{HeadBias: b.Bool("mlp_bias"), Layer: func(b *Build, x Node, _ int64) Node {
		a := nn.Rotary(b, 10_000).Biased(b.Bool("attention_bias"))
		a.Causal = false
		return nn.PreNorm(b, x, a.Dim, func(x Node) Node { return nn.Attend(b, x, "self_attn", a) },
			func(x Node) Node { return nn.DecoderMLP(b, x, b.Bool("mlp_bias")) })
	}}
}
