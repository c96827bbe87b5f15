package catalog

import "github.com/modelverifier/verifier/internal/op"

var _ = define(Type{
	ID:    "lshAttention",
	Title: "Attention to positions that hash alike",
	Doc: `Queries are their own keys. They are hashed into numBuckets by random rotations, sorted by bucket and cut into chunks of chunkLength; each chunk attends to itself and to its neighbours, in numHashes rounds that are weighed by their scores. ` +
		`A sequence that is no longer than a chunk attends to everything instead; a longer one must be a multiple of a chunk. Takes queries and values, each (sequence, features), which the heads divide. ` +
		`It has no weights: the projections are components of their own. Half of the buckets are the opposites of the others, so that numBuckets is even.`,
	Source:  "Kitaev et al. 2020, Reformer, section 2; transformers modeling_reformer.py LSHSelfAttention",
	Group:   Attention,
	Aliases: []string{"lshSelfAttention", "reformerAttention"},
	Inputs:  Arity{2, 2},
	Traits:  IsAttention | IsMerge | HasActivation | KeepsShape,
	Params: []Param{
		{Name: "numHeads", Kind: Int, Min: 1, Aliases: []string{"heads", "numAttentionHeads"}, Doc: "number of heads"},
		{Name: "numBuckets", Kind: Int, Min: 1, Doc: "number of buckets of a round"},
		{Name: "chunkLength", Kind: Int, Min: 1, Default: 64, Aliases: []string{"bucketSize", "lshAttnChunkLength"}, Doc: "positions of a chunk"},
		{Name: "numHashes", Kind: Int, Min: 1, Default: 1, Aliases: []string{"nHashes"}, Doc: "rounds of hashing"},
		{Name: "chunksBefore", Kind: Int, Default: 1, Aliases: []string{"lshNumChunksBefore"}, Doc: "chunks before its own that a chunk sees"},
		{Name: "chunksAfter", Kind: Int, Default: 0, Aliases: []string{"lshNumChunksAfter"}, Doc: "chunks behind its own that a chunk sees"},
		{Name: "causal", Kind: Bool, Default: false, Aliases: []string{"isDecoder"}, Doc: "whether a position sees only those before it"},
		innerDropout("probability with which weights are dropped"),
	},
	Shape: lshShape,
	FLOPs: func(c *Call) int64 {
		s, wide := c.In[0][0], c.In[0][1]
		if s <= c.Int("chunkLength") {
			return c.MatMul(2, s, wide, s)
		}
		rounds := c.Int("numHashes")
		hashed := c.MatMul(1, s, wide, c.Mul(rounds, c.Int("numBuckets")/2))
		return c.Add(hashed, c.MatMul(c.Mul(2, rounds), s, wide, c.lshSeen()))
	},
	Lower:  lowerLSH,
	Torch:  `LSHAttention({{numHeads}}, {{numBuckets}}, {{chunkLength}}, {{numHashes}}, {{chunksBefore}}, {{chunksAfter}}, {{causal}}, {{dropout}})`,
	Module: lshModule,
	FLOPsFormula: "(in[0] < chunkLength + 1)*4*size(in)*in[0] + " +
		"(in[0] > chunkLength)*size(in)*numHashes*(numBuckets + 4*chunkLength*(1 + chunksBefore + chunksAfter))",
	Examples: []Example{
		{In: "[128,32] [128,32]", Args: "numHeads=4 numBuckets=8 chunkLength=16 numHashes=2", Out: "[128,32]", FLOPs: 1114112},
		{In: "[8,6] [8,6]", Args: "numHeads=2 numBuckets=4 chunkLength=8", Out: "[8,6]", FLOPs: 1536},
		{In: "[60,32] [60,32]", Args: "numHeads=4 numBuckets=8 chunkLength=16", Err: "60 positions are no multiple of a chunk of 16"},
		{In: "[64,32] [64,32]", Args: "numHeads=4 numBuckets=7 chunkLength=16", Err: "numBuckets is 7 but must be even"},
		{In: "[64,30] [64,30]", Args: "numHeads=4 numBuckets=8", Err: "30 features are not divisible by 4 heads"},
		{In: "[64,32] [64,16]", Args: "numHeads=4 numBuckets=8", Err: "queries are [64,32] but values are [64,16]"},
		{In: "[64,32] [64,32]", Args: "numHeads=4 numBuckets=8 dropout=2", Err: "dropout is 2 but must be from 0 to 1"},
		{In: "[64,32]", Args: "numHeads=4 numBuckets=8", Err: "takes 2 inputs, got 1"},
	},
})

// lshSeen is how many keys a chunk sees.
func (c *Call) lshSeen() int64 {
	return c.Mul(c.Int("chunkLength"), c.Add(1, c.Int("chunksBefore"), c.Int("chunksAfter")))
}

func lshShape(c *Call) (Shape, error) {
	in, h, chunk := c.In[0], c.Int("numHeads"), c.Int("chunkLength")
	switch n := c.Int("numBuckets"); {
	case in.Rank() != 2:
		return nil, c.Errorf(RankMismatch, "takes (sequence, features) for queries and values, got %v", in)
	case n%2 != 0:
		return in, c.Errorf(BadParam, "numBuckets is %d but must be even", n)
	case !c.In[1].Equal(in):
		return in, c.Errorf(MergeShapeMismatch, "queries are %v but values are %v", in, c.In[1])
	case in[1]%h != 0:
		return in, c.Errorf(HeadDimDivisibility, "%d features are not divisible by %d heads", in[1], h)
	case in[0] > chunk && in[0]%chunk != 0:
		return in, c.Errorf(BadParam, "%d positions are no multiple of a chunk of %d", in[0], chunk)
	}
	return in, c.checkInnerDropout()
}

// lshScores is the product of queries and keys with masks, and its weights; logits are the sums of the scores' powers.
func (l *Lowering) lshScores(q, k op.Value) (weights, logits op.Value) {
	p := l.P
	scores := op.MatMul(p, q, k)
	shape := p.Shape(scores)
	masks := 1
	if l.Bool("causal") {
		masks = 2
	}
	for range masks {
		scores = op.Where(p, op.Constant(p, op.Byte, false, shape...), scores, op.ConstantLike(p, scores, 1))
	}
	logits = op.LogSumExp(p, scores, shape[0], shape[1], 1)
	return l.dropout(op.WideOfOutput(p, op.Sub(p, scores, logits))), logits
}

func lowerLSH(l *Lowering) op.Value {
	p, s, h, chunk := l.P, l.In[0][0], l.Int("numHeads"), l.Int("chunkLength")
	d := l.In[0][1] / h
	norm := func(x op.Value, shape ...int64) op.Value {
		x = op.View(p, x, shape...)
		root := op.WideOfOutput(p, op.Scale(p, op.Mean(p, op.Pow(p, x), shape[0], shape[1], 1)))
		return op.Scale(p, op.Mul(p, x, root))
	}
	if s <= chunk {
		q, v := l.heads(l.X[0], s, h, d), l.heads(l.X[1], s, h, d)
		k := op.View(p, l.heads(norm(l.X[0], s, h, d), s, h, d), h, d, s)
		weights, _ := l.lshScores(q, k)
		return l.joinHeads(op.MatMul(p, weights, v), s, h, d)
	}
	rounds := l.Int("numHashes")
	n, pieces, seen := rounds*s, rounds*s/chunk, l.lshSeen()
	places := op.Hashed(p, op.View(p, l.X[0], h, s, d), rounds, l.Int("numBuckets")/2)
	back := op.Constant(p, op.Int64, false, h, n, 1)
	sorted := func(x op.Value) op.Value {
		return op.Gather(p, op.Copied(p, op.View(p, x, h, s, d), h, n, d), op.View(p, places, h, n, d))
	}
	adjacent := func(x op.Value) op.Value {
		if seen == chunk {
			return x
		}
		return op.Copied(p, x, h*pieces, seen, d)
	}
	q, v := sorted(l.X[0]), adjacent(sorted(l.X[1]))
	k := op.View(p, adjacent(norm(q, h*pieces, chunk, d)), h*pieces, d, seen)
	weights, logits := l.lshScores(op.View(p, q, h*pieces, chunk, d), k)
	y := op.View(p, op.MatMul(p, weights, op.View(p, v, h*pieces, seen, d)), h, n, d)
	y = op.Gather(p, y, op.View(p, back, h, n, d))
	if rounds > 1 {
		logits = op.View(p, op.Gather(p, op.View(p, logits, h, n, 1), back), h, rounds, s, 1)
		share := op.WideOfOutput(p, op.Sub(p, logits, op.LogSumExp(p, logits, h, 1, s, 1)))
		y = op.Sum(p, op.Mul(p, op.View(p, y, h, rounds, s, d), share), h, s, d)
	}
	return l.joinHeads(y, s, h, d)
}

const lshModule = `class LSHAttention(nn.Module):
    def __init__(self, heads, buckets, chunk, hashes, before, after, causal, dropout):
        super().__init__()
        self.heads, self.buckets, self.chunk, self.hashes = heads, buckets, chunk, hashes
        self.before, self.after, self.causal, self.dropout = before, after, causal, dropout

    @torch.no_grad()
    def sort(self, x):
        s, d = x.shape[2:]
        turned = torch.matmul(x, torch.randn(self.heads, d, self.hashes * (self.buckets // 2), device=x.device, dtype=x.dtype))
        turned = turned.unflatten(3, (self.hashes, -1)).transpose(2, 3)
        buckets = torch.cat([turned, -turned], -1).argmax(-1)
        buckets = (buckets + self.buckets * torch.arange(self.hashes, device=x.device)[:, None]).flatten(2)
        at = torch.arange(buckets.shape[2], device=x.device)
        places = (s * buckets + at % s).argsort(-1)
        return places % s, torch.zeros_like(places).scatter_(-1, places, at.expand_as(places))

    def gather(self, x, places):
        return x.repeat(1, 1, self.hashes, 1).gather(2, places[..., None].expand(-1, -1, -1, x.shape[3]))

    def adjacent(self, x):
        if self.before == self.after == 0:
            return x
        return torch.cat([x if i == 0 else torch.cat([x[:, :, i:], x[:, :, :i]], 2) for i in range(-self.before, self.after + 1)], 3)

    def norm(self, x):
        return x * torch.rsqrt(torch.mean(x**2, -1, keepdim=True) + 1e-6) / x.shape[-1] ** 0.5

    def attend(self, q, k, v, at, of):
        scores, number = torch.matmul(q, k.transpose(-1, -2)), lambda x: torch.tensor(x, device=q.device, dtype=q.dtype)
        if self.causal:
            scores = torch.where(at[..., None] >= of[..., None, :], scores, number(-1e9))
        scores = torch.where(at[..., None] != of[..., None, :], scores, number(-1e5))
        logits = torch.logsumexp(scores, -1, keepdim=True)
        return torch.matmul(F.dropout(torch.exp(scores - logits), self.dropout, self.training), v), logits

    def forward(self, x, y):
        if not x.is_floating_point() or not y.is_floating_point():
            raise TypeError("takes numbers with a fraction")
        s = x.shape[1]
        q, v = (z.unflatten(2, (self.heads, -1)).transpose(1, 2) for z in (x, y))
        if s <= self.chunk:
            at = torch.arange(s, device=x.device).repeat(*q.shape[:2], 1)
            return self.attend(q, self.norm(q), v, at, at)[0].transpose(1, 2).flatten(2)
        places, back = self.sort(q)
        q, v, at = (z.unflatten(2, (-1, self.chunk)) for z in (self.gather(q, places), self.gather(v, places), places))
        k, v, of = self.adjacent(self.norm(q)), self.adjacent(v), self.adjacent(at)
        out, logits = (z.flatten(2, 3) for z in self.attend(q, k, v, at, of))
        out = out.gather(2, back[..., None].expand_as(out))
        if self.hashes > 1:
            out, logits = (z.unflatten(2, (self.hashes, s)) for z in (out, logits.gather(2, back[..., None])))
            out = (out * torch.exp(logits - torch.logsumexp(logits, 2, keepdim=True))).sum(2)
        return out.transpose(1, 2).flatten(2)
`
