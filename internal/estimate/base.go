package estimate

import (
	"strings"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/infer"
	"github.com/modelverifier/verifier/internal/op"
)

// Bases are how bitsandbytes stores the linear layers of a model that is not trained, all but those that give the logits: 4 bits with a 32-bit
// scale for every 64 weights (FP4 takes the same), or with scales of 8 bits (bnb_4bit_use_double_quant); or 8 bits (LLM.int8). The
// precision of the run is that of everything else: amp or fp32 behind peft's prepare_model_for_kbit_training, which leaves it in 32 bits, with
// autocast or without; bf16 as it was loaded.
var Bases = []string{"nf4", "nf4-double", "int8"}

var storedBases = map[string]op.Stored{"nf4": op.NF4, "nf4-double": op.NF4Double, "int8": op.Int8}

// quantised are the weights of a component that a base is stored in few bits of, as bits by their numbers. Experts that a library has as one tensor
// are no linear layers, and stay as they are.
func quantised(res *infer.Result, i int) (weights uint64) {
	n := &res.Nodes[i]
	if n.Component == nil || givesLogits(res, i) {
		return 0
	}
	packed := n.Type.Has(catalog.IsExperts) && isModule(*n)
	for k := range n.Weights {
		if w := &n.Weights[k]; isLinear(n, w) && !(packed && isExpert(w)) {
			weights |= bit(k)
		}
	}
	return weights
}

// isExpert reports whether a weight is that of one of many experts.
func isExpert(w *catalog.Weight) bool { return strings.HasPrefix(w.Module, "experts") }

// adapters is what those of a run are like. peft makes them of 32 bits over a base of 16 (autocast_adapter_dtype), and beside quantised weights.
func (o *Options) adapters() (a catalog.Adapters) {
	if o.Adapt == nil || o.Adapt.LoRA == nil {
		return a
	}
	l := o.Adapt.LoRA
	a.Drops = l.Dropout > 0
	if l.Bits != 16 || o.Base != "" {
		a.Width = 4
	}
	return a
}

// AdapterBits are what an element of an adapter can take, the default first.
var AdapterBits = []int64{32, 16}
