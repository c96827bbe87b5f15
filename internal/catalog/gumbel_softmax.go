package catalog

import "github.com/modelverifier/verifier/internal/op"

var _ = define(Type{
	ID:    "gumbelSoftmax",
	Title: "A softmax that draws",
	Doc: `Adds noise to the logits, divides by tau and takes the softmax along dim, as torch.nn.functional.gumbel_softmax does. ` +
		`With hard the result is one-hot, and the gradient is that of the shares. dim counts the batch as axis 0.`,
	Source: "torch.nn.functional.gumbel_softmax; Jang et al. 2017",
	Group:  Activation,
	Traits: IsSoftmax | KeepsShape | InUnit,
	Params: []Param{
		{Name: "tau", Kind: Float, Default: 1.0, Aliases: []string{"temperature"}, Doc: "what the logits are divided by"},
		{Name: "hard", Kind: Bool, Default: false, Doc: "whether the result is one-hot"},
		paramSoftmaxDim,
	},
	Shape: softmaxShape,
	Lower: func(l *Lowering) op.Value {
		p, noise := l.P, op.Constant(l.P, op.Float, false, l.Out...)
		y := op.Softmax(p, op.Scale(p, op.Add(p, l.X[0], noise)))
		if !l.Bool("hard") {
			return y
		}
		at, _ := l.Axis("dim", l.Int("dim"), l.Out.Rank())
		reduced := l.Out
		if at >= 0 {
			reduced = l.Out.With(at, 1)
		}
		_, places := op.TopK(p, y, reduced...)
		p.Tensors[places].Shared = at < 0 // one for all samples, along the batch
		oneHot := op.Constant(p, op.Float, false, l.Out...)
		return op.Add(p, op.Sub(p, oneHot, op.SumWithoutGradient(p, y, l.Out...)), y)
	},
	Torch: `lambda x: F.gumbel_softmax(x, tau={{tau}}, hard={{hard}}, dim={{dim}})`,
	Examples: []Example{
		{In: "[10]", Out: "[10]"},
		{In: "[8,12]", Args: "tau=0.5 hard=true dim=1", Out: "[8,12]"},
		{In: "[10]", Args: "dim=2", Err: "dim is 2 but must be from -2 to 1 for 2 axes with the batch"},
		{In: "int[10]", Err: "takes numbers with a fraction"},
	},
})
