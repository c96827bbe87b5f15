package torch

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/modelverifier/verifier/internal/importer/torch/interp"
)

// signaturesText is what the functions and methods of PyTorch 1.13 and 2.15 take, as testdata/signatures.py prints it, which also says
// what a line means. A call that fits none of the signatures of a function is a TypeError in PyTorch.
//
//go:embed signatures.txt
var signaturesText string

// accepted is one signature of a function of PyTorch.
type accepted struct {
	params  []acceptedParam
	many    *acceptedParam // *args
	open    bool           // **kwargs
	builtin bool           // its arguments are parsed by PyTorch, which looks at kinds and knows the names of NumPy
}

type acceptedParam struct {
	name, kinds      string
	optional, byName bool
}

// signatures by the name of the function, such as torch.cat, tensor.view or torch.nn.Linear.__init__.
var signatures = sync.OnceValue(func() map[string][]*accepted {
	out := map[string][]*accepted{}
	for line := range strings.Lines(signaturesText) {
		head, names, _ := strings.Cut(strings.TrimSpace(line), "): ")
		s := parseAccepted(head)
		for n := range strings.FieldsSeq(names) {
			out[n] = append(out[n], s)
		}
	}
	return out
})

func parseAccepted(text string) *accepted {
	s := &accepted{builtin: text[0] == 'b'}
	byName := false
	for _, p := range strings.FieldsFunc(text[len("b ("):], func(c rune) bool { return c == ',' }) {
		at := strings.IndexAny(p, ":=")
		switch {
		case p == "**":
			s.open = true
		case p == "*":
			byName = true
		case p[0] == '*':
			byName = true
			s.many = &acceptedParam{name: p[1:at], kinds: p[at+1:]}
		default:
			s.params = append(s.params, acceptedParam{p[:at], p[at+1:], p[at] == '=', byName})
		}
	}
	return s
}

// fromNumPy are the names that built-in functions take for their own.
var fromNumPy = map[string]string{"axis": "dim", "keepdims": "keepdim", "x": "input", "a": "input", "x1": "input", "x2": "other"}

// misfit is why a signature does not take a call. The farther a signature got, the more its reason says.
type misfit struct {
	far  int
	says string
}

// refuses returns why a signature does not take the arguments, nil where it may.
func (s *accepted) refuses(fn string, a *interp.Args) *misfit {
	given := make([]bool, len(s.params))
	place := 0
	for i, v := range a.Pos {
		for place < len(s.params) && s.params[place].byName {
			place = len(s.params)
		}
		switch {
		case place < len(s.params):
			if bad := s.params[place].refuses(fn, v, i+1); bad != nil && s.builtin {
				return bad
			}
			given[place] = true
			place++
		case s.many == nil:
			return &misfit{1, fmt.Sprintf("%s() takes %d positional arguments but %d were given", fn, place, len(a.Pos))}
		case i == place && argumentKind(v) != 'I': // a PyTorch looks at the first of them, which may be a sequence
			if bad := s.many.refuses(fn, v, i+1); bad != nil && s.builtin {
				return bad
			}
		}
	}
	if bad := s.keywords(fn, a, given); bad != nil {
		return bad
	}
	if s.builtin && s.many != nil && s.many.kinds != "" && len(a.Pos)+len(a.Kw) == 0 {
		return &misfit{2, fmt.Sprintf("%s() missing 1 required argument: '%s'", fn, s.many.name)}
	}
	for i, p := range s.params {
		if !given[i] && !p.optional {
			return &misfit{2, fmt.Sprintf("%s() missing 1 required argument: '%s'", fn, p.name)}
		}
	}
	return nil
}

// takes reports whether a signature has a keyword.
func (s *accepted) takes(keyword string) bool {
	return s.open || s.many != nil && s.many.name == keyword ||
		slices.ContainsFunc(s.params, func(p acceptedParam) bool { return p.name == keyword || s.builtin && p.name == fromNumPy[keyword] })
}

// keywords are the arguments that are given by name.
func (s *accepted) keywords(fn string, a *interp.Args, given []bool) *misfit {
	for _, kw := range a.Kw {
		i := slices.IndexFunc(s.params, func(p acceptedParam) bool { return p.name == kw.Name })
		if other := fromNumPy[kw.Name]; i < 0 && s.builtin && other != "" {
			i = slices.IndexFunc(s.params, func(p acceptedParam) bool { return p.name == other })
		}
		switch {
		case i < 0 && s.open, i < 0 && s.builtin && s.many != nil && s.many.name == kw.Name:
		case i < 0:
			return &misfit{0, fmt.Sprintf("%s() got an unexpected keyword argument '%s'", fn, kw.Name)}
		case given[i]:
			return &misfit{2, fmt.Sprintf("%s() got multiple values for argument '%s'", fn, kw.Name)}
		default:
			given[i] = true
			if bad := s.params[i].refuses(fn, kw.Value, 0); bad != nil && s.builtin {
				return bad
			}
		}
	}
	return nil
}

// kindNames are the kinds as messages name them, in the order of those that are said first.
var kindNames = []struct {
	kind byte
	name string
}{{'T', "Tensor"}, {'L', "tuple of Tensors"}, {'i', "int"}, {'I', "tuple of ints"}, {'f', "float"}, {'b', "bool"}, {'s', "str"}, {'n', "None"}}

// refuses returns why a parameter does not take a value, nil where it may.
func (p *acceptedParam) refuses(fn string, v interp.Value, place int) *misfit {
	kind := argumentKind(v)
	if p.kinds == "" || kind == 0 || strings.ContainsAny(p.kinds, alsoFor[kind]) {
		return nil
	}
	var want []string
	is := ""
	for _, k := range kindNames {
		if strings.IndexByte(p.kinds, k.kind) >= 0 && k.kind != 'n' {
			want = append(want, k.name)
		}
		if k.kind == kind || k.kind == 'T' && kind == 't' {
			is = k.name
		}
	}
	at := ""
	if place > 0 {
		at = fmt.Sprintf(" (position %d)", place)
	}
	return &misfit{3, fmt.Sprintf("%s(): argument '%s'%s must be %s, not %s", fn, p.name, at, strings.Join(want, " or "), is)}
}

// alsoFor are the kinds of parameters that take a kind of values: a tensor without axes (t) is a number, a bool an int, and an int a float.
var alsoFor = map[byte]string{'T': "T", 't': "TifbI", 'L': "L", 'i': "if", 'I': "I", 'f': "f", 'b': "bif", 's': "s", 'n': "n"}

// argumentKind is the kind of a value, 0 where it is not certain.
func argumentKind(v interp.Value) byte {
	switch x := v.(type) {
	case nil:
		return 'n'
	case bool:
		return 'b'
	case int64, sym:
		return 'i'
	case float64:
		return 'f'
	case string:
		return 's'
	case *Tensor:
		if x.rank() == 0 {
			return 't'
		}
		return 'T'
	case *interp.List:
		return sequenceKind(x.Items)
	case *interp.Tuple:
		if x.Class == nil {
			return sequenceKind(x.Items)
		}
	}
	return 0
}

// sequenceKind is that of a sequence of tensors or ints. One of sequences has none, however deep they lie in each other.
func sequenceKind(items []interp.Value) byte {
	if len(items) == 0 || isSequence(items[0]) {
		return 0
	}
	first := argumentKind(items[0])
	kind := map[byte]byte{'T': 'L', 'i': 'I'}[first] // tensors without axes are ints, too
	if kind == 0 {
		return 0
	}
	for _, v := range items[1:] {
		if isSequence(v) || argumentKind(v) != first {
			return 0
		}
	}
	return kind
}

// refused returns what PyTorch says to a call of a function that none of its signatures takes, "" where one may.
func refused(name string, a *interp.Args) string {
	var why *misfit
	fn := shortName(name)
	for _, s := range signatures()[name] {
		m := s.refuses(fn, a)
		if m == nil {
			return ""
		}
		if why == nil || m.far > why.far {
			why = m
		}
	}
	if why == nil {
		return ""
	}
	for _, kw := range a.Kw { // that no signature has a keyword says more than what the nearest of them lacks
		if !slices.ContainsFunc(signatures()[name], func(s *accepted) bool { return s.takes(kw.Name) }) {
			return fmt.Sprintf("%s() got an unexpected keyword argument '%s'", fn, kw.Name)
		}
	}
	return why.says
}

// shortName is conv2d of torch.nn.functional.conv2d, and Linear.forward of torch.nn.Linear.forward.
func shortName(name string) string {
	parts := strings.Split(name, ".")
	if n := len(parts); n > 2 && parts[n-2][0] >= 'A' && parts[n-2][0] <= 'Z' {
		return parts[n-2] + "." + parts[n-1]
	}
	return parts[len(parts)-1]
}

// checked gives a native function the signatures of the real one: what none of them takes certainly raises.
func checked(name string, f *interp.Builtin) *interp.Builtin {
	if signatures()[name] == nil {
		return f
	}
	f.Check = func(in *interp.Interp, a *interp.Args) {
		if f.Method {
			a = rest(a)
		}
		known := signatures()[name]
		for _, v := range a.Pos {
			switch x := v.(type) {
			case *interp.List:
				in.Work(len(x.Items) * len(known))
			case *interp.Tuple:
				in.Work(len(x.Items) * len(known))
			}
		}
		if why := refused(name, a); why != "" {
			in.Raise("TypeError", "%s", why)
		}
	}
	return f
}

// checkAll gives the functions of a native module, and the constructors and calls of its classes, their signatures.
func checkAll(m *interp.Module) {
	for name, v := range m.Attrs {
		switch f := v.(type) {
		case *interp.Builtin:
			own := *f // torch.cat and torch.concat are one function with two names
			m.Attrs[name] = checked(m.Name+"."+name, &own)
		case *interp.Class:
			for _, method := range []string{"__init__", "forward"} {
				if own, ok := f.Own(method); ok {
					if b, ok := own.(*interp.Builtin); ok {
						checked(m.Name+"."+f.Name+"."+method, b)
					}
				}
			}
		}
	}
	if inner := m.Lookup; inner != nil {
		m.Lookup = func(n string) (interp.Value, bool) {
			v, ok := inner(n)
			if b, is := v.(*interp.Builtin); is {
				checked(m.Name+"."+n, b)
			}
			return v, ok
		}
	}
}
