package catalog

// activation completes the definition of an element-wise non-linearity: any shape, kept as it is, and no weights.
func activation(t Type) Type {
	t.Group = Activation
	t.Traits |= IsActivation | KeepsShape
	t.Shape = shapeOfInput
	return t
}

// shapeOfInput is the shape of a type that takes anything and keeps it.
func shapeOfInput(c *Call) (Shape, error) { return c.In[0], nil }

// savesInput is for derivatives that are computed from the argument.
func savesInput(c *Call) { c.KeepInput(0) }

// savesResult is for derivatives that are computed from the value, such as y(1-y).
func savesResult(c *Call) { c.KeepOutput() }

// paramInplace changes neither shape nor weights; PyTorch then writes the result over the input.
var paramInplace = Param{Name: "inplace", Kind: Bool, Default: false, Doc: "whether the result overwrites the input"}
