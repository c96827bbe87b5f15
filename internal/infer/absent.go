package infer

import "github.com/modelverifier/verifier/internal/catalog"

// absentWord is what an importer writes into the implementation of a component that a call with text alone does not run.
const absentWord = "absent"

// findAbsent marks the components that are constructed and never called, and the inputs that nothing else reads. It is nil where there
// are none.
func (w *walker) findAbsent() {
	for i := range w.res.Nodes {
		if w.res.Nodes[i].Component.IsImplemented(absentWord) {
			if w.absent == nil {
				w.absent = w.ints.Make(len(w.res.Nodes))
			}
			w.absent[i] = true
		}
	}
	if w.absent == nil {
		return
	}
	for i := range w.res.Nodes {
		readers := w.res.Wiring.Outputs(i)
		if t := w.res.Nodes[i].Type; t == nil || t.ID != InputID || len(readers) == 0 {
			continue
		}
		w.absent[i] = true
		for _, j := range readers {
			w.absent[i] = w.absent[i] && w.absent[j]
		}
	}
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
		node.State, node.FLOPs, node.LacksFLOPs, node.Kept = Absent, 0, false, nil
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
