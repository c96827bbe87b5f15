package catalog

import "github.com/modelverifier/verifier/internal/op"

var _ = define(Type{
	ID:      "windowAttention",
	Title:   "Attention inside windows of an image",
	Doc:     `Cuts an image (height, width, embedDim), channels last, into windows and lets the positions of each window attend to each other, with a trained bias for every relative position: the attention of Swin. The image is padded to whole windows, and shifted by shiftSize before it is cut; the result has the shape of the input. The heads must divide embedDim.`,
	Source:  "Liu et al. 2021, Swin; torchvision.models.swin_transformer.ShiftedWindowAttention",
	Group:   Attention,
	Aliases: []string{"shiftedWindowAttention", "swinAttention"},
	Traits:  IsAttention | HasActivation | KeepsShape | IsPositional,
	Params: headParams(
		Param{Name: "windowSize", Kind: Dims, N: 2, Min: 1, Doc: "height and width of a window"},
		Param{Name: "shiftSize", Kind: Dims, N: 2, Negative: true, Default: 0, Doc: "how far the image is shifted before it is cut"},
		Param{Name: "qkvBias", Kind: Bool, Default: true, Doc: "whether the first projection adds a bias"},
		scoreDropout,
	),
	Shape: func(c *Call) (Shape, error) {
		if err := c.Ranks(3, 3, "(height, width, features)"); err != nil {
			return nil, err
		}
		if err := c.Match(AttentionInMismatch, "embedDim", "feature"); err != nil {
			return nil, err
		}
		if e, h := c.Int("embedDim"), c.Int("numHeads"); e%h != 0 {
			return c.In[0], c.Errorf(HeadDimDivisibility, "embedDim %d is not divisible by %d heads", e, h)
		}
		return c.In[0], c.checkGiven()
	},
	Weights: func(c *Call) {
		e, w := c.Int("embedDim"), c.Dims("windowSize")
		c.Weight("relative_position_bias_table", c.Mul(c.Mul(2, w[0])-1, c.Mul(2, w[1])-1), c.Int("numHeads"))
		c.Linear("qkv", e, c.Mul(3, e), c.Bool("qkvBias"))
		c.Linear("proj", e, e, true)
	},
	FLOPs: func(c *Call) int64 {
		e, h := c.Int("embedDim"), c.Int("numHeads")
		all, window := windowed(c)
		return c.Add(c.MatMul(4, all, e, e), c.attend(h, all, window, e/h))
	},
	Lower:         lowerWindows,
	Torch:         `WindowAttention({{embedDim}}, {{numHeads}}, {{windowSize}}, {{shiftSize}}, {{qkvBias}}, dropout={{dropout}})`,
	Module:        windowModule,
	WeightFormula: "(2*windowSize[0]-1)*(2*windowSize[1]-1)*numHeads + 4*embedDim*embedDim + 3*qkvBias*embedDim + embedDim",
	FLOPsFormula: "ceil(in[0], windowSize[0])*windowSize[0]*ceil(in[1], windowSize[1])*windowSize[1]" +
		"*(8*embedDim*embedDim + 4*windowSize[0]*windowSize[1]*embedDim)",
	Examples: []Example{
		{In: "[8,5,8]", Args: "embedDim=8 numHeads=4 windowSize=[2,3] qkvBias=false", Out: "[8,5,8]", Weights: 324, FLOPs: 33792},
		{In: "[9,5,10]", Args: "embedDim=10 numHeads=2 windowSize=3 shiftSize=2 dropout=0.1", Out: "[9,5,10]", Weights: 490, FLOPs: 62640},
		{In: "[9,5,10]", Args: "embedDim=10 numHeads=3 windowSize=3", Err: "embedDim 10 is not divisible by 3 heads"},
		{In: "[5,10]", Args: "embedDim=10 numHeads=2 windowSize=3", Err: "takes (height, width, features), got [5,10]"},
		{In: "[9,5,10]", Args: "embedDim=10 numHeads=2 windowSize=[3,0]", Err: "windowSize is [3,0] but takes"},
	},
})

// lowerWindows is torchvision's shifted_window_attention.
func lowerWindows(l *Lowering) op.Value {
	p, in, e, heads := l.P, l.In[0], l.Int("embedDim"), l.Int("numHeads")
	all, window := windowed(&l.Call)
	x := op.Padded(p, l.X[0], all, e)
	shifts := l.shifts()
	if shifts {
		x = op.Copied(p, x, all, e)
	}
	windows := op.Contiguous(p, x, all, e)
	x = l.Map(windows, "qkv")
	h := op.Heads{Queries: window, Keys: window, Count: all / window * heads, Features: e / heads, Values: e / heads}
	part := func() op.Value { return op.View(p, x, h.Count, window, h.Features) }
	apart := func(x op.Value) op.Value { // the heads lie between the positions
		if heads == 1 {
			return x
		}
		return op.Contiguous(p, x, h.Count, window, h.Features)
	}
	q, k, v := part(), part(), part()
	scaled := op.Scale(p, q)
	scores := op.View(p, op.Scores(p, apart(scaled), apart(k), op.None, h), all/window, heads, window, window)
	pairs := p.Buffer(op.Int64, window*window)
	table := op.Index(p, l.W("relative_position_bias_table"), []int64{window * window, heads}, pairs)
	scores = op.Add(p, scores, op.Contiguous(p, table, heads, window, window))
	if shifts {
		scores = op.Add(p, scores, op.Constant(p, op.Float, true, all/window, 1, window, window))
	}
	weights := l.dropout(op.Softmax(p, scores))
	out := op.Weigh(p, op.View(p, weights, h.Count, window, window), apart(v), h)
	out = l.Map(l.named(op.Contiguous(p, out, all, e), windows), "proj")
	out = l.named(op.Contiguous(p, out, all, e), x, scaled, weights)
	if shifts {
		out = op.Copied(p, out, all, e)
	}
	if all == in[0]*in[1] {
		return op.View(p, out, in...)
	}
	return op.Contiguous(p, op.View(p, out, in...), in...)
}

// shifts reports whether the image is shifted: along an axis that has more than one window.
func (l *Lowering) shifts() bool {
	w, by, sum := l.Dims("windowSize"), l.Dims("shiftSize"), int64(0)
	for i, n := range l.In[0][:2] {
		if w[i] < n {
			sum += by[i]
		}
	}
	return sum > 0
}

// windowed returns the positions of the padded image, and of one window.
func windowed(c *Call) (all, window int64) {
	w := c.Dims("windowSize")
	window, all = c.Mul(w[0], w[1]), 1
	for i, n := range c.In[0][:2] {
		all = c.Mul(all, c.Add(n, w[i]-1)/w[i], w[i])
	}
	return all, window
}
