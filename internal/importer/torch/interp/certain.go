package interp

import (
	"strings"

	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/importer/torch/python"
)

// An exception is certain where Python raises it whatever is not known here: every condition on the way to it was decided by values
// that are known, and nothing around it may catch it. What rests on a guess is followed, for the graph's sake, and proves nothing.

// Assumed is a truth that depends on the machine, such as whether it has a GPU, with the answer that is taken for it.
type Assumed struct {
	Value bool
	Why   string
}

// Guess notes that what follows rests on something that was not found out, so that no exception behind it is certain.
func (in *Interp) Guess(format string, args ...any) {
	if in.guess == "" {
		in.guess = said(format, args...)
	}
}

// Certain reports whether what happens now certainly happens, and nothing that the program does would catch it if it were an exception.
func (in *Interp) Certain() bool {
	if in.guess != "" || in.doubt > 0 {
		return false
	}
	for f := in.frame; f != nil; f = f.up {
		if f.guarded > 0 {
			return false
		}
	}
	return true
}

// Doubt raises a built-in exception that Python may not raise: it depends on what is not known of a native value.
func (in *Interp) Doubt(class, format string, args ...any) {
	in.doubt++
	in.Raise(class, format, args...)
}

// raiseFor raises a certain exception if all of the values are ones whose behaviour is known to its end, else one in doubt.
func (in *Interp) raiseFor(values []Value, class, format string, args ...any) {
	for _, v := range values {
		if !settled(v) {
			in.Doubt(class, format, args...)
		}
	}
	in.Raise(class, format, args...)
}

// RaiseFor raises a certain exception about a value whose behaviour is known to its end, else one in doubt.
func (in *Interp) RaiseFor(v Value, class, format string, args ...any) {
	in.raiseFor([]Value{v}, class, format, args...)
}

// settled reports whether everything that Python can do with a value is known here.
func settled(v Value) bool {
	switch x := v.(type) {
	case nil, bool, int64, float64, string, *List, *Dict, *Set, *Func, *Range:
		return true
	case *Tuple:
		return x.Class == nil
	case *Bound:
		return settled(x.Fn)
	}
	return false
}

// operand stands for a value in arithmetic: a native one that knows its attributes also knows what it can be added to, and a module without the
// method of an operator can be added to nothing.
func operand(v Value, method string) Value {
	x, module := v.(*Instance)
	if _, native := v.(Lacking); native || module && lacksMethods(x, method) {
		return nil
	}
	return v
}

// Lacking values know which attributes they certainly do not have.
type Lacking interface{ Lacks(name string) bool }

// lacks reports whether a value certainly has no attribute of a name.
func lacks(v Value, name string) bool {
	if strings.HasPrefix(name, "__") && strings.HasSuffix(name, "__") {
		return false // of Python's own there are more than are known here
	}
	switch x := v.(type) {
	case nil, string, *Func:
		return true
	case *Instance:
		return x.Native == nil && x.Class.lacks(name)
	case *Class:
		return x.lacks(name)
	case *Module:
		return x.Lacks != nil && x.Lacks(name)
	case Lacking:
		return x.Lacks(name)
	}
	return false
}

// lacks reports whether neither a class nor its instances have an attribute unless the source sets it.
func (c *Class) lacks(name string) bool {
	for _, k := range c.mro {
		switch {
		case k.opaque != nil || k.guess != "":
			return false
		case k == objectClass || k.Line > 0 && k.Module != nil && !k.Module.ours(): // of the source
		case k.Lacks == nil || !k.Lacks(name):
			return false
		}
		for _, hook := range []string{"__getattribute__", "__slots__"} {
			if _, has := k.attrs[hook]; has {
				return false
			}
		}
	}
	return true
}

// ours reports whether a module is one that comes with this program.
func (m *Module) ours() bool { return strings.HasPrefix(m.File, "<") }

// here is the statement that is being run in the user's own files and the values of the names in it, for messages.
func (in *Interp) here() (place Place, text string, values []string) {
	for f := in.frame; f != nil; f = f.up {
		if f.file == "" || f.file[0] == '<' {
			continue
		}
		place = Place{f.file, f.line}
		if m := in.byFile[f.file]; m != nil {
			in.work(len(m.source))
			text = graph.Cut(python.Excerpt(m.source, f.line), maxSaid)
		}
		if f.stmt != nil && f.env != nil {
			values = in.values(f.env, f.stmt)
		}
		return place, text, values
	}
	return place, "", nil
}

// mostValues is how many values a message shows.
const mostValues = 6

// values are the names in a statement whose values a reader wants to see, as "h = 3".
func (in *Interp) values(e *env, s python.Stmt) []string {
	var out []string
	seen := map[string]bool{}
	for _, x := range kept(&in.seen.reads, s, func() []python.Expr { return python.Reads(s) }) {
		if len(out) == mostValues {
			break
		}
		in.step()
		name, v, ok := in.peek(e, x)
		if !ok || seen[name] {
			continue
		}
		seen[name] = true
		if shown, ok := shown(v); ok {
			out = append(out, name+" = "+shown)
		}
	}
	return out
}

// peek reads a name or an attribute without running anything of the program.
func (in *Interp) peek(e *env, x python.Expr) (string, Value, bool) {
	switch x := x.(type) {
	case *python.Name:
		for s := e; s != nil; s = s.up {
			if v, ok := s.vars[x.ID]; ok {
				return x.ID, v, true
			}
		}
	case *python.Attr:
		base, v, ok := in.peek(e, x.X)
		if o, isInstance := v.(*Instance); ok && isInstance {
			got, has := o.attrs[x.Name]
			return base + "." + x.Name, got, has
		}
	}
	return "", nil, false
}

// Shown values say in a few words what they are.
type Shown interface{ Show() string }

// shown writes a value for a message, where it says anything.
func shown(v Value) (string, bool) { return shownAt(v, 0) }

func shownAt(v Value, depth int) (string, bool) {
	switch x := v.(type) {
	case nil, bool, int64, float64, string:
		return clip(Repr(v)), true
	case *Tuple, *List:
		items, _ := items(x)
		if len(items) > 8 || depth > 2 {
			return "", false
		}
		parts := make([]string, len(items))
		for i, item := range items {
			s, ok := shownAt(item, depth+1)
			if !ok {
				return "", false
			}
			parts[i] = s
		}
		open, shut := "(", ")"
		if _, list := x.(*List); list {
			open, shut = "[", "]"
		}
		return open + strings.Join(parts, ", ") + shut, true
	case Shown:
		return x.Show(), true
	}
	return "", false
}

// Describe writes a value for a message.
func Describe(v Value) string {
	if s, ok := shown(v); ok {
		return s
	}
	return TypeName(v)
}
