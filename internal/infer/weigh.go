package infer

import (
	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/quantity"
)

// weigh gives the components that do not run, and those whose inputs are not known, the weights that their own parameters decide.
func (w *walker) weigh() {
	for i := range w.res.Nodes {
		node := &w.res.Nodes[i]
		if node.State != Refused && node.State != Unknown {
			continue
		}
		if node.Type == nil {
			node.LacksWeights = true
			continue
		}
		weights, count, ok := node.Type.Weigh(node.Component.Params, &w.declared)
		node.Weights, node.Params, node.LacksWeights = weights, count, !ok
	}
}

// count sums the weights. A sum that does not fit in 64 bits makes the graph a size-overflow, and lacks what would have broken it.
func (w *walker) count() {
	refused := false
	for i := range w.res.Nodes {
		node := &w.res.Nodes[i]
		sum, ok := quantity.Add(w.res.Params, node.Params)
		if ok {
			w.res.Params = sum
			continue
		}
		w.lacks(i)
		if !refused && (node.State == Legal || node.State == Withheld || node.State == Absent) {
			w.refuse(i, &catalog.Refusal{Rule: catalog.SizeOverflow, Message: "the weights of the graph do not fit in 64 bits"})
			refused = true
		}
	}
}

// lacks marks a component whose weights cannot be told.
func (w *walker) lacks(i int) {
	node := &w.res.Nodes[i]
	node.Weights, node.Params, node.LacksWeights = nil, 0, true
}

// ParamsWithheld returns the ids of the components that Params lacks, in the order of the graph; empty where it lacks none.
func (r *Result) ParamsWithheld() []string {
	return r.which(func(n *Node) bool { return n.LacksWeights })
}

// FLOPsWithheld returns the ids of the components that FLOPs lacks, like ParamsWithheld.
func (r *Result) FLOPsWithheld() []string {
	return r.which(func(n *Node) bool { return n.LacksFLOPs })
}

func (r *Result) which(lacks func(*Node) bool) []string {
	out := []string{}
	for i := range r.Nodes {
		if n := &r.Nodes[i]; lacks(n) {
			out = append(out, n.Component.ID)
		}
	}
	return out
}
