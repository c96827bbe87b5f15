package catalog

import "github.com/modelverifier/verifier/internal/op"

// recurrent is what the recurrent layers share. Gates is the number of matrices that a step multiplies its input by.
type recurrent struct{ gates int64 }

func recurrentParams(more ...Param) []Param {
	return append([]Param{
		{Name: "inputSize", Kind: Int, Reads: At(-1), Aliases: []string{"inputDim"}, Doc: "size of the last axis of the input"},
		{Name: "hiddenSize", Kind: Int, Min: 1, Aliases: []string{"hiddenDim", "units"}, Doc: "size of the state"},
		{Name: "numLayers", Kind: Int, Min: 1, Default: 1, Doc: "how many layers lie on top of each other"},
		{Name: "bias", Kind: Bool, Strict: true, Default: true, Doc: "whether biases are added"},
		{Name: "returnSequences", Kind: Bool, Default: true, Doc: "whether every step is returned, or only the last"},
		innerDropout("probability of dropout between the layers"),
	}, more...)
}

func bidirectional() Param {
	return Param{Name: "bidirectional", Kind: Bool, Strict: true, Default: false, Doc: "whether a second layer runs from the end to the start"}
}

func projSize() Param {
	return Param{Name: "projSize", Kind: Int, Default: 0, Doc: "size that the state is projected to at each step; 0 for none"}
}

// directions is 2 for a layer that runs both ways; a type without the parameter always does.
func (recurrent) directions(c *Call) int64 {
	if c.Type.Param("bidirectional") == nil || c.Bool("bidirectional") {
		return 2
	}
	return 1
}

func (recurrent) projection(c *Call) int64 {
	if c.Type.Param("projSize") == nil {
		return 0
	}
	return c.Int("projSize")
}

// state is the size of what a step hands to the next one and to the layer above.
func (r recurrent) state(c *Call) int64 {
	if n := r.projection(c); n > 0 {
		return n
	}
	return c.Int("hiddenSize")
}

// carried is what a step hands to the next one, with the cell of an LSTM, which has four gates.
func (r recurrent) carried(c *Call) int64 {
	if r.directions(c) > 1 {
		return 0
	}
	tensors := int64(1)
	if r.gates == 4 {
		tensors = 2
	}
	return c.Mul(tensors, c.Int("numLayers"), c.Int("hiddenSize"))
}

func (r recurrent) shape(c *Call) (Shape, error) {
	if err := c.Ranks(2, 2, "(sequence, features)"); err != nil {
		return nil, err
	}
	if p, h := r.projection(c), c.Int("hiddenSize"); p >= h {
		return nil, c.Errorf(RNNProjection, "projSize is %d but must be smaller than hiddenSize, which is %d", p, h)
	}
	out := Of(c.In[0][0], c.Mul(r.directions(c), r.state(c)))
	if !c.Bool("returnSequences") {
		out = out[1:]
	}
	if err := c.checkInnerDropout(); err != nil {
		return out, err
	}
	return out, c.Match(RNNInMismatch, "inputSize", "feature")
}

// weights names the layers behind the first, which are all alike, by {i}: a loop over them would never end for a wild
// numLayers.
func (r recurrent) weights(c *Call) {
	r.layer(c, "l0", 1, c.Int("inputSize"))
	if n := c.Int("numLayers") - 1; n > 0 {
		r.layer(c, numbered("l", 1, n), n, c.Mul(r.directions(c), r.state(c)))
	}
}

func (r recurrent) layer(c *Call, name string, times, in int64) {
	rows := c.Mul(r.gates, c.Int("hiddenSize"))
	for _, way := range []string{"", "_reverse"}[:r.directions(c)] {
		c.WeightTimes(times, "weight_ih_"+name+way, rows, in)
		c.WeightTimes(times, "weight_hh_"+name+way, rows, r.state(c))
		if c.Bool("bias") {
			c.WeightTimes(times, "bias_ih_"+name+way, rows)
			c.WeightTimes(times, "bias_hh_"+name+way, rows)
		}
		if p := r.projection(c); p > 0 {
			c.WeightTimes(times, "weight_hr_"+name+way, p, c.Int("hiddenSize"))
		}
	}
}

// flops counts the matrix products of every step: the gates of the input, those of the state, and the projection.
func (r recurrent) flops(c *Call) int64 {
	steps, h := c.In[0][0], c.Int("hiddenSize")
	dirs, state, rows := r.directions(c), r.state(c), c.Mul(r.gates, h)
	layer := func(times, in int64) int64 {
		return c.Mul(times, dirs, c.Add(c.MatMul(steps, rows, c.Add(in, state), 1), c.MatMul(steps, h, r.projection(c), 1)))
	}
	return c.Add(layer(1, c.Int("inputSize")), layer(c.Int("numLayers")-1, c.Mul(dirs, state)))
}

// reserveRound is what cuDNN rounds the parts of its reserve up to, in bytes, and reserveHead what it adds for itself. Both,
// and the parts below, were read off 1,479 layers run with cuDNN 9.19 on an H200, which they give to the byte.
const (
	reserveRound = 32
	reserveHead  = 256
)

// lower is torch.nn's layer run by cuDNN, and the last step of its result where only that is asked for.
func (r recurrent) lower(l *Lowering) op.Value {
	c := &l.Call
	n, dirs, h, state, steps := c.Int("numLayers"), r.directions(c), c.Int("hiddenSize"), r.state(c), c.In[0][0]
	var weights []op.Value
	for k := range l.Weights {
		w := &l.Weights[k]
		weights = append(weights, l.P.Weight(k, append([]int64{w.Times}, w.Shape...)...))
	}
	states := []int64{n * dirs * state}
	reserve := op.Reserve{Round: reserveRound, Head: reserveHead}
	part := func(layers, times, size int64) {
		if layers > 0 {
			reserve.Floats = append(reserve.Floats, layers*dirs*steps*times*size)
		}
	}
	switch r.gates {
	case 4:
		states = append(states, n*dirs*h)
		part(n, 4, h)
		part(n, 1, h)
	case 3:
		part(n, 6, h)
	default:
		part(n, 1, h)
	}
	part(n-1, 1, h)
	if r.projection(c) > 0 {
		part(n, 1, h)
		part(n, 1, state)
	}
	if c.drops() {
		reserve.Bits = (n - 1) * dirs * ((steps*dirs*state + 7) / 8)
	}
	y := op.RNN(l.P, l.X[0], state, dirs, weights, states, reserve)
	if c.Bool("returnSequences") {
		return y
	}
	return op.View(l.P, y, c.Out...)
}

// module is the source of a subclass of a recurrent layer of torch.nn that returns the sequence, or its last step, and not
// the states.
func (recurrent) module(base string) string {
	return `class Sequence` + base + `(nn.` + base + `):
    def __init__(self, *sizes, sequences=True, **options):
        super().__init__(*sizes, batch_first=True, **options)
        self.sequences = sequences

    def forward(self, x):
        y, _ = super().forward(x)
        return y if self.sequences else y[:, -1]
`
}
