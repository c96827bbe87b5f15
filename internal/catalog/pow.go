package catalog

import (
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/op"
)

var _ = define(Type{
	ID:      "pow",
	Title:   "A power",
	Doc:     `Raises every value to a power, as torch.pow does. Any shape. Integers stay integers if the exponent is whole, which then must not be negative; otherwise they become numbers with a fraction.`,
	Source:  "torch.pow",
	Group:   Arithmetic,
	Aliases: []string{"power"},
	Traits:  KeepsShape | HasActivation,
	Ints:    IntsKept,
	Params:  []Param{{Name: "exponent", Kind: Float, Aliases: []string{"power"}, Doc: "the exponent"}},
	Shape: func(c *Call) (Shape, error) {
		c.OutIsInt = c.OutIsInt && c.isWhole("exponent")
		if c.OutIsInt && c.Float("exponent") < 0 {
			return c.In[0], c.Errorf(DtypeMismatch, "integers arrive, which have no power of %v in PyTorch: write the exponent with a fraction", c.arg("exponent"))
		}
		return c.In[0], nil
	},
	Lower: func(l *Lowering) op.Value { return op.Pow(l.P, l.X[0]) },
	Torch: `lambda x: x.pow({{exponent}})`,
	Examples: []Example{
		{In: "[12,64]", Args: "exponent=2", Out: "[12,64]"},
		{In: "int[7]", Args: "exponent=-0.5", Out: "[7]"},
		{In: "int[7]", Args: "exponent=-1", Err: "integers arrive, which have no power of -1"},
		{In: "[7]", Args: "exponent=[1,2]", Err: "exponent is [1,2] but takes a number"},
		{In: "[7]", Err: "exponent is missing"},
	},
})

// isWhole reports whether a number was given as one that PyTorch takes for an integer: 2, not 2.0.
func (c *Call) isWhole(name string) bool { return c.arg(name).Kind() != graph.Float }
