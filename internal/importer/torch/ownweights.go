package torch

import (
	"slices"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/importer/torch/interp"
)

// The weights that a layer has when it is called are not always those that it was made with: programs replace them, take them away, add
// others, and put them under a norm.

// runOwn runs a layer with the weights that it has now.
func (r *reader) runOwn(l *layer, sig *signature, params []graph.Param, x *interp.Instance, inputs []*Tensor) interp.Value {
	if l.weights == nil || x.Class == r.moduleClass { // of a function: it was given what it needs
		return r.attach(l.typ, l.spatial, params, nil, inputs)
	}
	own := r.own(x)
	if i := slices.IndexFunc(own, func(c child) bool { return c.name == weightLength }); i >= 0 {
		return r.weightNormed(l, params, r.madeWith(l, sig, x), own, inputs)
	}
	made := r.madeWith(l, sig, x)
	var has []child
	for _, w := range made {
		v, _ := x.Get(w.name)
		t, isTensor := v.(*Tensor)
		switch {
		case w.shape == nil && v == nil:
		case isTensor && t.param != nil && w.shape.Equal(t.shape) && w.shape != nil:
			has = append(has, child{w.name, t})
		default:
			return r.replaced(l, params, x, inputs)
		}
	}
	return r.attach(l.typ, l.spatial, params, has, inputs)
}

// madeWith are the weights that a layer would have if it were made now, from its attributes.
func (r *reader) madeWith(l *layer, sig *signature, x *interp.Instance) []weight {
	like := interp.NewInstance(x.Class)
	for _, n := range sig.names {
		v, ok := x.Get(n)
		if !ok {
			continue
		}
		if n == "bias" { // which holds the weight by now
			if _, isBool := v.(bool); !isBool {
				v = v != nil
			}
		}
		like.Set(n, v)
	}
	return l.weights(r, like)
}

// replaced runs a layer whose weights are not those that it was made with, as its forward does: with the weights that it has.
func (r *reader) replaced(l *layer, params []graph.Param, x *interp.Instance, inputs []*Tensor) interp.Value {
	weight, bias := attr(x, "weight"), attr(x, "bias")
	w, ok := weight.(*Tensor)
	if !ok || len(inputs) != 1 {
		r.in.Fault("the weight of this %s is a %s", l.class, interp.TypeName(weight))
	}
	switch {
	case l.class == "Linear":
		return linearOp(r, inputs[0], &interp.Args{Pos: []interp.Value{w, bias}})
	case l.spatial > 0 && attr(x, "groups") != nil && attr(x, "padding_mode") == "zeros":
		a := &interp.Args{Pos: []interp.Value{w, bias}}
		for _, n := range []string{"stride", "padding", "output_padding", "groups", "dilation"} {
			if v, has := x.Get(n); has {
				a.Kw = append(a.Kw, interp.KV{Name: n, Value: v})
			}
		}
		return convOp(l.typ, l.spatial)(r, inputs[0], a)
	case l.class == "Embedding":
		return embeddingOp(r, inputs[0], &interp.Args{Pos: []interp.Value{w}})
	}
	r.in.Fault("the weights of this %s are not those that it was made with", l.class)
	return nil
}

// weightLength is the weight that weight_norm adds: the length of each vector of the weight.
const weightLength = "weight_g"

// weightNormed is a layer under weight_norm, which has one weight more than its component. Its norm multiplies nothing: the FLOPs are those
// of the layer.
func (r *reader) weightNormed(l *layer, params []graph.Param, made []weight, own []child, inputs []*Tensor) interp.Value {
	for _, w := range made {
		i := slices.IndexFunc(own, func(c child) bool { return c.name == w.name })
		if (i < 0) != (w.shape == nil) || i >= 0 && !own[i].value.(*Tensor).shape.Equal(w.shape) {
			r.in.Fault("the weights of this %s under weight_norm are not those that it was made with", l.class)
		}
	}
	t := inputs[0]
	inner := *t
	if l.spatial != 0 {
		if t.batch != 0 {
			r.in.Fault("%s under weight_norm gets %s", l.class, r.describe(t))
		}
		inner.shape, inner.pre, inner.post = t.shape[t.pre+t.post:], 0, 0
	} else {
		r.trailing(l.typ, params, t)
	}
	res := r.evaluate(l.typ, params, []*Tensor{&inner})
	if res.Err != nil || res.Out == nil {
		message := "does not say what comes out"
		if res.Err != nil {
			message = res.Err.Message
		}
		r.refuse(t, l.typ, message)
	}
	shape, flops := res.Out, res.FLOPs
	if l.spatial != 0 {
		shape, flops = append(slices.Clone(t.shape[:t.pre+t.post]), res.Out...), res.FLOPs*t.folded()
	}
	return r.holding(l.typ, l.typ+" under weight_norm", shape, flops, own, inputs)
}

// weightNorms are weight_norm, which splits a weight into directions and lengths, and spectral_norm, which keeps it.
func (r *reader) weightNorms() map[string]interp.Value {
	return map[string]interp.Value{"weight_norm": interp.Fn("weight_norm", r.weightNorm), "spectral_norm": first(),
		"remove_weight_norm":   interp.Fn("remove_weight_norm", r.removeWeightNorm),
		"remove_spectral_norm": first()}
}

func (r *reader) weightNorm(in *interp.Interp, a *interp.Args) interp.Value {
	b := a.Bind(in, "weight_norm", "module", "name", "dim")
	x, ok := r.isModule(b[0])
	if !ok {
		in.Fault("weight_norm of a %s", interp.TypeName(b[0]))
	}
	name, _ := interp.Or(b[1], "weight").(string)
	w, ok := attr(x, name).(*Tensor)
	dim := interp.Or(b[2], int64(0))
	at, isInt := interp.AsInt(dim)
	if isInt && ok && at == -1 && len(w.shape) > 0 { // which stands for no axis, as None does
		dim, isInt = nil, false
	}
	if !ok || w.param == nil || name != "weight" || dim != nil && !isInt || isInt && (at < 0 || int(at) >= len(w.shape)) {
		in.Fault("weight_norm of this kind is not followed")
	}
	if _, twice := x.Get(weightLength); twice {
		in.Doubt("RuntimeError", "Cannot register two weight_norm hooks on the same parameter weight")
	}
	shape := catalog.Of()
	if isInt {
		shape = slices.Repeat(catalog.Of(1), len(w.shape))
		shape[at] = w.shape[at]
	}
	x.Set(weightLength, r.newParam(shape))
	return x
}

func (r *reader) removeWeightNorm(in *interp.Interp, a *interp.Args) interp.Value {
	b := a.Bind(in, "remove_weight_norm", "module", "name")
	x, ok := r.isModule(b[0])
	if !ok {
		in.Fault("remove_weight_norm of a %s", interp.TypeName(b[0]))
	}
	if _, normed := x.Get(weightLength); !normed {
		in.Doubt("ValueError", "weight_norm of 'weight' not found in %s", x.Class.Name)
	}
	x.Unset(weightLength)
	return x
}
