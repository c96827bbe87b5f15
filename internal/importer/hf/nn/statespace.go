package nn

import (
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/importer/hf/build"
	"github.com/modelverifier/verifier/internal/importer/hf/config"
	"github.com/modelverifier/verifier/internal/transformers"
)

// MambaSizes is the state-space mixer of Mamba: a short convolution, and a recurrence whose step and matrices depend
// on the input.
type MambaSizes struct {
	Dim, Inner, State, Rank, Kernel int64
	Bias, ConvBias                  bool
	Act                             string // key of the activation; SiLU where empty
	Norm                            func(m *build.Build, x build.Node, name string, dim int64) build.Node
}

// RankOf is the rank of the step's projection: a sixteenth of the model, rounded up, where the config says auto.
func RankOf(b *build.Build, key string) int64 {
	if b.Is(key, "auto") {
		return (b.Size("hidden_size") + 15) / 16
	}
	return b.Size(key)
}

// Mamba adds the mixer: one component where the catalogue has it whole, else its parts.
func Mamba(b *build.Build, x build.Node, name string, s MambaSizes) build.Node {
	m := b.Scope("%s", name)
	if s.Norm != nil || build.Activations[actOf(b, s.Act)] != "silu" {
		return selectParts(m, x, s)
	}
	n := m.Add("mamba", "", build.Args{build.Int("embedDim", s.Dim), build.Int("stateDim", s.State),
		build.Int("convKernel", s.Kernel), expandTo(s.Inner, s.Dim),
		build.Int("dtRank", s.Rank), build.Flag("bias", s.Bias), build.Flag("convBias", s.ConvBias)}, x)
	m.As(n, transformers.Mamba{})
	m.Tensor("A_log", s.Inner, s.State)
	m.Tensor("D", s.Inner)
	m.Weights("conv1d", s.ConvBias, s.Inner, 1, s.Kernel)
	m.Weights("in_proj", s.Bias, 2*s.Inner, s.Dim)
	m.Weights("x_proj", false, s.Rank+2*s.State, s.Inner)
	m.Weights("dt_proj", true, s.Inner, s.Rank)
	m.Weights("out_proj", s.Bias, s.Dim, s.Inner)
	return n
}

// expandTo is the factor that gives the inner features once it is multiplied and rounded down.
func expandTo(inner, dim int64) graph.Param {
	if inner%dim == 0 {
		return build.Num("expand", float64(inner/dim))
	}
	return build.Num("expand", (float64(inner)+0.5)/float64(dim))
}

// actOf is the activation that a key names, SiLU where there is no key.
func actOf(b *build.Build, key string) string {
	if key == "" {
		return "silu"
	}
	return b.Str(key)
}

// MixAct applies the activation that a key names, SiLU where there is no key.
func MixAct(b *build.Build, x build.Node, key string) build.Node { return b.Act(x, actOf(b, key), key) }

func selectParts(b *build.Build, x build.Node, s MambaSizes) build.Node {
	length := b.TextLength()
	both := b.Linear(x, "in_proj", s.Dim, 2*s.Inner, s.Bias)
	u := MixAct(b, CausalConv1d(b, b.Chunk(both, 2, 0), "conv1d", s.Inner, s.Kernel, s.ConvBias), s.Act)
	steps := b.Linear(u, "x_proj", s.Inner, s.Rank+2*s.State, false)
	part := func(name string, from, size int64) build.Node {
		y := b.Slice(steps, from, from+size)
		if s.Norm != nil {
			y = s.Norm(b, y, name, size)
		}
		return y
	}
	dt, in, out := part("dt_layernorm", 0, s.Rank), part("b_layernorm", s.Rank, s.State),
		part("c_layernorm", s.Rank+s.State, s.State)
	dt = b.Add("softplus", "", nil, b.Linear(dt, "dt_proj", s.Rank, s.Inner, true))
	y := b.OpaqueOf([]build.Node{u, dt, in, out}, "", []int64{length, s.Inner}, 0, build.T("A_log", s.Inner, s.State),
		build.T("D", s.Inner))
	b.As(y, transformers.SelectiveScan{})
	y = b.Add("multiply", "", nil, y, MixAct(b, b.Chunk(both, 2, 1), s.Act))
	return b.Linear(y, "out_proj", s.Inner, s.Dim, s.Bias)
}

// CausalConv1d convolves each feature of (sequence, features) over the positions up to its own.
func CausalConv1d(b *build.Build, x build.Node, name string, features, kernel int64, bias bool) build.Node {
	x = b.Swap(x)
	x = b.Add("depthwiseConv1d", name, build.Args{build.Int("inChannels", features), build.Int("kernelSize", kernel),
		build.Int("padding", kernel-1), build.Flag("bias", bias)}, x)
	b.Weights(name, bias, features, 1, kernel)
	return b.Swap(b.Slice(x, 0, b.TextLength()))
}

// Mamba2Sizes is the mixer of Mamba 2: heads that share one decay, and groups of heads that share the matrices of the
// state.
type Mamba2Sizes struct {
	Dim, Inner, Heads, Head, State, Groups, Kernel int64
	Bias, OutBias, ConvBias, Ungated               bool // ungated: no norm before the last projection
	Act                                            string
}

// Mamba2 adds the mixer, whole or in its parts.
func Mamba2(b *build.Build, x build.Node, name string, s Mamba2Sizes) build.Node {
	m := b.Scope("%s", name)
	if s.Ungated || s.Bias != s.OutBias || build.Activations[actOf(b, s.Act)] != "silu" || s.Inner != s.Heads*s.Head {
		return structureParts(m, x, s)
	}
	wide := s.Inner + 2*s.Groups*s.State
	n := m.Add("mamba2", "", build.Args{build.Int("embedDim", s.Dim), build.Int("stateDim", s.State),
		build.Int("convKernel", s.Kernel), expandTo(s.Inner, s.Dim),
		build.Int("headDim", s.Head), build.Int("numGroups", s.Groups), build.Flag("bias", s.Bias),
		build.Flag("convBias", s.ConvBias)}, x)
	m.As(n, transformers.Mamba2{})
	m.SetSize(n, "chunkSize", scanChunk(b))
	for _, name := range []string{"dt_bias", "A_log", "D"} {
		m.Tensor(name, s.Heads)
	}
	m.Weights("conv1d", s.ConvBias, wide, 1, s.Kernel)
	m.Weights("in_proj", s.Bias, s.Inner+wide+s.Heads, s.Dim)
	m.Tensor("norm.weight", s.Inner)
	m.Weights("out_proj", s.Bias, s.Dim, s.Inner)
	return n
}

func structureParts(b *build.Build, x build.Node, s Mamba2Sizes) build.Node {
	length, wide := b.TextLength(), s.Inner+2*s.Groups*s.State
	all := b.Linear(x, "in_proj", s.Dim, s.Inner+wide+s.Heads, s.Bias)
	gate, dt := b.Slice(all, 0, s.Inner), b.Slice(all, s.Inner+wide, s.Inner+wide+s.Heads)
	u := MixAct(b, CausalConv1d(b, b.Slice(all, s.Inner, s.Inner+wide), "conv1d", wide, s.Kernel, s.ConvBias), s.Act)
	y := b.OpaqueOf([]build.Node{u, dt}, "", []int64{length, s.Inner}, 0, build.T("dt_bias", s.Heads),
		build.T("A_log", s.Heads), build.T("D", s.Heads))
	b.As(y, transformers.ChunkScan{})
	b.SetSize(y, "chunkSize", scanChunk(b))
	b.SetSize(y, "stateSize", s.State)
	y = b.Add("multiply", "", nil, y, MixAct(b, gate, s.Act))
	if !s.Ungated {
		y = b.RMSNorm(y, "norm", s.Inner)
	}
	return b.Linear(y, "out_proj", s.Inner, s.Dim, s.OutBias)
}

// scanChunk is how many positions of Mamba 2's recurrence are computed at once.
func scanChunk(b *build.Build) int64 { return b.Or("chunk_size", b.Or("mamba_chunk_size", 256)) }

// MambaHeads is the mixer of Mamba 2 as Bamba and its relatives configure it. Their heads must fill the inner features.
func MambaHeads(b *build.Build, inner int64) Mamba2Sizes {
	s := Mamba2Sizes{Dim: b.Size("hidden_size"), Inner: inner, Heads: b.Size("mamba_n_heads"),
		State: b.Size("mamba_d_state"), Groups: b.Size("mamba_n_groups"),
		Kernel: b.Size("mamba_d_conv"), Bias: b.Bool("mamba_proj_bias"), OutBias: b.Bool("mamba_proj_bias"),
		ConvBias: b.Bool("mamba_conv_bias"), Act: "hidden_act"}
	if s.Head = inner / s.Heads; !b.Is("mamba_d_head", "auto") {
		s.Head = b.Size("mamba_d_head")
	}
	if s.Head*s.Heads != inner {
		config.Fail(config.CodeContradiction, b.At("mamba_n_heads"),
			"%d heads of %d features, mamba_d_head, do not fill the %d inner features", s.Heads, s.Head, inner)
	}
	return s
}

// Expanded is a size times a factor, rounded down.
func Expanded(b *build.Build, key, factor string) int64 {
	return int64(float64(b.Size(key)) * b.Float(factor))
}

// Recurrent says whether a layer is a state-space one: older configs call those mamba and the others attention.
func Recurrent(kind string) bool {
	return kind == "linear_attention" || kind == "mamba" || kind == "conv"
}
