package transformers

import "github.com/modelverifier/verifier/internal/catalog"

// Words are a module in the words of the engine of formulas in internal/estimate, which reads nothing else of it. This file goes with that engine.
func Words(m catalog.Module) (out []string) {
	says := func(word string, written bool) {
		if written {
			out = append(out, word)
		}
	}
	scales := func(n RMSNorm) {
		says("wide", n.Scaling == CastBehindScale)
		says("late", n.Scaling == ScaleOfInput)
		says("plain", n.Scaling == NoCast)
	}
	switch m := m.(type) {
	case Model:
		says("plain", m.PlainLoss)
		says("nested", m.Nested)
	case Attention:
		attentionWords(m, says)
		scales(m.Norm)
	case RMSNorm:
		scales(m)
	case Experts:
		says("wide", m.WideRouter)
		says("rectified", m.Rectified)
		says("batched", m.Run == Batched)
		says("looped", m.Run == Looped || m.Run == Modules)
		says("paired", m.Run == Modules)
		says("clamped", m.Gate == Clamped)
		says("steps", m.Gate == Swish)
		says("newgelu", m.Function == NewGELU)
	case Gated:
		says("fused", m.Fused)
		says("steps", m.Bounded || m.Function != Native)
	case Activation:
		says("wide", m.Wide)
		says("products", m.Function == FastGELU)
		says("erf", m.Function == GELUPython)
		says("steps", m.Function != Native && m.Function != FastGELU && m.Function != GELUPython)
	case LayerNorm:
		says("steps", m.Steps)
		says("wide", m.Wide)
		says("plain", m.Plain)
		says("recast", m.Recast)
	case Logits:
		says("biased", m.Biased)
		says("wide", m.Wide)
		says("recast", m.Recast)
		says("remade", m.Remade)
		says("added", m.Added)
	case Product:
		says("inside", m.Inside)
		says("wide", m.Wide)
	case Opaque:
		says("linear", m.Linear)
		says("wide", m.Wide)
	case Tensor:
		says("flags", m.Flags)
	default:
		return single[m]
	}
	return out
}

// attentionWords are those of attention.
func attentionWords(m Attention, says func(word string, written bool)) {
	says("eager", m.Eager)
	says("plain", m.Plain)
	says("recast", m.Recast)
	says("exact", m.Exact)
	says("fused", m.Fused)
	says("joined", m.Joined)
	says("broadcast", m.Broadcast)
	says("strided", m.Strided)
	says("masked", m.Masked)
	says("scaled", m.Scaled)
	says("clamped", m.Clamped)
	says("emptied", m.Emptied)
	says("streams", m.Streams)
	says("banded", m.Banded)
	says("blocks", m.Sparse)
}

// single are the modules without fields.
var single = map[catalog.Module][]string{
	SummedLogits{}: {"remade"}, Zeros{}: {"leaf"}, StandardizedConvolution{}: {"remade"}, WideSoftmax{}: {"wide"}, Held{}: {"held"}, Spread{}: {"spread"},
	Mamba{}: {"serial"}, SelectiveScan{}: {"serial"}, GatedRecurrence{}: {"serial"}, Mamba2{}: {"scan"}, ChunkScan{}: {"scan"},
	DeltaRule{}: {"chunks"}, MatrixMemory{}: {"matrices"}, BucketScores{}: {"indexed"}, StreamLogits{}: {"streams", "plain"},
	StreamLogits{Copied: true}: {"streams"},
	Diagonals{}:                {"linear", "banded"}, XIELU{}: {"xielu"}, FixedPositions{}: {"frozen"},
}
