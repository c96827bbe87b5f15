package torch

import (
	"strings"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/importer/torch/interp"
)

// contract is einsum. Where every operand has the batch as its first letter, and so has the result, the catalogue has it. Else the
// shape follows from the letters, and a component of declared shape stands for it.
func (r *reader) contract(equation string, inputs []*Tensor) interp.Value {
	equation = r.spelledOut(strings.ReplaceAll(equation, " ", ""), inputs)
	left, right, explicit := strings.Cut(equation, "->")
	terms := strings.Split(left, ",")
	if !explicit || strings.Contains(equation, ".") || len(terms) != len(inputs) {
		r.in.Fault("the equation %q is not followed", equation)
	}
	inputs = r.oneBatch(terms, right, inputs)
	sizes := map[byte]interp.Value{}
	var batch byte
	for i, term := range terms {
		if len(term) != inputs[i].rank() {
			r.in.Raise("RuntimeError", "einsum(): operand %d has %d axes but its subscripts have %d", i, inputs[i].rank(), len(term))
		}
		for k := range len(term) {
			size := inputs[i].size(k)
			if _, isSym := size.(sym); isSym {
				if batch != 0 && batch != term[k] {
					r.in.Fault("einsum contracts over different parts of the batch")
				}
				batch = term[k]
			}
			if old, ok := sizes[term[k]]; ok && old != size && old != int64(1) && size != int64(1) {
				r.in.Raise("RuntimeError", "einsum(): subscript %c has size %v, which does not match %v", term[k], interp.Repr(size), interp.Repr(old))
			}
			if old, ok := sizes[term[k]]; !ok || old == int64(1) {
				sizes[term[k]] = size
			}
		}
	}
	plainly := batch != 0 && right[0] == batch
	for i, term := range terms {
		plainly = plainly && inputs[i].plain() && term[0] == batch
	}
	if folded := r.foldedLetters(equation, terms, right, batch, inputs); folded != "" {
		out := r.apply("einsum", "einsum", []graph.Param{param("equation", folded)}, inputs...)
		out.batch, out.pre, out.post = 0, inputs[0].pre, inputs[0].post
		return out
	}
	if plainly {
		out := r.apply("einsum", "einsum", []graph.Param{param("equation", equation)}, inputs...)
		return out
	}
	return r.contracted(equation, terms, right, batch, sizes, inputs)
}

// oneBatch leaves the batch to operands that have it under one letter of the result. The others are taken for all samples together.
func (r *reader) oneBatch(terms []string, right string, inputs []*Tensor) []*Tensor {
	var batch byte
	out := append([]*Tensor(nil), inputs...)
	for i, t := range inputs {
		if t.batch < 0 || t.batch >= len(terms[i]) {
			continue
		}
		letter := terms[i][t.batch]
		if batch == 0 && strings.IndexByte(right, letter) >= 0 && strings.Count(terms[i], string(letter)) == 1 {
			batch = letter
		}
		if letter != batch {
			out[i] = r.whole(t, "einsum works across the samples of a batch")
		}
	}
	for i, t := range out { // what was taken for all samples has the batch under the letter that others have it under
		if at := strings.IndexByte(terms[i], batch); batch != 0 && t.batch < 0 && at >= 0 && at < len(t.shape) && t.shape[at] != 1 {
			out[i] = r.batched(t, at)
		}
	}
	return out
}

// contractedSize is how many products of numbers two operands take: one for each combination of letters. A letter that is summed, and
// that only one operand has with more than one entry, is summed before, and where no letter is left to sum there is no matrix product.
func (r *reader) contractedSize(terms []string, right string, sizes map[byte]interp.Value, inputs []*Tensor) int64 {
	if len(inputs) != 2 {
		return 0
	}
	several := func(i int, letter byte) bool {
		at := strings.IndexByte(terms[i], letter)
		return at >= 0 && inputs[i].size(at) != int64(1)
	}
	total, summed := int64(1), false
	seen := map[byte]bool{}
	for _, letter := range []byte(strings.Join(terms, "")) {
		n, ok := sizes[letter].(int64)
		if seen[letter] || !ok {
			continue
		}
		seen[letter] = true
		if strings.IndexByte(right, letter) < 0 {
			if !several(0, letter) || !several(1, letter) {
				continue
			}
			summed = true
		}
		total *= n
	}
	if !summed {
		return 0
	}
	return total
}

func (r *reader) contracted(equation string, terms []string, right string, batch byte, sizes map[byte]interp.Value, inputs []*Tensor) interp.Value {
	shape, at, post, flops := catalog.Of(), -1, 0, int64(2)
	for i := range len(right) {
		size, ok := sizes[right[i]]
		if !ok {
			r.in.Raise("RuntimeError", "einsum(): output subscript %c does not appear in the operands", right[i])
		}
		if s, isSym := size.(sym); isSym {
			if at = i; s.times != 1 { // what is folded into the batch is an axis of its own in the graph
				shape, post = append(shape, s.times), 1
				flops *= s.times
			}
			continue
		}
		shape = append(shape, size.(int64))
	}
	flops *= r.contractedSize(terms, right, sizes, inputs)
	if flops > 0 && allJoint(inputs) {
		return r.applyJoint("einsum "+equation, catalog.Result{Out: shape, FLOPs: flops}, inputs)
	}
	out := r.custom("einsum "+equation, shape, flops, inputs...)
	out.batch, out.pre, out.post = at, 0, post
	return out
}

// foldedLetters gives the axes that are folded into the batch letters of their own, where every operand and the result begin with
// the batch and have the same folded in.
func (r *reader) foldedLetters(equation string, terms []string, right string, batch byte, inputs []*Tensor) string {
	t := inputs[0]
	n := t.pre + t.post
	if batch == 0 || n == 0 || right == "" || right[0] != batch {
		return ""
	}
	for i, term := range terms {
		if term == "" || term[0] != batch || inputs[i].batch != 0 || !foldsLike(inputs[i], t) {
			return ""
		}
	}
	letters := ""
	for c := byte('A'); c <= 'Z' && len(letters) < n; c++ {
		if strings.IndexByte(equation, c) < 0 {
			letters += string(c)
		}
	}
	if len(letters) < n {
		return ""
	}
	for i := range terms {
		terms[i] = terms[i][:1] + letters + terms[i][1:]
	}
	return strings.Join(terms, ",") + "->" + right[:1] + letters + right[1:]
}
