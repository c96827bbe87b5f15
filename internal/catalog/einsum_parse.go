package catalog

import (
	"slices"
	"strings"
)

// ellipsis stands among the letters of a term for the axes that have none.
const ellipsis = '.'

// einsumTerm reads the letters of an operand or of the result.
func einsumTerm(c *Call, text string) ([]rune, error) {
	var term []rune
	for text != "" {
		letter := rune(text[0])
		switch {
		case strings.HasPrefix(text, "...") && !slices.Contains(term, ellipsis):
			text = text[2:]
		case letter >= 'a' && letter <= 'z', letter >= 'A' && letter <= 'Z':
		default:
			return nil, c.Errorf(EinsumEquation, "the equation %v may have letters, one ... in each operand, commas and an arrow, but has %q", c.arg("equation"), text[:1])
		}
		term, text = append(term, letter), text[1:]
	}
	return term, nil
}

// newEinsum reads the equation and lays the inputs out by it.
func newEinsum(c *Call) (*einsum, error) {
	left, right, explicit := strings.Cut(strings.ReplaceAll(c.Str("equation"), " ", ""), "->")
	operands := strings.Split(left, ",")
	if len(operands) != len(c.In) {
		return nil, c.Errorf(EinsumEquation, "the equation has an operand for each input: %d, but %s", len(operands), arrive(int64(len(c.In)), "input"))
	}
	terms := make([][]rune, len(operands))
	hidden := 0 // the most axes that a ... stands for
	for i, text := range operands {
		term, err := einsumTerm(c, text)
		if err != nil {
			return nil, err
		}
		rank := c.In[i].Rank() + 1
		if n := rank - len(term); slices.Contains(term, ellipsis) && n >= -1 {
			hidden = max(hidden, n+1)
		} else if n != 0 {
			return nil, c.Errorf(EinsumEquation, "%s names %d axes, but with the batch it has %d", text, len(term), rank)
		}
		if err := einsumBatch(c, text, left); err != nil {
			return nil, err
		}
		terms[i] = term
	}
	result, err := einsumResult(c, terms, right, explicit)
	if err != nil {
		return nil, err
	}
	return layOut(c, terms, result, hidden)
}

// einsumBatch refuses an operand or result that does not begin with the letter of the batch, or has it again.
func einsumBatch(c *Call, text, left string) error {
	if text == "" || text[0] != left[0] || text[0] == ellipsis {
		return c.Errorf(BatchAxis, "%q must begin with the letter of the batch, as every operand and the result of %v", text, c.arg("equation"))
	}
	if strings.Count(text, left[:1]) > 1 {
		return c.Errorf(BatchAxis, "%s has the letter of the batch more than once", text)
	}
	return nil
}

// einsumResult is the letters of the result: those behind the arrow or, without one, those that occur once, in the order of
// the alphabet, capitals first, behind the axes without letters.
func einsumResult(c *Call, terms [][]rune, right string, explicit bool) ([]rune, error) {
	var all []rune
	for _, t := range terms {
		all = append(all, t...)
	}
	if explicit {
		if err := einsumBatch(c, right, string(terms[0])); err != nil {
			return nil, err
		}
		result, err := einsumTerm(c, right)
		if err != nil {
			return nil, err
		}
		for i, l := range result {
			switch {
			case slices.Contains(result[:i], l):
				return nil, c.Errorf(EinsumEquation, "the result of %v has %c twice", c.arg("equation"), l)
			case l != ellipsis && !slices.Contains(all, l):
				return nil, c.Errorf(EinsumEquation, "%c is not an axis of any operand of %v", l, c.arg("equation"))
			}
		}
		return result, nil
	}
	var result []rune
	slices.Sort(all) // . sorts before the letters
	for i, l := range all {
		once := (i == 0 || all[i-1] != l) && (i+1 == len(all) || all[i+1] != l)
		if once || l == ellipsis && (i == 0 || all[i-1] != l) {
			result = append(result, l)
		}
	}
	return result, nil
}

// layOut numbers the axes and aligns the inputs with them.
func layOut(c *Call, terms [][]rune, result []rune, hidden int) (*einsum, error) {
	e, at := &einsum{}, map[rune]int{}
	place := func(l rune) {
		if _, ok := at[l]; ok {
			return
		}
		at[l] = len(e.size)
		n := 1
		if l == ellipsis {
			n = hidden
		}
		for range n {
			e.size, e.count = append(e.size, 1), append(e.count, 0)
		}
	}
	for _, l := range result {
		place(l)
	}
	e.out = len(e.size)
	var all []rune
	for _, t := range terms {
		all = append(all, t...)
	}
	slices.Sort(all)
	for _, l := range all {
		place(l)
	}
	batch, inResult := at[terms[0][0]]
	if !inResult || batch != 0 || e.out == 0 {
		return nil, c.Errorf(BatchAxis, "the result of %v does not begin with the batch", c.arg("equation"))
	}
	if len(e.size) > 64 {
		return nil, c.Errorf(EinsumEquation, "the equation has %d axes, PyTorch takes up to 64", len(e.size))
	}
	for i, t := range terms {
		f, err := e.operand(c, i, t, at, hidden)
		if err != nil {
			return nil, err
		}
		e.factors = append(e.factors, f)
	}
	return e, nil
}

// operand aligns one input.
func (e *einsum) operand(c *Call, i int, term []rune, at map[rune]int, hidden int) (factor, error) {
	sizes := append([]int64{2}, c.In[i]...)
	strides := contiguous(c, sizes)
	f := factor{size: slices.Repeat([]int64{1}, len(e.size)), stride: make([]int64, len(e.size)), input: i, isInt: c.isInt(i)}
	axis := 0
	for _, l := range term {
		first, n := at[l], 1
		if l == ellipsis { // aligned at its end
			n = len(sizes) - len(term) + 1
			first += hidden - n
		}
		for k := first; k < first+n; k++ {
			size := sizes[axis]
			if f.axes>>k&1 == 1 && f.size[k] != size {
				return f, c.Errorf(EinsumEquation, "%c is twice an axis of input %d, with sizes %d and %d", l, i, f.size[k], size)
			}
			if f.axes>>k&1 == 0 && size != 1 {
				if e.size[k] != 1 && e.size[k] != size {
					return f, c.Errorf(EinsumEquation, "axis %d of input %d is named %c, which has size %d before and %d here", axis, i, l, e.size[k], size)
				}
				e.size[k], e.count[k] = size, e.count[k]+1
			}
			f.size[k], f.stride[k] = size, f.stride[k]+strides[axis]
			f.axes |= 1 << k
			axis++
		}
	}
	return f, nil
}
