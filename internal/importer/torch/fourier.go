package torch

import (
	"slices"

	"github.com/modelverifier/verifier/internal/importer/torch/interp"
)

// torch.fft and the short-time Fourier transform: shapes, and that numbers are complex. PyTorch's counter of FLOPs counts
// none for a transform.

func init() {
	beside = append(beside, (*reader).fft)
	register(map[string]operation{"stft": stftOp, "istft": istftOp})
}

// fft is torch.fft.
func (r *reader) fft() *interp.Module {
	m := interp.Native("torch.fft", nil)
	set := func(name string, f func(t *Tensor, a *interp.Args) *Tensor) {
		m.Attrs[name] = interp.Fn(name, func(in *interp.Interp, a *interp.Args) interp.Value {
			return r.operate(name, func(r *reader, t *Tensor, a *interp.Args) interp.Value { return f(t, a) }, a)
		})
	}
	for _, n := range []string{"fft", "ifft", "rfft", "irfft", "hfft", "ihfft"} {
		set(n, func(t *Tensor, a *interp.Args) *Tensor {
			b := a.Bind(r.in, n, "n", "dim", "norm", "out")
			return r.transformed(n, t, []interp.Value{interp.Or(b[0], nil)}, []int{r.dim(interp.Or(b[1], int64(-1)), t.rank())})
		})
	}
	for _, n := range []string{"fft2", "ifft2", "rfft2", "irfft2", "fftn", "ifftn", "rfftn", "irfftn"} {
		set(n, func(t *Tensor, a *interp.Args) *Tensor {
			b := a.Bind(r.in, n, "s", "dim", "norm", "out")
			var axes []int
			switch dims := interp.Or(b[1], nil); {
			case dims != nil:
				for _, v := range r.intList("dim", dims) {
					axes = append(axes, r.dim(v, t.rank()))
				}
			case n[len(n)-1] == '2':
				axes = []int{r.dim(int64(-2), t.rank()), r.dim(int64(-1), t.rank())}
			default:
				for i := range t.rank() {
					axes = append(axes, i)
				}
			}
			sizes := make([]interp.Value, len(axes))
			if s := interp.Or(b[0], nil); s != nil {
				given := r.in.Iterate(s)
				if interp.Or(b[1], nil) == nil { // the last axes, as many as sizes
					axes = nil
					for i := range given {
						axes = append(axes, t.rank()-len(given)+i)
					}
				}
				sizes = given
			}
			return r.transformed(n, t, sizes, axes)
		})
	}
	for _, n := range []string{"fftshift", "ifftshift"} {
		set(n, func(t *Tensor, _ *interp.Args) *Tensor {
			out := r.declared(n, t.dims(), 0, t)
			out.complex = t.complex
			return out
		})
	}
	for _, n := range []string{"fftfreq", "rfftfreq"} {
		m.Attrs[n] = interp.Fn(n, func(in *interp.Interp, a *interp.Args) interp.Value {
			size := a.Pos[0]
			if n == "rfftfreq" {
				size = in.Binary("+", in.Binary("//", size, int64(2)), int64(1))
			}
			return r.filled([]interp.Value{size}, false)
		})
	}
	return m
}

// transformed is a transform along axes; the last of them is halved by those of real numbers, and doubled by their inverses.
func (r *reader) transformed(name string, t *Tensor, sizes []interp.Value, axes []int) *Tensor {
	d := t.dims()
	real := name[0] == 'r' || name == "ihfft"
	inverse := len(name) > 1 && name[:2] == "ir" || name == "hfft"
	if real && t.complex {
		r.in.Raise("RuntimeError", "%s expects a real input tensor, but got ComplexFloat", name)
	}
	for i, at := range axes {
		if i < len(sizes) && sizes[i] != nil && sizes[i] != int64(-1) {
			d[at] = sizes[i]
		} else if inverse && i == len(axes)-1 {
			d[at] = r.in.Binary("*", int64(2), r.in.Binary("-", d[at], int64(1)))
		}
		if real && i == len(axes)-1 {
			d[at] = r.in.Binary("+", r.in.Binary("//", d[at], int64(2)), int64(1))
		}
		if u, unknown := d[at].(*interp.Unknown); unknown {
			r.in.Fault("the size of a transform is not known: %s", u.Reason())
		}
	}
	out := r.declared(name, d, 0, t)
	out.complex = !inverse
	return out
}

// stftOp is the short-time Fourier transform: (…, frequencies, frames), complex.
func stftOp(r *reader, t *Tensor, a *interp.Args) interp.Value {
	b := a.Bind(r.in, "stft", "n_fft", "hop_length", "win_length", "window", "center", "pad_mode", "normalized", "onesided", "return_complex", "align_to_window")
	n, ok := interp.AsInt(b[0])
	hop, okHop := interp.AsInt(interp.Or(b[1], nil))
	if !okHop {
		hop = n / 4
	}
	d := t.dims()
	length, okLength := d[len(d)-1].(int64)
	if !ok || !okLength || n < 1 || hop < 1 {
		r.in.Fault("stft of this kind is not followed")
	}
	if r.in.Truth(interp.Or(b[4], true)) {
		length += n / 2 * 2
	}
	bins := n/2 + 1
	if v := interp.Or(b[7], nil); v != nil && !r.in.Truth(v) {
		bins = n
	}
	if length < n {
		r.in.Raise("RuntimeError", "stft: expected 0 < n_fft <= %d, but got n_fft=%d", length, n)
	}
	dims := append(slices.Clone(d[:len(d)-1]), bins, (length-n)/hop+1)
	if v := interp.Or(b[8], nil); v == nil || r.in.Truth(v) {
		return r.complexOf(r.declared("stft", dims, 0, t))
	}
	return realOf(r.declared("stft", append(dims, int64(2)), 0, t))
}

func istftOp(r *reader, t *Tensor, a *interp.Args) interp.Value {
	b := a.Bind(r.in, "istft", "n_fft", "hop_length", "win_length", "window", "center", "normalized", "onesided", "length", "return_complex")
	n, ok := interp.AsInt(b[0])
	hop, okHop := interp.AsInt(interp.Or(b[1], nil))
	if !okHop {
		hop = n / 4
	}
	d := t.dims()
	frames, okFrames := d[len(d)-1].(int64)
	if !ok || !okFrames {
		r.in.Fault("istft of this kind is not followed")
	}
	length := n + hop*(frames-1)
	if r.in.Truth(interp.Or(b[4], true)) {
		length -= n / 2 * 2
	}
	if given, isInt := interp.AsInt(interp.Or(b[7], nil)); isInt {
		length = given
	}
	return realOf(r.declared("istft", append(slices.Clone(d[:len(d)-2]), length), 0, t))
}
