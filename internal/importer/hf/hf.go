// Package hf reads the config.json of a Hugging Face model and builds the graph that transformers would build from it: the real
// components, every layer by itself, and the name and shape of every trained tensor.
//
// A model type is one file: it registers a Family, whose functions say with the builder what the model consists of. The same
// calls that add the components list their tensors, so that the two cannot differ. Class defaults come from defaults/, which
// truth/hf_defaults.py writes. The package must not know where a config comes from, and it never guesses: a key that it needs
// and cannot have, or a class that it does not model, is an error that names it.
package hf

import (
	"encoding/json"
	"fmt"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/importer"
	"github.com/modelverifier/verifier/internal/quantity"
)

// The codes of this package's errors, beside those of package graph.
const (
	CodeArchitecture  = action.CodeUnsupported
	CodeConfig        = action.CodeFile
	CodeContradiction = action.CodeFile
)

// Options are what a caller can choose.
type Options struct {
	SeqLen int64 // length of the text inputs; 0 takes 2,048, or the config's maximum of positions where that is less
	Text   bool  // whether the model is called with text alone, so that what reads pictures or sounds is there and does not run
}

// Model is an imported model.
type Model struct {
	ModelType, Class string // llama, LlamaForCausalLM
	Graph            *graph.Graph
	Tensors          []importer.Tensor // trained ones, shared ones once
	Params           int64
	LeavesOut        bool     // whether something is left out of the call with text alone that was asked for
	Notes            []string // what the graph cannot say: keys that contradict each other without changing it
}

// defaultLength is the length of a text input where nobody says one and the config does not allow less: the length at which a
// model is priced, too. Shapes, masks and FLOPs of modules without a type are written down at one length, and cannot be
// brought to another one later.
const defaultLength = 2048

// Import builds the graph of a config.json.
func Import(config []byte, opt Options) (m *Model, err error) {
	config = Strict(config)
	raw, err := object(config)
	if err != nil {
		return nil, err
	}
	family, class, err := choose(raw)
	if err != nil {
		return nil, err
	}
	defer func() {
		switch p := recover().(type) {
		case nil:
		case fault:
			m, err = nil, p.err
		default:
			panic(p) // it is our fault, and goes on
		}
	}()
	b := newBuild(newConfig(raw, family.Type, ""), opt)
	b.state.class = class
	family.Classes[class](b)
	return b.finish(family.Type, class, config)
}

// fault carries a caller's fault out of a family's functions, which read better when no line of them handles an error.
type fault struct{ err *graph.Error }

func fail(code, path, format string, args ...any) {
	panic(fault{&graph.Error{Code: code, Path: path, Message: quantity.Sprintf(format, args...)}})
}

// finish closes the graph.
func (b *Build) finish(modelType, class string, config []byte) (*Model, error) {
	s := b.state
	m := &Model{ModelType: modelType, Class: class, Graph: &s.graph, Tensors: s.tensors, Notes: s.notes, LeavesOut: s.leftOut}
	for _, t := range s.tensors {
		n, ok := size(t.Shape)
		if m.Params, ok = addChecked(m.Params, n, ok); !ok {
			return nil, &graph.Error{Code: CodeConfig, Path: t.Name, Message: fmt.Sprintf("a tensor of %v is beyond what can be counted", t.Shape)}
		}
	}
	s.graph.Name = class
	s.graph.Extra = append(s.graph.Extra, graph.Member{Name: "config", Raw: compact(config)})
	return m, nil
}

func size(shape []int64) (int64, bool) {
	n, ok := int64(1), true
	for _, d := range shape {
		if ok {
			n, ok = quantity.Mul(n, d)
		}
	}
	return n, ok
}

func addChecked(a, b int64, ok bool) (int64, bool) {
	if !ok {
		return 0, false
	}
	return quantity.Add(a, b)
}

// compact is the config without its white space, as a member of the graph. The text was parsed before.
func compact(config []byte) string {
	var v json.RawMessage
	if json.Unmarshal(config, &v) != nil {
		return "null"
	}
	out, err := json.Marshal(v)
	if err != nil {
		return "null"
	}
	return string(out)
}
