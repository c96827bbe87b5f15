package interp

import (
	"strings"

	"github.com/modelverifier/verifier/internal/importer/torch/python"
)

func (in *Interp) forLoop(e *env, s *python.For) (flow, Value) {
	iter := in.eval(e, s.Iter)
	in.frame.line = s.Line()
	if r, ok := iter.(*Range); ok { // a long range must not become a list
		for i := range r.Len() {
			in.step()
			in.assign(e, s.Target, r.Start+i*r.Step)
			if f, v := in.exec(e, s.Body); f == broke {
				return onward, nil
			} else if f == returned {
				return f, v
			}
		}
		return in.exec(e, s.Else)
	}
	for _, item := range in.Iterate(iter) {
		in.step()
		in.assign(e, s.Target, item)
		if f, v := in.exec(e, s.Body); f == broke {
			return onward, nil
		} else if f == returned {
			return f, v
		}
	}
	return in.exec(e, s.Else)
}

func (in *Interp) whileLoop(e *env, s *python.While) (flow, Value) {
	for in.Truth(in.eval(e, s.Test)) {
		in.step()
		if f, v := in.exec(e, s.Body); f == broke {
			return onward, nil
		} else if f == returned {
			return f, v
		}
		in.frame.line = s.Line()
	}
	return in.exec(e, s.Else)
}

// with runs a block under contexts. Contexts of PyTorch (no_grad, autocast) and unknown ones change nothing that matters here.
func (in *Interp) with(e *env, s *python.With) (flow, Value) {
	var exits []Value
	harmless := true
	for _, item := range s.Items {
		v := in.eval(e, item.Context)
		entered := v
		symbol, named := v.(Symbol)
		harmless = harmless && named && strings.HasPrefix(symbol.Name, "torch.")
		if x, ok := v.(*Instance); ok {
			if m, ok := in.method(x, "__enter__"); ok {
				entered = in.Call(m, &Args{})
			}
			if m, ok := in.method(x, "__exit__"); ok {
				exits = append(exits, m)
			}
		}
		if item.Target != nil {
			in.assign(e, item.Target, entered)
		}
	}
	f, v := in.guarded(e, s.Body, !harmless)
	for i := len(exits) - 1; i >= 0; i-- {
		in.Call(exits[i], &Args{Pos: []Value{nil, nil, nil}})
	}
	return f, v
}

// try runs a block and, where it raises, the handler that fits. What cannot be followed is not an exception: no handler sees it.
func (in *Interp) try(e *env, s *python.Try) (f flow, v Value) {
	var raised *Raised
	saved := in.frame
	imports := kept(&in.seen.tries, s, func() bool { return catchesImports(s) })
	if imports {
		saved.trying++
	}
	if len(s.Handlers) > 0 {
		saved.guarded++
	}
	err := in.Protect(func() { f, v = in.exec(e, s.Body) })
	if imports {
		saved.trying--
	}
	if len(s.Handlers) > 0 {
		saved.guarded--
	}
	switch r := err.(type) {
	case *Fault:
		panic(r)
	case *Raised:
		raised = r
	}
	in.frame = saved
	if raised == nil {
		if f == onward {
			f, v = in.exec(e, s.Else)
		}
	} else if h := in.handler(e, s, raised); h != nil {
		if h.Name != "" {
			in.bindName(e, h.Name, raised.Exc)
		}
		outer := in.frame.handling
		in.frame.handling = raised
		f, v = in.exec(e, h.Body)
		in.frame.handling = outer
		raised = nil
	}
	if g, w := in.exec(e, s.Finally); g != onward {
		return g, w
	}
	if raised != nil {
		panic(raised)
	}
	return f, v
}

func (in *Interp) handler(e *env, s *python.Try, r *Raised) *python.Handler {
	for i := range s.Handlers {
		h := &s.Handlers[i]
		if h.Type == nil || in.catches(in.eval(e, h.Type), r) {
			if !r.Certain || !r.written && !catchesAll(h) {
				in.Guess("an exception is caught that PyTorch may not raise: %s", r.Error())
			}
			return h
		}
	}
	// Which class PyTorch's own exceptions have is not known well enough to say that no handler takes them.
	r.Certain = r.Certain && (r.written || len(s.Handlers) == 0)
	return nil
}

func (in *Interp) catches(t Value, r *Raised) bool {
	in.step()
	in.nest("a tuple of exceptions")
	defer in.unnest()
	switch c := t.(type) {
	case *Class:
		return r.Exc.Class.Is(c)
	case *Tuple:
		for _, item := range c.Items {
			if in.catches(item, r) {
				return true
			}
		}
	default:
		r.Certain = false
	}
	return false
}

func (in *Interp) raise(e *env, s *python.Raise) {
	if s.X == nil {
		for f := in.frame; f != nil; f = f.up {
			if f.handling != nil {
				panic(f.handling)
			}
		}
		in.Raise("RuntimeError", "No active exception to reraise")
	}
	var v Value
	err := in.Protect(func() {
		v = in.eval(e, s.X)
		if c, ok := v.(*Class); ok {
			v = in.Call(c, &Args{})
		}
	})
	if r, ok := err.(*Raised); ok {
		panic(r)
	}
	in.frame.line = s.Line()
	x, known := v.(*Instance)
	if !known { // whatever it is that is not known, the statement raises something
		x = NewInstance(in.builtins["Exception"].(*Class))
		x.Set("args", NewTuple())
	}
	r := in.raised(x)
	r.written = known
	panic(r)
}

// Unchecked is the note about an assertion over values that are not known, such as the size of the batch.
const Unchecked = "an assertion depends on what is not known here, and is taken to hold"

// assert follows an assertion as Python does. One over values that are not known is believed.
func (in *Interp) assert(e *env, s *python.Assert) {
	held := true
	err := in.Protect(func() { held = in.Truth(in.eval(e, s.Test)) })
	if r, ok := err.(*Raised); ok {
		panic(r)
	}
	if err != nil {
		in.frame.line = s.Line()
		in.Note("%s", Unchecked)
		return
	}
	if held {
		return
	}
	message := in.compared(e, s.Test)
	if s.Message != nil {
		err := in.Protect(func() { message += ": " + Str(in.eval(e, s.Message)) })
		if r, ok := err.(*Raised); ok {
			panic(r)
		}
	}
	in.frame.line = s.Line()
	exc := NewInstance(in.builtins["AssertionError"].(*Class))
	exc.Set("args", NewTuple(message))
	r := in.raised(exc)
	r.written = true
	panic(r)
}

// catchesImports reports whether a try statement is prepared for a package that is not installed.
func catchesImports(s *python.Try) bool {
	for _, h := range s.Handlers {
		names := []python.Expr{h.Type}
		if t, ok := h.Type.(*python.Sequence); ok {
			names = t.Items
		}
		for _, n := range names {
			if n == nil {
				return true
			}
			if id, ok := n.(*python.Name); ok && (id.ID == "ImportError" || id.ID == "ModuleNotFoundError" || id.ID == "Exception") {
				return true
			}
		}
	}
	return false
}
