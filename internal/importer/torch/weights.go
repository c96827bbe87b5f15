package torch

import (
	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/importer/torch/interp"
)

// What torch.nn's modules keep as weights, from the constructors in torch/nn/modules.

// counts are the arguments that constructors make a size of a weight of. Others may be kept as they are, and used in the forward alone.
var counts = map[string]bool{"in_features": true, "out_features": true, "in_channels": true, "out_channels": true, "num_embeddings": true, "embedding_dim": true}

func (r *reader) attrInt(x *interp.Instance, name string) int64 {
	v, _ := x.Get(name)
	n, ok := interp.AsInt(v)
	if !ok {
		if t, isTensor := v.(*Tensor); isTensor && len(t.data) == 1 && t.isInt {
			return int64(t.data[0])
		}
		if _, isFloat := v.(float64); counts[name] && (isFloat || interp.NoInteger(v)) {
			r.in.Raise("TypeError", "%s of %s must be an integer, not %s", name, x.Class.Name, interp.TypeName(v))
		}
		r.in.Doubt("TypeError", "%s of %s must be an integer, not %s", name, x.Class.Name, interp.TypeName(v))
	}
	return n
}

func (r *reader) attrTrue(x *interp.Instance, name string) bool {
	v, _ := x.Get(name)
	return r.in.Truth(v)
}

// biased is a weight and, where bias holds, a bias.
func (r *reader) biased(x *interp.Instance, shape catalog.Shape, bias int64) []weight {
	out := []weight{{"weight", shape}, {"bias", nil}}
	if r.attrTrue(x, "bias") {
		out[1].shape = catalog.Of(bias)
	}
	return out
}

func linearWeights(r *reader, x *interp.Instance) []weight {
	in, out := r.attrInt(x, "in_features"), r.attrInt(x, "out_features")
	return r.biased(x, catalog.Of(out, in), out)
}

func bilinearWeights(r *reader, x *interp.Instance) []weight {
	out := r.attrInt(x, "out_features")
	return r.biased(x, catalog.Of(out, r.attrInt(x, "in1_features"), r.attrInt(x, "in2_features")), out)
}

func (r *reader) kernel(x *interp.Instance) []int64 {
	v, _ := x.Get("kernel_size")
	return r.intList("kernel_size", v)
}

// intList reads an integer or a sequence of them.
func (r *reader) intList(name string, v interp.Value) []int64 {
	if n, ok := interp.AsInt(v); ok {
		return []int64{n}
	}
	var out []int64
	for _, item := range r.in.Iterate(v) {
		n, ok := interp.AsInt(item)
		if !ok {
			if u, unknown := item.(*interp.Unknown); unknown {
				r.in.Fault("%s is not known: %s", name, u.Reason())
			}
			r.in.Doubt("TypeError", "%s must hold integers, not %s", name, interp.TypeName(item))
		}
		out = append(out, n)
	}
	return out
}

func (r *reader) groups(x *interp.Instance) (in, out, groups int64) {
	in, out, groups = r.attrInt(x, "in_channels"), r.attrInt(x, "out_channels"), r.attrInt(x, "groups")
	if groups < 1 {
		r.in.Raise("ValueError", "groups must be a positive integer")
	}
	if in%groups != 0 {
		r.in.Raise("ValueError", "in_channels must be divisible by groups: %d and %d", in, groups)
	}
	if out%groups != 0 {
		r.in.Raise("ValueError", "out_channels must be divisible by groups: %d and %d", out, groups)
	}
	return in, out, groups
}

func convWeights(r *reader, x *interp.Instance) []weight {
	in, out, groups := r.groups(x)
	return r.biased(x, append(catalog.Of(out, in/groups), r.kernel(x)...), out)
}

func convTWeights(r *reader, x *interp.Instance) []weight {
	in, out, groups := r.groups(x)
	return r.biased(x, append(catalog.Of(in, out/groups), r.kernel(x)...), out)
}

// normWeights are a scale and a shift over channels, if affine.
func normWeights(channels string) func(*reader, *interp.Instance) []weight {
	return func(r *reader, x *interp.Instance) []weight {
		n := r.attrInt(x, channels)
		if !r.attrTrue(x, "affine") {
			return []weight{{"weight", nil}, {"bias", nil}}
		}
		return []weight{{"weight", catalog.Of(n)}, {"bias", catalog.Of(n)}}
	}
}

func layerNormWeights(r *reader, x *interp.Instance) []weight {
	v, _ := x.Get("normalized_shape")
	r.noBool("LayerNorm", "normalized_shape", v)
	shape := catalog.Shape(r.intList("normalized_shape", v))
	x.Set("normalized_shape", r.tupleOf(shape))
	bias, hasBias := x.Get("bias")
	out := []weight{{"weight", nil}, {"bias", nil}}
	if !r.attrTrue(x, "elementwise_affine") {
		if !hasBias {
			out = out[:1]
		}
		return out
	}
	out[0].shape = shape
	if !hasBias {
		return out[:1]
	}
	if r.in.Truth(bias) {
		out[1].shape = shape
	}
	return out
}

func (r *reader) tupleOf(shape catalog.Shape) *interp.Tuple {
	t := interp.NewTuple()
	for _, n := range shape {
		t.Items = append(t.Items, n)
	}
	return t
}

func preluWeights(r *reader, x *interp.Instance) []weight {
	return []weight{{"weight", catalog.Of(r.attrInt(x, "num_parameters"))}}
}

func embeddingWeights(r *reader, x *interp.Instance) []weight {
	return []weight{{"weight", catalog.Of(r.attrInt(x, "num_embeddings"), r.attrInt(x, "embedding_dim"))}}
}
