package catalog

import (
	"math"

	"github.com/modelverifier/verifier/internal/op"
)

// activation completes the definition of an element-wise non-linearity: any shape, kept as it is, and no weights.
func activation(t Type) Type {
	t.Group = Activation
	t.Traits |= IsActivation | KeepsShape
	if t.Shape == nil {
		t.Shape = func(c *Call) (Shape, error) { return c.In[0], c.checkNumbers() }
	}
	return t
}

// checkNumbers refuses numbers that do not fit the elements of the input: PyTorch converts them before it computes.
func (c *Call) checkNumbers() error {
	for i := range c.Type.Params {
		if p := &c.Type.Params[i]; p.Kind == Float {
			if err := c.checkNumber(p.Name, c.Float(p.Name)); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkNumber refuses one number, which the call computes from a parameter.
func (c *Call) checkNumber(param string, x float64) error {
	limit, elements := float64(math.MaxFloat32), "32-bit floats"
	if c.OutIsInt {
		limit, elements = math.MaxInt64, "64-bit integers"
	}
	if math.Abs(x) > limit {
		return c.Errorf(BadParam, "%s is %v, which leads out of the range of %s", param, c.arg(param), elements)
	}
	return nil
}

// shapeOfInput is the shape of a type that takes anything and keeps it.
func shapeOfInput(c *Call) (Shape, error) { return c.In[0], nil }

// lowerOfInput and lowerOfResult are one operation, whose backward pass reads the argument or the value.
func lowerOfInput(l *Lowering) op.Value  { return op.OfInput(l.P, l.X[0]) }
func lowerOfResult(l *Lowering) op.Value { return op.OfOutput(l.P, l.X[0]) }

// paramInplace changes neither shape nor weights; PyTorch then writes the result over the input.
var paramInplace = Param{Name: "inplace", Kind: Bool, Default: false, Doc: "whether the result overwrites the input"}
