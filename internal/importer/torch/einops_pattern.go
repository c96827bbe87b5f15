package torch

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/modelverifier/verifier/internal/importer/torch/interp"
)

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

// maxPattern is how long a pattern may be.
const maxPattern = 4096

// patternText is a pattern that must be a string.
func (r *reader) patternText(v interp.Value) string {
	s, ok := v.(string)
	if !ok {
		if u, unknown := v.(*interp.Unknown); unknown {
			r.in.Fault("a pattern of einops is not known: %s", u.Reason())
		}
		r.in.Doubt("TypeError", "a pattern of einops is a %s", interp.TypeName(v))
	}
	if len(s) > maxPattern {
		r.in.Fault("a pattern of einops has more than %d characters", maxPattern)
	}
	r.in.Spend(int64(len(s)) / 4)
	r.in.Work(len(s) * len(s) / 64) // its axes are looked for among each other
	return s
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

// rename gives a numbered axis another name.
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
