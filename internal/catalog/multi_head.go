package catalog

import "github.com/modelverifier/verifier/internal/op"

// multiHead is torch.nn.MultiheadAttention: projections of queries, keys and values, attention in heads, a projection back.
type multiHead struct {
	module             string // its name inside a block
	dim, keyDim, heads int64  // keyDim is the size of what keys and values are made of
	bias, masked       bool
	positionsFirst     bool // batch_first is false, so that nothing is turned
}

func multiHeadParams(more ...Param) []Param {
	return headParams(append(more,
		Param{Name: "bias", Kind: Bool, Default: true, Doc: "whether the projections add a bias"},
		innerDropout("probability of dropping an attention weight"))...)
}

// multiHeadOf is the attention of a type that has one, over a single sequence.
func multiHeadOf(c *Call) multiHead {
	e := c.Int("embedDim")
	return multiHead{dim: e, keyDim: e, heads: c.Int("numHeads"), bias: c.Type.Param("bias") == nil || c.Bool("bias")}
}

func (m multiHead) named(module string) multiHead   { m.module = module; return m }
func (m multiHead) behindMask() multiHead           { m.masked = true; return m }
func (m multiHead) keysOf(features int64) multiHead { m.keyDim = features; return m }

func (m multiHead) headDim() int64 { return m.dim / m.heads }

// weights declares one packed matrix where keys have the size of queries, and three otherwise.
func (m multiHead) weights(c *Call) {
	if m.keyDim == m.dim {
		c.weight(1, m.module, "in_proj_weight", c.Mul(3, m.dim), m.dim)
	} else {
		c.weight(1, m.module, "q_proj_weight", m.dim, m.dim)
		c.weight(1, m.module, "k_proj_weight", m.dim, m.keyDim)
		c.weight(1, m.module, "v_proj_weight", m.dim, m.keyDim)
	}
	if m.bias {
		c.weight(1, m.module, "in_proj_bias", c.Mul(3, m.dim))
	}
	c.Linear(join(m.module, "out_proj"), m.dim, m.dim, m.bias)
}

// flops counts attention of queries of one length to keys of another.
func (m multiHead) flops(c *Call, queries, keys int64) int64 {
	return c.Add(c.MatMul(2, queries, m.dim, m.dim), c.MatMul(2, keys, m.keyDim, m.dim), c.attend(m.heads, queries, keys, m.headDim()))
}

// The functions of types that are one attention over one sequence.

func multiHeadShape(c *Call) (Shape, error) {
	out, err := c.headsOf()
	if err == nil {
		err = c.checkInnerDropout()
	}
	return out, err
}

func multiHeadWeights(c *Call)     { multiHeadOf(c).weights(c) }
func multiHeadFLOPs(c *Call) int64 { return multiHeadOf(c).flops(c, c.In[0][0], c.In[0][0]) }
func lowerMultiHead(l *Lowering) op.Value {
	return multiHeadOf(&l.Call).lower(l, l.X[0], l.X[0], l.Eager)
}
func lowerMasked(l *Lowering) op.Value {
	return multiHeadOf(&l.Call).behindMask().lower(l, l.X[0], l.X[0], l.Eager)
}

const selfAttentionModule = `class SelfAttention(nn.MultiheadAttention):
    def forward(self, x):
        return super().forward(x, x, x, need_weights=False)[0]
`

const (
	selfAttentionTorch   = `SelfAttention({{embedDim}}, {{numHeads}}, dropout={{dropout}}, bias={{bias}}, batch_first=True)`
	selfAttentionWeights = "4*embedDim*embedDim + 4*bias*embedDim"
	selfAttentionFLOPs   = "8*in[0]*embedDim*embedDim + 4*in[0]*in[0]*embedDim"
)

// maskedModule attends behind a mask: a position sees those that are fewer than window away, and none ahead if causal.
const maskedModule = `class MaskedAttention(nn.MultiheadAttention):
    def __init__(self, dim, heads, window=None, causal=True, **options):
        super().__init__(dim, heads, batch_first=True, **options)
        self.window, self.causal = window, causal

    def forward(self, x):
        i = torch.arange(x.shape[1], device=x.device)
        away = i[:, None] - i[None, :]
        hidden = away.abs() >= (self.window or x.shape[1])
        if self.causal:
            hidden = hidden | (away < 0)
        return super().forward(x, x, x, attn_mask=hidden, need_weights=False)[0]
`
