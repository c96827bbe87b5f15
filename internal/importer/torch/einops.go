package torch

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/modelverifier/verifier/internal/importer/torch/interp"
)

// einops: the patterns of rearrange, reduce, repeat and einsum, as einops 0.8 reads them. What else the package has is in preludes/einops.

// dots stands for an ellipsis inside a pattern.
const dots = "…"

// side is one side of a pattern: groups of axes. An axis of size 1 is an empty group.
type side struct {
	groups   [][]string
	names    []string         // every axis, in order
	numbers  map[string]int64 // the sizes of axes that are written as numbers
	ellipsis bool
	inParens bool // the ellipsis is inside a group
}

// sideRules say what one side of a pattern may have.
type sideRules struct{ underscore, duplicates bool }

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

func (r *reader) patternText(v interp.Value) string {
	s, ok := v.(string)
	if !ok {
		if u, unknown := v.(*interp.Unknown); unknown {
			r.in.Fault("a pattern of einops is not known: %s", u.Reason())
		}
		r.in.Doubt("TypeError", "a pattern of einops is a %s", interp.TypeName(v))
	}
	r.in.Spend(int64(len(s)) / 4)
	return s
}

func (r *reader) einopsRaise(format string, args ...any) {
	r.in.RaiseClass(r.einopsError, format, args...)
}

// side reads one side of a pattern.
func (r *reader) side(text string, rules sideRules) *side {
	s := &side{numbers: map[string]int64{}}
	if strings.Contains(text, ".") {
		if strings.Count(text, "...") != 1 || strings.Count(text, ".") != 3 {
			r.einopsRaise("Expression may contain dots only inside ellipsis (...)")
		}
		text, s.ellipsis = strings.ReplaceAll(text, "...", dots), true
	}
	var group []string
	inside, word := false, ""
	flush := func() {
		if word == "" {
			return
		}
		axis, named := r.axisName(s, word, inside, rules)
		word = ""
		switch {
		case !named && !inside:
			s.groups = append(s.groups, nil)
		case !named:
		case inside:
			group = append(group, axis)
		default:
			s.groups = append(s.groups, []string{axis})
		}
	}
	for _, c := range text {
		switch {
		case c == '(' || c == ')' || c == ' ':
			flush()
			switch {
			case c == '(' && inside:
				r.einopsRaise("Axis composition is one-level (brackets inside brackets not allowed)")
			case c == '(':
				inside, group = true, nil
			case c == ')' && !inside:
				r.einopsRaise("Brackets are not balanced")
			case c == ')':
				inside = false
				s.groups = append(s.groups, group)
			}
		case unicode.IsLetter(c) || unicode.IsNumber(c) || c == '_' || string(c) == dots:
			word += string(c)
		default:
			r.einopsRaise("Unknown character '%c'", c)
		}
	}
	if inside {
		r.einopsRaise("Imbalanced parentheses in expression: %q", text)
	}
	flush()
	return s
}

// axisName takes an axis of a side in; named is false for an axis of size 1.
func (r *reader) axisName(s *side, word string, inside bool, rules sideRules) (axis string, named bool) {
	if slices.Contains(s.names, word) && !(rules.underscore && word == "_") && !rules.duplicates {
		r.einopsRaise("Indexing expression contains duplicate dimension %q", word)
	}
	if word == dots {
		s.inParens = inside
		s.names = append(s.names, word)
		return word, true
	}
	if n, err := strconv.ParseInt(word, 10, 64); err == nil {
		if n == 1 {
			return "", false
		}
		if n < 1 {
			r.einopsRaise("Anonymous axis should have positive length, not %d", n)
		}
		axis = word + "#" + strconv.Itoa(len(s.names)) // two axes of one number are two axes
		s.numbers[axis] = n
		s.names = append(s.names, axis)
		return axis, true
	}
	if first := rune(word[0]); first >= '0' && first <= '9' || !(rules.underscore && word == "_") && (word[0] == '_' || strings.HasSuffix(word, "_")) {
		r.einopsRaise("Invalid axis identifier: %s", word)
	}
	s.names = append(s.names, word)
	return word, true
}

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

func (s *side) rename(from, to string) {
	s.numbers[to] = s.numbers[from]
	delete(s.numbers, from)
	for _, list := range append(slices.Clone(s.groups), s.names) {
		for i := range list {
			if list[i] == from {
				list[i] = to
			}
		}
	}
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

// rearranged is rearrange, reduce and repeat: what stands on the left is taken apart, reduced and put in the order of the right,
// new axes are added, and groups are joined.
func (r *reader) rearranged(v interp.Value, text string, reduction interp.Value, sizes []interp.KV) interp.Value {
	t := r.einopsTensor(v)
	p := r.prepare(text, reduction, sizes, t.rank())
	flat := r.takeApart(t, p)
	order := slices.Concat(p.left...)
	if reduction != "rearrange" && reduction != "repeat" {
		flat, order = r.einopsReduce(flat, order, slices.Concat(p.right...), reduction)
	}
	var axes []int
	for _, axis := range slices.Concat(p.right...) {
		if i := slices.Index(order, axis); i >= 0 {
			axes = append(axes, i)
		}
	}
	if !slices.IsSorted(axes) {
		flat = r.permute(flat, axes)
	}
	flat = r.addAxes(flat, order, p)
	var want []interp.Value
	joined := false
	for _, group := range p.right {
		n := interp.Value(int64(1))
		for _, axis := range group {
			n = r.times(n, p.sizes[axis])
		}
		joined = joined || len(group) != 1
		want = append(want, n)
	}
	if joined {
		flat = r.view(flat, want)
	}
	return flat
}

func (r *reader) einopsTensor(v interp.Value) *Tensor {
	if l, ok := v.(*interp.List); ok {
		if len(l.Items) == 0 {
			r.in.Raise("TypeError", "einops can't be applied to an empty list")
		}
		return r.stack(r.tensors("einops", l), int64(0))
	}
	return r.tensor("einops", v)
}

// times multiplies sizes.
func (r *reader) times(a, b interp.Value) interp.Value {
	if a == int64(1) {
		return b
	}
	return r.in.Binary("*", a, b)
}

// takeApart splits the groups of the left side, and notes the sizes that follow from the tensor.
func (r *reader) takeApart(t *Tensor, p *recipe) *Tensor {
	var want []interp.Value
	apart := false
	for i, group := range p.left {
		whole, known, free := t.size(i), interp.Value(int64(1)), ""
		for _, axis := range group {
			if n, ok := p.sizes[axis]; ok {
				known = r.times(known, n)
			} else {
				free = axis
			}
		}
		if free == "" {
			r.sameSize(whole, known)
		} else {
			p.sizes[free] = r.quotient(whole, known)
		}
		apart = apart || len(group) != 1
		for _, axis := range group {
			want = append(want, p.sizes[axis])
		}
	}
	if !apart {
		return t
	}
	return r.view(t, want)
}

func (r *reader) sameSize(whole, known interp.Value) {
	switch same := r.in.Compare("==", whole, known).(type) {
	case bool:
		if _, isInt := interp.AsInt(whole); !same && isInt {
			r.einopsRaise("Shape mismatch, %s != %s", describeSize(whole), describeSize(known))
		} else if !same {
			r.in.Fault("a pattern of einops gives an axis of size %s the size %s", describeSize(whole), describeSize(known))
		}
	default:
		r.in.Fault("a pattern of einops compares %s with %s", describeSize(whole), describeSize(known))
	}
}

func (r *reader) quotient(whole, known interp.Value) interp.Value {
	if known == int64(1) {
		return whole
	}
	a, okA := interp.AsInt(whole)
	b, okB := interp.AsInt(known)
	if okA && okB && (b == 0 || a%b != 0) {
		r.einopsRaise("Shape mismatch, can't divide axis of length %d in chunks of %d", a, b)
	}
	n := r.in.Binary("//", whole, known)
	if u, unknown := n.(*interp.Unknown); unknown {
		r.in.Fault("an axis of size %s is divided by %s: %s", describeSize(whole), describeSize(known), u.Why)
	}
	return n
}

// einopsReduce reduces the axes that the right side does not have.
func (r *reader) einopsReduce(t *Tensor, order, right []string, reduction interp.Value) (*Tensor, []string) {
	var drop, keep []int
	var left []string
	for i, axis := range order {
		if slices.Contains(right, axis) {
			keep, left = append(keep, i), append(left, axis)
		} else {
			drop = append(drop, i)
		}
	}
	if len(drop) == 0 {
		return t, order
	}
	name, isText := reduction.(string)
	if !isText {
		axes := interp.NewTuple()
		for _, i := range drop {
			axes.Items = append(axes.Items, int64(i))
		}
		return r.tensor("reduce", r.in.Call(reduction, &interp.Args{Pos: []interp.Value{t, axes}})), left
	}
	switch name {
	case "mean", "sum", "max", "min":
		var axes []interp.Value
		for _, i := range drop {
			axes = append(axes, int64(i))
		}
		if name == "mean" && t.isInt {
			r.einopsRaise("reduce_mean is not available for integers: mean needs a floating point tensor")
		}
		return r.reduced(name, t, axes, false), left
	}
	// The reduced axes go to the end, where they can be taken off.
	t = r.permute(t, append(keep, drop...))
	return r.reduceLast(name, t, len(drop)), left
}

// reduceLast reduces the last axes by a function that the catalogue does not have.
func (r *reader) reduceLast(name string, t *Tensor, n int) *Tensor {
	for i := range n {
		if _, ok := t.size(t.rank() - 1 - i).(int64); !ok {
			r.in.Fault("%s works across the samples of a batch", name)
		}
	}
	isInt := t.isInt
	out := r.custom(name, t.shape[:len(t.shape)-n], 0, t)
	out.isInt = isInt
	return out
}

// addAxes adds the axes that only the right side has.
func (r *reader) addAxes(t *Tensor, order []string, p *recipe) *Tensor {
	var want []interp.Value
	added := false
	for i, axis := range slices.Concat(p.right...) {
		if !slices.Contains(order, axis) {
			t, added = r.unsqueeze(t, i), true
		}
		want = append(want, p.sizes[axis])
	}
	if !added {
		return t
	}
	return r.tensor("repeat", expandOp(r, t, &interp.Args{Pos: want}))
}

// einopsEinsum is einops.einsum(tensor, …, pattern).
func (r *reader) einopsEinsum(in *interp.Interp, a *interp.Args) interp.Value {
	if len(a.Pos) < 2 || len(a.Kw) > 0 {
		in.Doubt("TypeError", "einsum takes tensors and a pattern")
	}
	text := r.patternText(a.Pos[len(a.Pos)-1])
	lefts, rhs, ok := strings.Cut(text, "->")
	if !ok {
		in.Raise("ValueError", "Einsum pattern must contain '->'.")
	}
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	of := map[string]byte{}
	write := func(s *side, isNew bool) string {
		var b strings.Builder
		for _, g := range s.groups {
			if len(g) != 1 || s.numbers[g[0]] > 0 {
				in.Raise("NotImplementedError", "Shape rearrangement is not yet supported in einsum.")
			}
			switch _, known := of[g[0]]; {
			case g[0] == dots:
				b.WriteString("...")
				continue
			case !known && !isNew:
				r.einopsRaise("Unknown axis %s on right side of einsum %s.", g[0], text)
			case !known && len(of) == len(letters):
				in.Raise("RuntimeError", "Too many axes in einsum.")
			case !known:
				of[g[0]] = letters[len(of)]
			}
			b.WriteByte(of[g[0]])
		}
		return b.String()
	}
	var terms []string
	for _, left := range strings.Split(lefts, ",") {
		terms = append(terms, write(r.side(left, sideRules{underscore: true, duplicates: true}), true))
	}
	equation := strings.Join(terms, ",") + "->" + write(r.side(rhs, sideRules{underscore: true}), false)
	return r.einsum(&interp.Args{Pos: append([]interp.Value{equation}, a.Pos[:len(a.Pos)-1]...)})
}

// parseShape is einops.parse_shape.
func (r *reader) parseShape(in *interp.Interp, a *interp.Args) interp.Value {
	b := a.Bind(in, "parse_shape", "x", "pattern")
	t, s := r.tensor("parse_shape", b[0]), r.side(r.patternText(b[1]), sideRules{underscore: true})
	groups := s.groups
	if i := slices.IndexFunc(groups, func(g []string) bool { return slices.Contains(g, dots) }); i >= 0 && t.rank() >= len(groups)-1 {
		skip := make([][]string, t.rank()-len(groups)+1)
		for k := range skip {
			skip[k] = []string{"_"}
		}
		groups = slices.Concat(groups[:i], skip, groups[i+1:])
	}
	if len(groups) != t.rank() {
		in.Raise("RuntimeError", "Can't parse shape with different number of dimensions: %s %s", interp.Str(b[1]), r.describe(t))
	}
	out := interp.NewDict()
	for i, g := range groups {
		switch {
		case len(g) > 1:
			in.Raise("RuntimeError", "Can't parse shape with composite axes: %s", interp.Str(b[1]))
		case len(g) == 0:
			r.sameSize(t.size(i), int64(1))
		case s.numbers[g[0]] > 0:
			r.sameSize(t.size(i), s.numbers[g[0]])
		case g[0] != "_":
			out.Set(g[0], t.size(i))
		}
	}
	return out
}

// checkPattern is what the layers of einops check when they are made: check(pattern, reduction, sizes).
func (r *reader) checkPattern(in *interp.Interp, a *interp.Args) interp.Value {
	b := a.Bind(in, "check", "pattern", "reduction", "sizes")
	var sizes []interp.KV
	if d, ok := b[2].(*interp.Dict); ok {
		for i, k := range d.Keys() {
			sizes = append(sizes, interp.KV{Name: interp.Str(k), Value: d.Values()[i]})
		}
	}
	text := r.patternText(b[0])
	lhs, _, _ := strings.Cut(text, "->")
	s := r.side(lhs, sideRules{})
	rank := len(s.groups)
	r.prepare(text, b[1], sizes, rank)
	return nil
}

// patternAxes lists the groups of one side of a pattern, for the layers in preludes.
func (r *reader) patternAxes(in *interp.Interp, a *interp.Args) interp.Value {
	b := a.Bind(in, "axes", "text")
	out := interp.NewList()
	for _, g := range r.side(r.patternText(b[0]), sideRules{}).groups {
		group := interp.NewList()
		for _, n := range g {
			if n == dots {
				n = "..."
			}
			group.Items = append(group.Items, n)
		}
		out.Items = append(out.Items, group)
	}
	return out
}
