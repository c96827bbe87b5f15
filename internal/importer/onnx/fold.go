package onnx

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
)

// fold makes constants of the results of a node, with their numbers where those of the inputs are known.
func (im *reading) fold(n *node, op operator) error {
	parts, err := im.partsOf(n)
	if err != nil {
		return err
	}
	small := true
	for _, v := range n.in {
		if v == nil || !v.konst { // Shape reads no elements
			continue
		}
		if op.fold != nil && small && n.op != "Shape" && n.op != "Size" {
			num, err := im.numbers(v)
			if err != nil {
				return err
			}
			small = num != nil
		}
	}
	taken := &taker{im: im, n: n}
	for i, v := range n.out {
		if v == nil {
			continue
		}
		v.konst, v.def, v.parts = true, nil, parts
		if !v.shaped {
			continue
		}
		if err := taken.track(i, v); err != nil {
			return err
		}
	}
	if op.fold == nil || !small || len(n.out) == 0 || n.out[0] == nil {
		return nil
	}
	if n.op == "Split" {
		return im.foldSplit(n)
	}
	out := n.out[0]
	if size := out.size(); size > maxConstant || !im.budget(size) {
		return nil
	}
	num, err := op.fold(im, n)
	if err != nil {
		return err
	}
	if num != nil && int64(num.len()) != out.size() {
		return n.errorf("its result has %d elements, but its shape is %v", num.len(), out.shape)
	}
	out.num = num
	return nil
}

// isData reports whether the elements of an input flow into the result; sizes, axes and scales of the storage do not.
func isData(n *node, i int) bool {
	switch n.op {
	case "Shape", "Size", "ConstantOfShape", "ConstantFill", "Range":
		return false
	case "Sin", "Cos": // positions: what goes into them is not trained
		return false
	case "CastLike", "DequantizeLinear":
		return i == 0
	case "Where":
		return i > 0
	}
	return i == 0 || n.in[i].elem.isFloat()
}

// partsOf are the tensors that flow into the results of a node, each once.
func (im *reading) partsOf(n *node) ([]part, error) {
	var out []part
	var seen map[string]bool
	for i, v := range n.in {
		if v == nil || len(v.parts) == 0 || !isData(n, i) || len(out) > 0 && &v.parts[0] == &out[0] {
			continue
		}
		if err := im.tracks(n, len(v.parts)); err != nil {
			return nil, err
		}
		if out == nil { // most constants are made of one, and share its list
			out = slices.Clip(v.parts)
			continue
		}
		if seen == nil {
			seen = make(map[string]bool, len(out)+len(v.parts))
			for _, p := range out {
				seen[p.key] = true
			}
		}
		for _, p := range v.parts {
			if !seen[p.key] {
				seen[p.key] = true
				out = append(out, p)
			}
		}
	}
	return out, nil
}

// taker names the pieces that the results of a node are of its first input.
type taker struct {
	im   *reading
	n    *node
	name string // what all of them have in common, "" before it was asked for
}

// track follows which piece of a stored tensor a constant is.
func (t *taker) track(i int, v *value) error {
	n := t.n
	switch n.op {
	case "Identity", "Cast", "CastLike":
		v.stored, v.cut, v.num = n.in[0].stored, n.in[0].cut, nil
		if v.elem != n.in[0].elem && (!v.elem.isFloat() || !n.in[0].elem.isFloat()) {
			v.stored = nil
		}
	case "Slice", "Split", "Gather", "GatherElements", "GatherND":
		if len(n.in[0].parts) == 0 || v.size() == n.in[0].size() {
			return nil
		}
		name, err := t.piece()
		if err != nil {
			return err
		}
		v.parts = []part{{n.in[0].parts[0].t, fmt.Sprintf("%s %d", name, i), v.size()}}
		if n.in[0].stored != nil {
			v.cut, v.row, err = t.im.cutOf(n)
			return err
		}
	case "Unsqueeze", "Expand", "Reshape", "Squeeze":
		if v.size() == n.in[0].size() {
			v.cut = n.in[0].cut
		}
		v.row = n.in[0].row
	}
	return nil
}

// piece names what a node takes from its input, so that two that take the same are known to share it.
func (t *taker) piece() (string, error) {
	if t.name != "" {
		return t.name, nil
	}
	const digits = 16 // writing a number takes as long as going over so many
	if err := t.im.walks(t.n, digits*t.n.lengths()); err != nil {
		return "", err
	}
	var name strings.Builder
	for _, p := range t.n.in[0].parts {
		name.WriteString(p.key)
	}
	fmt.Fprintf(&name, "<%s", t.n.op)
	for _, v := range t.n.in[1:] {
		if num, err := t.im.numbers(v); err == nil && num != nil && num.len() < 64 {
			fmt.Fprint(&name, num.ints)
		} else if v != nil {
			fmt.Fprint(&name, v.name)
		}
	}
	for _, a := range t.n.attrs {
		fmt.Fprint(&name, a.name, a.i, a.ints)
	}
	t.name = short(name.String() + ">")
	return t.name, nil
}

// short keeps a key from growing with every piece of a piece.
func short(key string) string {
	if len(key) < 256 {
		return key
	}
	return fmt.Sprintf("%x", sha256.Sum256([]byte(key)))
}

// cutOf says which range of one axis a node takes, or that it takes the first row alone; nil where it takes several ranges or
// in steps.
func (im *reading) cutOf(n *node) (*cut, *tensor, error) {
	in := n.in[0]
	switch n.op {
	case "Gather":
		num, err := im.numbers(n.in[1])
		axis, bad := n.axis(n.int("axis", 0), in.rank())
		if err != nil || num == nil || bad != nil || len(num.ints) == 0 {
			return nil, nil, nil
		}
		if err := im.walks(n, int64(len(num.ints))); err != nil {
			return nil, nil, err
		}
		if isRun(num.ints, in.shape[axis]) && num.ints[0] >= 0 && len(num.ints) > 1 {
			return &cut{in.stored, axis, num.ints[0], num.ints[0] + int64(len(num.ints))}, nil, nil
		}
		if axis == 0 && !slices.ContainsFunc(num.ints, func(i int64) bool { return i != 0 }) {
			return nil, in.stored, nil
		}
		return nil, nil, nil
	case "Slice":
	default:
		return nil, nil, nil
	}
	ranges, err := im.sliceRanges(n)
	if err != nil {
		return nil, nil, nil
	}
	var found *cut
	for _, r := range ranges {
		if r.size == in.shape[r.axis] && r.step == 1 {
			continue
		}
		if found != nil || r.step != 1 {
			return nil, nil, nil
		}
		found = &cut{in.stored, r.axis, r.start, r.start + r.size}
	}
	return found, nil, nil
}

// constant makes a value of a Constant node.
func (im *reading) constant(n *node) error {
	if len(n.out) != 1 || n.out[0] == nil {
		return n.errorf("it has no result")
	}
	v := n.out[0]
	v.konst, v.def, v.shaped = true, nil, true
	for _, a := range n.attrs {
		switch a.name {
		case "value":
			if a.t == nil {
				return n.errorf("its value is no tensor")
			}
			t := *a.t
			t.literal = true
			if t.name == "" {
				t.name = v.name
			}
			v.elem, v.shape, v.stored, v.parts = t.elem, t.dims, &t, []part{{&t, "literal " + v.name, t.size}}
			return nil
		case "value_int":
			v.elem, v.shape, v.num = elemInt64, []int64{}, &numbers{ints: []int64{a.i}}
			return nil
		case "value_ints":
			v.elem, v.shape, v.num = elemInt64, []int64{int64(len(a.ints))}, &numbers{ints: nonNil(a.ints)}
			return nil
		case "value_float":
			v.elem, v.shape, v.num = elemFloat, []int64{}, &numbers{floats: []float64{a.f}}
			return nil
		case "value_floats":
			v.elem, v.shape, v.num = elemFloat, []int64{int64(len(a.floats))}, &numbers{floats: nonNil(a.floats)}
			return nil
		case "value_string", "value_strings":
			v.elem, v.shape = 8, []int64{int64(max(len(a.strings), 1))}
			return nil
		}
	}
	return n.errorf("it has no value that is read")
}

// nonNil is a list that is there, even where it is empty. Numbers are never changed, so that the constants of all calls share it.
func nonNil[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// strides returns the distance of neighbours along each axis of a dense tensor.
func strides(shape []int64) []int64 {
	out := make([]int64, len(shape))
	step := int64(1)
	for i := len(shape) - 1; i >= 0; i-- {
		out[i] = step
		step *= shape[i]
	}
	return out
}

// pick copies elements: for every place of shape, in order, the one at the sum of index times step, from an offset on.
func (n *numbers) pick(shape, steps []int64, offset int64) *numbers {
	size := int64(1)
	for _, s := range shape {
		size *= s
	}
	shape, steps = longAxes(shape, steps)
	out := &numbers{}
	if n.floats != nil {
		out.floats = make([]float64, 0, size)
	} else {
		out.ints = make([]int64, 0, size)
	}
	at := make([]int64, len(shape))
	for range size {
		if n.floats != nil {
			out.floats = append(out.floats, n.floats[offset])
		} else {
			out.ints = append(out.ints, n.ints[offset])
		}
		for i := len(shape) - 1; i >= 0; i-- {
			at[i]++
			offset += steps[i]
			if at[i] < shape[i] {
				break
			}
			offset -= steps[i] * shape[i]
			at[i] = 0
		}
	}
	return out
}

// longAxes leaves out axes of one entry, which every place would be carried through.
func longAxes(shape, steps []int64) (long, longSteps []int64) {
	for i, size := range shape {
		if size != 1 {
			long, longSteps = append(long, size), append(longSteps, steps[i])
		}
	}
	return long, longSteps
}

// stretch gives a constant a shape that it can be broadcast to.
func (n *numbers) stretch(from, to []int64) *numbers {
	if slices.Equal(from, to) {
		return n
	}
	own := strides(from)
	steps := make([]int64, len(to))
	for i := range from {
		if from[i] > 1 {
			steps[len(to)-len(from)+i] = own[i]
		}
	}
	return n.pick(to, steps, 0)
}

// asFloats and asInts convert.
func (n *numbers) asFloats() *numbers {
	if n.floats != nil {
		return n
	}
	out := &numbers{floats: make([]float64, len(n.ints))}
	for i, v := range n.ints {
		out.floats[i] = float64(v)
	}
	return out
}

func (n *numbers) asInts() *numbers {
	if n.ints != nil {
		return n
	}
	out := &numbers{ints: make([]int64, len(n.floats))}
	for i, v := range n.floats {
		out.ints[i] = saturate(v)
	}
	return out
}

// saturate drops a fraction; what does not fit becomes the nearest that does.
func saturate(v float64) int64 {
	switch {
	case v != v:
		return 0
	case v >= 1<<63:
		return 1<<63 - 1
	case v < -1<<63:
		return -1 << 63
	}
	return int64(v)
}
