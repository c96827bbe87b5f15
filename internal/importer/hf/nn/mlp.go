package nn

import (
	"cmp"

	"github.com/modelverifier/verifier/internal/importer/hf/build"
	"github.com/modelverifier/verifier/internal/transformers"
)

// DroppedMLP is MLP with the names of BART's layers and dropout behind the activation.
func DroppedMLP(b *build.Build, x build.Node, dim, hidden int64) build.Node {
	x = b.Drop(b.Activation(b.Linear(x, "fc1", dim, hidden, true), "activation_function"), "activation_dropout")
	return b.Linear(x, "fc2", hidden, dim, true)
}

// RecastMLP is DroppedMLP that casts what the second projection reads to the width of its weights.
func RecastMLP(b *build.Build, x build.Node, dim, hidden int64) build.Node {
	x = DroppedMLP(b, x, dim, hidden)
	b.As(x, transformers.Logits{Recast: true})
	return x
}

// PlainMLP is two linear layers around an activation of a fixed name.
func PlainMLP(b *build.Build, x build.Node, up, down string, dim, hidden int64, bias bool, act string) build.Node {
	x = b.Act(b.Linear(x, up, dim, hidden, bias), act, "")
	return b.Linear(x, down, hidden, dim, bias)
}

// MLP is two linear layers with an activation between.
func MLP(b *build.Build, x build.Node, up, down string, dim, hidden int64, bias bool, actKey string) build.Node {
	x = b.Linear(x, up, dim, hidden, bias)
	x = b.Activation(x, actKey)
	return b.Linear(x, down, hidden, dim, bias)
}

// Gated is a gated feed-forward network.
type Gated struct {
	Dim, Hidden    int64
	Bias           bool
	Act            string // the activation's name in transformers
	Gate, Up, Down string // names of the projections; gate_proj, up_proj and down_proj where empty
	Fused          string // name of the one projection that is gate and up, in their place
	Dropout        string // key of the dropout in front of the last projection, where there is some
}

// gatedOf is the module of a gated network.
func gatedOf(g Gated) transformers.Gated {
	m := transformers.Gated{Fused: g.Fused != ""}
	if build.Steps[g.Act] != transformers.Native { // all of them are written as the first is
		m.Function = transformers.NewGELU
	}
	return m
}

// GatedMLP adds one component for a network gated by SiLU or GELU, and its parts for any other.
func GatedMLP(b *build.Build, x build.Node, name string, g Gated) build.Node {
	g.Gate, g.Up, g.Down = cmp.Or(g.Gate, "gate_proj"), cmp.Or(g.Up, "up_proj"), cmp.Or(g.Down, "down_proj")
	typ := map[string]string{"silu": "swiglu", "gelu": "geglu"}[build.Activations[g.Act]]
	m := b.Scope("%s", name)
	if typ == "" {
		return gatedParts(m, x, g)
	}
	n := m.Add(typ, "", build.Args{build.Int("embedDim", g.Dim), build.Int("intermediateSize", g.Hidden),
		build.Flag("bias", g.Bias)}, x)
	m.As(n, gatedOf(g))
	m.SetDropout(n, g.Dropout)
	if g.Fused != "" {
		m.Weights(g.Fused, g.Bias, 2*g.Hidden, g.Dim)
	} else {
		m.Weights(g.Gate, g.Bias, g.Hidden, g.Dim)
		m.Weights(g.Up, g.Bias, g.Hidden, g.Dim)
	}
	m.Weights(g.Down, g.Bias, g.Dim, g.Hidden)
	return n
}

func gatedParts(b *build.Build, x build.Node, g Gated) build.Node {
	var gate, up build.Node
	if g.Fused != "" {
		both := b.Linear(x, g.Fused, g.Dim, 2*g.Hidden, g.Bias)
		gate, up = b.Chunk(both, 2, 0), b.Chunk(both, 2, 1)
	} else {
		gate, up = b.Linear(x, g.Gate, g.Dim, g.Hidden, g.Bias), b.Linear(x, g.Up, g.Dim, g.Hidden, g.Bias)
	}
	gate = b.Act(gate, g.Act, "hidden_act")
	gated := b.Add("multiply", "", nil, gate, up)
	if g.Dropout != "" {
		gated = b.Drop(gated, g.Dropout)
	}
	return b.Linear(gated, g.Down, g.Hidden, g.Dim, g.Bias)
}

// DecoderMLP is the gated network of most decoders.
func DecoderMLP(b *build.Build, x build.Node, bias bool) build.Node {
	return GatedMLPByKey(b, x, "mlp", "intermediate_size", bias)
}

// GatedMLPByKey is a gated network whose width is a key of the config.
func GatedMLPByKey(b *build.Build, x build.Node, name, width string, bias bool) build.Node {
	return GatedMLP(b, x, name, Gated{Dim: b.Size("hidden_size"), Hidden: b.Size(width), Bias: bias,
		Act: b.Str("hidden_act")})
}

// DefaultGated is the gated network that most configs describe.
func DefaultGated(b *build.Build, bias bool) Gated {
	return Gated{Dim: b.Size("hidden_size"), Hidden: b.Size("intermediate_size"), Bias: bias, Act: b.Str("hidden_act")}
}
