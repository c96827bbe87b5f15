package catalog

import (
	"strconv"
	"strings"

	"github.com/modelverifier/verifier/internal/graph"
)

// Expression is the PyTorch expression of a component with resolved arguments, one for each parameter: a callable over the
// component's inputs. It may need the type's Module.
func (t *Type) Expression(args []graph.Value) string {
	var b strings.Builder
	rest, _ := t.written(args)
	for {
		before, after, found := strings.Cut(rest, "{{")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		name, tail, _ := strings.Cut(after, "}}")
		for i := range t.Params {
			if t.Params[i].Name == name {
				b.WriteString(python(args[i]))
			}
		}
		rest = tail
	}
}

// Classes is the source of the classes that the expression of a component needs, empty where torch.nn has them.
func (t *Type) Classes(args []graph.Value) string {
	_, module := t.written(args)
	return module
}

// written is how a component is: as all of its type, or as those that give a parameter.
func (t *Type) written(args []graph.Value) (expression, module string) {
	if g := t.Given; g != nil {
		for i := range t.Params {
			if t.Params[i].Name == g.Param && i < len(args) && args[i].Kind() != graph.Null {
				return g.Torch, g.Module
			}
		}
	}
	return t.Torch, t.Module
}

// python writes a value as a Python literal; a list becomes a tuple.
func python(v graph.Value) string {
	switch v.Kind() {
	case graph.Null:
		return "None"
	case graph.Bool:
		if v.Bool() {
			return "True"
		}
		return "False"
	case graph.String:
		return strconv.QuoteToASCII(v.Str())
	case graph.List:
		parts := make([]string, len(v.List()))
		for i, x := range v.List() {
			parts[i] = python(x)
		}
		if len(parts) == 1 {
			return "(" + parts[0] + ",)"
		}
		return "(" + strings.Join(parts, ", ") + ")"
	}
	return v.String()
}
