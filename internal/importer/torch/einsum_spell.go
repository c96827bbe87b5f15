package torch

import (
	"slices"
	"strings"
)

// spelledOut writes an equation of einsum with its result, and with letters in place of dots.
func (r *reader) spelledOut(equation string, inputs []*Tensor) string {
	left, right, explicit := strings.Cut(equation, "->")
	terms := strings.Split(left, ",")
	if len(terms) != len(inputs) || len(equation) > 4096 {
		return equation
	}
	widest := 0
	for i, term := range terms {
		if !strings.Contains(term, "...") {
			continue
		}
		n := inputs[i].rank() - (len(term) - 3)
		if n < 0 {
			r.in.Raise("RuntimeError", "einsum(): the number of subscripts in the equation (%d) is more than the number of dimensions (%d) for operand %d",
				len(term)-3, inputs[i].rank(), i)
		}
		widest = max(widest, n)
	}
	covered := ""
	for c := byte('A'); c <= 'z' && len(covered) < widest; c++ {
		if letter(c) && strings.IndexByte(equation, c) < 0 {
			covered += string(c)
		}
	}
	if len(covered) < widest {
		r.in.Fault("the equation %q has too many axes", equation)
	}
	if !explicit {
		right = covered + once(left)
	} else {
		right = strings.Replace(right, "...", covered, 1)
	}
	for i, term := range terms {
		if n := inputs[i].rank() - (len(term) - 3); strings.Contains(term, "...") {
			terms[i] = strings.Replace(term, "...", covered[widest-n:], 1)
		}
	}
	return strings.Join(terms, ",") + "->" + right
}

func letter(c byte) bool { return c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' }

// once are the letters that stand once on the left, sorted: the result where none is written.
func once(left string) string {
	var out []byte
	for i := range len(left) {
		if letter(left[i]) && strings.Count(left, left[i:i+1]) == 1 {
			out = append(out, left[i])
		}
	}
	slices.Sort(out)
	return string(out)
}
