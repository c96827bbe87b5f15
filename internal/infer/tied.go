package infer

import (
	"fmt"
	"slices"

	"github.com/modelverifier/verifier/internal/catalog"
)

// tie resolves tiedTo and tied: a component that uses the weight of another does not count it. Weights that do not have the
// same shape cannot be shared.
func (w *walker) tie() {
	var index map[string]int
	for i := range w.res.Nodes {
		node := &w.res.Nodes[i]
		if node.State != Legal || node.Type.Param("tiedTo") == nil {
			continue
		}
		to := node.str("tiedTo")
		var partner int
		switch {
		case to != "":
			if index == nil {
				index = w.byID()
			}
			j, ok := index[to]
			if !ok || j == i {
				w.refuseTie(i, fmt.Sprintf("tiedTo is %q, which is no other component", to))
				continue
			}
			partner = j
		case node.truth("tied"):
			if partner = w.onlyEmbedding(i); partner < 0 {
				w.refuseTie(i, "tied needs exactly one embedding with a weight of its shape; name it with tiedTo")
				continue
			}
		default:
			continue
		}
		w.share(i, partner)
	}
}

func (w *walker) byID() map[string]int {
	index := make(map[string]int, len(w.res.Nodes))
	for i := range w.res.Nodes {
		if !w.skip[i] {
			index[w.res.Nodes[i].Component.ID] = i
		}
	}
	return index
}

// share drops the weight of a component that has the shape of its partner's.
func (w *walker) share(i, partner int) {
	mine, theirs := w.res.Nodes[i].weight(), w.res.Nodes[partner].weight()
	if w.res.Nodes[partner].State != Legal {
		return // the partner's own refusal says enough
	}
	if theirs == nil || !mine.Shape.Equal(theirs.Shape) {
		has := "no weight"
		if theirs != nil {
			has = fmt.Sprintf("a weight of %v", theirs.Shape)
		}
		w.refuseTie(i, fmt.Sprintf("its weight is %v but %s has %s", mine.Shape, w.res.Nodes[partner].Component.Label(), has))
		return
	}
	node := &w.res.Nodes[i]
	node.Params -= mine.Shape.Size()
	node.Weights = slices.DeleteFunc(slices.Clone(node.Weights), func(x catalog.Weight) bool { return x.Module == "" && x.Name == mine.Name })
}

// onlyEmbedding returns the one embedding whose weight has the shape of component i's, or -1.
func (w *walker) onlyEmbedding(i int) int {
	mine, found := w.res.Nodes[i].weight(), -1
	for j := range w.res.Nodes {
		node := &w.res.Nodes[j]
		if j == i || !node.Type.Has(catalog.IsEmbedding) || node.State != Legal {
			continue
		}
		if theirs := node.weight(); theirs == nil || mine == nil || !theirs.Shape.Equal(mine.Shape) {
			continue
		}
		if found >= 0 {
			return -1
		}
		found = j
	}
	return found
}

func (w *walker) refuseTie(i int, message string) {
	w.refuse(i, &catalog.Refusal{Rule: TiedMismatch, Message: message})
}

func (n *Node) weight() *catalog.Weight {
	for i := range n.Weights {
		if n.Weights[i].Module == "" && n.Weights[i].Name == "weight" {
			return &n.Weights[i]
		}
	}
	return nil
}

func (n *Node) str(param string) string {
	for i := range n.Type.Params {
		if n.Type.Params[i].Name == param {
			return n.Args[i].Str()
		}
	}
	return ""
}

func (n *Node) truth(param string) bool {
	for i := range n.Type.Params {
		if n.Type.Params[i].Name == param {
			return n.Args[i].Bool()
		}
	}
	return false
}
