package hf

import "github.com/modelverifier/verifier/internal/graph"

// Linear adds a linear map with the tensors of torch.nn.Linear.
func (b *Build) Linear(x Node, name string, in, out int64, bias bool) Node {
	n := b.Add("linear", name, Args{Int("inFeatures", in), Int("outFeatures", out), Flag("bias", bias)}, x)
	b.weights(name, bias, out, in)
	return n
}

// Conv1D is the linear map of GPT-2, whose weight is stored the other way round.
func (b *Build) Conv1D(x Node, name string, in, out int64) Node {
	n := b.Add("linear", name, Args{Int("inFeatures", in), Int("outFeatures", out), Flag("bias", true)}, x)
	b.Tensor(name+".weight", in, out)
	b.Tensor(name+".bias", out)
	return n
}

// weights lists a weight and, where there is one, a bias as long as the first axis of the weight.
func (b *Build) weights(name string, bias bool, shape ...int64) {
	b.Tensor(name+".weight", shape...)
	if bias {
		b.Tensor(name+".bias", shape[0])
	}
}

// Embedding looks tokens up.
func (b *Build) Embedding(x Node, name string, count, dim int64) Node {
	b.checkPadding(name, count)
	n := b.Add("embedding", name, Args{Int("vocabSize", count), Int("embedDim", dim)}, x)
	b.Tensor(name+".weight", count, dim)
	return n
}

// Positions adds a trained vector to each position; the table may have more rows than there are positions.
func (b *Build) Positions(x Node, name string, count, dim int64) Node {
	b.checkPadding(name, count)
	n := b.Add("learnedPositionalEmbedding", name, Args{Int("maxLen", count), Int("embedDim", dim)}, x)
	b.Tensor(name+".weight", count, dim)
	return n
}

// Segments adds a trained vector for the segment of each position.
func (b *Build) Segments(x Node, name string, count, dim int64) Node {
	n := b.Add("segmentEmbedding", name, Args{Int("numSegments", count), Int("embedDim", dim)}, x)
	b.Tensor(name+".weight", count, dim)
	return n
}

// LayerNorm normalises the last axis; bias says whether it adds one.
func (b *Build) LayerNorm(x Node, name string, dim int64, bias bool) Node {
	args := Args{Ints("normalizedShape", dim)}
	if !bias {
		args = append(args, Flag("bias", false))
	}
	n := b.Add("layerNorm", name, args, x)
	b.weights(name, bias, dim)
	return n
}

// PlainNorm is a layer norm without weights.
func (b *Build) PlainNorm(x Node, name string, dim int64) Node {
	return b.Add("layerNorm", name, Args{Ints("normalizedShape", dim), Flag("elementwiseAffine", false)}, x)
}

// RMSNorm divides the last axis by its root mean square.
func (b *Build) RMSNorm(x Node, name string, dim int64) Node {
	n := b.Add("rmsNorm", name, Args{Ints("normalizedShape", dim)}, x)
	b.Tensor(name+".weight", dim)
	return n
}

// Residual adds what a branch gives to what it was given.
func (b *Build) Residual(x, branch Node) Node { return b.Add("add", "", nil, x, branch) }

// Param is a trained tensor that is used as it is. x only tells the batch.
func (b *Build) Param(x Node, name string, shape ...int64) Node {
	n := b.Add("parameter", name, Args{Ints("shape", shape...)}, x)
	b.Tensor(name, shape...)
	return n
}

// activations are the names of transformers' ACT2FN and the types that compute them.
var activations = map[string]string{
	"gelu": "gelu", "gelu_new": "gelu", "gelu_fast": "gelu", "gelu_python": "gelu", "gelu_pytorch_tanh": "gelu", "gelu_python_tanh": "gelu",
	"gelu_10": "gelu", "gelu_accurate": "gelu", "quick_gelu": "quickGelu", "silu": "silu", "swish": "silu", "relu": "relu", "relu2": "squaredRelu",
	"relu6": "relu6", "leaky_relu": "leakyRelu", "tanh": "tanh", "sigmoid": "sigmoid", "mish": "mish", "hardswish": "hardSwish",
	"linear": "identity", "laplace": "sigmoid",
}

// steps are the activations that transformers writes as single operations, and in which way; the others call one function of PyTorch.
var steps = map[string]string{"gelu_new": "steps", "gelu_fast": "products", "gelu_python": "erf", "gelu_python_tanh": "steps", "gelu_accurate": "steps", "quick_gelu": "steps",
	"relu2": "steps", "laplace": "steps"}

// Activation applies the activation that a key of the config names.
func (b *Build) Activation(x Node, key string) Node { return b.Act(x, b.Str(key), key) }

// Act applies an activation by its name in transformers; key is where it was read, for the message.
func (b *Build) Act(x Node, name, key string) Node {
	typ, ok := activations[name]
	if !ok {
		panic(fault{&graph.Error{Code: CodeConfig, Path: b.at(key), Message: "the activation " + written(name) + " is not known", Allowed: sortedKeys(activations)}})
	}
	n := b.Add(typ, "act_fn", nil, x)
	if how := steps[name]; how != "" {
		b.way(n, how)
	}
	return n
}

// MLP is two linear maps with an activation between.
func (b *Build) MLP(x Node, up, down string, dim, hidden int64, bias bool, actKey string) Node {
	x = b.Linear(x, up, dim, hidden, bias)
	x = b.Activation(x, actKey)
	return b.Linear(x, down, hidden, dim, bias)
}

// Gated is a gated feed-forward network.
type Gated struct {
	Dim, Hidden    int64
	Bias           bool
	Act            string // the activation's name in transformers
	Gate, Up, Down string // names of the maps; gate_proj, up_proj and down_proj where empty
	Fused          string // name of the one map that is gate and up, in their place
}

// Gated adds one component for a network gated by SiLU or GELU, and its parts for any other.
func (b *Build) Gated(x Node, name string, g Gated) Node {
	g.Gate, g.Up, g.Down = or(g.Gate, "gate_proj"), or(g.Up, "up_proj"), or(g.Down, "down_proj")
	typ := map[string]string{"silu": "swiglu", "gelu": "geglu"}[activations[g.Act]]
	m := b.Scope("%s", name)
	if typ == "" {
		return m.gatedParts(x, g)
	}
	n := m.Add(typ, "", Args{Int("embedDim", g.Dim), Int("intermediateSize", g.Hidden), Flag("bias", g.Bias)}, x)
	if steps[g.Act] != "" {
		m.way(n, "steps")
	}
	if g.Fused != "" {
		m.way(n, "fused")
		m.weights(g.Fused, g.Bias, 2*g.Hidden, g.Dim)
	} else {
		m.weights(g.Gate, g.Bias, g.Hidden, g.Dim)
		m.weights(g.Up, g.Bias, g.Hidden, g.Dim)
	}
	m.weights(g.Down, g.Bias, g.Dim, g.Hidden)
	return n
}

func (b *Build) gatedParts(x Node, g Gated) Node {
	var gate, up Node
	if g.Fused != "" {
		both := b.Linear(x, g.Fused, g.Dim, 2*g.Hidden, g.Bias)
		gate, up = b.Chunk(both, 2, 0), b.Chunk(both, 2, 1)
	} else {
		gate, up = b.Linear(x, g.Gate, g.Dim, g.Hidden, g.Bias), b.Linear(x, g.Up, g.Dim, g.Hidden, g.Bias)
	}
	gate = b.Act(gate, g.Act, "hidden_act")
	return b.Linear(b.Add("multiply", "", nil, gate, up), g.Down, g.Hidden, g.Dim, g.Bias)
}

// Chunk is one of equal pieces of the last axis.
func (b *Build) Chunk(x Node, pieces, index int64) Node {
	return b.Add("chunk", "", Args{Int("chunks", pieces), Int("dim", -1), Int("index", index)}, x)
}

// Opaque is a part that no catalogue type describes: its shape and its tensors are declared. Its FLOPs are those of its
// matrices, each applied to every position.
func (b *Build) Opaque(x Node, name string, out []int64, positions int64, tensors ...Tensor) Node {
	n := b.Add("customModule", name, nil, x)
	m := b.Scope("%s", name)
	var params, flops int64
	for _, t := range tensors {
		m.Tensor(t.Name, t.Shape...)
		count, ok := size(t.Shape)
		if params, ok = addChecked(params, count, ok); !ok {
			fail(CodeConfig, m.join(t.Name), "a tensor of %v is beyond what can be counted", t.Shape)
		}
		if len(t.Shape) == 2 {
			flops += 2 * positions * count
		}
	}
	b.state.graph.Components[n].Params = Args{Ints("outShape", out...), Int("numParams", params), Int("flops", flops)}
	return n
}

// Tensor is the name of a tensor below a place, and its shape.
type Tensor struct {
	Name  string
	Shape []int64
}

// T is a tensor.
func T(name string, shape ...int64) Tensor { return Tensor{name, shape} }

func or(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}
