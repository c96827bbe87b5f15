package build

import (
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/importer"
	"github.com/modelverifier/verifier/internal/importer/hf/config"
)

// Set changes a parameter of a component.
func (b *Build) Set(n Node, name string, v graph.Value) {
	b.state.graph.Components[n].SetParam(name, v)
}

// ID is the id of a component, for tiedTo.
func (b *Build) ID(n Node) string { return b.state.graph.Components[n].ID }

// Input adds an input. Its name has no path, wherever in the model it is read.
func (b *Build) Input(name string, shape ...int64) Node {
	return (&Build{state: b.state}).Add("input", name, Args{Ints("shape", shape...)})
}

// Output adds the output. The result of a submodel goes to the model that contains it.
func (b *Build) Output(x Node) {
	if b.state.inner != nil {
		b.state.inner.out = x
		return
	}
	b.state.output(x)
}

func (s *state) output(x Node) {
	(&Build{state: s}).Add("output", "output", nil, x)
}

// Tokens is an input of token ids: as long as the caller says, else as the maximum of positions, else 2,048.
func (b *Build) Tokens(name string, maximum int64) Node { return b.Input(name, b.Length(maximum)) }

// Length is the length of a text input.
func (b *Build) Length(maximum int64) int64 {
	switch {
	case b.state.opt.SeqLen > 0:
		return b.state.opt.SeqLen
	case maximum > 0:
		return min(maximum, defaultLength)
	}
	return defaultLength
}

// Count is how many components there are: the number of the next one, for settings of all that were added since.
func (b *Build) Count() int { return len(b.state.graph.Components) }

// Tensors are the trained tensors that were listed so far.
func (b *Build) Tensors() []importer.Tensor { return b.state.tensors }

// Int is a parameter that is an integer.
func Int(name string, v int64) graph.Param { return graph.Param{Name: name, Value: graph.IntValue(v)} }

// Flag is a parameter that is true or false.
func Flag(name string, v bool) graph.Param { return graph.Param{Name: name, Value: graph.BoolValue(v)} }

// Num is a parameter that is a float.
func Num(name string, v float64) graph.Param {
	return graph.Param{Name: name, Value: graph.FloatValue(v)}
}

// Text is a parameter that is a string.
func Text(name, v string) graph.Param { return graph.Param{Name: name, Value: graph.StringValue(v)} }

// Ints is a parameter that is a list of integers.
func Ints(name string, v ...int64) graph.Param {
	return graph.Param{Name: name, Value: graph.IntsValue(v...)}
}

// NumLabels is the number of classes: num_labels, else as many as id2label has; transformers' default is 2. It makes
// new labels where the two differ. A head for no classes is not modelled: some classes leave the head out then, and
// others keep it.
func (b *Build) NumLabels() int64 {
	n := b.Or("num_labels", 2) // a few classes declare another default
	if labels, named := b.LabelCount(); named && !b.Given("num_labels") {
		n = labels
	} else if named && labels != n {
		b.Note("%s is %d but id2label has %d: num_labels counts", b.At("num_labels"), n, labels)
	}
	if n < 1 {
		config.Fail(config.CodeArchitecture, b.At("num_labels"), "is %d: a head for no classes is not modelled", n)
	}
	return n
}

// Rename gives a tensor the other of its two names.
func Rename(b *Build, name, other string) {
	for i := range b.state.tensors {
		if b.state.tensors[i].Name == name {
			b.state.tensors[i].Name = other
		}
	}
}

// TextLength is the length of the text.
func (b *Build) TextLength() int64 { return b.Length(b.MaxPositions()) }

// Product multiplies sizes for a count of FLOPs, and refuses what cannot be counted.
func Product(b *Build, sizes ...int64) int64 {
	n, ok := config.Size(sizes)
	if !ok {
		config.Fail(config.CodeConfig, b.PathOf(""), "the product of %v is beyond what can be counted", sizes)
	}
	return n
}

// connect adds a connection to a component that is there already.
func (b *Build) connect(from, to Node) {
	b.state.graph.Connections = append(b.state.graph.Connections, graph.Connection{From: b.ID(from), To: b.ID(to)})
}
