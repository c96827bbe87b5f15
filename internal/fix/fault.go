package fix

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/importer/torch/python"
	"github.com/modelverifier/verifier/internal/patch"
)

// fault is one finding of a source, with what is known of where it comes from.
type fault struct {
	*trail
	want
	at     []step // the expressions at the very lines of the fault
	files  []patch.File
	target *Target
	offers offers
}

// want is what a finding says about the numbers in it.
type want struct {
	finding action.Finding
	message string // the finding's own words, or the exception
	numbers []int64
	values  []int64 // that the finding's edit sets
}

// wantOf reads a finding.
func wantOf(f action.Finding, message string) want {
	w := want{finding: f, message: message, numbers: numbersOf(message + " " + f.Detail)}
	for _, e := range f.Edit {
		if e.Value.Kind() == graph.Int {
			w.values = append(w.values, e.Value.Int())
		}
	}
	return w
}

// suspect is a finding with the places that may be at fault.
type suspect interface {
	candidates() []candidate
	evidence(*trial, *verdict) int
}

// upstream is how many components before the one that does not run are looked at.
const upstream = 24

// newFault finds the lines of a finding and goes back from them.
func (p *project) newFault(files []patch.File, t *Target, v *verdict, f action.Finding) *fault {
	x := &fault{trail: &trail{syntax: parseAll(files), budget: budget{ctx: p.ctx, left: maxLooks}, seen: map[any]bool{}, asked: map[asked]bool{}}, files: files, target: t}
	prefix := p.importDir(t)
	m := v.source
	message := f.Detail
	if len(m.Problems) > 0 {
		message = m.Problems[0].Message
		x.line(prefix+m.Problems[0].File, m.Problems[0].Line, 0)
	}
	for _, e := range f.Edit {
		x.component(prefix, v, e.Component, 0)
	}
	x.component(prefix, v, f.Component, 0)
	x.at = slices.Clone(x.steps)
	x.parts(f.Component)
	x.before(prefix, v, f.Component)
	x.want = wantOf(f, message)
	x.follow()
	return x
}

// line puts what stands on a line on the trail.
func (x *fault) line(file string, line, far int) {
	for _, c := range x.scripts {
		if c.path != file {
			continue
		}
		stmt := c.statement(line)
		for _, e := range heads(stmt) {
			x.add(c, e, far)
		}
	}
}

// component puts the line that made a component on the trail.
func (x *fault) component(prefix string, v *verdict, id string, far int) {
	i := slices.IndexFunc(v.source.Graph.Components, func(c graph.Component) bool { return c.ID == id })
	if i >= 0 && i < len(v.source.Lines) && v.source.Lines[i].Line > 0 {
		x.line(prefix+v.source.Lines[i].File, v.source.Lines[i].Line, far)
	}
}

// parts puts the calls and the constructors of the modules that a component lies in on the trail, the innermost first: where a helper class says what does
// not fit, the number that is wrong stands where the helper is made or called.
func (x *fault) parts(component string) {
	names := strings.Split(component, ".")
	for i := len(names) - 1; i >= 0; i-- {
		name, _, _ := strings.Cut(names[i], "#")
		if _, err := strconv.Atoi(name); err == nil || name == "" || name == "forward" || name == "__init__" {
			continue
		}
		for _, v := range x.calls[name] {
			if a, ok := v.node.Fn.(*python.Attr); ok && lastNameOf(a.X) == "self" {
				x.add(v.script, v.node, 1)
			}
		}
		for _, v := range x.attrs[name] {
			x.add(v.script, v.node, 1)
		}
	}
}

// before puts the components that a component reads on the trail, the nearest first.
func (x *fault) before(prefix string, v *verdict, id string) {
	seen, now := map[string]bool{id: true}, []string{id}
	for far, n := 1, 0; len(now) > 0 && n < upstream; far++ {
		var next []string
		for _, c := range v.source.Graph.Connections {
			if slices.Contains(now, c.To) && !seen[c.From] {
				seen[c.From] = true
				next = append(next, c.From)
				x.component(prefix, v, c.From, min(far, 4))
				n++
			}
		}
		now = next
	}
}

var number = regexp.MustCompile(`(^|[^\w.#])(\d{1,12})\b`)

// numbersOf lists the whole numbers of a message, each once.
func numbersOf(message string) []int64 {
	var out []int64
	for _, m := range number.FindAllStringSubmatch(message, -1) {
		if n, err := strconv.ParseInt(m[2], 10, 64); err == nil && !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	return out
}

// integer is a whole number as it is written, with the sign before it.
func integer(c *script, node any) (int64, bool) {
	switch n := node.(type) {
	case *python.Const:
		v, ok := n.Value.(int64)
		if u, signed := c.parent[node].(*python.Unary); ok && signed && u.Op == "-" {
			return 0, false // the sign belongs to it
		}
		return v, ok
	case *python.Unary:
		if k, ok := n.X.(*python.Const); ok && n.Op == "-" {
			v, whole := k.Value.(int64)
			return -v, whole
		}
	}
	return 0, false
}

// said reports whether the message has a word.
func (x *fault) said(word string) bool { return strings.Contains(x.message, word) }
