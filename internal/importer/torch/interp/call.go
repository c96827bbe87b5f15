package interp

import (
	"slices"
	"strings"

	"github.com/modelverifier/verifier/internal/importer/torch/python"
)

// Call calls a value.
func (in *Interp) Call(fn Value, args *Args) Value {
	in.step()
	in.nest("a call")
	defer in.unnest()
	in.work(len(args.Pos) + len(args.Kw))
	switch f := fn.(type) {
	case *Func:
		return in.callFunc(f, args)
	case *Bound:
		return in.Call(f.Fn, &Args{append([]Value{f.Self}, args.Pos...), args.Kw})
	case *Builtin:
		if f.Check != nil {
			f.Check(in, args)
		}
		return f.Fn(in, args)
	case *Class:
		if made, ok := in.metaCall(f, args); ok {
			return made
		}
		in.work(objectSteps * perStep)
		return in.construct(f, args)
	case *StaticMethod:
		return in.Call(f.Fn, args)
	case *Unknown:
		in.expose(f, args)
		return f
	case Callable:
		return f.Call(in, args)
	case Symbol:
		return in.callSymbol(f, args)
	case *Instance:
		if m, ok := in.method(f, "__call__"); ok {
			return in.Call(m, args)
		}
	}
	in.raiseFor([]Value{operand(fn, "__call__")}, "TypeError", "'%s' object is not callable", TypeName(fn))
	return nil
}

// callSymbol calls something of which only the name is known. What a quiet one gives holds no part of a model; what any other gives
// may, and is unknown.
func (in *Interp) callSymbol(s Symbol, args *Args) Value {
	for _, prefix := range in.Quiet {
		if strings.HasPrefix(s.Name, prefix) {
			return s
		}
	}
	u := in.Unknown("what %s gives is not known", s.Name)
	in.expose(u, args)
	return u
}

// metaCall is for classes that are called for something else than a new instance, such as enumerations.
func (in *Interp) metaCall(c *Class, args *Args) (Value, bool) {
	members, ok := c.Own("__members__")
	if !ok {
		return nil, false
	}
	if len(args.Pos) == 1 {
		in.work(members.(*Dict).Len() * perStep) // each is compared
		for _, m := range members.(*Dict).Values() {
			if v, _ := m.(*Instance).Get("value"); in.Equal(v, args.Pos[0]) || Is(m, args.Pos[0]) {
				return m, true
			}
		}
	}
	in.Doubt("ValueError", "no member of %s has that value", c.Name)
	return nil, true
}

// CallMethod calls a method by its name.
func (in *Interp) CallMethod(v Value, name string, pos ...Value) Value {
	return in.Call(in.Attr(v, name), &Args{Pos: pos})
}

// Steps of a call and of a new object, beside those of what is evaluated for it, and the parameters that a call has for them.
const callSteps, objectSteps, fewParams = 3, 10, 16

// takes charges the parameters of a function beyond a few: each is bound to a value that is kept.
func (in *Interp) takes(params int) {
	if params > fewParams {
		in.spend(int64(params - fewParams))
		in.work((params - fewParams) * perStep)
	}
}

// hold charges arguments that are taken out of a container, where they are more than a few.
func (in *Interp) hold(n int) {
	if n > fewParams {
		in.spend(int64(n))
	}
}

func (in *Interp) callFunc(f *Func, args *Args) Value {
	if in.frame.depth >= maxDepth {
		in.Fault("calls are nested more than %d deep: %s calls itself without end", maxDepth, f.Name)
	}
	in.work(callSteps * perStep)
	in.takes(len(f.Params))
	scope := f.env.child()
	in.bind(f, args, scope)
	if f.guess != "" {
		in.Guess("%s is decorated by what is not known: %s", f.Name, f.guess)
	}
	saved := in.frame
	in.frame = &frame{up: saved, file: f.module.File, line: f.Line, depth: saved.depth + 1, fn: f}
	if len(f.Params) > 0 && f.Params[0].Stars == 0 {
		in.frame.self = scope.vars[f.Params[0].Name]
	}
	var out Value
	switch {
	case f.Expr != nil:
		out = in.eval(scope, f.Expr)
	case f.Generator:
		in.frame.yielded = &List{}
		in.doubt++ // Python may not run it to its end
		in.exec(scope, f.Body)
		in.doubt--
		out = &Iterator{items: in.frame.yielded.Items}
	default:
		_, out = in.exec(scope, f.Body)
	}
	in.frame = saved
	return out
}

// bind gives every parameter its argument.
func (in *Interp) bind(f *Func, args *Args, scope *env) {
	pos, used := args.Pos, 0
	taken, named := make([]bool, len(args.Kw)), argumentPlaces(args.Kw)
	for i := range f.Params {
		p := &f.Params[i]
		switch {
		case p.Stars == 1:
			scope.vars[p.Name] = NewTuple(pos[used:]...)
			used = len(pos)
		case p.Stars == 2:
			rest := NewDict()
			in.spend(int64(len(args.Kw)))
			for k := range args.Kw {
				if !taken[k] {
					rest.Set(args.Kw[k].Name, args.Kw[k].Value)
					taken[k] = true
				}
			}
			scope.vars[p.Name] = rest
		case !p.KeywordOnly && used < len(pos):
			scope.vars[p.Name] = pos[used]
			used++
		default:
			scope.vars[p.Name] = in.byName(f, i, args, named, taken)
		}
	}
	if used < len(pos) {
		in.Raise("TypeError", "%s() takes %d positional arguments but %d were given", f.Name, used, len(pos))
	}
	for k := range taken {
		if !taken[k] {
			in.Raise("TypeError", "%s() got an unexpected keyword argument '%s'", f.Name, args.Kw[k].Name)
		}
	}
}

func (in *Interp) byName(f *Func, i int, args *Args, named map[string]int, taken []bool) Value {
	p := &f.Params[i]
	if k, ok := argumentAt(args.Kw, named, p.Name); ok && !taken[k] {
		taken[k] = true
		return args.Kw[k].Value
	}
	if _, missing := f.Defaults[i].(Missing); missing {
		f.mustTake(in, args)
		in.Raise("TypeError", "%s() missing 1 required positional argument: '%s'", f.Name, p.Name)
	}
	return f.Defaults[i]
}

// mustTake raises for a keyword that a function does not have, which Python says before it says what is missing.
func (f *Func) mustTake(in *Interp, args *Args) {
	in.work(len(args.Kw) * len(f.Params))
	for k := range args.Kw {
		name := args.Kw[k].Name
		if !slices.ContainsFunc(f.Params, func(p python.Param) bool { return p.Stars == 2 || p.Stars == 0 && p.Name == name }) {
			in.Raise("TypeError", "%s() got an unexpected keyword argument '%s'", f.Name, name)
		}
	}
}

// makeFunc evaluates the defaults of a function.
func (in *Interp) makeFunc(e *env, name string, params []python.Param, line int) *Func {
	in.takes(len(params))
	f := &Func{Name: name, Params: params, Line: line, env: e, module: e.module, Defaults: make([]Value, len(params))}
	for i, p := range params {
		f.Defaults[i] = Missing{}
		if p.Default != nil {
			f.Defaults[i] = in.eval(e, p.Default)
		}
	}
	return f
}

// Source is the text of the module.
func (m *Module) Source() string { return m.source }

// Tree is the source as it was parsed.
func (m *Module) Tree() *python.File { return m.tree }

// File is where the function is defined.
func (f *Func) File() string { return f.module.File }

// Header is its first line.
func (f *Func) Header() string {
	return strings.TrimSuffix(python.Excerpt(f.module.source, f.Line), ":")
}

// Required lists the parameters that have no default, without self.
func (f *Func) Required(method bool) []string {
	var out []string
	for i, p := range f.Params {
		if _, missing := f.Defaults[i].(Missing); missing && p.Stars == 0 && !(method && i == 0) {
			out = append(out, p.Name)
		}
	}
	return out
}

// callExpr evaluates a call.
func (in *Interp) callExpr(e *env, c *python.Call) Value {
	if n, ok := c.Fn.(*python.Name); ok && n.ID == "super" {
		if _, shadowed := e.vars["super"]; !shadowed {
			return in.super(e, c)
		}
	}
	if n, ok := c.Fn.(*python.Name); ok && len(c.Args) == 0 && (n.ID == "locals" || n.ID == "vars") {
		return in.locals(e)
	}
	fn := in.eval(e, c.Fn)
	args := in.args(e, c.Args)
	in.frame.line = c.Line()
	if u, unknown := fn.(*Unknown); unknown && initialises(c.Fn) {
		return u
	}
	return in.Call(fn, args)
}

// locals is locals() and vars(): the arguments of the function that is running in their order, and its other names behind them.
func (in *Interp) locals(e *env) Value {
	d := NewDict()
	in.spend(int64(len(e.vars)))
	if in.frame.fn != nil {
		for _, p := range in.frame.fn.Params {
			if v, ok := e.vars[p.Name]; ok {
				d.Set(p.Name, v)
			}
		}
		if in.mentionsSuper(in.frame.fn) {
			d.Set("__class__", in.frame.fn.Class)
		}
	}
	for _, k := range sortedNames(e.vars) {
		d.Set(k, e.vars[k])
	}
	return d
}

// mentionsSuper reports whether a function uses super() or __class__: then Python gives it the name __class__.
func (in *Interp) mentionsSuper(f *Func) bool {
	if f.Class == nil || len(f.Body) == 0 {
		return false
	}
	return kept(&in.seen.super, f.Body[0], func() bool {
		found := false
		for _, s := range f.Body {
			python.Each(s, func(node any) {
				in.step()
				n, ok := node.(*python.Name)
				found = found || ok && (n.ID == "super" || n.ID == "__class__")
			})
		}
		return found
	})
}

func (in *Interp) args(e *env, list []python.Arg) *Args {
	out := &Args{}
	for _, a := range list {
		v := in.eval(e, a.Value)
		switch {
		case a.Stars == 1:
			items := in.Iterate(v)
			in.hold(len(items))
			out.Pos = append(out.Pos, items...)
		case a.Stars == 2:
			if x, ok := v.(*Instance); ok {
				if d, ok := in.FindAttr(x, "__dict__"); ok {
					v = d
				}
			}
			d, ok := v.(*Dict)
			if !ok {
				if u, unknown := v.(*Unknown); unknown {
					in.Fault("arguments are taken from a value that is not known: %s", u.reason())
				}
				switch v.(type) {
				case nil, bool, int64, float64, string, *List, *Func:
					in.Raise("TypeError", "argument after ** must be a mapping, not %s", TypeName(v))
				}
				in.Fault("arguments are taken from a %s", TypeName(v))
			}
			in.hold(d.Len())
			for i, k := range d.keys {
				out.Kw = append(out.Kw, KV{Str(k), d.vals[i]})
			}
		case a.Name != "":
			out.Kw = append(out.Kw, KV{a.Name, v})
		default:
			out.Pos = append(out.Pos, v)
		}
	}
	return out
}

// super is super() and super(Class, self).
func (in *Interp) super(e *env, c *python.Call) Value {
	args := in.args(e, c.Args)
	fr := in.frame
	for fr != nil && (fr.fn == nil || fr.fn.Class == nil) {
		fr = fr.up
	}
	var after *Class
	var self Value
	if len(args.Pos) == 2 {
		if after, _ = args.Pos[0].(*Class); after == nil && noType(args.Pos[0]) {
			in.Raise("TypeError", "super() argument 1 must be a type, not %s", TypeName(args.Pos[0]))
		}
		self = args.Pos[1]
	} else if fr != nil {
		after, self = fr.fn.Class, fr.self
	}
	of, isClass := self.(*Class)
	if x, ok := self.(*Instance); ok {
		of = x.Class
	} else if !isClass {
		of = nil
	}
	if after == nil || of == nil || !of.Is(after) {
		in.Fault("super() is called where no class is known")
	}
	return &Super{after, self, of}
}
