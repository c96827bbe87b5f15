package catalog

import "github.com/modelverifier/verifier/internal/op"

var _ = define(Type{
	ID:    "dqnHead",
	Title: "A value for each action",
	Doc: `A linear layer that gives a value for each of numActions actions. With dueling a second one gives the value of the state, ` +
		`and the first gives advantages, whose mean is taken away. If inFeatures is left out it is taken from the input.`,
	Source:  "Mnih et al. 2015; Wang et al. 2016, equation 9; vwxyzjn/cleanrl dqn.py QNetwork",
	Group:   Dense,
	Aliases: []string{"qHead"},
	Params:  []Param{paramHeadIn, paramActions, {Name: "dueling", Kind: Bool, Default: false, Doc: "whether the value of the state has a layer of its own"}},
	Shape:   headShape("numActions"),
	Weights: func(c *Call) {
		c.Linear("q", c.Int("inFeatures"), c.Int("numActions"), true)
		if c.Bool("dueling") {
			c.Linear("value", c.Int("inFeatures"), 1, true)
		}
	},
	FLOPs: func(c *Call) int64 {
		n := c.Int("numActions")
		if c.Bool("dueling") {
			n = c.Add(n, 1)
		}
		return c.MatMul(1, c.positions(), c.Int("inFeatures"), n)
	},
	Lower: func(l *Lowering) op.Value {
		p, y := l.P, l.Map(l.X[0], "q")
		if !l.Bool("dueling") {
			return y
		}
		mean := op.Mean(p, y, l.Out.With(-1, 1)...)
		return op.Add(p, l.Map(l.X[0], "value"), op.Sub(p, y, mean))
	},
	Torch: `DQNHead({{inFeatures}}, {{numActions}}, dueling={{dueling}})`,
	Module: `class DQNHead(nn.Module):
    def __init__(self, features, actions, dueling=False):
        super().__init__()
        self.q, self.value = nn.Linear(features, actions), nn.Linear(features, 1) if dueling else None

    def forward(self, x):
        q = self.q(x)
        return q if self.value is None else self.value(x) + (q - q.mean(-1, keepdim=True))
`,
	WeightFormula: "(inFeatures + 1)*(numActions + dueling)",
	FLOPsFormula:  "2*size(in)*(numActions + dueling)",
	Examples: []Example{
		{In: "[512]", Args: "numActions=18", Out: "[18]", Weights: 9234, FLOPs: 18432},
		{In: "[4,32]", Args: "hiddenSize=32 numActions=6 dueling=true", Out: "[4,6]", Weights: 231, FLOPs: 1792},
		{In: "[512]", Args: "inFeatures=256 numActions=18", Err: "inFeatures is 256 but 512 features arrive"},
		{In: "[512]", Err: "numActions is missing"},
	},
})
