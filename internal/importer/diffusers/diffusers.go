// Package diffusers reads the config.json of a part of a diffusers pipeline, which names its class in _class_name, and
// builds the graph that diffusers would build from it, with the name and shape of every trained tensor. A class is one
// file; what the classes share is in blocks.go.
//
// It must not know where a config comes from or what a pipeline is, and it never guesses: a class or a key that is not
// modelled is an error that names it. Defaults are those of the classes' constructors in diffusers 0.30.
package diffusers

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/importer"
	"github.com/modelverifier/verifier/internal/importer/hf/build"
	"github.com/modelverifier/verifier/internal/importer/hf/config"
)

// ClassKey is the key by which a config of diffusers names its class.
const ClassKey = "_class_name"

// class is a model class of diffusers.
type class struct {
	name     string
	defaults map[string]any // of its constructor
	fixed    []string       // keys that change what is built, of which only the default is modelled
	build    func(b *build.Build)
}

var classes = map[string]*class{}

// define registers a class. Each file of one does it once.
func define(c class) class {
	classes[c.name] = &c
	return c
}

// Classes are the classes that can be imported, sorted.
func Classes() []string { return config.SortedKeys(classes) }

// Model is an imported part.
type Model struct {
	Class   string
	Graph   *graph.Graph
	Tensors []importer.Tensor
	Params  int64
	Notes   []string
}

// ClassOf is the class that a config names, "" where it is no config of diffusers.
func ClassOf(text []byte) string {
	var c struct {
		Class string `json:"_class_name"`
	}
	if json.Unmarshal(config.Strict(text), &c) != nil {
		return ""
	}
	return c.Class
}

// Import builds the graph of a config.json.
func Import(text []byte) (m *Model, err error) {
	text = config.Strict(text)
	raw, err := config.Parse(text)
	if err != nil {
		return nil, err
	}
	name, _ := raw[ClassKey].(string)
	c := classes[name]
	if c == nil {
		return nil, &graph.Error{Code: config.CodeArchitecture, Path: "config." + ClassKey, Allowed: Classes(),
			Message: fmt.Sprintf("%q is not modelled; modelled are %s", clip(name), strings.Join(Classes(), ", "))}
	}
	defer config.Catch(&err)
	defaults := config.Class{Class: name, Fields: c.defaults}
	b := build.New(config.Of(raw, defaults, name, ""), build.Options{}, name)
	for _, key := range c.fixed {
		if got, want := fmt.Sprint(b.Value(key)), fmt.Sprint(c.defaults[key]); got != want {
			config.Fail(config.CodeArchitecture, b.At(key), "is %s, and only %s is modelled", clip(got), want)
		}
	}
	c.build(b)
	return finish(b, name)
}

// finish closes the graph. Its modules are PyTorch's own: none of them is one of transformers.
func finish(b *build.Build, name string) (*Model, error) {
	g, notes, _ := b.Built()
	for i := range g.Components {
		c := &g.Components[i]
		c.Extra = slices.DeleteFunc(c.Extra, func(m graph.Member) bool { return m.Name == graph.AsMember })
	}
	g.Name = name
	m := &Model{Class: name, Graph: g, Tensors: b.Tensors(), Notes: notes}
	for _, t := range m.Tensors {
		n, ok := config.Size(t.Shape)
		if m.Params, ok = config.AddChecked(m.Params, n, ok); !ok {
			return nil, &graph.Error{Code: config.CodeConfig, Path: t.Name,
				Message: fmt.Sprintf("a tensor of %v is beyond what can be counted", t.Shape)}
		}
	}
	return m, nil
}

func clip(s string) string {
	if len(s) > 80 {
		return strings.ToValidUTF8(s[:80], "") + "…"
	}
	return s
}

// number is a whole number of a class's defaults.
func number(n int64) json.Number { return json.Number(strconv.FormatInt(n, 10)) }

// numbers is a list of them.
func numbers(ns ...int64) []any {
	out := make([]any, len(ns))
	for i, n := range ns {
		out[i] = number(n)
	}
	return out
}

// words is a list of texts.
func words(list ...string) []any {
	out := make([]any, len(list))
	for i, s := range list {
		out[i] = s
	}
	return out
}

// each is the entry of a list for one of n blocks, or the one number that all have.
func each(b *build.Build, key string, n, i int64) int64 {
	v := b.Value(key)
	list, is := v.([]any)
	if !is {
		return b.Size(key)
	}
	if int64(len(list)) != n {
		config.Fail(config.CodeContradiction, b.At(key), "has %d entries but there are %d blocks", len(list), n)
	}
	if _, nested := list[i].([]any); nested {
		config.Fail(config.CodeArchitecture, b.At(key), "has lists inside, which are not modelled")
	}
	size := b.Integer(key, list[i])
	if size < 1 || size > config.MaxSize {
		config.Fail(config.CodeConfig, b.At(key), "has %d but takes sizes from 1", size)
	}
	return size
}

// blocks are the channels of the blocks. Their types must be as many.
func blocks(b *build.Build, types ...string) []int64 {
	channels := b.Ints("block_out_channels")
	if len(channels) == 0 || len(channels) > 64 {
		config.Fail(config.CodeConfig, b.At("block_out_channels"), "has %d entries but takes 1 to 64", len(channels))
	}
	for _, c := range channels {
		if c < 1 || c > config.MaxSize {
			config.Fail(config.CodeConfig, b.At("block_out_channels"), "has %d but takes sizes from 1", c)
		}
	}
	for _, key := range types {
		if n := len(b.Strs(key)); n != len(channels) {
			config.Fail(config.CodeContradiction, b.At(key), "has %d entries but block_out_channels has %d", n, len(channels))
		}
	}
	return channels
}
