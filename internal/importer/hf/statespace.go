package hf

import (
	"strconv"

	"github.com/modelverifier/verifier/internal/graph"
)

// selective is the state-space mixer of Mamba: a short convolution, and a recurrence whose step and matrices depend on the input.
type selective struct {
	dim, inner, state, rank, kernel int64
	bias, convBias                  bool
	act                             string // key of the activation; SiLU where empty
	norm                            func(m *Build, x Node, name string, dim int64) Node
}

// rankOf is the rank of the step's map: a sixteenth of the model, rounded up, where the config says auto.
func (b *Build) rankOf(key string) int64 {
	if b.Is(key, "auto") {
		return (b.Size("hidden_size") + 15) / 16
	}
	return b.Size(key)
}

// selects adds the mixer: one component where the catalogue has it whole, else its parts.
func (b *Build) selects(x Node, name string, s selective) Node {
	m := b.Scope("%s", name)
	if s.norm != nil || activations[b.actOf(s.act)] != "silu" {
		return m.selectParts(x, s)
	}
	n := m.Add("mamba", "", Args{Int("embedDim", s.dim), Int("stateDim", s.state), Int("convKernel", s.kernel), expandTo(s.inner, s.dim),
		Int("dtRank", s.rank), Flag("bias", s.bias), Flag("convBias", s.convBias)}, x)
	m.way(n, "serial")
	m.Tensor("A_log", s.inner, s.state)
	m.Tensor("D", s.inner)
	m.weights("conv1d", s.convBias, s.inner, 1, s.kernel)
	m.weights("in_proj", s.bias, 2*s.inner, s.dim)
	m.weights("x_proj", false, s.rank+2*s.state, s.inner)
	m.weights("dt_proj", true, s.inner, s.rank)
	m.weights("out_proj", s.bias, s.dim, s.inner)
	return n
}

// expandTo is the factor that gives the inner features once it is multiplied and rounded down.
func expandTo(inner, dim int64) graph.Param {
	if inner%dim == 0 {
		return Num("expand", float64(inner/dim))
	}
	return Num("expand", (float64(inner)+0.5)/float64(dim))
}

// actOf is the activation that a key names, SiLU where there is no key.
func (b *Build) actOf(key string) string {
	if key == "" {
		return "silu"
	}
	return b.Str(key)
}

func (b *Build) mixAct(x Node, key string) Node { return b.Act(x, b.actOf(key), key) }

func (b *Build) selectParts(x Node, s selective) Node {
	length := b.positions()
	both := b.Linear(x, "in_proj", s.dim, 2*s.inner, s.bias)
	u := b.mixAct(b.convolved(b.Chunk(both, 2, 0), "conv1d", s.inner, s.kernel, s.convBias), s.act)
	steps := b.Linear(u, "x_proj", s.inner, s.rank+2*s.state, false)
	part := func(name string, from, size int64) Node {
		y := b.Slice(steps, from, from+size)
		if s.norm != nil {
			y = s.norm(b, y, name, size)
		}
		return y
	}
	dt, in, out := part("dt_layernorm", 0, s.rank), part("b_layernorm", s.rank, s.state), part("c_layernorm", s.rank+s.state, s.state)
	dt = b.Add("softplus", "", nil, b.Linear(dt, "dt_proj", s.rank, s.inner, true))
	y := b.opaqueOf([]Node{u, dt, in, out}, "", []int64{length, s.inner}, 0, T("A_log", s.inner, s.state), T("D", s.inner))
	b.way(y, "serial")
	y = b.Add("multiply", "", nil, y, b.mixAct(b.Chunk(both, 2, 1), s.act))
	return b.Linear(y, "out_proj", s.inner, s.dim, s.bias)
}

// convolved convolves each feature of (sequence, features) over the positions up to its own.
func (b *Build) convolved(x Node, name string, features, kernel int64, bias bool) Node {
	turned := Args{Int("dim0", 1), Int("dim1", 2)}
	x = b.Add("transpose", "", turned, x)
	x = b.Add("depthwiseConv1d", name, Args{Int("inChannels", features), Int("kernelSize", kernel), Int("padding", kernel-1), Flag("bias", bias)}, x)
	b.weights(name, bias, features, 1, kernel)
	return b.Add("transpose", "", turned, b.Slice(x, 0, b.positions()))
}

// structured is the mixer of Mamba 2: heads that share one decay, and groups of heads that share the matrices of the state.
type structured struct {
	dim, inner, heads, head, state, groups, kernel int64
	bias, outBias, convBias, ungated               bool // ungated: no norm before the last map
	act                                            string
}

// structures adds the mixer, whole or in its parts.
func (b *Build) structures(x Node, name string, s structured) Node {
	m := b.Scope("%s", name)
	if s.ungated || s.bias != s.outBias || activations[b.actOf(s.act)] != "silu" || s.inner != s.heads*s.head {
		return m.structureParts(x, s)
	}
	wide := s.inner + 2*s.groups*s.state
	n := m.Add("mamba2", "", Args{Int("embedDim", s.dim), Int("stateDim", s.state), Int("convKernel", s.kernel), expandTo(s.inner, s.dim),
		Int("headDim", s.head), Int("numGroups", s.groups), Flag("bias", s.bias), Flag("convBias", s.convBias)}, x)
	m.way(n, "scan"+strconv.FormatInt(b.scanChunk(), 10))
	for _, name := range []string{"dt_bias", "A_log", "D"} {
		m.Tensor(name, s.heads)
	}
	m.weights("conv1d", s.convBias, wide, 1, s.kernel)
	m.weights("in_proj", s.bias, s.inner+wide+s.heads, s.dim)
	m.Tensor("norm.weight", s.inner)
	m.weights("out_proj", s.bias, s.dim, s.inner)
	return n
}

func (b *Build) structureParts(x Node, s structured) Node {
	length, wide := b.positions(), s.inner+2*s.groups*s.state
	all := b.Linear(x, "in_proj", s.dim, s.inner+wide+s.heads, s.bias)
	gate, dt := b.Slice(all, 0, s.inner), b.Slice(all, s.inner+wide, s.inner+wide+s.heads)
	u := b.mixAct(b.convolved(b.Slice(all, s.inner, s.inner+wide), "conv1d", wide, s.kernel, s.convBias), s.act)
	y := b.opaqueOf([]Node{u, dt}, "", []int64{length, s.inner}, 0, T("dt_bias", s.heads), T("A_log", s.heads), T("D", s.heads))
	b.way(y, "scan"+strconv.FormatInt(b.scanChunk(), 10)+"/state"+strconv.FormatInt(s.state, 10))
	y = b.Add("multiply", "", nil, y, b.mixAct(gate, s.act))
	if !s.ungated {
		y = b.RMSNorm(y, "norm", s.inner)
	}
	return b.Linear(y, "out_proj", s.inner, s.dim, s.outBias)
}

// scanChunk is how many positions of Mamba 2's recurrence are computed at once.
func (b *Build) scanChunk() int64 { return b.Or("chunk_size", b.Or("mamba_chunk_size", 256)) }

// mambaHeads is the mixer of Mamba 2 as Bamba and its relatives configure it. Their heads must fill the inner features.
func (b *Build) mambaHeads(inner int64) structured {
	s := structured{dim: b.Size("hidden_size"), inner: inner, heads: b.Size("mamba_n_heads"), state: b.Size("mamba_d_state"), groups: b.Size("mamba_n_groups"),
		kernel: b.Size("mamba_d_conv"), bias: b.Bool("mamba_proj_bias"), outBias: b.Bool("mamba_proj_bias"), convBias: b.Bool("mamba_conv_bias"), act: "hidden_act"}
	if s.head = inner / s.heads; !b.Is("mamba_d_head", "auto") {
		s.head = b.Size("mamba_d_head")
	}
	if s.head*s.heads != inner {
		fail(CodeContradiction, b.at("mamba_n_heads"), "%d heads of %d features, mamba_d_head, do not fill the %d inner features", s.heads, s.head, inner)
	}
	return s
}

// expanded is a size times a factor, rounded down.
func (b *Build) expanded(key, factor string) int64 {
	return int64(float64(b.Size(key)) * b.Float(factor))
}

// recurrent says whether a layer is a state-space one: older configs call those mamba and the others attention.
func recurrent(kind string) bool {
	return kind == "linear_attention" || kind == "mamba" || kind == "conv"
}
