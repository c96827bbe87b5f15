package torch

import (
	"errors"
	"fmt"
	"strings"

	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/importer/torch/interp"
)

// A source that was not followed to its end is a graph all the same, which says so itself: a customModule stands where the reader
// stopped, with "raises" where PyTorch certainly stops there, too, and with "unread" where that is not known. The weights of what the
// reader did not come to stand behind it.

// certain returns the exception that an error is, where PyTorch raises it, too.
func certain(err error) *interp.Raised {
	var x *interp.Raised
	if errors.As(err, &x) && x.Certain {
		return x
	}
	return nil
}

// unfollowed is an error without the claim that PyTorch raises it.
func unfollowed(err error) error {
	var x *interp.Raised
	if errors.As(err, &x) {
		return fmt.Errorf("%s:%d: may raise %s: %s", x.File, x.Line, x.Exc.Class.Name, x.Message())
	}
	return err
}

// problem is an exception with its line, the statement there and the values in it.
func problem(x *interp.Raised) Problem {
	said := x.Exc.Class.Name
	if m := strings.TrimSpace(x.Message()); m != "" {
		said += ": " + m
	}
	if x.Text != "" {
		said = x.Text + ": " + said
	}
	if len(x.Values) > 0 {
		said += "; " + strings.Join(x.Values, ", ")
	}
	return Problem{x.At.File, x.At.Line, oneLine(said)}
}

// oneLine keeps a message of the program on one line of a bearable length.
func oneLine(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > 400 {
		return string(r[:399]) + "…"
	}
	return s
}

func (p Problem) String() string {
	switch {
	case p.File == "":
		return p.Message
	case p.Line <= 0:
		return p.File + ": " + p.Message
	}
	return fmt.Sprintf("%s:%d: %s", p.File, p.Line, p.Message)
}

// unbuilt is a model whose constructor raises: nothing is known of its weights.
func (r *reader) unbuilt(name string, x *interp.Raised, opt Options) *Model {
	r.in.Afresh()
	out := &Model{Graph: r.graph, Params: -1, Status: Partly, Raises: true}
	r.graph.Name = name
	if len(opt.Inputs) > 0 {
		r.give(opt)
	} else {
		r.ask("")
	}
	p := problem(x)
	out.Problems = []Problem{p}
	r.stop("__init__", x.At, param("raises", p.String()))
	r.end()
	out.Lines, out.Calls = r.lines, r.calls
	r.check(out)
	return out
}

// raised ends the graph at an exception of the forward.
func (r *reader) raised(out *Model, x *interp.Raised, root *interp.Instance) {
	p := problem(x)
	if p.File == "" { // before the first line of the forward: the arguments do not fit it
		p.File, p.Line = root.Class.File, root.Class.Line
		if f := forwardOf(root); f != nil {
			p = Problem{f.File(), f.Line, oneLine(f.Header() + ": " + p.Message)}
		}
	}
	r.stopAt(out, p, root)
}

// stopAt ends the graph where PyTorch certainly stops.
func (r *reader) stopAt(out *Model, p Problem, root *interp.Instance) {
	out.Raises = true
	out.Problems = append(out.Problems, p)
	r.stop("forward", interp.Place{File: p.File, Line: p.Line}, param("raises", p.String()), param("numParams", 0))
	r.rest(root)
	r.end()
}

// stop puts a component behind all that nothing reads yet.
func (r *reader) stop(name string, at interp.Place, params ...graph.Param) {
	read := map[string]bool{}
	for _, c := range r.graph.Connections {
		read[c.From] = true
	}
	ends := []string{}
	for i := range r.graph.Components {
		if c := &r.graph.Components[i]; !read[c.ID] && c.Type != "output" {
			ends = append(ends, c.ID)
		}
	}
	id := r.unique(name)
	r.add(graph.Component{ID: id, Type: "customModule", Name: id, Params: params}, at)
	for _, from := range ends {
		r.graph.Connections = append(r.graph.Connections, graph.Connection{From: from, To: id, Inferred: "constructionOrder"})
	}
}

// behind puts a component behind the last one, on an edge that was concluded.
func (r *reader) behind(c graph.Component, at interp.Place) {
	if n := len(r.graph.Components); n > 0 {
		r.graph.Connections = append(r.graph.Connections, graph.Connection{From: r.graph.Components[n-1].ID, To: c.ID, Inferred: "constructionOrder"})
	}
	r.add(c, at)
}

// rest puts the modules whose weights are not in the graph yet behind it, in the order of their construction.
func (r *reader) rest(root *interp.Instance) {
	r.scopes = nil
	for _, m := range r.modules(root) {
		x := m.value.(*interp.Instance)
		count := int64(0)
		for _, w := range r.own(x) {
			if t := w.value.(*Tensor); !t.param.counted && r.registered(t.param) {
				count += t.shape.Size()
				t.param.counted = true
			}
		}
		if count == 0 {
			continue
		}
		id := r.unique(m.name)
		r.behind(graph.Component{ID: id, Type: "customModule", Name: id, Params: []graph.Param{param("numParams", count), param("code", x.Class.Name)}}, x.Made)
	}
}

// end puts an output behind the last component.
func (r *reader) end() {
	id := r.unique("output")
	r.behind(graph.Component{ID: id, Type: "output", Name: id}, interp.Place{})
}

// ask makes an input whose shape has to be asked for.
func (r *reader) ask(what string) {
	text := "the shape of the input is not known"
	if what != "" {
		text = what
	}
	r.add(graph.Component{ID: r.unique("input"), Type: "input", Name: "input", Params: []graph.Param{param("asks", text)}}, interp.Place{})
}

// question is what has to be asked before a forward can be followed.
func (r *reader) question(root *interp.Instance) string {
	var takes []string
	if f := forwardOf(root); f != nil {
		takes = f.Required(true)
	}
	switch len(takes) {
	case 0:
		return "the shape of the input is not known; give it with the batch in front, as --input 1,3,224,224"
	case 1:
		return "the shape of " + takes[0] + " is not known; give it with the batch in front, as --input 1,3,224,224"
	}
	return fmt.Sprintf("the shapes of %s and %s are not known; give each with the batch in front, as --input 1,3,224,224, in this order",
		strings.Join(takes[:len(takes)-1], ", "), takes[len(takes)-1])
}

// forwardOf is the forward of a module, nil where the source does not define it.
func forwardOf(root *interp.Instance) *interp.Func {
	v, _ := root.Class.Lookup("forward")
	f, _ := v.(*interp.Func)
	return f
}
