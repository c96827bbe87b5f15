package torch

import (
	"strings"

	"github.com/modelverifier/verifier/internal/importer/torch/interp"
)

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
