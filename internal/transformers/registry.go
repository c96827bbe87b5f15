package transformers

import (
	"slices"

	"github.com/modelverifier/verifier/internal/catalog"
)

// Variant is a module of the library that a component can be in place of PyTorch's own. It is named after the class that has it, the
// best-known one where there are several. A class of several components is registered under its name for each of their types.
type Variant struct {
	Name   string // as a graph names it: transformers.LlamaRMSNorm
	Type   string // of the component
	Says   string // how it is written, for the reader of a plan
	Module catalog.Module
}

// Library is the one library whose modules are registered.
const Library = "transformers"

// Lookup is the variant of a type by its name, nil where none is registered.
func Lookup(typ, name string) *Variant { return byName[[2]string{typ, name}] }

// Find is the variant of a type that is a module, nil where none is registered.
func Find(typ string, m catalog.Module) *Variant { return byModule[written{typ, m}] }

// Usual is the module that a component of a type is in a model of the library, unless it names another.
func Usual(typ string) catalog.Module {
	if m := byType[typ]; m != nil {
		return m
	}
	return Same{}
}

// All are the variants, in the order in which they are registered.
func All() []*Variant { return all }

// For are the names that a component of a type can have, in order.
func For(typ string) []string {
	var out []string
	for _, v := range all {
		if v.Type == typ {
			out = append(out, v.Name)
		}
	}
	slices.Sort(out)
	return out
}

// written is a module as a component of a type. Modules are values that can be compared.
type written struct {
	typ    string
	module catalog.Module
}

var (
	all      []*Variant
	byName   = map[[2]string]*Variant{}
	byModule = map[written]*Variant{}
	byType   = map[string]catalog.Module{}
)

// register adds a variant of some types. A name, and a module, is one variant of a type.
func register(name, says string, m catalog.Module, types ...string) bool {
	name = Library + "." + name
	for _, typ := range types {
		named, is := [2]string{typ, name}, written{typ, m}
		if byName[named] != nil || byModule[is] != nil {
			panic("transformers: " + typ + " has " + name + ", or its module, twice")
		}
		v := &Variant{Name: name, Type: typ, Says: says, Module: m}
		byName[named], byModule[is], all = v, v, append(all, v)
	}
	return true
}

// usual says which module components of some types are in any model of the library.
func usual(m catalog.Module, types ...string) bool {
	for _, typ := range types {
		if byType[typ] != nil {
			panic("transformers: " + typ + " has two usual modules")
		}
		byType[typ] = m
	}
	return true
}

// untrained is a Module with weights that are not trained.
type untrained interface{ untrained() bool }

// Less reports whether something of a variant is not trained.
func (v *Variant) Less() bool {
	m, ok := v.Module.(untrained)
	return ok && m.untrained()
}
