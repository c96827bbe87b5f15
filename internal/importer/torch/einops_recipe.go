package torch

import (
	"slices"
	"strconv"
	"strings"

	"github.com/modelverifier/verifier/internal/importer/torch/interp"
)

// recipe is a pattern that was checked for tensors of one rank.
type recipe struct {
	left, right [][]string
	sizes       map[string]interp.Value // those that are known before the tensor is
}

// prepare checks a pattern as einops does before it looks at a tensor's sizes.
func (r *reader) prepare(text string, reduction interp.Value, sizes []interp.KV, rank int) *recipe {
	lhs, rhs, ok := strings.Cut(text, "->")
	if !ok || strings.Contains(rhs, "->") {
		r.in.Raise("ValueError", "a pattern of einops has one ->: %q", text)
	}
	left, right := r.side(lhs, sideRules{}), r.side(rhs, sideRules{})
	for axis := range right.numbers { // a number on the right is an axis of its own
		if _, clash := left.numbers[axis]; clash {
			right.rename(axis, axis+"'")
		}
	}
	r.checkSides(left, right, reduction, sizes)
	out := &recipe{sizes: map[string]interp.Value{}}
	r.expandEllipsis(out, left, right, rank)
	for axis, n := range left.numbers {
		out.sizes[axis] = n
	}
	for axis, n := range right.numbers {
		out.sizes[axis] = n
	}
	r.in.Work(len(sizes) * len(text))
	for _, kw := range sizes {
		if !slices.Contains(left.names, kw.Name) && !slices.Contains(right.names, kw.Name) {
			r.einopsRaise("Axis %s is not used in transform", kw.Name)
		}
		out.sizes[kw.Name] = r.axisSize(kw)
	}
	for _, group := range out.left {
		var free []string
		for _, axis := range group {
			if _, known := out.sizes[axis]; !known {
				free = append(free, axis)
			}
		}
		if len(free) > 1 {
			r.einopsRaise("Could not infer sizes for %s", strings.Join(free, ", "))
		}
	}
	return out
}

// axisSize is a size that the caller gives.
func (r *reader) axisSize(kw interp.KV) interp.Value {
	switch x := kw.Value.(type) {
	case *interp.Unknown:
		r.in.Fault("the size of the axis %s is not known: %s", kw.Name, x.Reason())
	case *Tensor:
		return x.ToNumber(r.in)
	}
	return kw.Value
}

// reductions of einops by their names.
var einopsReductions = []string{"min", "max", "sum", "mean", "prod", "any", "all"}

// checkSides checks that the axes of both sides suit the operation.
func (r *reader) checkSides(left, right *side, reduction interp.Value, sizes []interp.KV) {
	if right.ellipsis && !left.ellipsis {
		r.einopsRaise("Ellipsis found in right side, but not left side of a pattern")
	}
	if left.ellipsis && left.inParens {
		r.einopsRaise("Ellipsis inside parenthesis in the left side is not allowed")
	}
	only := func(a, b *side) []string {
		return slices.DeleteFunc(slices.Clone(a.names), func(n string) bool { return slices.Contains(b.names, n) })
	}
	switch {
	case reduction == "rearrange":
		if len(left.numbers)+len(right.numbers) > 0 {
			r.einopsRaise("Non-unitary anonymous axes are not supported in rearrange (exception is length 1)")
		}
		if one := append(only(left, right), only(right, left)...); len(one) > 0 {
			r.einopsRaise("Identifiers only on one side of expression (should be on both): %s", strings.Join(one, ", "))
		}
	case reduction == "repeat":
		if one := only(left, right); len(one) > 0 {
			r.einopsRaise("Unexpected identifiers on the left side of repeat: %s", strings.Join(one, ", "))
		}
		for _, n := range only(right, left) {
			if _, number := right.numbers[n]; !number && !slices.ContainsFunc(sizes, func(kw interp.KV) bool { return kw.Name == n }) {
				r.einopsRaise("Specify sizes for new axes in repeat: %s", n)
			}
		}
	default:
		if name, isText := reduction.(string); isText && !slices.Contains(einopsReductions, name) {
			r.einopsRaise("Unknown reduction %s. Expect one of %s.", name, strings.Join(einopsReductions, ", "))
		}
		if one := only(right, left); len(one) > 0 {
			r.einopsRaise("Unexpected identifiers on the right side of reduce: %s", strings.Join(one, ", "))
		}
	}
}

// expandEllipsis replaces … by as many axes as a tensor of this rank has there.
func (r *reader) expandEllipsis(out *recipe, left, right *side, rank int) {
	if !left.ellipsis {
		if rank != len(left.groups) {
			r.einopsRaise("Wrong shape: expected %d dims. Received %d-dim tensor.", len(left.groups), rank)
		}
		out.left, out.right = left.groups, right.groups
		return
	}
	n := rank - (len(left.groups) - 1)
	if n < 0 {
		r.einopsRaise("Wrong shape: expected >=%d dims. Received %d-dim tensor.", len(left.groups)-1, rank)
	}
	var axes []string
	for i := range n {
		axes = append(axes, dots+strconv.Itoa(i))
	}
	expand := func(s *side) (groups [][]string) {
		for _, g := range s.groups {
			at := slices.Index(g, dots)
			switch {
			case at < 0:
				groups = append(groups, g)
			case len(g) == 1 && !s.inParens:
				for _, a := range axes {
					groups = append(groups, []string{a})
				}
			default:
				groups = append(groups, slices.Concat(g[:at], axes, g[at+1:]))
			}
		}
		return groups
	}
	out.left, out.right = expand(left), expand(right)
}

// checkPattern is what the layers of einops check when they are made: check(pattern, reduction, sizes).
func (r *reader) checkPattern(in *interp.Interp, a *interp.Args) interp.Value {
	b := a.Bind(in, "check", "pattern", "reduction", "sizes")
	var sizes []interp.KV
	if d, ok := b[2].(*interp.Dict); ok {
		values := d.Values()
		for i, k := range d.Keys() {
			sizes = append(sizes, interp.KV{Name: interp.Str(k), Value: values[i]})
		}
	}
	text := r.patternText(b[0])
	lhs, _, _ := strings.Cut(text, "->")
	s := r.side(lhs, sideRules{})
	rank := len(s.groups)
	r.prepare(text, b[1], sizes, rank)
	return nil
}
