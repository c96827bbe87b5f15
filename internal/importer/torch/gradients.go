package torch

import (
	"strings"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/importer/torch/interp"
)

// trains notes what a program sets requires_grad of a weight to.
func (p *Param) trains(v interp.Value) { p.grad = v }

// freeze is requires_grad_ of a module.
func (r *reader) freeze(in *interp.Interp, a *interp.Args) interp.Value {
	flag := interp.Or(rest(a).Bind(in, "requires_grad_", "requires_grad")[0], true)
	for _, w := range r.parameters(self(a)) {
		w.value.(*Tensor).param.trains(flag)
	}
	return a.Pos[0]
}

// requiresGrad says whether gradients flow into a tensor: into weights that are not frozen and what is computed of weights, not into constants, the
// inputs of the model and what is computed of those alone. Of what is computed it is assumed, since its weights may be frozen.
func (t *Tensor) requiresGrad() interp.Value {
	if t.param != nil && !t.isInt && !t.mask {
		switch g := t.param.grad.(type) {
		case nil:
			return true
		case bool:
			return g
		}
	}
	if t.param == nil && (t.constant() || !t.r.trained(t.node)) || t.isInt || t.mask {
		return false
	}
	return interp.Assumed{Value: true, Why: "whether gradients are kept decides a condition"}
}

// trained reports whether a component, or one that leads to it, has weights.
func (r *reader) trained(node int) bool {
	at := make(map[string]int, len(r.graph.Components))
	for i := range r.graph.Components {
		at[r.graph.Components[i].ID] = i
	}
	before := make([][]int, len(r.graph.Components))
	for _, c := range r.graph.Connections {
		before[at[c.To]] = append(before[at[c.To]], at[c.From])
	}
	r.in.Spend(int64(len(at) / 16))
	seen, todo := make([]bool, len(before)), []int{node}
	for len(todo) > 0 {
		i := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if i < 0 || i >= len(seen) || seen[i] {
			continue
		}
		seen[i] = true
		if hasWeights(&r.graph.Components[i]) {
			return true
		}
		todo = append(todo, before[i]...)
	}
	return false
}

// hasWeights reports whether a component may have trained weights.
func hasWeights(c *graph.Component) bool {
	counted := false
	for _, p := range c.Params {
		switch p.Name {
		case "numParams":
			if counted = true; p.Value.Int() > 0 {
				return true
			}
		case "code": // which says so where it uses the weights of another
			if strings.Contains(p.Value.Str(), "weight") {
				return true
			}
		case "trainable":
			return p.Value.Bool()
		}
	}
	t := catalog.Lookup(c.Type)
	return t == nil || t.Weights != nil && !counted
}
