package catalog

var _ = define(activation(Type{
	ID:     "hardShrink",
	Title:  "Sets small values to zero",
	Doc:    `Replaces values from -lambd to lambd by zero and keeps the others. Takes any shape, but no integers. The result jumps at either end of the range; softShrink does not.`,
	Source: "torch.nn.Hardshrink",
	Params: []Param{paramLambd},
	Lower:  lowerOfInput,
	Torch:  `nn.Hardshrink({{lambd}})`,
	Examples: []Example{
		{In: "[16,32]", Args: "lambd=0.1", Out: "[16,32]"},
		{In: "[16]", Args: "lambd=[1,2]", Err: "lambd is [1,2] but takes a number"},
		{In: "int[16]", Err: "takes numbers with a fraction"},
	},
}))

// paramLambd is the half-width of the range that the shrinking functions set to zero, spelt as Python's keyword forces it.
var paramLambd = Param{Name: "lambd", Kind: Float, Default: 0.5, Aliases: []string{"lambda"}, Doc: "size up to which a value becomes zero"}
