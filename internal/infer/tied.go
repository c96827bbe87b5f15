package infer

import (
	"slices"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/quantity"
)

// tie resolves tiedTo, tied and sameAs: a component that uses the weight of another, or calls its module, does not count what
// they share. Weights that do not have the same shape cannot be shared. A component that does not run, or is not known, is not
// refused once more, but what it shares is not counted either.
func (w *walker) tie() {
	var again []int // components that call another's module; their weights are compared before any of them is dropped
	for i := range w.res.Nodes {
		node := &w.res.Nodes[i]
		if node.State == Note || node.Type == nil || node.Type.Weights == nil {
			continue
		}
		switch {
		case node.str("sameAs") != "":
			if partner, ok := w.named(i, "sameAs"); ok && w.sameModule(i, partner) {
				again = append(again, i)
				node.Shares = int32(partner) + 1
			}
		case node.LacksWeights:
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
		node := &w.res.Nodes[i]
		node.Params, node.Weights, node.LacksWeights = 0, nil, false // what the module lacks is said once, of its first call
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
		w.refuseTie(i, quantity.Sprintf("%s is %q, which is no other component", param, to))
		return 0, false
	}
	return j, true
}

// sameModule refuses a component whose weights are not, one by one, of the shapes of its partner's.
func (w *walker) sameModule(i, partner int) bool {
	mine, theirs := &w.res.Nodes[i], &w.res.Nodes[partner]
	if theirs.State != Legal || mine.State != Legal { // the refusal that there is says enough
		if mine.Type != theirs.Type {
			w.lacks(i)
		}
		return mine.Type == theirs.Type
	}
	equal := func(a, b catalog.Weight) bool {
		return a.Module == b.Module && a.Name == b.Name && a.Shape.Equal(b.Shape)
	}
	switch {
	case mine.Type != theirs.Type:
		w.refuseTie(i, quantity.Sprintf("sameAs names %s, which is of type %s", theirs.Component.Label(), theirs.Type.ID))
	case theirs.str("sameAs") != "":
		w.refuseTie(i, quantity.Sprintf("sameAs names %s, which is itself the module of another; name that one", theirs.Component.Label()))
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
	owner := &w.res.Nodes[partner]
	switch legal := owner.State == Legal; {
	case owner.LacksWeights: // the partner's own refusal says enough
	case theirs == nil && !legal:
		w.lacks(i)
		return
	case theirs == nil:
		w.refuseTie(i, quantity.Sprintf("its weight is %v but %s has no weight", mine.Shape, owner.Component.Label()))
		return
	case legal && !mine.Shape.Equal(theirs.Shape): // the module has the partner's weight all the same, and fails when it is called
		w.refuseShare(i, quantity.Sprintf("its weight is %v but %s has a weight of %v", mine.Shape, owner.Component.Label(), theirs.Shape))
	}
	node := &w.res.Nodes[i]
	node.Shares = int32(partner) + 1
	node.Params -= mine.Shape.Size()
	node.Weights = slices.DeleteFunc(slices.Clone(node.Weights), func(x catalog.Weight) bool { return x.Module == "" && x.Name == mine.Name })
}

// onlyEmbedding returns the one embedding whose weight has the shape of component i's, or -1.
func (w *walker) onlyEmbedding(i int) int {
	mine, found := w.res.Nodes[i].weight(), -1
	if mine == nil {
		return -1
	}
	if w.tables == nil {
		w.findTables()
	}
	for _, j := range w.tables[tableOf(mine.Shape)] {
		if theirs := w.res.Nodes[j].weight(); j == i || theirs == nil || !theirs.Shape.Equal(mine.Shape) {
			continue
		}
		if found >= 0 {
			return -1
		}
		found = j
	}
	return found
}

// table tells the weights of embeddings apart, which have two axes.
type table struct {
	rank        int
	rows, width int64
}

func tableOf(s catalog.Shape) table {
	if len(s) == 0 {
		return table{}
	}
	return table{len(s), s[0], s[len(s)-1]}
}

// findTables lists the embeddings by the shapes of their weights. One that loses its weight while weights are tied stays in the list.
func (w *walker) findTables() {
	w.tables = map[table][]int{}
	for j := range w.res.Nodes {
		node := &w.res.Nodes[j]
		if !node.Type.Has(catalog.IsEmbedding) || node.State == Note {
			continue
		}
		if weight := node.weight(); weight != nil {
			shape := tableOf(weight.Shape)
			w.tables[shape] = append(w.tables[shape], j)
		}
	}
}

// refuseTie refuses a component whose partner cannot be told, and with it what it shares.
func (w *walker) refuseTie(i int, message string) {
	w.refuseShare(i, message)
	w.lacks(i)
}

// refuseShare refuses a component, unless that has been done or it is not known whether it runs.
func (w *walker) refuseShare(i int, message string) {
	if w.res.Nodes[i].State == Legal {
		w.refuse(i, &catalog.Refusal{Rule: TiedMismatch, Message: message})
	}
}

func (n *Node) weight() *catalog.Weight {
	for i := range n.Weights {
		if n.Weights[i].Module == "" && n.Weights[i].Name == "weight" {
			return &n.Weights[i]
		}
	}
	return nil
}

func (n *Node) str(param string) string { return n.own(param).Str() }

func (n *Node) truth(param string) bool { return n.own(param).Bool() }

// own is the value that a component gives to a parameter of its type, null where there is none.
func (n *Node) own(param string) graph.Value {
	if n.Type.Param(param) == nil {
		return graph.Value{}
	}
	v, _ := n.Component.Param(param)
	return v
}
