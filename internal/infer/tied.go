package infer

import (
	"fmt"
	"slices"

	"github.com/modelverifier/verifier/internal/catalog"
)

// tie resolves tiedTo, tied and sameAs: a component that uses the weight of another, or calls its module, does not count what
// they share. Weights that do not have the same shape cannot be shared.
func (w *walker) tie() {
	var again []int // components that call another's module; their weights are compared before any of them is dropped
	for i := range w.res.Nodes {
		node := &w.res.Nodes[i]
		if node.State != Legal || node.Type.Weights == nil {
			continue
		}
		if node.str("sameAs") != "" {
			if partner, ok := w.named(i, "sameAs"); ok && w.sameModule(i, partner) {
				again = append(again, i)
			}
			continue
		}
		switch {
		case node.str("tiedTo") != "":
			if partner, ok := w.named(i, "tiedTo"); ok {
				w.share(i, partner)
			}
		case node.truth("tied"):
			partner := w.onlyEmbedding(i)
			if partner < 0 {
				w.refuseTie(i, "tied needs exactly one embedding with a weight of its shape; name it with tiedTo")
				continue
			}
			w.share(i, partner)
		}
	}
	for _, i := range again {
		w.res.Nodes[i].Params, w.res.Nodes[i].Weights = 0, nil
	}
}

// named finds the other component that a parameter names.
func (w *walker) named(i int, param string) (int, bool) {
	if w.index == nil {
		w.index = w.byID()
	}
	to := w.res.Nodes[i].str(param)
	j, ok := w.index[to]
	if !ok || j == i {
		w.refuseTie(i, fmt.Sprintf("%s is %q, which is no other component", param, to))
		return 0, false
	}
	return j, true
}

// sameModule refuses a component whose weights are not, one by one, of the shapes of its partner's.
func (w *walker) sameModule(i, partner int) bool {
	mine, theirs := &w.res.Nodes[i], &w.res.Nodes[partner]
	if theirs.State != Legal {
		return false // the partner's own refusal says enough
	}
	equal := func(a, b catalog.Weight) bool {
		return a.Module == b.Module && a.Name == b.Name && a.Shape.Equal(b.Shape)
	}
	switch {
	case mine.Type != theirs.Type:
		w.refuseTie(i, fmt.Sprintf("sameAs names %s, which is of type %s", theirs.Component.Label(), theirs.Type.ID))
	case theirs.str("sameAs") != "":
		w.refuseTie(i, fmt.Sprintf("sameAs names %s, which is itself the module of another; name that one", theirs.Component.Label()))
	case !slices.EqualFunc(mine.Weights, theirs.Weights, equal):
		w.refuseTie(i, "its weights are not of the shapes of those of "+theirs.Component.Label())
	default:
		return true
	}
	return false
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
