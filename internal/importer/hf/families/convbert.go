package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/build"
	"github.com/modelverifier/verifier/internal/importer/hf/config"
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var _ = family.Define(family.Family{Type: "convbert", Default: "ConvBertForMaskedLM",
	Classes: stack.Encoder{Prefix: "convbert", Model: convBert, Words: electraWords}.Classes("ConvBert",
		stack.MaskedLM, stack.TokenClassification, stack.QuestionAnswering)})

// convBert replaces half of the heads by convolutions whose kernels depend on the text.
func convBert(b *Build) (x, table Node) {
	s := Bert{Width: "embedding_size", Enter: "embeddings_project", Free: true}
	s.Layer = func(l *Build, x, memory Node, _ int64) Node {
		dim := l.Size("hidden_size")
		x = s.normed(l.Scope("attention"), x, "output.LayerNorm",
			func(x Node) Node { return convBertAttend(l.Scope("attention"), x, x) })
		if l.Bool("add_cross_attention") {
			x = s.normed(l.Scope("crossattention"), x, "output.LayerNorm",
				func(x Node) Node { return convBertAttend(l.Scope("crossattention"), x, memory) })
		}
		return s.normed(l, x, "output.LayerNorm", func(x Node) Node {
			x = l.Activation(groupedLinear(l, x, "intermediate.dense", dim, l.Size("intermediate_size")), "hidden_act")
			return l.Drop(groupedLinear(l, x, "output.dense", l.Size("intermediate_size"), dim), hiddenDropout)
		})
	}
	return s.model(b)
}

func convBertAttend(b *Build, x, memory Node) Node {
	dim, kernel, m := b.Size("hidden_size"), b.Size("conv_kernel_size"), b.Scope("self")
	heads := max(b.Size("num_attention_heads")/b.Size("head_ratio"), 1)
	if dim%heads != 0 {
		config.Fail(config.CodeContradiction, b.At("num_attention_heads"),
			"with head_ratio leaves %d heads, which do not divide hidden_size, %d", heads, dim)
	}
	head := dim / heads / 2
	if head == 0 {
		config.Fail(config.CodeContradiction, b.At("num_attention_heads"), "leaves no feature for each of %d heads",
			heads)
	}
	all, length := heads*head, b.Length(Bert{}.longest(b))
	q, k, v := m.Linear(x, "query", dim, all, true), m.Linear(memory, "key", dim, all, true),
		m.Linear(memory, "value", dim, all, true)
	near := separable(m, x, "key_conv_attn_layer", dim, all, kernel)
	kernels := m.Linear(m.Add("multiply", "", nil, near, q), "conv_kernel_layer", all, heads*kernel, true)
	kernels = m.Add("softmax", "", Args{build.Int("dim", 2)},
		m.Reshape(kernels, length*heads, kernel, 1))
	y := m.Swap(m.Linear(x, "conv_out_layer", dim, all, true))
	y = m.Add("unfold", "", Args{build.Ints("kernelSize", kernel, 1), build.Ints("padding", (kernel-1)/2, 0)},
		m.Add("unsqueeze", "", Args{build.Int("dim", -1)}, y))
	y = m.Swap(y)
	y = nn.Times(m, m.Reshape(y, length*heads, head, kernel), kernels, false)
	y = m.Reshape(y, length, all)
	y = m.Add("concatenate", "", Args{build.Int("dim", -1)}, m.Core(q, k, v, heads, heads, false), y)
	return b.Drop(b.Linear(y, "output.dense", dim, dim, true), hiddenDropout)
}

// separable is a convolution of each channel by itself, a projection between the channels, and a bias.
func separable(b *Build, x Node, name string, in, out, kernel int64) Node {
	m := b.Scope("%s", name)
	x = convolve(m, x, "depthwise", in, in, kernel, kernel/2, in, false)
	x = convolve(m, x, "pointwise", in, out, 1, 0, 1, false)
	return m.Residual(x, m.Add("transpose", "bias", Args{build.Int("dim0", 1), build.Int("dim1", 2)},
		m.Param(x, "bias", out, 1)))
}

// groupedLinear is a linear layer in groups of features that do not mix.
func groupedLinear(b *Build, x Node, name string, in, out int64) Node {
	groups := b.Size("num_groups")
	if groups == 1 {
		return b.Linear(x, name, in, out, true)
	}
	m, length := b.Scope("%s", name), b.Length(Bert{}.longest(b))
	swap := func(x Node) Node { return m.Add("permute", "", Args{build.Ints("dims", 0, 2, 1, 3)}, x) }
	x = swap(m.Reshape(x, length, groups, in/groups))
	x = swap(nn.Times(m, x, m.Param(x, "weight", groups, in/groups, out/groups), false))
	return m.Residual(m.Reshape(x, length, out), vector(m, x, "bias", out))
}
