package op

// resample is a linear map without weights, whose backward pass is the transposed map and reads nothing:
// upsample_nearest2d, constant_pad_nd, pixel_shuffle, im2col, col2im. Some others, as avg_pool2d and
// reflection_pad2d, save their input, of which the backward pass reads the shape only.
var (
	resample      = &Op{Name: "resample", Fits: fitsAny, Forward: 1, Back: 1}
	resampleSaved = &Op{Name: "avg_pool", Saves: savesInput, Fits: fitsAny, Forward: 1, Back: 1}
)

// fitsAny is for what gives shapes that do not follow from those of its inputs.
func fitsAny(s *Step) bool { return len(s.In) > 0 }

// Resample is such a map to a tensor of another shape.
func Resample(p *Program, x Value, shape ...int64) Value {
	return p.do(resample, Tensor{Shape: shape}, x).Out
}

// ResampleSaved is one that saves what arrives.
func ResampleSaved(p *Program, x Value, shape ...int64) Value {
	return p.do(resampleSaved, Tensor{Shape: shape}, x).Out
}

// ForEachSample copies a tensor that has no batch axis for each sample.
func ForEachSample(p *Program, x Value) Value {
	v := Resample(p, x, p.Shape(x)...)
	p.Tensors[v].Shared = false
	return v
}
