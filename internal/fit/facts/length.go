package facts

import (
	"slices"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/infer"
)

// Runs says whether a model runs on samples of another length.
type Runs uint8

// What can be said about another length.
const (
	Unknown Runs = iota // the model does not run as it is, or was imported with a length written into it
	Yes
	No
)

// Tokens returns the inputs that an embedding reads.
func Tokens(res *infer.Result) []int {
	var out []int
	for i := range res.Nodes {
		n := &res.Nodes[i]
		if n.Type == nil || n.Type.ID != infer.InputID || !n.OutIsInt || len(n.Out) == 0 {
			continue
		}
		for _, j := range res.Wiring.Outputs(i) {
			if res.Nodes[j].Type.Has(catalog.IsEmbedding) {
				out = append(out, i)
				break
			}
		}
	}
	return out
}

// AtLength walks a model that reads tokens with samples of another length. Where it does not run, it returns why.
//
// An importer writes the model down at one length: masks, slopes of a bias and shapes that the program computes from its input are
// constants in the graph. They are made to follow the length. Where the model of a config.json does not run even so, nothing is known
// about it; a graph that was written as it is refuses what it refuses.
func AtLength(res *infer.Result, length int64) (*infer.Result, *infer.Refusal, Runs) {
	if len(res.Refusals) > 0 {
		return nil, nil, Unknown
	}
	own := res.Nodes[Tokens(res)[0]].Out[0]
	if own == length {
		return res, nil, Yes
	}
	g := res.Graph.Clone()
	for i := range res.Nodes {
		n := &res.Nodes[i]
		if n.Type != nil && n.Type.ID == infer.InputID && n.OutIsInt && len(n.Out) > 0 && n.Out[0] == own { // segments are as long as tokens
			g.Components[i].SetParam("shape", graph.IntsValue(append([]int64{length}, n.Out[1:]...)...))
		}
	}
	plain := infer.Walk(g)
	if len(plain.Refusals) == 0 {
		return plain, nil, Yes
	}
	why := &plain.Refusals[0]
	if why.Rule == catalog.SequenceExceedsPosition {
		return nil, why, No
	}
	imported := Imported(res)
	for _, types := range written[:sets(imported)] {
		again := g.Clone()
		follow(again, own, length, types)
		if followed := infer.Walk(again); len(followed.Refusals) == 0 {
			return followed, nil, Yes
		}
	}
	if imported {
		return nil, why, Unknown
	}
	return nil, why, No
}

// Longest is the size of the table of positions that refused a length, 0 where something else did.
func Longest(res *infer.Result, why *infer.Refusal) int64 {
	if why == nil || why.Rule != catalog.SequenceExceedsPosition {
		return 0
	}
	return argOf(&res.Nodes[why.Node], "maxLen").Int()
}

// Imported reports whether the graph stands for the model of a config.json, whose program computes what the graph has written down.
func Imported(res *infer.Result) bool { return configOf(res.Graph).str("model_type") != "" }

// written are the types of components in which an importer writes a length down, in the sets in which they are tried: a size that only
// happens to be that of the length, as one of features, must stay. Shapes are those of a program only where the model was imported.
var written = [][]string{{"parameter", "expand"}, {"parameter", "expand", "slice"}, {"parameter", "expand", "reshape", "unflatten"}, {"parameter", "expand", "slice", "reshape", "unflatten"}}

func sets(imported bool) int {
	if imported {
		return len(written)
	}
	return 2
}

// follow puts another length in place of the model's own in components of some types. Constants that are trained stay as they are.
func follow(g *graph.Graph, own, length int64, types []string) {
	for i := range g.Components {
		c := &g.Components[i]
		if !slices.Contains(types, c.Type) {
			continue
		}
		if trained, given := c.Param("trainable"); c.Type == "parameter" && (!given || trained.Bool()) {
			continue
		}
		c.Params = slices.Clone(c.Params)
		for k := range c.Params {
			c.Params[k].Value = replaced(c.Params[k].Value, own, length)
		}
	}
}

// replaced is a number, or a list of numbers, with one number in place of another.
func replaced(v graph.Value, was, is int64) graph.Value {
	switch v.Kind() {
	case graph.Int:
		if v.Int() == was {
			return graph.IntValue(is)
		}
	case graph.List:
		items := slices.Clone(v.List())
		for i := range items {
			items[i] = replaced(items[i], was, is)
		}
		return graph.ListValue(items...)
	}
	return v
}
