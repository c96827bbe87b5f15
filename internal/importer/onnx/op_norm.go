package onnx

import (
	"slices"

	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/quantity"
)

// Names of ours for normalisations that were put together from their parts: input, scale, shift.
const (
	fusedLayerNorm = "LayerNorm (fused)"
	fusedRMSNorm   = "RMSNorm (fused)"
	fusedGroupNorm = "GroupNorm (fused)"
)

var (
	_ = register("BatchNormalization", operator{shape: sameShape, emit: emitBatchNorm})
	_ = register("InstanceNormalization", operator{shape: sameShape, emit: emitInstanceNorm})
	_ = register("LayerNormalization", operator{shape: layerNormShape, emit: emitLayerNorm})
	_ = register(fusedLayerNorm, operator{shape: sameShape, emit: emitLayerNorm})
	_ = register("GroupNormalization", operator{shape: sameShape, emit: emitGroupNorm})
	_ = register(fusedGroupNorm, operator{shape: sameShape, emit: emitGroupNorm})
	_ = register("RMSNormalization", operator{shape: sameShape, emit: emitRMSNorm})
	_ = register("com.microsoft.SimplifiedLayerNormalization", operator{shape: sameShape, emit: emitRMSNorm})
	_ = register("SimplifiedLayerNormalization", operator{shape: sameShape, emit: emitRMSNorm})
	_ = register(fusedRMSNorm, operator{shape: sameShape, emit: emitRMSNorm})
	_ = register("LRN", operator{shape: sameShape, emit: func(e *emitter, n *node) error {
		return e.batchedLayer(n, "localResponseNorm", []graph.Param{whole("size", n.int("size", 1)), number("alpha", n.float("alpha", 0.0001)),
			number("beta", n.float("beta", 0.75)), number("k", n.float("bias", 1))}, nil)
	}})
)

// affine are the uses of the scale and the shift of a normalisation, and which of them it has.
func (e *emitter) affine(n *node) (uses []use, scale, shift bool) {
	a, b := e.vector(n, n.input(1), 1), e.vector(n, n.input(2), 0)
	return append(slices.Clone(a), b...), len(a) > 0, len(b) > 0
}

func eps(n *node) graph.Param { return number("eps", n.float("epsilon", 1e-5)) }

func emitBatchNorm(e *emitter, n *node) error {
	uses, scale, _ := e.affine(n)
	if uses == nil {
		uses = []use{}
	}
	if n.in[0].rank() < 2 {
		return refused{"it normalises a vector"}
	}
	params := []graph.Param{whole("numFeatures", n.in[0].shape[1]), eps(n)}
	if !scale {
		params = append(params, boolean("affine", false))
	}
	return e.batchedLayer(n, "batchNorm", params, uses)
}

func emitInstanceNorm(e *emitter, n *node) error {
	uses, scale, _ := e.affine(n)
	if n.in[0].rank() < 2 {
		return refused{"it normalises a vector"}
	}
	return e.batchedLayer(n, "instanceNorm", []graph.Param{whole("numFeatures", n.in[0].shape[1]), eps(n), boolean("affine", scale)}, append([]use{}, uses...))
}

// normalised returns the axes that a layer normalisation works on: all from one on.
func normalised(n *node) (int, error) {
	if n.op == fusedLayerNorm || n.op == fusedRMSNorm {
		return int(n.int("axis", 0)), nil
	}
	return n.axis(n.int("axis", -1), n.in[0].rank())
}

func layerNormShape(_ *reading, n *node) error {
	if err := sameShape(nil, n); err != nil {
		return err
	}
	axis, err := normalised(n)
	if err != nil {
		return err
	}
	rest := append(slices.Clone(n.in[0].shape[:axis]), slices.Repeat([]int64{1}, n.in[0].rank()-axis)...)
	n.set(1, elemFloat, rest)
	n.set(2, elemFloat, rest)
	return nil
}

func emitLayerNorm(e *emitter, n *node) error {
	if len(n.out) > 1 && slices.ContainsFunc(n.out[1:], func(v *value) bool { return v != nil && e.used[v] }) {
		return refused{"its mean or its variance is used, too"}
	}
	uses, scale, shift := e.affine(n)
	var params []graph.Param
	switch {
	case !scale:
		params = append(params, boolean("elementwiseAffine", false))
	case !shift:
		params = append(params, boolean("bias", false))
	}
	return e.lastAxes(n, "layerNorm", append([]graph.Param{eps(n)}, params...), uses)
}

func emitRMSNorm(e *emitter, n *node) error {
	uses := e.vector(n, n.input(1), 1)
	params := []graph.Param{eps(n)}
	if len(uses) == 0 {
		params = append(params, boolean("elementwiseAffine", false))
	}
	return e.lastAxes(n, "rmsNorm", params, uses)
}

// lastAxes emits a normalisation of the last axes. The batch must lie before them.
func (e *emitter) lastAxes(n *node, typ string, params []graph.Param, uses []use) error {
	e.pending = append([]use{}, uses...)
	axis, err := normalised(n)
	if err != nil {
		return err
	}
	in := n.in[0]
	if in.konst {
		return refused{"its input is a constant"}
	}
	p := *e.at[in]
	if p.axis >= axis {
		if p, err = e.full(in); err != nil {
			return err
		}
	}
	params = append([]graph.Param{list("normalizedShape", in.shape[axis:])}, params...)
	out, err := e.add(n, typ, params, uses, p)
	if err != nil {
		return err
	}
	return e.give(n.out[0], out, p.layout)
}

func emitGroupNorm(e *emitter, n *node) error {
	if n.in[0].rank() < 2 {
		return refused{"it normalises a vector"}
	}
	uses, scale, shift := e.affine(n)
	channels := n.in[0].shape[1]
	if size, _ := quantity.Add(sizes(uses)...); scale && shift && size != 2*channels {
		return refused{"it has a scale for each group and not for each channel"}
	}
	params := []graph.Param{whole("numGroups", n.int("num_groups", 1)), whole("numChannels", channels), eps(n)}
	if !scale {
		params = append(params, boolean("affine", false))
	}
	return e.batchedLayer(n, "groupNorm", params, append([]use{}, uses...))
}

func sizes(uses []use) []int64 {
	out := []int64{0}
	for _, u := range uses {
		out = append(out, u.size)
	}
	return out
}
