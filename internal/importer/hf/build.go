package hf

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/importer"
)

// Build adds the components of a model, and with each of them the tensors that it stands for. A Build is one place in the
// model: a config and a module path; Scope and With give others, over the same graph.
type Build struct {
	*Config
	path  string
	again bool // the modules at this place were built before and are called once more
	state *state
}

// state is what all places of a model share.
type state struct {
	graph   graph.Graph
	tensors []importer.Tensor
	ids     map[string]int
	notes   []string
	opt     Options
	class   string // of the whole model
	leftOut bool   // whether a call with text alone leaves something out
	inner   *inner // the part that is being built, where a model holds another
}

// Node is a component of the graph: what flows from it.
type Node int

// Args are the parameters of a component, in the order in which they are written.
type Args []graph.Param

func newBuild(c *Config, opt Options) *Build {
	return &Build{Config: c, state: &state{ids: map[string]int{}, opt: opt}}
}

// Scope is the place of a part. Its name may be a format, as in Scope("layers.%d", i).
func (b *Build) Scope(name string, args ...any) *Build {
	out := *b
	out.path = b.join(fmt.Sprintf(name, args...))
	return &out
}

// With is the same place under another config.
func (b *Build) With(c *Config) *Build {
	out := *b
	out.Config = c
	return &out
}

// Again is the same place, whose modules are called once more with the same weights, as ALBERT and Zamba repeat layers: what is
// added then has no tensors of its own.
func (b *Build) Again() *Build {
	out := *b
	out.again = true
	return &out
}

func (b *Build) join(name string) string {
	switch {
	case name == "":
		return b.path
	case b.path == "":
		return name
	}
	return b.path + "." + name
}

// maxComponents is what the command line takes.
const maxComponents = 100_000

// maxTensors is beyond every model: the largest have some hundred thousand, an expert's each by itself.
const maxTensors = 2_000_000

// Add adds a component of a catalogue type at a place below this one. It lists no tensors: With them use Tensor, or a
// method that knows them.
func (b *Build) Add(typ, name string, args Args, in ...Node) Node {
	s := b.state
	if len(s.graph.Components) >= maxComponents {
		fail(graph.CodeComponents, "", "the model has more than %d components", maxComponents)
	}
	scope := b.join(name)
	id := scope
	if id == "" {
		id = typ
	}
	if n := s.ids[id]; n > 0 {
		s.ids[id]++
		id += "#" + strconv.Itoa(n+1)
	} else {
		s.ids[id] = 1
	}
	s.graph.Components = append(s.graph.Components, graph.Component{ID: id, Type: typ, Name: id, Params: args, Extra: b.extra(typ, scope)})
	for _, from := range in {
		s.graph.Connections = append(s.graph.Connections, graph.Connection{From: s.graph.Components[from].ID, To: id})
	}
	return Node(len(s.graph.Components) - 1)
}

// Tensor lists a trained tensor of the component that was added last.
func (b *Build) Tensor(name string, shape ...int64) {
	if b.again {
		last := Node(len(b.state.graph.Components) - 1)
		first, _, _ := strings.Cut(b.ID(last), "#")
		b.Set(last, "sameAs", graph.StringValue(first))
		return
	}
	for _, d := range shape {
		if d < 0 {
			fail(CodeConfig, b.join(name), "would have the shape %v", shape)
		}
	}
	if len(b.state.tensors) >= maxTensors {
		fail(CodeConfig, b.join(name), "the model has more than %d tensors", maxTensors)
	}
	b.state.tensors = append(b.state.tensors, importer.Tensor{Name: b.join(name), Shape: shape})
}

// Note tells the reader something that the graph cannot say. The same words are told once.
func (b *Build) Note(format string, args ...any) {
	if note := fmt.Sprintf(format, args...); !slices.Contains(b.state.notes, note) {
		b.state.notes = append(b.state.notes, note)
	}
}

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

// Output adds the output. What a part gives goes on to the model that holds it.
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

// Int, Flag, Num, Text and Ints are parameters.
func Int(name string, v int64) graph.Param { return graph.Param{Name: name, Value: graph.IntValue(v)} }
func Flag(name string, v bool) graph.Param { return graph.Param{Name: name, Value: graph.BoolValue(v)} }
func Num(name string, v float64) graph.Param {
	return graph.Param{Name: name, Value: graph.FloatValue(v)}
}
func Text(name, v string) graph.Param { return graph.Param{Name: name, Value: graph.StringValue(v)} }
func Ints(name string, v ...int64) graph.Param {
	return graph.Param{Name: name, Value: graph.IntsValue(v...)}
}
