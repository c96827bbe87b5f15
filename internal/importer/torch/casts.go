package torch

import (
	"math"

	"github.com/modelverifier/verifier/internal/importer/torch/interp"
)

// Methods that copy a tensor, or move it to another device or dtype.
func init() {
	registerEach(copyOp, "to", "cuda", "cpu", "detach", "clone", "type_as", "requires_grad_", "pin_memory", "as_subclass", "retain_grad", "type",
		"rename", "refine_names", "align_to", "numpy")
	registerEach(toIntOp, "long", "int", "bool", "byte")
	register(map[string]operation{
		"contiguous": contiguousOp,
		"float":      toWidth(""), "half": toWidth("float16"), "double": toWidth("float64"), "bfloat16": toWidth("bfloat16"),
		"short": toIntOp("long"), "char": toIntOp("long"),
	})
}

// toWidth is x.float() and the like.
func toWidth(width string) operation {
	return func(r *reader, t *Tensor, _ *interp.Args) interp.Value { return r.wide(t, width) }
}

// copyOp is x.to(…), x.clone() and other methods that keep the values.
func copyOp(name string) operation {
	return func(r *reader, t *Tensor, a *interp.Args) interp.Value {
		if to, ok := r.converted(name, t, a); ok {
			return to
		}
		if name == "clone" && t.param != nil || name == "detach" && t.param != nil {
			return r.reshapeGraph(t, t.shape)
		}
		if name == "detach" {
			return t
		}
		if name == "requires_grad_" && t.param != nil {
			flag, _ := a.Get("requires_grad", 0)
			t.param.trains(len(a.Pos)+len(a.Kw) == 0 || flag == true)
		}
		return t.copied(name, a)
	}
}

// toIntOp is x.long() and the like, and x.bool().
func toIntOp(name string) operation {
	return func(r *reader, t *Tensor, _ *interp.Args) interp.Value {
		if t.isInt && name != "bool" {
			return t
		}
		c := t.clone()
		if !t.constant() {
			c = r.custom(name, t.shape, 0, t)
		}
		if name == "bool" {
			c.isInt, c.mask = false, true
		} else {
			r.integers(c)
			c.mask = false
		}
		c.data = r.copyOf(t.data)
		for i := range c.data {
			c.data[i] = math.Trunc(c.data[i])
			if name == "bool" && t.data[i] != 0 {
				c.data[i] = 1
			}
		}
		return c
	}
}
