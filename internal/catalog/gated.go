package catalog

import "github.com/modelverifier/verifier/internal/op"

// gatedParams are those of the gated feed-forward networks, swiglu and geglu.
func gatedParams() []Param {
	return []Param{
		{Name: "embedDim", Kind: Int, Reads: At(-1), Doc: "size of the last axis"},
		{Name: "intermediateSize", Kind: Int, Aliases: []string{"ffDim", "dimFeedforward", "intermediateDim"}, Doc: "width between the maps"},
		{Name: "bias", Kind: Bool, Default: false, Doc: "whether the maps add a bias"},
		givenDropout("probability of dropping a feature in front of the last map"),
	}
}

func gatedShape(c *Call) (Shape, error) {
	out, err := mapShape(c)
	if err == nil {
		err = c.checkGiven()
	}
	return out, err
}

func gatedWeights(c *Call) {
	c.gated(1, "", c.Int("embedDim"), c.Int("intermediateSize"), c.Bool("bias"))
}

// gated declares the three maps of gated feed-forward networks.
func (c *Call) gated(times int64, name string, dim, hidden int64, bias bool) {
	c.LinearTimes(times, join(name, "gate_proj"), dim, hidden, bias)
	c.LinearTimes(times, join(name, "up_proj"), dim, hidden, bias)
	c.LinearTimes(times, join(name, "down_proj"), hidden, dim, bias)
}

func gatedFLOPs(c *Call) int64 {
	return c.MatMul(3, c.positions(), c.Int("embedDim"), c.Int("intermediateSize"))
}

// lowerGated lowers a gated network with an activation.
func lowerGated(activation string) func(l *Lowering) op.Value {
	return func(l *Lowering) op.Value {
		gate := l.activate(activation, l.Map(l.X[0], "gate_proj"))
		return l.Map(l.dropout(op.Mul(l.P, gate, l.Map(l.X[0], "up_proj"))), "down_proj")
	}
}

// gated is the three maps of a gated network, of one of several with a name.
func (l *Lowering) gated(x op.Value, name string, nth int64, activation string) op.Value {
	gate := l.activate(activation, l.mapOf(x, join(name, "gate_proj"), nth))
	return l.mapOf(op.Mul(l.P, gate, l.mapOf(x, join(name, "up_proj"), nth)), join(name, "down_proj"), nth)
}

const gatedModule = `class Gated(nn.Module):
    def __init__(self, dim, hidden, bias, activation, dropout=None):
        super().__init__()
        self.gate_proj, self.up_proj = nn.Linear(dim, hidden, bias=bias), nn.Linear(dim, hidden, bias=bias)
        self.down_proj, self.activation = nn.Linear(hidden, dim, bias=bias), activation
        self.dropout = dropout or 0.0

    def forward(self, x):
        gated = self.activation(self.gate_proj(x)) * self.up_proj(x)
        return self.down_proj(F.dropout(gated, self.dropout, self.training))
`

const (
	gatedWeightFormula = "3*embedDim*intermediateSize + bias*(2*intermediateSize+embedDim)"
	gatedFLOPsFormula  = "6*size(in)*intermediateSize"
)
