package catalog

import "github.com/modelverifier/verifier/internal/op"

var _ = define(Type{
	ID:      "retention",
	Title:   "Attention with a decay in the place of the softmax",
	Doc:     `Multi-scale retention in its parallel form: queries and keys are rotated by their positions, their products fade with the distance at a rate of each head, and only earlier positions are seen. The values are valueFactor times as wide, normalised for each head and gated. It takes (sequence, embedDim); embedDim/numHeads must be a whole and even number.`,
	Source:  "Sun et al. 2023, Retentive Network; microsoft/torchscale MultiScaleRetention",
	Group:   Attention,
	Aliases: []string{"multiScaleRetention"},
	Traits:  IsAttention | IsCausal | IsPositional | HasNorm | HasActivation | KeepsShape,
	Params:  headParams(Param{Name: "valueFactor", Kind: Int, Min: 1, Default: 2, Doc: "how many times wider than the queries the values are"}),
	Shape: func(c *Call) (Shape, error) {
		h := c.Int("numHeads")
		out, err := c.headsOf()
		if r, ok := err.(*Refusal); ok && r.Param == "embedDim" && r.Value.Int()/h%2 != 0 {
			r.Param = "" // what arrives would be odd for each head
		}
		if d := c.Int("embedDim") / h; err == nil && d%2 != 0 {
			return out, c.Errorf(OddRotary, "embedDim %d gives each of %d heads %d features, but they turn in pairs", c.Int("embedDim"), h, d)
		}
		return out, err
	},
	Weights: func(c *Call) {
		e, wide := c.Int("embedDim"), c.Mul(c.Int("valueFactor"), c.Int("embedDim"))
		c.Linear("q_proj", e, e, false)
		c.Linear("k_proj", e, e, false)
		c.Linear("v_proj", e, wide, false)
		c.Linear("g_proj", e, wide, false)
		c.Linear("out_proj", wide, e, false)
	},
	FLOPs: func(c *Call) int64 {
		s, e, f := c.In[0][0], c.Int("embedDim"), c.Int("valueFactor")
		maps := c.Add(c.MatMul(2, s, e, e), c.MatMul(3, s, e, c.Mul(f, e)))
		return c.Add(maps, c.MatMul(1, s, e, s), c.MatMul(f, s, s, e))
	},
	State: func(c *Call) int64 { // keys times values, of each head
		return c.Mul(c.Int("embedDim"), c.Int("embedDim"), c.Int("valueFactor")) / c.Int("numHeads")
	},
	Lower:         lowerRetention,
	Torch:         `Retention({{embedDim}}, {{numHeads}}, {{valueFactor}})`,
	Module:        retentionModule,
	WeightFormula: "embedDim*embedDim*(2 + 3*valueFactor)",
	FLOPsFormula:  "2*in[0]*embedDim*(embedDim*(2 + 3*valueFactor) + in[0]*(1 + valueFactor))",
	Examples: []Example{
		{In: "[12,8]", Args: "embedDim=8 numHeads=1", Out: "[12,8]", Weights: 512, FLOPs: 19200},
		{In: "[7,12]", Args: "embedDim=12 numHeads=3 valueFactor=1", Out: "[7,12]", Weights: 720, FLOPs: 12432},
		{In: "[12,15]", Args: "embedDim=15 numHeads=3", Err: "gives each of 3 heads 5 features"},
		{In: "[12,16]", Args: "embedDim=16 numHeads=3", Err: "embedDim 16 is not divisible by 3 heads"},
		{In: "[12,16]", Args: "embedDim=32 numHeads=4", Err: "embedDim is 32 but 16 features arrive"},
	},
})

// lowerRetention is the parallel form: scores that fade, divided by what they sum to.
func lowerRetention(l *Lowering) op.Value {
	p, x, s, e, heads := l.P, l.X[0], l.In[0][0], l.Int("embedDim"), l.Int("numHeads")
	d, wide := e/heads, l.Int("valueFactor")*e
	h := op.Heads{Queries: s, Keys: s, Count: heads, Features: d, Values: wide / heads}
	q := op.View(p, l.Map(x, "q_proj"), heads, s, d)
	k := op.View(p, op.Scale(p, l.Map(x, "k_proj")), heads, s, d)
	v := op.View(p, l.Map(x, "v_proj"), heads, s, h.Values)
	q, k = l.both(l.rotate, q, k)
	apart := op.Constant(p, op.Int64, true, s, s) // how far positions are
	decay := op.Constant(p, op.Float, true, heads, s, s)
	scores := op.Mul(p, op.Scores(p, l.headByHead(q, false), l.headByHead(k, false), op.None, h), decay)
	scores = op.Div(p, scores, op.SumWithoutGradient(p, scores, heads, s, 1))
	read := op.Weigh(p, scores, l.headByHead(v, false), h)
	normed := op.LayerNorm(p, read, h.Values)
	y := op.Contiguous(p, normed, s, wide)
	return l.named(l.Map(op.Mul(p, l.activate("silu", l.Map(x, "g_proj")), y), "out_proj"), q, k, v, apart, decay, scores, normed)
}

const retentionModule = `class Retention(nn.Module):
    def __init__(self, dim, heads, factor):
        super().__init__()
        self.heads, self.head_dim = heads, dim // heads
        self.q_proj, self.k_proj = nn.Linear(dim, dim, bias=False), nn.Linear(dim, dim, bias=False)
        self.v_proj, self.g_proj = nn.Linear(dim, factor * dim, bias=False), nn.Linear(dim, factor * dim, bias=False)
        self.out_proj = nn.Linear(factor * dim, dim, bias=False)
        self.norm = nn.LayerNorm(factor * self.head_dim, elementwise_affine=False)
        decay = torch.log(1 - 2.0 ** (-5 - torch.arange(heads, dtype=torch.float32)))
        self.register_buffer("decay", decay, persistent=False)

    def split(self, x):
        return x.unflatten(2, (self.heads, -1)).transpose(1, 2)

    def turn(self, x):
        s, d = x.shape[-2:]
        turns = 1.0 / 10000.0 ** (torch.arange(0, d, 2, dtype=torch.float32, device=x.device) / d)
        angle = (torch.arange(s, dtype=torch.float32, device=x.device)[:, None] * turns).repeat(1, 2)
        half = torch.cat((-x[..., d // 2 :], x[..., : d // 2]), -1)
        return x * angle.cos().to(x.dtype) + half * angle.sin().to(x.dtype)

    def forward(self, x):
        q, k = self.turn(self.split(self.q_proj(x))), self.turn(self.split(self.k_proj(x) * self.head_dim**-0.5))
        i = torch.arange(x.shape[1], device=x.device)
        d = i[:, None] - i[None, :]
        mask = torch.exp(d.clamp(min=0) * self.decay[:, None, None]) * (d >= 0)
        w = torch.matmul(q, k.transpose(2, 3)) * (mask / mask.sum(-1, keepdim=True).sqrt())
        w = w / w.detach().sum(-1, keepdim=True).abs().clamp(min=1)
        y = self.norm(torch.matmul(w, self.split(self.v_proj(x))))
        return self.out_proj(F.silu(self.g_proj(x)) * y.transpose(1, 2).flatten(2))
`
