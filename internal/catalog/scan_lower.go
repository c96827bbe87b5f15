package catalog

import "github.com/modelverifier/verifier/internal/op"

// convolve is a depthwise convolution along the sequence, cut to its length, and SiLU. The result has the
// features in front in memory.
func (l *Lowering) convolve(x op.Value, s, d int64) op.Value {
	p := l.P
	weight, bias := l.W("conv1d.weight"), l.W("conv1d.bias")
	y := op.Convolution(p, op.View(p, x, d, s), weight, bias, op.Geometry{Groups: d}, l.scanned())
	y = op.OfInput(p, op.View(p, y, s, d))
	p.Tensors[y].Strided = s > 1 && d > 1
	return y
}

// lowerMamba takes the positions one after the other.
func lowerMamba(l *Lowering) op.Value {
	p, s, n, r, d := l.P, l.In[0][0], l.Int("stateDim"), l.Int("dtRank"), l.inner(l.Int("embedDim"))
	xz := op.Split(p, l.Map(l.X[0], "in_proj"), Of(s, d), Of(s, d))
	x := l.convolve(xz[0], s, d)
	parts := op.Split(p, l.Map(x, "x_proj"), Of(s, r), Of(s, n), Of(s, n))
	dt := op.WideOfInput(p, l.Map(parts[0], "dt_proj"))
	a := op.Scale(p, op.WideOfOutput(p, l.W("A_log")))
	y, each := op.Scan(p, Of(s, d), []op.Value{dt, a, x, parts[1], parts[2]}, nil, s*d*n, (s+1)*d*n, s*d)
	op.Loops(p, s, 9) // dt·A and its exponential, dt·x·B, the new state, and its product with C
	y = op.Add(p, y, op.Mul(p, l.W("D"), x))
	return l.named(l.Map(op.Mul(p, y, op.OfInput(p, xz[1])), "out_proj"), xz[0], parts[0], dt, x, each)
}

// lowerMamba2 does so with heads, whose decay is one number.
func lowerMamba2(l *Lowering) op.Value {
	p, s, n, d, h, conv := l.P, l.In[0][0], l.Int("stateDim"), l.inner(l.Int("embedDim")), l.ssmHeads(), l.convolved()
	parts := op.Split(p, l.Map(l.X[0], "in_proj"), Of(s, d), Of(s, conv), Of(s, h))
	dt := op.WideOfInput(p, op.Add(p, parts[2], l.W("dt_bias")))
	a := op.Scale(p, op.WideOfOutput(p, l.W("A_log")))
	groups := l.Int("numGroups") * n
	xbc := op.Split(p, l.convolve(parts[1], s, conv), Of(s, d), Of(s, groups), Of(s, groups))
	b, c := op.Copied(p, xbc[1], s, h, n), op.Copied(p, xbc[2], s, h, n)
	x := op.View(p, xbc[0], s, h, d/h)
	y, each := op.Scan(p, Of(s, h, d/h), []op.Value{dt, a, x, b, c}, nil, s*h, (s+1)*d*n, s*d)
	op.Loops(p, s, 9)
	y = op.View(p, op.Add(p, y, op.Mul(p, op.View(p, l.W("D"), h, 1), x)), s, d)
	gated := op.Mul(p, y, op.OfInput(p, parts[0]))
	return l.named(l.Map(op.RMSNorm(p, gated, l.W("norm.weight"), d), "out_proj"), parts[0], dt, x, b, c, each)
}

// lowerRwkv mixes each position with the one before, and takes a running mean of the values, weighed by the keys.
func lowerRwkv(l *Lowering) op.Value {
	p, s, e := l.P, l.In[0][0], l.Int("embedDim")
	last := op.Copied(p, l.X[0], s, e)
	mixed := func(name string) op.Value {
		mix := op.View(p, l.W("time_mix_"+name), e)
		x := op.Add(p, op.Mul(p, l.X[0], mix), op.Mul(p, last, op.Scale(p, mix)))
		return l.Map(x, name)
	}
	k, v, r := mixed("key"), mixed("value"), mixed("receptance")
	w := op.Scale(p, op.WideOfOutput(p, l.W("time_decay")))
	const kept = 11 // maxima, exponentials, sums and both sides of the division, at each position
	y, each := op.Scan(p, Of(s, e), []op.Value{k, v}, []op.Value{w, l.W("time_first")}, kept*s*e)
	op.Loops(p, s, 28)
	return l.named(l.Map(op.Mul(p, op.OfOutput(p, r), y), "output"), last, k, v, r, each)
}

// lowerS4D convolves the sequence with a kernel that a diagonal state space gives, by way of Fourier transforms.
func lowerS4D(l *Lowering) op.Value {
	p, s, e, n := l.P, l.In[0][0], l.Int("embedDim"), l.Int("stateDim")/2
	kernel := op.Padded(p, l.s4dKernel(s, e, n), e, 2*s)
	u := op.View(p, l.X[0], e, s)
	spectrum := op.Complex(p, op.Mul(p, op.RFFT(p, op.Padded(p, u, e, 2*s), e, s+1), op.RFFT(p, kernel, e, s+1)))
	y := op.View(p, op.IRFFT(p, spectrum, e, 2*s), e, s)
	y = op.Add(p, y, op.Mul(p, u, op.View(p, l.W("D"), e, 1)))
	mixed := op.Convolution(p, op.OfInput(p, y), l.W("output.weight"), l.W("output.bias"), op.Geometry{Groups: 1}, s)
	return op.View(p, op.GLU(p, mixed, e, s), s, e)
}

// s4dKernel is the kernel, one for all samples.
func (l *Lowering) s4dKernel(s, e, n int64) op.Value {
	p := l.P
	a := op.ComplexOf(p, op.Scale(p, op.WideOfOutput(p, l.W("log_A_real"))), l.W("A_imag"))
	da := op.Complex(p, op.Mul(p, a, op.View(p, op.WideOfOutput(p, l.W("log_dt")), e, 1)))
	growth := op.Complex(p, op.Scale(p, op.Complex(p, op.WideOfOutput(p, da))))
	c := op.Complex(p, op.Div(p, op.Complex(p, op.Mul(p, op.View(p, l.W("C"), e, n), growth)), a))
	positions := op.Constant(p, op.Int64, true, s)
	powers := op.Complex(p, op.WideOfOutput(p, op.Complex(p, op.Mul(p, op.View(p, da, e, n, 1), positions))))
	product := op.MatMul
	if n == 1 { // a sum over one entry is no matrix product
		product = op.Mul
	}
	k := op.View(p, op.Complex(p, product(p, op.View(p, c, e, 1, n), powers)), e, s)
	return op.Scale(p, op.RealOf(p, k))
}
