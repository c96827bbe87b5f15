// Package hf reads the config.json of a Hugging Face model and builds the graph that transformers would build from
// it: the real components, every layer by itself, and the name and shape of every trained tensor.
//
// A model type is one file of families. Package config reads what config.json says, with transformers' defaults
// behind it; build adds components and tensors; nn, vision, audio and stack have what several families share; family
// lists them. The packages must not know where a config comes from, and they never guess: a key that is needed and is
// not there, or a class that is not modelled, is an error that names it.
package hf

import (
	"encoding/json"
	"fmt"

	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/importer"
	"github.com/modelverifier/verifier/internal/importer/hf/build"
	"github.com/modelverifier/verifier/internal/importer/hf/config"
	_ "github.com/modelverifier/verifier/internal/importer/hf/families" // the model types
	"github.com/modelverifier/verifier/internal/importer/hf/family"
)

// The codes of this importer's errors, beside those of package graph.
const (
	CodeArchitecture  = config.CodeArchitecture
	CodeConfig        = config.CodeConfig
	CodeContradiction = config.CodeContradiction
)

// Options are what a caller can choose.
type Options = build.Options

// ModelTypes are the model types that can be imported, sorted.
func ModelTypes() []string { return family.ModelTypes() }

// Classes are the class names of a model type, sorted.
func Classes(modelType string) []string { return family.Classes(modelType) }

// Strict rewrites the numbers that Python writes and JSON does not have, NaN and Infinity, as texts.
func Strict(text []byte) []byte { return config.Strict(text) }

// Model is an imported model.
type Model struct {
	ModelType, Class string // llama, LlamaForCausalLM
	Graph            *graph.Graph
	Tensors          []importer.Tensor // trained ones, shared ones once
	Params           int64
	LeavesOut        bool     // whether something is left out of the call with text alone that was asked for
	Notes            []string // what the graph cannot say: keys that contradict each other without changing it
}

// Import builds the graph of a config.json.
func Import(text []byte, opt Options) (m *Model, err error) {
	text = Strict(text)
	raw, err := config.Parse(text)
	if err != nil {
		return nil, err
	}
	chosen, class, err := family.Choose(raw)
	if err != nil {
		return nil, err
	}
	defer config.Catch(&err)
	b := build.New(config.New(raw, chosen.Type, ""), opt, class)
	chosen.Classes[class](b)
	return finish(b, chosen.Type, class, text)
}

// finish closes the graph.
func finish(b *build.Build, modelType, class string, text []byte) (*Model, error) {
	g, notes, leftOut := b.Built()
	m := &Model{ModelType: modelType, Class: class, Graph: g, Tensors: b.Tensors(), Notes: notes, LeavesOut: leftOut}
	for _, t := range m.Tensors {
		n, ok := config.Size(t.Shape)
		if m.Params, ok = config.AddChecked(m.Params, n, ok); !ok {
			return nil, &graph.Error{Code: config.CodeConfig, Path: t.Name,
				Message: fmt.Sprintf("a tensor of %v is beyond what can be counted", t.Shape)}
		}
	}
	g.Name = class
	g.Extra = append(g.Extra, graph.Member{Name: "config", Raw: compact(text)})
	return m, nil
}

// compact is the config without its white space, as a member of the graph. The text was parsed before.
func compact(text []byte) string {
	var v json.RawMessage
	if json.Unmarshal(text, &v) != nil {
		return "null"
	}
	out, err := json.Marshal(v)
	if err != nil {
		return "null"
	}
	return string(out)
}
