package torch

import (
	_ "embed"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/modelverifier/verifier/internal/importer/torch/interp"
)

// namesText are the names that PyTorch's modules, tensors, nn.Module and layers have in 1.13 or in 2.15, a line each, as testdata/names.py
// prints them. What is on no line is an AttributeError in PyTorch.
//
//go:embed names.txt
var namesText string

var names = sync.OnceValue(func() map[string]map[string]bool {
	out := map[string]map[string]bool{}
	for line := range strings.Lines(namesText) {
		kind, list, _ := strings.Cut(line, ":")
		set := map[string]bool{}
		for n := range strings.FieldsSeq(list) {
			set[n] = true
		}
		out[kind] = set
	}
	return out
})

// Attributes lists what PyTorch's tensors and modules have, in order.
func Attributes() []string {
	all := map[string]bool{}
	for _, kind := range []string{"tensor", "module"} {
		maps.Copy(all, names()[kind])
	}
	return slices.Sorted(maps.Keys(all))
}

// lacking returns what reports names that a kind does not have, nil for a kind whose names are not listed.
func lacking(kind string) func(string) bool {
	return func(name string) bool {
		set := names()[kind]
		return set != nil && !set[name]
	}
}

// Lacks reports whether PyTorch's tensors certainly have no such attribute.
func (t *Tensor) Lacks(name string) bool { return lacking("tensor")(name) }

// Show is for messages: the shape.
func (t *Tensor) Show() string { return "a tensor of " + t.r.describe(t) }

// Show is for messages.
func (s sym) Show() string { return describeSize(s) }

// listed takes the names of a native module, or of the instances of a class, for all that there are.
func listed(m *interp.Module) *interp.Module {
	m.Lacks = lacking(m.Name)
	return m
}
