package facts

import (
	"slices"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/infer"
)

// Runs says whether a model runs on samples of another length.
type Runs uint8

// What is known about another length.
const (
	Unknown Runs = iota // the model does not run as it is, or was imported with a length written into it
	Yes
	No
)

// Tokens returns the inputs whose numbers reach an embedding: as they are, or moved and cut by components that leave them
// whole numbers.
func Tokens(res *infer.Result) []int {
	var out []int
	var reach []bool
	for i := range res.Nodes {
		if !isWhole(res, i) {
			continue
		}
		if reach == nil {
			reach = reachEmbedding(res)
		}
		if reach[i] {
			out = append(out, i)
		}
	}
	return out
}

// isWhole reports whether a component is an input of whole numbers with an axis.
func isWhole(res *infer.Result, i int) bool {
	n := &res.Nodes[i]
	return n.Type != nil && n.Type.ID == infer.InputID && n.OutIsInt && len(n.Out) > 0
}

// reachEmbedding says of each component whether its result arrives at an embedding as whole numbers. It is found from the embeddings back,
// once for all inputs.
func reachEmbedding(res *infer.Result) []bool {
	reach := make([]bool, len(res.Nodes))
	var list []int
	feed := func(i int) {
		for _, j := range res.Wiring.Inputs(i) {
			if !reach[j] {
				reach[j], list = true, append(list, int(j))
			}
		}
	}
	for i := range res.Nodes {
		if res.Nodes[i].Type.Has(catalog.IsEmbedding) {
			feed(i)
		}
	}
	for len(list) > 0 {
		i := list[len(list)-1]
		list = list[:len(list)-1]
		if n := &res.Nodes[i]; n.OutIsInt && n.Type != nil { // else its result are other numbers
			feed(i)
		}
	}
	return reach
}

// AtLength walks a model that reads tokens with samples of another length. Where it does not run, it returns why.
func AtLength(res *infer.Result, length int64) (*infer.Result, *infer.Refusal, Runs) {
	own := res.Nodes[Tokens(res)[0]].Out[0]
	return Resized(res, func(n int64) int64 {
		if n == own { // segments are as long as tokens
			return length
		}
		return n
	})
}

// Resized walks a model with other lengths of its inputs of whole numbers that are as long as tokens: to gives the new length for one.
//
// An importer writes the model down at one length: masks, slopes of a bias and shapes that the program computes from its input are
// constants in the graph. They are made to follow the length. Where the model of a config.json does not run even so, nothing is known
// about it; a graph that was written as it is refuses what it refuses.
func Resized(res *infer.Result, to func(own int64) int64) (*infer.Result, *infer.Refusal, Runs) {
	if len(res.Refusals) > 0 {
		return nil, nil, Unknown
	}
	g, changes := inputsAt(res, to)
	if len(changes) == 0 {
		return res, nil, Yes
	}
	plain := infer.Walk(g)
	if len(plain.Refusals) == 0 {
		return plain, nil, Yes
	}
	why := plain.First()
	if why.Rule == catalog.SequenceExceedsPosition {
		return nil, why, No
	}
	imported := Imported(res)
	for _, types := range written[:sets(imported)] {
		again := g.Clone()
		follow(again, changes, types)
		if followed := infer.Walk(again); len(followed.Refusals) == 0 {
			return followed, nil, Yes
		}
	}
	if imported {
		return nil, why, Unknown
	}
	return nil, why, No
}

// inputsAt is the graph with other lengths of its inputs, and what each length that changed is now.
func inputsAt(res *infer.Result, to func(own int64) int64) (*graph.Graph, map[int64]int64) {
	long := map[int64]bool{}
	for _, i := range Tokens(res) {
		long[res.Nodes[i].Out[0]] = true
	}
	var g *graph.Graph
	changes := map[int64]int64{}
	for i := range res.Nodes {
		if !isWhole(res, i) || !long[res.Nodes[i].Out[0]] {
			continue
		}
		shape := res.Nodes[i].Out
		now := to(shape[0])
		if now == shape[0] {
			continue
		}
		if g == nil {
			g = res.Graph.Clone()
		}
		g.Components[i].SetParam("shape", graph.IntsValue(append([]int64{now}, shape[1:]...)...))
		changes[shape[0]] = now
	}
	return g, changes
}

// Declares reports whether a module without a type reads, through whatever lies between, an input of tokens: what it declares of its
// result and its cost is for the length that the graph has, and says nothing about another one.
func Declares(res *infer.Result) bool {
	seen := make([]bool, len(res.Nodes))
	list := Tokens(res)
	for len(list) > 0 {
		i := list[len(list)-1]
		list = list[:len(list)-1]
		if n := &res.Nodes[i]; n.Type.Has(catalog.IsOpaque) && (argOf(n, "flops").Int() > 0 || len(n.Out) > 1) {
			return true
		}
		for _, j := range res.Wiring.Outputs(i) {
			if !seen[j] {
				seen[j], list = true, append(list, int(j))
			}
		}
	}
	return false
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

// follow puts other lengths in place of the model's own in components of some types. Constants that are trained stay as they are.
func follow(g *graph.Graph, lengths map[int64]int64, types []string) {
	for i := range g.Components {
		c := &g.Components[i]
		if !slices.Contains(types, c.Type) {
			continue
		}
		if trained, given := c.Param("trainable"); c.Type == "parameter" && (!given || trained.Bool()) {
			continue
		}
		for k := range c.Params { // the graph has parameters of its own
			c.Params[k].Value, _ = replaced(c.Params[k].Value, lengths)
		}
	}
}

// replaced is a number, or a list of numbers, with other numbers in place of some, and whether it has any of those. Lists are shared.
func replaced(v graph.Value, by map[int64]int64) (graph.Value, bool) {
	switch v.Kind() {
	case graph.Int:
		if now, changed := by[v.Int()]; changed {
			return graph.IntValue(now), true
		}
	case graph.List:
		items, copied := v.List(), false
		for i := range items {
			now, changed := replaced(items[i], by)
			if !changed {
				continue
			}
			if !copied {
				items, copied = slices.Clone(items), true
			}
			items[i] = now
		}
		return graph.ListValue(items...), copied
	}
	return v, false
}
