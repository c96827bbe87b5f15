package catalog

import "github.com/modelverifier/verifier/internal/op"

var _ = define(Type{
	ID:      "perceiverResampler",
	Title:   "Trained latents that summarise a sequence",
	Doc:     `numLatents trained vectors attend, in depth layers of attention and feed-forward network, to a sequence (sequence, embedDim) and to themselves. The result is (numLatents, embedDim) whatever the length of the sequence. The heads must divide embedDim.`,
	Source:  "Alayrac et al. 2022, Flamingo, section 3.1; lucidrains/flamingo-pytorch",
	Group:   Blocks,
	Aliases: []string{"resampler", "attentionResampler"},
	Traits:  IsAttention | HasResidual | HasNorm | HasActivation,
	Params: headParams(
		Param{Name: "numLatents", Kind: Int, Min: 1, Writes: At(0), Aliases: []string{"numQueries", "nLatents"}, Doc: "number of trained vectors, the length of the result"},
		Param{Name: "depth", Kind: Int, Min: 1, Default: 1, Aliases: []string{"numLayers"}, Doc: "number of layers"},
		atLeastOne(ffDim()),
	),
	Shape: func(c *Call) (Shape, error) {
		out := Of(c.Int("numLatents"), c.Int("embedDim"))
		if _, err := c.headsOf(); err != nil {
			return nil, err
		}
		return out, nil
	},
	Weights: func(c *Call) {
		e, f, depth := c.Int("embedDim"), c.Int("ffDim"), c.Int("depth")
		layer := numbered("layers.", 0, depth) + "."
		c.Weight("latents", c.Int("numLatents"), e)
		c.normWeights("norm", e, true)
		for _, norm := range []string{"media", "own", "ff.0"} {
			c.WeightTimes(depth, layer+norm+".weight", e)
			c.WeightTimes(depth, layer+norm+".bias", e)
		}
		c.LinearTimes(depth, layer+"q", e, e, false)
		c.LinearTimes(depth, layer+"kv", e, c.Mul(2, e), false)
		c.LinearTimes(depth, layer+"out", e, e, false)
		c.LinearTimes(depth, layer+"ff.1", e, f, false)
		c.LinearTimes(depth, layer+"ff.3", f, e, false)
	},
	FLOPs: func(c *Call) int64 {
		e, n, h := c.Int("embedDim"), c.Int("numLatents"), c.Int("numHeads")
		keys := c.Add(c.In[0][0], n)
		return c.Mul(c.Int("depth"), c.Add(c.MatMul(2, n, e, e), c.MatMul(2, keys, e, e), c.attend(h, n, keys, e/h), c.MatMul(2, n, e, c.Int("ffDim"))))
	},
	Lower: lowerResampler,
	Torch: `PerceiverResampler({{embedDim}}, {{numHeads}}, {{numLatents}}, {{depth}}, {{ffDim}})`,
	Module: `class PerceiverResampler(nn.Module):
    def __init__(self, dim, heads, latents, depth, hidden):
        super().__init__()
        self.heads, self.latents, self.norm = heads, nn.Parameter(torch.randn(latents, dim)), nn.LayerNorm(dim)
        self.layers = nn.ModuleList(nn.ModuleDict(dict(
            media=nn.LayerNorm(dim), own=nn.LayerNorm(dim), q=nn.Linear(dim, dim, bias=False),
            kv=nn.Linear(dim, 2 * dim, bias=False), out=nn.Linear(dim, dim, bias=False),
            ff=nn.Sequential(nn.LayerNorm(dim), nn.Linear(dim, hidden, bias=False), nn.GELU(), nn.Linear(hidden, dim, bias=False)),
        )) for _ in range(depth))

    def forward(self, x):
        y = self.latents.expand(x.shape[0], -1, -1)
        for m in self.layers:
            own = m["own"](y)
            k, v = m["kv"](torch.cat((m["media"](x), own), 1)).chunk(2, -1)
            q, k, v = [t.unflatten(2, (self.heads, -1)).transpose(1, 2) for t in (m["q"](own), k, v)]
            y = y + m["out"](F.scaled_dot_product_attention(q, k, v).transpose(1, 2).flatten(2))
            y = y + m["ff"](y)
        return self.norm(y)
`,
	WeightFormula: "numLatents*embedDim + 2*embedDim + depth*(4*embedDim*embedDim + 2*embedDim*ffDim + 6*embedDim)",
	FLOPsFormula: "depth*(4*numLatents*embedDim*embedDim + 4*(in[0]+numLatents)*embedDim*embedDim" +
		" + 4*numLatents*(in[0]+numLatents)*embedDim + 4*numLatents*embedDim*ffDim)",
	Examples: []Example{
		{In: "[7,8]", Args: "embedDim=8 numHeads=1 numLatents=4 depth=3", Out: "[4,8]", Weights: 2496, FLOPs: 28032},
		{In: "[5,12]", Args: "embedDim=12 numHeads=4 numLatents=3 ffDim=10", Out: "[3,12]", Weights: 948},
		{In: "[7,8]", Args: "embedDim=8 numHeads=1", Err: "numLatents is missing"},
		{In: "[7,8]", Args: "embedDim=8 numHeads=3 numLatents=4", Err: "embedDim 8 is not divisible by 3 heads"},
	},
})

// stepsOfLayer is about how many operations a layer is: of so many layers less are followed than of parts that are one or two.
const stepsOfLayer = 16

// lowerResampler runs the layers one after the other.
func lowerResampler(l *Lowering) op.Value {
	p, s, e, n, depth := l.P, l.In[0][0], l.Int("embedDim"), l.Int("numLatents"), l.Int("depth")
	if depth > MostParts/stepsOfLayer {
		return op.None
	}
	y, before := op.Expanded(p, l.W("latents"), n, e), op.None
	layer := numbered("layers.", 0, depth) + "."
	of := resampler{l.part(layer + "own"), l.part(layer + "media"), l.part(layer + "kv"), l.part(layer + "q"), l.part(layer + "out"),
		[3]part{l.part(layer + "ff.0"), l.part(layer + "ff.1"), l.part(layer + "ff.3")}}
	for k := range depth {
		y, before = l.resample(&of, y, before, s, e, n, k)
	}
	return op.LayerNorm(p, y, e, l.Affine("norm")...)
}

// resampler has the modules of a layer.
type resampler struct {
	own, media, kv, q, out part
	feedForward            [3]part
}

// part is where the weights of a module are, which all layers have: they are searched once.
type part struct{ weight, bias int }

func (l *Lowering) part(module string) part {
	return part{l.place(module, "weight"), l.place(module, "bias")}
}

// at is one of the weights in a place, or op.None where there is none.
func (l *Lowering) at(place int, nth int64) op.Value {
	if place < 0 {
		return op.None
	}
	return l.P.WeightOf(place, nth, l.Weights[place].Shape...)
}

// resample is one layer.
func (l *Lowering) resample(of *resampler, y, before op.Value, s, e, n, nth int64) (op.Value, op.Value) {
	p, heads := l.P, l.Int("numHeads")
	norm := func(x op.Value, of part) op.Value {
		return op.LayerNorm(p, x, e, l.at(of.weight, nth), l.at(of.bias, nth))
	}
	linear := func(x op.Value, of part) op.Value { return l.LinearOf(x, l.at(of.weight, nth), l.at(of.bias, nth)) }
	own := norm(y, of.own)
	both := op.Concatenate(p, []int64{s + n, e}, norm(l.X[0], of.media), own)
	all := linear(both, of.kv)
	if before != op.None { // keys and values of the layer before have their names until these are there
		l.named(all, before)
	}
	kv := op.Split(p, all, []int64{s + n, e}, []int64{s + n, e})
	h := op.Heads{Queries: n, Keys: s + n, Count: heads, Features: e / heads, Values: e / heads}
	q := op.View(p, linear(own, of.q), heads, n, e/heads)
	k, v := op.View(p, kv[0], heads, s+n, e/heads), op.View(p, kv[1], heads, s+n, e/heads)
	y = op.Add(p, y, linear(l.attend(q, k, v, op.None, h, inHeads{sliced: true}), of.out))
	hidden := l.activate("gelu", linear(norm(y, of.feedForward[0]), of.feedForward[1]))
	return l.named(op.Add(p, y, linear(hidden, of.feedForward[2])), own, all), all
}
