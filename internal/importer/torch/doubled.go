package torch

import (
	"context"
	"io/fs"
	"slices"
)

// A program that was read for one batch has results whose axes are numbers. Which of them is the batch is found out by reading the
// program again for twice as many samples: it is the first axis that doubles.

// result is a result of the forward in PyTorch's shape, for the batch that the program is read for.
type result struct {
	dims  []int64
	batch int // the axis that was taken for the batch, -1 for none
}

// noted keeps a result, and gives it its batch where a second reading said which axis that is.
func (r *reader) noted(t *Tensor) *Tensor {
	at := len(r.results)
	if at < len(r.options.batchAxes) {
		if axis := r.options.batchAxes[at]; axis != t.batch {
			t = r.whole(t, "a result has its batch elsewhere")
			if axis >= 0 && r.fits(t, axis) {
				t = r.rebatch(t, axis)
			}
		}
	} else if t.ofAll() && r.fits(t, 0) && t.shape[0] == r.batch {
		t = r.rebatch(t, 0)
	}
	kept := result{batch: t.batch}
	if r.fixed {
		for i := range t.rank() {
			n, _ := r.in.Int(t.size(i))
			kept.dims = append(kept.dims, n)
		}
	}
	r.results = append(r.results, kept)
	return t
}

// importForBatch reads a program, and again where it needed one batch: for twice as many samples, to know which axes are the batch, and
// for that batch from the beginning, so that what runs once for all samples counts for each with its share.
func importForBatch(ctx context.Context, fsys fs.FS, rel, pkg, name string, opt Options, training bool) (*Model, error) {
	first, err := importOnce(ctx, fsys, rel, pkg, name, opt, training)
	if err == nil && first.Status != Full && first.fixed > 0 && !refuses(first) {
		if m := importForEvery(ctx, fsys, rel, pkg, name, opt, training, first); m != nil {
			return m, nil
		}
	}
	if err != nil || first.Status != Full || first.fixed == 0 {
		return first, err
	}
	again := opt
	again.Inputs, again.batch = scaled(opt.Inputs, first.fixed, 2*first.fixed), 2*first.fixed
	if double, err := importOnce(ctx, fsys, rel, pkg, name, again, training); err == nil && double.Status == Full {
		opt.batchAxes = batchAxes(first.results, double.results)
	}
	opt.batch = first.fixed
	last, err := importOnce(ctx, fsys, rel, pkg, name, opt, training)
	if err != nil || last.Status != Full {
		return first, nil
	}
	return last, nil
}

// batchAxes are the first axes of results that double with the batch, -1 where none does; nil where the results cannot be compared.
func batchAxes(once, twice []result) []int {
	if len(once) != len(twice) {
		return nil
	}
	axes := make([]int, len(once))
	for i, a := range once {
		if len(a.dims) != len(twice[i].dims) {
			return nil
		}
		axes[i] = -1
		for k, n := range a.dims {
			if n > 0 && twice[i].dims[k] == 2*n {
				axes[i] = k
				break
			}
		}
	}
	return axes
}

// scaled gives inputs that have the batch another one.
func scaled(inputs []Input, old, next int64) []Input {
	out := slices.Clone(inputs)
	for i := range out {
		if out[i].Batch == old {
			out[i].Batch = next
		}
		out[i].Items = scaled(out[i].Items, old, next)
	}
	return out
}
