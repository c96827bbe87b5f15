package action

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/importer/neurarch"
	"github.com/modelverifier/verifier/internal/policy"
	"github.com/modelverifier/verifier/internal/quantity"
	"github.com/modelverifier/verifier/internal/spelling"
	"github.com/modelverifier/verifier/internal/transformers"
)

// The members that have graphs in them.
const (
	Model      = "model"
	Base       = "base"
	Candidates = "candidates"
)

// Read decodes the body of a request that has graphs in some members, and hands its members out. Others that it happens to
// have are ignored, as every unknown member is. An error is kept: it is the first that was found in the document, or else in
// the order in which the members are asked for.
func Read(data []byte, limits graph.Limits, graphs ...string) *Fields {
	return new(Room).Read(data, limits, graphs...)
}

// Read is the same in memory that was used before. What is read is good until the room is cleared.
func (r *Room) Read(data []byte, limits graph.Limits, graphs ...string) *Fields {
	body, err := r.graph.DecodeBody(data, limits, func(path string) bool {
		if strings.HasPrefix(path, Candidates+"[") && strings.HasSuffix(path, "]."+Model) {
			return slices.Contains(graphs, Candidates)
		}
		return path != Candidates && slices.Contains(graphs, path)
	})
	if err != nil {
		return &Fields{err: err}
	}
	return &Fields{members: body.Members}
}

// Fields are the members of a request, or of an object in it.
type Fields struct {
	members []graph.BodyMember // of a request
	params  []graph.Param      // of an object in it
	asked   []string           // names of params that were asked for: all that the object can have
	prefix  string
	notes   []string // what was translated in graphs of other tools
	err     error
}

// Notes are what was translated in a graph that is a file of another tool, in words; nil where none was.
func (f *Fields) Notes() []string { return f.notes }

// Err returns the first error.
func (f *Fields) Err() error { return f.err }

// Fail keeps an error, unless there is one already.
func (f *Fields) Fail(err error) {
	if f.err == nil {
		f.err = err
	}
}

func (f *Fields) fail(err *graph.Error) {
	if err != nil {
		f.Fail(err)
	}
}

// Path is the path of a member.
func (f *Fields) Path(name string) string { return f.prefix + name }

// value returns a member, null where it was left out.
func (f *Fields) value(name string) graph.Value {
	if f.members == nil && !slices.Contains(f.asked, name) {
		f.asked = append(f.asked, name)
	}
	for _, p := range f.params {
		if p.Name == name {
			return p.Value
		}
	}
	if m := graph.FindMember(f.members, name); m != nil && f.err == nil {
		if m.Graph != nil || m.Items != nil {
			f.fail(Errorf(graph.CodeType, f.Path(name), "must be a value"))
			return graph.Value{}
		}
		v, err := m.Value(f.Path(name))
		f.fail(err)
		return v
	}
	return graph.Value{}
}

// Raw returns the text of a member, and whether it was given.
func (f *Fields) Raw(name string) (string, bool) {
	m := graph.FindMember(f.members, name)
	if m == nil || m.Graph != nil || m.Items != nil {
		return "", false
	}
	return m.Raw, true
}

// Object returns the members of an object, or nil where it was left out. Its errors are those of f; see Close.
func (f *Fields) Object(name string) *Fields {
	if f.prefix != "" && f.members == nil {
		return f.inner(name)
	}
	m := graph.FindMember(f.members, name)
	if m == nil || f.err != nil {
		return nil
	}
	params, err := m.Fields(f.Path(name))
	f.fail(err)
	return &Fields{params: params, prefix: f.Path(name) + ".", err: f.err}
}

// Close ends the reading of an object and hands its error over to the request. A member that was not asked for is one: a question
// that is mistyped must not be answered as if it had not been put.
func (f *Fields) Close(object *Fields) {
	if object.err == nil {
		object.fail(object.unknown())
	}
	if object.err != nil {
		f.Fail(object.err)
	}
}

// unknown is the error of the first member that nothing asked for, or nil.
func (f *Fields) unknown() *graph.Error {
	for _, p := range f.params {
		if slices.Contains(f.asked, p.Name) {
			continue
		}
		of := strings.TrimSuffix(f.prefix, ".")
		meant := ""
		if near := cmp.Or(spelling.Nearest(p.Name, f.asked), spelling.Part(p.Name, f.asked)); near != "" {
			meant = "did you mean " + near + "? "
		}
		e := Errorf(policy.CodeKey, graph.MemberPath(of, p.Name), "is no key of %s: %sallowed are %s", of, meant, quantity.Own(strings.Join(f.asked, ", ")))
		e.Allowed = f.asked
		return e
	}
	return nil
}

// wrongType is the error where a value of another kind stands.
func (f *Fields) wrongType(name, expected string, v graph.Value) {
	f.fail(Errorf(graph.CodeType, f.Path(name), "must be %s, not %s", expected, v.Kind()))
}

// Int returns a whole number from least on, and whether it was given. A number that is written 128.0 is one too.
func (f *Fields) Int(name string, least int64) (int64, bool) {
	v := f.value(name)
	n := v.Int()
	switch v.Kind() {
	case graph.Null:
		return 0, false
	case graph.Int:
	case graph.Float:
		if x := v.Float(); x == math.Trunc(x) && math.Abs(x) < 1<<53 {
			n = int64(x)
			break
		}
		fallthrough
	default:
		f.wrongType(name, "an integer", v)
		return 0, false
	}
	if n < least {
		f.fail(Errorf(CodeRange, f.Path(name), "is %d but must be at least %d", n, least))
		return 0, false
	}
	return n, true
}

// Ints returns whole numbers from least on, of a list or of a single number, nil where there are none.
func (f *Fields) Ints(name string, least int64) []int64 {
	v := f.value(name)
	list := v.List()
	switch v.Kind() {
	case graph.Null:
		return nil
	case graph.List:
	default:
		if n, given := f.Int(name, least); given {
			return []int64{n}
		}
		return nil
	}
	out := make([]int64, len(list))
	for i, item := range list {
		path := Item(f.Path(name), i)
		switch {
		case item.Kind() != graph.Int:
			f.fail(Errorf(graph.CodeType, path, "must be an integer, not %s", item.Kind()))
		case item.Int() < least:
			f.fail(Errorf(CodeRange, path, "is %d but must be at least %d", item.Int(), least))
		}
		out[i] = item.Int()
	}
	return out
}

// Given reports whether a member is there and not null.
func (f *Fields) Given(name string) bool { return f.value(name).Kind() != graph.Null }

// Str returns a string, the empty one where it was left out.
func (f *Fields) Str(name string) string {
	v := f.value(name)
	if v.Kind() != graph.Null && v.Kind() != graph.String {
		f.wrongType(name, "a string", v)
	}
	return v.Str()
}

// Enum returns one of the words allowed, the empty string where it was left out.
func (f *Fields) Enum(name string, allowed ...string) string {
	s := f.Str(name)
	if v := f.value(name); v.Kind() == graph.String && !slices.Contains(allowed, s) {
		f.fail(unknownValue(f.Path(name), s, allowed))
	}
	return s
}

// Bool returns a boolean, false where it was left out.
func (f *Fields) Bool(name string) bool {
	v := f.value(name)
	if v.Kind() != graph.Null && v.Kind() != graph.Bool {
		f.wrongType(name, "a boolean", v)
	}
	return v.Bool()
}

// Graph returns a model, nil where it was left out.
func (f *Fields) Graph(name string) *graph.Graph {
	m := graph.FindMember(f.members, name)
	if m == nil || f.err != nil {
		return nil
	}
	f.fail(CheckModel(m.Graph, f.Path(name)))
	if f.err != nil {
		return m.Graph
	}
	g, notes := Translate(m.Graph)
	for _, n := range notes {
		if name != Model {
			n = name + ": " + n
		}
		f.notes = append(f.notes, n)
	}
	return g
}

// Translate reads a graph that is a file of another tool, told by what is in it, as one of ours, and says what it translated. Any other graph comes back
// as it is.
func Translate(g *graph.Graph) (*graph.Graph, []string) {
	if !neurarch.Marked(g) {
		return g, nil
	}
	m := neurarch.Import(g)
	return m.Graph, m.Notes
}

// Model returns the model of a request, which cannot be left out.
func (f *Fields) Model() *graph.Graph {
	g := f.Graph(Model)
	if g == nil {
		f.fail(Errorf(graph.CodeMissing, f.Path(Model), "must be an object with a list named components"))
	}
	return g
}

// Candidates returns the members of each candidate.
func (f *Fields) Candidates() []*Fields {
	m := graph.FindMember(f.members, Candidates)
	switch {
	case f.err != nil:
		return nil
	case m == nil || m.Items != nil && len(m.Items) == 0:
		f.fail(Errorf(graph.CodeMissing, Candidates, "must be a list of objects with a model each"))
		return nil
	case m.Items == nil:
		v, err := m.Value(Candidates)
		f.fail(err)
		f.wrongType(Candidates, "a list", v)
		return nil
	}
	out := make([]*Fields, len(m.Items))
	for i, members := range m.Items {
		out[i] = &Fields{members: members, prefix: Item(Candidates, i) + "."}
	}
	return out
}

// CheckModel refuses what no model can say: an input whose shape has a size below 1, since no tensor has such a shape, and a
// module that is not registered, since it would choose the estimate.
func CheckModel(g *graph.Graph, path string) *graph.Error {
	if err := checkShapes(g, path); err != nil {
		return err
	}
	p := transformers.Check(g)
	if p == nil {
		return nil
	}
	err := Errorf(CodeValue, Item(path+".components", p.Component)+"."+p.Member, "%s", p.Text)
	err.Allowed = p.Allowed
	return err
}

func checkShapes(g *graph.Graph, path string) *graph.Error {
	for i := range g.Components {
		c := &g.Components[i]
		for _, p := range c.Params {
			for k, size := range p.Value.List() {
				if size.Kind() == graph.Int && size.Int() < 1 && isShape(c, p.Name) {
					at := Item(Item(path+".components", i)+".params."+p.Name, k)
					return Errorf(CodeShape, at, "is %d but every size must be at least 1", size.Int())
				}
			}
		}
	}
	return nil
}

// isShape reports whether a parameter, however it is spelled, is the shape of an input.
func isShape(c *graph.Component, name string) bool {
	return catalog.Vocabulary.Type(c.Type) == "input" && catalog.Vocabulary.Params("input").Canonical(name) == "shape"
}
