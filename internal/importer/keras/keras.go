// Package keras reads the description of a Keras model: what model.to_json() writes, which is also the config.json inside a .keras file. Sequential and
// functional models of Keras 2 and 3 become graphs of PyTorch's layers, with channels in front of the axes of a picture.
//
// What is translated is said in notes. A layer that it does not know stays open: a customModule that declares no weights. The package must not know where
// a file lies, runs nothing of it, and decides no verdict.
package keras

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/modelverifier/verifier/internal/graph"
)

// Model is a description that was read.
type Model struct {
	Class string // Sequential or Functional
	Graph *graph.Graph
	Notes []string
}

// object is a layer, or a model, which Keras describes alike.
type object struct {
	Class   string          `json:"class_name"`
	Name    string          `json:"name"`
	Config  json.RawMessage `json:"config"`
	Inbound json.RawMessage `json:"inbound_nodes"`
	Build   struct {
		InputShape json.RawMessage `json:"input_shape"`
	} `json:"build_config"`

	name   string                     // that of the layer, wherever it is written
	config map[string]json.RawMessage // Config, once it was read
	model  *modelConfig               // the same of a model
}

// The classes of models.
const (
	sequential = "Sequential"
	functional = "Functional"
	subclassed = "Model" // Keras 2 calls a functional model so, too
)

// Marked reports whether a JSON object describes a Keras model.
func Marked(data []byte) bool {
	var m object
	if json.Unmarshal(data, &m) != nil || !isModel(m.Class) {
		return false
	}
	var c struct {
		Layers []json.RawMessage `json:"layers"`
	}
	return json.Unmarshal(m.Config, &c) == nil && c.Layers != nil
}

func isModel(class string) bool {
	return class == sequential || class == functional || class == subclassed
}

// maxConfig is how large the description inside a .keras file may be, whoever asks.
const maxConfig = 64 << 20

// Config is the description inside a .keras file, which is a zip archive, of up to so many bytes; 0 for maxConfig.
func Config(r io.ReaderAt, size int64, limit int) ([]byte, error) {
	if limit <= 0 || limit > maxConfig {
		limit = maxConfig
	}
	z, err := zip.NewReader(r, size)
	if err != nil {
		return nil, fmt.Errorf("is no .keras file: %w", err)
	}
	for _, f := range z.File {
		if f.Name != "config.json" {
			continue
		}
		in, err := f.Open()
		if err != nil {
			return nil, fmt.Errorf("config.json cannot be read: %w", err)
		}
		defer func() { _ = in.Close() }() // everything was read
		data, err := io.ReadAll(io.LimitReader(in, int64(limit)+1))
		switch {
		case err != nil:
			return nil, fmt.Errorf("config.json cannot be read: %w", err)
		case len(data) > limit:
			return nil, fmt.Errorf("config.json has more than %d bytes", limit)
		}
		return data, nil
	}
	return nil, errors.New("has no config.json: it is no .keras file")
}

// Options are what a description leaves open.
type Options struct {
	Side   int64        // of a picture whose size is not fixed; 0 for defaultSide
	SeqLen int64        // positions of a sequence whose length is not fixed; 0 for defaultLength
	Limits graph.Limits // of the graph that is made: components, connections and items of lists; the zero value stands for graph.LocalLimits
}

const (
	defaultSide   = 224
	defaultLength = 2048
)

// Import translates a description.
func Import(data []byte, opt Options) (*Model, error) {
	var m object
	dec := json.NewDecoder(bytes.NewReader(data))
	if err := dec.Decode(&m); err != nil {
		return nil, fmt.Errorf("is not JSON: %w", err)
	}
	if !isModel(m.Class) {
		return nil, fmt.Errorf("class_name is %q but must be Sequential, Functional or Model: a model with code of its own has no description", graph.Brief(m.Class))
	}
	if opt.Side <= 0 {
		opt.Side = defaultSide
	}
	if opt.SeqLen <= 0 {
		opt.SeqLen = defaultLength
	}
	t := &translation{graph: &graph.Graph{}, opt: opt, bounds: newBounds(opt.Limits, len(data)), taken: map[string]bool{}, next: map[string]int{}, at: map[string]int{}}
	outs, err := t.model(&m, nil)
	if err != nil {
		return nil, err
	}
	for _, x := range outs {
		t.add("output", "output", nil, nil, false, t.asKeras(x))
	}
	if t.over != nil {
		return nil, t.over
	}
	return &Model{Class: m.Class, Graph: t.graph, Notes: t.lines()}, nil
}
