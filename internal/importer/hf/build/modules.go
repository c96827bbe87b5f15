package build

import (
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/importer/hf/config"
	"github.com/modelverifier/verifier/internal/transformers"
)

// Drop is dropout with the probability of a key of the config; nothing where that is 0 or the class does not
// have the key. It counts in training alone.
func (b *Build) Drop(x Node, key string) Node {
	if !b.Has(key) {
		return x
	}
	p := b.Float(key)
	if p == 0 {
		return x
	}
	return b.Add("dropout", "dropout", Args{Num("p", p)}, x)
}

// OpaqueOf is Opaque for a part with several inputs and FLOPs that are not those of its matrices.
func (b *Build) OpaqueOf(in []Node, name string, out []int64, flops int64, tensors ...Tensor) Node {
	n := b.Opaque(in[0], name, out, 0, tensors...)
	for _, from := range in[1:] {
		b.connect(from, n)
	}
	b.Set(n, "flops", Int("", flops).Value)
	return n
}

// Linear adds a linear layer with the tensors of torch.nn.Linear.
func (b *Build) Linear(x Node, name string, in, out int64, bias bool) Node {
	n := b.Add("linear", name, Args{Int("inFeatures", in), Int("outFeatures", out), Flag("bias", bias)}, x)
	b.Weights(name, bias, out, in)
	return n
}

// Weights lists a weight and, where there is one, a bias as long as the first axis of the weight.
func (b *Build) Weights(name string, bias bool, shape ...int64) {
	b.Tensor(name+".weight", shape...)
	if bias {
		b.Tensor(name+".bias", shape[0])
	}
}

// Embedding looks tokens up.
func (b *Build) Embedding(x Node, name string, count, dim int64) Node {
	CheckPadding(b, name, count)
	n := b.Add("embedding", name, Args{Int("vocabSize", count), Int("embedDim", dim)}, x)
	b.Tensor(name+".weight", count, dim)
	return n
}

// Positions adds a trained vector to each position; the table may have more rows than there are positions.
func (b *Build) Positions(x Node, name string, count, dim int64) Node {
	CheckPadding(b, name, count)
	n := b.Add("learnedPositionalEmbedding", name, Args{Int("maxLen", count), Int("embedDim", dim)}, x)
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
	b.Weights(name, bias, dim)
	return n
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

// Activations are the names of transformers' ACT2FN and the types that compute them.
var Activations = map[string]string{
	"gelu": "gelu", "gelu_new": "gelu", "gelu_fast": "gelu", "gelu_python": "gelu", "gelu_pytorch_tanh": "gelu",
	"gelu_python_tanh": "gelu",
	"gelu_10":          "gelu", "gelu_accurate": "gelu", "quick_gelu": "quickGelu", "silu": "silu", "swish": "silu",
	"relu": "relu", "relu2": "squaredRelu",
	"relu6": "relu6", "leaky_relu": "leakyRelu", "tanh": "tanh", "sigmoid": "sigmoid", "mish": "mish",
	"hardswish": "hardSwish",
	"linear":    "identity", "laplace": "sigmoid",
}

// Steps are the activations that transformers writes as single operations, and in which way; the others call one
// function of PyTorch.
var Steps = map[string]transformers.Function{"gelu_new": transformers.NewGELU, "gelu_fast": transformers.FastGELU,
	"gelu_python": transformers.GELUPython, "gelu_python_tanh": transformers.NewGELU, "gelu_accurate": transformers.NewGELU,
	"quick_gelu": transformers.QuickGELU, "relu2": transformers.ReLUSquared, "laplace": transformers.Laplace}

// Activation applies the activation that a key of the config names.
func (b *Build) Activation(x Node, key string) Node { return b.Act(x, b.Str(key), key) }

// Act applies an activation by its name in transformers; key is where it was read, for the message.
func (b *Build) Act(x Node, name, key string) Node {
	typ, ok := Activations[name]
	if !ok {
		config.Refuse(&graph.Error{Code: config.CodeConfig, Path: b.At(key),
			Message: "the activation " + config.Written(name) + " is not known",
			Allowed: config.SortedKeys(Activations)})
	}
	n := b.Add(typ, "act_fn", nil, x)
	if f := Steps[name]; f != transformers.Native {
		b.As(n, transformers.Activation{Function: f})
	}
	return n
}

// Opaque is a part that no catalogue type describes: its shape and its tensors are declared. Its FLOPs are those of its
// matrices, each applied to every position.
func (b *Build) Opaque(x Node, name string, out []int64, positions int64, tensors ...Tensor) Node {
	n := b.Add("customModule", name, nil, x)
	m := b.Scope("%s", name)
	var params, flops int64
	for _, t := range tensors {
		m.Tensor(t.Name, t.Shape...)
		count, ok := config.Size(t.Shape)
		if params, ok = config.AddChecked(params, count, ok); !ok {
			config.Fail(config.CodeConfig, m.PathOf(t.Name), "a tensor of %v is beyond what can be counted", t.Shape)
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

// Unused is a trained tensor that the class has and this use of it leaves alone. x only tells the batch.
func Unused(b *Build, x Node, name string, shape ...int64) {
	b.Param(x, name, shape...)
}

// Constant is a tensor that is not trained. x only tells the batch.
func (b *Build) Constant(x Node, name string, shape ...int64) Node {
	return b.Add("parameter", name, Args{Ints("shape", shape...), Flag("trainable", false)}, x)
}
