package op

// Width is the bytes of an element of what is no result of an operation.
func (f Precision) Width(d DType) int64 {
	switch d {
	case Float:
		if f.Weights > 0 {
			return f.Weights
		}
	case Int64, Complex64:
		return 8
	case Float16:
		return 2
	case Byte:
		return 1
	}
	return 4
}

// Width is the bytes of an element of a tensor.
func (p *Program) Width(v Value) int64 { return int64(p.Tensors[v].Width) }

// width is that of an operation's result.
func (p *Program) width(o *Op, result *Tensor, in []Value) int64 {
	if o.View {
		return p.Width(in[0])
	}
	if result.DType != Float {
		return p.Precision.Width(result.DType)
	}
	switch {
	case p.Precision.Autocast && o.Autocast == Lowers:
		return 2
	case o.Autocast == Follows:
		return p.Width(in[0])
	case p.Precision.Autocast && o.Autocast != Promotes:
		return 4
	case o.Autocast == Lowers && len(in) > 1 && p.Tensors[in[1]].Role == Weight: // an adapter may be wider than the other weights
		return p.Width(in[1])
	case o.Autocast == Lowers:
		return p.Precision.Width(Float)
	}
	width := int64(0)
	for _, v := range in {
		if p.Tensors[v].DType.IsFloat() {
			width = max(width, p.Width(v))
		}
	}
	if width == 0 {
		return p.Precision.Width(Float)
	}
	return width
}

// floatOf is a float of so many bytes, whatever the precision of the run.
func floatOf(width int64) DType {
	if width == 2 {
		return Float16
	}
	return Float32
}

var to = &Op{Name: "to", Cast: true, Pointwise: true, Forward: 1, Back: 1}

// To is a tensor in another width: itself where that is its own.
func To(p *Program, x Value, width int64) Value {
	if p.Width(x) == width {
		return x
	}
	return p.do(to, Tensor{Shape: p.Shape(x), DType: floatOf(width)}, x).Out
}
