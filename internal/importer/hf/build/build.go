// Package build adds the components of a model to a graph, and with each of them the names and shapes of the trained
// tensors that it stands for: the same call does both, so that the two cannot differ. It has single modules of
// torch.nn and operations on tensors; what is made of several is in nn, vision, audio and stack.
//
// It knows how transformers writes its modules (modules.json, from truth/hf_modules.py), and no model.
package build

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/importer"
	"github.com/modelverifier/verifier/internal/importer/hf/config"
)

// Build adds the components of a model, and with each of them the tensors that it stands for. A Build is one place in
// the model: a config and a module path; Scope and With give others, over the same graph.
type Build struct {
	*config.Config
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
	nested  bool   // whether checkpointing computes layers inside of stages again, too
	inner   *inner // the submodel that is being built, where a model contains another

	modules []catalog.Module // by component: which it is; nil where nobody knows
}

// Node is a component of the graph: what flows from it.
type Node int

// Args are the parameters of a component, in the order in which they are written.
type Args []graph.Param

// New starts a model of a class.
func New(c *config.Config, opt Options, class string) *Build {
	return &Build{Config: c, state: &state{ids: map[string]int{}, opt: opt, class: class}}
}

// Scope is the place of a part. Its name may be a format, as in Scope("layers.%d", i).
func (b *Build) Scope(name string, args ...any) *Build {
	out := *b
	out.path = b.PathOf(fmt.Sprintf(name, args...))
	return &out
}

// With is the same place under another config.
func (b *Build) With(c *config.Config) *Build {
	out := *b
	out.Config = c
	return &out
}

// Root is the top of the model, under the same config.
func (b *Build) Root() *Build { return &Build{Config: b.Config, state: b.state} }

// Again is the same place, whose modules are called once more with the same weights, as ALBERT and Zamba repeat
// layers: what is added then has no tensors of its own.
func (b *Build) Again() *Build {
	out := *b
	out.again = true
	return &out
}

// PathOf is the path of a module below this place; an empty name is the place itself.
func (b *Build) PathOf(name string) string {
	switch {
	case name == "":
		return b.path
	case b.path == "":
		return name
	}
	return b.path + "." + name
}

// MaxComponents is what the command line takes.
const MaxComponents = 100_000

// maxTensors is beyond every model: the largest have some hundred thousand, an expert's each by itself.
const maxTensors = 2_000_000

// Add adds a component of a catalogue type at a place below this one. It lists no tensors: With them use Tensor, or a
// method that knows them.
func (b *Build) Add(typ, name string, args Args, in ...Node) Node {
	s := b.state
	if len(s.graph.Components) >= MaxComponents {
		config.Fail(graph.CodeComponents, "", "the model has more than %d components", MaxComponents)
	}
	scope := b.PathOf(name)
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
	s.graph.Components = append(s.graph.Components,
		graph.Component{ID: id, Type: typ, Name: id, Params: args, Extra: []graph.Member{{Name: "scope", Raw: strconv.Quote(scope)}}})
	s.modules = append(s.modules, moduleOf(b, typ))
	for _, from := range in {
		s.graph.Connections = append(s.graph.Connections, graph.Connection{From: s.graph.Components[from].ID, To: id})
	}
	n := Node(len(s.graph.Components) - 1)
	b.turnOn(n)
	return n
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
			config.Fail(config.CodeConfig, b.PathOf(name), "would have the shape %v", shape)
		}
	}
	if len(b.state.tensors) >= maxTensors {
		config.Fail(config.CodeConfig, b.PathOf(name), "the model has more than %d tensors", maxTensors)
	}
	b.state.tensors = append(b.state.tensors, importer.Tensor{Name: b.PathOf(name), Shape: shape})
}

// Note tells the reader something that the graph cannot say. The same words are told once.
func (b *Build) Note(format string, args ...any) {
	if note := fmt.Sprintf(format, args...); !slices.Contains(b.state.notes, note) {
		b.state.notes = append(b.state.notes, note)
	}
}

// Class is the class of the whole model, as LlamaForCausalLM.
func (b *Build) Class() string { return b.state.class }

// TextOnly says whether the model is called with text alone.
func (b *Build) TextOnly() bool { return b.state.opt.Text }

// Built is the graph, what it cannot say, and whether a call with text alone leaves something out.
func (b *Build) Built() (g *graph.Graph, notes []string, leftOut bool) {
	b.state.name()
	return &b.state.graph, b.state.notes, b.state.leftOut
}

// Options are what a caller can choose.
type Options struct {
	SeqLen int64 // length of the text inputs; 0 takes 2,048, or the config's maximum of positions where that is less
	// whether the model is called with text alone, so that what reads pictures or sounds is there and does not run
	Text bool
}

// defaultLength is the length of a text input where nobody says one and the config does not allow less: the length at
// which a model is priced, too. Shapes, masks and FLOPs of modules without a type are written down at one length, and
// cannot be brought to another one later.
const defaultLength = 2048
