package view

import (
	"cmp"
	"encoding/json"
	"slices"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/graph"
)

var _ = define(call{Name: "types", Answer: func([]byte, graph.Limits) (any, error) { return types(), nil }})

// typeList is what the palette and the forms of parameters are made from.
type typeList struct {
	Groups []catalog.Group `json:"groups"` // in the order of the reference
	Types  []typeInfo      `json:"types"`
}

type typeInfo struct {
	ID      string        `json:"id"`
	Group   catalog.Group `json:"group"`
	Title   string        `json:"title"`
	Doc     string        `json:"doc"`
	Source  string        `json:"source,omitempty"`
	Torch   string        `json:"torch,omitempty"`
	Aliases []string      `json:"aliases,omitempty"`
	Params  []paramInfo   `json:"params"`
	Inputs  arity         `json:"inputs"`
	Virtual bool          `json:"virtual,omitempty"` // stands for no layer
}

// arity is how many inputs a type takes; without max there is no upper bound.
type arity struct {
	Min int  `json:"min"`
	Max *int `json:"max,omitempty"`
}

type paramInfo struct {
	Name     string          `json:"name"`
	Kind     string          `json:"kind"` // int, float, bool, string, dims, ints or floats
	Doc      string          `json:"doc"`
	Takes    string          `json:"takes"` // in words
	Default  json.RawMessage `json:"default,omitempty"`
	Min      *int64          `json:"min,omitempty"`
	Max      *int64          `json:"max,omitempty"`
	Values   []string        `json:"values,omitempty"`
	Axes     int             `json:"axes,omitempty"` // of dims
	Required bool            `json:"required"`
	Lazy     bool            `json:"lazy,omitempty"`    // taken from what arrives if left out
	Derived  string          `json:"derived,omitempty"` // how it is computed if left out
}

// groups are the headings of the palette, in the order of the reference.
var groups = []catalog.Group{
	catalog.Structure, catalog.Dense, catalog.Convolution, catalog.Pooling, catalog.Resampling, catalog.Normalisation, catalog.Activation,
	catalog.Regularising, catalog.Embeddings, catalog.Recurrent, catalog.Attention, catalog.Blocks, catalog.GraphNets, catalog.Audio,
	catalog.Recommending, catalog.Merging, catalog.Reshaping, catalog.Arithmetic,
}

// kinds are the words for what a parameter takes.
var kinds = map[catalog.Kind]string{
	catalog.Int: "int", catalog.Float: "float", catalog.Bool: "bool", catalog.String: "string", catalog.Dims: "dims", catalog.Ints: "ints", catalog.Floats: "floats",
}

func types() typeList {
	list := typeList{Groups: groups}
	for _, t := range catalog.Types() {
		list.Types = append(list.Types, typeOf(t))
	}
	place := map[catalog.Group]int{}
	for i, g := range list.Groups {
		place[g] = i
	}
	slices.SortStableFunc(list.Types, func(a, b typeInfo) int { return cmp.Compare(place[a.Group], place[b.Group]) })
	return list
}

func typeOf(t *catalog.Type) typeInfo {
	out := typeInfo{ID: t.ID, Group: t.Group, Title: t.Title, Doc: t.Doc, Source: t.Source, Torch: t.Torch, Aliases: t.Aliases, Params: []paramInfo{},
		Inputs: arity{Min: max(t.Inputs.Min, 0)}, Virtual: t.Has(catalog.IsVirtual)}
	if n := t.Inputs.Max; n < catalog.Any {
		out.Inputs.Max = &n
	}
	for i := range t.Params {
		out.Params = append(out.Params, paramOf(&t.Params[i]))
	}
	return out
}

func paramOf(p *catalog.Param) paramInfo {
	out := paramInfo{Name: p.Name, Kind: kinds[p.Kind], Doc: p.Doc, Takes: p.Takes(), Values: p.Values, Axes: p.N, Required: p.Required(), Lazy: p.Lazy, Derived: p.DeriveDoc}
	if v := p.DefaultValue(); v.Kind() != graph.Null {
		out.Default = v.AppendJSON(nil)
	}
	whole := p.Kind == catalog.Int || p.Kind == catalog.Dims || p.Kind == catalog.Ints
	if whole && !p.Negative {
		out.Min = &p.Min
	}
	if whole && p.Max > 0 {
		out.Max = &p.Max
	}
	return out
}
