package torch

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/importer/torch/interp"
	"github.com/modelverifier/verifier/internal/infer"
)

// read follows the forward of a module that was built.
func (r *reader) read(root *interp.Instance, name string, opt Options) (*Model, error) {
	out := &Model{Graph: r.graph, Status: Full}
	if name == "" {
		name = root.Class.Name
	}
	r.graph.Name = name
	var weights []child
	var edited error
	if err := r.in.Protect(func() { r.nameParts(root); edited = r.edit(root, opt.Edits); weights = r.parameters(root) }); err != nil {
		return nil, fail(CodeRefused, name, "%v", err)
	}
	if edited != nil {
		return nil, edited
	}
	r.weights = map[*Param]bool{}
	for _, w := range weights {
		t := w.value.(*Tensor)
		r.weights[t.param] = true
		t.param.name = w.name
		n := t.shape.Size()
		if n < 0 || out.Params+n < 0 {
			return nil, fail(CodeRefused, name, "the weight %s does not fit in 64 bits", w.name)
		}
		out.Params += n
	}
	var unread []unread
	if err := r.in.Protect(func() { unread = r.unreadParts(root) }); err != nil {
		return nil, fail(CodeRefused, name, "%v", err)
	}
	if err := r.follow(out, root, opt, unread); err != nil {
		return nil, fail(CodeRefused, name, "%v", err)
	}
	for _, n := range r.in.Notes {
		out.Notes = append(out.Notes, Problem(n))
	}
	out.Customs, out.results = r.customs, r.results
	if r.fixed {
		out.fixed = r.batch
	}
	out.Lines, out.Calls = r.lines, r.calls
	r.check(out)
	r.settle(out)
	if len(out.Withheld) > 0 {
		out.Params = -1
	}
	return out, nil
}

// follow follows the forward, or puts the layers in a row where that cannot be done. The row has a budget of its own: the forward may have
// spent its.
func (r *reader) follow(out *Model, root *interp.Instance, opt Options, lacks []unread) error {
	if len(opt.Inputs) == 0 {
		return r.in.Protect(func() {
			out.Status = Partly
			out.Problems = append(out.Problems, Problem{root.Class.File, root.Class.Line, r.question(root)})
			r.constructionOrder(root)
			r.incomplete(out, lacks)
		})
	}
	err := r.forward(root, opt)
	out.steps = r.in.Steps()
	if r.fixed {
		out.Batch = r.batch
	}
	r.in.Afresh()
	return r.in.Protect(func() {
		if err != nil {
			r.partly(out, err, root)
		} else {
			for w := range r.weights {
				if !w.counted {
					out.Unused += w.tensor.shape.Size()
				}
			}
			r.unusedParts(root, "", map[*interp.Instance]bool{})
		}
		r.incomplete(out, lacks)
	})
}

// incomplete adds the parts that are not known.
func (r *reader) incomplete(out *Model, lacks []unread) {
	if len(lacks) == 0 {
		return
	}
	out.Withheld = r.lack(lacks)
	var first []Problem // the cause of what was not followed
	for _, l := range lacks {
		first = append(first, Problem{l.why.File, l.why.Line, "a part of the model is not known, " + l.path + ": " + l.why.Why})
	}
	if out.Raises {
		out.Problems = append(out.Problems, first...)
		return
	}
	out.Status, out.Problems = Partly, append(first, out.Problems...)
}

// nameParts gives every module its path.
func (r *reader) nameParts(root *interp.Instance) {
	for _, m := range r.modules(root) {
		x := m.value.(*interp.Instance)
		r.paths[x] = m.name
		if m.name != "" && r.isLeafClass(x.Class) {
			r.leaves[m.name], r.built[m.name] = true, x.Made
		}
	}
}

// forward calls the module with the inputs.
func (r *reader) forward(root *interp.Instance, opt Options) error {
	args := r.give(opt)
	var result interp.Value
	err := r.in.Protect(func() {
		result = r.in.Call(root, args)
		r.scopes = nil
		n := 0
		r.outputs(result, &n, 0)
		if n == 0 {
			r.in.Fault("the forward gives a %s, in which no tensor is", interp.TypeName(result))
		}
	})
	r.scopes = nil
	return err
}

// foldedResult begins the note about a result that is not one of each sample.
const foldedResult = "folded result"

// outputs gives every tensor of a result an output.
func (r *reader) outputs(v interp.Value, n *int, depth int) {
	if depth > 8 || *n > 1000 {
		return
	}
	switch x := v.(type) {
	case *Tensor:
		*n++
		if x = r.noted(x); x.ofAll() && !r.unbatched {
			r.in.Note("%s: a result is one for all samples of a batch", foldedResult)
		}
		if x.pre+x.post > 0 {
			r.in.Note("%s: a result has %d entries for each sample of the batch on its batch axis", foldedResult, x.folded())
		}
		r.component("output", "output", nil, []*Tensor{x})
		if *n == 1 {
			r.last = x
		}
	case *state:
		r.outputs(x.tensor(), n, depth+1)
	case *later:
		r.outputs(x.make(), n, depth+1)
	case *interp.Unknown:
		r.in.Fault("a result is not known: %s", x.Reason())
	case *interp.Tuple:
		for _, item := range x.Items {
			r.outputs(item, n, depth+1)
		}
	case *interp.List:
		for _, item := range x.Items {
			r.outputs(item, n, depth+1)
		}
	case *interp.Dict:
		for _, item := range x.Values() {
			r.outputs(item, n, depth+1)
		}
	case *interp.Instance:
		for _, name := range x.Names() {
			item, _ := x.Get(name)
			r.outputs(item, n, depth+1)
		}
	}
}

// partly keeps what is known where the forward could not be followed to its end.
func (r *reader) partly(out *Model, err error, root *interp.Instance) {
	out.Status = Partly
	if x := certain(err); x != nil {
		r.raised(out, x, root)
		return
	}
	p := Problem{Message: err.Error()}
	var fault *interp.Fault
	var raised *interp.Raised
	switch {
	case errors.As(err, &fault):
		out.lost = fault.Condition
		p = Problem{fault.File, fault.Line, fault.Message}
	case errors.As(err, &raised):
		p = Problem{raised.File, raised.Line, "may raise " + raised.Exc.Class.Name + ": " + raised.Message()}
	}
	if p.File == "" { // before the first line of the forward, such as an argument that is missing
		p.File, p.Line = root.Class.File, root.Class.Line
	}
	if r.stopped && !r.shown() {
		r.stopAt(out, p, root)
		return
	}
	out.Problems = append(out.Problems, p)
	if r.stopped {
		r.endAtRefusal(root)
		return
	}
	r.constructionOrder(root, param("unread", p.String()), param("numParams", 0))
}

// shown reports whether the graph shows what does not run, so that the engine says the same. It does not where no component stands for
// it, or where the reader knows more of a constant, such as that its values are integers.
func (r *reader) shown() bool {
	return r.refused > 0 && slices.ContainsFunc(infer.Walk(r.graph).Refusals, func(f infer.Refusal) bool { return f.Node == r.refused })
}

// endAtRefusal puts what the forward did not come to, and an output, behind the component that does not run, so that the engine says
// why and not that there is no output.
func (r *reader) endAtRefusal(root *interp.Instance) {
	r.rest(root)
	r.end()
}

// constructionOrder makes a graph of the layers in the order in which they were made, where the forward could not be followed. Its
// edges are concluded, not read. What stands before them says why.
func (r *reader) constructionOrder(root *interp.Instance, why ...graph.Param) {
	*r.graph, r.lines, r.calls, r.ints = graph.Graph{Name: r.graph.Name}, nil, nil, nil
	r.used, r.scopes, r.customs = map[string]int{}, nil, 0
	for _, w := range r.parameters(root) {
		w.value.(*Tensor).param.counted = false
	}
	for _, t := range r.inputs {
		id := r.unique("input")
		params := []graph.Param{param("shape", t.shape)}
		if t.isInt {
			params = append(params, param("dtype", "int64"))
		}
		r.add(graph.Component{ID: id, Type: "input", Name: id, Params: params}, interp.Place{})
	}
	if len(r.inputs) == 0 {
		r.ask(r.question(root))
	}
	if len(why) > 0 {
		r.stop("forward", interp.Place{}, why...)
	}
	r.rest(root)
	r.end()
}

// check compares the graph with the module: the engine must find the same weights in it, and nothing that does not run.
func (r *reader) check(out *Model) {
	out.Edges.Total = len(out.Graph.Connections)
	for _, c := range out.Graph.Connections {
		switch c.Inferred {
		case "constructionOrder":
			out.Edges.ConstructionOrder++
		case "unmodelledMerge":
			out.Edges.UnmodelledMerge++
		}
	}
	out.Edges.Inferred = out.Edges.ConstructionOrder + out.Edges.UnmodelledMerge
	if out.Status != Full {
		return
	}
	res := infer.Walk(out.Graph)
	for _, f := range res.Refusals {
		out.Status = Partly
		out.Problems = append(out.Problems, Problem{Message: out.Graph.Components[f.Node].ID + " does not run: " + f.Message})
		if len(out.Problems) > 20 {
			return
		}
	}
}

// roots are the classes of a file that no other of its classes derives from or has a method that mentions.
func (r *reader) roots(m *interp.Module, candidates []string) []string {
	classes := map[string]*interp.Class{}
	for _, n := range candidates {
		if c, ok := m.Attrs[n].(*interp.Class); ok {
			classes[n] = c
		}
	}
	derived, mentioned := map[*interp.Class]bool{}, map[string]bool{}
	for _, other := range classes {
		for _, base := range other.Ancestors() {
			derived[base] = derived[base] || base != other
		}
		other.Mentioned(func(name string) { mentioned[name] = mentioned[name] || classes[name] != other })
	}
	var out []string
	for _, n := range candidates {
		if c := classes[n]; c != nil && !derived[c] && !mentioned[n] {
			out = append(out, n)
		}
	}
	return out
}

// argument reads --arg key=value: a Python literal or expression over the names of the file, else the text itself.
func (r *reader) argument(m *interp.Module, s string) interp.Value {
	var v interp.Value
	if err := r.in.Protect(func() { v = r.in.EvalIn(m, s) }); err != nil {
		return s
	}
	return v
}

// loadPrelude reads our own definitions of what other packages build.
func (r *reader) loadPrelude() error {
	m, err := r.in.LoadSource("<prelude>", "<prelude>", prelude) // no name that a file of the user's has
	if err != nil {
		return fmt.Errorf("torch: prelude: %w", err)
	}
	nn := r.in.Natives["torch.nn"]
	vision := interp.Native("torchvision.ops", map[string]interp.Value{"StochasticDepth": r.stochasticDepth()})
	for _, n := range sortedKeys(m.Attrs) {
		c, ok := m.Attrs[n].(*interp.Class)
		switch {
		case !ok || c.Module != m:
		case strings.HasPrefix(n, "Transformer"):
			nn.Attrs[n] = c
		default:
			vision.Attrs[n] = c
		}
	}
	if r.in.Package != "torchvision" && !has(r.in.Installed, "torchvision") { // which have their own
		r.in.Natives["torchvision"] = interp.Native("torchvision", map[string]interp.Value{"ops": vision})
		r.in.Natives["torchvision.ops"], r.in.Natives["torchvision.ops.misc"] = vision, vision
	}
	return nil
}
