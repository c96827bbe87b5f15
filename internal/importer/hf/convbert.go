package hf

var _ = define(Family{Type: "convbert", Default: "ConvBertForMaskedLM",
	Classes: Encoder{Prefix: "convbert", Model: convBert, Words: electraWords}.classes("ConvBert", masked, tokens, answers)})

// convBert replaces half of the heads by convolutions whose kernels depend on the text.
func convBert(b *Build) (x, table Node) {
	s := Bert{Width: "embedding_size", Enter: "embeddings_project", Free: true}
	s.Layer = func(l *Build, x, memory Node, _ int64) Node {
		dim := l.Size("hidden_size")
		x = s.normed(l.Scope("attention"), x, "output.LayerNorm", func(x Node) Node { return l.Scope("attention").convBertAttend(x, x) })
		if l.Bool("add_cross_attention") {
			x = s.normed(l.Scope("crossattention"), x, "output.LayerNorm", func(x Node) Node { return l.Scope("crossattention").convBertAttend(x, memory) })
		}
		return s.normed(l, x, "output.LayerNorm", func(x Node) Node {
			x = l.Activation(l.groupedLinear(x, "intermediate.dense", dim, l.Size("intermediate_size")), "hidden_act")
			return l.drop(l.groupedLinear(x, "output.dense", l.Size("intermediate_size"), dim), hiddenDropout)
		})
	}
	return s.model(b)
}

func (b *Build) convBertAttend(x, memory Node) Node {
	dim, kernel, m := b.Size("hidden_size"), b.Size("conv_kernel_size"), b.Scope("self")
	heads := max(b.Size("num_attention_heads")/b.Size("head_ratio"), 1)
	if dim%heads != 0 {
		fail(CodeContradiction, b.at("num_attention_heads"), "with head_ratio leaves %d heads, which do not divide hidden_size, %d", heads, dim)
	}
	head := dim / heads / 2
	if head == 0 {
		fail(CodeContradiction, b.at("num_attention_heads"), "leaves no feature for each of %d heads", heads)
	}
	all, length := heads*head, b.Length(Bert{}.longest(b))
	q, k, v := m.Linear(x, "query", dim, all, true), m.Linear(memory, "key", dim, all, true), m.Linear(memory, "value", dim, all, true)
	near := m.separable(x, "key_conv_attn_layer", dim, all, kernel)
	kernels := m.Linear(m.Add("multiply", "", nil, near, q), "conv_kernel_layer", all, heads*kernel, true)
	kernels = m.Add("softmax", "", Args{Int("dim", 2)}, m.Add("reshape", "", Args{Ints("shape", length*heads, kernel, 1)}, kernels))
	y := m.Add("transpose", "", Args{Int("dim0", 1), Int("dim1", 2)}, m.Linear(x, "conv_out_layer", dim, all, true))
	y = m.Add("unfold", "", Args{Ints("kernelSize", kernel, 1), Ints("padding", (kernel-1)/2, 0)}, m.Add("unsqueeze", "", Args{Int("dim", -1)}, y))
	y = m.Add("transpose", "", Args{Int("dim0", 1), Int("dim1", 2)}, y)
	y = m.times(m.Add("reshape", "", Args{Ints("shape", length*heads, head, kernel)}, y), kernels, false)
	y = m.Add("reshape", "", Args{Ints("shape", length, all)}, y)
	y = m.Add("concatenate", "", Args{Int("dim", -1)}, m.Core(q, k, v, heads, heads, false), y)
	return b.drop(b.Linear(y, "output.dense", dim, dim, true), hiddenDropout)
}

// separable is a convolution of each channel by itself, a map between the channels, and a bias.
func (b *Build) separable(x Node, name string, in, out, kernel int64) Node {
	m := b.Scope("%s", name)
	x = m.convolve(x, "depthwise", in, in, kernel, kernel/2, in, false)
	x = m.convolve(x, "pointwise", in, out, 1, 0, 1, false)
	return m.Residual(x, m.Add("transpose", "bias", Args{Int("dim0", 1), Int("dim1", 2)}, m.Param(x, "bias", out, 1)))
}

// groupedLinear is a linear map in groups of features that do not mix.
func (b *Build) groupedLinear(x Node, name string, in, out int64) Node {
	groups := b.Size("num_groups")
	if groups == 1 {
		return b.Linear(x, name, in, out, true)
	}
	m, length := b.Scope("%s", name), b.Length(Bert{}.longest(b))
	swap := func(x Node) Node { return m.Add("permute", "", Args{Ints("dims", 0, 2, 1, 3)}, x) }
	x = swap(m.Add("reshape", "", Args{Ints("shape", length, groups, in/groups)}, x))
	x = swap(m.times(x, m.Param(x, "weight", groups, in/groups, out/groups), false))
	return m.Residual(m.Add("reshape", "", Args{Ints("shape", length, out)}, x), m.vector(x, "bias", out))
}
