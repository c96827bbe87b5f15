package infer

import (
	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/graph"
)

// outputID is the type of what the caller gets, which runs in every call.
const outputID = "output"

// findAbsent marks the components that are constructed and never called: the inputs that the call does not give, and what is computed of
// such alone. It is nil where there are none.
func (w *walker) findAbsent() {
	var list []int32
	for i := range w.res.Nodes {
		if !w.res.Nodes[i].leftOut() {
			continue
		}
		if w.absent == nil {
			w.absent = w.ints.Make(len(w.res.Nodes))
		}
		w.absent[i] = true
		list = append(list, int32(i))
	}
	if w.absent == nil {
		return
	}
	lacks := make([]int32, len(w.res.Nodes)) // how many of its inputs a component does not get
	for len(list) > 0 {
		i := list[len(list)-1]
		list = list[:len(list)-1]
		for _, j := range w.res.Wiring.Outputs(int(i)) {
			lacks[j]++
			t := w.res.Nodes[j].Type
			if int(lacks[j]) == len(w.res.Wiring.Inputs(int(j))) && t != nil && t.ID != outputID && !w.absent[j] {
				w.absent[j] = true
				list = append(list, j)
			}
		}
	}
}

// leftOut reports whether the component is an input that the call does not give.
func (n *Node) leftOut() bool {
	if n.Type == nil || n.Type.ID != InputID {
		return false
	}
	v, said := n.Component.Param("given")
	return said && v.Kind() == graph.Bool && !v.Bool()
}

// refuseLacking refuses a component that runs and reads what the call does not compute, and reports whether it does.
func (w *walker) refuseLacking(i int) bool {
	if w.absent == nil || w.absent[i] {
		return false
	}
	for _, j := range w.res.Wiring.Inputs(i) {
		if w.absent[j] {
			w.refuse(i, &catalog.Refusal{Rule: catalog.MissingInput,
				Message: "reads " + w.res.Nodes[j].Component.Label() + ", which is not computed: the call does not give its input (given is false)"})
			return true
		}
	}
	return false
}

func (w *walker) isAbsent(i int) bool { return w.absent != nil && w.absent[i] }

// leaveOut takes back what a call of the absent components would compute and keep. Their weights stay: they were constructed. What the
// constructor refuses stays refused.
func (w *walker) leaveOut() {
	for i := range w.absent {
		node := &w.res.Nodes[i]
		if !w.absent[i] || node.State == Refused || node.State == Note {
			continue
		}
		node.Idle = node.FLOPs
		node.State, node.FLOPs, node.LacksFLOPs = Absent, 0, false
	}
}

// pardons reports whether a refusal is that of a call which is never made. A component whose own parameters do not decide its weights may
// be one whose constructor raises, and is refused.
func (w *walker) pardons(i int, r *catalog.Refusal) bool {
	if !w.isAbsent(i) || !catalog.WhenCalled(r.Rule) {
		return false
	}
	node := &w.res.Nodes[i]
	_, _, constructed := node.Type.Weigh(node.Component.Params, &w.declared)
	return constructed
}
