package policy

import (
	"slices"
	"strconv"
	"strings"

	"github.com/modelverifier/verifier/internal/graph"
)

// A model of a source is called with something, and its file often does not say with what:
//
//	models:
//	  "src/net.py:Net":
//	    input: [3x224x224]          # as --input; a list for several
//	    arg: {dim: 64, act: gelu}   # as --arg; or a list of name=value
const (
	inputFlag = "input"
	argFlag   = "arg"
)

// CallOf returns what the file says of the inputs and arguments of a model, by its path from the folder of the file. Of several patterns
// the most specific one that names a flag counts; a null or an empty list there takes back what a more general one says.
func (f *File) CallOf(model string) []Default {
	if f == nil {
		return nil
	}
	var out []Default
	for _, flag := range []string{argFlag, inputFlag} {
		var found *Default
		for i := range f.models {
			m := &f.models[i]
			if at := slices.IndexFunc(m.calls, func(d Default) bool { return d.Flag == flag }); at >= 0 && glob(m.pattern, model) {
				found = &m.calls[at]
			}
		}
		if found != nil && len(found.Values) > 0 {
			out = append(out, *found)
		}
	}
	return out
}

// Nearer puts what is said of a flag nearer to a model in the place of what is said further away, sorted by flag.
func Nearer(far, near []Default) []Default {
	out := slices.DeleteFunc(slices.Clone(far), func(d Default) bool {
		return slices.ContainsFunc(near, func(n Default) bool { return n.Flag == d.Flag })
	})
	out = append(out, near...)
	slices.SortFunc(out, func(a, b Default) int { return strings.Compare(a.Flag, b.Flag) })
	return out
}

// callOf takes what says how a model is called out of an entry, and leaves its policy lines.
func callOf(v item) (calls []Default, lines item, err *graph.Error) {
	lines = v
	lines.members = nil
	for _, m := range v.members {
		d := Default{Flag: m.name, at: m.item}
		switch m.name {
		case inputFlag:
			d.Values, err = values(m.item)
		case argFlag:
			d.Values, err = arguments(m.item)
		default:
			lines.members = append(lines.members, m)
			continue
		}
		if err != nil {
			return nil, v, err
		}
		calls = append(calls, d)
	}
	return calls, lines, nil
}

// values reads a value or a list of them as they stand in the file.
func values(v item) (out []string, err *graph.Error) {
	switch v.kind {
	case graph.Null:
		return nil, nil
	case graph.Object:
		return nil, v.wrong("a value, or a list of values")
	case graph.List:
		for _, e := range v.list {
			if e.kind == graph.Object || e.kind == graph.List || e.kind == graph.Null {
				return nil, e.wrong("a value")
			}
			out = append(out, e.raw)
		}
		return out, nil
	}
	return []string{v.raw}, nil
}

// arguments reads name=value, a list of it, or an object of names and values.
func arguments(v item) ([]string, *graph.Error) {
	if v.kind != graph.Object {
		out, err := values(v)
		for _, a := range out {
			if name, _, ok := strings.Cut(a, "="); !ok || name == "" {
				return nil, v.errorf(CodeValue, "%q is not name=value", clip(a))
			}
		}
		return out, err
	}
	var out []string
	for _, m := range v.members {
		text, err := literal(m.item)
		if err != nil {
			return nil, err
		}
		out = append(out, m.name+"="+text)
	}
	return out, nil
}

// literal writes a value as Python does. A text stands for itself, so that it can be any expression; in a list it is a string.
func literal(v item) (string, *graph.Error) {
	switch v.kind {
	case graph.Null:
		return "None", nil
	case graph.Bool:
		return map[bool]string{true: "True", false: "False"}[strings.EqualFold(v.text, "true") || strings.EqualFold(v.raw, "true")], nil
	case graph.Object:
		return "", v.wrong("a value, or a list of values")
	case graph.List:
		var parts []string
		for _, e := range v.list {
			if e.kind == graph.List || e.kind == graph.Object {
				return "", e.wrong("a value")
			}
			text, err := literal(e)
			if err != nil {
				return "", err
			}
			if e.kind == graph.String {
				text = strconv.Quote(text)
			}
			parts = append(parts, text)
		}
		return "[" + strings.Join(parts, ", ") + "]", nil
	}
	return v.raw, nil
}
