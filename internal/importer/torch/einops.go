package torch

import (
	"slices"

	"github.com/modelverifier/verifier/internal/importer/torch/interp"
)

// einops: the patterns of rearrange, reduce, repeat and einsum, as einops 0.8 reads them. What else the package has is in preludes/einops.

func init() { beside = append(beside, (*reader).einopsCore) }

// einopsCore is the native module behind preludes/einops.
func (r *reader) einopsCore() *interp.Module {
	base, _ := r.in.Function("RuntimeError").(*interp.Class)
	r.einopsError = interp.NewClass("EinopsError", base)
	call := func(op string) interp.Value {
		return interp.Fn(op, func(in *interp.Interp, a *interp.Args) interp.Value {
			names := []string{"tensor", "pattern"}
			if op == "reduce" {
				names = append(names, "reduction")
			}
			given, sizes := &interp.Args{Pos: a.Pos}, []interp.KV(nil)
			for _, kw := range a.Kw {
				if slices.Contains(names, kw.Name) {
					given.Kw = append(given.Kw, kw)
				} else {
					sizes = append(sizes, kw)
				}
			}
			b := given.Bind(in, op, names...)
			reduction := interp.Value(op)
			if op == "reduce" {
				reduction = b[2]
			}
			return r.rearranged(b[0], r.patternText(b[1]), reduction, sizes)
		})
	}
	return interp.Native("_einops", map[string]interp.Value{
		"EinopsError": r.einopsError, "rearrange": call("rearrange"), "reduce": call("reduce"), "repeat": call("repeat"),
		"einsum": interp.Fn("einsum", r.einopsEinsum), "parse_shape": interp.Fn("parse_shape", r.parseShape),
		"check": interp.Fn("check", r.checkPattern), "axes": interp.Fn("axes", r.patternAxes),
	})
}

// einopsRaise raises an EinopsError.
func (r *reader) einopsRaise(format string, args ...any) {
	r.in.RaiseClass(r.einopsError, format, args...)
}
