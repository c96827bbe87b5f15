package estimate

import (
	"github.com/modelverifier/verifier/internal/catalog"
	registry "github.com/modelverifier/verifier/internal/transformers"
)

// habitsOf are what a module does otherwise than most, in words, by which tests choose one.
func habitsOf(m catalog.Module) (out []string) {
	says := func(word string, written bool) {
		if written {
			out = append(out, word)
		}
	}
	scales := func(n registry.RMSNorm) {
		says("wide", n.Scaling == registry.CastBehindScale)
		says("late", n.Scaling == registry.ScaleOfInput)
		says("plain", n.Scaling == registry.NoCast)
	}
	switch m := m.(type) {
	case registry.Model:
		says("plain", m.PlainLoss)
		says("nested", m.Nested)
	case registry.Attention:
		attentionWords(m, says)
		scales(m.Norm)
	case registry.RMSNorm:
		scales(m)
	case registry.Experts:
		says("wide", m.WideRouter)
		says("rectified", m.Rectified)
		says("batched", m.Run == registry.Batched)
		says("looped", m.Run == registry.Looped || m.Run == registry.Modules)
		says("paired", m.Run == registry.Modules)
		says("clamped", m.Gate == registry.Clamped)
		says("steps", m.Gate == registry.Swish)
		says("newgelu", m.Function == registry.NewGELU)
	case registry.Gated:
		says("fused", m.Fused)
		says("steps", m.Bounded || m.Function != registry.Native)
	case registry.Activation:
		says("wide", m.Wide)
		says("products", m.Function == registry.FastGELU)
		says("erf", m.Function == registry.GELUPython)
		says("steps", m.Function != registry.Native && m.Function != registry.FastGELU && m.Function != registry.GELUPython)
	case registry.LayerNorm:
		says("steps", m.Steps)
		says("wide", m.Wide)
		says("plain", m.Plain)
		says("recast", m.Recast)
	case registry.Logits:
		says("biased", m.Biased)
		says("wide", m.Wide)
		says("recast", m.Recast)
		says("remade", m.Remade)
		says("added", m.Added)
	case registry.Product:
		says("inside", m.Inside)
		says("wide", m.Wide)
	case registry.Opaque:
		says("linear", m.Linear)
		says("wide", m.Wide)
	case registry.Tensor:
		says("flags", m.Flags)
	default:
		return single[m]
	}
	return out
}

// attentionWords are those of attention.
func attentionWords(m registry.Attention, says func(word string, written bool)) {
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
	says("blocks", m.Sparse)
}

// single are the modules without fields.
var single = map[catalog.Module][]string{
	registry.SummedLogits{}: {"remade"}, registry.Zeros{}: {"leaf"}, registry.StandardizedConvolution{}: {"remade"}, registry.Held{}: {"held"}, registry.Spread{}: {"spread"},
	registry.Mamba{}: {"serial"}, registry.SelectiveScan{}: {"serial"}, registry.GatedRecurrence{}: {"serial"}, registry.Mamba2{}: {"scan"}, registry.ChunkScan{}: {"scan"},
	registry.DeltaRule{}: {"chunks"}, registry.MatrixMemory{}: {"matrices"}, registry.BucketScores{}: {"indexed"}, registry.StreamLogits{}: {"streams", "plain"},
	registry.StreamLogits{Copied: true}: {"streams"},
	registry.SlidingChunks{}:            {"banded"}, registry.XIELU{}: {"xielu"}, registry.FixedPositions{}: {"frozen"},
}
