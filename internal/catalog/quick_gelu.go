package catalog

import "github.com/modelverifier/verifier/internal/op"

var _ = define(activation(Type{
	ID:     "quickGelu",
	Title:  "Gelu by way of the logistic function",
	Doc:    `Computes x·σ(1.702·x), an approximation of gelu that the weights of CLIP were trained with. Takes any shape; integers become floats. It is three operations to PyTorch, so it keeps one tensor more than gelu does.`,
	Source: "openai/CLIP clip/model.py QuickGELU; Hendrycks and Gimpel 2016",
	Ints:   IntsToFloat,
	Lower: func(l *Lowering) op.Value {
		return op.Mul(l.P, l.X[0], op.OfOutput(l.P, op.Scale(l.P, l.X[0])))
	},
	Torch: `lambda x: x * torch.sigmoid(1.702 * x)`,
	Examples: []Example{
		{In: "[77,512]", Out: "[77,512]"},
		{In: "int[77]", Out: "[77]"},
		{In: "[77] [77]", Err: "takes one input, got 2"},
	},
}))
