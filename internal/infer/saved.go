package infer

import (
	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/op"
)

// Lower writes the operations of a component's type into the program of a lowering, in the precision of that, and reports whether it has any: a module of the
// caller's own has none, nor has one of more parts than are followed.
func (r *Result) Lower(i int, l *catalog.Lowering) bool {
	n := &r.Nodes[i]
	if n.Type.Lower == nil || n.Out == nil {
		return false
	}
	l.Begin(n.Type, catalog.Call{Type: n.Type, Args: n.Args, In: n.In, InIsInt: n.inIsInt, Out: n.Out, OutIsInt: n.OutIsInt}, n.Weights)
	l.Parts = 1 // experts are computed together, which saves the same
	if n.Shares > 0 {
		theirs := &r.Nodes[n.Shares-1]
		if n.Calls() {
			l.Weights = theirs.Weights
		} else if len(theirs.Weights) > 0 {
			l.Tied = &theirs.Weights[0]
		}
	}
	l.P.Out = l.Lower(nil)
	return l.P.Out != op.None
}

// save finds what autograd saves of a component. One that is like an earlier one saves the same.
func (w *walker) save(i int) {
	node := &w.res.Nodes[i]
	if like := int(node.Like) - 1; like >= 0 && w.res.Nodes[like].saves() && w.res.Nodes[like].Shares == node.Shares {
		if w.res.Nodes[like].Saves.In == nil {
			w.saveOwn(like)
		}
		node.Saves, node.unfollowed = w.res.Nodes[like].Saves, w.res.Nodes[like].unfollowed
		return
	}
	if node.Saves.In == nil {
		w.saveOwn(i)
	}
}

// Operations are followed up to so many, and so many for each component: most have a dozen, a few of a thousand layers twenty thousand, and large
// models repeat a few. What a component saves is not known where those before it had more.
const (
	mostSteps  = 1 << 14
	mostOfEach = 1 << 2
)

// saveOwn asks the operations of a component. What has none saves at least what it reads, if a gradient comes to it.
func (w *walker) saveOwn(i int) {
	node := &w.res.Nodes[i]
	in := w.ints.Make(len(node.In))
	w.lowering.P = &w.program
	switch {
	case w.steps <= mostSteps+mostOfEach*len(w.res.Nodes) && w.res.Lower(i, &w.lowering):
		w.steps += len(w.program.Steps)
		node.Saves = w.program.KeepsIn(1, in)
		return
	case !node.Type.Has(catalog.IsVirtual) && node.isDifferentiated():
		for k := range in {
			in[k] = true
		}
	}
	node.Saves, node.unfollowed = op.Keeps{In: in}, node.Type.Lower != nil && node.Out != nil
}

// saves reports whether a component runs, so that something may be saved of it.
func (n *Node) saves() bool { return n.State == Legal || n.State == Withheld }

// isDifferentiated reports whether autograd records the call. Integers have no gradient: there must be a weight or a float.
func (n *Node) isDifferentiated() bool {
	for _, isInt := range n.inIsInt {
		if !isInt {
			return true
		}
	}
	return len(n.Weights) > 0
}
