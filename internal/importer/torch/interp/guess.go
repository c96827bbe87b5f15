package interp

import (
	"slices"
	"strconv"
	"strings"

	"github.com/modelverifier/verifier/internal/importer/torch/python"
)

// setAside takes what a statement of a module defines on a guess for guessed, so that the rest of the program stays certain.
func (in *Interp) setAside(m *Module, s python.Stmt) {
	for _, n := range defines(s) {
		switch v := m.Attrs[n].(type) {
		case string: // the name of a device
			m.Attrs[n] = Symbol{v}
		case bool:
			m.Attrs[n] = Assumed{v, in.guess}
		default:
			if m.guessed == nil {
				m.guessed = map[string]string{}
			}
			m.guessed[n] = in.guess
		}
	}
}

// changes reports whether a statement sets an attribute or an item of something.
func changes(s python.Stmt) bool {
	changed := false
	python.Each(s, func(node any) {
		switch x := node.(type) {
		case *python.Assign:
			for _, t := range x.Targets {
				changed = changed || !isName(t)
			}
		case *python.Name:
			changed = changed || x.ID == "setattr" || x.ID == "exec"
		}
	})
	return changed
}

func isName(e python.Expr) bool {
	switch x := e.(type) {
	case *python.Name:
		return true
	case *python.Sequence:
		for _, item := range x.Items {
			if !isName(item) {
				return false
			}
		}
		return true
	}
	return false
}

// doubtful marks what a decorator that is not known may have changed.
func doubtful(v Value, why string) {
	switch x := v.(type) {
	case *Func:
		x.guess = why
	case *Class:
		if !shared[x] {
			x.guess = why
		}
	}
}

// local says which names of a module differ from machine to machine.
func local(m *Module, names ...string) *Module {
	m.Local = map[string]bool{}
	for _, n := range names {
		m.Local[n] = true
	}
	return m
}

// named takes note of a comparison with what only the name is known of, or with what differs from machine to machine.
func (in *Interp) named(v Value) Value {
	switch x := v.(type) {
	case Assumed:
		in.Guess("%s", x.Why)
		return x.Value
	case Symbol:
		in.Guess("a comparison depends on %s, of which only the name is known", x.Name)
	}
	return v
}

// weigh takes note of a comparison with the size of a batch that the program is read for.
func (in *Interp) weigh(v Value) {
	n, ok := v.(int64)
	if !ok || in.Wary == 0 || n <= 1 {
		return
	}
	for _, parts := range []int64{1, 2, 3, 4, 8, 16} {
		if part := in.Wary / parts; n%part <= 1 || n%part == part-1 {
			in.Guess("a comparison depends on the size of the batch")
		}
	}
}

// believe takes note of an attribute that a value is taken not to have, though it may.
func (in *Interp) believe(v Value, name string, found bool) {
	if !found && !lacks(v, name) {
		in.Guess("whether a %s has the attribute %s is not known", TypeName(v), name)
	}
}

// maybe evaluates an expression that Python may not come to.
func (in *Interp) maybe(e *env, x python.Expr) Value {
	in.doubt++
	v := in.eval(e, x)
	in.doubt--
	return v
}

// cond is a choice. Of one between two texts that was made on a guess, such as the name of a device, only the name is kept: what is
// decided by it is guessed, and the rest of the program is not.
func (in *Interp) cond(e *env, x *python.Cond) Value {
	before := in.guess
	chosen := x.Else
	if in.Truth(in.eval(e, x.Test)) {
		chosen = x.Then
	}
	v := in.eval(e, chosen)
	if s, text := v.(string); text && in.guess != before {
		in.guess = before
		return Symbol{s}
	}
	return v
}

// guarded runs a block in which an exception may be caught, where that is so.
func (in *Interp) guarded(e *env, body []python.Stmt, may bool) (f flow, v Value) {
	if !may {
		return in.exec(e, body)
	}
	saved := in.frame
	saved.guarded++
	err := in.Protect(func() { f, v = in.exec(e, body) })
	saved.guarded--
	if r, ok := err.(*Raised); ok {
		r.Certain = false
		panic(r)
	} else if err != nil {
		panic(err)
	}
	return f, v
}

// catchesAll reports whether a handler takes every exception.
func catchesAll(h *python.Handler) bool {
	n, ok := h.Type.(*python.Name)
	return h.Type == nil || ok && (n.ID == "Exception" || n.ID == "BaseException")
}

// python3Names are built-in names that are not followed: they are there.
const python3Names = " BaseExceptionGroup BlockingIOError BrokenPipeError BufferError BytesWarning ChildProcessError ConnectionAbortedError " +
	"ConnectionError ConnectionRefusedError ConnectionResetError EOFError EncodingWarning ExceptionGroup FileExistsError FloatingPointError " +
	"GeneratorExit IOError ImportWarning IndentationError InterruptedError IsADirectoryError MemoryError NotADirectoryError " +
	"PendingDeprecationWarning PermissionError ProcessLookupError PythonFinalizationError ReferenceError ResourceWarning StopAsyncIteration " +
	"SyntaxError SyntaxWarning SystemError SystemExit TabError TimeoutError UnboundLocalError UnicodeDecodeError UnicodeEncodeError UnicodeError " +
	"UnicodeTranslateError UnicodeWarning aiter anext ascii breakpoint compile copyright credits dir exit help hex license oct quit super "

// undefined is a name that nothing defines. It is an exception unless something that is not known may define it.
func (in *Interp) undefined(e *env, name string) {
	switch {
	case strings.Contains(python3Names, " "+name+" "):
		in.Fault("%s is not followed", name)
	case strings.HasPrefix(name, "__") || e.module == nil || e.module.open:
		in.Doubt("NameError", "name '%s' is not defined", name)
	}
	in.Raise("NameError", "name '%s' is not defined", name)
}

// noKey raises KeyError. Where a key of the dictionary or a part of this one is not known, it may be there all the same.
func (in *Interp) noKey(d *Dict, index Value) {
	for ; d.plain < len(d.keys) && plainKey(d.keys[d.plain]); d.plain++ {
		in.step()
	}
	if d.plain < len(d.keys) || !plainKey(index) {
		in.Doubt("KeyError", "%s", Repr(index))
	}
	in.weigh(index)
	in.Raise("KeyError", "%s", Repr(index))
}

// plainKey reports whether a key can be shown, and is equal to no other than it seems.
func plainKey(k Value) bool {
	_, plain := shown(k)
	return plain && settledKey(k)
}

// settledKey reports whether it is known to which keys one is equal. Of a size of the batch it is not.
func settledKey(v Value) bool {
	t, ok := v.(*Tuple)
	return settled(v) && (!ok || !slices.ContainsFunc(t.Items, func(item Value) bool { return !settledKey(item) }))
}

// noAttr raises AttributeError: a certain one where it is known that there is no such attribute.
func (in *Interp) noAttr(v Value, name string) {
	what := "'" + TypeName(v) + "' object"
	if m, ok := v.(*Module); ok {
		what = "module '" + m.Name + "'"
	}
	if lacks(v, name) {
		in.Raise("AttributeError", "%s has no attribute '%s'", what, name)
	}
	if c, ok := v.(*Class); ok && c.Line == 0 { // a class of a package, which may have more than is known here
		in.Fault("%s of %s is not followed", name, c.Name)
	}
	in.Doubt("AttributeError", "%s has no attribute '%s'", what, name)
}

// unpackable raises for a value that has another number of items than there are names. How many a generator gives is found out by
// running it to its end, which Python does not.
func (in *Interp) unpackable(v Value, format string, args ...any) {
	if _, lazy := v.(*Iterator); lazy {
		in.Doubt("ValueError", format, args...)
	}
	in.Raise("ValueError", format, args...)
}

func valuesOf(items []Value) string {
	s := plural(len(items), "value")
	if text, ok := shown(&Tuple{Items: items}); ok {
		s += " " + text
	}
	return s
}

// compared says what an assertion found: the two sides of a comparison, where they can be shown.
func (in *Interp) compared(e *env, test python.Expr) string {
	said := "the assertion does not hold"
	c, ok := test.(*python.Compare)
	if !ok || len(c.Ops) != 1 {
		return said
	}
	_ = in.Protect(func() { // it was evaluated before: nothing new is said where it cannot be again
		l, lOK := shown(in.eval(e, c.L))
		r, rOK := shown(in.eval(e, c.Rights[0]))
		if lOK && rOK {
			said = l + " " + c.Ops[0] + " " + r + " does not hold"
		}
	})
	return said
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}
