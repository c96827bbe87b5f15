package catalog

import "github.com/modelverifier/verifier/internal/op"

var _ = define(Type{
	ID:    "tabnet",
	Title: "Reads a table row step by step through masks",
	Doc: `Each of numSteps steps chooses features of a row (inputDim) by a mask, whose sum is one and which spares what steps before have used, and runs them through numShared gated layers that all steps share and numIndependent of its own; ` +
		`the first decisionDim features of the result are summed over the steps, the last attentionDim decide the next mask. A linear layer makes outputDim features of the sum; without outputDim the sum is the result. ` +
		`Norms go over the whole batch. The loss of the masks is not part of it, and pytorch_tabnet's second norm of the input, which never runs, is not counted.`,
	Source:  "Arik and Pfister 2021; dreamquark-ai/tabnet tab_network.py TabNetEncoder, sparsemax.py",
	Group:   Blocks,
	Aliases: []string{"tabNetEncoder"},
	Traits:  HasNorm | HasActivation,
	Params: []Param{
		{Name: "inputDim", Kind: Int, Min: 1, Reads: At(-1), Aliases: []string{"inFeatures", "inputSize", "numFeatures"}, Doc: "features of a row"},
		{Name: "outputDim", Kind: Int, Min: 1, Optional: true, Writes: At(-1), Aliases: []string{"outFeatures", "numClasses"}, Doc: "features of the result"},
		{Name: "decisionDim", Kind: Int, Min: 1, Default: 8, Aliases: []string{"nD"}, Doc: "features of a step that are summed"},
		{Name: "attentionDim", Kind: Int, Min: 1, Default: 8, Aliases: []string{"nA"}, Doc: "features of a step that decide the next mask"},
		{Name: "numSteps", Kind: Int, Min: 1, Default: 3, Aliases: []string{"nSteps"}, Doc: "number of steps"},
		{Name: "gamma", Kind: Float, Default: 1.3, Doc: "1 lets a feature be used by one step alone, more by several"},
		{Name: "numShared", Kind: Int, Default: 2, Aliases: []string{"nShared"}, Doc: "gated layers that all steps share"},
		{Name: "numIndependent", Kind: Int, Default: 2, Aliases: []string{"nIndependent"}, Doc: "gated layers that each step has for itself"},
	},
	Shape: func(c *Call) (Shape, error) {
		if c.Int("numShared") == 0 && c.Int("numIndependent") == 0 {
			return nil, c.Errorf(BadParam, "numShared and numIndependent are both 0, but a step needs a layer")
		}
		if err := c.Ranks(1, 1, "(features)"); err != nil {
			return nil, err
		}
		out := Of(c.Int("decisionDim"))
		if c.Has("outputDim") {
			out = Of(c.Int("outputDim"))
		}
		return out, c.Match(FeatureMismatch, "inputDim", "feature")
	},
	Weights: tabnetWeights,
	FLOPs: func(c *Call) int64 {
		f, w, steps := c.Int("inputDim"), c.tabnetWidth(), c.Int("numSteps")
		layers := c.Add(c.Int("numShared"), c.Int("numIndependent")) - 1 // behind the first
		each := c.Mul(c.Add(f, c.Mul(layers, w)), 2, w)
		masks := c.Mul(steps, c.Int("attentionDim"), f)
		return c.Mul(2, c.Add(c.Mul(c.Add(steps, 1), each), masks, c.Mul(c.Int("decisionDim"), c.Int("outputDim"))))
	},
	Lower:  lowerTabnet,
	Torch:  `TabNet({{inputDim}}, {{outputDim}}, {{decisionDim}}, {{attentionDim}}, {{numSteps}}, {{gamma}}, {{numShared}}, {{numIndependent}})`,
	Module: tabnetModule,
	WeightFormula: "2*inputDim + (1 + numSteps*(numShared == 0))*2*(decisionDim + attentionDim)*inputDim + " +
		"((numShared > 0)*(numShared - 1) + (numSteps + 1)*(numIndependent - (numShared == 0)))*2*(decisionDim + attentionDim)*(decisionDim + attentionDim) + " +
		"(numSteps + 1)*(numShared + numIndependent)*4*(decisionDim + attentionDim) + numSteps*inputDim*(attentionDim + 2) + decisionDim*outputDim",
	FLOPsFormula: "4*(numSteps + 1)*(decisionDim + attentionDim)*(inputDim + (numShared + numIndependent - 1)*(decisionDim + attentionDim)) + " +
		"2*numSteps*attentionDim*inputDim + 2*decisionDim*outputDim",
	Examples: []Example{
		{In: "[5]", Args: "inputDim=5 outputDim=3", Out: "[3]", Weights: 5976, FLOPs: 13856},
		{In: "[9]", Args: "inputDim=9 outputDim=3 numSteps=1 numShared=0", Out: "[3]", Weights: 1988, FLOPs: 3392},
		{In: "[11]", Args: "inputDim=11 n_d=5 n_a=8 n_steps=1 gamma=1 n_independent=0", Out: "[5]", Weights: 964, FLOPs: 2672},
		{In: "[9]", Args: "inputDim=9 numShared=0 numIndependent=0", Err: "numShared and numIndependent are both 0"},
		{In: "[8]", Args: "inputDim=9", Err: "inputDim is 9 but 8 features arrive"},
		{In: "[4,9]", Args: "inputDim=9", Err: "takes (features), got [4,9]"},
	},
})

// tabnetWidth is how many features a gated layer gives.
func (c *Call) tabnetWidth() int64 { return c.Add(c.Int("decisionDim"), c.Int("attentionDim")) }

// tabnetOwn is how many layers that take the features of another layer each step has for itself.
func (c *Call) tabnetOwn() int64 {
	n := c.Int("numIndependent")
	if c.Int("numShared") == 0 { // the first of them takes the features of the row
		n--
	}
	return n
}

func tabnetWeights(c *Call) {
	f, w, steps, shared := c.Int("inputDim"), c.tabnetWidth(), c.Int("numSteps"), c.Int("numShared")
	layers, wide := c.Add(steps, 1), c.Mul(2, w)
	first := int64(1)
	if shared == 0 {
		first = layers
	}
	linear := func(name string, times, in, out int64) {
		if times > 0 {
			c.LinearTimes(times, numbered(name+".", 0, times), in, out, false)
		}
	}
	norm := func(name string, times, size int64) {
		for _, weight := range [...]string{"weight", "bias"} {
			c.weight(times, numbered(name+".", 0, times), weight, size)
		}
	}
	c.normWeights("initial_bn", f, true)
	linear("first", first, f, wide)
	linear("shared", shared-1, w, wide)
	linear("specific", c.Mul(layers, c.tabnetOwn()), w, wide)
	norm("bns", c.Mul(layers, c.Add(shared, c.Int("numIndependent"))), wide)
	linear("fcs", steps, c.Int("attentionDim"), f)
	norm("masks", steps, f)
	if c.Has("outputDim") {
		c.Linear("final", c.Int("decisionDim"), c.Int("outputDim"), false)
	}
}

func lowerTabnet(l *Lowering) op.Value {
	p, f, d, a, steps := l.P, l.Int("inputDim"), l.Int("decisionDim"), l.Int("attentionDim"), l.Int("numSteps")
	if l.Int("numShared")+l.Int("numIndependent") > MostParts/(steps+1) {
		return op.None
	}
	x := l.batchNorm(l.X[0], "initial_bn")
	parts := op.Split(p, l.tabnetStep(x, 0), Of(d), Of(a))
	prior, sum := op.None, op.None
	for step := range steps {
		scores := l.normNth(l.mapOf(parts[1], numbered("fcs.", 0, steps), step), numbered("masks.", 0, steps), step)
		if prior != op.None {
			scores = op.Mul(p, scores, prior)
		}
		mask := op.Sparsemax(p, scores)
		if step+1 < steps {
			left := op.Scale(p, mask)
			if prior != op.None {
				left = op.Mul(p, left, prior)
			}
			prior = left
		}
		parts = op.Split(p, l.tabnetStep(op.Mul(p, mask, op.View(p, x, f)), step+1), Of(d), Of(a))
		decided := op.OfOutput(p, parts[0])
		if sum != op.None {
			decided = op.Add(p, sum, decided)
		}
		sum = decided
	}
	if !l.Has("outputDim") {
		return sum
	}
	return l.Map(sum, "final")
}

// normNth is one of the norms of a table's features that a name stands for.
func (l *Lowering) normNth(x op.Value, module string, nth int64) op.Value {
	affine := op.Affine{Weight: l.weightIn(module, "weight", nth), Bias: l.weightIn(module, "bias", nth)}
	return op.BatchNorm(l.P, x, l.P.Shape(x)[0], true, affine)
}

// tabnetStep is the gated layers of a step: those that all share, then its own.
func (l *Lowering) tabnetStep(x op.Value, step int64) op.Value {
	p, w, shared, own := l.P, l.tabnetWidth(), l.Int("numShared"), l.tabnetOwn()
	layers, each := l.Int("numSteps")+1, shared+l.Int("numIndependent")
	firsts, first := layers, step
	if shared > 0 {
		firsts, first = 1, 0
	}
	for k := range each {
		var y op.Value
		switch {
		case k == 0:
			y = l.mapOf(x, numbered("first.", 0, firsts), first)
		case k < shared:
			y = l.mapOf(x, numbered("shared.", 0, shared-1), k-1)
		default:
			y = l.mapOf(x, numbered("specific.", 0, layers*own), step*own+k-(each-own))
		}
		parts := op.Split(p, l.normNth(y, numbered("bns.", 0, layers*each), step*each+k), Of(w), Of(w))
		y = op.Mul(p, parts[0], op.OfOutput(p, parts[1]))
		if k > 0 {
			y = op.Scale(p, op.Add(p, x, y))
		}
		x = y
	}
	return x
}

const tabnetModule = `class Sparsemax(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        x = x - x.max(-1, keepdim=True)[0]
        ordered = x.sort(-1, descending=True)[0]
        over = ordered.cumsum(-1) - 1
        count = torch.arange(1, x.shape[-1] + 1, device=x.device, dtype=x.dtype) * ordered > over
        count = count.sum(-1, keepdim=True)
        y = torch.clamp(x - over.gather(-1, count - 1) / count.to(x.dtype), min=0)
        ctx.save_for_backward(count, y)
        return y

    @staticmethod
    def backward(ctx, grad):
        count, y = ctx.saved_tensors
        grad = grad.masked_fill(y == 0, 0)
        return torch.where(y != 0, grad - grad.sum(-1, keepdim=True) / count.to(y.dtype), grad)


class TabNet(nn.Module):
    def __init__(self, features, out, decision, attention, steps, gamma, shared, independent):
        super().__init__()
        w, layers, self.each = decision + attention, steps + 1, independent if shared else independent - 1
        self.decision, self.width, self.gamma, self.reuse = decision, w, gamma, shared > 0
        self.initial_bn = nn.BatchNorm1d(features)
        self.first = nn.ModuleList(nn.Linear(features, 2 * w, bias=False) for _ in range(1 if shared else layers))
        self.shared = nn.ModuleList(nn.Linear(w, 2 * w, bias=False) for _ in range(shared - 1))
        self.specific = nn.ModuleList(nn.Linear(w, 2 * w, bias=False) for _ in range(layers * self.each))
        self.bns = nn.ModuleList(nn.BatchNorm1d(2 * w) for _ in range(layers * (shared + independent)))
        self.fcs = nn.ModuleList(nn.Linear(attention, features, bias=False) for _ in range(steps))
        self.masks = nn.ModuleList(nn.BatchNorm1d(features) for _ in range(steps))
        self.final = nn.Identity() if out is None else nn.Linear(decision, out, bias=False)

    def transform(self, x, step):
        own = self.specific[step * self.each : (step + 1) * self.each]
        layers = [self.first[0 if self.reuse else step], *self.shared, *own]
        for k, fc in enumerate(layers):
            y = self.bns[step * len(layers) + k](fc(x))
            y = y[:, : self.width] * torch.sigmoid(y[:, self.width :])
            x = y if k == 0 else (x + y) * 0.5**0.5
        return x

    def forward(self, x):
        x = self.initial_bn(x)
        y, prior, total = self.transform(x, 0), None, None
        for step, (fc, bn) in enumerate(zip(self.fcs, self.masks)):
            scores = bn(fc(y[:, self.decision :]))
            mask = Sparsemax.apply(scores if prior is None else scores * prior)
            if step + 1 < len(self.fcs):
                prior = self.gamma - mask if prior is None else (self.gamma - mask) * prior
            y = self.transform(mask * x, step + 1)
            part = F.relu(y[:, : self.decision])
            total = part if total is None else total + part
        return self.final(total)
`
