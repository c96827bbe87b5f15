package action

import (
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/hardware"
)

// inner returns the members of an object inside an object.
func (f *Fields) inner(name string) *Fields {
	v := f.value(name)
	if v.Kind() == graph.Null || f.err != nil {
		return nil
	}
	if v.Kind() != graph.Object {
		f.wrongType(name, "an object", v)
		return nil
	}
	params, err := (&graph.BodyMember{Name: name, Raw: v.String()}).Fields(f.Path(name))
	f.fail(err)
	return &Fields{params: params, prefix: f.Path(name) + ".", err: f.err}
}

// Strings returns a list of at most so many strings that are not empty, nil where it was left out.
func (f *Fields) Strings(name string, most int) []string {
	v := f.value(name)
	if v.Kind() == graph.Null {
		return nil
	}
	if v.Kind() != graph.List {
		f.wrongType(name, "a list of strings", v)
		return nil
	}
	if n := len(v.List()); n > most {
		e := Errorf(CodeRange, f.Path(name), "has %d items but must have at most %d", n, most)
		e.Limit = int64(most)
		f.fail(e)
		return nil
	}
	out := make([]string, 0, len(v.List()))
	for i, item := range v.List() {
		if item.Kind() != graph.String {
			f.wrongType(Item(name, i), "a string", item)
			return nil
		}
		if item.Str() == "" {
			f.fail(Errorf(CodeForm, f.Path(Item(name, i)), "must not be empty"))
		}
		out = append(out, item.Str())
	}
	return out
}

// Float returns a number, 0 where it was left out.
func (f *Fields) Float(name string) float64 {
	v := f.value(name)
	switch v.Kind() {
	case graph.Null:
	case graph.Int:
		return float64(v.Int())
	case graph.Float:
		return v.Float()
	default:
		f.wrongType(name, "a number", v)
	}
	return 0
}

// GPU returns the canonical name of a card, the empty string where it was left out.
func (f *Fields) GPU(name string) string {
	s := f.Str(name)
	if v := f.value(name); v.Kind() != graph.String {
		return ""
	}
	g := hardware.Lookup(s)
	if g == nil {
		f.fail(unknownValue(f.Path(name), s, hardware.Names()))
		return ""
	}
	return g.Name
}

// Items returns the members of each object of a list, nil where the list was left out. Their errors are handed over with Close.
func (f *Fields) Items(name string, most int) []*Fields {
	v := f.value(name)
	if v.Kind() == graph.Null || f.err != nil {
		return nil
	}
	if v.Kind() != graph.List {
		f.wrongType(name, "a list of objects", v)
		return nil
	}
	if n := len(v.List()); n > most {
		e := Errorf(graph.CodeValues, f.Path(name), "has %d items but must have at most %d", n, most)
		e.Limit = int64(most)
		f.fail(e)
		return nil
	}
	out := make([]*Fields, len(v.List()))
	for i, item := range v.List() {
		path := Item(f.Path(name), i)
		if item.Kind() != graph.Object {
			f.fail(Errorf(graph.CodeType, path, "must be an object, not %s", item.Kind()))
			return nil
		}
		params, err := (&graph.BodyMember{Name: name, Raw: item.String()}).Fields(path)
		f.fail(err)
		out[i] = &Fields{params: params, prefix: path + ".", err: f.err}
	}
	return out
}
