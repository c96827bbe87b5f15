package catalog

import (
	"slices"

	"github.com/modelverifier/verifier/internal/op"
)

var _ = define(Type{
	ID:    "einsum",
	Title: "Sums of products by a formula of letters",
	Doc: `Each operand of the equation names its axes by letters; letters that the result does not name are summed over, as torch.einsum does. The first letter of every operand and of the result is the batch. ` +
		`A letter has one size everywhere, or 1; a letter twice in an operand takes the diagonal. More than two inputs are multiplied pair by pair, in the order that costs the least.`,
	Source: "torch.einsum",
	Group:  Merging,
	Inputs: Arity{1, Any},
	Traits: IsMerge,
	Ints:   IntsKept,
	Params: []Param{{Name: "equation", Kind: String, Doc: "the letters of each input and of the result, such as bij,bjk->bik"}},
	Shape: func(c *Call) (Shape, error) {
		e, err := newEinsum(c)
		if err != nil {
			return nil, err
		}
		out := Shape{}
		for i := range e.size[1:e.out] {
			out = append(out, e.size[i+1])
		}
		return out, e.contract(c)
	},
	FLOPs: func(c *Call) int64 {
		e, _ := newEinsum(c) // was refused with the shape
		_ = e.contract(c)
		return e.flops / e.size[0]
	},
	Lower:        lowerEinsum,
	Torch:        `lambda *inputs: torch.einsum({{equation}}, *inputs)`,
	FLOPsFormula: "2*letters()*(summed() > 1)*(inputs() == 2)",
	Examples: []Example{
		{In: "[6,3] [3,2]", Args: `equation="bij,bjk->bik"`, Out: "[6,2]", FLOPs: 72},
		{In: "[4,2,6] [4,3,6]", Args: `equation="bhqd,bhkd->bhqk"`, Out: "[4,2,3]", FLOPs: 288},
		{In: "[4] [5]", Args: `equation="bi,bj->bij"`, Out: "[4,5]"},
		{In: "[4,5]", Args: `equation="bij->bj"`, Out: "[5]"},
		{In: "[4,5] [4,3,2]", Args: `equation="b...d,b...de->b...e"`, Err: "axis 2 of input 1 is named d, which has size 5 before and 3 here"},
		{In: "[4,5]", Args: `equation="bij->jbi"`, Err: "must begin with the letter of the batch"},
		{In: "[4,5] [4,5]", Args: `equation="bij->bi"`, Err: "an operand for each input: 1, but 2 inputs arrive"},
		{In: "[4,5]", Args: `equation="bijk->bi"`, Err: "names 4 axes, but with the batch it has 3"},
		{In: "[4,5]", Args: `equation="bij->bk"`, Err: "k is not an axis of any operand"},
	},
})

// einsum is an equation with the sizes that arrive. Axes are numbered in the order in which PyTorch aligns them: those of the
// result, then those summed over. Axis 0 is the batch, which stands here with a size of 2, since all that matters is that it
// is not 1.
type einsum struct {
	out     int     // how many axes the result has
	size    []int64 // of each axis
	factors []factor
	count   []int // for each axis, the factors still to come in which it is not 1

	flops int64
	kept  []factor
}

// factor is an operand, or a product of some. Its axes are aligned; where it lacks one, the size is 1.
type factor struct {
	size, stride []int64
	input        int // which input it is a view of, -1 for a tensor of its own
	isInt        bool
	axes         uint64 // those that the equation names
}

// contract multiplies the factors pair by pair and counts what that costs: in the order of the cheapest path where there is one, else from
// the first to the last.
func (e *einsum) contract(c *Call) error {
	for _, pair := range e.path() {
		i, j := pair[0], pair[1]
		p, err := e.multiply(c, e.factors[i], e.factors[j])
		if err != nil {
			return err
		}
		e.factors = append(slices.Concat(e.factors[:i], e.factors[i+1:j], e.factors[j+1:]), p)
	}
	for len(e.factors) > 1 {
		p, err := e.multiply(c, e.factors[0], e.factors[1])
		if err != nil {
			return err
		}
		e.factors = e.factors[1:]
		e.factors[0] = p
	}
	return nil
}

// multiply is one step: what only one factor has and nobody else needs is summed first; what both have and nobody else needs
// makes it a matrix product.
func (e *einsum) multiply(c *Call, a, b factor) (factor, error) {
	var both, onlyA, onlyB []int
	for i := e.out; i < len(e.size); i++ {
		switch {
		case a.size[i] != 1 && b.size[i] != 1:
			if e.count[i]--; e.count[i] == 1 {
				both, e.count[i] = append(both, i), 0
			}
		case e.count[i] == 1 && a.size[i] != 1:
			onlyA, e.count[i] = append(onlyA, i), 0
		case e.count[i] == 1 && b.size[i] != 1:
			onlyB, e.count[i] = append(onlyB, i), 0
		}
	}
	a, b = a.sum(c, onlyA), b.sum(c, onlyB)
	if len(both) == 0 {
		e.keep(a, b)
		p := factor{size: slices.Clone(a.size), input: -1, isInt: a.isInt && b.isInt}
		for i, n := range b.size {
			p.size[i] = max(n, p.size[i])
		}
		p.stride = contiguous(c, p.size)
		return p, nil
	}
	if a.isInt != b.isInt {
		return factor{}, c.Errorf(DtypeMismatch, "sums products of integers and numbers with a fraction, which PyTorch does not mix in matrix products")
	}
	return e.matmul(c, a, b, both), nil
}

// matmul brings both factors into the form of a batched matrix product.
func (e *einsum) matmul(c *Call, a, b factor, both []int) factor {
	var shared, left, right []int
	for i := range e.size {
		switch {
		case slices.Contains(both, i):
		case a.size[i] != 1 && b.size[i] != 1:
			shared = append(shared, i)
		case a.size[i] != 1:
			left = append(left, i)
		default:
			right = append(right, i)
		}
	}
	e.flops = c.Add(e.flops, c.Mul(2, a.over(c, shared), a.over(c, left), a.over(c, both), b.over(c, right)))
	e.keep(a.grouped(shared, left, both), b.grouped(shared, both, right))
	p := factor{size: make([]int64, len(e.size)), stride: make([]int64, len(e.size)), input: -1, isInt: a.isInt}
	var order []int
	for _, axes := range [][]int{shared, left, both, right} {
		order = append(order, axes...)
	}
	step := int64(1)
	for k := len(order) - 1; k >= 0; k-- {
		i := order[k]
		p.size[i], p.stride[i] = max(a.size[i], b.size[i]), step
		if slices.Contains(both, i) {
			p.size[i] = 1
		}
		step = c.Mul(step, p.size[i])
	}
	return p
}

// keep declares both sides of a product, each where the other has a gradient.
func (e *einsum) keep(a, b factor) {
	if !b.isInt {
		e.kept = append(e.kept, a)
	}
	if !a.isInt {
		e.kept = append(e.kept, b)
	}
}

// sum is the factor with some axes summed over.
func (f factor) sum(c *Call, axes []int) factor {
	if len(axes) == 0 {
		return f
	}
	size := slices.Clone(f.size)
	for _, i := range axes {
		size[i] = 1
	}
	return factor{size: size, stride: contiguous(c, size), input: -1, isInt: f.isInt}
}

// over is the number of elements along some axes.
func (f factor) over(c *Call, axes []int) int64 {
	n := int64(1)
	for _, i := range axes {
		n = c.Mul(n, f.size[i])
	}
	return n
}

// grouped is the factor with each group of axes merged into one: a copy where they do not lie behind each other in memory.
func (f factor) grouped(groups ...[]int) factor {
	for _, axes := range groups {
		last := -1
		for _, i := range axes {
			if f.size[i] == 1 {
				continue
			}
			if last >= 0 && f.stride[last] != f.stride[i]*f.size[i] {
				f.input = -1
			}
			last = i
		}
	}
	return f
}

// contiguous is the strides of a tensor whose last axis lies closest in memory.
func contiguous(c *Call, size []int64) []int64 {
	stride, step := make([]int64, len(size)), int64(1)
	for i := len(size) - 1; i >= 0; i-- {
		stride[i], step = step, c.Mul(step, size[i])
	}
	return stride
}

// lowerEinsum is a view or a sum of one operand, or the products of several.
func lowerEinsum(l *Lowering) op.Value {
	if len(l.X) == 1 {
		if l.Out.Size() == l.In[0].Size() {
			return op.Transposed(l.P, l.X[0], l.Out...)
		}
		return op.Sum(l.P, l.X[0], l.Out...)
	}
	e, _ := newEinsum(&l.Call) // was refused with the shape
	_ = e.contract(&l.Call)
	saved, kept := int64(0), []int64(nil)
	for _, f := range e.kept {
		if f.input >= 0 {
			saved |= 1 << f.input
		} else {
			kept = append(kept, Shape(f.size).Size()/max(1, e.size[0]))
		}
	}
	return op.Einsum(l.P, l.Out, e.flops/max(1, e.size[0]), saved, kept, l.X...)
}
