package catalog

import "github.com/modelverifier/verifier/internal/op"

var _ = define(Type{
	ID:    "bandAttention",
	Title: "Attention to a window, computed in pieces",
	Doc: `Every position attends to those at most windowSize away, on both sides. Scores are computed for pieces of twice windowSize that overlap by half, and only the band is kept, so that it costs as much as the sequence is long; ` +
		`localAttention masks all scores instead. Takes queries, keys and values, each (sequence, features), which the heads divide; the sequence must be a multiple of twice windowSize. ` +
		`It has no weights: the projections are components of their own, and so is attention of global positions.`,
	Source:  "Beltagy et al. 2020, Longformer, section 3.2; transformers modeling_longformer.py LongformerSelfAttention",
	Group:   Attention,
	Aliases: []string{"longformerAttention", "slidingChunksAttention"},
	Inputs:  Arity{3, 3},
	Traits:  IsAttention | IsMerge | HasActivation | KeepsShape,
	Params: []Param{
		{Name: "numHeads", Kind: Int, Min: 1, Aliases: []string{"heads", "numAttentionHeads"}, Doc: "number of heads"},
		{Name: "windowSize", Kind: Int, Min: 2, Aliases: []string{"oneSidedWindow", "windowOverlap"}, Doc: "how many positions away a position sees, on each side"},
		innerDropout("probability with which weights are dropped"),
	},
	Shape: bandShape,
	FLOPs: func(c *Call) int64 {
		s, wide, w := c.In[0][0], c.In[0][1], c.Int("windowSize")
		return c.Add(c.MatMul(s/w-1, c.Mul(2, w), wide, c.Mul(2, w)), c.MatMul(1, s, c.Mul(3, w), wide))
	},
	Lower:        lowerBand,
	Torch:        `BandAttention({{numHeads}}, {{windowSize}}, {{dropout}})`,
	Module:       bandModule,
	FLOPsFormula: "8*(in[0]/windowSize - 1)*windowSize*windowSize*in[1] + 6*size(in)*windowSize",
	Examples: []Example{
		{In: "[24,16] [24,16] [24,16]", Args: "numHeads=4 windowSize=4", Out: "[24,16]", FLOPs: 19456},
		{In: "[4,3] [4,3] [4,3]", Args: "numHeads=1 windowSize=2", Out: "[4,3]", FLOPs: 240},
		{In: "[20,16] [20,16] [20,16]", Args: "numHeads=4 windowSize=4", Err: "20 positions are no multiple of 8, twice windowSize"},
		{In: "[24,16] [24,16] [24,8]", Args: "numHeads=4 windowSize=4", Err: "queries are [24,16] but the third input is [24,8]"},
		{In: "[24,15] [24,15] [24,15]", Args: "numHeads=4 windowSize=4", Err: "15 features are not divisible by 4 heads"},
		{In: "[24,16] [24,16] [24,16]", Args: "numHeads=4 windowSize=4 dropout=2", Err: "dropout is 2 but must be from 0 to 1"},
		{In: "[24,16] [24,16]", Args: "numHeads=4 windowSize=4", Err: "takes 3 inputs, got 2"},
	},
})

func bandShape(c *Call) (Shape, error) {
	in, h, both := c.In[0], c.Int("numHeads"), c.Mul(2, c.Int("windowSize"))
	if in.Rank() != 2 {
		return nil, c.Errorf(RankMismatch, "takes (sequence, features) for queries, keys and values, got %v", in)
	}
	for i, name := range []string{"second", "third"} {
		if !c.In[i+1].Equal(in) {
			return in, c.Errorf(MergeShapeMismatch, "queries are %v but the %s input is %v", in, name, c.In[i+1])
		}
	}
	switch {
	case in[1]%h != 0:
		return in, c.Errorf(HeadDimDivisibility, "%d features are not divisible by %d heads", in[1], h)
	case in[0]%both != 0:
		return in, c.Errorf(BadParam, "%d positions are no multiple of %d, twice windowSize", in[0], both)
	}
	return in, c.checkInnerDropout()
}

func lowerBand(l *Lowering) op.Value {
	p, s, h, w := l.P, l.In[0][0], l.Int("numHeads"), l.Int("windowSize")
	d, pieces, blocks := l.In[0][1]/h, s/w-1, s/w
	cut := func(x op.Value) op.Value { // overlapping pieces are copied for the product
		if x = l.heads(x, s, h, d); pieces == 1 {
			return x
		}
		return op.Contiguous(p, op.AsStrided(p, x, h*pieces, 2*w, d), h*pieces, 2*w, d)
	}
	q, k := cut(op.Scale(p, l.X[0])), cut(l.X[1])
	scores := op.MatMul(p, op.View(p, q, h*pieces, 2*w, d), op.View(p, k, h*pieces, d, 2*w))
	band := op.CopySlices(p, op.Padded(p, scores, h*pieces, 2*w+1, 2*w), h, s, 2*w+1)
	for range 2 {
		ends := op.MaskedFill(p, op.Piece(p, band, h, w, w+1), op.Constant(p, op.Byte, true, w, w+1))
		band = op.SetPart(p, band, ends)
	}
	weights := op.Padded(p, l.dropout(op.Softmax(p, band)), h*blocks, w, 3*w+2)
	v := op.Padded(p, l.heads(l.X[1+1], s, h, d), h, s+2*w, d)
	v = op.Contiguous(p, op.AsStrided(p, v, h*blocks, 3*w, d), h*blocks, 3*w, d)
	y := op.MatMul(p, op.Piece(p, weights, h*blocks, w, 3*w), v)
	return l.joinHeads(op.View(p, y, h, s, d), s, h, d)
}

const bandModule = `class BandAttention(nn.Module):
    def __init__(self, heads, reach, dropout):
        super().__init__()
        self.heads, self.reach, self.dropout = heads, reach, dropout

    def pieces(self, x, size):
        n, s, d = x.shape
        step = self.reach
        return x.as_strided((n, (s - size) // step + 1, size, d), (x.stride(0), step * x.stride(1), x.stride(1), x.stride(2)))

    def band(self, q, k):
        w, n, s = self.reach, q.shape[0], q.shape[1]
        both = torch.matmul(self.pieces(q, 2 * w), self.pieces(k, 2 * w).transpose(2, 3))
        both = F.pad(both, (0, 0, 0, 1)).view(n, s // w - 1, 2 * w, 2 * w + 1)
        out = both.new_zeros(n, s // w, w, 2 * w + 1)
        out[:, :-1, :, w:] = both[:, :, :w, : w + 1]
        out[:, -1, :, w:] = both[:, -1, w:, : w + 1]
        out[:, 1:, :, :w] = both[:, :, -w - 1 : -1, w + 1 :]
        out[:, 0, 1:w, 1:w] = both[:, 0, : w - 1, 1 - w :]
        out = out.view(n, s, 2 * w + 1)
        outside = torch.ones(w, w + 1, dtype=torch.bool, device=q.device).tril().flip(0)
        out[:, :w, : w + 1] = out[:, :w, : w + 1].masked_fill(outside, float("-inf"))
        out[:, -w:, -w - 1 :] = out[:, -w:, -w - 1 :].masked_fill(outside.flip(0, 1), float("-inf"))
        return out

    def forward(self, q, k, v):
        if not all(x.is_floating_point() for x in (q, k, v)):
            raise TypeError("takes numbers with a fraction")
        w, s = self.reach, q.shape[1]
        q = q / (q.shape[2] // self.heads) ** 0.5
        q, k, v = (x.unflatten(2, (self.heads, -1)).transpose(1, 2).flatten(0, 1) for x in (q, k, v))
        weights, n = F.dropout(torch.softmax(self.band(q, k), -1), self.dropout, self.training), q.shape[0]
        spread = F.pad(weights.view(n, s // w, w, 2 * w + 1), (0, w + 1)).view(n, s // w, -1)
        spread = spread[:, :, :-w].view(n, s // w, w, 3 * w + 1)[..., :-1]
        y = torch.matmul(spread, self.pieces(F.pad(v, (0, 0, w, w), value=-1), 3 * w)).reshape(n, s, -1)
        return y.unflatten(0, (-1, self.heads)).transpose(1, 2).flatten(2)
`
