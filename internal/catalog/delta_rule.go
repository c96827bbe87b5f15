package catalog

import "github.com/modelverifier/verifier/internal/op"

// This file holds what the layers with a delta rule share: queries, keys and values behind short convolutions, and a state for each head that is
// corrected at every position.

// deltaSizes are the sizes of such a layer.
type deltaSizes struct{ embed, heads, keys, values, kernel int64 }

func (d deltaSizes) weights(c *Call) {
	for _, part := range []struct {
		name string
		size int64
	}{{"q", d.keys}, {"k", d.keys}, {"v", d.values}} {
		inner := c.Mul(d.heads, part.size)
		c.Linear(part.name+"_proj", d.embed, inner, false)
		c.Weight(part.name+"_conv.conv.weight", inner, 1, d.kernel)
	}
	c.Linear("b_proj", d.embed, d.heads, false)
	c.Weight("o_norm.weight", d.values)
	c.Linear("o_proj", c.Mul(d.heads, d.values), d.embed, false)
}

// flops counts the linear layers and the convolutions; the recurrence is of single elements.
func (d deltaSizes) flops(c *Call) int64 {
	s, inner := c.In[0][0], c.Mul(d.heads, c.Add(c.Mul(2, d.keys), d.values))
	maps := c.Add(inner, d.heads, c.Mul(d.heads, d.values))
	return c.Add(c.MatMul(1, s, d.embed, maps), c.MatMul(1, inner, d.kernel, c.Add(s, d.kernel-1)))
}

// state is the matrices of the heads, and what the convolutions see.
func (d deltaSizes) state(c *Call) int64 {
	inner := c.Mul(d.heads, c.Add(c.Mul(2, d.keys), d.values))
	return c.Add(c.Mul(d.heads, d.keys, d.values), c.Mul(inner, d.kernel))
}

// lower is the layer up to the norm; decay is what states fade by, or op.None.
func (d deltaSizes) lower(l *Lowering, decay op.Value) op.Value {
	p, s := l.P, l.In[0][0]
	part := func(name string, size int64) op.Value {
		inner := d.heads * size
		x := op.View(p, l.Map(l.X[0], name+"_proj"), inner, s)
		y := op.Convolution(p, x, l.W(name+"_conv.conv.weight"), op.None, op.Geometry{Groups: inner}, s+d.kernel-1)
		return op.View(p, op.OfInput(p, op.View(p, y, s, inner)), s, d.heads, size)
	}
	unit := func(x op.Value) op.Value {
		length := op.WideOfOutput(p, op.Scale(p, op.Sum(p, op.Pow(p, x), s, d.heads, 1)))
		return op.Mul(p, x, length)
	}
	q, k, v := op.Scale(p, unit(part("q", d.keys))), unit(part("k", d.keys)), part("v", d.values)
	beta := op.OfOutput(p, l.Map(l.X[0], "b_proj"))
	state, row := d.heads*d.keys*d.values, d.heads*d.values
	saved, states := []op.Value{q, k, beta}, (s+1)*state
	if decay != op.None { // each state is saved as it was, and faded
		saved, states = append(saved, decay), (2*s+1)*state
	}
	y, _ := op.Scan(p, Of(s, d.heads, d.values), saved, []op.Value{v}, states, s*row, s*row)
	return l.rootMeanSquare(y, "o_norm.weight")
}

// deltaModule is the source of the layer.
const deltaModule = rootMeanSquareModule + `

class ShortConvolution(nn.Module):
    def __init__(self, dim, kernel):
        super().__init__()
        self.conv = nn.Conv1d(dim, dim, kernel, groups=dim, padding=kernel - 1, bias=False)

    def forward(self, x):
        return F.silu(self.conv(x.transpose(1, 2))[..., : x.shape[1]]).transpose(1, 2)


class DeltaNet(nn.Module):
    """The delta rule, position by position."""

    def __init__(self, dim, heads, key_dim, value_dim, kernel, gated=False):
        super().__init__()
        self.heads, self.gated = heads, gated
        self.q_proj, self.k_proj, self.v_proj = (nn.Linear(dim, heads * d, bias=False) for d in (key_dim, key_dim, value_dim))
        self.q_conv, self.k_conv, self.v_conv = (ShortConvolution(heads * d, kernel) for d in (key_dim, key_dim, value_dim))
        self.b_proj, self.o_norm = nn.Linear(dim, heads, bias=False), RootMeanSquare(value_dim)
        self.o_proj = nn.Linear(heads * value_dim, dim, bias=False)
        if gated:
            self.a_proj, self.g_proj = nn.Linear(dim, heads, bias=False), nn.Linear(dim, heads * value_dim, bias=False)
            self.A_log, self.dt_bias = nn.Parameter(torch.zeros(heads)), nn.Parameter(torch.zeros(heads))

    def unit(self, x):
        return x * torch.rsqrt(x.pow(2).sum(-1, keepdim=True) + 1e-6)

    def forward(self, x):
        q, k, v = (conv(proj(x)).unflatten(2, (self.heads, -1)) for conv, proj in (
            (self.q_conv, self.q_proj), (self.k_conv, self.k_proj), (self.v_conv, self.v_proj)))
        q, k, beta = self.unit(q) * q.shape[-1] ** -0.5, self.unit(k), torch.sigmoid(self.b_proj(x))
        if self.gated:
            decay = torch.exp(-torch.exp(self.A_log) * F.softplus(self.a_proj(x) + self.dt_bias))
        state, ys = x.new_zeros(x.shape[0], self.heads, k.shape[-1], v.shape[-1]), []
        for t in range(x.shape[1]):
            if self.gated:
                state = state * decay[:, t, :, None, None]
            key = k[:, t, :, :, None]
            change = (v[:, t] - (state * key).sum(-2)) * beta[:, t, :, None]
            state = state + key * change[:, :, None]
            ys.append((state * q[:, t, :, :, None]).sum(-2))
        y = self.o_norm(torch.stack(ys, 1))
        if self.gated:
            y = y * F.silu(self.g_proj(x)).view(y.shape)
        return self.o_proj(y.flatten(2))
`
