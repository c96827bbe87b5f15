package op

// rfft is torch.fft.rfft: it saves what arrives, of which its backward pass reads the shape only.
var rfft = &Op{Name: "fft_r2c", Saves: savesInput, Fits: fitsAny, Forward: 2, Back: 2}

// RFFT is the complex spectrum of a real tensor, of a shape.
func RFFT(p *Program, x Value, shape ...int64) Value {
	return p.do(rfft, Tensor{Shape: shape, DType: Complex64}, x).Out
}

// irfft is torch.fft.irfft, which saves nothing.
var irfft = &Op{Name: "fft_c2r", Fits: fitsAny, Forward: 2, Back: 2}

// IRFFT is the real tensor of a spectrum.
func IRFFT(p *Program, x Value, shape ...int64) Value {
	return p.do(irfft, Tensor{Shape: shape, DType: Float32}, x).Out
}

// magnitude is torch.abs of complex numbers.
var magnitude = &Op{Name: "abs", Saves: savesInput, Backward: byWayOf(1), Fits: fitsElems, Forward: 1, Back: 2}

// Magnitude is the sizes of complex numbers, in 32-bit floats.
func Magnitude(p *Program, x Value, shape ...int64) Value {
	return p.do(magnitude, Tensor{Shape: shape, DType: Float32}, x).Out
}

// frames are views of a signal that overlap, as torch.Tensor.as_strided gives. The gradient is summed over them.
var frames = &Op{Name: "as_strided", View: true, Fits: fitsAny, Back: 2}

// Frames is such a view.
func Frames(p *Program, x Value, shape ...int64) Value {
	return p.do(frames, Tensor{Shape: shape, DType: p.Tensors[x].DType}, x).Out
}

// Complex makes complex numbers of an operation's result.
func Complex(p *Program, x Value) Value {
	p.Tensors[x].DType, p.Tensors[x].Width = Complex64, uint8(Complex64.Bytes())
	return x
}

// complexOf is torch.complex, which saves both parts, and realOf the real part of complex numbers, which is a view.
var (
	complexOf = &Op{
		Name: "complex",
		Saves: func(_ *Step, save *Saved) {
			save.Input(0)
			save.Input(1)
		},
		Forward: 1, Back: 2,
	}
	realOf = &Op{Name: "real", View: true, Forward: 0, Back: 1}
)

// ComplexOf is complex numbers of their parts.
func ComplexOf(p *Program, re, im Value) Value {
	return p.do(complexOf, Tensor{Shape: p.Shape(re), DType: Complex64}, re, im).Out
}

// RealOf is the real parts of complex numbers.
func RealOf(p *Program, x Value) Value {
	return p.do(realOf, Tensor{Shape: p.Shape(x), DType: Float32}, x).Out
}
