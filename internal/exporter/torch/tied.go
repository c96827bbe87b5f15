package torch

import (
	"fmt"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/infer"
)

// tie is a component that uses the weight of another.
type tie struct{ node, owner int }

// ties finds every tied weight and the one that owns it in the end. The walk has checked them; it drops the weight of a component
// as it comes to it, and so does this.
func ties(res *infer.Result) []tie {
	var out []tie
	index := map[string]int{}
	for i := range res.Nodes {
		id := res.Nodes[i].Component.ID
		if _, taken := index[id]; !taken {
			index[id] = i
		}
	}
	partner, shapes := map[int]int{}, ownShapes(res)
	for i := range res.Nodes {
		node := &res.Nodes[i]
		if node.State != infer.Legal {
			continue
		}
		if to := argument(node, "tiedTo").Str(); to != "" {
			if j, ok := index[to]; ok && j != i {
				partner[i] = j
			}
		} else if argument(node, "tied").Bool() {
			if j := onlyEmbedding(res, i, partner, shapes); j >= 0 {
				partner[i] = j
			}
		}
	}
	for i := range res.Nodes {
		owner, tied := partner[i]
		for n := 0; tied && n < len(partner); n++ {
			next, more := partner[owner]
			if !more {
				break
			}
			owner = next
		}
		if tied && owner != i {
			out = append(out, tie{i, owner})
		}
	}
	return out
}

// callAgain finds the components that call the module of another, which must then be written alike.
func (m *model) callAgain() error {
	index := map[string]int{}
	for i := range m.res.Nodes {
		m.parts[i].owner = i
		if _, taken := index[m.res.Nodes[i].Component.ID]; !taken {
			index[m.res.Nodes[i].Component.ID] = i
		}
	}
	for i := range m.res.Nodes {
		to := argument(&m.res.Nodes[i], "sameAs").Str()
		j, ok := index[to]
		if to == "" || !ok || m.parts[i].build == "" {
			continue
		}
		if m.parts[i].build != m.parts[j].build {
			return fmt.Errorf("%s calls the module of %s once more, but with other parameters: %s, not %s", m.res.Nodes[i].Component.Label(), m.res.Nodes[j].Component.Label(), m.parts[i].build, m.parts[j].build)
		}
		m.parts[i].owner = j
	}
	return nil
}

// onlyEmbedding returns the one embedding with a weight of its own that has the shape of component i's, or -1.
func onlyEmbedding(res *infer.Result, i int, partner map[int]int, shapes []catalog.Shape) int {
	mine, found := ownWeight(&res.Nodes[i]), -1
	for j := range res.Nodes {
		node := &res.Nodes[j]
		if _, shared := partner[j]; shared || j == i || !node.Type.Has(catalog.IsEmbedding) || node.State != infer.Legal {
			continue
		}
		if theirs := shapes[j]; theirs == nil || mine == nil || !theirs.Equal(mine) {
			continue
		}
		if found >= 0 {
			return -1
		}
		found = j
	}
	return found
}

// ownShapes are the shapes of the weights of all embeddings: each is asked for by every head that is tied.
func ownShapes(res *infer.Result) []catalog.Shape {
	out := make([]catalog.Shape, len(res.Nodes))
	for i := range res.Nodes {
		if node := &res.Nodes[i]; node.Type.Has(catalog.IsEmbedding) && node.State == infer.Legal {
			out[i] = ownWeight(node)
		}
	}
	return out
}

// ownWeight returns the shape of a component's weight as it would be without a tie.
func ownWeight(node *infer.Node) catalog.Shape {
	ints := make([]bool, len(node.In))
	for _, k := range node.Type.Indices {
		if k < len(ints) {
			ints[k] = true
		}
	}
	for _, w := range node.Type.Evaluate(node.Component.Params, node.In, ints).Weights {
		if w.Module == "" && w.Name == "weight" {
			return w.Shape
		}
	}
	return nil
}

func argument(node *infer.Node, name string) graph.Value {
	for i := range node.Args {
		if node.Type.Params[i].Name == name {
			return node.Args[i]
		}
	}
	return graph.Value{}
}
