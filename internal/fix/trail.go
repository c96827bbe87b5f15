package fix

import (
	"github.com/modelverifier/verifier/internal/importer/torch/python"
)

// trail is the expressions that a fault may come from, nearest first: those at its lines, and those from which their numbers come. It goes by
// names alone and is generous: what is no cause does not mend the fault when it is changed, and is dropped by the proof.
type trail struct {
	*syntax
	budget
	seen  map[any]bool
	asked map[asked]bool
	steps []step
}

// asked is something that was followed: what it leads to is on the trail, and there is no need to look again. A name is one of a
// function, nil for a module.
type asked struct {
	kind, name string
	in         *python.FuncDef
}

// again reports whether something was followed before, or there is no time for more.
func (t *trail) again(kind, name string, in *python.FuncDef) bool {
	k := asked{kind, name, in}
	if t.asked[k] || !t.spend(1) {
		return true
	}
	t.asked[k] = true
	return false
}

// step is an expression on the trail, with how far it is from the fault.
type step struct {
	*script
	node python.Expr
	far  int
}

// maxSteps bounds a trail.
const maxSteps = 600

// follow goes on from steps that are there, in order of their distance.
func (t *trail) follow() {
	for far := 0; len(t.steps) < maxSteps; far++ {
		found := false
		for i := 0; i < len(t.steps) && len(t.steps) < maxSteps; i++ {
			if t.steps[i].far == far {
				found = true
				t.back(t.steps[i])
			}
		}
		if !found && far > 12 {
			return
		}
	}
}

// add puts an expression on the trail.
func (t *trail) add(c *script, x python.Expr, far int) {
	if x == nil || t.seen[x] || len(t.steps) >= maxSteps {
		return
	}
	if _, ok := c.spans[x]; !ok {
		return
	}
	t.seen[x] = true
	t.steps = append(t.steps, step{c, x, far})
}

// back adds what the names and attributes of an expression are bound to.
func (t *trail) back(s step) {
	if !t.spend(1) {
		return
	}
	python.Each(s.node, func(node any) {
		if !t.spend(1) {
			return
		}
		switch n := node.(type) {
		case *python.Name:
			t.name(s, n)
		case *python.Attr:
			if !t.again("attribute", n.Name, nil) {
				for _, v := range t.attrs[n.Name] {
					t.add(v.script, v.node, s.far+1)
				}
			}
		case *python.Call:
			t.results(n, s.far+1)
		case *python.Index:
			if k, ok := n.I.(*python.Const); ok {
				if key, isText := k.Value.(string); isText {
					t.entry(key, s.far+1)
				}
			}
		}
	})
}

// entry adds the values that dictionaries have for a key.
func (t *trail) entry(key string, far int) {
	if t.again("entry", key, nil) {
		return
	}
	for _, v := range t.look.entries()[key] {
		t.add(v.script, v.node, far)
	}
}

// name adds what a name is bound to: in its function, by its callers, or in a module.
func (t *trail) name(s step, n *python.Name) {
	def := s.function(n)
	if t.again("name", n.ID, def) {
		return
	}
	for ; def != nil; def = s.function(def) {
		local := false
		for _, v := range bindings(s.script, def, n.ID) {
			t.add(s.script, v, s.far+1)
			local = true
		}
		if !t.spend(len(def.Params)) {
			return
		}
		for i, p := range def.Params {
			if p.Name == n.ID {
				local = true
				t.argument(t.of[def], i, s.far+1)
			}
		}
		if local {
			return
		}
	}
	for _, v := range t.globals[n.ID] {
		t.add(v.script, v.node, s.far+1)
	}
}

// argument adds what a parameter of a function is given: by default and by its callers.
func (t *trail) argument(f *function, index, far int) {
	p := f.def.Params[index]
	if t.again("argument", p.Name, f.def) {
		return
	}
	t.add(f.script, p.Default, far)
	name, shift := f.def.Name, 0
	if f.class != nil {
		shift = 1
	}
	if f.class != nil && name == "__init__" {
		name = f.class.Name
		for _, v := range t.calls["__init__"] { // super().__init__(…)
			t.given(v, p.Name, index-shift, far)
		}
	}
	for _, v := range t.calls[name] {
		t.given(v, p.Name, index-shift, far)
	}
}

func (t *trail) given(v located[*python.Call], name string, index, far int) {
	if !t.spend(1 + len(v.node.Args)) {
		return
	}
	if x := given(v.node, name, index); x != nil {
		t.add(v.script, x, far)
	}
}

// given is the argument of a call by its name, or else by its place.
func given(call *python.Call, name string, index int) python.Expr {
	at := 0
	for _, a := range call.Args {
		switch {
		case a.Name == name && a.Name != "":
			return a.Value
		case a.Stars > 0:
			return nil
		case a.Name == "":
			if at == index {
				return a.Value
			}
			at++
		}
	}
	return nil
}

// results adds what a function of the files returns.
func (t *trail) results(call *python.Call, far int) {
	name := lastName(call.Fn)
	if t.again("results", name, nil) {
		return
	}
	for _, f := range t.look.byName()[name] {
		python.Each(f.def, func(node any) {
			if r, ok := node.(*python.Return); ok && r.X != nil {
				t.add(f.script, r.X, far)
			}
		})
	}
}

// bindings are what a name is assigned in a function.
func bindings(c *script, def *python.FuncDef, name string) []python.Expr {
	return once(&c.found.bound, def, func() map[string][]python.Expr { return bound(def) })[name]
}

// bound is what each name is assigned in a function.
func bound(def *python.FuncDef) map[string][]python.Expr {
	out := map[string][]python.Expr{}
	binds := func(target, value python.Expr) {
		switch x := target.(type) {
		case *python.Name:
			out[x.ID] = append(out[x.ID], value)
		case *python.Sequence:
			values, same := value.(*python.Sequence)
			for i, item := range x.Items {
				n, ok := item.(*python.Name)
				switch {
				case !ok:
				case same && len(values.Items) == len(x.Items):
					out[n.ID] = append(out[n.ID], values.Items[i])
				default:
					out[n.ID] = append(out[n.ID], value)
				}
			}
		}
	}
	python.Each(def.Body, func(node any) {
		switch s := node.(type) {
		case *python.Assign:
			for _, target := range s.Targets {
				binds(target, s.Value)
			}
		case *python.AnnAssign:
			binds(s.Target, s.Value)
		case *python.AugAssign:
			binds(s.Target, s.Value)
		case *python.For:
			binds(s.Target, s.Iter)
		case *python.Comp:
			for _, cl := range s.Clauses {
				binds(cl.Target, cl.Iter)
			}
		case *python.Named:
			out[s.ID] = append(out[s.ID], s.X)
		}
	})
	return out
}
